"""``tensorlab watch NOTEBOOK``: the public questions, asked again after every save."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tensorlab.cli.check import asked_in
from tensorlab.learn.watch.keys import Keys
from tensorlab.learn.watch.loop import Loop
from tensorlab.learn.watch.screen import Screen


def run(
    notebook: Annotated[Path, typer.Argument(help="The notebook with your answers.", show_default=False)],
    chapter: Annotated[
        str | None,
        typer.Option(help="Such as 01. Default: what the file's name says, or else its cells."),
    ] = None,
) -> None:
    """Try your answers after every save, and show the first thing that goes wrong.

    Work in any editor and save; the notebook is read and never written. Keys: `h` opens the next hint, `n`
    goes to the next exercise that is not solved, `l` lists them all, `d` shows what changed since your best
    version, `q` ends; so on Windows, too. What your cells and your functions print is shown, its first lines.
    Without a terminal there is a line for each save. Exit code 0: ended by `q`.
    """
    questions = asked_in(notebook, chapter)
    with Keys() as keys:
        screen = Screen(Console(highlight=False), notebook.name, keys.exist)
        Loop(notebook.resolve(), questions, screen, keys).run()
