"""Submissions to grade: the released notebook with right answers, and what a test puts in their place."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tensorlab.cli import app
from tensorlab.grading.boxes import BoxError, BoxFactory, Level, bubblewrap
from tensorlab.grading.grader import Grader, Row, boxes
from tensorlab.grading.pool import Task, rows_of
from tensorlab.grading.session import Limits
from tensorlab.grading.sources import answer_source
from tensorlab.grading.suite import Secret
from tensorlab.grading.suites import exercises

#: Short, because hostile notebooks use them up; a right answer takes microseconds. For tests whose answers do
#: more, there are those of the grader itself.
LIMITS = Limits(cell_seconds=3.0, call_seconds=2.0, cells_seconds=20.0, question_seconds=20.0)

IDS = [exercise.id for exercise in exercises("01")]


def code_cell(source: str, cell_id: str = "", **metadata: Any) -> dict[str, Any]:
    cell = {
        "cell_type": "code",
        "source": source,
        "metadata": metadata,
        "outputs": [],
        "execution_count": None,
    }
    return cell | ({"id": cell_id} if cell_id else {})


def notebook_text(cells: Sequence[dict[str, Any]], **metadata: Any) -> str:
    return json.dumps({"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def right_cells(**answers: str) -> list[dict[str, Any]]:
    """Five answer cells under their released ids; `answers` replaces some of them by name."""
    return [
        code_cell(answers.get(e.name, answer_source(e, e.right[0].function)), e.answer_cell)
        for e in exercises("01")
    ]


@pytest.fixture
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands grade in this process and in the quickest boxes; what they start otherwise has other tests."""

    def one_by_one(make: Callable[[], Grader], tasks: Iterable[Task], jobs: int) -> Iterator[Row]:
        grader = make()
        for task in tasks:
            yield from rows_of(grader, task)

    monkeypatch.setattr("tensorlab.cli.grade.grade_all", one_by_one)
    for module in ("tensorlab.cli.grade", "tensorlab.grading.grader"):
        monkeypatch.setattr(f"{module}.boxes", lambda *asked, **how: quickest()[1])


@pytest.fixture(name="notebook_text")
def notebook_text_fixture() -> Callable[..., str]:
    return notebook_text


@pytest.fixture
def submit(tmp_path: Path) -> Callable[..., Path]:
    """Writes a submission: extra cells, then the answers, then more cells."""

    def submit(*before: str, after: Sequence[str] = (), name: str = "ada", **answers: str) -> Path:
        cells = [*map(code_cell, before), *right_cells(**answers), *map(code_cell, after)]
        path = tmp_path / f"{name}.ipynb"
        path.write_text(notebook_text(cells), encoding="utf-8")
        return path

    return submit


@functools.cache
def quickest() -> tuple[Level, BoxFactory]:
    """Boxes for all chapters, and their level: of bubblewrap where it works, which forks one in no time."""
    if not bubblewrap.missing():
        strong = boxes(exercises(), "strong")
        with suppress(BoxError):
            strong().close()
            return "strong", strong
    return "none", boxes(exercises())


@functools.cache
def quick_grader(chapter: str, limits: Limits) -> Grader:
    level, open_box = quickest()
    return Grader(exercises(chapter), Secret(b"a secret for the tests"), open_box, level, limits)


def graded(path: Path, chapter: str, limits: Limits) -> dict[str, Row]:
    """One file's rows by question."""
    grader = quick_grader(chapter, limits)
    return {row.question: row for row in grader.rows(path.read_bytes(), path.stem)}


@pytest.fixture
def grade() -> Callable[..., dict[str, Row]]:
    """Grades one file in a real box. Rows by question."""

    def grade(path: Path, chapter: str = "01") -> dict[str, Row]:
        return graded(path, chapter, LIMITS)

    return grade


@pytest.fixture
def tensorlab(monkeypatch):
    """Runs the command line as a user would. Returns exit code, standard output, standard error."""
    monkeypatch.setenv("COLUMNS", "10000")

    def tensorlab(*arguments):
        result = CliRunner().invoke(app, list(map(str, arguments)))
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return tensorlab
