"""``tensorlab check NOTEBOOK``: the public questions, asked of a notebook in a process of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tensorlab.cli.support.errors import ENVIRONMENT, FAILED, USAGE, CommandError
from tensorlab.grading.grader import Grader, Row
from tensorlab.grading.handed_in import File
from tensorlab.grading.notebook import UnreadableNotebook, read_notebook
from tensorlab.grading.submissions import chapter_of
from tensorlab.grading.suite import Exercise
from tensorlab.grading.suites import chapters, exercises


def run(
    notebook: Annotated[Path, typer.Argument(help="The notebook with your answers.", show_default=False)],
    chapter: Annotated[
        str | None,
        typer.Option(help="Such as 01. Default: what the file's name says, or else its cells."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Run your notebook from top to bottom and try your answers on the public cases.

    The notebook is read and never written. Exit code 0: all points; 1: not all of them yet.
    """
    questions = asked_in(notebook, chapter)
    try:
        read = read_notebook(notebook.resolve())
    except UnreadableNotebook as error:
        raise CommandError(f"{notebook} cannot be checked: {error}.", USAGE) from error
    grader = Grader(questions)
    rows = grader.grade(read, student="")
    if any(row.points is None for row in rows):
        raise CommandError(next(row.feedback for row in rows if row.points is None), ENVIRONMENT)
    if as_json:
        typer.echo(json.dumps(_plain(notebook, rows), indent=2))
    else:
        _show(rows)
    if any(row.points != row.max_points for row in rows):
        raise typer.Exit(FAILED)


def asked_in(notebook: Path, chapter: str | None) -> tuple[Exercise, ...]:
    """The exercises of a notebook; of which chapter it is, its name or its cells say unless `chapter` does.

    Raises:
        CommandError: there is no such file, or it is of no chapter.
    """
    if not notebook.exists():
        raise CommandError(f"{notebook} is not there; give the notebook that you work in.", USAGE)
    told = chapter or chapter_of(File((notebook.name,), notebook.resolve()))
    if told is None:
        raise CommandError(
            f"neither the name of {notebook} nor its cells say of which chapter it is; say so with "
            f"--chapter, such as --chapter {chapters()[0]}.",
            USAGE,
        )
    return exercises(chosen_chapter(told))


def chosen_chapter(chapter: str | None) -> str:
    """The chapter that was asked for, or the only one that there is.

    Raises:
        CommandError: it has no exercises, or there are several and none was named.
    """
    known = chapters()
    if chapter in known:
        return chapter
    listed = ", ".join(known)
    if chapter is not None:
        raise CommandError(f"chapter {chapter} has no exercises; those that have: {listed}.", USAGE)
    if len(known) > 1:
        raise CommandError(f"say which chapter it is with --chapter; there are {listed}.", USAGE)
    return known[0]


def _plain(notebook: Path, rows: list[Row]) -> dict[str, Any]:
    fields = ("question", "title", "points", "max_points", "status", "feedback", "seconds")
    return {
        "notebook": str(notebook),
        "sha256": rows[0].sha256,
        "points": sum(row.points or 0 for row in rows),
        "max_points": sum(row.max_points for row in rows),
        "rows": [{field: getattr(row, field) for field in fields} for row in rows],
    }


def _show(rows: list[Row]) -> None:
    console = Console(highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 1, 0))
    table.add_column("exercise", no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("what was found", overflow="fold")
    for row in rows:
        # escape: Rich reads [0] as markup, and feedback is full of brackets
        table.add_row(row.question, f"{row.points} of {row.max_points}", escape(row.feedback))
    console.print(table)
    points, most = sum(row.points or 0 for row in rows), sum(row.max_points for row in rows)
    console.print(f"Public cases: {points} of {most} points.")
