"""``tensorlab bench``: this library beside NumPy and PyTorch, in one run."""

from __future__ import annotations

import importlib
import json
import os
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from tensorlab.cli.support.errors import CommandError
from tensorlab.cli.support.figures import FIGURES

SUITES = {"gemm": "tensorlab.bench.gemm", "ops": "tensorlab.bench.ops"}
ALL = "all"
NOISY = 1.25


def run(
    suite: Annotated[
        str, typer.Argument(help="What to measure: gemm, ops, all, start, compilation, memory.")
    ] = "ops",
    threads: Annotated[int, typer.Option(help="Threads that each library may use.")] = 1,
    only: Annotated[str, typer.Option(help="Only comparisons whose name has this in it.")] = "",
    seconds: Annotated[float, typer.Option(help="Time for each comparison.")] = 0.5,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Compare this library with NumPy and PyTorch, in one run on this machine.

    A ratio is the other library's time over ours, the median of many turns: above 1 ours is faster. PyTorch
    is compared with where it is installed. NumPy's operations on elements use one thread; its matrix products
    run in processes of their own, with as many threads as ours and with either kind of OpenBLAS's kernels.

    Three figures stand for themselves. `start`: how long a new process takes to import, and for its first
    operations. `compilation`: how long operations take with an empty cache. `memory`: which operations need
    more than 1 MB a thread beside their operands and their result.
    """
    from tensorlab.backends.cpu import threads as ours
    from tensorlab.bench import compare, machine, noise

    known = (*SUITES, ALL, *FIGURES)
    if suite not in known:
        raise CommandError(f"there is no benchmark called {suite!r}; there is {', '.join(known)}")
    most = os.cpu_count() or 1
    if not 1 <= threads <= most:
        raise CommandError(f"the number of threads must be 1 … {most} on this machine, got {threads}")
    if suite in FIGURES:
        FIGURES[suite](only, threads, as_json)
        return
    ours.set_num_threads(threads)
    torch = _torch(threads)
    restless = noise()
    suites = [importlib.import_module(SUITES[name]) for name in (SUITES if suite == ALL else (suite,))]
    results = []
    for module in suites:
        steps = module.cases(torch, only)
        steps = steps if as_json else track(steps, "Comparing", transient=True)
        results.append([compare(name, candidates, seconds) for name, candidates in steps])
    if not any(results):
        raise CommandError(f"no comparison of {suite} has {only!r} in its name")
    if as_json:
        about = {**machine(), "threads": threads, "noise": restless, "torch": torch and torch.__version__}
        report: dict[str, Any] = {"machine": about}
        report["comparisons"] = [comparison.as_dict() for found in results for comparison in found]
        for module, found in zip(suites, results, strict=True):
            if found and hasattr(module, "roofline"):
                report["roofline"] = module.roofline(found, threads)
        typer.echo(json.dumps(report, indent=2))
        return
    console = Console(highlight=False)
    for module, found in zip(suites, results, strict=True):
        if found:
            console.print(_table(found, module.TITLES))
    about = machine()
    console.print(f"\n{about['processor']}, {threads} thread(s), Python {about['python']}.")
    if restless > NOISY:
        console.print(f"[yellow]This machine is busy: the same work varies by a factor of {restless:.2f}.[/]")


def _torch(threads: int) -> Any | None:
    """PyTorch, told how many threads to use; None where it is not installed."""
    try:
        torch = importlib.import_module("torch")
    except ModuleNotFoundError:
        return None
    torch.set_num_threads(threads)
    return torch


def _table(found: list[Any], titles: dict[str, str]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("operation")
    for title in ("tensorlab µs", *titles.values()):
        table.add_column(title, justify="right")
    for comparison in found:
        cells = [f"{comparison.seconds['tensorlab'] * 1e6:.1f}"]
        for candidate in titles:
            if candidate in comparison.ratios:
                low, high = comparison.spread(candidate)
                cells.append(f"{comparison.ratio(candidate):.2f} ({low:.2f}–{high:.2f})")
            else:
                cells.append("")
        table.add_row(comparison.name, *cells)
    return table
