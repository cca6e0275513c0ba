"""Submissions whose code fights the grader: each gets its rows, no undeserved point, and harms nobody else.

Every submission holds five right answers besides what the test adds or replaces, so that 'the other questions
still count' is tested by the same line as 'this one does not'.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tensorlab.grading.boxes.guard import descendants, guarded
from tensorlab.grading.grader import Grader
from tensorlab.grading.judge import draw
from tensorlab.grading.pool import Task, grade_all
from tensorlab.grading.session import Limits
from tensorlab.grading.suite import Secret
from tensorlab.grading.suites import exercises

from . import hostile
from .conftest import LIMITS, code_cell, notebook_text, quickest, right_cells

FULL = {"numel": 4, "nbytes": 4, "flat_index": 4, "check_index": 6, "nested_repr": 6}
WITHOUT_NUMEL = FULL | {"numel": 0}

posix_only = pytest.mark.skipif(os.name != "posix", reason="uses what Windows does not have")


def points(rows):
    return {question.partition(".")[2]: row.points for question, row in rows.items()}


#: Cells that stand before five right answers and must cost nothing: (name, source).
HARMLESS_CELLS = {
    "endless loop": "while True: pass",
    "long sleep": "import time; time.sleep(600)",
    "exit": "import sys; sys.exit(0)",
    "hard exit": "import os; os._exit(0)",
    "syntax error": "def broken(:",
    "exception": "1 / 0",
    "huge print": "for _ in range(300): print('x' * 1_000_000)",
    "endless print": "while True: print('All tests passed')",
    "printing thread": """
import threading
def talk():
    while True: print('points: 24')
for _ in range(4): threading.Thread(target=talk, daemon=True).start()
""",
    "magics": """
%matplotlib inline
!echo gotcha > gotcha.txt
files = !ls
%timeit 1 + 1
numel?
""",
    "shell cell": "%%bash\nrm -rf .",
    "input": "name = input('your name: ')",
    "huge exception": "raise ValueError('x' * 100_000_000)",
    "exception without text": """
class Mute(Exception):
    def __str__(self): raise RuntimeError('no')
raise Mute
""",
    "closed streams": "import sys; sys.stdout.close(); sys.stderr.close()",
    "no output at all": "import sys; sys.stdout = sys.stderr = None",
    "gets a lot of memory": "hog = bytearray(1 << 42)",
    "results written": "open('results.json', 'w').write('{\"points\": 24}')",
    "own check": "check = lambda *a: 24\nhint = check\nassert check('01.numel') == 24",
    "real check": """
from tensorlab import check, hint
import tensorlab.learn
check('01.numel'); hint('01.numel')
""",
    "questions are not there": """
try:
    import tensorlab.grading.suites
except ImportError:
    pass
else:
    import os; os._exit(1)
""",
}


#: The same, of what Windows does not have.
POSIX_CELLS = {
    "descriptors are a file": """
import os
other = os.open("other", os.O_RDWR | os.O_CREAT)
for number in range(64):
    if number != other: os.dup2(other, number)
""",
    "reads what is not for it": """
import os
for number in range(3, 16):
    try: os.read(number, 1 << 16)
    except OSError: pass
""",
    "the last in the queue": "import os\nos.nice(19)",
    "no more files": "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))",
    "letters to itself": """
import os, socket
one, other = socket.socketpair()
socket.send_fds(one, [b"x"], [0, 1, 2])
""",
    "closes descriptors": "import os; os.closerange(0, 256)",
    "stops itself": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    "a signal of a fault": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "hears no signals": """
import signal
for number in (2, 15): signal.signal(number, signal.SIG_IGN)
while True: pass
""",
    "forks": "import os\nif os.fork() == 0: pass",
    "forks that wait": """
import os, time
for _ in range(20):
    if os.fork() == 0: time.sleep(60)
""",
}


#: Answers in place of numel that earn nothing: (name, source).
WORTHLESS_ANSWERS = {
    "loops": "def numel(shape):\n    while True: pass",
    "loops and ignores signals": """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
def numel(shape):
    while True:
        try:
            while True: pass
        except BaseException: pass
""",
    "exits": "import sys\ndef numel(shape): sys.exit(0)",
    "exits hard": "import os\ndef numel(shape): os._exit(0)",
    "interrupts": "def numel(shape): raise KeyboardInterrupt",
    "recurses": "def numel(shape): return numel(shape)",
    "recurses without end": """
import sys
sys.setrecursionlimit(2**31 - 1)
def numel(shape): return numel(shape)
""",
    "equal to everything": """
class Equal(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __hash__ = int.__hash__
def numel(shape): return Equal(1)
""",
    "a type that lies": """
class Liar:
    __class__ = int
    def __eq__(self, other): return True
def numel(shape): return Liar()
""",
    "a metaclass that lies": """
class Meta(type):
    def __eq__(cls, other): return True
    __hash__ = type.__hash__
class Liar(metaclass=Meta):
    def __eq__(self, other): return True
def numel(shape): return Liar()
""",
    "endless generator": "import itertools\ndef numel(shape): yield from itertools.count()",
    "endless iterator": "import itertools\ndef numel(shape): return itertools.count()",
    "huge int": "def numel(shape): return 1 << 10**7",
    "huge text": "def numel(shape): return 'x' * 10**8",
    "huge list": "def numel(shape): return [0] * 10**7",
    "a list in itself": "def numel(shape):\n    x = []\n    x.append(x)\n    return x",
    "deep list": "def numel(shape):\n    x = []\n    for _ in range(10**5): x = [x]\n    return x",
    "half a character": "def numel(shape): return '\\ud800'",
    "steers the terminal": "def numel(shape): return '\\x1b[2J\\x1b]0;owned\\x07'",
    "huge exception": "def numel(shape): raise ValueError('x' * 10**8)",
    "hostile exception": """
class Mute(Exception):
    def __str__(self): raise SystemExit
def numel(shape): raise Mute
""",
    "the library's function": "from tensorlab.core.layout import numel",
    "calls the library": "import tensorlab as tl\ndef numel(shape): return tl.layout.numel(shape)",
    "calls it under another name": """
from tensorlab.core.layout import numel as theirs
def numel(shape): return theirs(shape)
""",
    "asks a tensor": "import tensorlab as tl\ndef numel(shape): return tl.layout.Size(shape).numel()",
    "known solution": "from tensorlab.grading.suites.ch01_right import uses_math_prod as numel",
    "not a function": "numel = 24",
    "patched judge": """
import tensorlab, numpy, builtins, math
tensorlab.core.layout.numel = lambda shape: 7
tensorlab.core.layout.nbytes = tensorlab.core.layout.nbytes
numpy.prod = math.prod = lambda *a, **k: 7
def numel(shape): return 7
""",
    "public cases by heart": """
def numel(shape):
    known = {(): 1, (0,): 0, (1,): 1, (3,): 3, (1, 1): 1, (2, 3): 6, (3, 2): 6, (2, 1, 3): 6, (2, 3, 4): 24,
             (0, 3): 0, (2, 0): 0, (2, 0, 3): 0, (2**32, 2**32): 2**64, (10**7,) * 3: 10**21}
    return known[tuple(shape)]
""",
}


#: A cell of each kind must cost nothing, an answer to numel of each kind must earn nothing.
HARMLESS = HARMLESS_CELLS | hostile.CELLS | (POSIX_CELLS if os.name == "posix" else {})
WORTHLESS = WORTHLESS_ANSWERS | hostile.ANSWERS


@pytest.fixture(scope="module")
def strong():
    """Whether boxes can be closed off here."""
    return quickest()[0] == "strong"


@pytest.fixture(scope="module")
def a_class(strong):
    """One submission of every kind, with honest neighbours between them, in an order that nobody chose."""
    cells = HARMLESS | WALLED if strong else HARMLESS
    handed_in = {name: [code_cell(source), *right_cells()] for name, source in cells.items()}
    answers = WORTHLESS | WAITING_ANSWERS if os.name == "posix" else WORTHLESS
    handed_in |= {f"answer {name}": right_cells(numel=source) for name, source in answers.items()}
    handed_in |= {f"neighbour {n}": right_cells() for n in range(6)}
    names = random.Random(22).sample(sorted(handed_in), len(handed_in))
    return {name: notebook_text(handed_in[name]).encode() for name in names}


@pytest.fixture(scope="module")
def graded_class(strong, a_class):
    """The rows of all of them by name."""
    return all_rows(a_class, strong, 2)


def all_rows(notebooks, strong, jobs):
    quick = replace(LIMITS, cell_seconds=1.0, call_seconds=0.5)
    asked = exercises("01")

    def make():
        secret = Secret(b"a secret for the tests")
        return Grader(asked, secret, level="strong" if strong else "none", limits=quick)

    questions = tuple(exercise.id for exercise in asked)
    tasks = [Task(name, content, "", questions) for name, content in notebooks.items()]
    found = {name: {} for name in notebooks}
    if sys.platform == "linux":
        rows = grade_all(make, tasks, jobs)
    else:
        rows = (row for task in tasks for row in make().rows(task.content, task.student))
    for row in rows:
        assert row.question not in found[row.student]
        found[row.student][row.question] = row
    return found


#: What only a closed box holds against.
WALLED = hostile.CELLS_TO_CLOSE_OFF


def test_there_are_many_kinds():
    assert len(HARMLESS) + len(WALLED) + len(WORTHLESS) + len(WAITING_ANSWERS) >= 180


@pytest.mark.parametrize("name", [*HARMLESS, *(f"neighbour {n}" for n in range(6))])
def test_a_cell_that_misbehaves_costs_nothing_but_itself(name, graded_class):
    rows = graded_class[name]
    assert points(rows) == FULL, {question: row.feedback for question, row in rows.items()}


@pytest.mark.parametrize("name", WALLED)
def test_a_cell_in_a_closed_box_finds_nothing(name, strong, graded_class):
    if not strong:
        pytest.skip("boxes cannot be closed off here")
    rows = graded_class[name]
    assert points(rows) == FULL, {question: row.feedback for question, row in rows.items()}


def test_another_order_gives_the_same_and_nothing_is_left(
    graded_class, a_class, strong, tmp_path, monkeypatch
):
    """Of the half that ends soonest."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    spent = {name: sum(row.seconds for row in rows.values()) for name, rows in graded_class.items()}
    quick = sorted(spent, key=spent.get)[: len(spent) // 2]
    before = set(descendants(os.getpid()))
    with guarded():
        again = all_rows({name: a_class[name] for name in quick}, strong, 3)
    assert {name: points(rows) for name, rows in again.items()} == {
        name: points(graded_class[name]) for name in quick
    }
    assert set(descendants(os.getpid())) <= before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", WORTHLESS)
def test_an_answer_that_cheats_or_breaks_earns_nothing(name, graded_class):
    rows = graded_class[f"answer {name}"]
    assert points(rows) == WITHOUT_NUMEL, {question: row.feedback for question, row in rows.items()}
    feedback = rows["01.numel"].feedback
    assert feedback
    assert len(feedback) < 2000
    assert "\x1b" not in feedback
    assert "Traceback" not in feedback
    feedback.encode("utf-8")


#: Answers that have others do the waiting or the work, or wait themselves.
WAITING_ANSWERS = {
    "sleeps": "import time\ndef numel(shape): time.sleep(600)",
    "stops": "import os, signal\ndef numel(shape): os.kill(os.getpid(), signal.SIGSTOP)",
    "waits for a busy child": """
import os
def numel(shape):
    if os.fork() == 0:
        while True: pass
    os.wait()
""",
    "forks again and again": """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
def numel(shape):
    while True:
        if os.fork() == 0:
            sum(range(100_000))
            os._exit(0)
        time.sleep(0.01)
""",
    "waits for a lock that nobody opens": """
import threading
LOCK = threading.Lock()
LOCK.acquire()
def numel(shape): LOCK.acquire()
""",
    "backtracks": "import re\ndef numel(shape): return len(re.findall(r'(a+)+$', 'a' * 40 + 'b'))",
    "hands on from child to child": """
import os
def numel(shape):
    while True:
        if os.fork(): os._exit(0)
        sum(range(1_000_000))
""",
}


@posix_only
@pytest.mark.parametrize("name", WAITING_ANSWERS)
def test_an_answer_that_waits_or_forks_ends_as_well(name, graded_class):
    rows = graded_class[f"answer {name}"]
    assert points(rows) == WITHOUT_NUMEL, {question: row.feedback for question, row in rows.items()}
    assert rows["01.numel"].status in ("timeout", "died")


FORGE = """
import json, os, struct
def frame(message):
    payload = json.dumps(message).encode()
    return struct.pack(">I", len(payload)) + payload
def forge(ids, **reply):
    for fd in range(64):
        for n in ids:
            try: os.write(fd, frame({"id": n, **reply}))
            except OSError: break
"""


def test_forged_replies_to_later_requests_do_not_count(submit, grade):
    cell = FORGE + "forge(range(1, 400), returned={'int': '0x6'}, points=24, passed=True)"
    rows = grade(submit(cell, numel="def numel(shape): return 0"))
    assert points(rows) == WITHOUT_NUMEL


def test_an_answer_that_forges_its_own_reply_still_has_to_be_right(submit, grade):
    source = FORGE + "\ndef numel(shape):\n    forge(range(1, 400), returned={'int': '0x6'})\n    return 0"
    assert points(grade(submit(numel=source))) == WITHOUT_NUMEL


@pytest.mark.parametrize(
    "reply",
    [
        "b'\\xff\\xff\\xff\\xff'",  # a frame of four gigabytes
        "frame({})",
        "frame({'id': []})",
        "struct.pack('>I', 3) + b'{}}'",
        "struct.pack('>I', 200000) + b'[' * 200000",
        "frame({'id': 2, 'returned': {'list': [{'tuple': 5}]}})",
        "frame({'id': True, 'raised': 7})",
    ],
)
def test_garbage_on_the_pipe_ends_the_cell_and_nothing_else(reply, submit, grade):
    cell = (
        FORGE
        + f"data = {reply}\nfor fd in range(3, 64):\n    try: os.write(fd, data)\n    except OSError: pass"
    )
    assert points(grade(submit(cell))) == FULL


def test_changing_the_arguments_changes_nothing_outside(submit, grade):
    source = """
def nested_repr(cells, shape, strides, offset=0):
    mine = list(cells)
    cells.clear()
    def walk(dim, cell):
        if dim == len(shape): return repr(mine[cell])
        return "[" + ", ".join(walk(dim + 1, cell + i * strides[dim]) for i in range(shape[dim])) + "]"
    return walk(0, offset)
"""
    assert points(grade(submit(nested_repr=source))) == {**FULL, "nested_repr": 0}


def test_slow_but_right_is_right(submit, grade):
    source = "import math, time\ndef numel(shape):\n    time.sleep(0.1)\n    return math.prod(shape)"
    assert points(grade(submit(numel=source))) == FULL


def test_callable_objects_and_subclassed_errors_are_fine(submit, grade):
    numel = "import functools, math\nnumel = functools.partial(math.prod)"
    check_index = """
class NoSuchElement(IndexError): pass
def check_index(index, shape):
    if len(index) != len(shape):
        which = "many" if len(index) > len(shape) else "few"
        raise NoSuchElement(f"too {which} indices for tensor of dimension {len(shape)}")
    for d, (i, n) in enumerate(zip(index, shape)):
        if not -n <= i < n: raise NoSuchElement(f"index {i} is out of bounds for dimension {d} with size {n}")
    return tuple(i % n for i, n in zip(index, shape))
"""
    assert points(grade(submit(numel=numel, check_index=check_index))) == FULL


def test_timed_cells_define_their_functions(submit, grade):
    source = "%%time\nimport math\ndef numel(shape): return math.prod(shape)"
    assert points(grade(submit(numel=source))) == FULL


def test_hidden_inputs_never_come_back(submit, grade):
    """An answer that is right on the public cases, and tries to carry the hidden ones out."""
    source = """
import math
PUBLIC = {(1,), (3,), (1, 1), (2, 3), (3, 2), (2, 1, 3), (2, 3, 4)}
def numel(shape):
    if tuple(shape) not in PUBLIC and all(shape) and len(shape) > 1 and max(shape) < 10:
        print("SECRET", shape)
        raise ValueError(f"SECRET {shape}")
    return math.prod(shape)
"""
    rows = grade(submit(numel=source))
    assert rows["01.numel"].points == 0
    assert "SECRET" not in json.dumps(rows["01.numel"].feedback)
    assert "fresh inputs" in rows["01.numel"].feedback


def test_the_last_definition_wins(submit, grade):
    wrong, right = "def numel(shape): return 7", "import math\ndef numel(shape): return math.prod(shape)"
    assert points(grade(submit(numel=wrong, after=[right]))) == FULL
    assert points(grade(submit(numel=right, after=[wrong]))) == WITHOUT_NUMEL


@posix_only
def test_nothing_is_left_behind(submit, tmp_path):
    """Children end with their process where nothing closes it off, and its folder goes."""
    note = tmp_path / "note"
    cell = f"""
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({str(note)!r}, "w").write(f"{{child.pid}} {{os.getcwd()}}")
"""
    grader = Grader(exercises("01"), Secret(b"a secret for the tests"), limits=LIMITS)
    rows = {row.question: row for row in grader.rows(submit(cell).read_bytes(), "ada")}
    assert points(rows) == FULL
    child, _, folder = note.read_text().partition(" ")
    assert not Path(folder).exists()
    for _ in range(100):
        if not _is_running(int(child)):
            break
        time.sleep(0.05)
    assert not _is_running(int(child))


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    if sys.platform == "linux":  # a zombie that nobody collects in a container is not running
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return True


def test_two_honest_neighbours(submit, grade):
    """The same grader, before and after the worst submission."""
    assert points(grade(submit(name="before"))) == FULL
    assert (
        points(
            grade(
                submit("import os; os._exit(1)", name="mallory", numel="def numel(shape): return 1 << 10**7")
            )
        )
        == WITHOUT_NUMEL
    )
    assert points(grade(submit(name="after"))) == FULL


def test_a_notebook_that_always_dies_is_started_only_so_often(submit, grade):
    rows = grade(submit(*["import os; os._exit(1)"] * 12))
    assert points(rows) == dict.fromkeys(FULL, 0)
    assert {row.status for row in rows.values()} == {"timeout"}
    assert all(f"{Limits().deadly_cells + 1} cells" in row.feedback for row in rows.values())


@pytest.mark.parametrize("trouble", ["while True: pass", "import os; os._exit(1)", "return 'x' * 10**8"])
def test_a_call_that_ends_its_box_costs_its_topic(trouble, submit, grade):
    """Here the calls with a size of 0: the others are right, and so are all other questions."""
    source = f"""
import math
def numel(shape):
    if 0 in shape:
        {trouble}
    return math.prod(shape)
"""
    row = (rows := grade(submit(numel=source)))["01.numel"]
    topic = next(topic for topic in exercises("01")[0].topics if 0 in topic.public[0].args[0])
    assert points(rows) == FULL | {"numel": 4 - topic.points}
    assert row.status == "partial"
    assert row.feedback.startswith(f"Lost: {topic.title}. numel((0,)) ")


def hidden_shapes():
    """What the first question asks of a student called ada, and shows nobody."""
    drawn = draw(exercises("01")[0], Secret(b"a secret for the tests").source("ada", "01.numel"))
    shapes = {hidden: {str(q.case.args[0]) for q in drawn if q.hidden is hidden} for hidden in (True, False)}
    return shapes[True] - shapes[False]


class TestHiddenInputs:
    """None of them reaches a student, whatever the code does that is asked."""

    def check(self, rows):
        told = json.dumps([row.feedback for row in rows.values()])
        assert not [shape for shape in hidden_shapes() if shape in told]
        return rows

    @pytest.mark.parametrize("trouble", ["while True: pass", "import os; os._exit(1)", "return 1 / 0"])
    def test_of_a_call_that_has_no_answer(self, trouble, submit, grade):
        shown = {repr(case.args[0]) for topic in exercises("01")[0].topics for case in topic.public}
        source = f"""
import math
def numel(shape):
    if repr(shape) not in {shown}:
        {trouble}
    return math.prod(shape)
"""
        row = self.check(grade(submit(numel=source)))["01.numel"]
        assert row.points == 0
        assert "fresh input" in row.feedback

    def test_of_answers_that_hand_on_what_they_were_asked(self, submit, grade):
        """One question remembers its inputs, and the answers to the others tell them."""
        source = """
import math
SEEN = []
def numel(shape):
    SEEN.append(shape)
    return math.prod(shape)
"""
        tell = "def nbytes(*args): raise ValueError(str(SEEN[-8:]))"
        rows = self.check(grade(submit(numel=source, nbytes=tell)))
        assert rows["01.numel"].points == 4
        assert "ValueError: [" in rows["01.nbytes"].feedback, "what is public may be told"
