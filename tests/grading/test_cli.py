"""The commands check, grade and release: what they print, what they write, how they end."""

from __future__ import annotations

import csv
import json
import os
import shutil
from pathlib import Path

import pytest

from tensorlab.cli.support.errors import ENVIRONMENT, FAILED, USAGE
from tensorlab.grading.suites import exercises

ROOT = Path(__file__).parents[2]
NAME = "01_a_tensor_is_a_line.ipynb"
SOLUTION, EXERCISE = ROOT / "solutions" / NAME, ROOT / "exercises" / NAME
TRUST = "--i-trust-this-code"  # here and wherever bubblewrap is not
MOST = sum(e.points for e in exercises("01"))

as_root = pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="this user may write everywhere")


def one_sentence(error):
    """What a user may be shown when something is refused."""
    assert error.count("\n") == 1, error
    assert error.startswith("tensorlab: ")
    assert "Traceback" not in error
    return error


@pytest.mark.usefixtures("quickly")
class TestCheck:
    def test_all_points(self, tensorlab):
        code, out, err = tensorlab("check", SOLUTION)
        assert (code, err) == (0, "")
        assert f"{MOST} of {MOST} points" in out
        assert out.count("All cases pass.") == len(exercises("01"))

    def test_a_starter_is_told_kindly(self, tensorlab):
        code, out, _ = tensorlab("check", EXERCISE)
        assert code == FAILED
        assert f"0 of {MOST} points" in out
        assert "is not written yet" in out

    def test_json(self, tensorlab):
        code, out, _ = tensorlab("check", EXERCISE, "--json")
        found = json.loads(out)
        assert code == FAILED
        assert (found["points"], found["max_points"]) == (0, MOST)
        assert [row["question"] for row in found["rows"]] == [e.id for e in exercises("01")]
        assert {row["status"] for row in found["rows"]} == {"unanswered"}

    def test_brackets_in_feedback_are_shown(self, tensorlab, submit):
        code, out, _ = tensorlab(
            "check", submit(name="01_mine", check_index="def check_index(index, shape): return [0]")
        )
        assert code == FAILED
        assert "gave [0]" in out

    def test_the_notebook_is_not_touched(self, tensorlab, submit):
        path = submit()
        before = path.read_bytes(), path.stat().st_mtime_ns
        tensorlab("check", path)
        assert (path.read_bytes(), path.stat().st_mtime_ns) == before
        assert list(path.parent.iterdir()) == [path]

    def test_a_notebook_under_any_name_is_told_by_its_cells(self, tensorlab, submit):
        assert tensorlab("check", submit(name="my own copy"))[0] == 0

    @pytest.mark.parametrize(
        ("name", "content", "says"),
        [
            ("01_a.ipynb", "print('hello')", "not JSON"),
            ("01_a.ipynb", "", "empty"),
            ("01_a.ipynb", None, "is not there; give the notebook that you work in"),
            ("nowhere.ipynb", None, "is not there; give the notebook that you work in"),
            ("99_a.ipynb", "{}", "nor its cells say of which chapter it is; say so with --chapter"),
            ("notes.txt", "my notes", "nor its cells say of which chapter it is; say so with --chapter"),
        ],
    )
    def test_bad_input(self, name, content, says, tensorlab, tmp_path):
        path = tmp_path / name
        if content is not None:
            path.write_text(content)
        code, out, err = tensorlab("check", path)
        assert (code, out) == (USAGE, "")
        assert says in one_sentence(err)

    def test_an_unknown_chapter(self, tensorlab):
        code, _, err = tensorlab("check", SOLUTION, "--chapter", "99")
        assert code == USAGE
        assert "chapter 99" in one_sentence(err)


@pytest.fixture
def submissions(tmp_path, submit):
    """Three students: everything right, one question wrong, a broken file."""
    folder = tmp_path / "submissions"
    folder.mkdir()
    submit(name="ada").rename(folder / "ada.ipynb")
    (folder / "bob").mkdir()
    submit(name="x", numel="def numel(shape): return sum(shape)").rename(folder / "bob" / NAME)
    (folder / "=cyd.ipynb").write_text("{")
    return folder


class TestGrade:
    def test_a_row_for_every_student_and_question(self, tensorlab, submissions, tmp_path):
        before = {path: path.read_bytes() for path in submissions.rglob("*.ipynb")}
        code, out, _ = tensorlab("grade", TRUST, "--chapter", "01", submissions, "--out", tmp_path / "out")
        assert code == FAILED, "one could not be read"
        assert f"{MOST} of {MOST}" in out
        assert "unreadable" in out
        plain = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))
        rows = {(row["student"], row["question"]): row for row in plain["rows"]}
        assert len(rows) == 3 * len(exercises("01"))
        assert rows["bob", "01.numel"]["points"] == 0
        assert "Sizes add up" in rows["bob", "01.numel"]["feedback"]
        assert {row["status"] for row in plain["rows"] if row["student"] == "=cyd"} == {"unreadable"}
        assert sum(row["points"] for row in plain["rows"]) == 2 * MOST - 4
        assert {row["level"] for row in plain["rows"]} == {"none"}
        assert {run["level"] for run in plain["runs"].values()} == {"none"}
        with (tmp_path / "out" / "results.csv").open(encoding="utf-8", newline="") as file:
            sheet = list(csv.DictReader(file))
        assert len(sheet) == len(rows)
        assert {line["student"] for line in sheet} == {"ada", "bob", "'=cyd"}
        assert {path: path.read_bytes() for path in submissions.rglob("*.ipynb")} == before

    @pytest.mark.usefixtures("quickly")
    def test_the_chapter_is_told_by_folders_and_by_cells(self, tensorlab, submissions, tmp_path):
        """One file by its cells, one in a folder by its name; a broken one says nothing."""
        code, _, _ = tensorlab("grade", TRUST, submissions, "--out", tmp_path / "out")
        plain = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))
        assert (code, plain["chapter"]) == (FAILED, "01")
        assert sum(row["points"] for row in plain["rows"]) == 2 * MOST - 4

    def test_several_chapters_need_a_word(self, tensorlab, submissions, tmp_path):
        shutil.copy(submissions / "bob" / NAME, submissions / "bob" / "02_strides.ipynb")
        code, out, err = tensorlab("grade", TRUST, submissions, "--out", tmp_path / "out")
        assert (code, out) == (USAGE, "")
        assert "holds notebooks of chapters 01, 02; say which" in one_sentence(err)
        assert not (tmp_path / "out").exists()

    def test_nothing_that_tells_a_chapter_needs_a_word(self, tensorlab, tmp_path):
        folder = tmp_path / "handed in"
        folder.mkdir()
        (folder / "cyd.ipynb").write_text("{")
        code, out, err = tensorlab("grade", TRUST, folder, "--out", tmp_path / "out")
        assert (code, out) == (USAGE, "")
        assert "say which chapter it is with --chapter" in one_sentence(err)

    @pytest.mark.parametrize(
        ("name", "says"), [("nowhere", "is not a folder"), ("empty", "holds no notebooks")]
    )
    def test_nothing_at_all_is_said_before_the_chapter_is_asked_for(self, name, says, tensorlab, tmp_path):
        (tmp_path / "empty").mkdir()
        code, out, err = tensorlab("grade", TRUST, tmp_path / name, "--out", tmp_path / "out")
        assert (code, out) == (USAGE, "")
        assert says in one_sentence(err)

    @pytest.mark.usefixtures("quickly")
    def test_a_file_that_is_no_notebook_is_named_and_a_loud_suffix_is_graded(
        self, tensorlab, submissions, tmp_path
    ):
        (submissions / "ada.ipynb").rename(submissions / "ada.IPYNB")
        (submissions / "eve.ipynb.bak").write_text("{}")
        code, out, err = tensorlab("grade", TRUST, "--chapter", "01", submissions, "--out", tmp_path / "out")
        assert (code, f"{MOST} of {MOST}" in out) == (FAILED, True)
        assert "tensorlab: not graded, because they are no notebooks: eve.ipynb.bak.\n" in err

    @pytest.mark.usefixtures("quickly")
    def test_json_is_all_that_is_printed(self, tensorlab, submissions, tmp_path):
        arguments = ("--chapter", "01", submissions, "--out", tmp_path / "out", "--json")
        code, out, _ = tensorlab("grade", TRUST, *arguments)
        assert code == FAILED
        assert json.loads(out) == json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))

    @pytest.mark.usefixtures("quickly")
    def test_a_report_takes_the_archive_that_was_graded(self, tensorlab, submissions, tmp_path):
        archive, out = shutil.make_archive(str(tmp_path / "all"), "zip", submissions), tmp_path / "totals.csv"
        tensorlab("grade", TRUST, "--chapter", "01", archive, "--out", tmp_path / "out")
        code, _, err = tensorlab("report", archive, "--format", "totals", "--out", out)
        assert code == 0, err
        assert f"ada,,01,{MOST},{MOST},graded" in out.read_text("utf-8")

    def secret_id(self, folder):
        """Of the run that graded what lies in a folder of results."""
        (run,) = json.loads((folder / "results.json").read_text("utf-8"))["runs"].values()
        return run["secret_id"]

    @pytest.mark.usefixtures("quickly")
    def test_a_secret_file_draws_the_same_again(self, tensorlab, submissions, tmp_path):
        secret = tmp_path / "secret"
        secret.write_text("a course secret of some length")
        arguments = ("grade", TRUST, "--chapter", "01", submissions, "--secret-file", secret)
        for name in ("one", "two"):
            tensorlab(*arguments, "--out", tmp_path / name, "--ledger", tmp_path / f"{name}.sqlite")
            assert "a course secret" not in (tmp_path / name / "results.json").read_text("utf-8")
        assert self.secret_id(tmp_path / "one") == self.secret_id(tmp_path / "two")
        code, _, err = tensorlab(
            "grade", TRUST, submissions, "--out", tmp_path / "one", "--ledger", tmp_path / "one.sqlite"
        )
        assert (code, "give its file with --secret-file" in one_sentence(err)) == (USAGE, True)

    @pytest.mark.usefixtures("quickly")
    def test_without_one_each_ledger_has_its_own(self, tensorlab, submissions, tmp_path):
        for name in ("one", "two"):
            out, ledger = tmp_path / name, tmp_path / f"{name}.sqlite"
            tensorlab("grade", TRUST, "--chapter", "01", submissions, "--out", out, "--ledger", ledger)
        assert self.secret_id(tmp_path / "one") != self.secret_id(tmp_path / "two")

    @pytest.mark.usefixtures("quickly")
    def test_earlier_results_are_kept(self, tensorlab, submissions, tmp_path):
        out = tmp_path / "out"
        out.mkdir()
        (out / "results.csv").write_text("mine")
        code, _, err = tensorlab("grade", TRUST, "--chapter", "01", submissions, "--out", out)
        assert code == USAGE
        assert "is there already" in one_sentence(err)
        assert [(path.name, path.read_text()) for path in out.iterdir()] == [("results.csv", "mine")]
        again = ("grade", TRUST, "--chapter", "01", submissions, "--out", out, "--replace")
        assert tensorlab(*again)[0] == FAILED
        assert (out / "results.csv").read_text() != "mine"

    def test_bad_input(self, tensorlab, submissions, tmp_path):
        empty, short, file = tmp_path / "empty", tmp_path / "short", tmp_path / "file"
        empty.mkdir()
        short.write_text("short")
        file.write_text("")
        out = tmp_path / "out"
        for arguments, expected, says in [
            ((tmp_path / "nowhere", "--out", out), USAGE, "is not a folder"),
            ((file, "--out", out), USAGE, "is not a folder"),
            ((empty, "--out", out), USAGE, "holds no notebooks"),
            ((submissions, "--out", out, "--secret-file", tmp_path / "none"), USAGE, "make one with"),
            ((submissions, "--out", out, "--secret-file", short), USAGE, "at least 16"),
            ((submissions, "--out", file), USAGE, "is a file; --out names a folder"),
            ((submissions, "--out", file / "deeper"), ENVIRONMENT, "cannot be written"),
            ((submissions, "--out", out, "--chapter", "99"), USAGE, "chapter 99 has no exercises"),
        ]:
            code, printed, err = tensorlab("grade", TRUST, "--chapter", "01", *arguments)
            assert (code, printed) == (expected, ""), says
            assert says in one_sentence(err)
        assert not out.exists()

    def test_a_report_before_anything_is_graded(self, tensorlab, submissions, tmp_path):
        out = tmp_path / "out"
        out.mkdir()
        (out / "results.csv").write_text("mine")
        assert tensorlab("grade", TRUST, "--chapter", "01", submissions, "--out", out)[0] == USAGE
        code, printed, err = tensorlab("report", submissions, "--format", "class", "--out", tmp_path / "page")
        assert (code, printed) == (USAGE, "")
        assert "nothing has been graded into" in one_sentence(err)

    @as_root
    def test_a_folder_that_cannot_be_written(self, tensorlab, submissions, tmp_path):
        out = tmp_path / "out"
        out.mkdir(mode=0o500)
        code, _, err = tensorlab("grade", TRUST, "--chapter", "01", submissions, "--out", out)
        assert code == ENVIRONMENT
        assert "cannot be written" in one_sentence(err)

    def test_a_machine_that_fails_gives_no_score_and_says_so(
        self, tensorlab, submissions, tmp_path, monkeypatch
    ):
        monkeypatch.setattr("sys.executable", str(tmp_path / "no-python"))
        code, out, _ = tensorlab("grade", TRUST, "--chapter", "01", submissions, "--out", tmp_path / "out")
        assert code == FAILED
        assert "?" in out
        plain = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))
        assert {row["points"] for row in plain["rows"] if row["student"] == "ada"} == {None}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A copy of the parts of the project that release works on; the current folder is inside it."""
    for name in ("_config.yml", "_toc.yml", "pyproject.toml"):
        (tmp_path / name).write_text("")
    for name in ("tensorlab", "solutions", "exercises"):
        (tmp_path / name).mkdir()
    shutil.copy(SOLUTION, tmp_path / "solutions")
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestRelease:
    def test_it_writes_what_is_committed_here(self, tensorlab, project):
        code, out, _ = tensorlab("release")
        assert (code, out) == (0, f"{Path('exercises') / NAME} written\n")
        assert (project / "exercises" / NAME).read_bytes() == EXERCISE.read_bytes()
        assert tensorlab("release")[1] == "The exercises are up to date.\n"

    def test_check_writes_nothing(self, tensorlab, project):
        code, _, err = tensorlab("release", "--check")
        assert code == FAILED
        assert "differs from its solution" in err
        assert not (project / "exercises" / NAME).exists()
        tensorlab("release")
        assert tensorlab("release", "--check")[0] == 0

    def test_an_untouched_release_is_replaced(self, tensorlab, project):
        tensorlab("release")
        source = project / "solutions" / NAME
        source.write_text(source.read_text("utf-8").replace("What you have built", "What you made"), "utf-8")
        assert tensorlab("release")[0] == 0
        assert "What you made" in (project / "exercises" / NAME).read_text("utf-8")

    def test_a_students_work_is_never_lost(self, tensorlab, project):
        target = project / "exercises" / NAME
        tensorlab("release")
        worked = target.read_text("utf-8").replace("raise NotImplementedError", "return 42  #")
        target.write_text(worked, "utf-8")
        code, out, err = tensorlab("release")
        assert (code, out) == (USAGE, "")
        assert "somebody has worked in" in one_sentence(err)
        assert target.read_text("utf-8") == worked
        code, out, _ = tensorlab("release", "--replace")
        assert code == 0
        assert "your copy is 01_a_tensor_is_a_line.kept-1.ipynb" in out
        assert (target.parent / "01_a_tensor_is_a_line.kept-1.ipynb").read_text("utf-8") == worked
        assert target.read_bytes() == EXERCISE.read_bytes()

    def test_a_solution_that_cannot_be_released_changes_nothing(self, tensorlab, project):
        tensorlab("release")
        before = (project / "exercises" / NAME).read_bytes()
        source = project / "solutions" / NAME
        source.write_text(source.read_text("utf-8").replace("### END SOLUTION", "### THE END", 1), "utf-8")
        code, _, err = tensorlab("release")
        assert code == FAILED
        assert "needs one" in one_sentence(err)
        assert (project / "exercises" / NAME).read_bytes() == before

    def test_nothing_to_release(self, tensorlab, project):
        (project / "solutions" / NAME).unlink()
        code, _, err = tensorlab("release")
        assert code == USAGE
        assert "holds no notebook" in one_sentence(err)
