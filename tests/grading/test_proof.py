"""The grader's promise: starter 0, reference and right solutions full, every known wrong one loses points."""

from __future__ import annotations

import functools
import json
import random
import re

import pytest

from tensorlab.grading.grader import Grader
from tensorlab.grading.judge import draw
from tensorlab.grading.lint import lint_contract, lint_worth
from tensorlab.grading.notebook import read_notebook
from tensorlab.grading.outcomes import answer_of, passes
from tensorlab.grading.proof import as_html, as_markdown, kill_rows, known_solutions
from tensorlab.grading.sources import answer_source
from tensorlab.grading.suite import Secret
from tensorlab.grading.suites import exercise, exercises
from tests.grading.conftest import quickest

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


def rows(exercise_id):
    return kill_rows(exercise(exercise_id))


@pytest.fixture(scope="module")
def rows_of(interpreted):
    """The rows of an exercise, made where a test asks: every process that runs tests imports this file."""
    return functools.cache(lambda exercise_id: interpreted(rows, exercise_id))


@pytest.fixture
def all_rows(rows_of):
    return [row for exercise_id in EXERCISES for row in rows_of(exercise_id)]


@pytest.mark.parametrize(("exercise_id", "place"), SOLUTIONS)
def test_every_known_solution_gets_what_it_should(exercise_id, place, rows_of):
    row = rows_of(exercise_id)[place]
    assert row.as_it_should, row


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_an_exercise_owes_nothing(exercise_id, rows_of):
    """Enough known solutions, each told a belief of its own, and each topic lost by one of them."""
    asked = exercise(exercise_id)
    assert [*lint_contract(asked), *lint_worth(asked, rows_of(exercise_id))] == []


def lost_by_chance(exercise_id):
    """The known solutions that lose other topics with other fresh cases."""
    asked = exercise(exercise_id)
    lost: dict[str, set[frozenset[str]]] = {}
    for seed in range(6):
        questions = draw(asked, random.Random(seed))
        for solution in asked.wrong:
            got = ((q, answer_of(solution.function, asked, q.case)) for q in questions)
            titles = frozenset(q.topic.title for q, answer in got if not passes(answer, q.want, q.case))
            lost.setdefault(solution.name, set()).add(titles)
    return {name: found for name, found in lost.items() if len(found) > 1}


@pytest.mark.parametrize("exercise_id", [e.id for e in exercises() if e.chapter <= "04"])
def test_a_known_solution_loses_the_same_whoever_hands_it_in(exercise_id, interpreted):
    """What fresh cases find out by chance alone, a public case should find out for everybody."""
    assert interpreted(lost_by_chance, exercise_id) == {}


def test_some_wrong_solutions_keep_points(all_rows):
    """Half right is worth something: partial points reward what works."""
    wrong = [row for row in all_rows if row.kind == "wrong"]
    assert len([row for row in wrong if row.points > 0]) > len(wrong) / 2


def test_the_page_shows_every_row(all_rows):
    markdown, page = as_markdown(all_rows), as_html(all_rows)
    assert markdown.count("\n") == len(all_rows) + 1
    folds = len({row.exercise for row in all_rows})
    assert page.count("<details") == folds
    assert page.count("<tr") == len(all_rows) + folds
    assert len(re.findall(r"<t[dh]\b", page)) == 4 * (len(all_rows) + folds)
    assert "<script" not in page
    assert all(line.count("|") - line.count("\\|") == 6 for line in markdown.splitlines())


#: The box of a chapter, which all its notebooks share: to start one takes longer than to grade in it.
BOXES = {}


class Shared:
    """A box that outlives the notebook. A known solution harms none."""

    def __init__(self, box):
        self.box, self.ask = box, box.ask

    @property
    def charged(self):
        return self.box.charged

    def close(self):
        pass


def graded(exercise_id, paths):
    """The row of each notebook."""
    e = exercise(exercise_id)
    if e.chapter not in BOXES:
        BOXES[e.chapter] = quickest()[1]()
    grader = Grader([e], Secret(b"a secret for the tests"), lambda: Shared(BOXES[e.chapter]))
    notebooks = [(path.stem, read_notebook(path)) for path in paths]
    return [
        judged.row
        for name, notebook in notebooks
        for judged in grader.judged(notebook, grader.session(notebook), name)
    ]


def close_boxes():
    for box in BOXES.values():
        box.close()


@pytest.fixture(scope="module")
def grade_all(interpreted):
    yield lambda exercise_id, paths: interpreted(graded, exercise_id, paths)
    interpreted(close_boxes)


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_every_known_solution_gets_the_same_in_a_real_box(
    exercise_id, tmp_path, rows_of, grade_all, notebook_text, every
):
    """One notebook a known solution, of five one, through the file reader, the runner and the decoder.

    In a box the library's own function is refused; the solution notebook is its proof.
    """
    e = exercise(exercise_id)
    known = list(zip(rows_of(e.id), known_solutions(e), strict=True))
    assert all((row.kind, row.solution) == (kind, name) for row, (kind, name, _, _) in known)
    handed_in = [(row, function) for row, (kind, _, _, function) in known if kind != "reference"][:: every(5)]
    paths = [tmp_path / f"{row.kind}_{row.solution}.ipynb" for row, _ in handed_in]
    for path, (_, function) in zip(paths, handed_in, strict=True):
        answer = {"cell_type": "code", "id": e.answer_cell, "source": answer_source(e, function)}
        path.write_text(notebook_text([{"cell_type": "code", "source": FORGET}, answer]))
    for got, (row, _) in zip(grade_all(e.id, paths), handed_in, strict=True):
        assert got.points == row.points, (row.solution, got.feedback)


def test_sources_hold_no_trace_of_this_project(all_rows):
    for e in exercises():
        for solution in (*e.wrong, *e.right):
            source = answer_source(e, solution.function)
            assert "tensorlab.grading" not in source
            assert not re.search(r"^@|solutions\.(right|wrong)", source, re.MULTILINE)
            assert e.opening.partition("(")[0] in source
            compile(source, solution.name, "exec")
    json.dumps([row.says for row in all_rows])
