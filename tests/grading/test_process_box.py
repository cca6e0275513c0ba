"""The box that is a process: what it keeps from a student's code, and how fast it ends."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from unittest.mock import ANY

import pytest

from tensorlab.grading.boxes import Box, BoxDied, BoxError, BoxTimeout
from tensorlab.grading.boxes.meter import LONGEST
from tensorlab.grading.boxes.process import ProcessBox

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all time that passes is charged")
posix_only = pytest.mark.skipif(os.name != "posix", reason="uses what Windows does not have")


@pytest.fixture
def box():
    with closing(ProcessBox(["tensorlab.core.layout:numel"])) as box:
        yield box


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A box for what harms none, started where there is a secret in the environment and one in the folder."""
    folder = tmp_path_factory.mktemp("grading")
    (folder / "answers.py").write_text("SECRET = 'hunter2'\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECRET_TOKEN", "hunter2")
        patch.chdir(folder)
        with closing(ProcessBox(["tensorlab.core.layout:numel"])) as box:
            yield box


def run(box, source, seconds=60.0):
    return box.ask({"op": "cell", "number": 1, "source": source}, seconds)


def value(box, expression):
    """A short text that was computed in the box."""
    run(box, f"def tell(): return str({expression})")
    reply = box.ask(
        {"op": "call", "name": "tell", "part": "tensorlab.core.layout:numel", "args": {"tuple": []}}, 60.0
    )
    return reply["returned"]["str"]


def test_it_is_a_box(shared):
    typed: Box = shared
    assert typed.level == "none"


def test_the_environment_is_clean(shared):
    assert "HOME" in value(shared, "list(__import__('os').environ)")
    assert "hunter2" not in value(shared, "dict(__import__('os').environ)")


def test_the_folder_is_its_own_and_home_and_empty(shared):
    folder = value(shared, "__import__('os').getcwd()")
    assert os.path.realpath(value(shared, "__import__('os').path.expanduser('~')")) == os.path.realpath(
        folder
    )
    assert value(shared, "__import__('os').listdir()") == "[]"
    assert "tensorlab-box-" in folder


def test_neither_grader_nor_current_folder_can_be_imported_by_accident(shared):
    """Not by the names under which the runner itself is found, and nothing from where grading began."""
    for module in ("suites", "boxes", "judge", "answers", "tensorlab.grading.suites"):
        assert run(shared, f"import {module}")["raised"]["kind"] in ("ModuleNotFoundError", "ImportError")


def test_the_library_can_be_imported(shared):
    assert "raised" not in run(shared, "import tensorlab as tl, numpy\nassert tl.zeros(2).numel() == 2")


def test_cells_are_compiled_as_plain_python(shared):
    """The runner's own __future__ imports must not reach the student: annotations are values, not text."""
    assert "raised" not in run(shared, "def f(x: 1 + 1): pass\nassert f.__annotations__ == {'x': 2}")


@pytest.mark.skipif(
    sys.platform != "linux", reason="macOS and Windows cannot limit a process's memory this way"
)
def test_limits_hold_and_are_reported(shared):
    assert shared.limits == ["memory", "cpu", "file size", "open files", "core dumps"]
    assert run(shared, "x = bytearray(8 << 30)")["raised"]["kind"] == "MemoryError"


@pytest.mark.parametrize("endless", ["while True: pass", "import time; time.sleep(600)"])
def test_what_does_not_end_is_ended_whether_it_works_or_waits(endless, box):
    before, began = box.charged, time.monotonic()
    with pytest.raises(BoxTimeout):
        run(box, endless, seconds=0.5)
    charged, passed = box.charged - before, time.monotonic() - began
    assert 0.5 <= charged < 0.5 + 2 * LONGEST
    assert charged <= passed
    box.close()


@posix_only
@pytest.mark.parametrize(
    "children",
    [
        "while True: pass",
        "import time; time.sleep(600)",
        "import time; time.sleep(0.01); os._exit(0)",
        "os.setsid(); import signal; signal.alarm(5)\n        while True: pass",
    ],
    ids=["work", "sleep", "end", "leave the session"],
)
def test_whoever_forks_is_ended_as_well(children, box):
    source = f"""
import os, time
for _ in range(4):
    if os.fork() == 0:
        {children}
while True: time.sleep(1)
"""
    with pytest.raises(BoxTimeout):
        run(box, source, seconds=0.5)
    box.close()


@linux_only
def test_a_process_that_the_machine_stops_has_its_time_when_it_goes_on(box):
    """It stands still for longer than its limit, as on a machine that gives it no core."""
    pid, limit = box._process.pid, 1.5
    stopped = []

    def go_on() -> None:
        while Path(f"/proc/{pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()[0] != "T":
            time.sleep(0.01)
        began = time.monotonic()
        time.sleep(limit + 0.5)
        stopped.append(time.monotonic() - began)
        os.kill(pid, signal.SIGCONT)

    run(box, "import os, signal, time")
    going_on = threading.Thread(target=go_on)
    going_on.start()
    before = box.charged
    assert run(box, "os.kill(os.getpid(), signal.SIGSTOP)", seconds=limit) == {"id": ANY, "defines": []}
    assert box.charged - before < limit
    assert stopped[0] > limit
    going_on.join()


def test_a_process_that_ends_is_not_waited_for(box):
    with pytest.raises(BoxDied):
        run(box, "import os; os._exit(0)")


def test_a_flood_of_output_is_not_kept(box):
    run(box, "for _ in range(100): print('x' * 1_000_000)", seconds=30)
    assert len(box._output) <= 65_536


def test_closing_twice_is_fine(box):
    box.close()
    box.close()


def test_a_closed_box_says_so_as_often_as_it_is_asked(box):
    box.close()
    for _ in range(3):
        with pytest.raises(BoxDied, match="closed"):
            run(box, "x = 1", seconds=30)


def test_a_python_that_does_not_start_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "missing"))
    with pytest.raises(BoxError, match="could not be started"):
        ProcessBox([])


def test_a_part_that_does_not_exist_is_the_machines_trouble():
    with pytest.raises(BoxError, match="did not come up"):
        ProcessBox(["tensorlab.core.layout:no_such_function"])


def test_the_parts_work_again_after_a_call(shared):
    run(shared, "import tensorlab as tl\ndef answer(shape): return tl.layout.numel(shape)")
    ask = {
        "op": "call",
        "name": "answer",
        "part": "tensorlab.core.layout:numel",
        "args": {"tuple": [{"tuple": []}]},
    }
    assert shared.ask(ask, 5.0)["raised"]["kind"] == "RuntimeError"
    assert "raised" not in run(shared, "assert tl.layout.numel((2, 3)) == 6")
