"""The box that is a process: what it keeps from a student's code, and how fast it ends."""

from __future__ import annotations

import os
import sys

import pytest

from tensorlab.grading.boxes import Box, BoxDied, BoxError, BoxTimeout
from tensorlab.grading.boxes.process import ProcessBox


@pytest.fixture
def box():
    box = ProcessBox(["tensorlab.layout:numel"])
    yield box
    box.close()


def run(box, source, seconds=60.0):
    return box.ask({"op": "cell", "number": 1, "source": source}, seconds)


def value(box, expression):
    """A short text that was computed in the box."""
    run(box, f"def tell(): return str({expression})")
    reply = box.ask(
        {"op": "call", "name": "tell", "part": "tensorlab.layout:numel", "args": {"tuple": []}}, 60.0
    )
    return reply["returned"]["str"]


def test_it_is_a_box(box):
    typed: Box = box
    assert typed.level == "none"


@pytest.fixture
def secret_in_the_environment(monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")


def test_the_environment_is_clean(secret_in_the_environment, box):
    assert "HOME" in value(box, "list(__import__('os').environ)")
    assert "hunter2" not in value(box, "dict(__import__('os').environ)")


def test_the_folder_is_its_own_and_home_and_empty(box):
    folder = value(box, "__import__('os').getcwd()")
    assert os.path.realpath(value(box, "__import__('os').path.expanduser('~')")) == os.path.realpath(folder)
    assert value(box, "__import__('os').listdir()") == "[]"
    assert "tensorlab-box-" in folder


def test_neither_grader_nor_current_folder_can_be_imported_by_accident(box):
    """Not by the names under which the runner itself is found, and nothing from where grading began."""
    for module in ("suites", "boxes", "judge", "conftest", "tensorlab.grading.suites"):
        assert run(box, f"import {module}")["raised"]["kind"] in ("ModuleNotFoundError", "ImportError")


def test_the_library_can_be_imported(box):
    assert "raised" not in run(box, "import tensorlab as tl, numpy\nassert tl.zeros(2).numel() == 2")


def test_cells_are_compiled_as_plain_python(box):
    """The runner's own __future__ imports must not reach the student: annotations are values, not text."""
    assert "raised" not in run(box, "def f(x: 1 + 1): pass\nassert f.__annotations__ == {'x': 2}")


@pytest.mark.skipif(
    sys.platform != "linux", reason="macOS and Windows cannot limit a process's memory this way"
)
def test_limits_hold_and_are_reported(box):
    assert box.limits == ["memory", "cpu", "file size", "open files", "core dumps"]
    assert run(box, "x = bytearray(8 << 30)")["raised"]["kind"] == "MemoryError"


def test_a_call_that_is_too_slow_is_ended(box):
    with pytest.raises(BoxTimeout):
        run(box, "while True: pass", seconds=0.5)
    box.close()


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
        ProcessBox(["tensorlab.layout:no_such_function"])


def test_the_parts_work_again_after_a_call(box):
    run(box, "import tensorlab as tl\ndef answer(shape): return tl.layout.numel(shape)")
    ask = {
        "op": "call",
        "name": "answer",
        "part": "tensorlab.layout:numel",
        "args": {"tuple": [{"tuple": []}]},
    }
    assert box.ask(ask, 5.0)["raised"]["kind"] == "RuntimeError"
    assert "raised" not in run(box, "assert tl.layout.numel((2, 3)) == 6")
