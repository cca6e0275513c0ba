"""The ledger: whatever stops a run, the same command ends it, with each row once."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tensorlab.cli import app, grade
from tensorlab.cli.support.errors import ENVIRONMENT, FAILED, INTERRUPTED, USAGE
from tensorlab.cli.support.ledgers import ledger_of
from tensorlab.grading.boxes.guard import descendants
from tensorlab.grading.grader import Grader, without_run
from tensorlab.grading.ledger import Ledger, LedgerBusy, LedgerError
from tensorlab.grading.submissions import Copy
from tensorlab.grading.suites import exercises

QUESTIONS = [exercise.id for exercise in exercises("01")]
STUDENTS = ["ada", "bob", "cyd"]


@pytest.fixture
def course(tmp_path, submit):
    """A folder of three students, and a function that grades it. Returns exit code and standard error."""
    folder = tmp_path / "handed in"
    folder.mkdir()
    for name in STUDENTS:
        submit(name=name).rename(folder / f"{name}.ipynb")
    return folder


@pytest.fixture
def arguments(course, tmp_path):
    return ["grade", "--i-trust-this-code", str(course), "--out", str(tmp_path / "out")]


@pytest.fixture
def run(arguments):
    """Grades the course. Returns exit code and standard error."""

    def run(*more):
        done = CliRunner().invoke(app, [*arguments, *map(str, more)], env={"COLUMNS": "10000"})
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.exit_code, done.stderr

    return run


@pytest.fixture
def results(tmp_path):
    """The rows of the results by student and question; each is there once."""

    def results():
        rows = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))["rows"]
        found = {(row["student"], row["question"]): row for row in rows}
        assert len(found) == len(rows)
        return found

    return results


@pytest.fixture
def asked(monkeypatch):
    """Grades here and without boxes: every row is right. Lists the questions that were asked, in order."""
    asked = []

    def rows(self, raw, student, exercises):
        for exercise in exercises:
            asked.append((student, exercise.id))
            yield without_run(exercise, student, "none", "right", exercise.points, "", sha256_of(raw))

    def sha256_of(raw):
        return next(c.sha256 for c in taken if c.content == raw)

    taken = []
    take = grade.take
    monkeypatch.setattr(grade, "take", lambda submission: taken.append(take(submission)) or taken[-1])
    monkeypatch.setattr(Grader, "rows", rows)

    def here(make, tasks, jobs):
        for task in tasks:
            exercises = [exercise for exercise in make().exercises if exercise.id in task.questions]
            yield from make().rows(task.content, task.student, exercises)

    monkeypatch.setattr(grade, "grade_all", here)
    return asked


EVERYTHING = [(student, question) for student in STUDENTS for question in QUESTIONS]


class TestResuming:
    def test_what_is_in_the_ledger_is_not_asked_again(self, run, asked, results, tmp_path):
        assert run()[0] == 0
        first = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
        assert asked == EVERYTHING
        assert run()[0] == 0
        assert asked == EVERYTHING
        assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == first

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
    def test_signals(self, number, run, asked, results, monkeypatch):
        if os.name != "posix" and number == signal.SIGTERM:
            pytest.skip("Windows ends a process that is sent SIGTERM")
        with monkeypatch.context() as context:
            store = Ledger.store

            def stored(self, run, row):
                if len(asked) == 8:
                    signal.raise_signal(number)
                store(self, run, row)

            context.setattr(Ledger, "store", stored)
            code, err = run()
        assert code == INTERRUPTED
        assert f"stopped after 7 of {len(EVERYTHING)} questions" in err
        assert "the same command grades the rest" in err
        del asked[:]
        assert run()[0] == 0
        assert asked == EVERYTHING[7:]
        assert list(results()) == EVERYTHING

    def test_a_full_disk(self, run, asked, results, course, monkeypatch):
        with monkeypatch.context() as context:
            store = Ledger.store

            def stored(self, number, row):
                if len(asked) == 4:  # SQLite's own way to run out of room
                    pages = self._database.execute("PRAGMA page_count").fetchone()[0]
                    self._database.execute(f"PRAGMA max_page_count = {pages}")
                    row = replace(row, feedback="x" * 1_000_000)
                store(self, number, row)

            context.setattr(Ledger, "store", stored)
            code, err = run()
        assert code == ENVIRONMENT
        assert "stopped after 3 of" in err
        assert "full" in err
        del asked[:]
        assert run()[0] == 0
        assert asked == EVERYTHING[3:]
        assert list(results()) == EVERYTHING

    def test_what_the_machine_failed_is_graded_again(self, run, asked, results, monkeypatch):
        with monkeypatch.context() as context:

            def rows(self, raw, student, exercises):
                for exercise in exercises:
                    yield without_run(exercise, student, "none", "machine", None, "no box")

            context.setattr(Grader, "rows", rows)
            assert run()[0] == FAILED
        assert run()[0] == 0
        assert asked == EVERYTHING

    def test_a_changed_file_and_a_late_one_are_all_that_is_graded(self, run, asked, results, course, submit):
        run()
        del asked[:]
        submit(name="bob", numel="def numel(shape): return 7").replace(course / "bob.ipynb")
        submit(name="dan").rename(course / "dan.ipynb")
        code, err = run()
        assert code == 0
        assert "changed since it was last graded: bob." in err
        assert {student for student, _ in asked} == {"bob", "dan"}
        assert len(results()) == 4 * len(QUESTIONS)
        assert results()["bob", "01.numel"]["run"] == 2
        assert results()["ada", "01.numel"]["run"] == 1

    def test_who_is_gone_from_the_folder_is_gone_from_the_results(self, run, asked, results, course):
        run()
        (course / "bob.ipynb").unlink()
        assert run()[0] == 0
        assert {student for student, _ in results()} == {"ada", "cyd"}

    def test_new_questions_are_asked_of_everybody(self, run, asked, monkeypatch):
        run()
        monkeypatch.setattr(grade, "suite_digest", lambda chapter: "another")
        run()
        assert asked == 2 * EVERYTHING

    @pytest.mark.parametrize(
        ("pattern", "again"),
        [
            ("bob", [("bob", question) for question in QUESTIONS]),
            ("bob/01.numel", [("bob", "01.numel")]),
            ("bob/numel", [("bob", "01.numel")]),
            ("*/01.nbytes", [(student, "01.nbytes") for student in STUDENTS]),
        ],
    )
    def test_only(self, pattern, again, run, asked, results):
        run()
        del asked[:]
        assert run("--only", pattern)[0] == 0
        assert asked == again
        assert list(results()) == EVERYTHING
        assert {pair for pair, row in results().items() if row["run"] == 2} == set(again)

    def test_only_what_there_is(self, run, asked):
        code, err = run("--only", "eve/01.numel")
        assert code == USAGE
        assert "--only eve/01.numel names nothing" in err
        assert asked == []

    def test_a_file_that_cannot_be_read_is_told_once(self, run, asked, results, course):
        (course / "eve").mkdir()
        run()
        run()
        assert {row["run"] for row in results().values()} == {1}
        assert results()["eve", "01.numel"]["status"] == "unreadable"


class TestRoster:
    @pytest.fixture
    def roster(self, tmp_path):
        path = tmp_path / "roster.csv"
        path.write_text("student,name\nada,Ada\nzoe,Zoë\ncyd,Cyd\n", "utf-8")
        return path

    def test_who_handed_in_nothing_has_rows_that_say_so(self, run, asked, results, roster):
        code, err = run("--roster", roster)
        assert code == 0
        assert "not in the roster: bob." in err
        assert asked == EVERYTHING
        rows = results()
        assert list(rows) == [*EVERYTHING, *(("zoe", question) for question in QUESTIONS)]
        told = {(row["points"], row["status"], row["feedback"]) for row in list(rows.values())[-5:]}
        assert told == {(None, "absent", "Nothing was handed in.")}

    def test_a_file_that_comes_late_is_graded(self, run, asked, results, course, submit, roster):
        run("--roster", roster)
        del asked[:]
        submit(name="zoe").rename(course / "zoe.ipynb")
        code, err = run("--roster", roster)
        assert (code, "has changed" in err) == (0, False)
        assert asked == [("zoe", question) for question in QUESTIONS]
        assert {row["status"] for row in results().values()} == {"right"}

    def test_absent_from_one_folder_is_not_absent_from_the_course(self, tmp_path):
        with closing(Ledger(tmp_path / "course.sqlite")) as book:
            book.hand_in("01", "in time", [Copy("ada", b"a", "1"), Copy("zoe", None, "")])
            book.hand_in("01", "late", [Copy("bob", b"b", "2"), Copy("ada", None, ""), Copy("zoe", None, "")])
            assert [(entry.student, entry.sha256) for entry in book.entries("01")] == [
                ("ada", "1"),
                ("bob", "2"),
                ("zoe", ""),
            ]

    def test_an_empty_folder_is_not_absence(self, run, asked, results, course, roster):
        (course / "zoe").mkdir()
        run("--roster", roster)
        assert {row["status"] for (who, _), row in results().items() if who == "zoe"} == {"unreadable"}

    @pytest.mark.parametrize(
        ("text", "says"), [("name\nAda\n", "needs a column 'student'"), (None, "cannot be read")]
    )
    def test_a_roster_that_is_none_stops_before_any_work(self, text, says, run, asked, tmp_path):
        path = tmp_path / "roster.csv"
        if text is not None:
            path.write_text(text, "utf-8")
        code, err = run("--roster", path)
        assert (code, says in err, asked) == (USAGE, True, [])


class TestReports:
    def test_at_any_time(self, run, course, asked, tmp_path, monkeypatch):
        """In the middle of a run, from another process's view."""
        found = {}
        store = Ledger.store

        def stored(self, number, row):
            if len(asked) == 8:
                found.update(report())
            store(self, number, row)

        def report():
            out = tmp_path / "totals.json"
            arguments = ["report", str(course), "--format", "json", "--out", str(out), "--replace"]
            assert CliRunner().invoke(app, arguments).exit_code == 0
            rows = json.loads(out.read_text("utf-8"))["rows"]
            return {(row["student"], row["question"]): row["status"] for row in rows}

        monkeypatch.setattr(Ledger, "store", stored)
        run()
        assert list(found) == EVERYTHING
        assert list(found.values()) == ["right"] * 7 + ["pending"] * (len(EVERYTHING) - 7)
        assert set(report().values()) == {"right"}

    def test_a_folder_without_a_ledger(self, course, tmp_path):
        arguments = ["report", str(course), "--format", "rows", "--out", str(tmp_path / "o")]
        done = CliRunner().invoke(app, arguments, env={"COLUMNS": "10000"})
        assert done.exit_code == USAGE
        assert "has no results.json and no ledger" in done.stderr
        assert not ledger_of(course).exists()


class TestTheFile:
    def test_it_lies_outside_the_results_and_is_private(self, run, asked, course, tmp_path):
        run()
        path = ledger_of(course)
        assert path.is_file()
        assert tmp_path not in path.parents
        if os.name == "posix":
            assert path.stat().st_mode & 0o077 == 0

    def test_another_place(self, run, asked, course, tmp_path):
        assert run("--ledger", tmp_path / "deep" / "mine.sqlite")[0] == 0
        assert (tmp_path / "deep" / "mine.sqlite").is_file()
        assert not ledger_of(course).exists()

    def test_one_run_at_a_time(self, run, asked, course):
        with closing(Ledger(ledger_of(course))) as ledger, ledger.alone():
            code, err = run()
            assert code == ENVIRONMENT
            assert "another run is using" in err
        assert run()[0] == 0

    def test_the_lock_ends_with_the_ledger(self, tmp_path):
        with closing(Ledger(tmp_path / "a")) as one, closing(Ledger(tmp_path / "a")) as two:
            with one.alone(), pytest.raises(LedgerBusy), two.alone():
                pass
            with two.alone():
                pass

    @pytest.mark.parametrize("make", [lambda p: p.write_text("no database"), lambda p: p.mkdir()])
    def test_something_else_is_left_alone(self, make, tmp_path):
        make(tmp_path / "a")
        with pytest.raises(LedgerError, match="cannot be used"):
            Ledger(tmp_path / "a")

    def test_the_database_of_another_program_is_left_alone(self, tmp_path):
        with closing(sqlite3.connect(tmp_path / "a")) as other:
            other.execute("CREATE TABLE theirs (x)")
        with pytest.raises(LedgerError, match="no ledger"):
            Ledger(tmp_path / "a")
        with closing(sqlite3.connect(tmp_path / "a")) as other:
            assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]

    def test_a_class_that_is_handed_in_again_replaces_itself_and_no_other(self, tmp_path):
        with closing(Ledger(tmp_path / "a")) as ledger:
            ledger.hand_in("01", "one", [Copy("ada", b"1", "s1"), Copy("bob", None, "", "No file.")])
            ledger.hand_in("01", "two", [Copy("cyd", b"2", "s2")])
            assert ledger.hand_in("01", "one", [Copy("ada", b"3", "s3")]) == ["ada"]
            assert [entry.student for entry in ledger.entries("01")] == ["ada", "cyd"]
            assert [entry.sha256 for entry in ledger.entries("01", "one")] == ["s3"]
            assert ledger.content("s1") == b"1", "what was graded once can be looked at again"


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_code_that_writes_where_the_grader_reads_and_writes(run, course, submit, tmp_path):
    """It changes its neighbour's notebook and puts a link in the place of the results."""
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.mkdir()
    cell = f"""
import os
open({str(course / "bob.ipynb")!r}, "w").write("{{}}")
if not os.path.islink({str(out)!r}):
    os.rename({str(out)!r}, {str(tmp_path / "moved")!r})
    os.symlink({str(elsewhere)!r}, {str(out)!r})
"""
    submit(cell, name="ada").replace(course / "ada.ipynb")
    code, err = run()
    assert code == ENVIRONMENT
    assert "was made by somebody else" in err
    assert list(elsewhere.iterdir()) == []
    with closing(Ledger(ledger_of(course))) as ledger:
        found = ledger.standing("01")
    assert set(found) == set(EVERYTHING)
    assert {graded.row.status for graded in found.values()} == {"right"}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.part(2)
@pytest.mark.parametrize("kills", [3, 20])
def test_killed_at_any_moment(kills, arguments, course, results, tmp_path):
    """Whether one of its processes is killed or the whole run, nothing stored is lost, and nothing twice."""
    moments = random.Random(22)
    ledger = tmp_path / "ledger.sqlite"
    command = [sys.executable, "-m", "tensorlab", *arguments, "--ledger", str(ledger), "--jobs", "2"]

    def stored():
        if not ledger.exists():
            return []
        with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as database:
            try:
                return database.execute("SELECT student, question FROM results ORDER BY rowid").fetchall()
            except sqlite3.OperationalError:  # killed before there was a table
                return []

    before = []
    more = [f"more {n}" for n in range(kills - len(STUDENTS))]
    for name in more:
        shutil.copyfile(course / "ada.ipynb", course / f"{name}.ipynb")
    for _ in range(kills):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (below := list(descendants(process.pid))) and process.poll() is None:
            time.sleep(0.02)
        time.sleep(2 * moments.random())
        below += descendants(process.pid)
        if below:  # none where the run was over: that is a moment too
            with suppress(ProcessLookupError):
                os.kill(moments.choice(below), signal.SIGKILL)
        time.sleep(2 * moments.random())
        below += descendants(process.pid)
        process.kill()
        process.wait()
        for _ in range(200):
            if not [pid for pid in below if _runs(pid)]:
                break
            time.sleep(0.05)
        assert not [pid for pid in below if _runs(pid)], "a process outlived the grader"
        after = stored()
        assert after[: len(before)] == before
        before = after
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    everything = {(student, question) for student in [*STUDENTS, *more] for question in QUESTIONS}
    assert Counter(stored()) == dict.fromkeys(everything, 1)
    assert set(results()) == everything
    assert {row["status"] for row in results().values()} == {"right"}


def _runs(pid):
    """Whether a process is there and does anything: whoever adopts it may be slow to collect it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False
