"""The worked example of *How to add an exercise* runs, and its exercise is one that could be added."""

from __future__ import annotations

import json

from tensorlab.grading.lint import lint_contract, lint_worth
from tensorlab.grading.suite import Exercise
from tests.site_fixtures import ROOT


def test_the_worked_example_runs_and_its_exercise_is_whole():
    names: dict = {"__name__": "example"}
    cells = json.loads((ROOT / "book" / "adding_an_exercise.ipynb").read_text("utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    whole = names["whole"]
    assert isinstance(whole, Exercise)
    assert {row.kind for row in names["rows"]} == {"reference", "right", "starter", "wrong"}
    assert len(names["survivors"]) == 3
    assert [*lint_contract(whole), *lint_worth(whole, names["rows"])] == []
