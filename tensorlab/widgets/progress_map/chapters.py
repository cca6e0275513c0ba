"""What there is to do in each chapter of the book: quizzes and exercises, read from their files."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tensorlab.grading.suite import Exercise
from tensorlab.grading.suites import chapters, exercises

QUIZZES = ("Parsons", "Predict", "Recall")


@dataclass(frozen=True)
class Chapter:
    """One chapter.

    Attributes:
        page: the stem of its page, ``"03_views_without_copying"``.
        quizzes: kind and key of each quiz, in the order of the page.
    """

    number: int
    title: str
    page: str
    quizzes: tuple[tuple[str, str], ...]
    exercises: tuple[Exercise, ...]


def chapters_in(folder: Path) -> list[Chapter]:
    """The chapters whose notebooks stand in a folder, ``NN_name.ipynb``, in order.

    Raises:
        ValueError: a chapter has no heading.
    """
    return [_chapter(path) for path in sorted(folder.glob("[0-9][0-9]_*.ipynb"))]


def _chapter(path: Path) -> Chapter:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    if heading is None:
        raise ValueError(f"{path.name} has no heading '# …', from which the map takes the chapter's title")
    number = path.name[:2]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    quizzes = [quiz for source in sources for quiz in _quizzes(source)]
    asked = exercises(number) if number in chapters() else ()
    return Chapter(int(number), heading[1].replace("`", ""), path.stem, tuple(quizzes), asked)


def _quizzes(source: str) -> Iterator[tuple[str, str]]:
    """Kind and key of each quiz that a cell makes; a cell with magics makes none."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name in QUIZZES:
                yield name, str(node.args[0].value)
