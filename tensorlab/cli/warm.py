"""``tensorlab warm``: compile the kernels that programs need, ahead of time."""

from __future__ import annotations

import json
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from tensorlab.backends.cache import Contents, cache_directory, contents, wanted_directory
from tensorlab.cli.support.errors import ENVIRONMENT, FAILED, CommandError
from tensorlab.cli.support.rehearsal import cores
from tensorlab.core import dtypes

DTYPES = "float32,float64,int64"


def run(
    only: Annotated[str, typer.Option(help="Only these kinds of operations, with commas.")] = "",
    dtype: Annotated[str, typer.Option("--dtypes", help="For tensors of these dtypes.")] = DTYPES,
    jobs: Annotated[int, typer.Option(help="Processes that compile. Default: one a core.")] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, do nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Compile the kernels that programs need, so that no program waits for them.

    Every operation is called once for small and once for large tensors, forward and then backward. What it
    compiles is kept in one folder, which is named. What is there already is not compiled again. It may be
    interrupted: what is finished stays, and the next run goes on from there.

    Exit code 0: all is there; 1: some calls failed, and are listed.
    """
    from tensorlab.catalogue.warm import ALL_KINDS, batches, warm

    kinds = _chosen(only, ALL_KINDS, "kind of operations") or list(ALL_KINDS)
    names = _chosen(dtype, [t.name for t in dtypes.ALL], "dtype")
    if jobs < 0:
        raise CommandError(f"--jobs must be a positive number, got {jobs}.")
    folder, wanted = cache_directory(), wanted_directory()
    if folder != wanted:
        raise CommandError(
            f"{wanted} cannot be written, so that nothing would be kept; "
            "name a folder of your own in TENSORLAB_CACHE_DIR.",
            ENVIRONMENT,
        )
    before, work = contents(folder), batches(names, kinds)
    found: dict[str, Any] = {"folder": str(folder), "calls": sum(len(batch.calls) for batch in work)}
    console = Console(highlight=False, soft_wrap=True)
    if dry_run:
        if as_json:
            typer.echo(json.dumps(found | before._asdict(), indent=2))
        else:
            _show_plan(console, work, folder, before)
        return
    began = time.perf_counter()
    failed = []
    with closing(warm(work, jobs or cores())) as done, _progress(as_json) as progress:
        task = progress.add_task("", total=found["calls"], now="")
        for batch, errors in done:
            progress.update(task, advance=len(batch.calls), now=f"{batch.kind}, {batch.dtype}")
            failed += errors
    after = contents(folder)
    found |= {
        **after._asdict(),
        "compiled": after.kernels - before.kernels,
        "added_bytes": after.bytes - before.bytes,
        "seconds": round(time.perf_counter() - began, 1),
        "failed": [failure._asdict() for failure in failed],
    }
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    else:
        _show(console, found)
    if failed:
        raise typer.Exit(FAILED)


def _chosen(given: str, known: tuple[str, ...] | list[str], what: str) -> list[str]:
    """The names in a list with commas.

    Raises:
        CommandError: there is no such name.
    """
    names = [name.strip() for name in given.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise CommandError(f"there is no {what} called {name!r}; there are {', '.join(known)}.")
    return names


def _progress(quiet: bool) -> Progress:
    return Progress(
        TextColumn("Compiling"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[now]}"),
        console=Console(stderr=True, quiet=quiet),
        transient=True,
    )


def _show_plan(console: Console, work: list[Any], folder: Path, there: Contents) -> None:
    counts: Counter[str] = Counter()
    for batch in work:
        counts[batch.kind] += len(batch.calls)
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("operations")
    table.add_column("calls", justify="right")
    for kind, count in counts.items():
        table.add_row(kind, str(count))
    console.print(table)
    console.print(
        f"\n{folder} holds {there.kernels} kernels, {_megabytes(there.bytes)}. Nothing was compiled."
    )


def _show(console: Console, found: dict[str, Any]) -> None:
    console.print(
        f"{found['compiled']} kernels compiled in {found['seconds']:.0f} s, "
        f"{_megabytes(found['added_bytes'])} more."
    )
    console.print(
        f"{found['folder']} holds {found['kernels']} kernels, {_megabytes(found['bytes'])}. "
        "It can be deleted at any time."
    )
    for failure in found["failed"]:
        console.print(
            f"[red]failed[/] {escape(failure['text'])}, {failure['dtype']}: {escape(failure['error'])}"
        )


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
