"""Folds over some dimensions of a tensor, in any layout, without a copy.

Dimensions of either kind, those that stay and those that are folded away, are coalesced on their own and
sorted by the elements' strides. The smallest stride decides the form of the kernel: along folded elements it
is ``rows`` (or ``runs``, where several runs make a result), along results ``columns`` (see
`tensorlab.backends.cpu.reduce_templates`).

Where there are few results and many elements, each result is computed in parts that a second, small fold
joins. How many parts depends on the layout alone, never on the number of threads: a sum is the same number
however many threads computed it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tensorlab import layout
from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.fold_columns import column_functions, join_functions
from tensorlab.backends.cpu.fold_pass import total_type
from tensorlab.backends.cpu.fold_strips import CELLS, Look, fold_strips, sizes_of, tasks_of
from tensorlab.backends.cpu.fold_text import NEAR_BYTES, TOGETHER, block_length, strip_width
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.kernel_text import Cells
from tensorlab.backends.cpu.reduce_templates import fold_source, join_source
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.operands import Launch, OperandLayout, no_launch
from tensorlab.dtypes import dtype
from tensorlab.folds import Fold, arguments_of, total_itself
from tensorlab.integers import ceil_div

__all__ = ["flat_fold", "join_parts", "reduce"]

# A result of more elements than this is computed in parts, unless there are enough results to share out. A
# million elements make four parts: more of them are more to join.
PART = 250_000
MOST_PARTS = 64
ENOUGH_TASKS = 16
# Partial results that are kept until they are joined: half a megabyte of float64.
MOST_PARTIAL = 1 << 16

# Fewer folded neighbours than this are not worth a loop of their own: the loop walks along the results.
SHORT = 16

# What is passed to a fold that finds its centers itself, or has none.
NO_CENTERS = np.empty(0, np.float64)

_modules: dict[tuple, Any] = {}


class _Way(NamedTuple):
    """The way of one fold through memory.

    Attributes:
        form: ``"rows"``, ``"runs"`` or ``"columns"``.
        step: whether the innermost loop steps over cells.
        walk: the results' shape, the strides of the output, and those of the elements.
        span: the shape of the elements of one result, and their strides.
        tasks: how many results, or strips of results, there are.
        parts: into how many parts each result is best cut.
    """

    form: str
    step: bool
    walk: np.ndarray
    span: np.ndarray
    tasks: int
    parts: int


def reduce(
    fold: Fold,
    value: dtype,
    shape: Sequence[int],
    dims: Sequence[int],
    out: OperandLayout,
    source: OperandLayout,
    k: float = 0.0,
) -> Launch:
    """See `tensorlab.backends.protocol.Backend.reduce`."""
    n = math.prod(shape[dim] for dim in dims)
    if any(shape[dim] == 0 for dim in range(len(shape)) if dim not in dims):
        return no_launch
    way = _find_way(fold, shape, dims, out.strides, source)
    if way.parts == 1 or "c" in arguments_of(fold.finish):
        return _launcher(fold, value, way, 1, out.dtype, source.dtype, k, n)
    return _in_parts(fold, value, shape, dims, way.parts, out, source, k, n)


def flat_fold(
    fold: Fold, value: dtype, source: dtype, result: dtype, form: str, results: int, n: int
) -> Callable[..., None]:
    """See `tensorlab.backends.protocol.Backend.flat_fold`."""
    if form == "rows":
        kernel = jit.quiet(_module(fold, value, form, False, source, result).flat_kernel)
        return jit.entry(kernel, result.cell, source.cell)
    walk, span = np.array([[results], [1], [1]], np.int64), np.array([[n], [results]], np.int64)
    looks, functions = _columns(fold, value, source, result, False, False)
    sizes = sizes_of(walk, span, 1, NEAR_BYTES // source.itemsize, looks, True)
    return _all_strips(walk, span, sizes, functions, n, 0.0)


def _find_way(
    fold: Fold, shape: Sequence[int], dims: Sequence[int], out: Sequence[int], source: OperandLayout
) -> _Way:
    x = source.strides
    kept = [dim for dim in range(len(shape)) if dim not in dims]
    walk_shape, (x_walk, out_walk) = coalesce(
        [shape[dim] for dim in kept], [[x[dim] for dim in kept], [out[dim] for dim in kept]]
    )
    span_shape, (x_span,) = coalesce([shape[dim] for dim in dims], [[x[dim] for dim in dims]])
    along_results = walk_shape[-1] > 1 and x_walk[-1] > 0 and (x_walk[-1] < x_span[-1] or x_span[-1] == 0)
    short = len(span_shape) == 1 and span_shape[-1] <= SHORT <= walk_shape[-1] // 4
    results, n = math.prod(walk_shape), math.prod(span_shape)
    if along_results or short:
        form, step, width = "columns", x_walk[-1] != 1, strip_width(walk_shape[-1])
        tasks = results // walk_shape[-1] * ceil_div(walk_shape[-1], width)
        pieces = ceil_div(n, TOGETHER)
    else:
        form = "rows" if len(span_shape) == 1 else "runs"
        step, width, tasks = x_span[-1] != 1, 1, results
        block = block_length(fold, source.dtype, step)
        pieces = n // span_shape[-1] * ceil_div(span_shape[-1], block) if n else 0
    parts = 1
    if tasks < ENOUGH_TASKS:
        parts = max(1, min(MOST_PARTS, n * width // PART, pieces, MOST_PARTIAL // results))
    return _Way(
        form,
        step,
        np.array([walk_shape, out_walk, x_walk], np.int64),
        np.array([span_shape, x_span], np.int64),
        tasks,
        parts,
    )


def _in_parts(
    fold: Fold,
    value: dtype,
    shape: Sequence[int],
    dims: Sequence[int],
    parts: int,
    out: OperandLayout,
    source: OperandLayout,
    k: float,
    n: int,
) -> Launch:
    """Each result in parts, which a second fold joins; where the fold has a center, that comes first."""
    kept = [dim for dim in range(len(shape)) if dim not in dims]
    sizes = [shape[dim] for dim in kept]
    results = math.prod(sizes)
    dense = dict(zip(kept, layout.default_strides(sizes), strict=True))
    kind = total_type(fold, value)

    centers = None
    if fold.center:
        strides = tuple(dense.get(dim, 0) for dim in range(len(shape)))
        place = OperandLayout(total_type(fold.center, value), strides)
        centers = reduce(fold.center, value, shape, dims, place, source, k)
    way = _find_way(fold, shape, dims, [dense.get(dim, 0) for dim in range(len(shape))], source)
    cut = replace(fold, name=f"{fold.name}_part", finish=total_itself)
    first = _launcher(cut, value, way, parts, kind, source.dtype, k, n, given=bool(centers))

    places = [[dense[dim] for dim in kept], [out.strides[dim] for dim in kept]]
    join_shape, (part_walk, out_walk) = coalesce(sizes, places)
    walk = np.array([join_shape, out_walk, part_walk], np.int64)
    join = _joining(fold, kind, out.dtype, walk, parts, k, n)

    def launch(out_buffer: Any, x_buffer: Any) -> None:
        partial = np.empty(results * parts, kind.cell)
        if centers:
            center = np.empty(results, np.float64)
            centers((center, 0), x_buffer)
            first((partial, 0), x_buffer, center)
        else:
            first((partial, 0), x_buffer)
        cells, offset = out_buffer
        join(cells[offset:] if offset else cells, partial)

    return launch


def join_parts(
    fold: Fold, kind: dtype, result: dtype, results: int, parts: int, k: float, n: int
) -> Callable[[np.ndarray, np.ndarray], None]:
    """What joins the parts of neighbouring results: a function of their cells and of all parts' totals.

    Args:
        fold: whose parts were computed.
        kind: the dtype of the totals: the first of all results, then the second, and so on.
        result: the dtype of the results.
        results, parts: how many there are, and in how many parts each.
        k, n: the number that the fold's formulas use, and how many elements meet in a result.
    """
    return _joining(fold, kind, result, np.array([[results], [1], [1]], np.int64), parts, k, n)


def _joining(
    fold: Fold, kind: dtype, result: dtype, walk: np.ndarray, parts: int, k: float, n: int
) -> Callable[[np.ndarray, np.ndarray], None]:
    """`join_parts` of results that lie as `walk` says. For one result there is a short kernel."""
    if math.prod(walk[0].tolist()) == 1:
        kernel = jit.quiet(_join_module(fold, kind, result).kernel)
        return functools.partial(jit.entry(kernel, parts, k, n, result.cell, kind.cell), parts, k, n)
    span = np.array([[parts], [math.prod(walk[0].tolist())]], np.int64)
    look, functions = _join_functions(fold, kind, result)
    sizes = sizes_of(walk, span, 1, 0, [look], False)
    return _all_strips(walk, span, sizes, functions, n, k)


def _all_strips(
    walk: np.ndarray, span: np.ndarray, sizes: np.ndarray, functions: Any, n: int, k: float
) -> Callable[[np.ndarray, np.ndarray], None]:
    """The walk along all results, as a function of their cells and of the elements'."""
    tasks = tasks_of(sizes)
    return functools.partial(
        _strips, 0, tasks, walk.ravel(), span.ravel(), sizes, functions, n, k, NO_CENTERS
    )


def _launcher(
    fold: Fold,
    value: dtype,
    way: _Way,
    parts: int,
    result: dtype,
    source: dtype,
    k: float,
    n: int,
    given: bool = False,
) -> Launch:
    tasks = way.tasks * parts
    work = math.prod(way.walk[0].tolist()) * n * fold.cost
    alone = tasks == 1 or work < threads.WORTHWHILE
    constants: tuple
    if way.form == "columns":
        looks, functions = _columns(fold, value, source, result, way.step, given)
        sizes = sizes_of(way.walk, way.span, parts, NEAR_BYTES, looks, True)
        constants = way.walk.ravel(), way.span.ravel(), sizes, functions, n, k
        code, shared = _strips, _shared_strips
    else:
        kernel = jit.quiet(_module(fold, value, way.form, way.step, source, result, given).kernel)
        constants = way.walk, way.span, parts, n, k
        code = jit.entry(kernel, 0, tasks, *constants, NO_CENTERS.dtype, result.cell, source.cell)
        shared = functools.partial(share, kernel)

    def launch(out_buffer: Any, x_buffer: Any, centers: np.ndarray = NO_CENTERS) -> None:
        (out, out_offset), (x, x_offset) = out_buffer, x_buffer
        out, x = out[out_offset:] if out_offset else out, x[x_offset:] if x_offset else x
        if alone or (team := min(threads.team_for(work), tasks)) == 1:
            code(0, tasks, *constants, centers, out, x)
        else:
            shared(team, tasks, *constants, centers, out, x)

    return launch


def _strips(first: int, last: int, *arguments: Any) -> None:
    """The walk along results of all folds, over cells of any type."""
    fold_strips(first, last, *_as_bytes(arguments))


def _shared_strips(team: int, tasks: int, *arguments: Any) -> None:
    """The same, shared among a team."""
    share(fold_strips, team, tasks, *_as_bytes(arguments))


def _as_bytes(arguments: tuple) -> list:
    return [*arguments[:-3], *(cells.view(CELLS) for cells in arguments[-3:])]


def _columns(
    fold: Fold, value: dtype, source: dtype, result: dtype, step: bool, given: bool
) -> tuple[list[Look], Any]:
    """`column_functions`, remembered."""
    key = (fold.name, value, "columns", step, source, result, given)
    found = _modules.get(key)
    if found is None:
        found = _modules[key] = column_functions(fold, Cells(source, result), value, step, given)
    return found


def _module(
    fold: Fold, value: dtype, form: str, step: bool, source: dtype, result: dtype, given: bool = False
) -> Any:
    """The generated module that holds the kernels of one fold, for these dtypes and this walk."""
    key = (fold.name, value, form, step, source, result, given)
    if key not in _modules:
        text = fold_source(fold, Cells(source, result), value, form, step, given)
        _modules[key] = jit.load(f"{fold.name}_{form}_{source.name}_{result.name}", text)
    return _modules[key]


def _join_functions(fold: Fold, value: dtype, result: dtype) -> tuple[Look, Any]:
    """`join_functions`, remembered."""
    key = (fold.name, "join", value, result)
    found = _modules.get(key)
    if found is None:
        found = _modules[key] = join_functions(fold, value, result)
    return found


def _join_module(fold: Fold, value: dtype, result: dtype) -> Any:
    """The generated module whose kernel joins the parts of a single result."""
    key = (fold.name, "join_one", value, result)
    if key not in _modules:
        stem = f"{fold.name}_join_{value.name}_{result.name}"
        _modules[key] = jit.load(stem, join_source(fold, value, result))
    return _modules[key]
