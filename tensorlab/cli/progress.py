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
from rich.text import Text

from tensorlab.cli.support.errors import ENVIRONMENT, USAGE, CommandError
from tensorlab.figures.ink import PALETTE
from tensorlab.grading.files import AlreadyThere, write_whole
from tensorlab.grading.suites import chapters, exercises
from tensorlab.learn import progress
from tensorlab.learn.plan import PARTS, chapters_of
from tensorlab.learn.progress import NotSaved
from tensorlab.learn.transfer import NotProgress, exported, imported

HALFWAY = 0.5
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
    console.print(_picture())
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
    asked = exercises()
    solved = [each for each in asked if progress.load(each.id).points >= each.points]
    points = sum(min(progress.load(each.id).points, each.points) for each in asked)
    console.print(
        f"\n{len(solved)} of {len(asked)} exercises, {points} of {sum(each.points for each in asked)} points."
    )
    unsolved = next((each for each in asked if each not in solved), None)
    if unsolved is not None:
        console.print(f"Next unsolved: {unsolved.id}, {unsolved.title}.")
    console.print(escape("\n[x] solved   [s] solved with the solution open   [-] begun   [ ] not yet"))
    console.print(f"Kept in {progress.folder() / progress.FILE_NAME}.", soft_wrap=True)


def _picture() -> Text:
    """The whole book, a row a part and a cell a chapter, in the colours of memory where all is solved."""
    known = {int(chapter): exercises(chapter) for chapter in chapters()}
    picture = Text()
    widest = max(len(part.title) for part in PARTS)
    for place, part in enumerate(PARTS, 1):
        picture.append(f"{part.title:{widest}}  ", style="bold")
        for number in chapters_of(place):
            asked = known.get(number)
            if asked is None:
                picture.append(f" {number:2}· ", style="dim")
                continue
            marks = [_mark(each.id, each.points) for each in asked]
            whole = all(mark in ("[x]", "[s]") for mark in marks)
            begun = any(mark != "[\u00a0]" for mark in marks)
            style = f"black on {_memory((number - 1) / 23)}" if whole else "bold" if begun else ""
            picture.append(f" {number:2}{'✓' if whole else '◐' if begun else ' '} ", style=style)
        picture.append("\n")
    return picture


def _memory(share: float) -> str:
    """The colour of a place in memory, mixed of the palette's three."""
    low = int(share > HALFWAY)
    part = 2 * share - low
    ends = (PALETTE[f"memory-{low + end}"][0] for end in (0, 1))
    one, other = ([int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in ends)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(one, other, strict=True))


def _mark(name: str, most: int) -> str:
    record = progress.load(name)
    if record.points >= most:
        return "[s]" if record.assisted else "[x]"
    return "[-]" if record != progress.Progress() else "[\u00a0]"
