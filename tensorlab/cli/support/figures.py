"""What ``tensorlab bench`` prints of its figures: floors, start, compilation, memory, graph, agreement."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table

from tensorlab.cli.support.errors import ENVIRONMENT, CommandError

__all__ = ["FIGURES", "show_gpu"]

Measured = TypeVar("Measured")

# How many of the slowest calls are shown.
SHOWN = 20
# Bytes below which two peaks are not divided: a process grows by whole pages, and by the system's batches.
SEEN = 2_000_000


def show_gpu(limit: float, out: Path | None, as_json: bool) -> None:
    """Say what kernels reach on the GPU; keep it in a file, which is whole whenever this is cut off."""
    from tensorlab.backends import cuda

    if not cuda.is_there():
        raise CommandError(f"bench --gpu measures a GPU, and there is none: {cuda.missing()}", ENVIRONMENT)
    if not limit > 0:
        raise CommandError(f"the limit must be above 0 seconds, got {limit}")
    from tensorlab.bench.gpu import SECTIONS, measure

    def keep(found: dict[str, Any]) -> None:
        if out is not None:
            part = out.with_name(f"{out.name}.part")
            part.write_text(json.dumps(found, indent=1) + "\n")
            part.replace(out)

    report = measure(limit, keep)
    keep(report)
    if as_json:
        typer.echo(json.dumps(report, indent=1))
        return
    console = Console(highlight=False)
    console.print(
        f"{report['card']}, {report['date']}" + ("" if report["is_whole"] else ", as far as it came")
    )
    for name in SECTIONS:
        table = _table(name, "", "ours", "PyTorch", "PyTorch ÷ ours")
        for row in report.get(name, []):
            unit = next(each for each in ("tflop_per_s", "gb_per_s", "ms", "us", "error") if each in row)
            words = " ".join(str(row[key]) for key in ("name", "dtype", "order", "size") if key in row)
            found = [row.get(key) for key in (unit, "torch", "ratio")]
            numbers = [f"{each:.4g}" if isinstance(each, float) else escape(each or "") for each in found]
            table.add_row(words, unit.replace("_per_", "/"), *numbers)
        console.print(table)


def show_floors(only: str, threads: int, as_json: bool) -> None:
    """Say what PyTorch's time over ours is where it must not fall, and what it must reach."""
    from tensorlab.bench.floors import floors

    def watch(cases: Iterable[Any]) -> Iterable[Any]:
        return cases if as_json else track(cases, "Comparing", transient=True)

    found = _measured(lambda: floors(threads, only, watch=watch))
    if as_json:
        typer.echo(json.dumps([{**each._asdict(), "ratio": each.ratio} for each in found], indent=2))
        return
    table = _table("least times of a call", "ours µs", "PyTorch µs", "PyTorch ÷ ours", "floor", "")
    for each in found:
        times = (f"{seconds * 1e6:.2f}" for seconds in (each.ours, each.torch))
        below = "[red]below[/]" if each.ratio < each.floor else ""
        table.add_row(each.name, *times, f"{each.ratio:.2f}", f"{each.floor}", below)
    Console(highlight=False).print(table)


def show_start(only: str, threads: int, as_json: bool) -> None:
    """Say how long a new process takes for its first steps."""
    from tensorlab.bench.start import start

    found = start()
    if as_json:
        typer.echo(json.dumps({**found._asdict(), "whole": found.whole}, indent=2))
        return
    table = _table("a new process, kernels in the cache", "seconds")
    for name, seconds in {**found._asdict(), "whole": found.whole}.items():
        table.add_row(name.replace("_", " "), f"{seconds:.2f}")
    Console(highlight=False).print(table)


def show_compilation(only: str, threads: int, as_json: bool) -> None:
    """Say how long calls take whose kernels are not in the cache."""
    from tensorlab.bench.start import compile_times

    found = sorted(_measured(lambda: compile_times(only)), key=lambda compiled: -compiled.seconds)
    if as_json:
        typer.echo(json.dumps([compiled._asdict() for compiled in found], indent=2))
        return
    table = _table("the slowest with an empty cache", "rows and columns", "seconds")
    for compiled in found[:SHOWN]:
        table.add_row(escape(compiled.text), str(compiled.side), f"{compiled.seconds:.1f}")
    console = Console(highlight=False)
    console.print(table)
    console.print(
        f"\n{len(found)} calls, {sum(compiled.seconds for compiled in found):.0f} s of processor time."
    )


def show_memory(only: str, threads: int, as_json: bool) -> None:
    """Say which calls need more than is allowed beside their operands and their result."""
    from tensorlab.bench.memory import ALLOWED, STEPS, measure

    found = sorted(_measured(lambda: measure(only, threads)), key=lambda need: -need.beside)
    if as_json:
        typer.echo(json.dumps([need._asdict() for need in found], indent=2))
        return
    above = [need for need in found if need.beside > ALLOWED * threads]
    allowed = f"{ALLOWED / 1e6:.0f} MB a thread"
    console = Console(highlight=False)
    if above:
        table = _table("calls that need more", "result MB", "beside it MB")
        table.add_column("what for")
        for need in above:
            sizes = (f"{size / 1e6:.1f}" for size in (need.result, need.beside))
            table.add_row(escape(need.text), *sizes, STEPS.get(need.text, ""))
        console.print(table)
    console.print(
        f"\n{len(found) - len(above)} of {len(found)} calls need at most {allowed} beside "
        "their operands and their result."
    )


def show_graph(only: str, threads: int, as_json: bool) -> None:
    """Say what a long graph costs, and how much memory a training step needs beside PyTorch's."""
    from tensorlab.bench.graphs import LAYERS, long_graph, step_memory

    chain = long_graph()
    step = _measured(step_memory)
    if as_json:
        typer.echo(json.dumps({"chain": chain._asdict(), "step": step._asdict()}, indent=2))
        return
    table = _table(f"a chain of {chain.nodes:,} operations", "seconds")
    for name in ("build", "backward", "free"):
        table.add_row(name, f"{getattr(chain, name):.3f}")
    console = Console(highlight=False)
    console.print(table)
    console.print(f"\nA step of {LAYERS} layers needs {step.ours / 1e6:.1f} MB at the highest", end="")
    if step.torch is None:
        console.print("; PyTorch, to compare with, is not installed.")
    else:
        ratio = step.ours / step.torch
        console.print(f", and {step.torch / 1e6:.1f} MB in PyTorch: {ratio:.2f} of it.")


def show_agreement(only: str, threads: int, as_json: bool) -> None:
    """Say how far the losses of a training are from PyTorch's, and how much memory a step needs beside it."""
    from tensorlab.bench.agreement import STEPS, agreement

    def watch(found: Iterable[Any]) -> Iterable[Any]:
        return found if as_json else track(found, "Comparing", transient=True)

    found = _measured(lambda: [*watch(agreement(only, threads))])
    if as_json:
        typer.echo(json.dumps([each._asdict() for each in found], indent=2))
        return
    titles = "float32", "float64", "ours MB", "PyTorch MB", "ours ÷ PyTorch"
    table = _table(f"{STEPS} steps of training", *titles)
    for each in found:
        differences = (f"{value:.1e}" for value in (each.float32, each.float64))
        peaks = (f"{value / 1e6:.1f}" for value in (each.ours, each.torch))
        ratio = f"{each.ours / each.torch:.2f}" if each.torch > SEEN else ""
        table.add_row(each.name, *differences, *peaks, ratio)
    Console(highlight=False).print(table)


def _table(*titles: str) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column, title in enumerate(titles):
        table.add_column(title, justify="right" if column else "left", overflow="fold")
    return table


def _measured(measure: Callable[[], Measured]) -> Measured:
    try:
        found = measure()
    except OSError as error:
        raise CommandError(f"{error}.", ENVIRONMENT) from error
    if not found:
        raise CommandError("nothing that is measured has that in its text.")
    return found


#: The figures that may be asked for by name.
FIGURES: dict[str, Callable[[str, int, bool], None]] = {
    "floors": show_floors,
    "start": show_start,
    "compilation": show_compilation,
    "memory": show_memory,
    "graph": show_graph,
    "agreement": show_agreement,
}
