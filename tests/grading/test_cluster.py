"""A cluster of dask.distributed: rows of many computers, none lost and none twice, whoever is killed."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing

import pytest

from tensorlab.cli.support.errors import ENVIRONMENT, USAGE
from tensorlab.grading import cluster
from tensorlab.grading.boxes import BoxError
from tensorlab.grading.cluster import ClusterError, grade_on
from tensorlab.grading.grader import Grader
from tensorlab.grading.results import package_digest
from tensorlab.grading.suites import exercises

from .conftest import quickest
from .test_pool import EVERYTHING, IDS, Quick, counted, tasks

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kills processes as Linux has them")


@pytest.fixture(scope="module")
def workers():
    """A scheduler with two workers, which gives a notebook up when it has killed two."""
    dask = pytest.importorskip("dask", reason="dask.distributed is not installed: pip install distributed")
    distributed = pytest.importorskip("distributed")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as found,
    ):
        yield found


@pytest.fixture
def address(workers):
    return workers.scheduler_address


def test_every_row_comes_once(address):
    rows = list(grade_on(Quick, tasks(), address))
    assert counted(rows) == EVERYTHING
    assert {row.points for row in rows} == {exercise.points for exercise in exercises("01")}


def test_what_was_not_graded_is_taken_back(address):
    with closing(grade_on(Quick, tasks(count=40), address)) as rows:
        next(rows)
    assert counted(grade_on(Quick, tasks(), address)) == EVERYTHING


def test_a_killed_worker_costs_nothing(address, tmp_path):
    """A notebook kills the first worker that it meets."""
    mark = tmp_path / "mark"
    kill = f"""
import os, pathlib, signal
mark = pathlib.Path({str(mark)!r})
if question == "01.flat_index" and not mark.exists():
    mark.touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    rows = list(grade_on(Quick, tasks(kill.encode(), *[b"import time; time.sleep(0.005)"] * 7), address))
    assert counted(rows) == EVERYTHING
    assert {row.status for row in rows} == {"right"}
    assert mark.exists()


def test_a_notebook_that_always_kills_its_worker_costs_itself(address):
    kill = b"import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    rows = list(grade_on(Quick, tasks(kill), address))
    assert counted(rows) == {("student 0", question): 1 for question in IDS}
    assert {(row.status, row.points) for row in rows} == {("machine", None)}


def test_another_library_there_grades_nothing(address, monkeypatch):
    monkeypatch.setattr(cluster, "package_digest", lambda: "another")
    with pytest.raises(ClusterError, match="not the one that asks"):
        list(grade_on(Quick, tasks(), address))


def strong():
    return Grader(exercises("01"), level="strong")


def refused(open_box, part):
    raise BoxError("no namespaces")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda open_box, part: ["it read a file"], "code got out of a box on .*: it read a file"),
        (refused, "cannot close a process off: no namespaces"),
    ],
)
def test_a_worker_that_cannot_close_notebooks_off_grades_none(answer, says, monkeypatch):
    monkeypatch.setattr(cluster, "escapes", answer)
    with pytest.raises(ClusterError, match=says):
        cluster.grade(strong, tasks()[0], package_digest())


class TestTheCommand:
    @pytest.fixture
    def course(self, submit, tmp_path):
        folder = tmp_path / "course"
        folder.mkdir()
        for name in ("ada", "bob", "cyd", "dan"):
            submit(name=name).rename(folder / f"{name}.ipynb")
        return folder

    def test_killed_and_given_again(self, address, course, tmp_path):
        """The rows that were stored stay, and the same command grades the rest."""
        trust = [] if quickest()[0] == "strong" else ["--i-trust-this-code"]
        ledger = tmp_path / "ledger.sqlite"
        command = [sys.executable, "-m", "tensorlab", "grade", course, "--out", tmp_path / "out", *trust]
        command += ["--ledger", ledger, "--scheduler", address]

        def stored():
            if not ledger.exists():
                return []
            with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as database:
                try:
                    return database.execute("SELECT student, question FROM results ORDER BY rowid").fetchall()
                except sqlite3.OperationalError:  # there is no table yet
                    return []

        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            while not (before := stored()) and process.poll() is None:
                time.sleep(0.01)
            process.kill()
        assert before, process.stderr
        done = subprocess.run(command, capture_output=True, check=False, text=True)
        assert done.returncode == 0, done.stderr
        after = stored()
        assert after[: len(before)] == before
        assert Counter(after) == {(name, id_): 1 for name in ("ada", "bob", "cyd", "dan") for id_ in IDS}

    def test_nobody_there(self, tensorlab, course, tmp_path, monkeypatch):
        pytest.importorskip("distributed")
        monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.2)
        code, _, err = tensorlab("grade", course, "--out", tmp_path / "o", "--scheduler", "tcp://127.0.0.1:9")
        assert code == ENVIRONMENT
        assert "no scheduler answers at tcp://127.0.0.1:9" in err
        assert "the same command grades the rest" in err

    def test_without_dask(self, tensorlab, course, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "distributed", None)
        code, _, err = tensorlab("grade", course, "--out", tmp_path / "o", "--scheduler", "tcp://127.0.0.1:9")
        assert code == ENVIRONMENT
        assert "pip install 'tensorlab[cluster]'" in err

    def test_it_has_workers_of_its_own(self, tensorlab, course, tmp_path):
        more = "--scheduler", "tcp://127.0.0.1:9", "--jobs", "2"
        code, _, err = tensorlab("grade", course, "--out", tmp_path / "o", *more)
        assert code == USAGE
        assert "--jobs counts processes of this computer" in err
