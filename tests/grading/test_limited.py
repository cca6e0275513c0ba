"""Boxes of the level `limited`: what code in them cannot do, and where they cannot be had."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tensorlab.cli.support.errors import ENVIRONMENT
from tensorlab.grading.boxes import limited
from tensorlab.grading.boxes.canaries import escapes
from tensorlab.grading.boxes.guard import collect, descendants
from tensorlab.grading.boxes.limited import LimitedBox
from tensorlab.grading.grader import Grader
from tensorlab.grading.suite import Secret
from tensorlab.grading.suites import exercises

from .conftest import LIMITS

#: A user of no account.
USER = 1_999_999_999

PART = "tensorlab.core.layout:numel"

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="Landlock is Linux's")


@pytest.fixture(scope="module")
def possible():
    if reason := limited.missing():
        pytest.skip(reason)


@pytest.fixture(scope="module")
def box(possible):
    with closing(LimitedBox([PART], memory_bytes=1 << 30)) as box:
        yield box


@pytest.mark.usefixtures("possible")
class TestWhereTheyCanBeHad:
    def test_nothing_gets_out(self):
        assert escapes(partial(LimitedBox, [PART]), PART) == []

    def test_the_library_and_python_work(self, box):
        source = "import fractions, tensorlab as tl\nprint((tl.ones(2, 3) @ tl.ones(3, 2)).sum().item())"
        assert run(box, source)["printed"] == "12.0\n"

    @pytest.mark.parametrize(
        "call",
        [
            "open(tensorlab.__file__.replace('__init__.py', 'grading/suites/ch01.py'))",
            "os.listdir(tensorlab.__file__.replace('__init__.py', 'learn'))", "os.listdir('/')",
            "open('/etc/passwd')", "open('/proc/self/environ')", "open('/tmp/canary', 'w')",
            "open(os.__file__, 'a')", "os.kill(os.getppid(), 0)", "socket.socket(socket.AF_INET)",
            "socket.socket(socket.AF_UNIX)", "os.symlink('/etc/passwd', 'a') or open('a')",
            "os.link(os.__file__, 'b')", "resource.setrlimit(resource.RLIMIT_NPROC, (-1, -1))",
        ],
    )  # fmt: skip
    def test_what_is_refused(self, box, call):
        reply = run(box, f"import os, resource, socket, tensorlab\n{call}")
        assert reply["raised"]["kind"] in ("PermissionError", "OSError", "ValueError"), reply

    def test_processes_that_leave_their_group_end_with_it(self):
        start = (
            "import subprocess\nfor _ in range(5): subprocess.Popen(['sleep', '60'], start_new_session=True)"
        )
        with closing(LimitedBox([PART])) as box:
            assert "raised" not in run(box, start)
            inside = set(descendants(box._process.pid))
            assert len(inside) == 5
        assert not [pid for pid in inside if not collect(pid)]

    def test_memory_of_many_processes_is_measured(self, submit):
        cell = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        block = bytearray(b"x") * (700 << 20)
        time.sleep(60)
time.sleep(60)"""
        secret = Secret(b"a secret for the tests")
        grader = Grader(exercises("01"), secret, level="limited", limits=LIMITS)
        rows = list(grader.rows(submit(cell).read_bytes(), "ada"))
        assert [row.points for row in rows] == [exercise.points for exercise in exercises("01")]
        assert {row.level for row in rows} == {"limited"}


def run(box, source):
    return box.ask({"op": "cell", "number": 1, "source": source, "listen": 400}, 20.0)


@linux_only
def test_as_somebody_who_is_not_root(monkeypatch, tmp_path):
    """The tests above, run by a process that has stopped being root: whoever is root skips them."""
    if os.geteuid() != 0:
        pytest.skip("the tests above have run")
    with monkeypatch.context() as context:
        context.setattr(os, "geteuid", lambda: USER)
        if reason := limited.missing():
            pytest.skip(reason)
    os.chown(tmp_path, USER, USER)
    # Python and this project may lie in folders that only root may enter.
    enters = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"]
    stops_being_root = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *enters]
    tests = [
        sys.executable,
        "-m",
        "pytest",
        "-n0",
        "-q",
        "-p",
        "no:cacheprovider",
        "--basetemp",
        tmp_path / "t",
    ]
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [*stops_being_root, *tests, f"{__file__}::{TestWhereTheyCanBeHad.__name__}"],
        cwd=Path(__file__).parents[2],
        env=own | {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert re.search(r"^\d+ passed", done.stdout, re.MULTILINE), done.stdout
    assert "skipped" not in done.stdout


@linux_only
class TestWhereTheyCannot:
    def test_root(self, monkeypatch):
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        assert "root cannot be limited" in limited.missing()

    def test_an_older_kernel(self, monkeypatch, tensorlab, submit, tmp_path):
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
        monkeypatch.setattr(limited, "landlock_version", lambda: 4)
        folder = tmp_path / "course"
        folder.mkdir()
        submit(f"open({str(tmp_path / 'ran')!r}, 'w')").rename(folder / "ada.ipynb")
        code, _, err = tensorlab("grade", folder, "--limited", "--out", tmp_path / "out")
        assert code == ENVIRONMENT
        assert "version 4 of Landlock, and 6 is needed" in err
        assert "install bubblewrap" in err
        assert not (tmp_path / "ran").exists()
