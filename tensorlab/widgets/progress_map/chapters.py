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
WORDS_A_MINUTE = 200
MINUTES_A_QUESTION = 0.75


@dataclass(frozen=True)
class Chapter:
    """One chapter.

    Attributes:
        page: the stem of its page, ``"03_views_without_copying"``.
        quizzes: kind and key of each quiz, in the order of the page.
        questions: how many answers the quizzes ask for.
        minutes: how long reading and answering take: 200 words a minute, and three quarters a question.
    """

    number: int
    title: str
    page: str
    quizzes: tuple[tuple[str, str], ...]
    exercises: tuple[Exercise, ...]
    questions: int = 0
    minutes: int = 0


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
    questions = sum(map(_questions, sources))
    words = len(re.findall(r"[A-Za-z][A-Za-z'’-]*", re.sub(r"`[^`]*`", "code", text)))
    minutes = round(words / WORDS_A_MINUTE + MINUTES_A_QUESTION * questions)
    title = heading[1].replace("`", "")
    return Chapter(int(number), title, path.stem, tuple(quizzes), asked, questions, minutes)


def _quizzes(source: str) -> Iterator[tuple[str, str]]:
    """Kind and key of each quiz that a cell makes."""
    for name, call in _calls(source):
        if name in QUIZZES and call.args and isinstance(call.args[0], ast.Constant):
            yield name, str(call.args[0].value)


def _questions(source: str) -> int:
    """How many answers the quizzes of a cell ask for: a Recall asks as many as it has questions."""
    return sum(name in ("Parsons", "Predict", "Question") for name, _ in _calls(source))


def _calls(source: str) -> Iterator[tuple[str, ast.Call]]:
    """Each call in a cell with the name of what is called; a cell with magics has none."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", ""), node
