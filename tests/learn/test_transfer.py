"""``tensorlab progress``: the map in a terminal, and progress that goes to another machine and comes back."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from tensorlab.cli import app
from tensorlab.grading.suites import chapters, exercises
from tensorlab.learn import progress
from tensorlab.learn.progress import Progress
from tensorlab.learn.transfer import NotProgress, exported, imported


def tensorlab(*arguments):
    result = CliRunner().invoke(app, ["progress", *map(str, arguments)], env={"COLUMNS": "1000"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_there_and_back(home, monkeypatch, tmp_path):
    progress.save("01.numel", Progress(points=4, checks=2, hints=1))
    progress.save("03.sliced", Progress(points=2, checks=5, assisted=True))
    text = exported()
    monkeypatch.setenv("TENSORLAB_HOME", str(tmp_path / "other"))
    progress.save("03.sliced", Progress(points=7, checks=1, hints=3))
    assert imported(text) == 2
    assert progress.load("01.numel") == Progress(points=4, checks=2, hints=1)
    assert progress.load("03.sliced") == Progress(points=7, checks=5, hints=3, assisted=True)
    assert imported(text) == 0, "a second time changes nothing"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not JSON"),
        ("[" * 200_000, "not JSON"),
        ("[]", "was not written by"),
        ('{"version": 1, "exercises": {}}', "was not written by"),
        ('{"tensorlab": "progress", "exercises": 7}', "cannot be read"),
        ('{"tensorlab": "progress", "exercises": {"01.numel": {"points": "4"}}}', "cannot be read"),
        ('{"tensorlab": "progress", "exercises": {"01.numel": {"points": 40}}}', "there are 4"),
        ("x" * 1_000_001, "1,000,001 characters"),
    ],
)
def test_what_is_no_export_changes_nothing(text, says):
    progress.save("01.numel", Progress(points=1))
    with pytest.raises(NotProgress, match=says):
        imported(text)
    assert progress.load("01.numel") == Progress(points=1)


def test_exercises_of_a_later_edition_are_left_out():
    text = json.dumps({"tensorlab": "progress", "exercises": {"99.later": {"points": 3}, "01.numel": {}}})
    assert imported(text) == 0


def test_the_map_in_a_terminal(home):
    progress.save("01.numel", Progress(points=4))
    progress.save("01.nbytes", Progress(points=4, assisted=True))
    progress.save("01.flat_index", Progress(checks=1))
    code, out, err = tensorlab()
    line = next(line for line in out.splitlines() if line.startswith("1 ")).replace("\u00a0", " ")
    assert (code, err) == (0, "")
    assert "8 of 24" in line
    for mark in ("[x] numel", "[s] nbytes", "[-] flat_index", "[ ] check_index"):
        assert mark in line
    assert str(home / "progress.json") in out


def test_export_and_import_by_command(tmp_path, monkeypatch):
    file = tmp_path / "mine.json"
    progress.save("01.numel", Progress(points=4))
    code, out, _ = tensorlab("--export", file)
    assert (code, out) == (0, f"{file} written: 1 exercise that you have tried.\n")
    assert tensorlab("--json")[1] == file.read_text("utf-8")
    monkeypatch.setenv("TENSORLAB_HOME", str(tmp_path / "other"))
    code, out, _ = tensorlab("--import", file)
    assert (code, out) == (0, f"1 exercise changed by {file}.\n")
    assert progress.load("01.numel").points == 4


def test_what_cannot_be_done_is_one_sentence(tmp_path):
    there = tmp_path / "there.json"
    there.write_text("mine")
    for arguments, code, says in (
        (("--export", there), 2, "is there already"),
        (("--export", tmp_path / "no" / "folder"), 3, "cannot be written"),
        (("--import", there), 2, "was not taken over: it is not JSON"),
        (("--import", tmp_path / "nothing"), 2, "cannot be read"),
    ):
        found, out, err = tensorlab(*arguments)
        assert (found, out) == (code, "")
        assert says in err
        assert err.count("\n") == 1
    assert there.read_text() == "mine"


def test_the_terminal_shows_the_whole_book_what_it_adds_up_to_and_what_comes_next(monkeypatch, tmp_path):
    monkeypatch.setenv("TENSORLAB_HOME", str(tmp_path))
    for asked in exercises("01"):
        progress.save(asked.id, progress.Progress(points=asked.points, checks=1))
    told = CliRunner().invoke(app, ["progress"]).output
    assert "1✓" in told.splitlines()[0]
    assert all(f"{number}·" in told for number in range(len(chapters()) + 1, 25))
    first = exercises("02")[0]
    assert f"{len(exercises('01'))} of {len(exercises())} exercises" in told
    assert f"Next unsolved: {first.id}, {first.title}." in told
