"""``tensorlab grade FOLDER --out DIR``: one row for each student and question."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table

import tensorlab
from tensorlab.cli.check import chosen_chapter
from tensorlab.cli.support.errors import ENVIRONMENT, FAILED, INTERRUPTED, USAGE, CommandError
from tensorlab.grading.files import AlreadyThere
from tensorlab.grading.grader import Grader, Row
from tensorlab.grading.inside.values import printable
from tensorlab.grading.results import Run, as_json, targets, write_results
from tensorlab.grading.submissions import (
    NoSubmissions,
    Submission,
    chapters_handed_in,
    find_submissions,
    not_graded,
)
from tensorlab.grading.suite import Secret
from tensorlab.grading.suites import chapters, exercises, suite_digest

#: Fewer bytes than this can be guessed.
LEAST_SECRET = 16


def run(
    submissions: Annotated[
        Path,
        typer.Argument(
            help="Folder with NAME.ipynb, or NAME/01_….ipynb, for each student.", show_default=False
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for results.csv and results.json.", show_default=False)],
    chapter: Annotated[
        str | None, typer.Option(help="Such as 01. Default: the one that the submissions are of.")
    ] = None,
    secret_file: Annotated[
        Path | None,
        typer.Option(
            help="File of at least 16 bytes from which the hidden inputs are drawn; keep it to grade again "
            "with "
            "the same ones. Default: a new secret for this run."
        ),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace results of an earlier run.")] = False,
    print_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON too.")] = False,
) -> None:
    """Grade a folder of submitted notebooks.

    Every student gets a row for every question, whatever the notebook does. The notebooks are read and never
    written. Exit code 0: all were graded; 1: this machine failed for some, whose points are left empty.
    """
    which = chosen_chapter(chapter or _only_chapter(submissions))
    found = _found(submissions, which)
    secret = Secret(_secret(secret_file))
    _targets(out, replace)
    grader = Grader(exercises(which), secret)
    _warn(grader)
    _name_what_is_left_out(submissions)
    rows = _graded(grader, found, out)
    run_facts = Run(
        which, tensorlab.__version__, suite_digest(which), secret.id, grader.level, asdict(grader.limits)
    )
    csv_path, json_path = _written(out, run_facts, rows, replace)
    if print_json:
        typer.echo(json.dumps(as_json(run_facts, rows), indent=1))
    else:
        _show(rows)
        typer.echo(f"\n{csv_path} and {json_path} written.")
    if any(row.points is None for row in rows):
        raise typer.Exit(FAILED)


def _only_chapter(submissions: Path) -> str | None:
    """The chapter that all submissions are of; None when that cannot be told."""
    found = chapters_handed_in(submissions, chapters())
    if len(found) > 1:
        raise CommandError(
            f"{submissions} holds notebooks of chapters {', '.join(found)}; say which one to grade with "
            "--chapter.",
            USAGE,
        )
    if not found:
        _found(submissions, "NN")  # which says so, if there is nothing to be of any chapter
    return found[0] if found else None


def _found(submissions: Path, chapter: str) -> list[Submission]:
    try:
        return find_submissions(submissions, chapter)
    except NoSubmissions as error:
        raise CommandError(f"{error}.", USAGE) from error


def _graded(grader: Grader, found: list[Submission], out: Path) -> list[Row]:
    """The rows of all submissions, in their order."""
    rows: list[Row] = []
    try:
        for submission in _progress(found):
            rows += _grade(grader, submission)
    except KeyboardInterrupt:
        graded = len({row.student for row in rows})
        raise CommandError(
            f"stopped after {graded} of {len(found)} submissions; nothing was written to {out}.", INTERRUPTED
        ) from None
    return rows


def _written(out: Path, run_facts: Run, rows: list[Row], replace: bool) -> tuple[Path, Path]:
    """Write the results, and say where they stand."""
    try:
        return write_results(out, run_facts, rows, replace=replace)
    except AlreadyThere as error:
        raise CommandError(
            f"{error} was written by somebody else while this run graded; its results are not kept. Give "
            "each run an --out of its own.",
            ENVIRONMENT,
        ) from error
    except OSError as error:
        raise CommandError(f"the results could not be written to {out}: {error}.", ENVIRONMENT) from error


def _grade(grader: Grader, submission: Submission) -> list[Row]:
    if submission.path is None:
        return grader.refused(submission.student, submission.problem)
    return grader.grade_file(submission.path, submission.student)


def _secret(path: Path | None) -> bytes:
    if path is None:
        return secrets.token_bytes(32)
    try:
        key = path.read_bytes().strip()
    except OSError as error:
        raise CommandError(f"the secret cannot be read from {path}: {error.strerror}.", USAGE) from error
    if len(key) < LEAST_SECRET:
        raise CommandError(
            f"{path} holds {len(key)} bytes and a secret needs at least {LEAST_SECRET}; "
            'make one with python3 -c "import secrets; print(secrets.token_hex())".',
            USAGE,
        )
    return key


def _targets(out: Path, replace: bool) -> None:
    try:
        targets(out, replace=replace)
    except AlreadyThere as error:
        raise CommandError(
            f"{error} is there already; choose another folder, or say --replace.", USAGE
        ) from error
    except FileExistsError as error:
        raise CommandError(f"{out} is a file; --out names a folder for the results.", USAGE) from error
    except OSError as error:
        raise CommandError(f"{out} cannot be written: {error.strerror}.", ENVIRONMENT) from error


def _warn(grader: Grader) -> None:
    if grader.level == "none":
        typer.echo(
            "tensorlab: the notebooks run as ordinary processes of this user (isolation level 'none'): "
            "they can "
            "read your files and use the network. Grade notebooks of people you do not know on a machine, "
            "or in a "
            "container, that holds nothing else.",
            err=True,
        )


def _name_what_is_left_out(folder: Path) -> None:
    names = not_graded(folder)
    if names:
        listed = ", ".join(map(printable, names[:5])) + (
            f" and {len(names) - 5} more" if len(names) > 5 else ""
        )
        typer.echo(f"tensorlab: not graded, because they are no notebooks: {listed}.", err=True)


def _progress(found: list[Submission]) -> Iterable[Submission]:
    console = Console(stderr=True)
    return track(found, "Grading", console=console, transient=True, disable=not console.is_terminal)


def _show(rows: list[Row]) -> None:
    students: dict[str, list[Row]] = {}
    for row in rows:
        students.setdefault(row.student, []).append(row)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("student", overflow="fold")
    for row in next(iter(students.values())):
        table.add_column(row.question.partition(".")[2], justify="right")
    table.add_column("points", justify="right")
    for student, theirs in students.items():
        points = [row.points for row in theirs]
        total = sum(value or 0 for value in points)
        shown = ["?" if value is None else str(value) for value in points]
        table.add_row(
            escape(printable(student)), *shown, f"{total} of {sum(row.max_points for row in theirs)}"
        )
    Console(highlight=False).print(table)
