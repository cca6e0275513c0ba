"""An exercise needs only what its chapter and the chapters before it have shown, or its own text says."""

from __future__ import annotations

import ast
import builtins
import json
import re

import pytest

from tensorlab.grading.suites import chapters, exercises

from .conftest import ROOT

PYTHON = {*dir(builtins), *dir(str), *dir(list), *dir(dict), *dir(set), *dir(slice), "indices"}


def words(folder: str, chapter: str) -> set[str]:
    """Every name that stands in a chapter's notebook, in prose or in code."""
    (path,) = (ROOT / folder).glob(f"{chapter}_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return set(re.findall(r"\w+", "\n".join("".join(cell["source"]) for cell in cells)))


def answer(chapter: str, exercise_id: str) -> tuple[str, str]:
    """The solution cell of an exercise, and the prose before it."""
    (path,) = (ROOT / "solutions").glob(f"{chapter}_*.ipynb")
    found = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        about = cell["metadata"].get("tensorlab", {})
        if about.get("exercise") == exercise_id:
            found[about["role"]] = "".join(cell["source"])
    return found["answer"], found["prose"]


@pytest.mark.parametrize("exercise", exercises(), ids=lambda exercise: exercise.id)
def test_the_solution_uses_only_what_was_shown(exercise):
    known = [chapter for chapter in chapters() if chapter <= exercise.chapter]
    source, prose = answer(exercise.chapter, exercise.id)
    shown = set().union(*(words("book/chapters", chapter) for chapter in known)) | set(
        re.findall(r"\w+", prose)
    )
    used = {node.attr for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)}
    assert used - shown - PYTHON == set()


def test_a_name_that_nobody_has_shown_is_found():
    source, _ = answer("03", "03.setitem")
    assert "copy_" in source
    assert "copy_" not in words("book/chapters", "01")
