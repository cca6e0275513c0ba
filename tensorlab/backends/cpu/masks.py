"""Kernels that do something where a mask is true.

True elements count in row-major order, so a thread must know how many of them come before its part. One pass
counts them part by part, the next one moves. Within a row, the true places of a block are listed first and
then visited: that loop has no branch for the processor to guess.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.index import split
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.indexing import Walk

__all__ = ["count", "fill", "positions", "scatter", "select"]

# Places that are listed at once. Their numbers fill 8 KB, a quarter of a small first-level cache.
BLOCK = 1024

# What it costs to look at one place of a mask and move its element, in additions of one float32.
COST = 2


class Parts(NamedTuple):
    """A walk cut into as many parts as threads take part in it: runs of elements in row-major order.

    `shapes` has a row for each part, its shape, and so has `starts`, the cell of each operand that it starts
    with.
    """

    team: int
    shapes: np.ndarray
    strides: np.ndarray
    starts: np.ndarray
    cells: Sequence[np.ndarray]


def count(walk: Walk) -> int:
    """See `tensorlab.backends.indexing.IndexOperations.mask_count`."""
    return int(_counts(_cut(walk)).sum())


def select(walk: Walk, out: np.ndarray) -> None:
    """See `tensorlab.backends.indexing.IndexOperations.mask_select`."""
    _move(walk, take, out)


def scatter(walk: Walk, values: np.ndarray) -> None:
    """See `tensorlab.backends.indexing.IndexOperations.mask_scatter`."""
    _move(walk, put, values)


def fill(walk: Walk, value: np.generic) -> None:
    """See `tensorlab.backends.indexing.IndexOperations.mask_fill`."""
    parts = _cut(walk, keep_order=False)
    _run(_fill, parts, *parts.cells, value)


def positions(walk: Walk, out: np.ndarray) -> None:
    """See `tensorlab.backends.indexing.IndexOperations.mask_positions`."""
    shape = walk.shape
    # The second operand is imagined: a dense tensor in which the number of an element is its cell.
    dense = tuple(math.prod(shape[dim + 1 :]) for dim in range(len(shape)))
    numbered = Walk(shape, [*walk.strides, dense], [*walk.buffers, (np.empty(0, np.int64), 0)])
    _move(numbered, number, out[-1])
    _unravel(out, np.array(shape, np.int64))


def _cut(walk: Walk, keep_order: bool = True) -> Parts:
    sizes, shape, strides = _walk(tuple(walk.shape), tuple(walk.strides), keep_order)
    cells, offsets = zip(*walk.buffers, strict=True)
    start = np.array(offsets, np.int64) if any(offsets) else np.zeros(len(offsets), np.int64)
    team = min(threads.team_for(math.prod(sizes) * COST), sizes[0])
    if team == 1:
        return Parts(1, shape[np.newaxis], strides, start[np.newaxis], cells)
    shapes, starts = split(sizes, strides, start, 0, team)
    return Parts(team, shapes, strides, starts, cells)


@functools.lru_cache(maxsize=1024)
def _walk(
    shape: tuple[int, ...], strides: tuple[tuple[int, ...], ...], keep_order: bool
) -> tuple[tuple[int, ...], np.ndarray, np.ndarray]:
    """The shape of a walk, and shape and strides as arrays for a kernel."""
    sizes, steps = coalesce(shape, strides, keep_order=keep_order)
    return sizes, np.array(sizes, np.int64), np.array(steps, np.int64)


def _run(kernel: Callable, parts: Parts, *arguments: object) -> None:
    """Call a kernel for all parts, each by one thread."""
    share(kernel, parts.team, parts.team, parts.shapes, parts.strides, parts.starts, *arguments)


def _counts(parts: Parts) -> np.ndarray:
    """How many elements of the first operand are not 0, part by part."""
    counts = np.empty(parts.team, np.int64)
    _run(_count, parts, parts.cells[0], counts)
    return counts


def _move(walk: Walk, move: Callable, line: np.ndarray) -> None:
    """Move between the elements where the mask is true and a line of as many cells."""
    parts = _cut(walk)
    if parts.team == 1:
        before = np.zeros(1, np.int64)
    else:
        counts = _counts(parts)
        before = np.cumsum(counts) - counts
    _run(_mover(move), parts, *parts.cells, before, line)


# In the kernels operand 0 is the mask and operand 1 what is moved; `strides` and `at` have a row for each.
# They go through parts `first` … `last` - 1.


@jit.kernel()
def next_row(shape, strides, position, at):  # type: ignore[no-untyped-def]
    """Step to the next row; False after the last one."""
    for dim in range(shape.size - 2, -1, -1):
        position[dim] += 1
        for k in range(at.size):
            at[k] += strides[k, dim]
        if position[dim] < shape[dim]:
            return True
        for k in range(at.size):
            at[k] -= shape[dim] * strides[k, dim]
        position[dim] = 0
    return False


@jit.kernel()
def true_places(mask, first, step, n, places):  # type: ignore[no-untyped-def]
    """List which of `n` elements from cell `first` on are true, and say how many."""
    found = 0
    for j in range(n):
        places[found] = j
        found += int(mask[np.uint64(first) + np.uint64(j) * np.uint64(step)] != 0)
    return found


@jit.kernel()
def _count(first, last, shapes, strides, starts, mask, counts):  # type: ignore[no-untyped-def]
    inner = shapes.shape[1] - 1
    step = np.uint64(strides[0, inner])
    for part in range(first, last):
        shape, at, position = shapes[part], starts[part].copy(), np.zeros(inner + 1, np.int64)
        found, more = 0, True
        while more:
            cell = np.uint64(at[0])
            for j in range(shape[inner]):
                found += int(mask[cell + np.uint64(j) * step] != 0)
            more = next_row(shape, strides, position, at)
        counts[part] = found


def take(line, i, cells, cell):  # type: ignore[no-untyped-def]
    """A cell becomes the next of the line."""
    line[i] = cells[cell]


def put(line, i, cells, cell):  # type: ignore[no-untyped-def]
    """The next of the line goes into a cell."""
    cells[cell] = line[i]


def number(line, i, cells, cell):  # type: ignore[no-untyped-def]
    """The cell's number becomes the next of the line."""
    line[i] = cell


move = take


def move_true(first, last, shapes, strides, starts, mask, cells, before, line):  # type: ignore[no-untyped-def]
    """Move between the cells where the mask is true and a line; `before` says where in it a part begins.

    ``move`` is `take`, `put` or `number`; `_mover` puts it in its place.
    """
    inner = shapes.shape[1] - 1
    mask_step, step = strides[0, inner], strides[1, inner]
    places = np.empty(BLOCK, np.int64)
    for part in range(first, last):
        shape, at, position = shapes[part], starts[part].copy(), np.zeros(inner + 1, np.int64)
        filled, more = before[part], True
        while more:
            for begin in range(0, shape[inner], BLOCK):
                n = min(BLOCK, shape[inner] - begin)
                found = true_places(mask, at[0] + begin * mask_step, mask_step, n, places)
                for k in range(found):
                    move(line, filled + k, cells, at[1] + (begin + places[k]) * step)  # type: ignore[no-untyped-call]
                filled += found
            more = next_row(shape, strides, position, at)


@functools.cache
def _mover(move: Callable) -> Callable:
    """The kernel that moves in this way. Its text changes with this file, as Numba's cache must see."""
    digest = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
    options = 'error_model="numpy"'
    text = (
        f'"""Generated by tensorlab: {move.__name__}, where a mask is true."""\n# with {digest}\n'
        "import numpy as np\nfrom numba import njit\n\n"
        "from tensorlab.backends.cpu.masks import BLOCK, next_row, true_places\n\n\n"
        f"@njit({options}, forceinline=True, {jit.HELPER})\n{inspect.getsource(move)}\n\n"
        f"move = {move.__name__}\n\n\n"
        f"@njit({jit.KERNEL}, {options})\n{inspect.getsource(move_true)}"
    )
    return jit.quiet(jit.load(f"mask_{move.__name__}", text).move_true)


@jit.kernel()
def _unravel(out, shape):  # type: ignore[no-untyped-def]
    """The last row holds numbers of elements; turn it into one row of indices a dimension."""
    last = shape.size - 1
    for j in range(out.shape[1]):
        number = out[last, j]
        for dim in range(last, 0, -1):
            out[dim, j] = number % shape[dim]
            number //= shape[dim]
        out[0, j] = number


@jit.kernel()
def _fill(first, last, shapes, strides, starts, mask, target, value):  # type: ignore[no-untyped-def]
    inner = shapes.shape[1] - 1
    mask_step, step = np.uint64(strides[0, inner]), np.uint64(strides[1, inner])
    for part in range(first, last):
        shape, at, position = shapes[part], starts[part].copy(), np.zeros(inner + 1, np.int64)
        more = True
        while more:
            look, cell = np.uint64(at[0]), np.uint64(at[1])
            for j in range(shape[inner]):
                if mask[look + np.uint64(j) * mask_step]:
                    target[cell + np.uint64(j) * step] = value
            more = next_row(shape, strides, position, at)
