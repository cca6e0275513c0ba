"""The greatest and the least elements with their places, in any layout, without a copy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlab import layout
from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.extremes_templates import extremes_source
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.kernel_text import BLOCK, WIDTH
from tensorlab.backends.cpu.reduce import ENOUGH_TASKS, MOST_PARTS, PART
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.operands import Launch, OperandLayout, no_launch
from tensorlab.dtypes import dtype
from tensorlab.integers import ceil_div

__all__ = ["extremes"]

_modules: dict[tuple, Any] = {}


class _Way(NamedTuple):
    """How the elements are walked.

    Attributes:
        form, step: which kernel takes them; see `extremes_source`.
        shape: the coalesced shape of the results.
        walk: the strides there of the source, of the places and of the values.
        span: shape and strides of the elements of one result.
        tasks: how many pieces of work there are, each with all its elements.
        parts: into how many parts the elements of each result are divided.
    """

    form: str
    step: bool
    shape: tuple[int, ...]
    walk: Sequence[tuple[int, ...]]
    span: np.ndarray
    tasks: int
    parts: int


def extremes(
    greatest: bool,
    shape: Sequence[int],
    dims: Sequence[int],
    places: OperandLayout,
    out: OperandLayout | None,
    source: OperandLayout,
) -> Launch:
    """See `tensorlab.backends.protocol.Backend.extremes`."""
    kept = [dim for dim in range(len(shape)) if dim not in dims]
    if any(shape[dim] == 0 for dim in kept):
        return no_launch
    way = _find_way(shape, kept, dims, places, out, source)
    module = _module(greatest, source.dtype, way.form, way.step, out is not None or way.parts > 1)
    kernel = jit.quiet(module.kernel)
    work = math.prod(shape) * 2
    pieces = way.tasks * way.parts
    alone = pieces == 1 or work < threads.WORTHWHILE

    def run(walk: np.ndarray, arrays: Sequence[np.ndarray]) -> None:
        if alone or (team := min(threads.team_for(work), pieces)) == 1:
            kernel(0, pieces, walk, way.span, way.parts, *arrays)
        else:
            share(kernel, team, pieces, walk, way.span, way.parts, *arrays)

    if way.parts > 1:
        return _launch_in_parts(run, greatest, way, source.dtype)
    x_walk, place_walk, out_walk = way.walk
    walk = np.array([way.shape, place_walk, out_walk, x_walk], np.int64)

    def launch(place_buffer: Any, out_buffer: Any, x_buffer: Any) -> None:
        (found, place), (values, cell), (x, start) = place_buffer, out_buffer, x_buffer
        found, x = found[place:] if place else found, x[start:] if start else x
        if values is None:
            run(walk, (found, x))
        else:
            run(walk, (found, values[cell:] if cell else values, x))

    return launch


def _find_way(
    shape: Sequence[int],
    kept: Sequence[int],
    dims: Sequence[int],
    places: OperandLayout,
    out: OperandLayout | None,
    source: OperandLayout,
) -> _Way:
    written = places if out is None else out
    layouts = [[operand.strides[dim] for dim in kept] for operand in (source, places, written)]
    walk_shape, walk = coalesce([shape[dim] for dim in kept], layouts)
    span_shape, x_span = layout.merge_axes(
        [shape[dim] for dim in dims], [source.strides[dim] for dim in dims]
    )
    if not span_shape:
        span_shape, x_span = (1,), (1,)
    x_walk = walk[0]
    results, n = math.prod(walk_shape), math.prod(span_shape)
    form, step, tasks, parts = "rows", x_span[-1] != 1, results, 1
    if len(span_shape) == 1 and walk_shape[-1] > 1 and 0 < x_walk[-1] < (x_span[-1] or math.inf):
        form, step = "columns", x_walk[-1] != 1
        tasks = results // walk_shape[-1] * ceil_div(walk_shape[-1], WIDTH)
    elif results < ENOUGH_TASKS and source.dtype.itemsize != 2:
        blocks = n // span_shape[-1] * ceil_div(span_shape[-1], BLOCK)
        parts = max(1, min(MOST_PARTS, n // PART, blocks))
    return _Way(form, step, walk_shape, walk, np.array([span_shape, x_span], np.int64), tasks, parts)


def _launch_in_parts(
    run: Callable[[np.ndarray, Sequence[np.ndarray]], None], greatest: bool, way: _Way, source: dtype
) -> Launch:
    """Each result in parts; the best of the parts' results is written."""
    x_walk, place_walk, out_walk = way.walk
    dense = layout.default_strides(way.shape)
    walk = np.array([way.shape, dense, dense, x_walk], np.int64)

    def launch(place_buffer: Any, out_buffer: Any, x_buffer: Any) -> None:
        places = np.empty((way.parts, *way.shape), np.int64)
        values = np.empty((way.parts, *way.shape), source.cell)
        cells, offset = x_buffer
        run(walk, [places.reshape(-1), values.reshape(-1), cells[offset:]])
        best = (np.argmax if greatest else np.argmin)(values, axis=0)[np.newaxis]
        targets = [(place_buffer, place_walk, places), (out_buffer, out_walk, values)]
        for (target, start), strides, results_of_parts in targets:
            if target is not None:
                size = target.itemsize
                view = np.ndarray(
                    way.shape, target.dtype, target, start * size, [stride * size for stride in strides]
                )
                view[...] = np.take_along_axis(results_of_parts, best, axis=0)[0]

    return launch


def _module(greatest: bool, source: dtype, form: str, step: bool, values: bool) -> Any:
    key = (greatest, source, form, step, values)
    if key not in _modules:
        stem = f"{'greatest' if greatest else 'least'}_{form}_{source.name}"
        _modules[key] = jit.load(stem, extremes_source(greatest, source, form, step, values))
    return _modules[key]
