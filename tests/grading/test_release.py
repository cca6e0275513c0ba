"""Exercises come from solutions: up to date, without a trace of an answer, never over anybody's work."""

from __future__ import annotations

import builtins
import json
import re
from pathlib import Path

import nbformat
import pytest

from tensorlab.grading import release
from tensorlab.grading.inside import values
from tensorlab.grading.lint import lint_notebook
from tensorlab.grading.otter import OTTER_BEGIN, OTTER_END, otter_copy
from tensorlab.grading.session import Limits
from tensorlab.grading.suites import chapters, exercise, exercises
from tests.grading.conftest import graded
from tests.notebooks import cells_of, source_of

ROOT = Path(__file__).parents[2]
SOLUTIONS = release.solution_notebooks(ROOT / "solutions")


def test_every_chapter_has_its_notebook():
    assert [path.name[:2] for path in SOLUTIONS] == list(chapters())


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.name)
def test_the_committed_exercises_are_up_to_date(path):
    target = ROOT / "exercises" / path.name
    assert target.read_text(encoding="utf-8") == release.released(path), "run: tensorlab release"


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.name)
def test_no_solution_leaks(path):
    text = (ROOT / "exercises" / path.name).read_text(encoding="utf-8")
    assert "BEGIN SOLUTION" not in text
    assert "END SOLUTION" not in text
    secret = [line for cell in cells_of(path) for line in release.solution_lines(source_of(cell))]
    assert len(secret) > 10
    for line in secret:
        assert json.dumps(line, ensure_ascii=False)[1:-1] not in text


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.name)
def test_each_exercise_has_its_text_answer_check_and_hint(path):
    cells = cells_of(path)
    assert [found for e in exercises(path.name[:2]) for found in lint_notebook(e, cells)] == []


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.name)
def test_each_notebook_offers_to_adopt_its_chapter(path):
    (cell,) = (cell for cell in cells_of(path) if cell["id"] == "adopt")
    assert source_of(cell) == f'tl.adopt("ch{path.name[:2]}")'


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.name)
def test_both_notebooks_are_valid_and_carry_nbgraders_metadata(path):
    for notebook in (path, ROOT / "exercises" / path.name):
        nbformat.validate(nbformat.read(notebook, as_version=4))
        ids = []
        for cell in cells_of(notebook):
            assert not cell.get("outputs")
            about = cell["metadata"].get("nbgrader")
            if about is None:
                assert cell["metadata"]["tensorlab"]["role"] == "hint"
                continue
            assert about["schema_version"] == 3
            assert {"grade", "grade_id", "locked", "solution", "task"} <= set(about)
            ids.append(about["grade_id"])
        assert len(ids) == len(set(ids))


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.name)
def test_the_examples_in_the_text_are_true(path):
    """Every row of every table: the call on the left gives what stands on the right.

    What a few calls cannot show, because it is what is written that counts, stands in a short program.
    """
    import tensorlab

    for e in exercises(path.name[:2]):
        prose = next(
            source_of(c)
            for c in cells_of(path)
            if c["metadata"].get("tensorlab", {}) == {"exercise": e.id, "role": "prose"}
        )
        rows = re.findall(r"^\| `(.+)` \| `(.+)` \|$", prose, re.MULTILINE)
        programs = re.findall(r"^```python\n(.+?)^```$", prose, re.MULTILINE | re.DOTALL)
        assert len(rows) >= 3 or programs or e.programs
        for program in programs if len(rows) < 3 else ():
            names = {"tl": tensorlab, e.name: e.reference}
            exec(program, names)
            for shown, answer in re.findall(r"^(.+?) +# (\(?tensor\(.+)$", program, re.MULTILINE):
                assert repr(eval(shown, names)) == answer, shown
        for call, answer in rows:
            names = {"tl": tensorlab, "layout": tensorlab.core.layout, e.name: e.reference}
            kind, _, text = answer.partition(": ")
            if kind.endswith("Error"):
                with pytest.raises(getattr(builtins, kind), match=re.escape(text)):
                    eval(call, names)
            else:
                given = eval(call, names)
                plain = values.decode(values.encode(given))
                assert repr(given) == answer or values.same(plain, eval(answer, names)), call


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.name)
def test_the_chapter_lists_the_same_exercises(path):
    chapter = (ROOT / "book" / "chapters" / path.name).read_text(encoding="utf-8")
    listed = re.findall(r"\| `(\d\d\.\w+)` \| [^|]+ \| (★+) \|", chapter)
    assert listed == [(e.id, "★" * e.stars) for e in exercises(path.name[:2])]


@pytest.fixture
def solution(tmp_path):
    """Writes a solution notebook of one answer cell, and some text cells."""

    def solution(source, *texts, exercise_id="01.numel"):
        answer = {
            "cell_type": "code",
            "id": "a",
            "metadata": {"tensorlab": {"exercise": exercise_id, "role": "answer"}},
            "source": source,
            "outputs": [{"output_type": "stream", "name": "stdout", "text": "elements *= size"}],
            "execution_count": 3,
        }
        prose = [
            {"cell_type": "markdown", "id": f"t{n}", "metadata": {}, "source": t} for n, t in enumerate(texts)
        ]
        path = tmp_path / "01_test.ipynb"
        path.write_text(
            json.dumps({"cells": [answer, *prose], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
        )
        return path

    return solution


GOOD = "def numel(shape):\n    ### BEGIN SOLUTION\n    return secret_product(shape)\n    ### END SOLUTION\n"


def test_the_solution_and_the_outputs_go(solution):
    text = release.released(solution(GOOD))
    cell = json.loads(text)["cells"][0]
    assert source_of(cell) == (
        'def numel(shape):\n    raise NotImplementedError("replace this line with the body of numel")'
    )
    assert (cell["outputs"], cell["execution_count"]) == ([], None)
    assert "secret_product" not in text
    assert "elements *= size" not in text


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("def numel(shape):\n    return 1", "needs one"),
        (GOOD + GOOD, "needs one"),
        (GOOD.replace("    ### END SOLUTION\n", ""), "needs one"),
        (GOOD.replace("    ### BEGIN SOLUTION\n", ""), "without its partner"),
        (GOOD.replace("### BEGIN SOLUTION", "### BEGIN SOLUTION now"), "alone on its line"),
        (GOOD.replace("### BEGIN", "### BEGIN SOLUTION\n    ### BEGIN"), "without its partner"),
        (GOOD + "\n# return secret_product(shape)".replace("# ", ""), "outside the marks"),
    ],
)
def test_marks_that_do_not_fit_release_nothing(source, says, solution):
    with pytest.raises(release.ReleaseError, match=says):
        release.released(solution(source))


def test_a_solution_repeated_in_the_text_releases_nothing(solution):
    with pytest.raises(release.ReleaseError, match="outside the marks"):
        release.released(solution(GOOD, "Like this:\n\n    return secret_product(shape)\n"))


def test_an_unknown_exercise_releases_nothing(solution):
    with pytest.raises(release.ReleaseError, match=r"no exercise is called .01\.nope."):
        release.released(solution(GOOD, exercise_id="01.nope"))


def test_marks_in_a_text_release_nothing(solution):
    with pytest.raises(release.ReleaseError, match="outside an answer cell"):
        release.released(solution(GOOD, "### BEGIN SOLUTION"))


def test_a_release_knows_that_it_is_untouched(solution, tmp_path):
    target = tmp_path / "exercise.ipynb"
    target.write_text(release.released(solution(GOOD)), encoding="utf-8")
    assert not release.was_worked_in(target)


def change_source(cell):
    cell["source"] = "def numel(shape): return 1"


def change_outputs(cell):
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "6"}]


def change_count(cell):
    cell["execution_count"] = 1


def change_kind(cell):
    cell["cell_type"] = "raw"


@pytest.mark.parametrize("change", [change_source, change_outputs, change_count, change_kind])
def test_any_work_in_it_shows(change, solution, tmp_path):
    notebook = json.loads(release.released(solution(GOOD)))
    change(notebook["cells"][0])
    target = tmp_path / "exercise.ipynb"
    target.write_text(release.as_text(notebook), encoding="utf-8")
    assert release.was_worked_in(target)


@pytest.mark.parametrize("content", ["", "not JSON", "{}", '{"cells": []}', '{"cells": [], "metadata": 7}'])
def test_what_is_not_ours_counts_as_work(content, tmp_path):
    target = tmp_path / "exercise.ipynb"
    target.write_text(content)
    assert release.was_worked_in(target)


def test_starters_are_kind_and_solutions_are_full(interpreted):
    """The two committed notebooks, through a real box and within the limits that students have.

    The grader is interpreted as its boxes are: kernels would be compiled for its own answers alone.
    """
    for path in SOLUTIONS:
        full = interpreted(graded, path, path.name[:2], Limits())
        assert {row.question: row.points for row in full.values()} == {
            e.id: e.points for e in exercises(path.name[:2])
        }
        empty = interpreted(graded, ROOT / "exercises" / path.name, path.name[:2], Limits())
        assert {(row.points, row.status) for row in empty.values()} == {(0, "unanswered")}
        for row in empty.values():
            assert row.feedback.startswith(f"{exercise(row.question).name} is not written yet")


class TestOtter:
    """What `otter assign` takes; Otter itself is not needed to see that no answer could get out."""

    @pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.name)
    def test_every_answer_stands_between_otters_marks(self, path):
        cells = json.loads(otter_copy(path))["cells"]
        nbformat.validate(nbformat.from_dict(json.loads(otter_copy(path))))
        assert len({cell["id"] for cell in cells}) == len(cells)
        texts = [source_of(cell) for cell in cells]
        answers = [place for place, text in enumerate(texts) if OTTER_BEGIN in text and "def " in text]
        assert len(answers) == len(exercises(path.name[:2]))
        for place in answers:
            assert (texts[place - 1], texts[place + 1]) == (OTTER_BEGIN, OTTER_END)
            assert {cells[place - 1]["cell_type"], cells[place + 1]["cell_type"]} == {"raw"}
        solution = [line for cell in cells_of(path) for line in release.solution_lines(source_of(cell))]
        others = "\n".join(text for place, text in enumerate(texts) if place not in answers)
        assert [line for line in solution if line in others.splitlines()] == []
        assert not any(release.BEGIN in text for text in texts), "Otter would hand this out"

    @pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.name)
    def test_a_question_for_each_exercise_with_its_points_by_topic(self, path):
        text = "\n".join(source_of(cell) for cell in json.loads(otter_copy(path))["cells"])
        for asked in exercises(path.name[:2]):
            name = asked.id.replace(".", "_")
            shape = rf"# BEGIN QUESTION\nname: {name}\npoints: (\d+)\n(.*?)# END QUESTION"
            question = re.search(shape, text, re.S)
            assert int(question[1]) == asked.points
            points = re.findall(r"^points: (\d+)\nhidden: false$", question[2], re.M)
            assert list(map(int, points)) == [topic.points for topic in asked.topics]

    def test_the_tests_tell_a_right_answer_from_a_wrong_one(self):
        cells = json.loads(otter_copy(SOLUTIONS[0]))["cells"]
        tests = [source_of(cell) for cell in cells if cell["id"].startswith("01_numel-test-")]
        sources = {"right": _multiplies, "wrong": sum, "starter": lambda shape: None}
        passed = {}
        for kind, function in sources.items():
            passed[kind] = 0
            for test in tests:
                try:
                    exec(test, {"numel": function})
                    passed[kind] += 1
                except (AssertionError, IndexError):
                    pass
        assert passed == {"right": len(tests), "wrong": 0, "starter": 0}


def _multiplies(shape):
    count = 1
    for size in shape:
        count *= size
    return count
