"""The grader's promise: starter 0, reference and right solutions full, every known wrong one loses points."""

from __future__ import annotations

import functools
import json
import random
import re

import pytest

from tensorlab.grading.grader import Grader, process_boxes
from tensorlab.grading.judge import draw
from tensorlab.grading.notebook import read_notebook
from tensorlab.grading.outcomes import ask_directly, passes
from tensorlab.grading.proof import as_html, as_markdown, kill_rows, known_solutions
from tensorlab.grading.sources import answer_source
from tensorlab.grading.suite import Secret
from tensorlab.grading.suites import exercise, exercises

#: A cell that leaves the names of no cell before it. Two solutions may have helpers of one name.
FORGET = """
for name in [*globals()]:
    if name[0] != "_" and name not in ("display", "get_ipython"):
        del globals()[name]
"""

EXERCISES = [e.id for e in exercises()]
SOLUTIONS = [
    pytest.param(e.id, place, id=f"{e.id}-{name}")
    for e in exercises()
    for place, (_, name, _, _) in enumerate(known_solutions(e))
]


@functools.cache
def rows_of(exercise_id):
    """The rows of an exercise, made where a test asks: every process that runs tests imports this file."""
    return kill_rows(exercise(exercise_id))


def all_rows():
    return [row for exercise_id in EXERCISES for row in rows_of(exercise_id)]


@pytest.mark.parametrize(("exercise_id", "place"), SOLUTIONS)
def test_every_known_solution_gets_what_it_should(exercise_id, place):
    row = rows_of(exercise_id)[place]
    assert row.as_it_should, row


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_there_are_enough_known_solutions(exercise_id):
    kinds = [row.kind for row in rows_of(exercise_id)]
    assert kinds.count("wrong") >= 8
    assert kinds.count("right") >= 2
    assert kinds.count("starter") == kinds.count("reference") == 1


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_beliefs_are_different_and_lose_differently(exercise_id):
    wrong = [row for row in rows_of(exercise_id) if row.kind == "wrong"]
    assert len({row.says for row in wrong}) == len(wrong)
    assert len({row.solution for row in wrong}) == len(wrong)


def test_a_student_is_told_the_belief_that_is_really_there():
    """Feedback specificity: every known wrong solution is recognised as itself, not as a neighbour."""
    assert [row.solution for row in all_rows() if row.kind == "wrong" and not row.named] == []


@pytest.mark.parametrize("exercise", [e for e in exercises() if e.chapter <= "04"], ids=lambda e: e.id)
def test_a_known_solution_loses_the_same_whoever_hands_it_in(exercise):
    """What fresh cases find out by chance alone, a public case should find out for everybody."""
    lost: dict[str, set[frozenset[str]]] = {}
    for seed in range(6):
        questions = draw(exercise, random.Random(seed))
        for solution in exercise.wrong:
            got = ((q, ask_directly(solution.function, q.case.args)) for q in questions)
            titles = frozenset(q.topic.title for q, answer in got if not passes(answer, q.want, q.case))
            lost.setdefault(solution.name, set()).add(titles)
    assert {name: found for name, found in lost.items() if len(found) > 1} == {}


def test_some_wrong_solutions_keep_points():
    """Half right is worth something: partial points reward what works."""
    wrong = [row for row in all_rows() if row.kind == "wrong"]
    assert len([row for row in wrong if row.points > 0]) > len(wrong) / 2


def test_the_page_shows_every_row():
    rows = all_rows()
    markdown, page = as_markdown(rows), as_html(rows)
    assert markdown.count("\n") == len(rows) + 1
    assert page.count("<tr") == len(rows) + 1
    assert len(re.findall(r"<t[dh]\b", page)) == 5 * (len(rows) + 1)
    assert "<script" not in page
    assert all(line.count("|") - line.count("\\|") == 6 for line in markdown.splitlines())


@pytest.fixture(scope="module")
def box_of():
    """The box of a chapter, which all its notebooks share: to start one takes longer than to grade in it."""
    boxes = {}

    def box(chapter):
        if chapter not in boxes:
            boxes[chapter] = process_boxes(exercises(chapter))()
        return boxes[chapter]

    yield box
    for opened in boxes.values():
        opened.close()


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_every_known_solution_gets_the_same_in_a_real_box(exercise_id, tmp_path, box_of, notebook_text):
    """One notebook a known solution, through the file reader, the runner and the decoder."""
    e = exercise(exercise_id)
    grader = Grader([e], Secret(b"a secret for the tests"), lambda: box_of(e.chapter))
    for row, (kind, name, _, function) in zip(rows_of(e.id), known_solutions(e), strict=True):
        assert (row.kind, row.solution) == (kind, name)
        if kind == "reference":
            continue  # in a box the library's own function is refused; the solution notebook is its proof
        path = tmp_path / f"{name}.ipynb"
        path.write_text(
            notebook_text(
                [
                    {"cell_type": "code", "source": FORGET},
                    {"cell_type": "code", "id": e.answer_cell, "source": answer_source(e, function)},
                ]
            )
        )
        notebook = read_notebook(path)
        (graded,) = [judged.row for judged in grader.judged(notebook, grader.session(notebook), name)]
        assert graded.points == row.points, (name, graded.feedback)


def test_sources_hold_no_trace_of_this_project():
    for e in exercises():
        for solution in (*e.wrong, *e.right):
            source = answer_source(e, solution.function)
            assert "tensorlab.grading" not in source
            assert not re.search(r"^\s*@", source, re.MULTILINE)
            assert f"def {e.name}(" in source
            compile(source, solution.name, "exec")
    json.dumps([row.says for row in all_rows()])
