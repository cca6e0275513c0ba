"""The greatest and the least elements with their places, in any layout, without a copy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

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
    written = places if out is None else out
    layouts = [[operand.strides[dim] for dim in kept] for operand in (source, places, written)]
    walk_shape, (x_walk, place_walk, out_walk) = coalesce([shape[dim] for dim in kept], layouts)
    span_shape, x_span = layout.merge_axes(
        [shape[dim] for dim in dims], [source.strides[dim] for dim in dims]
    )
    if not span_shape:
        span_shape, x_span = (1,), (1,)
    results, n = math.prod(walk_shape), math.prod(span_shape)
    form, step, tasks, parts = "rows", x_span[-1] != 1, results, 1
    if len(span_shape) == 1 and walk_shape[-1] > 1 and 0 < x_walk[-1] < (x_span[-1] or math.inf):
        form, step = "columns", x_walk[-1] != 1
        tasks = results // walk_shape[-1] * ceil_div(walk_shape[-1], WIDTH)
    elif results < ENOUGH_TASKS and source.dtype.itemsize != 2:
        blocks = n // span_shape[-1] * ceil_div(span_shape[-1], BLOCK)
        parts = max(1, min(MOST_PARTS, n // PART, blocks))
    module = _module(greatest, source.dtype, form, step, out is not None or parts > 1)
    kernel = jit.quiet(module.kernel)
    span = np.array([span_shape, x_span], np.int64)
    work = results * n * 2

    alone = tasks * parts == 1 or work < threads.WORTHWHILE

    def run(walk: np.ndarray, arrays: Sequence[np.ndarray]) -> None:
        if alone or (team := min(threads.team_for(work), tasks * parts)) == 1:
            kernel(0, tasks * parts, walk, span, parts, *arrays)
        else:
            share(kernel, team, tasks * parts, walk, span, parts, *arrays)

    if parts == 1:
        whole_walk = np.array([walk_shape, place_walk, out_walk, x_walk], np.int64)

        def launch(place_buffer: Any, out_buffer: Any, x_buffer: Any) -> None:
            (found, place), (values, cell), (x, start) = place_buffer, out_buffer, x_buffer
            found, x = found[place:] if place else found, x[start:] if start else x
            if values is None:
                run(whole_walk, (found, x))
            else:
                run(whole_walk, (found, values[cell:] if cell else values, x))

        return launch

    dense = [math.prod(walk_shape[dim + 1 :]) for dim in range(len(walk_shape))]
    parts_walk = np.array([walk_shape, dense, dense, x_walk], np.int64)

    def launch_parts(place_buffer: Any, out_buffer: Any, x_buffer: Any) -> None:
        found_places = np.empty((parts, *walk_shape), np.int64)
        found = np.empty((parts, *walk_shape), source.dtype.cell)
        cells, offset = x_buffer
        run(parts_walk, [found_places.reshape(-1), found.reshape(-1), cells[offset:]])
        best = (np.argmax if greatest else np.argmin)(found, axis=0)[np.newaxis]
        targets = [(place_buffer, place_walk, found_places)]
        if out is not None:
            targets.append((out_buffer, out_walk, found))
        for (target, start), strides, results_of_parts in targets:
            size = target.itemsize
            view = np.ndarray(
                walk_shape, target.dtype, target, start * size, [stride * size for stride in strides]
            )
            view[...] = np.take_along_axis(results_of_parts, best, axis=0)[0]

    return launch_parts


def _module(greatest: bool, source: dtype, form: str, step: bool, values: bool) -> Any:
    key = (greatest, source, form, step, values)
    if key not in _modules:
        stem = f"{'greatest' if greatest else 'least'}_{form}_{source.name}"
        _modules[key] = jit.load(stem, extremes_source(greatest, source, form, step, values))
    return _modules[key]
