"""``tensorlab bench``: this library beside NumPy and PyTorch, in one run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from tensorlab.cli.support.errors import CommandError
from tensorlab.cli.support.figures import FIGURES, show_gpu

ALL = "all"
# Columns to print where nobody looks, as into a file: enough for a line of the table.
PAGE = 120

COMPARED = ("gemm", "ops", "nn", "autograd", "training", ALL)


def run(
    suite: Annotated[
        str,
        typer.Argument(
            help="What to measure: gemm, ops, nn, autograd, training, all, floors, start, compilation, "
            "memory, graph, agreement."
        ),
    ] = "ops",
    threads: Annotated[int, typer.Option(help="Threads that each library may use.")] = 1,
    only: Annotated[str, typer.Option(help="Only comparisons whose name has this in it.")] = "",
    seconds: Annotated[float, typer.Option(help="Time for each comparison.")] = 0.5,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
    gpu: Annotated[bool, typer.Option("--gpu", help="Measure the GPU's kernels, all of them.")] = False,
    limit: Annotated[float, typer.Option(help="With --gpu: seconds after which nothing is begun.")] = 420,
    out: Annotated[Path | None, typer.Option(help="With --gpu: a file that keeps what was found.")] = None,
) -> None:
    """Compare this library with NumPy and PyTorch, in one run on this machine.

    A ratio is the other library's time over ours, the median of many turns: above 1 ours is faster. PyTorch
    is compared with where it is installed. NumPy's operations on elements use one thread; its matrix products
    run in processes of their own, with as many threads as ours and with either kind of OpenBLAS's kernels.

    Six figures stand for themselves. `floors`: what must not get slower beside PyTorch, of the least times
    of many short turns. `start`: how long a new process takes to import, and for its first
    operations. `compilation`: how long operations take with an empty cache. `memory`: which operations need
    more than 1 MB a thread beside their operands and their result. `graph`: what a chain of a million
    operations costs there and back, and the memory of a training step beside PyTorch's. `agreement`: how far
    the losses of the first 50 steps of networks are from PyTorch's, and the memory of a step beside it.

    With --gpu: what the card can do, and what the kernels reach of it: products of matrices beside cuBLAS,
    the ladder, elements, rows, what a call costs the host, steps of training.
    """
    if gpu:
        show_gpu(limit, out, as_json)
        return
    known = (*COMPARED, *FIGURES)
    if suite not in known:
        raise CommandError(f"there is no benchmark called {suite!r}; there is {', '.join(known)}")
    most = os.cpu_count() or 1
    if not 1 <= threads <= most:
        raise CommandError(f"the number of threads must be 1 … {most} on this machine, got {threads}")
    if not seconds > 0:
        raise CommandError(f"the time for each comparison must be above 0 seconds, got {seconds}")
    if suite in FIGURES:
        FIGURES[suite](only, threads, as_json)
        return
    from tensorlab.bench.report import measure

    def watch(steps: Iterable[Any]) -> Iterable[Any]:
        return steps if as_json else track(steps, "Comparing", transient=True)

    chosen = () if suite == ALL else (suite,)
    report = measure(*chosen, threads=threads, only=only, seconds=seconds, watch=watch)
    if not report.sections:
        raise CommandError(f"no comparison of {suite} has {only!r} in its name")
    if as_json:
        typer.echo(json.dumps(report.as_dict(), indent=2))
        return
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, PAGE)
    for section in report.sections:
        table = Table(box=None, header_style="bold", pad_edge=False)
        for column, title in enumerate(section.header):
            table.add_column(title, justify="right" if column else "left")
        for row in section.rows:
            table.add_row(*row)
        console.print(table)
    console.print(f"\n{report.summary}")
    if report.warning:
        console.print(f"[yellow]{report.warning}[/]")
