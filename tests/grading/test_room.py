"""How much memory an answer takes is proven: answers that lie about it lose the topic, and no other."""

from __future__ import annotations

import functools
import sys
from dataclasses import replace

import pytest

from tensorlab.grading.boxes import BoxError
from tensorlab.grading.grader import Grader, boxes
from tensorlab.grading.inside.calls import COUNTED
from tensorlab.grading.session import Limits
from tensorlab.grading.sources import answer_source
from tensorlab.grading.suite import Secret
from tensorlab.grading.suites import exercise, exercises
from tests.grading.conftest import code_cell, notebook_text, quickest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems limit no process's memory")

SECRET = Secret(b"a secret for the tests")
PROVEN = [e for e in exercises() if any(topic.large for topic in e.topics)]

#: Takes the room of the Jacobian, in a way that no counter in the box sees, and gives the right answer.
LIAR = """
import tensorlab as tl
{before}
def log_softmax_backward(grad, result, dim):
    size = 4 * grad.shape[dim] ** 2
    {take}
    return grad - result.exp() * grad.sum(dim, keepdim=True)
"""
USUAL = "scratch = bytearray(size)"
WAYS = {
    "a patched reply": (
        "import sys\ncalls = sys.modules['inside.runner']\nhonest = calls.call\n"
        "calls.call = lambda *args: {**honest(*args), 'allocated': 0, 'held': 0}",
        "scratch = tl.zeros(size // 4)",
    ),
    "patched tracemalloc": (
        "import tracemalloc\ntracemalloc.get_traced_memory = lambda: (0, 0)",
        USUAL,
    ),
    "a bytearray": ("", USUAL),
    "NumPy": ("import numpy", "scratch = numpy.zeros(size, 'b'); scratch.fill(1)"),
    "mmap": ("import mmap", "scratch = mmap.mmap(-1, size)"),
    "private mmap": (
        "import mmap",
        "scratch = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)",
    ),
    "malloc": (
        "import ctypes\nmalloc = ctypes.CDLL(None).malloc\nmalloc.restype = ctypes.c_void_p",
        "ctypes.memset(malloc(ctypes.c_size_t(size)), 1, size)",
    ),
    "many small pieces": ("", "scratch = [bytearray(1 << 16) for _ in range(0, size, 1 << 16)]"),
    "a limit that is lifted": (
        "import contextlib, resource",
        "with contextlib.suppress(ValueError): resource.setrlimit(resource.RLIMIT_AS, (-1, -1))\n"
        "    scratch = bytearray(size)",
    ),
    "a thread": (
        "import threading",
        "found = []\n    other = threading.Thread(target=lambda: found.append(bytearray(size)))\n"
        "    other.start()\n    other.join()\n    scratch = found[0]",
    ),
    "a child": (
        "import os",
        "there, here = os.pipe()\n"
        "    if not os.fork():\n"
        "        scratch = bytearray(size)\n"
        "        os.write(here, b'1')\n"
        "        os._exit(0)\n"
        "    os.close(here)\n"
        "    if not os.read(there, 1): raise MemoryError",
    ),
    "taken beforehand": ("taken = bytearray(250 << 20)", "scratch = bytearray(max(0, size - (250 << 20)))"),
    "never on large tensors": ("", "while size > 1 << 20: pass"),
    "zeros for large tensors": ("", "if size > 1 << 20: return tl.zeros(grad.shape)"),
}

#: What one process has no room for, and several have.
BETWEEN_PROCESSES = (
    "import os",
    "pipes = []\n"
    "    for _ in range(4 if size > 1 << 20 else 0):\n"
    "        there, here = os.pipe()\n"
    "        if not os.fork():\n"
    "            scratch = bytearray(min(size, 200 << 20))\n"
    "            os.write(here, b'1')\n"
    "            os._exit(0)\n"
    "        pipes.append(there)\n"
    "    for there in pipes: os.read(there, 1)",
)


@functools.cache
def tight():
    return boxes(PROVEN, quickest()[0], tight=True)


def graded(*cells, exercise_id="12.log_softmax_backward", seconds=60.0):
    level, open_box = quickest()
    limits = Limits(large_seconds=seconds)
    grader = Grader([exercise(exercise_id)], SECRET, open_box, level, limits, tight())
    (row,) = grader.rows(notebook_text(list(map(code_cell, cells))).encode(), "ada")
    return row


#: Nothing is counted in the box.
UNCOUNTED = """
import contextlib, sys, types
nothing = contextlib.nullcontext(types.SimpleNamespace(timeline=[], peak=0))
sys.modules["inside.calls"].count_bytes = lambda: nothing
"""

#: Known solutions that make the mistake which a topic is about.
WASTEFUL = {
    "04.contiguous": ("throws_a_copy_away",),
    "04.reshape": ("has_a_copy_ready", "copies_twice"),
    "05.cast": ("makes_a_copy_to_throw_away",),
    "06.expand": ("looks_at_a_copy", "adds_to_find_the_shape"),
    "06.squared_distances": ("all_at_once", "keeps_all_tables"),
    "08.matmul": ("all_products_at_once", "copies_what_is_stretched", "one_batch_by_reshape"),
    "08.attention_scores": ("copies_the_keys", "all_products_at_once"),
    "12.log_softmax_backward": ("makes_the_jacobian_of_each_row", "makes_all_jacobians"),
}


def test_every_topic_about_memory_has_its_proof():
    cases = {e.id: [case for topic in e.topics for case in topic.public] for e in exercises()}
    counted = {e.id for e in exercises() if e.lean or any(case.room is not None for case in cases[e.id])}
    proven = {e.id for e in PROVEN}
    assert counted <= proven
    assert {e.part for e in PROVEN} >= COUNTED


@pytest.mark.parametrize("way", WAYS)
def test_a_lie_costs_the_topic_and_no_other(way):
    before, take = WAYS[way]
    row = graded(LIAR.format(before=before, take=take), seconds=3.0)
    assert (row.points, row.status) == (6, "partial"), row.feedback
    assert "many classes, little memory 0/2" in row.topic
    assert "large" in row.feedback, "all other cases pass"


@pytest.mark.skipif(quickest()[0] != "strong", reason="only a closed box is one process")
def test_no_other_process_lends_its_room():
    before, take = BETWEEN_PROCESSES
    row = graded(LIAR.format(before=before, take=take))
    assert (row.points, row.topic.count(" 0/")) == (6, 1), row.feedback
    assert "large" in row.feedback


def test_threads_are_the_answers_own_affair():
    row = graded(
        """
import threading
def log_softmax_backward(grad, result, dim):
    found = []
    work = lambda: found.append(grad - result.exp() * grad.sum(dim, keepdim=True))
    other = threading.Thread(target=work)
    other.start()
    other.join()
    return found[0]
"""
    )
    assert row.status == "right", row.feedback


def lost(e, row):
    return [topic for topic in e.topics if f"{topic.title} 0/" in row.topic]


@pytest.mark.parametrize(("exercise_id", "name"), [(e, name) for e in WASTEFUL for name in WASTEFUL[e]])
def test_waste_that_is_not_counted_is_found(exercise_id, name):
    e = exercise(exercise_id)
    (solution,) = (solution for solution in e.wrong if solution.name == name)
    source = answer_source(e, solution.function)
    row = graded(UNCOUNTED, source, exercise_id=e.id)
    (topic,) = lost(e, row)
    assert topic.large
    assert row.points == e.points - topic.points, row.feedback
    assert "found no room" in row.feedback
    assert topic in lost(e, graded(source, exercise_id=e.id)), "nor does it get the topic where it is counted"


RIGHT = [
    (e, right) for e in PROVEN for right in e.right if right.name != "three_loops"
]  # that one takes 15 s


@pytest.mark.parametrize(("e", "right"), RIGHT, ids=[right.name for _, right in RIGHT])
def test_right_answers_have_room(e, right):
    row = graded(answer_source(e, right.function), exercise_id=e.id)
    assert (row.points, row.status) == (e.points, "right"), row.feedback


#: Takes all memory of its box but one megabyte: in ever smaller pieces, as large ones leave holes.
HOARD = """
hoard = []
for size in (1 << 20, 1 << 16, 1 << 12):
    try:
        while True: hoard.append(bytearray(size))
    except MemoryError:
        pass
left = 0
while left < 1 << 20: left += len(hoard.pop())
"""


@pytest.mark.parametrize("exercise_id", ["04.contiguous", "08.matmul"])
def test_a_machine_whose_python_leaves_no_room_takes_no_points(exercise_id):
    def small():
        box = tight()()
        box.ask({"op": "cell", "number": 0, "source": HOARD}, 60.0)
        return box

    e = exercise(exercise_id)
    level, open_box = quickest()
    grader = Grader([e], SECRET, open_box, level, open_tight=small)
    for solution in (e.right[0], e.right[-1]):
        source = answer_source(e, solution.function)
        (row,) = grader.rows(notebook_text([code_cell(source)]).encode(), "ada")
        assert (row.points, row.status) == (None, "machine"), row.feedback
        assert "a right answer has no room in 512 MB either" in row.feedback


def test_a_student_takes_no_room_from_the_right_answer():
    """Otherwise a liar would be graded again and again, and never lose."""
    row = graded(HOARD, LIAR.format(before="", take=USUAL))
    assert (row.points, row.status) == (6, "partial"), row.feedback


def test_a_mistake_in_a_large_case_costs_no_other_question():
    def broken(source):
        raise ZeroDivisionError

    e, other = exercise("12.log_softmax_backward"), exercise("01.numel")
    topics = tuple(replace(topic, large=topic.large and broken) for topic in e.topics)
    level, open_box = quickest()
    grader = Grader([replace(e, topics=topics), other], SECRET, open_box, level, open_tight=tight())
    cells = [code_cell(answer_source(each, each.right[0].function)) for each in (e, other)]
    rows = grader.rows(notebook_text(cells).encode(), "ada")
    assert [(row.points, row.status) for row in rows] == [(None, "machine"), (other.points, "right")]


def test_a_machine_that_starts_no_such_box_takes_no_points():
    def broken():
        raise BoxError("no room")

    e = exercise("12.log_softmax_backward")
    level, open_box = quickest()
    grader = Grader([e], SECRET, open_box, level, open_tight=broken)
    source = answer_source(e, e.right[0].function)
    (row,) = grader.rows(notebook_text([code_cell(source)]).encode(), "ada")
    assert (row.points, row.status) == (None, "machine")
