"""What an exercise that is being written is told: each thing that it owes, in a sentence of its own."""

from __future__ import annotations

import dataclasses
import json
import shutil

import pytest
from typer.testing import CliRunner

from tensorlab.cli import app
from tensorlab.grading.draft import NoDraft, cells_draft, suite_draft, with_cells
from tensorlab.grading.lint import lint, lint_hints, lint_notebook
from tensorlab.grading.suite import RightSolution, WrongSolution
from tensorlab.grading.suites import exercise
from tensorlab.learn.hints import hint_texts
from tests.notebooks import cells_of
from tests.site_fixtures import ROOT

NUMEL = exercise("01.numel")
PART = "tensorlab.core.layout:ranges_meet"
SOLUTIONS = ROOT / "solutions"


def changed(**fields):
    return dataclasses.replace(NUMEL, **fields)


def adds_up(shape):
    return sum(shape)


def multiplies(shape):
    count = 1
    for size in shape:
        count = size * count
    return count


ADDS_UP = WrongSolution(adds_up, "Sizes add up.", "Each row has all the columns.")


@pytest.mark.parametrize(
    ("owing", "says"),
    [
        (changed(id="1.numel"), "the id '1.numel' is no chapter and name"),
        (changed(id="01.count"), "name two functions"),
        (changed(stars=5), "stars go from 1 to 4, not 5"),
        (changed(signature="count(shape)"), "is not one of 'numel'"),
        (changed(task="Count the elements"), "is no sentence"),
        (changed(title="A heading."), "is no heading"),
        (changed(topics=NUMEL.topics[:1]), "1 given, 2 needed"),
        (changed(topics=NUMEL.topics * 2), "two topics are called"),
        (
            changed(topics=(dataclasses.replace(NUMEL.topics[0], points=0), *NUMEL.topics[1:])),
            "gives 0 points",
        ),
        (
            changed(topics=(dataclasses.replace(NUMEL.topics[0], public=()), *NUMEL.topics[1:])),
            "no public case",
        ),
        (changed(wrong=NUMEL.wrong[:7]), "8 wrong solutions are needed"),
        (changed(wrong=(*NUMEL.wrong, NUMEL.wrong[0])), "two wrong solutions hold the belief"),
        (changed(right=NUMEL.right[:1]), "2 right solutions are needed"),
        (
            changed(right=(*NUMEL.right, RightSolution(adds_up, "It adds."))),
            "the right solution 'adds_up' gets",
        ),
        (
            changed(wrong=(*NUMEL.wrong, dataclasses.replace(ADDS_UP, function=multiplies))),
            "no question finds",
        ),
    ],
)
def test_what_is_owed_is_named(owing, says):
    assert any(says in line for line in lint(owing)), lint(owing)


def test_a_changed_answer_that_keeps_its_points_is_found():
    """Without the topic of no dimensions, it doesn't matter what an empty shape gives."""
    kept = tuple(topic for topic in NUMEL.topics if "()" not in topic.title)
    assert kept != NUMEL.topics
    assert any("keep" in line for line in lint(changed(topics=kept)))


def test_hints_are_four_and_show_no_function():
    texts = hint_texts("01.numel")
    answers = ["def numel(shape):\n    result = math.prod(shape)\n    return result"]
    assert lint_hints(texts, answers) == []
    assert lint_hints(texts[:3], answers) == ["4 hints come before the solution: 3 given"]
    (found,) = lint_hints(("result = math.prod(shape)", *texts[1:]), answers)
    assert found == "hint 1 shows a line of the solution, 'result = math.prod(shape)'; only hint 4 may"


@pytest.mark.parametrize(
    ("role", "change", "says"),
    [
        ("prose", {"source": "Count!"}, "the text cell lacks `01.numel`"),
        ("answer", {"source": "numel = len"}, "the answer cell lacks def numel(shape):"),
        ("answer", {"id": "mine"}, "the answer cell is called 'mine'"),
        ("check", {"source": ""}, "the check cell lacks check("),
        ("hint", {"source": 'hint("01.numel")'}, "the hint cell lacks #"),
        ("hint", {"metadata": {}}, "it has prose, answer, check"),
        (
            "check",
            {"metadata": {"tensorlab": {"exercise": "01.numel", "role": "check"}}},
            "metadata give None",
        ),
    ],
)
def test_a_cell_that_is_not_as_it_should_be_is_named(role, change, says):
    (path,) = SOLUTIONS.glob("01_*.ipynb")
    cells = json.loads(json.dumps(cells_of(path)))
    assert lint_notebook(NUMEL, cells) == []
    about = {"exercise": "01.numel", "role": role}
    (cell,) = (c for c in cells if about.items() <= c["metadata"].get("tensorlab", {}).items())
    cell |= change
    assert any(says in line for line in lint_notebook(NUMEL, cells)), lint_notebook(NUMEL, cells)


def test_a_draft_owes_only_what_nobody_can_derive(tmp_path):
    names = {"__name__": "draft"}
    exec(compile(suite_draft("02.ranges_meet", PART), "draft", "exec"), names)
    drafted = names["RANGES_MEET"]
    assert drafted.reference((0, 4), (4, 9))
    found = lint(drafted)
    assert [line.partition(":")[0] for line in found] == [
        "one topic tells no half answer from a whole one",
        "8 wrong solutions are needed, each from a belief that somebody holds",
        "2 right solutions are needed, on other ways than the library",
    ]
    cells = cells_draft("02.ranges_meet", PART)
    assert lint_notebook(drafted, cells) == []
    answer = {}
    exec("".join(cells[1]["source"]), answer)
    assert answer["ranges_meet"]((0, 4), (4, 9))


def test_the_cells_of_a_draft_come_before_the_chapter_is_adopted():
    (path,) = SOLUTIONS.glob("02_*.ipynb")
    notebook = json.loads(path.read_text("utf-8"))
    ids = [cell["id"] for cell in with_cells(notebook, cells_draft("02.ranges_meet", PART))["cells"]]
    place = ids.index("adopt-text")
    assert ids[place - 4 : place] == [
        f"02-ranges_meet-{role}" for role in ("text", "answer", "check", "hint")
    ]
    assert len(ids) == len(notebook["cells"]) + 4


@pytest.mark.parametrize(
    "part", ["numel", "tensorlab.core.layout:nothing", "no.module:numel", ":", "math:pi"]
)
def test_what_is_no_function_gives_no_draft(part):
    with pytest.raises(NoDraft):
        suite_draft("02.x", part)


class TestCommands:
    """As an author uses them, in a copy of the project's folders."""

    @pytest.fixture
    def project(self, tmp_path, monkeypatch):
        shutil.copytree(SOLUTIONS, tmp_path / "solutions")
        (tmp_path / "tensorlab" / "grading" / "suites").mkdir(parents=True)
        for module in ("new_exercise", "lint_exercise"):
            monkeypatch.setattr(f"tensorlab.cli.{module}.find_root", lambda: tmp_path)
        return tmp_path

    def run(self, *arguments):
        done = CliRunner().invoke(app, arguments)
        return done.exit_code, " ".join(done.output.split())

    def test_from_a_function_to_what_its_exercise_owes(self, project):
        code, told = self.run("new-exercise", "02.ranges_meet", PART)
        assert (code, "solutions/02_strides.ipynb has four more cells" in told) == (0, True)
        assert "tensorlab lint-exercise tensorlab.grading.suites.ch02_ranges_meet:RANGES_MEET" in told
        suite = project / "tensorlab" / "grading" / "suites" / "ch02_ranges_meet.py"
        assert suite.read_text("utf-8") == suite_draft("02.ranges_meet", PART)

    def test_nothing_is_replaced(self, project):
        assert self.run("new-exercise", "02.ranges_meet", PART)[0] == 0
        before = (project / "solutions" / "02_strides.ipynb").read_bytes()
        assert self.run("new-exercise", "02.ranges_meet", PART)[0] == 2
        (project / "tensorlab" / "grading" / "suites" / "ch02_ranges_meet.py").unlink()
        code, told = self.run("new-exercise", "02.ranges_meet", PART)
        assert (code, "has cells of 02.ranges_meet already" in told) == (2, True)
        assert (project / "solutions" / "02_strides.ipynb").read_bytes() == before

    @pytest.mark.parametrize("arguments", [("2.x", PART), ("98.x", PART), ("02.x", "tensorlab:nothing")])
    def test_what_cannot_be_begun_is_one_sentence(self, project, arguments):
        code, told = self.run("new-exercise", *arguments)
        assert (code, told.count("tensorlab: ")) == (2, 1)

    def test_an_exercise_of_the_book_is_whole(self, project):
        assert self.run("lint-exercise", "01.numel") == (0, "01.numel: whole")

    def test_a_leak_in_the_text_is_told(self, project):
        (path,) = (project / "solutions").glob("01_*.ipynb")
        notebook = json.loads(path.read_text("utf-8"))
        answer = next(cell for cell in notebook["cells"] if cell["id"] == NUMEL.answer_cell)
        line = next(line.strip() for line in answer["source"] if "*" in line or "prod" in line)
        notebook["cells"][0]["source"] = f"It is done so:\n\n    {line}"
        path.write_text(json.dumps(notebook), encoding="utf-8")
        code, told = self.run("lint-exercise", "01.numel")
        assert (code, "also stands outside the marks" in told) == (1, True)

    @pytest.mark.parametrize("which", ["01.nummel", "math:pi", "no.module:X"])
    def test_what_is_no_exercise_is_one_sentence(self, project, which):
        code, told = self.run("lint-exercise", which)
        assert (code, told.startswith("tensorlab: ")) == (2, True)
