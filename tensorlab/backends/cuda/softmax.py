"""Softmax, and its logarithm, of rows: a block works through each.

It would be four to eight operations of the core, and each of those reads and writes the whole tensor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tensorlab.backends.cuda.constants import of_cells
from tensorlab.backends.cuda.operands import chosen, fits, is_aligned, raw
from tensorlab.backends.cuda.rows import (
    KEPT,
    WARPS,
    first_cell,
    joined,
    keep_row,
    kept_by,
    narrow,
    number,
    widen,
    write_row,
)
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.backends.operands import Buffer, Launch, OperandLayout, no_launch
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import default_strides

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

__all__ = ["log_softmax", "prepare_softmax", "softmax", "softmax_kept"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# Of `softmax_kept`: whether its logarithm is wanted.
IS_LOGARITHM = False


def totals_of(n, x, cell, step, greatest_of_warps, sums_of_warps):
    """The greatest number of a row, and the sum of the exponentials of all distances from it.

    A thread reads its numbers once: where it finds a greater one, its sum so far shrinks.
    """
    greatest, total = number(-math.inf), number(0)
    for i in range(cuda.threadIdx.x, n, cuda.blockDim.x):
        seen = widen(x[cell + i * step])
        if seen == greatest:
            total = number(total + number(1))
        elif seen > greatest:
            total = number(total * number(math.exp(greatest - seen)) + number(1))
            greatest = seen
        else:
            total = number(total + number(math.exp(seen - greatest)))
    of_all = joined(greatest, greatest_of_warps, False)
    if greatest != of_all:
        total = number(total * number(math.exp(greatest - of_all)))
    return of_all, joined(total, sums_of_warps, True)


def softmax(n, shape, out, out_first, out_strides, out_step, x, x_first, x_strides, x_step):
    """The exponentials of a row's numbers, divided by their sum."""
    greatest_of_warps = cuda.shared.array(WARPS, number)
    sums_of_warps = cuda.shared.array(WARPS, number)
    cell, out_cell = first_cell(x_first, x_strides, shape), first_cell(out_first, out_strides, shape)
    greatest, total = totals_of(n, x, cell, x_step, greatest_of_warps, sums_of_warps)
    for i in range(cuda.threadIdx.x, n, cuda.blockDim.x):
        distance = widen(x[cell + i * x_step]) - greatest
        out[out_cell + i * out_step] = narrow(number(number(math.exp(distance)) / total))


def log_softmax(n, shape, out, out_first, out_strides, out_step, x, x_first, x_strides, x_step):
    """The logarithm of `softmax`."""
    greatest_of_warps = cuda.shared.array(WARPS, number)
    sums_of_warps = cuda.shared.array(WARPS, number)
    cell, out_cell = first_cell(x_first, x_strides, shape), first_cell(out_first, out_strides, shape)
    greatest, total = totals_of(n, x, cell, x_step, greatest_of_warps, sums_of_warps)
    less = number(math.log(total))
    for i in range(cuda.threadIdx.x, n, cuda.blockDim.x):
        distance = widen(x[cell + i * x_step]) - greatest
        out[out_cell + i * out_step] = narrow(number(distance - less))


def softmax_kept(n, shape, out, out_first, out_strides, x, x_first, x_strides):
    """`softmax`, or its logarithm, of rows of neighbours that are read once; `BEYOND` is -inf."""
    greatest_of_warps = cuda.shared.array(WARPS, number)
    sums_of_warps = cuda.shared.array(WARPS, number)
    kept = cuda.local.array(KEPT, number)
    keep_row(kept, n, x, first_cell(x_first, x_strides, shape))
    greatest, total = number(-math.inf), number(0)
    for i in range(KEPT):
        greatest = max(greatest, kept[np.uint32(i)])
    greatest = joined(greatest, greatest_of_warps, False)
    for i in range(KEPT):
        distance = number(kept[np.uint32(i)] - greatest)
        exponential = number(math.exp(distance))
        total = number(total + exponential)
        kept[np.uint32(i)] = distance if IS_LOGARITHM else exponential
    total = joined(total, sums_of_warps, True)
    if IS_LOGARITHM:
        total = number(math.log(total))
    for i in range(KEPT):
        value = kept[np.uint32(i)]
        kept[np.uint32(i)] = number(value - total) if IS_LOGARITHM else number(value / total)
    write_row(kept, n, out, first_cell(out_first, out_strides, shape))


def prepare_softmax(
    backend: Cuda, logarithm: bool, shape: Sequence[int], dim: int, result: dtype, source: OperandLayout
) -> Launch:
    """See `tensorlab.backends.layers.LayerOperations.softmax`."""
    if 0 in shape:
        return no_launch
    dim %= len(shape)
    kernel = of_cells(log_softmax if logarithm else softmax, source.dtype, result)
    kept = [each for each in range(len(shape)) if each != dim]
    sizes, n, out_strides = chosen(shape, kept), shape[dim], default_strides(shape)
    steps = [(chosen(each, kept), each[dim]) for each in (out_strides, source.strides)]
    short = kept_by(n, backend.driver.threads)
    if short and not all(fits((*of_rows, step), -1, n) for of_rows, step in steps):
        short = None
    threads, constants = short or (0, {})
    of_kept = of_cells(
        softmax_kept, source.dtype, result, **constants, BEYOND=-math.inf, IS_LOGARITHM=logarithm
    )

    def launch(out: Buffer, item: Buffer) -> None:
        if short and is_aligned(out) and is_aligned(item):
            ends = *raw(out), steps[0][0], *raw(item), steps[1][0]
            backend.run(of_kept, math.prod(sizes), threads, n, sizes, *ends)
            return
        operands = *raw(out), *steps[0], *raw(item), *steps[1]
        backend.run(kernel, math.prod(sizes), backend.threads_of(n), n, sizes, *operands)

    return launch
