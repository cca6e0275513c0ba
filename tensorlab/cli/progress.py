"""``tensorlab progress``: which exercises are solved on this machine, and the same as a file."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table

from tensorlab.cli.support.errors import ENVIRONMENT, USAGE, CommandError
from tensorlab.grading.files import AlreadyThere, write_whole
from tensorlab.grading.suites import chapters, exercises
from tensorlab.learn import progress
from tensorlab.learn.progress import NotSaved
from tensorlab.learn.transfer import NotProgress, exported, imported

BESIDE = 35  # columns that stand beside the names of the exercises: chapter, bar, points, and what is between


def run(
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="FILE", help="Write it to a new file, for another machine."),
    ] = None,
    import_: Annotated[
        Path | None,
        typer.Option("--import", metavar="FILE", help="Take over what such a file says, where it is more."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON, as --export writes it.")] = False,
) -> None:
    """Show how far you are: every exercise that you have tried, with its points.

    Checks in the notebook, `tensorlab watch` and `tl.adopt` note it, on this machine only. The book's page
    *Your progress* shows an exported file beside your predictions.
    """
    if import_ is not None:
        _import(import_)
    if export is not None:
        _export(export)
    if as_json:
        typer.echo(exported(), nl=False)
    elif import_ is None and export is None:
        _show()


def _import(path: Path) -> None:
    try:
        changed = imported(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise CommandError(f"{path} cannot be read: {why}.", USAGE) from error
    except NotProgress as error:
        raise CommandError(f"{path} was not taken over: {error}.", USAGE) from error
    except NotSaved as error:
        raise CommandError(f"your progress is not saved: {error}.", ENVIRONMENT) from error
    typer.echo(f"{changed} exercise{'' if changed == 1 else 's'} changed by {path}.")


def _export(path: Path) -> None:
    try:
        write_whole(path, exported(), replace=False)
    except AlreadyThere as error:
        raise CommandError(f"{path} is there already; choose another name.", USAGE) from error
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.", ENVIRONMENT) from error
    count = len(json.loads(exported())["exercises"])
    typer.echo(f"{path} written: {count} exercise{'' if count == 1 else 's'} that you have tried.")


def _show() -> None:
    console = Console(highlight=False)
    # Rich breaks a line at a non-breaking space as well; textwrap does not, so a mark stays with its name.
    width = max(console.width - BESIDE, 24)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("chapter", "", "points", "exercises"):
        justify: Literal["right", "left"] = "right" if heading == "points" else "left"
        table.add_column(heading, justify=justify, no_wrap=True)
    for chapter in chapters():
        asked = exercises(chapter)
        points = sum(min(progress.load(each.id).points, each.points) for each in asked)
        most = sum(each.points for each in asked)
        marks = textwrap.fill(
            "  ".join(f"{_mark(each.id, each.points)}\u00a0{each.name}" for each in asked), width
        )
        bar = ProgressBar(total=most, completed=points, width=12)
        table.add_row(str(int(chapter)), bar, f"{points} of {most}", escape(marks))
    console.print(table)
    console.print(escape("\n[x] solved   [s] solved with the solution open   [-] begun   [ ] not yet"))
    console.print(f"Kept in {progress.folder() / progress.FILE_NAME}.", soft_wrap=True)


def _mark(name: str, most: int) -> str:
    record = progress.load(name)
    if record.points >= most:
        return "[s]" if record.assisted else "[x]"
    return "[-]" if record != progress.Progress() else "[\u00a0]"
