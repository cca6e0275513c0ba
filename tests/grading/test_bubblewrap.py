"""Boxes that bubblewrap closes off: what code in them cannot do, and that all else is graded as ever."""

from __future__ import annotations

import json
import os
import platform
import shutil
import tempfile
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

import tensorlab
from tensorlab.cli.support.errors import ENVIRONMENT
from tensorlab.grading.boxes import BoxError, bubblewrap, canaries
from tensorlab.grading.boxes.bubblewrap import BubblewrapBoxes
from tensorlab.grading.boxes.guard import collect, descendants
from tensorlab.grading.boxes.process import ProcessBox
from tensorlab.grading.grader import Grader
from tensorlab.grading.suite import Secret
from tensorlab.grading.suites import exercises

from .conftest import LIMITS

ROOT = Path(__file__).parents[2]
PART = "tensorlab.core.layout:numel"


@pytest.fixture(scope="module", autouse=True)
def bubblewrap_works():
    if reason := bubblewrap.missing():
        pytest.skip(reason)
    try:
        BubblewrapBoxes([PART])().close()
    except BoxError as error:
        pytest.skip(f"this system does not let bubblewrap close off a process: {error}")


@pytest.fixture(scope="module")
def open_box():
    return BubblewrapBoxes([PART], memory_bytes=1 << 30)


@pytest.fixture
def box(open_box):
    with closing(open_box()) as box:
        yield box


@pytest.fixture(scope="module")
def grader():
    grader = Grader(exercises("01"), Secret(b"a secret for the tests"), level="strong", limits=LIMITS)
    grader.open_box().close()  # what boxes are forked from stays
    return grader


@pytest.fixture
def grade(grader):
    def grade(path):
        return {row.question: row for row in grader.rows(path.read_bytes(), path.stem)}

    return grade


def run(box, source):
    return box.ask({"op": "cell", "number": 1, "source": source, "listen": 400}, 20.0)


def test_nothing_gets_out():
    assert canaries.escapes(BubblewrapBoxes([PART]), PART) == []


def test_what_gets_out_of_a_plain_process_is_seen():
    found = canaries.escapes(partial(ProcessBox, [PART]), PART)
    for words in ("read", "wrote", "TCP", "UDP", "a socket", "stopped", "processes", "left a process behind"):
        assert any(words in each for each in found), words


def test_boxes_share_nothing(open_box):
    """Neither two at a time nor one after the other, though they are forked from one process."""
    with closing(open_box()) as one, closing(open_box()) as two:
        assert "raised" not in run(one, "import math, os\nmath.pi = 3\nopen('note', 'w').write('kept')")
        for box in (one, two):
            run(box, "import os")
        assert run(two, "import math\nprint(math.pi > 3, os.listdir())")["printed"].startswith("True")
        assert "note" in run(one, "print(os.listdir())")["printed"]
        assert "note" not in run(two, "print(os.listdir())")["printed"]
        users = {run(box, "print(os.getuid())")["printed"] for box in (one, two)}
        assert len(users) == 2 or os.geteuid() != 0
    with closing(open_box()) as box:
        assert "note" not in run(box, "import os\nprint(os.listdir())")["printed"]


def test_a_killed_zygote_is_replaced(open_box):
    open_box().close()
    first = open_box._zygote
    first._process.kill()
    first._process.wait()
    with closing(open_box()) as box:
        assert run(box, "print(6)")["printed"] == "6\n"
    assert open_box._zygote is not first


def test_the_library_computes_there(box):
    reply = run(box, "import tensorlab as tl\nprint((tl.ones(2, 3) @ tl.ones(3, 2)).sum().item())")
    assert reply["printed"] == "12.0\n"


@pytest.mark.parametrize("folder", ["grading/suites", "learn", "cli", "../solutions", "../exercises"])
def test_questions_hints_and_solutions_are_not_there(box, folder):
    """Either there is no such folder or an empty one."""
    source = (
        f"import glob, os, tensorlab\nprint(glob.glob(os.path.dirname(tensorlab.__file__) + '/{folder}/*'))"
    )
    assert run(box, source)["printed"] == "[]\n"


@pytest.mark.parametrize("place", ["/tmp", "/var/tmp", "/dev/shm", "/run", "/home"])
def test_the_library_may_lie_anywhere(place, monkeypatch):
    """Below a folder that a box has for itself, too."""
    if not os.access(place, os.W_OK):
        pytest.skip(f"{place} cannot be written here")
    with tempfile.TemporaryDirectory(dir=place) as folder:
        copy = shutil.copytree(Path(tensorlab.__file__).parent, Path(folder, "tensorlab"))
        monkeypatch.setattr(tensorlab, "__file__", str(copy / "__init__.py"))
        monkeypatch.setattr("tensorlab.grading.boxes.process._INSIDE", copy / "grading" / "inside")
        source = f"""
import os, tensorlab as tl
print(tl.__file__, tl.ones(2).sum().item(), os.listdir(os.path.dirname(tl.__file__) + "/grading"))
open({place + "/note"!r}, "w").write("kept")
"""
        with closing(BubblewrapBoxes([PART])()) as box:
            reply = run(box, source)
        assert reply["printed"] == f"{copy}/__init__.py 2.0 ['inside']\n"
        assert ("raised" in reply) == (place not in ("/tmp", "/dev/shm")), reply
        assert not Path(place, "note").exists()


def test_its_own_folder_can_be_written_up_to_a_size(box):
    assert "raised" not in run(box, "open('notes.txt', 'w').write('kept')")
    fill = """
for path in ("/box/a", "/tmp/a", "/dev/shm/a"):
    try:
        with open(path, "wb", buffering=0) as file:
            while file.write(bytes(1 << 24)):
                pass
    except OSError as error:
        print(error.errno)
"""
    assert set(run(box, fill)["printed"].split()) <= {"27", "28"}  # the file is too large, or no room is left


@pytest.mark.parametrize(
    "call",
    [
        "os.unshare(0x10000000)", "os.setuid(0)", "os.chroot('/box')", "os.mknod('/box/d', 0o20666, 259)",
        "socket.socket(socket.AF_INET, socket.SOCK_STREAM)", "socket.socket(socket.AF_INET6)",
        "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)", "socket.socket(38, socket.SOCK_SEQPACKET)",
        "socket.socket(socket.AF_VSOCK)", "os.kill(1, 9) or os.kill(1, 0) or os.listdir('/proc/1/fd')",
        "os.listdir('/etc/ssl')", "open('/etc/passwd')", "open('/etc/shadow')",
        "open('/proc/sys/kernel/core_pattern', 'w')", "open('/proc/sysrq-trigger', 'w')",
        "open('/dev/mem', 'rb')", "open('/usr/canary', 'w')", "os.remove(os.__file__)",
        "os.setpriority(os.PRIO_PROCESS, 0, -10)", "resource.setrlimit(resource.RLIMIT_NPROC, (9999, 9999))",
    ],
)  # fmt: skip
def test_what_is_refused(box, call):
    reply = run(box, f"import os, resource, socket\n{call}")
    assert reply["raised"]["kind"] in (
        "PermissionError", "FileNotFoundError", "OSError", "ValueError", "AttributeError",
    ), reply  # fmt: skip


@pytest.mark.skipif(platform.machine() != "x86_64", reason="calls have other numbers elsewhere")
@pytest.mark.parametrize(
    ("call", "number"),
    [
        ("ptrace", 101),
        ("bpf", 321),
        ("keyctl", 250),
        ("io_uring_setup", 425),
        ("userfaultfd", 323),
        ("mount", 165),
    ],
)
def test_system_calls_are_refused(box, call, number):
    """By the filter: whatever the arguments, the error is its own."""
    ask = f"ctypes.CDLL(None, use_errno=True).syscall({number}, -1, 0, 0, 0, 0)"
    assert run(box, f"import ctypes\nprint({ask}, ctypes.get_errno())")["printed"].split() == ["-1", "1"]


BAD_CELLS = {
    "forks without end": "import os\nwhile True: os.fork()",
    "forks out of its session": """
import os, signal, time
for _ in range(200):
    if os.fork() == 0:
        os.setsid()
        for number in range(1, 32):
            try: signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError): pass
        time.sleep(60)""",
    "takes memory in many processes": """
import os, time
for _ in range(6):
    if os.fork() == 0:
        block = bytearray(b"x") * (700 << 20)
        time.sleep(60)
time.sleep(60)""",
    "kills whom it can": "import os\nos.kill(-1, 9)",
    "kills its parent": "import os\nos.kill(os.getppid(), 9)",
    "fills what is in memory": "open('/dev/shm/a', 'wb').write(bytes(1 << 28))",
    "makes threads without end": """
import threading, time
while True: threading.Thread(target=time.sleep, args=(60,)).start()""",
    "closes all descriptors": "import os\nos.closerange(0, 4096)",
    "stops itself": "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
}


@pytest.mark.parametrize("cell", BAD_CELLS.values(), ids=BAD_CELLS)
def test_a_cell_that_does_its_worst_costs_nothing_and_leaves_nothing(cell, submit, grade):
    before = running()
    rows = grade(submit(cell))
    assert [rows[e.id].points for e in exercises("01")] == [e.points for e in exercises("01")]
    assert {row.level for row in rows.values()} == {"strong"}
    assert running() <= before


def running():
    """The processes below this one that have not ended, whether or not somebody has collected them."""
    return {pid for pid in descendants(os.getpid()) if not collect(pid)}


def refused(open_box, part):
    raise BoxError("no namespaces")


class TestTheCommand:
    def test_a_later_chapter_is_graded_too(self, tensorlab, tmp_path):
        """Its boxes know none of the parts that the first chapter's do."""
        folder = tmp_path / "course"
        folder.mkdir()
        shutil.copy(ROOT / "solutions" / "09_graph_and_engine.ipynb", folder / "ada.ipynb")
        code, _, err = tensorlab("grade", folder, "--out", tmp_path / "out")
        assert code == 0, err
        rows = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))["rows"]
        assert [row["points"] for row in rows] == [e.points for e in exercises("09")]

    def test_it_is_the_default_and_stands_in_every_row(self, tensorlab, submit, tmp_path):
        folder = tmp_path / "course"
        folder.mkdir()
        submit().rename(folder / "ada.ipynb")
        code, _, err = tensorlab("grade", folder, "--out", tmp_path / "out")
        assert code == 0, err
        rows = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))["rows"]
        assert {row["level"] for row in rows} == {"strong"}
        assert sum(row["points"] for row in rows) == sum(e.points for e in exercises("01"))

    @pytest.mark.parametrize(
        ("target", "name", "answer", "says"),
        [
            ("tensorlab.grading.boxes.bubblewrap", "missing", lambda: "there is none", "off: there is none"),
            ("tensorlab.cli.grade", "escapes", lambda open_box, part: ["it read a file"], "got out of a box"),
            ("tensorlab.cli.grade", "escapes", refused, "a process cannot be closed off here: no namespaces"),
        ],
    )
    def test_where_it_cannot_be_had_nothing_runs(
        self, target, name, answer, says, tensorlab, submit, tmp_path, monkeypatch
    ):
        folder = tmp_path / "course"
        folder.mkdir()
        submit(f"open({str(tmp_path / 'ran')!r}, 'w')").rename(folder / "ada.ipynb")
        monkeypatch.setattr(f"{target}.{name}", answer)
        code, _, err = tensorlab("grade", folder, "--out", tmp_path / "out")
        assert code == ENVIRONMENT
        assert says in err
        assert "--i-trust-this-code" in err
        assert not (tmp_path / "ran").exists()


def test_no_process_of_a_closed_box_is_left(box):
    started = (
        "import subprocess\nfor _ in range(5): subprocess.Popen(['sleep', '60'], start_new_session=True)"
    )
    before = running() - set(descendants(box._process.pid))
    assert "raised" not in run(box, started)
    inside = running() - before
    assert len(inside) > 5
    box.close()
    assert not running() & inside
