"""``tensorlab report FROM --format FORMAT --out FILE``: what was graded, as other programs read it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tensorlab.cli.check import chosen_chapter
from tensorlab.cli.support.errors import ENVIRONMENT, FAILED, USAGE, CommandError
from tensorlab.cli.support.ledgers import ledger_of
from tensorlab.cli.support.rosters import read_roster_file, read_text
from tensorlab.grading import reports
from tensorlab.grading.files import write_whole
from tensorlab.grading.ledger import Ledger, LedgerError
from tensorlab.grading.reports.similarity import alike, answers
from tensorlab.grading.results import JSON_NAME, BadResults, Results, as_csv, json_text, read_results
from tensorlab.grading.standing import reported, with_absent
from tensorlab.grading.suites import exercises


class Format(StrEnum):
    """What a report is for."""

    ROWS = "rows"
    JSON = "json"
    TOTALS = "totals"
    CANVAS = "canvas"
    MOODLE = "moodle"
    NBGRADER = "nbgrader"
    JUNIT = "junit"
    GRADESCOPE = "gradescope"
    CLASS = "class"
    STUDENTS = "students"


_GRADEBOOKS = {
    Format.TOTALS: reports.sheet,
    Format.CANVAS: reports.canvas,
    Format.MOODLE: reports.moodle,
    Format.NBGRADER: reports.nbgrader,
}

#: How an SQLite file begins.
_SQLITE = b"SQLite format 3\0"


def run(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FROM",
            help="A ledger, submissions that have one, or a folder that `tensorlab grade` wrote.",
            show_default=False,
        ),
    ],
    form: Annotated[Format, typer.Option("--format", help="What the report is for.", show_default=False)],
    out: Annotated[
        Path, typer.Option(help="File to write; of students, a folder of pages.", show_default=False)
    ],
    chapter: Annotated[
        str | None, typer.Option(help="Such as 01. Default: the only one that the ledger has.")
    ] = None,
    roster: Annotated[
        Path | None,
        typer.Option(help="CSV with a column student, and any of name, id, login, section, email."),
    ] = None,
    book: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Where your students find the book, such as https://example.org/book; pages link there.",
        ),
    ] = "",
    replace: Annotated[bool, typer.Option("--replace", help="Replace an earlier report.")] = False,
) -> None:
    """Write rows, totals, test results or pages from what was graded; nothing runs again.

    From a ledger this can be done at any time, also while `tensorlab grade` runs: what is not graded yet has
    the status pending and no points.

    Who is in the roster and handed in nothing has a line with empty points. So does who has a question that
    is pending, or in which this machine failed.
    """
    graded, comparison = _results(source, chapter, compared=form is Format.CLASS)
    students = read_roster_file(roster) if roster else []
    try:
        if form is Format.STUDENTS:
            pages = dict(reports.student_pages(graded, students, book))
            _write({out / name: text for name, text in pages.items()}, replace)
            typer.echo(f"{len(pages)} pages written into {out}.")
            return
        if form is Format.CLASS:
            asked = exercises(chosen_chapter(graded.chapter))
            text = reports.class_page(graded, asked, students, comparison, book)
        else:
            text = _report(graded, form, students)
    except reports.BadReport as error:
        raise CommandError(f"{source}: {error}.", FAILED) from error
    _write({out: text}, replace)
    typer.echo(f"{out} written.")


def _write(texts: Mapping[Path, str], replace: bool) -> None:
    """Write files, each of them whole; none if one is there already and may not be replaced."""
    there = [path for path in texts if path.exists() and not replace]
    if there:
        raise CommandError(f"{there[0]} is there already; name another place, or say --replace.", USAGE)
    for path, text in texts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text, replace=replace)
        except OSError as error:
            raise CommandError(
                f"{path} cannot be written: {error.strerror or error}.", ENVIRONMENT
            ) from error


def _report(graded: Results, form: Format, students: list[reports.Student]) -> str:
    everybody = with_absent(graded, [student.student for student in students])
    if form is Format.ROWS:
        return as_csv(everybody.rows)
    if form is Format.JSON:
        return json_text(everybody)
    if form is Format.JUNIT:
        return reports.junit(everybody.rows)
    if form is Format.GRADESCOPE:
        return reports.gradescope(graded)
    return _GRADEBOOKS[form](graded.chapter, reports.totals(graded.rows, students))


def _results(
    source: Path, chapter: str | None, *, compared: bool
) -> tuple[Results, reports.Comparison | None]:
    """What was graded and, if asked for and if notebooks are kept there, how alike the answers are."""
    path = source / JSON_NAME if (source / JSON_NAME).exists() else source
    ledger = ledger_of(path)
    if path.is_file() and not ledger.is_file():
        ledger = path
    if not ledger.is_file():
        raise CommandError(
            f"{source} has no {JSON_NAME} and no ledger; give a folder that `tensorlab grade` has graded or "
            "written.",
            USAGE,
        )
    try:
        with ledger.open("rb") as file:
            is_ledger = file.read(len(_SQLITE)) == _SQLITE
        if not is_ledger:
            return read_results(read_text(ledger)), None
        with closing(Ledger(ledger)) as book:
            which = chosen_chapter(chapter or _only_chapter(book))
            results = reported(book, which, exercises(which))
            return results, _comparison(book, which) if compared else None
    except BadResults as error:
        raise CommandError(f"{ledger}: {error}.", USAGE) from error
    except LedgerError as error:
        raise CommandError(f"{error}.", ENVIRONMENT) from error


def _comparison(book: Ledger, chapter: str) -> reports.Comparison:
    asked = exercises(chapter)
    entries = [entry for entry in book.entries(chapter) if entry.sha256]
    found = {entry.student: answers(book.content(entry.sha256), asked) for entry in entries}
    return reports.Comparison(alike(found, asked), found)


def _only_chapter(book: Ledger) -> str:
    found = book.chapters()
    if not found:
        raise CommandError(
            f"nothing has been graded into {book.path} yet; run `tensorlab grade` first.", USAGE
        )
    if len(found) > 1:
        raise CommandError(
            f"{book.path} has chapters {', '.join(found)}; say which one with --chapter.", USAGE
        )
    return found[0]
