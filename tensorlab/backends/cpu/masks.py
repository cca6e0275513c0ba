"""Kernels that do something where a mask is true.

True elements count in row-major order, so a thread must know how many of them come before its part. One pass
counts them part by part, the next one moves. Within a row, the true places of a block are listed first and
then visited: that loop has no branch for the processor to guess.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlab.backends.cpu import threads
from tensorlab.backends.cpu.intrinsics import divided, lesser, on_stack
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.cpu.walks import cut, kernel_of, next_run
from tensorlab.backends.indexing import Walk

__all__ = ["compact"]

# Places that are listed at once. Their numbers fill 8 KB, a quarter of a small first-level cache.
BLOCK = 1024

# What it costs to look at one place of a mask and move its element, in additions of one float32.
COST = 2


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
    _move(walk, take, out)


def scatter(walk: Walk, values: np.ndarray) -> None:
    """The elements where the mask is true, overwritten from a line."""
    _move(walk, put, values)


def fill(walk: Walk, value: np.generic) -> None:
    """The elements where the mask is true, overwritten with one value."""
    parts = _cut(walk, keep_order=False)
    _run(kernel_of(fill_true, *_LISTING), parts, *parts.cells, value)


def positions(walk: Walk, out: np.ndarray) -> None:
    """Where the mask is true, a row a dimension."""
    shape = walk.shape
    # The second operand is imagined: a dense tensor in which the number of an element is its cell.
    dense = tuple(math.prod(shape[dim + 1 :]) for dim in range(len(shape)))
    numbered = Walk(shape, [*walk.strides, dense], [*walk.buffers, (np.empty(0, np.int64), 0)])
    _move(numbered, number, out[-1])
    kernel_of(unravel)(out, np.array(shape, np.int64))


_ACTIONS: dict[str, Callable[..., None]] = {
    "positions": positions,
    "select": select,
    "scatter": scatter,
    "fill": fill,
}


def compact(action: str, walk: Walk, line: Any = None) -> int:
    """See `tensorlab.backends.indexing.IndexOperations.compact`."""
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
    _run(kernel_of(count_true), parts, parts.cells[0], counts)
    return counts


def _move(walk: Walk, move: Callable, line: np.ndarray) -> None:
    """Move between the elements where the mask is true and a line of as many cells."""
    parts = _cut(walk)
    if parts.team == 1:
        before = np.zeros(1, np.int64)
    else:
        counts = _counts(parts)
        before = np.cumsum(counts) - counts
    _run(kernel_of(move_true, *_LISTING, _text_of(move)), parts, *parts.cells, before, line)


# What the kernels do. Operand 0 is the mask and operand 1 what is moved; `strides` has a row for each. They
# go through parts `first` … `last` - 1, and ``states[part]`` is where a part stands.


def count_true(first, last, shapes, strides, states, mask, counts):  # type: ignore[no-untyped-def]
    """How many elements are true in each part."""
    inner = shapes.shape[1] - 1
    step = strides[0, inner]
    for part in range(first, last):
        found, more = 0, True
        while more:
            cell = states[part, 0]
            for j in range(shapes[part, inner]):
                found += 1 if mask[cell + j * step] else 0
            more = next_run(shapes, strides, states, part, 1)  # type: ignore[no-untyped-call]
        counts[part] = found


def list_true(shapes, states, mask, mask_step, part, begin, places):  # type: ignore[no-untyped-def]
    """List where in a block of the row, from `begin` on, the mask is true, and say how often."""
    look = states[part, 0] + begin * mask_step
    found = 0
    for j in range(lesser(BLOCK, shapes[part, shapes.shape[1] - 1] - begin)):
        places[found] = j
        found += 1 if mask[look + j * mask_step] else 0
    return found


def fill_true(first, last, shapes, strides, states, mask, target, value):  # type: ignore[no-untyped-def]
    """Write one value where the mask is true."""
    inner = shapes.shape[1] - 1
    mask_step, step = strides[0, inner], strides[1, inner]
    places = on_stack(states, BLOCK)
    for part in range(first, last):
        more = True
        while more:
            if mask_step == 1 and step == 1:
                # Vectors of cells are written in part, whatever the mask is.
                look, cell = states[part, 0], states[part, 1]
                for j in range(shapes[part, inner]):
                    if mask[look + j]:
                        target[cell + j] = value
            else:
                for begin in range(0, shapes[part, inner], BLOCK):
                    cell = states[part, 1] + begin * step
                    for k in range(list_true(shapes, states, mask, mask_step, part, begin, places)):  # type: ignore[no-untyped-call]
                        target[cell + places[k] * step] = value
            more = next_run(shapes, strides, states, part, 1)  # type: ignore[no-untyped-call]


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


def move_true(first, last, shapes, strides, states, mask, cells, before, line):  # type: ignore[no-untyped-def]
    """Move between the cells where the mask is true and a line; `before` says where in it a part begins.

    ``move`` is `take`, `put` or `number`; `_text_of` puts it in its place.
    """
    inner = shapes.shape[1] - 1
    mask_step, step = strides[0, inner], strides[1, inner]
    places = on_stack(states, BLOCK)
    for part in range(first, last):
        filled, more = before[part], True
        while more:
            for begin in range(0, shapes[part, inner], BLOCK):
                cell = states[part, 1] + begin * step
                found = list_true(shapes, states, mask, mask_step, part, begin, places)  # type: ignore[no-untyped-call]
                for k in range(found):
                    move(line, filled + k, cells, cell + places[k] * step)  # type: ignore[no-untyped-call]
                filled += found
            more = next_run(shapes, strides, states, part, 1)  # type: ignore[no-untyped-call]


def unravel(out, shape):  # type: ignore[no-untyped-def]
    """The last row holds numbers of elements; turn it into one row of indices a dimension."""
    last = shape.size - 1
    for j in range(out.shape[1]):
        number = out[last, j]
        for dim in range(last, 0, -1):
            number, out[dim, j] = divided(number, shape[dim])
        out[0, j] = number


# The text before the kernels that list places.
_LISTING = (f"BLOCK = {BLOCK}", inspect.getsource(list_true))


@functools.cache
def _text_of(move: Callable) -> str:
    """The text that makes a way to move the ``move`` of `move_true`."""
    return f"{inspect.getsource(move)}\n\nmove = {move.__name__}"
