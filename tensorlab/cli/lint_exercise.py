"""``tensorlab lint-exercise ID``: what an exercise still owes before students may see it."""

from __future__ import annotations

import importlib
import json
from typing import Annotated

import typer

from tensorlab.cli.support.errors import FAILED, USAGE, CommandError
from tensorlab.cli.support.project import find_root
from tensorlab.grading.lint import lint, lint_hints, lint_notebook
from tensorlab.grading.release import ReleaseError, released, solution_notebooks
from tensorlab.grading.sources import answer_source
from tensorlab.grading.suite import Exercise
from tensorlab.grading.suites import UnknownExercise, exercise, exercises
from tensorlab.learn.hints import hint_texts


def run(
    which: Annotated[
        list[str],
        typer.Argument(
            metavar="ID...",
            help="Such as 02.unravel; or MODULE:NAME of an exercise that is in no chapter yet.",
            show_default=False,
        ),
    ],
) -> None:
    """Say what exercises still owe: contract, points, known solutions, hints, cells, leaks.

    The known solutions are judged as answers of students are, and so are mutants of the right ones.

    Exit code 0: nothing; 1: something, a line each.
    """
    owing = 0
    for name in which:
        asked = _find(name)
        found = _owes(asked)
        owing += len(found)
        typer.echo(f"{asked.id}: " + (f"{len(found)} to mend" if found else "whole"))
        for line in found:
            typer.echo(f"  - {line}")
    if owing:
        raise typer.Exit(FAILED)


def _find(name: str) -> Exercise:
    module, colon, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute) if colon else exercise(name)
    except (ImportError, AttributeError, UnknownExercise) as error:
        raise CommandError(f"{name}: {error}.", USAGE) from error
    if not isinstance(found, Exercise):
        raise CommandError(f"{name} is no Exercise but {type(found).__name__}.", USAGE)
    return found


def _owes(asked: Exercise) -> list[str]:
    answers = [answer_source(asked, solution.function) for solution in asked.right]
    found = [*lint(asked), *lint_hints(hint_texts(asked.id), answers)]
    notebooks = solution_notebooks(find_root() / "solutions")
    path = next((path for path in notebooks if path.name.startswith(asked.chapter)), None)
    if path is None:
        return [*found, f"chapter {asked.chapter} has no notebook in solutions/"]
    found += lint_notebook(asked, json.loads(path.read_text(encoding="utf-8"))["cells"])
    if asked.id not in [known.id for known in exercises()]:
        return [
            *found,
            f"it is not in EXERCISES of tensorlab/grading/suites/ch{asked.chapter}.py",
        ]
    try:
        released(path)
    except ReleaseError as error:
        found.append(str(error))
    return found
