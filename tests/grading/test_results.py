"""Folders in, results out: both layouts, nothing overwritten or half-written, no formula in a sheet."""

from __future__ import annotations

import csv
import io
import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest

from tensorlab.grading import results
from tensorlab.grading.files import AlreadyThere, write_whole
from tensorlab.grading.grader import Row
from tensorlab.grading.submissions import NoSubmissions, find_submissions

RUN = results.Run(
    "01", "0.1.0", "d" * 64, "a" * 64, "b" * 12, "none", {"call_seconds": 4.0}, {"processor": "8086"}, "today"
)


def row(**changes):
    fields = {
        "student": "ada",
        "question": "01.numel",
        "title": "How many numbers?",
        "points": 3,
        "max_points": 4,
        "status": "partial",
        "feedback": "Lost: the shape ().",
        "level": "none",
        "sha256": "c" * 64,
        "seconds": 0.25,
    }
    return Row(**(fields | changes))


def read_csv(text):
    return list(csv.DictReader(io.StringIO(text)))


def results_of(*rows):
    return results.Results("01", {1: RUN, 2: RUN}, [results.Reported(row, 2) for row in rows])


def test_one_row_each_in_both_forms():
    graded = results_of(row(), row(student="bob", points=None, status="machine"))
    sheet, plain = read_csv(results.as_csv(graded.rows)), json.loads(results.json_text(graded))
    assert (
        [line["student"] for line in sheet] == [line["student"] for line in plain["rows"]] == ["ada", "bob"]
    )
    assert list(sheet[0]) == list(results.COLUMNS)
    assert list(plain["rows"][0]) == [*results.COLUMNS, "run"]
    assert (sheet[0]["points"], sheet[1]["points"]) == ("3", "")
    assert (plain["rows"][0]["points"], plain["rows"][1]["points"]) == (3, None)
    assert plain["runs"] == {"2": asdict(RUN)}
    assert results.read_results(json.dumps(plain)).reported == graded.reported


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "|", "%"])
def test_a_sheet_runs_no_formula(start):
    evil = f"{start}HYPERLINK(0)"
    line = read_csv(results.as_csv([row(student=evil, feedback=evil)]))[0]
    assert line["student"][0] == line["feedback"][0] == "'"
    assert results.as_json(results_of(row(student=evil)))["rows"][0]["student"].endswith("HYPERLINK(0)")


def test_quotes_commas_and_half_characters_survive():
    odd = 'a "b", c\nd \udce9\r'
    expected = 'a "b", c\nd \\udce9\\r'
    assert read_csv(results.as_csv([row(student=odd)]))[0]["student"] == expected
    assert json.loads(results.json_text(results_of(row(student=odd))))["rows"][0]["student"] == expected


class TestTarget:
    """What stands in the folder of the results, before and after the notebooks ran."""

    @pytest.fixture
    def written(self):
        """What the ledger would remember."""
        return set()

    @pytest.fixture
    def target(self, tmp_path, written):
        return lambda: results.Target(tmp_path / "out", lambda path, sha256: (path, sha256) in written)

    def write(self, target, written, text):
        return target.write("results.csv", text, lambda path, sha256: written.add((path, sha256)))

    def test_own_results_are_replaced_and_those_of_others_stay(self, target, written, tmp_path):
        path = self.write(target(), written, "one")
        assert self.write(target(), written, "two") == path
        assert path.read_text() == "two"
        path.write_text("mine")
        with pytest.raises(AlreadyThere, match=r"results\.csv"):
            target()
        assert [found.read_text() for found in (tmp_path / "out").iterdir()] == ["mine"]

    def test_one_of_the_two_is_enough_to_refuse(self, target, tmp_path):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "results.json").write_text("mine")
        with pytest.raises(AlreadyThere, match=r"results\.json"):
            target()

    def test_a_file_that_came_meanwhile_stays(self, target, written, tmp_path):
        opened = target()
        (tmp_path / "out" / "results.csv").write_text("planted")
        with pytest.raises(AlreadyThere, match=r"results\.csv"):
            self.write(opened, written, "ours")
        assert (tmp_path / "out" / "results.csv").read_text() == "planted"

    @pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
    def test_a_folder_that_became_a_link_is_not_written_through(self, target, written, tmp_path):
        opened, elsewhere = target(), tmp_path / "elsewhere"
        elsewhere.mkdir()
        (tmp_path / "out").rmdir()
        (tmp_path / "out").symlink_to(elsewhere)
        with pytest.raises(AlreadyThere, match="out"):
            self.write(opened, written, "ours")
        assert list(elsewhere.iterdir()) == []

    @pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
    def test_a_pipe_in_place_of_a_file_does_not_stop_the_run(self, target, written, tmp_path):
        opened = target()
        os.mkfifo(tmp_path / "out" / "results.csv")
        with pytest.raises(AlreadyThere):
            self.write(opened, written, "ours")

    def test_a_folder_that_is_gone_is_made_again(self, target, written, tmp_path):
        opened = target()
        (tmp_path / "out").rmdir()
        assert self.write(opened, written, "ours").read_text() == "ours"

    def test_a_file_is_known_before_it_is_there(self, target, tmp_path):
        """Whatever ends the run between the two, the next one may replace the file."""
        seen = []
        target().write("results.csv", "ours", lambda path, sha256: seen.append(path.exists()))
        assert seen == [False]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "results.csv"
    path.write_text("old")

    def full_disk(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, "new", replace=True)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_line_ends_are_the_same_everywhere(tmp_path):
    write_whole(tmp_path / "text", "a\nb\n", replace=False)
    assert (tmp_path / "text").read_bytes() == b"a\nb\n"


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_results_have_ordinary_permissions(tmp_path):
    write_whole(tmp_path / "new", "x", replace=False)
    (tmp_path / "plain").write_text("x")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.fixture
def folder(tmp_path) -> Path:
    """Both layouts, with what lies around in real folders of submissions."""
    for name in (
        "zoe.ipynb",
        "ada/01_a_tensor_is_a_line.ipynb",
        "ada/02_strides.ipynb",
        "bob/02_strides.ipynb",
        "cyd/01_a_tensor_is_a_line.ipynb",
        "cyd/01_a_tensor_is_a_line (1).ipynb",
        "dan.ipynb",
        "dan/01_a_tensor_is_a_line.ipynb",
        "Ünal.ipynb",
        "=cmd.ipynb",
        ".ipynb_checkpoints/zoe-checkpoint.ipynb",
        ".DS_Store",
        "grades.xlsx",
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("{}")
    (tmp_path / "eve").mkdir()
    return tmp_path


def test_both_layouts_and_every_student_once(folder):
    found = find_submissions(folder, "01")
    assert [s.student for s in found] == ["=cmd", "ada", "bob", "cyd", "dan", "eve", "zoe", "Ünal"]
    by_student = {s.student: s for s in found}
    assert by_student["ada"].file.path == folder / "ada" / "01_a_tensor_is_a_line.ipynb"
    assert by_student["zoe"].file.path == folder / "zoe.ipynb"
    assert by_student["cyd"].file.name == "01_a_tensor_is_a_line (1).ipynb"
    for student, says in {
        "bob": "no notebook 01_",
        "dan": "chapter 01: dan/01_a_tensor_is_a_line.ipynb, dan.ipynb. Keep one.",
        "eve": "no notebook 01_",
    }.items():
        assert by_student[student].file is None
        assert says in by_student[student].problem


@pytest.mark.parametrize("make", [lambda p: None, lambda p: p.mkdir(), lambda p: p.write_text("x")])
def test_nothing_to_grade_is_said(make, tmp_path):
    make(tmp_path / "submissions")
    with pytest.raises(NoSubmissions, match="notebooks"):
        find_submissions(tmp_path / "submissions", "01")
