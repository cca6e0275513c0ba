"""Elements that move from or to where index tensors say.

A thread moves a cell, or 16 bytes, of a run of cells that the same indices lead to; where there are no runs,
a run is one cell.
"""

from __future__ import annotations

from typing import Any

from tensorlab.backends.cuda.intrinsics import atomic_add, atomic_max, load4, quotient, remainder, store4
from tensorlab.backends.cuda.simulator import cuda

__all__ = [
    "ACTIONS",
    "claim",
    "combine",
    "gather",
    "number",
    "scatter",
    "tell",
    "whole_quotient",
    "whole_remainder",
]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

REPLACE, ADD, MULTIPLY, GREATEST, LEAST = range(5)
ACTIONS = {"replace": REPLACE, "add": ADD, "mul": MULTIPLY, "max": GREATEST, "min": LEAST}
ACTION = REPLACE

# Whether a run has several cells; whether 16 bytes move at a time; whether positions may lead to one cell.
IS_RUN, IS_WIDE, IS_CLAIMED = False, False, True

# A fault is a number: which it was, times a span, and the index, put into the span.
SPAN, HALF = 1 << 40, 1 << 39


def tell(faults: Any, code: Any, index: Any) -> None:
    """Let the host know, when it next waits, that an index has led out of a tensor."""
    atomic_max(faults, 0, code * SPAN + HALF + min(max(index, -HALF), HALF - 1))


def whole_quotient(a: Any, b: Any) -> Any:
    """`quotient` of numbers that do not fit into 32 bits."""
    return a // b


def whole_remainder(a: Any, b: Any) -> Any:
    """`remainder` of such numbers."""
    return a % b


def cell_of(row, shape, first, strides):
    """The cell of an operand at a position of the walk."""
    for dim in range(len(shape) - 1, 0, -1):
        first += remainder(row, shape[dim]) * strides[dim]
        row = quotient(row, shape[dim])
    return first + row * strides[0]


def reached(row, shape, indices, index_firsts, index_strides, sizes, steps, lows, faults, codes):
    """By how many cells the indices lead further at a position of the walk; -1 if one leads out."""
    total = 0
    for each in range(len(sizes)):
        index = indices[each][cell_of(row, shape, index_firsts[each], index_strides[each])]
        if index < lows[each] or index >= sizes[each]:
            tell(faults, codes[each], index)
            return -1
        total += (index + sizes[each] if index < 0 else index) * steps[each]
    return total


def gather(
    count, inner, shape, out, out_first, out_strides, out_step, x, x_first, x_strides, x_step,
    indices, index_firsts, index_strides, sizes, steps, lows, faults, codes,
):  # fmt: skip
    """Read each element where the indices say."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        row, column = i, 0
        if IS_RUN:
            row, column = quotient(i, inner), remainder(i, inner)
        further = reached(row, shape, indices, index_firsts, index_strides, sizes, steps, lows, faults, codes)
        if further >= 0:
            out_cell = cell_of(row, shape, out_first, out_strides) + column * out_step
            x_cell = cell_of(row, shape, x_first, x_strides) + column * x_step + further
            if IS_WIDE:
                store4(out, out_cell, load4(x, x_cell))
            else:
                out[out_cell] = x[x_cell]


def claim(
    count, shape, owners, own_strides, indices, index_firsts, index_strides, sizes, own_steps, lows,
    faults, codes,
):  # fmt: skip
    """Find out for each run of the target which position is the last that leads there."""
    for row in range(cuda.grid(1), count, cuda.gridsize(1)):
        own = reached(row, shape, indices, index_firsts, index_strides, sizes, own_steps, lows, faults, codes)
        if own >= 0:
            atomic_max(owners, cell_of(row, shape, own, own_strides), row)


def scatter(
    count, inner, shape, target, target_first, target_strides, target_step, x, x_first, x_strides, x_step,
    owners, own_strides, own_steps, indices, index_firsts, index_strides, sizes, steps, lows, faults, codes,
):  # fmt: skip
    """Add each element to the one that the indices lead to, or overwrite that with the last one."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        row, column = i, 0
        if IS_RUN:
            row, column = quotient(i, inner), remainder(i, inner)
        further = reached(row, shape, indices, index_firsts, index_strides, sizes, steps, lows, faults, codes)
        if further >= 0 and IS_CLAIMED:
            own = reached(
                row, shape, indices, index_firsts, index_strides, sizes, own_steps, lows, faults, codes
            )
            if owners[cell_of(row, shape, own, own_strides)] != row:
                further = -1
        if further >= 0:
            cell = cell_of(row, shape, target_first, target_strides) + column * target_step + further
            x_cell = cell_of(row, shape, x_first, x_strides) + column * x_step
            if ACTION == ADD:
                atomic_add(target, cell, x[x_cell])
            elif IS_WIDE:
                store4(target, cell, load4(x, x_cell))
            else:
                target[cell] = x[x_cell]


def number(
    count, shape, keys, own_strides, indices, index_firsts, index_strides, sizes, own_steps, lows, beyond,
    faults, codes,
):  # fmt: skip
    """Find out for each position the number of the target's run that it leads to; `beyond` where none is."""
    for row in range(cuda.grid(1), count, cuda.gridsize(1)):
        own = reached(row, shape, indices, index_firsts, index_strides, sizes, own_steps, lows, faults, codes)
        keys[row] = beyond if own < 0 else cell_of(row, shape, own, own_strides)


def combine(
    rows, inner, shape, order, keys, beyond, target, target_first, target_strides, target_step,
    x, x_first, x_strides, x_step, indices, index_firsts, index_strides, sizes, steps, lows, faults, codes,
):  # fmt: skip
    """Combine each cell with all elements that lead to it, in row-major order of their positions.

    The positions stand in the order of their `keys`, so that those that lead to one run are neighbours. The
    thread that meets the first of them takes all of them, for one cell of the run.
    """
    for i in range(cuda.grid(1), rows * inner, cuda.gridsize(1)):
        place, column = i, 0
        if IS_RUN:
            place, column = quotient(i, inner), remainder(i, inner)
        row = order[place]
        key = keys[row]
        if key != beyond and (place == 0 or keys[order[place - 1]] != key):
            further = reached(
                row, shape, indices, index_firsts, index_strides, sizes, steps, lows, faults, codes
            )
            cell = cell_of(row, shape, target_first, target_strides) + column * target_step + further
            held = target[cell]
            while place < rows and keys[order[place]] == key:
                value = x[cell_of(order[place], shape, x_first, x_strides) + column * x_step]
                if ACTION == ADD:
                    held = held + value
                elif ACTION == MULTIPLY:
                    held = held * value
                elif value != value or (value > held if ACTION == GREATEST else value < held):
                    held = value
                place += 1
            target[cell] = held
