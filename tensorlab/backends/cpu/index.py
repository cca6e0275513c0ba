"""Kernels that read and write where index tensors say (their text: `tensorlab.backends.cpu.index_templates`).

Two positions may lead to one cell. Writes are then ordered: the one that comes later in row-major order wins,
and sums are added up in that order. Threads keep to it, whatever their number, because the work is only split
along dimensions that lead to different cells.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.index_templates import CELLS, ROWS, index_source
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.cpu.walks import cut
from tensorlab.backends.indexing import IndexLayout
from tensorlab.backends.operands import Buffer, Launch

__all__ = ["index_source", "indexed", "outside"]

# What it costs to move one element to or from where an index says, in additions of one float32.
COST = 4


@functools.lru_cache(maxsize=1024)
def indexed(
    action: str,
    shape: tuple[int, ...],
    target: tuple[int, ...],
    other: tuple[int, ...],
    indices: tuple[IndexLayout, ...],
) -> Launch:
    """See `tensorlab.backends.indexing.IndexOperations.indexed`."""
    gathers = action == "gather"
    operands = [target, other, *[index.strides for index in indices]]
    contested = [size > 1 and stride == 0 and not gathers for size, stride in zip(shape, target, strict=True)]
    if gathers:
        sizes, strides = coalesce(shape, operands)
    else:
        # What is read should be read smoothly; where it goes is up to the index. Two dimensions that lead to
        # the same cells must be walked in their order.
        sizes, turned = coalesce(shape, [*operands[1:], target], keep_order=sum(contested) > 1)
        strides = [turned[-1], *turned[:-1]]
    if len(sizes) == 1:
        sizes, strides = (1, *sizes), [(0, *steps) for steps in strides]
    form = CELLS if any(steps[-1] for steps in strides[2:]) else ROWS
    walk = np.array(strides, np.int64)
    bounds = np.array([(index.size, index.step) for index in indices], np.int64)
    module = jit.load(f"{action}_{len(indices)}_{form}", index_source(action, len(indices), form))
    kernel = jit.quiet(module.kernel)
    work = math.prod(sizes) * COST
    light = work < threads.WORTHWHILE
    # Threads share the largest dimension that they may share; the outermost of equals.
    free = [dim for dim, step in enumerate(strides[0]) if gathers or step != 0] or [0]
    along = max(free, key=lambda dim: sizes[dim])
    most = sizes[along] if gathers or strides[0][along] != 0 else 1

    whole, beginning = cut(sizes, walk, [0] * len(operands), along, 1)

    def launch(*buffers: Any) -> None:
        cells, offsets = zip(*buffers, strict=True)
        team = 1 if light else min(threads.team_for(work), most)
        if team == 1:
            states = beginning.copy()
            states[0, : len(offsets)] = offsets
            kernel(0, 1, whole, walk, states, bounds, *cells)
        else:
            shapes, states = cut(sizes, walk, offsets, along, team)
            share(kernel, team, team, shapes, walk, states, bounds, *cells)

    return launch


@functools.lru_cache(maxsize=1024)
def outside(shape: tuple[int, ...], strides: tuple[int, ...], low: int, high: int) -> Callable[[Buffer], int]:
    """See `tensorlab.backends.indexing.IndexOperations.outside`."""
    if 0 in shape:
        return lambda buffer: 0
    sizes, (steps,) = coalesce(shape, [strides])
    walk = np.array([sizes, steps, [0] * len(sizes)], np.int64)

    def count(buffer: Buffer) -> int:
        cells, start = buffer
        return _count_outside(walk.copy() if len(sizes) > 1 else walk, start, cells, low, high)

    return count


@jit.kernel()
def _count_outside(walk, start, cells, low, high):  # type: ignore[no-untyped-def]
    """How many cells are not in low … high - 1; the rows of `walk` are sizes, strides, and steps so far."""
    inner = walk.shape[1] - 1
    n, step, rows = walk[0, inner], walk[1, inner], 1
    for dim in range(inner):
        rows *= walk[0, dim]
    first, outside = start, 0
    for _ in range(rows):
        for j in range(n):
            i = np.int64(cells[first + j * step])
            outside += 1 if (i < low) | (i >= high) else 0
        for dim in range(inner - 1, -1, -1):
            walk[2, dim] += 1
            first += walk[1, dim]
            if walk[2, dim] < walk[0, dim]:
                break
            first -= walk[0, dim] * walk[1, dim]
            walk[2, dim] = 0
    return outside
