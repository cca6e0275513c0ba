"""Cells that were deleted, copied, moved, retyped or relabelled: what they define is what counts."""

from __future__ import annotations

import pytest

from tensorlab.grading.suites import exercises

NUMEL = exercises("01")[0].answer_cell
WRONG, RIGHT = "def numel(shape): return 7", "import math\ndef numel(shape): return math.prod(shape)"


@pytest.fixture
def grade_cells(tmp_path, grade, request):
    text = request.getfixturevalue("notebook_text")

    def grade_cells(cells, **metadata):
        path = tmp_path / "ada.ipynb"
        path.write_text(text(cells, **metadata), encoding="utf-8")
        return grade(path)["01.numel"]

    return grade_cells


def cell(source, cell_id=NUMEL, kind="code", **metadata):
    return {"cell_type": kind, "id": cell_id, "source": source, "metadata": metadata}


def test_a_deleted_answer(grade_cells):
    row = grade_cells([])
    assert (row.points, row.status) == (0, "missing")
    assert row.feedback == "No cell defines numel. Write def numel(shape): in a code cell."


def test_an_answer_in_another_cell(grade_cells):
    assert grade_cells([cell(RIGHT, "scratch")]).points == 4


def test_cells_without_ids(grade_cells):
    assert grade_cells([{"cell_type": "code", "source": RIGHT}]).points == 4


def test_a_copied_answer_cell_the_last_one_wins(grade_cells):
    assert grade_cells([cell(WRONG), cell(RIGHT)]).points == 4
    assert grade_cells([cell(RIGHT), cell(WRONG)]).points == 0


@pytest.mark.parametrize(
    ("kind", "named"), [("markdown", "a Markdown cell"), ("raw", "a raw cell"), ("?", "no code")]
)
def test_an_answer_that_is_no_code_any_more(grade_cells, kind, named):
    row = grade_cells([cell(RIGHT, kind=kind)])
    assert (row.points, row.status) == (0, "missing")
    assert named in row.feedback
    assert "Make it a code cell again" in row.feedback


def test_a_syntax_error_is_named_with_its_line(grade_cells):
    row = grade_cells([cell("def numel(shape):\n    return 1 +")])
    assert (row.points, row.status) == (0, "missing")
    assert "cell 1, line 2: return 1 +" in row.feedback
    assert "SyntaxError" in row.feedback


def test_a_renamed_function_is_named(grade_cells):
    row = grade_cells([cell("def my_numel(shape): return 1")])
    assert row.feedback == "The answer cell defines my_numel. The grader looks for the name numel."


def test_an_answer_cell_that_was_skipped(grade_cells):
    row = grade_cells([cell("import os; os._exit(0)\n" + RIGHT)])
    assert "was skipped, because it ended the process" in row.feedback


def test_an_empty_answer_cell(grade_cells):
    assert "does not define numel" in grade_cells([cell("# nothing yet")]).feedback


def test_an_error_after_the_definition_does_no_harm(grade_cells):
    assert grade_cells([cell(RIGHT + "\n1 / 0")]).points == 4


def test_claims_in_metadata_are_ignored(grade_cells):
    claims = {
        "nbgrader": {"points": 1000, "grade": True, "solution": False, "locked": True},
        "tensorlab": {"exercise": "01.numel", "role": "prose", "points": 1000},
        "tags": ["raises-exception", "skip-execution"],
    }
    kernel = {"kernelspec": {"name": "sudo", "language": "bash"}, "tensorlab": {"release": "x"}}
    row = grade_cells([cell(RIGHT, **claims)], **kernel)
    assert (row.points, row.max_points) == (4, 4)


def test_edited_checks_are_ignored(grade_cells):
    row = grade_cells([cell(WRONG), cell("assert True; print('4 of 4 points')", "01-numel-check")])
    assert row.points == 0


@pytest.mark.parametrize("damaged", [None, 7, cell(7), cell(["a", 7]), cell("x" * 600_000, "y", "markdown")])
def test_a_cell_that_is_none_costs_nothing_else(grade_cells, damaged):
    assert grade_cells([damaged, cell(RIGHT, "scratch"), damaged]).points == 4


def test_a_damaged_answer_is_named(grade_cells):
    row = grade_cells([cell("x" * 600_000), cell("y = 1", "scratch")])
    assert (row.points, row.status) == (0, "missing")
    assert "this cell has 600,000 characters and the limit is 500,000" in row.feedback


@pytest.mark.parametrize("magic", ["", "%%time\n"])
def test_a_cell_may_await_as_in_jupyter(grade_cells, magic):
    waits = "import asyncio\nawait asyncio.sleep(0)\n"
    assert grade_cells([cell(magic + waits + RIGHT), cell("await nothing", "scratch")]).points == 4
