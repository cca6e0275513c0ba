"""An exercise needs only what its chapter and the chapters before it have shown, or its own text says."""

from __future__ import annotations

import ast
import builtins
import functools
import json
import re

import pytest

from tensorlab.grading.suites import chapters, exercises

from .conftest import ROOT

# What the reader knows from Python: its own names, those of its types, and whatever these modules hold.
TYPES = (bytes, dict, float, int, list, set, slice, str, tuple)
PYTHON = {*dir(builtins), *(name for kind in TYPES for name in dir(kind))}
MODULES = {"functools", "itertools", "math", "operator"}


@functools.cache
def words(folder: str, chapter: str) -> frozenset[str]:
    """Every name that stands in a chapter's notebook, in prose or in code."""
    (path,) = (ROOT / folder).glob(f"{chapter}_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return frozenset(re.findall(r"\w+", "\n".join("".join(cell["source"]) for cell in cells)))


@functools.cache
def answers(chapter: str) -> dict[str, dict[str, str]]:
    """The solution cell of each exercise of a chapter, and the prose before it."""
    (path,) = (ROOT / "solutions").glob(f"{chapter}_*.ipynb")
    found: dict[str, dict[str, str]] = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        about = cell["metadata"].get("tensorlab", {})
        if "exercise" in about:
            found.setdefault(about["exercise"], {})[about["role"]] = "".join(cell["source"])
    return found


def names_of(source: str) -> set[str]:
    """The names behind a dot that are neither Python's nor a standard module's."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            of_module = isinstance(node.value, ast.Name) and node.value.id in MODULES
            if not of_module and node.attr not in PYTHON:
                found.add(node.attr)
    return found


@pytest.mark.parametrize("exercise", exercises(), ids=lambda exercise: exercise.id)
def test_the_solution_uses_only_what_was_shown(exercise):
    known = [chapter for chapter in chapters() if chapter <= exercise.chapter]
    cells = answers(exercise.chapter)[exercise.id]
    shown = frozenset().union(*(words("book/chapters", chapter) for chapter in known))
    assert names_of(cells["answer"]) - shown - set(re.findall(r"\w+", cells["prose"])) == set()


@pytest.mark.parametrize("chapter", chapters())
def test_every_exercise_of_the_notebooks_is_looked_at(chapter):
    expected = {exercise.id for exercise in exercises() if exercise.chapter == chapter}
    assert {name for name, cells in answers(chapter).items() if "answer" in cells} == expected


def test_a_name_that_nobody_has_shown_is_found():
    assert names_of("x.cholesky(); [].append(1); math.prod(())") == {"cholesky"}
    assert "copy_" in names_of(answers("03")["03.setitem"]["answer"])
    assert "copy_" not in words("book/chapters", "01")
