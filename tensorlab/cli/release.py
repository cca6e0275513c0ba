"""``tensorlab release``: the exercises that students get, made from the solutions."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Annotated

import typer

from tensorlab.cli.support.errors import ENVIRONMENT, FAILED, USAGE, CommandError
from tensorlab.cli.support.project import find_root
from tensorlab.grading.files import write_whole
from tensorlab.grading.otter import otter_copy
from tensorlab.grading.release import ReleaseError, released, solution_notebooks, was_worked_in


def run(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail when an exercise is not up to date.")
    ] = False,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Also replace notebooks that were worked in; a copy of each is kept."),
    ] = False,
    otter: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write what `otter assign` takes into this folder instead."),
    ] = None,
) -> None:
    """Make `exercises/` from `solutions/`.

    A notebook that somebody has worked in is left alone, and so is everything when one cannot be made.

    Exit code 0: all exercises are up to date; 1 (with `--check`): one is not.
    """
    root = find_root()
    sources = solution_notebooks(root / "solutions")
    if not sources:
        raise CommandError(f"{root / 'solutions'} holds no notebook NN_name.ipynb.", USAGE)
    try:
        texts = {root / "exercises" / source.name: released(source) for source in sources}
    except ReleaseError as error:
        raise CommandError(f"nothing was released: {error}.", FAILED) from error
    if otter is not None:
        _write_otter(sources, otter)
        return
    stale = [target for target, text in texts.items() if not _is(target, text)]
    if check:
        for target in stale:
            typer.echo(
                f"{target.relative_to(root)} differs from its solution; run `tensorlab release`.", err=True
            )
        raise typer.Exit(FAILED if stale else 0)
    edited = [target for target in stale if target.exists() and was_worked_in(target)]
    if edited and not replace:
        names = ", ".join(str(target.relative_to(root)) for target in edited)
        raise CommandError(
            f"nothing was released: somebody has worked in {names}; move it away, or run "
            "`tensorlab release --replace`, which keeps a copy beside it.",
            USAGE,
        )
    for target in stale:
        kept = _write(target, texts[target], keep=target in edited)
        typer.echo(f"{target.relative_to(root)} written" + (f"; your copy is {kept.name}" if kept else ""))
    if not stale:
        typer.echo("The exercises are up to date.")


def _write_otter(sources: list[Path], folder: Path) -> None:
    """One notebook a chapter; what an earlier run wrote is replaced."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for source in sources:
            write_whole(folder / source.name, otter_copy(source), replace=True)
            typer.echo(f"{folder / source.name} written")
    except OSError as error:
        raise CommandError(f"{folder} cannot be written: {error.strerror}.", ENVIRONMENT) from error


def _is(target: Path, text: str) -> bool:
    return target.is_file() and target.read_bytes() == text.encode("utf-8")


def _write(target: Path, text: str, *, keep: bool) -> Path | None:
    """Write one exercise; returns the copy of what was there, when it had to be kept."""
    kept = _free_name(target) if keep else None
    try:
        target.parent.mkdir(exist_ok=True)
        if kept is not None:
            write_whole(kept, target.read_text(encoding="utf-8"), replace=False)
        write_whole(target, text, replace=True)
    except OSError as error:
        raise CommandError(f"{target.parent} cannot be written: {error.strerror}.", ENVIRONMENT) from error
    return kept


def _free_name(target: Path) -> Path:
    numbers = itertools.count(1)
    names = (target.with_name(f"{target.stem}.kept-{number}.ipynb") for number in numbers)
    return next(name for name in names if not name.exists())
