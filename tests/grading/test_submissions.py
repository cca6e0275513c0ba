"""Submissions as platforms pack them, in archives, in Python files, under other names, several times."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tensorlab.grading.grader import Grader
from tensorlab.grading.notebook import MAX_FILE
from tensorlab.grading.sources import answer_source
from tensorlab.grading.submissions import chapters_handed_in, find_submissions, not_graded, take
from tensorlab.grading.suites import exercises

from .conftest import notebook_text, right_cells

NAME = "01_a_tensor_is_a_line.ipynb"
RIGHT = notebook_text(right_cells())
OTHER = json.dumps({"cells": [{"id": "02-reshape-answer", "cell_type": "code", "source": ""}]})

LAYOUTS = {
    "files": (["ada.ipynb", "bob.ipynb"], ["ada", "bob"]),
    "folders": ([f"ada/{NAME}", f"bob/work/late/{NAME}"], ["ada", "bob"]),
    "spaces and letters": (["Ada Byron.ipynb", f"Ünal Çelik/{NAME}"], ["Ada Byron", "Ünal Çelik"]),
    "nbgrader": (
        [
            f"submitted/ada/ps1/{NAME}",
            "submitted/ada/ps1/timestamp.txt",
            f"release/ps1/{NAME}",
            f"source/ps1/{NAME}",
        ],
        ["ada"],
    ),
    "Moodle": (
        [f"Ada Byron_1234567_assignsubmission_file_/{NAME}", f"Bob_77_assignsubmission_file/{NAME}"],
        ["Ada Byron", "Bob"],
    ),
    "Canvas": (
        [f"byronada_4321_99001_{NAME}", f"smithbob_LATE_4322_99002_{NAME}"],
        ["byronada_4321", "smithbob_4322"],
    ),
    "Gradescope": (
        [f"assignment_7_export/submission_55/{NAME}", "assignment_7_export/submission_metadata.yml"],
        ["Ada"],
    ),
    "two of one name (Moodle)": (
        [f"Wei Zhang_1_assignsubmission_file_/{NAME}", f"Wei Zhang_2_assignsubmission_file_/{NAME}"],
        ["Wei Zhang (1)", "Wei Zhang (2)"],
    ),
    "two of one name (Gradescope)": (
        [f"submission_55/{NAME}", f"submission_56/{NAME}", "submission_metadata.yml"],
        ["Ada (submission_55)", "Ada (submission_56)", "Bob"],
    ),
    "a browser's suffix": (["ada.ipynb.txt", f"bob/{NAME}.json"], ["ada", "bob"]),
    "accents and spaces": (["U\u0308nal  Byron .ipynb"], ["\u00dcnal Byron"]),
    "mixed": (["ada.ipynb", f"bob/{NAME}", f"Cyd_5_assignsubmission_file_/{NAME}"], ["Cyd", "ada", "bob"]),
}
METADATA = """
submission_55:
  :submitters:
  - :name: Ada
    :sid: '1'
  :created_at: 2026-11-26
submission_56:
  :submitters:
  - :name: Ada
  - :name: Bob
"""


def content_of(name):
    return METADATA if name.endswith(".yml") else "" if name.endswith("timestamp.txt") else RIGHT


@pytest.fixture(params=["folder", "archive"])
def lay(request, tmp_path):
    """Puts files into a folder, or into an archive."""

    def lay(contents):
        if request.param == "folder":
            for name, content in contents.items():
                path = tmp_path / "class" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
            return tmp_path / "class"
        path = tmp_path / "class.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in contents.items():
                archive.writestr(name, content)
        return path

    return lay


def packed(contents):
    """The bytes of an archive."""
    import io

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_student_is_found_once(layout, lay):
    names, students = LAYOUTS[layout]
    source = lay({name: content_of(name) for name in names})
    found = find_submissions(source, "01")
    assert [submission.student for submission in found] == students
    assert {take(submission).content for submission in found} == {RIGHT.encode()}
    assert chapters_handed_in(source, ["01", "02"]) == ["01"]
    assert not [name for name in not_graded(source) if name.endswith(".ipynb")]


def test_students_hand_in_archives(lay):
    source = lay({
        "ada.zip": packed({f"ada/{NAME}": RIGHT, "__MACOSX/ada/._x": "x", "ada/02_layout.ipynb": OTHER}),
        "smithbob_4322_99002_work.zip": packed({f"work/{NAME}": RIGHT}),
        "cyd/all.zip": packed({"deep.zip": packed({NAME: RIGHT})}),
    })  # fmt: skip
    found = find_submissions(source, "01")
    assert [submission.student for submission in found] == ["ada", "cyd", "smithbob_4322"]
    assert {take(submission).content for submission in found} == {RIGHT.encode()}


def test_a_renamed_file_is_told_by_its_cells_or_by_its_functions(lay):
    without_ids = notebook_text([{**cell, "id": "x"} for cell in right_cells()])
    source = lay({
        "ada/final FINAL (my work).ipynb": RIGHT, "ada/other.ipynb": OTHER,
        "bob/Untitled.ipynb": without_ids, "bob/other.ipynb": OTHER,
    })  # fmt: skip
    assert [take(s).problem for s in find_submissions(source, "01")] == ["", ""]
    assert [take(s).content for s in find_submissions(source, "02")] == [OTHER.encode()] * 2


@pytest.mark.parametrize("marks", ["# %% {}\n", "# In[{}]:\n\n", ""])
def test_a_python_file_is_graded(marks, lay):
    sources = [answer_source(e, e.right[0].function) for e in exercises("01")]
    sources[0] = "def numel(shape:\n    return 1"  # which costs that answer
    text = "\n\n".join(marks.format(n) + source for n, source in enumerate(sources)) + "\n"
    (submission,) = find_submissions(lay({"ada.py": text}), "01")
    rows = list(Grader(exercises("01")).rows(take(submission).content, "ada"))
    assert [row.points for row in rows] == [0, *[e.points for e in exercises("01")[1:]]]


@pytest.mark.parametrize("name", ["submitted.zip", "assignment_7_export.zip"])
def test_no_archive_of_a_student_stands_above_the_others(name, lay):
    source = lay({"ada.ipynb": RIGHT, "bob.ipynb": RIGHT, name: packed({f"ada/{NAME}": OTHER})})
    found = {submission.student: submission for submission in find_submissions(source, "01")}
    assert sorted(found) == sorted(["ada", "bob", Path(name).stem])
    assert [take(found[student]).content for student in ("ada", "bob")] == [RIGHT.encode()] * 2


def test_a_student_says_nothing_of_who_others_are(lay):
    lie = METADATA.replace("Ada", "Mallory")
    source = lay({
        f"submission_55/{NAME}": RIGHT, f"submission_57/{NAME}": RIGHT, "submission_metadata.yml": METADATA,
        "submission_57/submission_metadata.yml": lie, "a/submission_metadata.yml": lie,
    })  # fmt: skip
    assert [s.student for s in find_submissions(source, "01")] == ["Ada", "a", "submission_57"]


def test_the_last_attempt_counts(lay):
    source = lay({
        f"byronada_4321_99001_{NAME}": "{", "byronada_4321_99007_01_a_tensor_is_a_line-1.ipynb": "{",
        "byronada_4321_99008_01_a_tensor_is_a_line-2.ipynb": RIGHT,
        f"bob/{NAME}": "{", "bob/01_a_tensor_is_a_line (1).ipynb": RIGHT,
    })  # fmt: skip
    assert [take(s).content for s in find_submissions(source, "01")] == [RIGHT.encode()] * 2


def test_the_grader_does_not_choose_otherwise(lay):
    (submission,) = find_submissions(lay({f"ada/{NAME}": RIGHT, "ada/01_new.ipynb": RIGHT}), "01")
    assert (
        submission.problem
        == "Several notebooks of chapter 01: ada/01_a_tensor_is_a_line.ipynb, ada/01_new.ipynb. Keep one."
    )


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"PK\x03\x04 no archive", "cannot be unpacked"),
        (packed({NAME: bytes(MAX_FILE + 1)}), "has more than"),
        (packed({"notes.txt": "x"}), "no notebook 01_"),
        (packed({f"../../{NAME}": RIGHT}), ""),
        (packed({f"{n}.txt": "" for n in range(2000)}), "holds more than"),
        (
            packed(
                {f"{n}.zip": packed({f"{n}.zip": packed({"x": ""}) for n in range(40)}) for n in range(40)}
            ),
            "holds more than",
        ),
    ],
)
def test_archives_that_are_odd(content, says, lay):
    (submission,) = find_submissions(lay({"ada.zip": content}), "01")
    assert says in take(submission).problem
    assert submission.student == "ada"


def test_nothing_is_written_and_no_link_is_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / NAME).write_text(RIGHT)
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "ada").symlink_to(secret)
    (folder / "bob.ipynb").symlink_to(secret / NAME)
    before = sorted(Path(tmp_path).rglob("*"))
    (submission,) = find_submissions(folder, "01")
    assert "link" in take(submission).problem
    assert sorted(Path(tmp_path).rglob("*")) == before
