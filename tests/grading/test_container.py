"""Boxes that are containers, of a stand-in for the engine: it notes what it is asked for, with no walls."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy
import pytest

import tensorlab as library
from tensorlab.cli.support.errors import ENVIRONMENT, USAGE
from tensorlab.grading.boxes import BoxError, container
from tensorlab.grading.boxes.canaries import escapes
from tensorlab.grading.boxes.container import ContainerBox
from tensorlab.grading.boxes.guard import collect
from tensorlab.grading.inside import values

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-in begins with #!")

PART = "tensorlab.core.layout:numel"

#: Runs the command here, as if the image had this Python and this library.
STAND_IN = """#!{python}
import json, os, signal, sys
log = {log!r}
verb, *words = sys.argv[1:]
with open(log, "a") as file:
    print(json.dumps(sys.argv[1:]), file=file)
if verb == "rm":
    os.kill(int(open(log + words[-1]).read()), signal.SIGKILL)
elif "no-such-image" in words:
    sys.exit("Error: no-such-image: image not known")
else:
    open("oom", "w").close()
    open(log + words[words.index("--name") + 1], "w").write(str(os.getpid()))
    command = words[words.index("the-image") + 1 :]
    command = [word.replace("/library", {library!r}) for word in command]
    told = [word.split("=", 1) for flag, word in zip(words, words[1:]) if flag == "--env"]
    os.execve({python!r}, ["python", *command[1:], {numpy!r}], dict(told) | {{"NUMBA_CACHE_DIR": {folder!r}}})
"""


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """What the engine was asked for, call by call."""
    log, places = tmp_path / "log", [str(Path(p.__file__).resolve().parents[1]) for p in (library, numpy)]
    stand_in = tmp_path / "bin" / "docker"
    stand_in.parent.mkdir()
    stand_in.write_text(
        STAND_IN.format(
            python=sys.executable, log=str(log), library=places[0], numpy=places[1], folder=str(tmp_path)
        )
    )
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", str(stand_in.parent))
    return lambda: [json.loads(line) for line in log.read_text().splitlines()]


def test_a_box_answers_and_goes(calls, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with closing(ContainerBox("the-image", [PART], memory_bytes=1 << 30)) as box:
        box.ask({"op": "cell", "number": 1, "source": "def numel(shape): return 7"}, 20.0)
        request = {"op": "call", "name": "numel", "part": PART, "args": values.encode(((2, 3),))}
        assert values.decode(box.ask(request, 20.0)["returned"]) == 7
        assert box.level == "strong"
        pid = box._process.pid
    assert collect(pid)
    assert not list(Path().iterdir()), "what the engine leaves where it was started goes with the box"
    run, removed = calls()
    assert removed == ["rm", "--force", run[run.index("--name") + 1]]


def test_the_engine_is_asked_for_every_wall(calls):
    ContainerBox("the-image", [PART], memory_bytes=1 << 30).close()
    words = calls()[0]
    before = words[: words.index("the-image")]
    pairs = list(itertools.pairwise(before))
    assert {"--rm", "--interactive", "--read-only"} <= set(before)
    for pair in (
        ("--network", "none"),
        ("--cap-drop", "all"),
        ("--user", "65534:65534"),
        ("--security-opt", "no-new-privileges"),
        ("--pids-limit", "64"),
        ("--memory", str(1 << 30)),
        ("--memory-swap", str(1 << 30)),
        ("--pull", "never"),
        ("--ipc", "private"),
    ):
        assert pair in pairs
    assert not {"--volume", "-v", "--mount", "--privileged"} & set(before), (
        "nothing of this computer is there"
    )
    assert {"PATH", "LD_LIBRARY_PATH"}.isdisjoint(word.partition("=")[0] for word in before)


def test_what_the_engine_says_is_told(calls):
    with pytest.raises(BoxError, match="image not known"):
        ContainerBox("no-such-image", [PART])


@pytest.fixture
def real_image():
    """The image that the page for instructors builds, where somebody has built it."""
    name, engine = "tensorlab-box", container.engine()
    if not engine or subprocess.run([engine, "image", "inspect", name], capture_output=True).returncode:
        pytest.skip("there is no engine, or no image")
    return name


def test_nothing_gets_out_of_a_real_container(real_image):
    assert escapes(lambda: ContainerBox(real_image, [PART]), PART) == []


class TestTheCommand:
    @pytest.fixture
    def grade(self, tensorlab, submit, tmp_path):
        folder = tmp_path / "course"
        folder.mkdir()
        submit().rename(folder / "ada.ipynb")
        return lambda *more: tensorlab("grade", folder, "--out", tmp_path / "out", "--container", *more)

    def test_an_engine_that_isolates_nothing_grades_nothing(self, calls, grade, monkeypatch):
        monkeypatch.setattr(
            "tensorlab.cli.grade.escapes", lambda open_box, part: open_box().close() or ["it"]
        )
        code, _, err = grade("the-image")
        assert code == ENVIRONMENT
        assert "code got out of a box, so nothing was graded: it" in err
        assert [words[0] for words in calls()] == ["run", "rm"]

    def test_without_an_engine(self, grade, tmp_path, monkeypatch):
        monkeypatch.setenv("PATH", str(tmp_path))
        assert container.engine() is None
        code, _, err = grade("the-image")
        assert code == ENVIRONMENT
        assert "neither podman nor docker is installed" in err

    def test_it_is_the_only_wall(self, grade):
        code, _, err = grade("the-image", "--i-trust-this-code")
        assert code == USAGE
        assert "--container closes notebooks off" in err


def test_the_image_holds_nothing_that_students_should_not_see():
    file = Path(__file__).parents[2] / "book" / "container" / "Containerfile"
    text = file.read_text("utf-8")
    assert "rm -rf grading learn cli" in text
    assert f"--target {container.LIBRARY} " in text
