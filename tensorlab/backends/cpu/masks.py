"""Kernels that do something where a mask is true.

True elements count in row-major order, so a thread must know how many of them come before its part. One pass
counts them part by part, the next one moves. Within a row, the true places of a block are listed first and
then visited: that loop has no branch for the processor to guess.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.index import raw
from tensorlab.backends.cpu.intrinsics import divided
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.operands import Buffer, Launch
from tensorlab.core import layout

__all__ = ["compact"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# Places that are listed at once. Their numbers fill 8 KB, a quarter of a small first-level cache.
BLOCK = 1024

# What it costs to look at one place of a mask and move its element, in additions of one float32.
COST = 2

# What is done with a cell where the mask is true: it becomes the next of a line; the next of the line goes
# into it; its number becomes the next of the line.
TAKE, PUT, NUMBER = range(3)
_ACTIONS = {"select": TAKE, "scatter": PUT, "positions": NUMBER}


def compact(action: str, shape: Sequence[int], mask: Sequence[int], other: Sequence[int] = ()) -> Launch:
    """See `tensorlab.backends.protocol.Core.compact`."""
    # For positions the second operand is imagined: a row-major tensor, in which elements are numbered.
    table = _table(tuple(shape), (tuple(mask), tuple(other) or layout.default_strides(tuple(shape))))
    team = min(threads.team_for(math.prod(shape) * COST), int(table[0, 0]))
    sizes, way = np.array(shape, np.int64), _ACTIONS[action]

    def launch(line: Buffer, at: Buffer, cells: Buffer | None, count: int) -> None:
        before = np.zeros(team + 1, np.int64)
        if team > 1:
            share(count_true, team, team, team, table, *at, before)
            np.cumsum(before, out=before)
        runs = line[0][line[1] : line[1] + (count if cells else len(shape) * count)]
        moved, into = (raw(cells), raw((runs, 0))[0]) if cells else ((_NO_CELLS, 0), runs[-count:])
        share(move_true, team, team, team, table, *at, *moved, before, into, way)
        if cells is None:
            unravel(runs.reshape(len(shape), count), sizes)

    return launch


_NO_CELLS = np.empty(0, np.int64)


@functools.lru_cache(maxsize=1024)
def _table(shape: tuple[int, ...], strides: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """The shape of a walk in row-major order, and the strides of each operand."""
    sizes, steps = coalesce(shape, strides, keep_order=True)
    return np.array([sizes, *steps], np.int64)


# What the kernels do. Operand 0 is the mask and operand 1 what is moved; `walk` has the shape, and a row of
# strides for each. They go through parts `first` … `last` - 1 of the outermost dimension, cut into `parts`.


@jit.helper
def part_of(walk, part, parts):
    """Where in the outermost dimension a part begins, and how many rows it has."""
    size, rows = walk[0, 0], 1
    begin, end = part * size // parts, (part + 1) * size // parts
    for dim in range(1, walk.shape[1] - 1):
        rows *= walk[0, dim]
    return begin, rows * (end - begin if walk.shape[1] > 1 else 1)


@jit.helper
def row_start(walk, operand, row, begin):
    """How far from an operand's first cell a row of a part begins."""
    last = walk.shape[1] - 1
    if last == 0:
        return begin * walk[operand, 0]
    start = begin * walk[operand, 0]
    for dim in range(last - 1, 0, -1):
        start += row % walk[0, dim] * walk[operand, dim]
        row //= walk[0, dim]
    return start + row * walk[operand, 0]


@jit.kernel()
def count_true(first, last, parts, walk, mask, mask_first, counts):
    """How many elements are true in each part: ``counts[part + 1]``."""
    inner = walk.shape[1] - 1
    step = np.uint64(walk[1, inner])
    for part in range(first, last):
        begin, rows = part_of(walk, part, parts)
        width = walk[0, inner] if inner else (part + 1) * walk[0, 0] // parts - begin
        found = 0
        for row in range(rows):
            cell = np.uint64(mask_first + row_start(walk, 1, row, begin))
            for j in range(np.uint64(width)):
                found += 1 if mask[cell + j * step] else 0
        counts[part + 1] = found


@jit.helper
def list_true(mask, look, step, count, places):
    """List which of so many neighbours of a row are true, and say how many."""
    found = np.uint64(0)
    for j in range(count):
        places[found] = j
        found += np.uint64(1 if mask[look + j * step] else 0)
    return found


@jit.kernel()
def move_true(first, last, parts, walk, mask, mask_first, cells, cells_first, before, line, way):
    """Move between the cells where the mask is true and a line; `before` says where in it a part begins."""
    inner = walk.shape[1] - 1
    mask_step, step = np.uint64(walk[1, inner]), np.uint64(walk[2, inner])
    places = np.empty(BLOCK, np.uint64)
    for part in range(first, last):
        begin, rows = part_of(walk, part, parts)
        width = walk[0, inner] if inner else (part + 1) * walk[0, 0] // parts - begin
        filled = np.uint64(before[part])
        for row in range(rows):
            look = np.uint64(mask_first + row_start(walk, 1, row, begin))
            to = np.uint64(cells_first + row_start(walk, 2, row, begin))
            for left in range(0, width, BLOCK):
                count, skipped = np.uint64(min(BLOCK, width - left)), np.uint64(left)
                cell = to + skipped * step
                found = list_true(mask, look + skipped * mask_step, mask_step, count, places)
                if way == TAKE:
                    for k in range(found):
                        line[filled + k] = cells[cell + places[k] * step]
                elif way == PUT:
                    for k in range(found):
                        cells[cell + places[k] * step] = line[filled + k]
                else:
                    for k in range(found):
                        line[filled + k] = cell + places[k] * step
                filled += found


@jit.kernel()
def unravel(out, shape):
    """The last row holds numbers of elements; turn it into one row of indices a dimension."""
    last = shape.size - 1
    for j in range(out.shape[1]):
        number = out[last, j]
        for dim in range(last, 0, -1):
            number, out[dim, j] = divided(number, shape[dim])
        out[0, j] = number
