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


def is_later(element, best):
    """Whether an element takes over: of equal ones the last does, and of NaNs, which nothing else follows."""
    return (element != element) | (element >= best if GREATEST else element <= best)


def extreme_rows(first, last, walk, line, out, places, x):
    """The extremes so far and their places, one line after another: each is written until the next comes."""
    n, out_step, place_step, step = line[0], np.uint64(line[1]), np.uint64(line[2]), np.uint64(line[3])
    for task in range(first, last):
        outer, beside = task // walk[0, -1], task % walk[0, -1]
        out_cell = np.uint64(skipped(walk, 1, outer) + beside * walk[1, -1])
        cell = np.uint64(skipped(walk, 2, outer) + beside * walk[2, -1])
        place_cell = np.uint64(skipped(walk, 3, outer) + beside * walk[3, -1])
        i = 0
        while i < n:
            best, place, stands = x[cell], i, True
            extreme = seen(best, 0.0, 0.0)
            while stands:
                out[out_cell], places[place_cell] = best, place
                out_cell += out_step
                place_cell += place_step
                cell += step
                i += 1
                stands = i < n and not is_later(seen(x[cell], 0.0, 0.0), extreme)


def extreme_columns(first, last, walk, line, out, places, x):
    """The same for many lines side by side. One task is one strip of lines."""
    width = walk[0, -1]
    strips = (width + STRIP - 1) // STRIP
    best, place = np.empty(STRIP, x.dtype), np.empty(STRIP, np.int64)
    for task in range(first, last):
        outer, beside = task // strips, task % strips * STRIP
        out_cell = skipped(walk, 1, outer) + beside * walk[1, -1]
        cell = skipped(walk, 2, outer) + beside * walk[2, -1]
        place_cell = skipped(walk, 3, outer) + beside * walk[3, -1]
        w = lesser(STRIP, width - beside)
        for i in range(line[0]):
            for j in range(w):
                known, comes = best[j], x[cell + j * walk[2, -1]]
                later = i == 0 or is_later(seen(comes, 0.0, 0.0), seen(known, 0.0, 0.0))
                best[j] = comes if later else known
                place[j] = i if later else place[j]
                out[out_cell + j * walk[1, -1]] = best[j]
                places[place_cell + j * walk[3, -1]] = place[j]
            out_cell += line[1]
            place_cell += line[2]
            cell += line[3]


def scan(
    name: str,
    value: dtype,
    shape: Sequence[int],
    dim: int,
    out: OperandLayout,
    source: OperandLayout,
    places: OperandLayout | None = None,
) -> Launch:
    """See `tensorlab.backends.protocol.Core.scan`."""
    if 0 in shape:
        return no_launch
    layouts = [source, out] if places is None else [source, out, places]
    others = [other for other in range(len(shape)) if other != dim]
    sizes, strides = coalesce(
        [shape[other] for other in others], [[one.strides[other] for other in others] for one in layouts]
    )
    side_by_side = sizes[-1] > 1 and 0 < strides[0][-1] < source.strides[dim]
    tasks = math.prod(sizes)
    if side_by_side:
        tasks = tasks // sizes[-1] * ceil_div(sizes[-1], STRIP)
    x_walk, out_walk, *place_walk = strides
    walk = np.array([sizes, out_walk, x_walk, *place_walk], np.int64)
    steps = [one.strides[dim] for one in (out, places, source) if one is not None]
    line = np.array([shape[dim], *steps], np.int64)
    # Totals are kept as wide as those of a whole reduction.
    fold = replace(TABLE[_FOLDS[name]], name=name, wide=True)
    one = Pass(fold, value, source.dtype, out.dtype)
    forms = (running_rows, running_columns) if places is None else (extreme_rows, extreme_columns)
    kernel = getattr(kernels(one, (is_later, *forms)), forms[side_by_side].__name__)
    return launcher(kernel, tasks, 4 * math.prod(shape), (walk, line), buffers=len(layouts))
