"""``tensorlab report RESULTS --format FORMAT --out FILE``: what `grade` wrote, as other programs read it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tensorlab.cli.support.errors import ENVIRONMENT, USAGE, CommandError
from tensorlab.grading import reports
from tensorlab.grading.files import AlreadyThere, write_whole
from tensorlab.grading.results import JSON_NAME


class Format(StrEnum):
    """What a report is for."""

    TOTALS = "totals"
    CANVAS = "canvas"
    MOODLE = "moodle"
    NBGRADER = "nbgrader"
    JUNIT = "junit"


_GRADEBOOKS = {
    Format.TOTALS: reports.sheet,
    Format.CANVAS: reports.canvas,
    Format.MOODLE: reports.moodle,
    Format.NBGRADER: reports.nbgrader,
}


def run(
    results: Annotated[Path, typer.Argument(help="Folder that `tensorlab grade` wrote.", show_default=False)],
    form: Annotated[Format, typer.Option("--format", help="What the report is for.", show_default=False)],
    out: Annotated[Path, typer.Option(help="File to write.", show_default=False)],
    roster: Annotated[
        Path | None,
        typer.Option(help="CSV with a column student, and any of name, id, login, section, email."),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an earlier report.")] = False,
) -> None:
    """Write totals or test results from graded rows; nothing runs again.

    Who is in the roster and handed in nothing has a line with empty points, except in junit, which has only
    what was graded. So does who has a question in which this machine failed.
    """
    path = results / JSON_NAME if results.is_dir() else results
    try:
        graded = reports.read_results(_text(path))
    except reports.BadReport as error:
        raise CommandError(f"{path}: {error}.", USAGE) from error
    try:
        students = reports.read_roster(_text(roster)) if roster else []
    except reports.BadReport as error:
        raise CommandError(f"{roster}: {error}.", USAGE) from error
    if form is Format.JUNIT:
        text = reports.junit(graded.rows)
    else:
        text = _GRADEBOOKS[form](graded.chapter, reports.totals(graded.rows, students))
    try:
        write_whole(out, text, replace=replace)
    except AlreadyThere as error:
        raise CommandError(
            f"{error} is there already; name another file, or say --replace.", USAGE
        ) from error
    except OSError as error:
        raise CommandError(f"{out} cannot be written: {error.strerror}.", ENVIRONMENT) from error
    typer.echo(f"{out} written.")


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} is not UTF-8; save it again as UTF-8.", USAGE) from error
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.", USAGE) from error
