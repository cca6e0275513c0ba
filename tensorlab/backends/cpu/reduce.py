"""Reductions over some dimensions of a tensor, in any layout, without a copy.

Dimensions of either kind, those that stay and those that are folded away, are coalesced on their own and
sorted by the elements' strides. The smallest stride decides which kernel walks (see
`tensorlab.backends.cpu.reduce_kernels`): along the elements of a result it is ``rows``, along neighbouring
results ``columns``.

Where there are few results and many elements, each result is computed in parts that a second, small reduction
joins. How many parts depends on the layout alone, never on the number of threads: a sum is the same number
however many threads computed it. Rows of few results are folded side by side first, as many as fit beside one
another, which are parts as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.reduce_kernels import STRIP, Pass, block_length, kernels, launcher
from tensorlab.backends.operands import Launch, OperandLayout, no_launch
from tensorlab.core import dtypes, layout
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div
from tensorlab.folds import TABLE, Fold, arguments_of, itself, total_itself

# A result of more elements than this is computed in parts, unless there are enough results to share out. A
# million elements make four parts: more of them are more to join.
PART = 250_000
MOST_PARTS = 64
ENOUGH_TASKS = 16
# Partial results that are kept until they are joined: half a megabyte of float64.
MOST_PARTIAL = 1 << 16

# Fewer folded neighbours than this are not worth a loop of their own: the loop walks along the results.
SHORT = 16

# From so many narrow rows on, several are taken for one.
MANY_ROWS = 4096
# Rows that `columns` joins to a row of totals at a time.
ROWS = 8

# What is passed as centers to a pass that has none.
NO_CENTERS = np.zeros(1)


class _Walk(NamedTuple):
    """How a pass goes through memory (see `tensorlab.backends.cpu.reduce_kernels`).

    Attributes:
        kernel: ``"rows"`` or ``"columns"``.
        unit: whether the innermost loop walks along neighbouring cells.
        shape, strides: of the results; the strides of the elements, of the output and of a third operand.
        span, steps: the shape of the elements of one result, and their strides.
        tasks: how many results, or strips of results, there are.
    """

    kernel: str
    unit: bool
    shape: tuple[int, ...]
    strides: Sequence[tuple[int, ...]]
    span: tuple[int, ...]
    steps: tuple[int, ...]
    tasks: int

    def tables(self, parts: int) -> tuple[np.ndarray, np.ndarray]:
        """`walk` and `span` of the kernels; partial results of a part lie behind those of the part before."""
        x, out, other = self.strides
        rows = [(parts, *self.shape), (math.prod(self.shape), *out), (0, *x), (0, *other)]
        return np.array(rows, np.int64), np.array([self.span, self.steps], np.int64)


def _walk(
    shape: Sequence[int], dims: Sequence[int], x: Sequence[int], out: Sequence[int], other: Sequence[int]
) -> _Walk:
    """The way of a pass, from strides that are each one a dimension of `shape`."""
    kept = [dim for dim in range(len(shape)) if dim not in dims]
    sizes, strides = coalesce(
        [shape[dim] for dim in kept], [[one[dim] for dim in kept] for one in (x, out, other)]
    )
    span, (steps,) = coalesce([shape[dim] for dim in dims], [[x[dim] for dim in dims]])
    step, results = strides[0][-1], math.prod(sizes)
    along_results = sizes[-1] > 1 and step > 0 and (step < steps[-1] or steps[-1] == 0)
    if along_results or (len(span) == 1 and span[0] <= SHORT <= sizes[-1] // 4):
        tasks = results // sizes[-1] * ceil_div(sizes[-1], STRIP)
        return _Walk("columns", step == 1, sizes, strides, span, steps, tasks)
    return _Walk("rows", steps[-1] == 1, sizes, strides, span, steps, results)


def reduce(
    fold: Fold,
    value: dtype,
    shape: Sequence[int],
    dims: Sequence[int],
    out: OperandLayout,
    source: OperandLayout,
    k: float = 0.0,
) -> Launch:
    """See `tensorlab.backends.protocol.Core.reduce`."""
    kept = [dim for dim in range(len(shape)) if dim not in dims]
    sizes, n = [shape[dim] for dim in kept], math.prod(shape[dim] for dim in dims)
    if 0 in sizes:
        return no_launch
    if fold.center is None:
        return _steps(fold, value, shape, dims, out, source, None, k, n)
    dense = dict(zip(kept, layout.default_strides(sizes), strict=True))
    strides = tuple(dense.get(dim, 0) for dim in range(len(shape)))
    center = reduce(fold.center, value, shape, dims, OperandLayout(dtypes.float64, strides), source)
    main = _steps(fold, value, shape, dims, out, source, strides, k, n)
    results = math.prod(sizes)

    def launch(out_buffer: Any, x_buffer: Any) -> None:
        centers = np.empty(results), 0
        center(centers, x_buffer)
        main(centers, out_buffer, x_buffer)

    return launch


def _steps(
    fold: Fold,
    value: dtype,
    shape: Sequence[int],
    dims: Sequence[int],
    out: OperandLayout,
    source: OperandLayout,
    centers: Sequence[int] | None,
    k: float,
    n: int,
) -> Launch:
    """One pass over the elements, or several partial results that a second pass joins.

    Args:
        fold, value, shape, dims, out, source, k: those of `reduce`.
        centers: the strides of the fold's centers, one a dimension of `shape`, if they are passed first.
        n: how many elements meet in one result.
    """
    given = centers is not None
    c = centers or (0,) * len(shape)
    way = _walk(shape, dims, source.strides, out.strides, c)
    parts, beside = _parts(way, block_length(way.unit)), _rows_beside(fold, way)
    if parts == beside == 1:
        return _pass(Pass(fold, value, source.dtype, out.dtype, way.unit), way, 1, given, k, n)
    kept = [dim for dim in range(len(shape)) if dim not in dims]
    sizes, x, written, center = ([one[d] for d in kept] for one in (shape, source.strides, out.strides, c))
    results, dense = math.prod(sizes), layout.default_strides(sizes)
    gone, steps, split = list(way.span), list(way.steps), [beside] * (beside > 1)
    if split:  # as many rows beside one another
        x, gone, steps = [*steps, *x], [gone[0] // beside], [steps[0] * beside]
    apart, zeros = layout.default_strides([*split, *sizes]), [0] * len(gone)
    way = _walk(
        [*gone, *split, *sizes],
        range(len(gone)),
        [*steps, *x],
        [*zeros, *apart],
        [*zeros, *[0] * len(split), *center],
    )
    cut = replace(fold, name=f"{fold.name}_part", finish=total_itself)
    total = Pass(cut, value, source.dtype, value, way.unit).total
    first = _pass(Pass(cut, value, source.dtype, total, way.unit), way, parts, given, k, n)
    count = parts * beside
    second = _steps(
        replace(fold, name=f"{fold.name}_join", each=itself, scalars=(), cost=1),
        total,
        (count, *sizes),
        (0,),
        OperandLayout(out.dtype, (0, *written)),
        OperandLayout(total, (results, *dense)),
        (0, *center) if given else None,
        k,
        n,
    )

    def launch(*buffers: Any) -> None:
        *centers, out_buffer, x_buffer = buffers
        partial = np.empty(results * count, total.cell), 0
        first(*centers, partial, x_buffer)
        second(*centers, out_buffer, partial)

    return launch


def _parts(way: _Walk, block: int) -> int:
    """In how many parts each result is best computed."""
    if way.tasks >= ENOUGH_TASKS:
        return 1
    n, width, results = math.prod(way.span), 1, math.prod(way.shape)
    pieces = n // max(way.span[-1], 1) * ceil_div(way.span[-1], block)
    if way.kernel == "columns":
        pieces, width = ceil_div(n, ROWS), min(way.shape[-1], STRIP)
    return max(1, min(MOST_PARTS, n * width // PART, pieces, MOST_PARTIAL // results))


def _rows_beside(fold: Fold, way: _Walk) -> int:
    """How many rows of neighbouring results are best taken for one, where they are narrow and touch."""
    width, touch = way.shape[-1], way.steps == (way.shape[-1],)
    if way.kernel == "rows" or not way.unit or not touch or "c" in arguments_of(fold.each):
        return 1
    if way.span[0] < MANY_ROWS:
        return 1
    most = STRIP // width
    return next((count for count in range(most, 1, -1) if way.span[0] % count == 0), 1)


def _pass(one: Pass, way: _Walk, parts: int, given: bool, k: float, n: int) -> Launch:
    """The launch of one pass: of the centers' buffer if they are given, the results' and the elements'."""
    work = math.prod(way.shape) * math.prod(way.span) * one.fold.cost
    kernel = getattr(kernels(one), way.kernel)
    constants = *way.tables(parts), n, k
    if given:
        return launcher(kernel, way.tasks * parts, work, constants, buffers=3)
    return launcher(kernel, way.tasks * parts, work, (*constants, NO_CENTERS))


def arg_reduce(
    greatest: bool, shape: Sequence[int], dims: Sequence[int], places: OperandLayout, source: OperandLayout
) -> Launch:
    """See `tensorlab.backends.protocol.Core.arg_reduce`."""
    kept = [dim for dim in range(len(shape)) if dim not in dims]
    if any(shape[dim] == 0 for dim in kept):
        return no_launch
    way = _walk(shape, dims, source.strides, places.strides, (0,) * len(shape))
    # Places count the elements of a result in their order, which a walk is free to change.
    span, steps = layout.merge_axes([shape[dim] for dim in dims], [source.strides[dim] for dim in dims])
    way = way._replace(span=span or (1,), steps=steps or (1,))
    if way.kernel == "rows" or len(way.span) > 1:
        way = way._replace(kernel="rows", unit=way.steps[-1] == 1, tasks=math.prod(way.shape))
    one = Pass(TABLE["amax" if greatest else "amin"], source.dtype, source.dtype, source.dtype, way.unit)
    kernel = getattr(kernels(one), f"places_in_{way.kernel}")
    return launcher(kernel, way.tasks, 2 * math.prod(shape), way.tables(1))
