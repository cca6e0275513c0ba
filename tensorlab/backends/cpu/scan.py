"""Running sums, products and extremes along one dimension, in any layout, without a copy.

Each result is the reduction of an element and all before it, so the loops call the functions of a row of
`tensorlab.folds` (see `tensorlab.backends.cpu.reduce_kernels`). A kernel walks along the dimension with the
running total in hand; where neighbouring lines lie closer together in memory than the elements of one line,
it walks with the running totals of many lines side by side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tensorlab.backends.cpu.intrinsics import lesser
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.reduce_kernels import (
    GREATEST,
    STRIP,
    TOTAL,
    TOTAL_START,
    Pass,
    kept,
    kernels,
    launcher,
    seen,
    skipped,
    stored,
)
from tensorlab.backends.operands import Launch, OperandLayout, no_launch
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div
from tensorlab.folds import TABLE

__all__ = ["scan"]

# The reduction that each runs; extremes and their places are found by the same one.
_FOLDS = {"cumsum": "sum", "cumprod": "prod", "cummax": "amax", "cummin": "amin"}


def running_rows(first, last, walk, line, out, x):
    """One line after another. `walk` is a reduction's; `line`: its length, the steps of out and x."""
    for task in range(first, last):
        outer, beside = task // walk[0, -1], task % walk[0, -1]
        out_cell = skipped(walk, 1, outer) + beside * walk[1, -1]
        cell = skipped(walk, 2, outer) + beside * walk[2, -1]
        total = TOTAL_START
        for _ in range(line[0]):
            total = kept(total, 0.0, seen(x[cell], 0.0, 0.0))[0]
            out[out_cell] = stored(total, 0.0, 0.0, 0.0, 0)
            out_cell += line[1]
            cell += line[2]


def running_columns(first, last, walk, line, out, x):
    """Many lines side by side. One task is one strip of lines."""
    width = walk[0, -1]
    strips = (width + STRIP - 1) // STRIP
    total = np.empty(STRIP, TOTAL)
    for task in range(first, last):
        outer, beside = task // strips, task % strips * STRIP
        out_cell = skipped(walk, 1, outer) + beside * walk[1, -1]
        cell = skipped(walk, 2, outer) + beside * walk[2, -1]
        w = lesser(STRIP, width - beside)
        for j in range(w):
            total[j] = TOTAL_START
        for _ in range(line[0]):
            for j in range(w):
                total[j] = kept(total[j], 0.0, seen(x[cell + j * walk[2, -1]], 0.0, 0.0))[0]
                out[out_cell + j * walk[1, -1]] = stored(total[j], 0.0, 0.0, 0.0, 0)
            out_cell += line[1]
            cell += line[2]


def running_places(first, last, walk, line, out, x):
    """Where the extremes so far stand: of equal ones, and of several NaNs, the last."""
    for task in range(first, last):
        outer, beside = task // walk[0, -1], task % walk[0, -1]
        out_cell = skipped(walk, 1, outer) + beside * walk[1, -1]
        cell = skipped(walk, 2, outer) + beside * walk[2, -1]
        best, place = seen(x[cell], 0.0, 0.0), 0
        for i in range(line[0]):
            element = seen(x[cell], 0.0, 0.0)
            # NaN stays until the next NaN: it is neither less nor greater than what follows.
            later = (element != element) | (element >= best if GREATEST else element <= best)
            best, place = (element, i) if later else (best, place)
            out[out_cell] = place
            out_cell += line[1]
            cell += line[2]


def scan(
    name: str,
    value: dtype,
    shape: Sequence[int],
    dim: int,
    out: OperandLayout,
    source: OperandLayout,
    places: bool = False,
) -> Launch:
    """See `tensorlab.backends.protocol.Core.scan`."""
    if 0 in shape:
        return no_launch
    others = [other for other in range(len(shape)) if other != dim]
    strides = [[one.strides[other] for other in others] for one in (source, out)]
    sizes, (x_walk, out_walk) = coalesce([shape[other] for other in others], strides)
    form, tasks = running_rows, math.prod(sizes)
    if places:
        form = running_places
    elif sizes[-1] > 1 and 0 < x_walk[-1] < source.strides[dim]:
        form, tasks = running_columns, tasks // sizes[-1] * ceil_div(sizes[-1], STRIP)
    walk = np.array([sizes, out_walk, x_walk], np.int64)
    line = np.array([shape[dim], out.strides[dim], source.strides[dim]], np.int64)
    # Totals are kept as wide as those of a whole reduction.
    fold = replace(TABLE[_FOLDS[name]], name=name, wide=True)
    one = Pass(fold, value, source.dtype, source.dtype if places else out.dtype)
    kernel = getattr(kernels(one, (running_rows, running_columns, running_places)), form.__name__)
    return launcher(kernel, tasks, 4 * math.prod(shape), (walk, line))
