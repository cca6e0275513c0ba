"""Running sums, products and extremes along one dimension, in any layout, without a copy.

Each result is the fold of an element and all before it. The kernel walks along the dimension with the running
total in hand, or, where neighbouring lines lie closer together in memory than the elements of one line, with
the running totals of many lines side by side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.kernel_text import (
    OPTIONS,
    WIDTH,
    Cells,
    header,
    jitted,
    numpy_name,
    positions,
)
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.operands import Launch, OperandLayout, no_launch
from tensorlab.dtypes import dtype
from tensorlab.integers import ceil_div

__all__ = ["scan", "scan_source"]

# name: what a line starts from, and how an element joins the total
_SUMS = {"cumsum": ("0", "total + element"), "cumprod": ("1", "total * element")}
# name: whether an element becomes the extreme so far; the later of two equals does, and the last NaN
_EXTREMES = {
    "cummax": "element != element or element >= total",
    "cummin": "element != element or element <= total",
}

_modules: dict[tuple, Any] = {}


def scan(
    name: str,
    value: dtype,
    shape: Sequence[int],
    dim: int,
    out: OperandLayout,
    places: OperandLayout | None,
    source: OperandLayout,
) -> Launch:
    """See `tensorlab.backends.protocol.Backend.scan`."""
    if 0 in shape:
        return no_launch
    others = [other for other in range(len(shape)) if other != dim]
    written = out if places is None else places
    layouts = [[layout.strides[other] for other in others] for layout in (source, out, written)]
    walk_shape, (x_walk, out_walk, place_walk) = coalesce([shape[other] for other in others], layouts)
    line = [layout.strides[dim] for layout in (source, out, written)]
    form, tasks = "rows", math.prod(walk_shape)
    if walk_shape[-1] > 1 and 0 < x_walk[-1] < line[0]:
        form = "columns"
        tasks = tasks // walk_shape[-1] * ceil_div(walk_shape[-1], WIDTH)
    walk = np.array([walk_shape, x_walk, out_walk, place_walk], np.int64)
    steps = np.array([shape[dim], *line], np.int64)
    key = (name, value, form, source.dtype, out.dtype)
    if key not in _modules:
        text = scan_source(name, Cells(source.dtype, out.dtype), value, form)
        _modules[key] = jit.load(f"{name}_{form}_{source.dtype.name}_{out.dtype.name}", text)
    kernel = jit.quiet(_modules[key].kernel)
    work = 4 * math.prod(shape)
    alone = tasks == 1 or work < threads.WORTHWHILE

    def launch(*buffers: Any) -> None:
        arrays = [cells[offset:] if offset else cells for cells, offset in buffers if cells is not None]
        if alone or (team := min(threads.team_for(work), tasks)) == 1:
            kernel(0, tasks, walk, steps, *arrays)
        else:
            share(kernel, team, tasks, walk, steps, *arrays)

    return launch


def scan_source(name: str, cells: Cells, value: dtype, form: str) -> str:
    """The text of one kernel: a module with ``kernel``.

    Args:
        name: ``"cumsum"``, ``"cumprod"``, ``"cummax"`` or ``"cummin"``.
        cells: the dtypes of the elements and of the results.
        value: the type in which elements are joined; sums and products of floats are kept in float64.
        form: ``"rows"``, one line after another, or ``"columns"``, many side by side.
    """
    floating = value.is_floating_point
    extreme = name in _EXTREMES
    kind = "float64" if floating else "int64"
    if extreme:
        kind = numpy_name(value).replace("bool_", "uint8")
    parameters = "walk, steps, out, places, x" if extreme else "walk, steps, out, x"
    j = "[j]" if form == "columns" else ""
    total, place = f"total{j}", f"place{j}"
    step = [f"element = {cells.load('x[x_cell]', kind)}"]
    if extreme:
        wins = _EXTREMES[name].replace("total", total)
        # NaN stays until the next NaN: it is neither less nor greater than what follows.
        step += [f"if i == 0 or {wins}:", f"    {total}, {place} = element, i"]
        step.append(f"places[place_cell] = {place}")
    else:
        joined = _SUMS[name][1].replace("total", total)
        step.append(f"{total} = np.{kind}({joined})")
    step.append(f"out[out_cell] = {cells.store(total, floating)}")
    start = "0" if extreme else _SUMS[name][0]
    named = [("x_cell", 1), ("out_cell", 2)] + ([("place_cell", 3)] if extreme else [])
    lines = _rows(named, step, start, kind) if form == "rows" else _columns(named, step, start, kind)
    body = (
        f"@njit({jit.KERNEL}, {OPTIONS})\n"
        f"def kernel(first, last, {parameters}):\n"
        "    # walk: the other dimensions' shape, strides of x, out, places; steps: the same of one line\n"
        "    n = steps[0]\n" + lines
    )
    title = f"{name} of {cells.source.name} to {cells.result.name}, {form}"
    return f"{header(title)}{jitted(cells.helpers())}\n\n{body}"


def _rows(named: list[tuple[str, int]], step: list[str], start: str, kind: str) -> str:
    return (
        "    for task in range(first, last):\n"
        "        rest = task\n"
        + positions("walk", *((cell, "0", row) for cell, row in named))
        + f"        total, place = np.{kind}({start}), 0\n"
        "        for i in range(n):\n"
        + "".join(f"            {line}\n" for line in step)
        + "".join(f"            {cell} += steps[{row}]\n" for cell, row in named)
    )


def _columns(named: list[tuple[str, int]], step: list[str], start: str, kind: str) -> str:
    return (
        "    last_dim = walk.shape[1] - 1\n"
        "    width = walk[0, last_dim]\n"
        "    strips = (width + WIDTH - 1) // WIDTH\n"
        f"    total, place = np.empty(WIDTH, np.{kind}), np.empty(WIDTH, np.int64)\n"
        "    for task in range(first, last):\n"
        "        rest, strip = task // strips, task % strips\n"
        "        w = min(WIDTH, width - strip * WIDTH)\n"
        + positions(
            "walk",
            *((f"{cell}_start", f"strip * WIDTH * walk[{row}, last_dim]", row) for cell, row in named),
            outer="last_dim",
        )
        + f"        total[:w] = {start}\n"
        "        place[:w] = 0\n"
        "        for i in range(n):\n"
        "            for j in range(w):\n"
        + "".join(
            f"                {cell} = {cell}_start + i * steps[{row}] + j * walk[{row}, last_dim]\n"
            for cell, row in named
        )
        + "".join(f"                {line}\n" for line in step)
    )
