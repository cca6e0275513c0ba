"""Folders in, results out: both layouts, nothing overwritten or half-written, no formula in a sheet."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest

from tensorlab.grading import results
from tensorlab.grading.files import AlreadyThere, write_whole
from tensorlab.grading.grader import Row
from tensorlab.grading.submissions import NoSubmissions, find_submissions

RUN = results.Run("01", "0.1.0", "a" * 64, "b" * 12, "none", {"call_seconds": 4.0})


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


def test_one_row_each_in_both_files(tmp_path):
    rows = [row(), row(student="bob", points=None, status="machine")]
    csv_path, json_path = results.write_results(tmp_path / "out", RUN, rows, replace=False)
    sheet, plain = read_csv(csv_path.read_text("utf-8")), json.loads(json_path.read_text("utf-8"))
    assert (
        [line["student"] for line in sheet] == [line["student"] for line in plain["rows"]] == ["ada", "bob"]
    )
    assert list(sheet[0]) == list(plain["rows"][0]) == list(results.COLUMNS)
    assert (sheet[0]["points"], sheet[1]["points"]) == ("3", "")
    assert (plain["rows"][0]["points"], plain["rows"][1]["points"]) == (3, None)
    assert {key: plain[key] for key in ("chapter", "level", "secret_id", "limits", "suite_sha256")} == {
        "chapter": "01",
        "level": "none",
        "secret_id": "b" * 12,
        "limits": {"call_seconds": 4.0},
        "suite_sha256": "a" * 64,
    }


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "|", "%"])
def test_a_sheet_runs_no_formula(start):
    evil = f"{start}HYPERLINK(0)"
    line = read_csv(results.as_csv([row(student=evil, feedback=evil)]))[0]
    assert line["student"][0] == line["feedback"][0] == "'"
    assert results.as_json(RUN, [row(student=evil)])["rows"][0]["student"].endswith("HYPERLINK(0)")


def test_quotes_commas_and_half_characters_survive(tmp_path):
    odd = 'a "b", c\nd \udce9\r'
    csv_path, json_path = results.write_results(tmp_path, RUN, [row(student=odd)], replace=False)
    expected = 'a "b", c\nd \\udce9\\r'
    assert read_csv(csv_path.read_text("utf-8"))[0]["student"] == expected
    assert json.loads(json_path.read_text("utf-8"))["rows"][0]["student"] == expected


def test_earlier_results_stay(tmp_path):
    results.write_results(tmp_path, RUN, [row()], replace=False)
    before = (tmp_path / "results.csv").read_bytes()
    with pytest.raises(AlreadyThere, match=r"results\.csv"):
        results.write_results(tmp_path, RUN, [row(points=0)], replace=False)
    assert (tmp_path / "results.csv").read_bytes() == before
    results.write_results(tmp_path, RUN, [row(points=0)], replace=True)
    assert (tmp_path / "results.csv").read_bytes() != before


def test_one_of_the_two_is_enough_to_refuse(tmp_path):
    (tmp_path / "results.json").write_text("mine")
    with pytest.raises(AlreadyThere, match=r"results\.json"):
        results.targets(tmp_path, replace=False)
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


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
    assert by_student["ada"].path == folder / "ada" / "01_a_tensor_is_a_line.ipynb"
    assert by_student["zoe"].path == folder / "zoe.ipynb"
    for student, says in {
        "bob": "no notebook 01_",
        "cyd": "Keep one",
        "dan": "Both a file and a folder",
        "eve": "no notebook 01_",
    }.items():
        assert by_student[student].path is None
        assert says in by_student[student].problem


@pytest.mark.parametrize("make", [lambda p: None, lambda p: p.mkdir(), lambda p: p.write_text("x")])
def test_nothing_to_grade_is_said(make, tmp_path):
    make(tmp_path / "submissions")
    with pytest.raises(NoSubmissions, match="notebooks"):
        find_submissions(tmp_path / "submissions", "01")
