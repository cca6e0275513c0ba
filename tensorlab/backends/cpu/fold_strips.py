"""The walk of all folds along neighbouring results: which rows of elements are folded into which totals.

It is the longer part of such a fold, and the same in all of them. So it is a kernel that is compiled once: it
knows neither dtypes nor what is done, and calls the fold's own functions by their addresses (see
`tensorlab.backends.cpu.fold_columns`). Results and elements are passed to it as cells of any kind, and the
totals lie in its own memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tensorlab.backends.cpu import jit
from tensorlab.backends.cpu.fold_text import GROUP, STRIP, STRIPS, TOGETHER, strip_width
from tensorlab.backends.cpu.intrinsics import divided, lesser, on_stack
from tensorlab.backends.cpu.linking import call_at
from tensorlab.backends.cpu.pointers import at
from tensorlab.integers import ceil_div

__all__ = ["BEGIN", "CELLS", "END", "JOIN", "Look", "fold_strips", "sizes_of", "tasks_of"]

# The kind of a kernel's argument whose cells may be of any type: the kernel asks for their number alone.
CELLS = np.dtype(np.uint8)

# What the second function of a look is asked to do; see `tensorlab.backends.cpu.fold_columns.keep_text`.
BEGIN, JOIN, END = 0, 1, 2

# Cells of eight bytes in each of the four buffers of a strip. What Numba keeps on disk of the kernel does not
# change with constants of other files: these are passed to it.
_ROOM, _MEMORY = 1 << 12, 1 << 14
assert max(STRIP * STRIPS, GROUP) <= _ROOM

# The places of sizes in their table. What is said of a look comes behind, for each.
_PARTS, _RESULTS, _STRIP, _STRIPS, _MOST, _TASKS, _PIECE, _PIECES, _COUNT, _BESIDE, _FAR, _LOOKS = range(12)
_ROWS, _DIRECT, _ENDS, _FACTS = 0, 1, 2, 3


class Look(NamedTuple):
    """What the walk knows of one look at the elements.

    Attributes:
        rows: how many rows are folded before their totals are joined to those before; 0 if none are, because
            the results of this look are passed.
        direct: whether rows are folded into the totals themselves.
        ends: whether totals need an end before they are finished.
    """

    rows: int
    direct: bool
    ends: bool


def sizes_of(
    walk: np.ndarray, span: np.ndarray, parts: int, far: int, looks: Sequence[Look], groups: bool
) -> np.ndarray:
    """The table of sizes that `fold_strips` takes.

    Args:
        walk, span: see there; here they are tables.
        parts: in how many parts each result is computed.
        far: from more cells than these on memory is asked for ahead.
        looks: one or two.
        groups: whether several narrow rows may count as one wide row, where they touch.
    """
    width, step = int(walk[0, -1]), int(walk[2, -1])
    length, row_step = int(span[0, -1]), int(span[1, -1])
    results, strip = int(walk[0].prod()), strip_width(width)
    strips = ceil_div(width, strip)
    beside = min(GROUP // width, length // TOGETHER)
    if not groups or beside <= 1 or row_step != width or step != 1:
        beside = 1
    tasks = results // width * strips
    count = int(span[0].prod())
    pieces = ceil_div(count, TOGETHER)
    sizes = [parts, results, strip, strips, STRIPS, tasks, TOGETHER, pieces, count, beside, far, len(looks)]
    return np.array([*sizes, *(int(fact) for look in looks for fact in look)], np.int64)


def tasks_of(sizes: np.ndarray) -> int:
    """How many tasks all results are, by the table of `sizes_of`."""
    return int(sizes[_TASKS] * sizes[_PARTS])


@jit.helper
def _fold_strips(first, last, walk, span, sizes, functions, n, k, centers, out, x):
    """What `fold_strips` does."""
    facts, dims, inner = at(sizes, 0), walk.size // 3, span.size // 2
    # The shape of the results, out's strides and x's; the shape of one result's elements, and their strides.
    kept, out_steps, steps = at(walk, 0), at(walk, dims), at(walk, 2 * dims)
    folded, row_steps = at(span, 0), at(span, inner)
    width, out_step, step = kept[dims - 1], out_steps[dims - 1], steps[dims - 1]
    length, row_step = folded[inner - 1], row_steps[inner - 1]
    parts, strip, strips, tasks = facts[_PARTS], facts[_STRIP], facts[_STRIPS], facts[_TASKS]
    beside, looks, far = facts[_BESIDE], facts[_LOOKS], x.size > facts[_FAR]
    memory = on_stack(walk, _MEMORY)
    center, lost, piece = at(memory, _ROOM), at(memory, 2 * _ROOM), at(memory, 3 * _ROOM)
    cells = at(x, 0)
    task = first
    while task < last:
        # Divisions take as long as a short strip: where there is one part, or one strip, there are none.
        part, rest = divided(task, tasks) if parts > 1 else (0, task)
        rest, one = divided(rest, strips) if strips > 1 else (rest, 0)
        # Strips that stand beside one another are folded as one.
        many = lesser(last - task, lesser(strips - one, facts[_MOST]))
        task += many
        w = lesser(many * strip, width - one * strip)
        out_cell, start = one * strip * out_step, one * strip * step
        dim = dims - 2
        while dim > 0:
            rest, position = divided(rest, kept[dim])
            out_cell += position * out_steps[dim]
            start += position * steps[dim]
            dim -= 1
        if dim == 0:
            out_cell += rest * out_steps[0]
            start += rest * steps[0]
        begin, end = 0, facts[_COUNT]
        if parts > 1:
            begin = divided(part * facts[_PIECES], parts)[0] * facts[_PIECE]
            end = lesser(end, divided((part + 1) * facts[_PIECES], parts)[0] * facts[_PIECE])
        for look in range(looks):
            of_look, called = at(sizes, _LOOKS + 1 + _FACTS * look), at(functions, 3 * look)
            rows, direct = of_look[_ROWS] * beside, of_look[_DIRECT] != 0
            if look == looks - 1:
                total, result, result_cell = at(memory, 0), at(out, 0), out_cell + part * facts[_RESULTS]
            else:
                total, result, result_cell = center, at(centers, 0), out_cell
            target = total if direct else piece
            row = end
            if rows > 0:
                row = begin
                call_at(called[1], (BEGIN, total, piece, lost, w, beside))
            while row < end:
                rest, i = divided(row, length) if inner > 1 else (0, row)
                place = start + i * row_step
                dim = inner - 2
                while dim >= 0:
                    rest, position = divided(rest, folded[dim])
                    place += position * row_steps[dim]
                    dim -= 1
                count = lesser(rows, lesser(length - i, end - row))
                row += count
                left, each = count, beside  # whole groups, and then what is left, row by row
                while left > 0:
                    group, rest = divided(left, each) if each > 1 else (left, 0)
                    reach = each * row_step
                    call_at(
                        called[0],
                        (cells, place, step, reach, group, each * w, k, target, center, lost, far),
                    )
                    place += group * reach
                    left, each = rest, 1
                if not direct:
                    call_at(called[1], (JOIN, total, piece, lost, w, beside))
            if of_look[_ENDS] != 0 or (beside > 1 and rows > 0):
                call_at(called[1], (END, total, piece, lost, w, beside))
            call_at(called[2], (total, center, result, result_cell, out_step, w, w * beside, n, k))


@jit.kernel()
def fold_strips(first, last, walk, span, sizes, functions, n, k, centers, out, x):
    """Fold the tasks `first` … `last` - 1. One task is one part of one strip of results.

    Args:
        first, last: numbers of tasks.
        walk: the results' shape, out's strides, x's strides, one behind the other.
        span: the shape of the elements of one result, x's strides.
        sizes: what `sizes_of` gave.
        functions: three for each look; see `tensorlab.backends.cpu.fold_columns`.
        n: how many elements meet in a result.
        k: the number that the fold's formulas use.
        centers: the results of the first look, if they are passed.
        out, x: cells.
    """
    _fold_strips(first, last, walk, span, sizes, functions, n, k, centers, out, x)
