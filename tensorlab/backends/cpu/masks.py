"""Kernels that do something where a mask is true.

True elements count in row-major order, so a thread must know how many of them come before its part. One pass
counts them part by part, the next one moves. Within a row, the true places of a block are listed first and
then visited: that loop has no branch for the processor to guess.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.intrinsics import divided
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.cpu.walks import cut
from tensorlab.backends.cpu.walks import next_run as to_next_run
from tensorlab.backends.protocol import Walk

__all__ = ["compact"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# Places that are listed at once. Their numbers fill 8 KB, a quarter of a small first-level cache.
BLOCK = 1024

# What it costs to look at one place of a mask and move its element, in additions of one float32.
COST = 2

# What is done with a cell where the mask is true: it becomes the next of a line; the next of the line goes
# into it; its number becomes the next of the line.
TAKE, PUT, NUMBER = range(3)

next_run = jit.helper(to_next_run)


class Parts(NamedTuple):
    """A walk cut into as many parts as threads take part in it: runs of elements in row-major order.

    `shapes` and `states` are those of `tensorlab.backends.cpu.walks`, `strides` has a row for each operand.
    """

    team: int
    shapes: np.ndarray
    strides: np.ndarray
    states: np.ndarray
    cells: Sequence[np.ndarray]


def count(walk: Walk) -> int:
    """How many elements of the mask are not 0."""
    return int(_counts(_cut(walk)).sum())


def select(walk: Walk, out: np.ndarray) -> None:
    """The elements where the mask is true, written to a line."""
    _move(walk, TAKE, out)


def scatter(walk: Walk, values: np.ndarray) -> None:
    """The elements where the mask is true, overwritten from a line."""
    _move(walk, PUT, values)


def fill(walk: Walk, value: np.generic) -> None:
    """The elements where the mask is true, overwritten with one value."""
    parts = _cut(walk, keep_order=False)
    _run(fill_true, parts, *parts.cells, value)


def positions(walk: Walk, out: np.ndarray) -> None:
    """Where the mask is true, a row a dimension."""
    shape = walk.shape
    # The second operand is imagined: a dense tensor in which the number of an element is its cell.
    dense = tuple(math.prod(shape[dim + 1 :]) for dim in range(len(shape)))
    numbered = Walk(shape, [*walk.strides, dense], [*walk.buffers, (np.empty(0, np.int64), 0)])
    _move(numbered, NUMBER, out[-1])
    unravel(out, np.array(shape, np.int64))


_ACTIONS: dict[str, Callable[..., None]] = {
    "positions": positions,
    "select": select,
    "scatter": scatter,
    "fill": fill,
}


def compact(action: str, walk: Walk, line: Any = None) -> int:
    """See `tensorlab.backends.protocol.Core.compact`."""
    if action == "count":
        return count(walk)
    _ACTIONS[action](walk, line)
    return 0


def _cut(walk: Walk, keep_order: bool = True) -> Parts:
    sizes, strides = _walk(tuple(walk.shape), tuple(walk.strides), keep_order)
    cells, offsets = zip(*walk.buffers, strict=True)
    team = min(threads.team_for(math.prod(sizes) * COST), sizes[0])
    shapes, states = cut(sizes, strides, offsets, 0, team)
    return Parts(team, shapes, strides, states, cells)


@functools.lru_cache(maxsize=1024)
def _walk(
    shape: tuple[int, ...], strides: tuple[tuple[int, ...], ...], keep_order: bool
) -> tuple[tuple[int, ...], np.ndarray]:
    """The shape of a walk, and its strides as an array for a kernel."""
    sizes, steps = coalesce(shape, strides, keep_order=keep_order)
    return sizes, np.array(steps, np.int64)


def _run(kernel: Callable, parts: Parts, *arguments: object) -> None:
    """Call a kernel for all parts, each by one thread."""
    share(kernel, parts.team, parts.team, parts.shapes, parts.strides, parts.states, *arguments)


def _counts(parts: Parts) -> np.ndarray:
    """How many elements of the first operand are not 0, part by part."""
    counts = np.empty(parts.team, np.int64)
    _run(count_true, parts, parts.cells[0], counts)
    return counts


def _move(walk: Walk, way: int, line: np.ndarray) -> None:
    """Move between the elements where the mask is true and a line of as many cells."""
    parts = _cut(walk)
    if parts.team == 1:
        before = np.zeros(1, np.int64)
    else:
        counts = _counts(parts)
        before = np.cumsum(counts) - counts
    _run(move_true, parts, *parts.cells, before, line, way)


# What the kernels do. Operand 0 is the mask and operand 1 what is moved; `strides` has a row for each. They
# go through parts `first` … `last` - 1, and ``states[part]`` is where a part stands.


@jit.kernel()
def count_true(first, last, shapes, strides, states, mask, counts):
    """How many elements are true in each part."""
    inner = shapes.shape[1] - 1
    step = np.uint64(strides[0, inner])
    for part in range(first, last):
        found, more = 0, True
        while more:
            cell = np.uint64(states[part, 0])
            for j in range(np.uint64(shapes[part, inner])):
                found += 1 if mask[cell + j * step] else 0
            more = next_run(shapes, strides, states, part, 1)
        counts[part] = found


@jit.helper
def list_true(mask, look, step, count, places):
    """List which of so many neighbours of a row are true, and say how many."""
    found = np.uint64(0)
    for j in range(count):
        places[found] = j
        found += np.uint64(1 if mask[look + j * step] else 0)
    return found


@jit.helper
def list_block(shapes, states, mask, step, part, begin, places):
    """List where in a block of the row, from `begin` on, the mask is true, and say how often."""
    count = min(BLOCK, shapes[part, shapes.shape[1] - 1] - begin)
    look = np.uint64(states[part, 0] + begin * step)
    return list_true(mask, look, np.uint64(step), np.uint64(count), places)


@jit.kernel()
def fill_true(first, last, shapes, strides, states, mask, target, value):
    """Write one value where the mask is true."""
    inner = shapes.shape[1] - 1
    mask_step, step = strides[0, inner], strides[1, inner]
    places = np.empty(BLOCK, np.uint64)
    for part in range(first, last):
        more = True
        while more:
            if mask_step == 1 and step == 1:
                # Vectors of cells are written in part, whatever the mask is.
                look, to = np.uint64(states[part, 0]), np.uint64(states[part, 1])
                for j in range(np.uint64(shapes[part, inner])):
                    if mask[look + j]:
                        target[to + j] = value
            else:
                for begin in range(0, shapes[part, inner], BLOCK):
                    cell = np.uint64(states[part, 1] + begin * step)
                    found = list_block(shapes, states, mask, mask_step, part, begin, places)
                    for k in range(found):
                        target[cell + places[k] * np.uint64(step)] = value
            more = next_run(shapes, strides, states, part, 1)


@jit.kernel()
def move_true(first, last, shapes, strides, states, mask, cells, before, line, way):
    """Move between the cells where the mask is true and a line; `before` says where in it a part begins."""
    inner = shapes.shape[1] - 1
    mask_step, step = strides[0, inner], np.uint64(strides[1, inner])
    places = np.empty(BLOCK, np.uint64)
    for part in range(first, last):
        filled, more = np.uint64(before[part]), True
        while more:
            for begin in range(0, shapes[part, inner], BLOCK):
                cell = np.uint64(states[part, 1]) + np.uint64(begin) * step
                found = list_block(shapes, states, mask, mask_step, part, begin, places)
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
            more = next_run(shapes, strides, states, part, 1)


@jit.kernel()
def unravel(out, shape):
    """The last row holds numbers of elements; turn it into one row of indices a dimension."""
    last = shape.size - 1
    for j in range(out.shape[1]):
        number = out[last, j]
        for dim in range(last, 0, -1):
            number, out[dim, j] = divided(number, shape[dim])
        out[0, j] = number
