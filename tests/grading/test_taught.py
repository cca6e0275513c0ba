"""An exercise needs only what its chapter and those before have taught: its solution has no other names."""

from __future__ import annotations

import ast
import builtins
import json
import re
from pathlib import Path

import pytest

from tensorlab.grading.release import solution_notebooks
from tensorlab.grading.suites import exercises

ROOT = Path(__file__).parents[2]

#: What the reader knows from Python.
PYTHON = {name for kind in (list, tuple, str, dict, set, int, float, bytes) for name in dir(kind)}
MODULES = {"math", "itertools", "functools", "operator"}


def texts_up_to(chapter: str) -> str:
    """What a reader of the chapters up to this one has seen: their cells, and the text of their exercises."""
    chapters = sorted((ROOT / "book" / "chapters").glob("*.ipynb"))
    seen = [path for path in chapters if path.name[:2] <= chapter]
    parts = ["".join(c["source"]) for path in seen for c in json.loads(path.read_text("utf-8"))["cells"]]
    for path in solution_notebooks(ROOT / "solutions"):
        if path.name[:2] <= chapter:
            cells = json.loads(path.read_text("utf-8"))["cells"]
            parts += ["".join(c["source"]) for c in cells if c["cell_type"] == "markdown"]
    return "\n".join(parts)


def names_of(source: str) -> set[str]:
    """The names behind a dot that are neither Python's nor a standard module's."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            of_module = isinstance(node.value, ast.Name) and node.value.id in MODULES
            if not of_module and node.attr not in PYTHON and node.attr not in dir(builtins):
                found.add(node.attr)
    return found


def solutions() -> list[tuple[str, str, str]]:
    answers = []
    for path in solution_notebooks(ROOT / "solutions"):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            about = cell["metadata"].get("tensorlab", {})
            if about.get("role") == "answer":
                answers.append((path.name[:2], about["exercise"], "".join(cell["source"])))
    return answers


SOLUTIONS = solutions()


@pytest.mark.parametrize(("chapter", "exercise", "source"), SOLUTIONS, ids=[s[1] for s in SOLUTIONS])
def test_every_name_of_a_solution_was_taught(chapter: str, exercise: str, source: str) -> None:
    text = texts_up_to(chapter)
    unknown = [name for name in names_of(source) if not re.search(rf"\b{name}\b", text)]
    assert unknown == []


def test_all_exercises_are_looked_at() -> None:
    assert {exercise for _, exercise, _ in SOLUTIONS} == {e.id for e in exercises()}


def test_a_name_that_nobody_taught_is_found() -> None:
    assert names_of("x.cholesky(); [].append(1); math.prod(())") == {"cholesky"}
    assert not re.search(r"\bcholesky\b", texts_up_to("05"))
