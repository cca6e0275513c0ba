"""softmax and log_softmax along one dimension.

``rows``      one row after another, wherever its elements lie. A row is copied to where it lies together,
              and read three times there: for its maximum, for the sum of exponentials, and to be written
``columns``   where the dimension is not the last: neighbouring columns side by side, in strips

Sums are made in blocks, and added up in float64.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.cell import Number, narrow, widen
from tensorlab.backends.cpu.intrinsics import maximum
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.levels import assemble, compute_name
from tensorlab.backends.cpu.pointers import advance, at
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.operands import Launch, OperandLayout, no_launch
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div
from tensorlab.scalars.exponential import exp_to_one

__all__ = ["softmax"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# Roughly how many additions one element is worth.
COST = 12

BLOCK = 1024  # elements that are added up in the compute type
WIDTH = 1024  # columns to a strip: its sums stay in the first-level cache

LOGARITHM = False  # whether results are logarithms
KEPT = True  # whether columns keep their exponentials in the output, which does not round them


# Rows.


def place(row, walk, operand):
    """The cell at which a row begins; ``walk[0]`` is the rows' shape, ``walk[operand]`` their strides."""
    cell = 0
    for dim in range(walk.shape[1] - 1, -1, -1):
        cell += row % walk[0, dim] * walk[operand, dim]
        row //= walk[0, dim]
    return cell


def copy_row(count, x, stride, near):
    """Copy a row to where it lies together, and return its greatest element."""
    greatest = Number(-np.inf)
    for i in range(count):
        near[i] = widen(x[i * stride])
        greatest = maximum(greatest, near[i])
    return greatest


def raise_block(count, near, greatest):
    """The sum of the exponentials of ``x - greatest``; one of the two takes the place of `x`."""
    total = Number(0)
    for i in range(count):
        difference = near[i] - greatest
        power = Number(exp_to_one(difference))
        near[i] = difference if LOGARITHM else power
        total += power
    return total


def write_row(count, near, out, total):
    """The results of a row."""
    factor, logarithm = Number(1 / total), Number(np.log(total))
    for i in range(count):
        out[i] = narrow(near[i] - logarithm if LOGARITHM else near[i] * factor)


def forward_rows(first, last, walk, line, out, x):
    """Rows `first` … `last` - 1.

    Args:
        first, last: which rows.
        walk: the shape of the rows, their strides in `out`, and those in `x`.
        line: the length of a row, and the steps between its elements in `out`, which is 1, and in `x`.
        out, x: cells.
    """
    count, stride = line[0], line[2]
    room = np.empty(count, Number)
    near = at(room, 0)
    for row in range(first, last):
        cells = at(x, place(row, walk, 2))
        greatest = copy_row(count, cells, 1, near) if stride == 1 else copy_row(count, cells, stride, near)
        total = 0.0
        for begin in range(0, count, BLOCK):
            total += raise_block(min(BLOCK, count - begin), advance(near, begin), greatest)
        write_row(count, near, at(out, place(row, walk, 1)), total)


# Columns. One call takes one row of a strip.


def column_greatest(width, x, stride, greatest):
    """The greatest element of each column so far."""
    for j in range(width):
        greatest[j] = maximum(greatest[j], widen(x[j * stride]))


def column_sum(width, x, stride, out, greatest, total):
    """Exponentials, added to the sums of their columns."""
    for j in range(width):
        power = Number(exp_to_one(widen(x[j * stride]) - greatest[j]))
        if KEPT:
            out[j] = power
        total[j] += power


def column_write(width, x, stride, out, greatest, factor):
    """The results; `factor` is the sum's reciprocal, or its logarithm."""
    for j in range(width):
        if LOGARITHM:
            out[j] = narrow((widen(x[j * stride]) - greatest[j]) - factor[j])
        elif KEPT:
            out[j] *= factor[j]
        else:
            out[j] = narrow(exp_to_one(widen(x[j * stride]) - greatest[j]) * factor[j])


def forward_columns(first, last, walk, line, out, x):
    """Strips `first` … `last` - 1: like `forward_rows`, where `walk` is that of the columns."""
    count, inner = line[0], walk.shape[1] - 1
    size, stride = walk[0, inner], walk[2, inner]
    strips = (size + WIDTH - 1) // WIDTH
    greatest, total, factor = np.empty(WIDTH, Number), np.empty(WIDTH, np.float64), np.empty(WIDTH, Number)
    for task in range(first, last):
        column = task // strips * size + task % strips * WIDTH
        width = min(WIDTH, size - task % strips * WIDTH)
        result, start = place(column, walk, 1), place(column, walk, 2)
        greatest[:] = -np.inf
        total[:] = 0
        for i in range(count):
            column_greatest(width, at(x, start + i * line[2]), stride, at(greatest, 0))
        for i in range(count):
            cells, results = at(x, start + i * line[2]), at(out, result + i * line[1])
            column_sum(width, cells, stride, results, at(greatest, 0), at(total, 0))
        for j in range(width):
            factor[j] = np.log(total[j]) if LOGARITHM else 1 / total[j]
        for i in range(count):
            cells, results = at(x, start + i * line[2]), at(out, result + i * line[1])
            column_write(width, cells, stride, results, at(greatest, 0), at(factor, 0))


# What Python calls.

# Each kernel with its loops: those whose sums may be regrouped, and those that are computed as they stand.
# ``(x - greatest) - logarithm``, regrouped, would be wrong by a rounding of `x`.
_KERNELS: dict[Callable, dict[str, Any]] = {
    forward_rows: {"blocks": [copy_row, raise_block], "loops": [place, write_row]},
    forward_columns: {"blocks": [column_greatest, column_sum], "loops": [place, column_write]},
}


@functools.cache
def _kernel(function: Callable, logarithm: bool, source: dtype, result: dtype) -> Callable:
    name = f"{'log_' if logarithm else ''}softmax_{function.__name__}"
    text = assemble(
        name.replace("_", " "),
        result,
        source=source,
        constants={
            "BLOCK": BLOCK,
            "WIDTH": WIDTH,
            "LOGARITHM": logarithm,
            "KEPT": not logarithm and result.name == compute_name(result),
        },
        formulas=[exp_to_one],
        kernels=[function],
        **_KERNELS[function],
    )
    module = jit.load(f"{name}_{source.name}_{result.name}", text)
    return jit.quiet(getattr(module, function.__name__))


class _Plan(NamedTuple):
    """How one softmax goes through memory.

    Attributes:
        kernel: `forward_rows` or `forward_columns`.
        tasks: how many rows, or strips, there are.
        walk, line: what the kernel takes.
        alone: whether one thread does it all.
    """

    kernel: Callable
    tasks: int
    walk: np.ndarray
    line: np.ndarray
    alone: bool


def _plan(logarithm: bool, shape: Sequence[int], dim: int, result: dtype, source: OperandLayout) -> _Plan:
    others = [other for other in range(len(shape)) if other != dim]
    dense = [math.prod(shape[other + 1 :]) for other in range(len(shape))]
    layouts = [[strides[other] for other in others] for strides in (dense, source.strides)]
    walk_shape, walk_strides = coalesce([shape[other] for other in others], layouts)
    function, tasks = forward_rows, math.prod(walk_shape)
    if dense[dim] > 1:
        function, tasks = forward_columns, tasks // walk_shape[-1] * ceil_div(walk_shape[-1], WIDTH)
    return _Plan(
        _kernel(function, logarithm, source.dtype, result),
        tasks,
        np.array([walk_shape, *walk_strides], np.int64),
        np.array([shape[dim], dense[dim], source.strides[dim]], np.int64),
        tasks == 1 or COST * math.prod(shape) < threads.WORTHWHILE,
    )


def softmax(logarithm: bool, shape: Sequence[int], dim: int, result: dtype, source: OperandLayout) -> Launch:
    """See `tensorlab.backends.layers.LayerOperations.softmax`."""
    if 0 in shape:
        return no_launch
    kernel, tasks, walk, line, alone = _plan(logarithm, shape, dim, result, source)
    work = COST * math.prod(shape)
    code = kernel

    def launch(out_buffer: Any, x_buffer: Any) -> None:
        (out, out_offset), (x, x_offset) = out_buffer, x_buffer
        out, x = out[out_offset:] if out_offset else out, x[x_offset:] if x_offset else x
        if alone or (team := min(threads.team_for(work), tasks)) == 1:
            code(0, tasks, walk, line, out, x)
        else:
            share(kernel, team, tasks, walk, line, out, x)

    return launch
