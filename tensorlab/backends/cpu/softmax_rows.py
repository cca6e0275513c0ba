"""softmax and its logarithm along rows of neighbouring cells, and the gradients of both, row by row.

On the way there a row is looked at three times while it lies in the first-level cache: for its greatest
element, for the sum of the exponentials, and to be written. On the way back it is looked at twice: for a sum,
and to be written.

With results y and their gradients g, the gradient of softmax is ``y * (g - sum(g * y))``, and that of
log_softmax is ``g - exp(y) * sum(g)``.

The processor loads ahead while cells are walked along for the first time, and then knows of nothing more to
load while they are looked at again. So the rows to come are asked for, where a second-level cache does not
have them from the last time.
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu.cell import Number, narrow, widen
from tensorlab.backends.cpu.greater import greater
from tensorlab.backends.cpu.intrinsics import prefetch
from tensorlab.backends.cpu.kernel_text import BLOCK, NEAR, STEP_BLOCK
from tensorlab.backends.cpu.lines import to_line
from tensorlab.backends.cpu.pointers import LINE as LINE_BYTES
from tensorlab.backends.cpu.pointers import advance, at
from tensorlab.dtypes import dtype
from tensorlab.scalars.exponential import exp_to_one

__all__ = [
    "add_up",
    "ask",
    "ask_both",
    "backward",
    "constants",
    "forward",
    "greatest_of",
    "greatest_of_rest",
    "place",
    "raise_rest",
    "raise_run",
    "write_gradient",
    "write_run",
]

LANES = 64  # cells to a step of a loop: as many as its vectors hold together, or a multiple of that
LINE = 16  # cells to a line of the caches
# How far ahead of a row cells are asked for. Whole pages further on, they would fall into the row's own
# places of the first-level cache.
AHEAD = 2560
LOGARITHM = STRIDED = False  # whether results are logarithms; whether a row's elements lie apart
# Whether exponentials are kept in the output until they are divided: not where it would round them.
KEPT = True


def constants(logarithm: bool, source: dtype, result: dtype, strided: bool = False) -> dict[str, object]:
    """The constants of a kernel that reads cells of one dtype and writes those of another."""
    return {
        # Steps are taken one cell at a time, and one accumulator holds a whole block.
        "BLOCK": STEP_BLOCK if strided else BLOCK,
        "NEAR": NEAR,
        "LANES": LANES,
        "LINE": LINE_BYTES // source.itemsize,
        "AHEAD": AHEAD,
        "LOGARITHM": logarithm,
        "STRIDED": strided,
        "KEPT": not logarithm and result.itemsize >= 4,
    }


def place(task, walk, row):
    """The cell at which a row begins; ``walk[0]`` is the shape of the rows, ``walk[row]`` their strides."""
    rest, cell = task, 0
    for dim in range(walk.shape[1] - 1, 0, -1):
        cell += rest % walk[0, dim] * walk[row, dim]
        rest //= walk[0, dim]
    if walk.shape[1]:
        cell += rest * walk[row, 0]
    return cell


def ask(cells, first, count):
    """So many cells from the first on are on their way while others are worked on."""
    for line in range(0, count, LINE):
        prefetch(cells, first + line)


def ask_both(cells, others, first, count):
    """The same for two arrays, by turns: what is needed first is not kept waiting by all of the other."""
    for line in range(0, count, LINE):
        prefetch(cells, first + line)
        prefetch(others, first + line)


def greatest_of(steps, x, stride):
    """The greatest of the cells of some whole steps. A NaN may be passed over: the sum will not do that."""
    greatest = Number(-np.inf)
    for i in range(steps * LANES):
        greatest = Number(greater(greatest, widen(x[i * stride])))
    return greatest


def greatest_of_rest(step, rest, x, stride):
    """The greatest of the first `rest` cells of one step."""
    greatest = Number(-np.inf)
    for i in range(step * LANES):
        if i < rest:
            greatest = Number(greater(greatest, widen(x[i * stride])))
    return greatest


def raise_run(steps, x, stride, out, greatest):
    """The sum of the exponentials below the greatest; they are kept in `out`."""
    total = Number(0)
    for i in range(steps * LANES):
        e = Number(exp_to_one(widen(x[i * stride]) - greatest))
        if KEPT:
            out[i] = e
        total += e
    return total


def raise_rest(step, rest, x, stride, out, greatest):
    """The same for the first `rest` cells of one step."""
    total = Number(0)
    for i in range(step * LANES):
        if i < rest:
            e = Number(exp_to_one(widen(x[i * stride]) - greatest))
            if KEPT:
                out[i] = e
            total += e
    return total


def write_run(count, x, stride, out, greatest, factor):
    """The results; `factor` is the sum's reciprocal, or its logarithm where results are logarithms."""
    for i in range(count):
        if LOGARITHM:
            out[i] = narrow((widen(x[i * stride]) - greatest) - factor)
        elif KEPT:
            out[i] = out[i] * factor
        else:
            out[i] = narrow(exp_to_one(widen(x[i * stride]) - greatest) * factor)


def forward(first, last, walk, line, out, x):
    """Rows `first` … `last` - 1.

    ``walk`` has the shape of the rows, their steps in `out` and those in `x`; ``line`` has their length,
    1, and the step between the elements of `x`.

    The compiler takes what is left over behind the last whole step cell by cell, which for the exponentials
    of a row of a thousand is a tenth of the time. So these cells are taken by one more step, whose vectors
    are told which of their lanes count. That it is no more than one the compiler must not know: it would
    write out the cells of a single step one after another.
    """
    count, stride = line[0], line[2] if STRIDED else 1
    rest = count % LANES
    whole, step = count - rest, min(rest, 1)
    for task in range(first, last):
        result = place(task, walk, 1)
        start = place(task, walk, 2)
        results, cells = at(out, result), at(x, start)
        last_results, last_cells = advance(results, whole), advance(cells, whole * stride)
        greatest = Number(-np.inf)
        for begin in range(0, whole, BLOCK):
            steps = min(BLOCK, whole - begin) // LANES
            greatest = Number(greater(greatest, greatest_of(steps, advance(cells, begin * stride), stride)))
        if rest:
            greatest = Number(greater(greatest, greatest_of_rest(step, rest, last_cells, stride)))
        total = 0.0
        for begin in range(0, whole, BLOCK):
            steps = min(BLOCK, whole - begin) // LANES
            if not STRIDED and x.size > NEAR:
                ask(x, start + begin + max(count, AHEAD), steps * LANES)
            total += raise_run(
                steps, advance(cells, begin * stride), stride, advance(results, begin), greatest
            )  # fmt: skip
        if rest:
            total += raise_rest(step, rest, last_cells, stride, last_results, greatest)
        factor = Number(np.log(total) if LOGARITHM else 1.0 / total)
        write_run(count, cells, stride, results, greatest, factor)


def add_up(count, grad, y):
    """The sum of g, or of ``g y``."""
    total = Number(0)
    for i in range(count):
        total += widen(grad[i]) if LOGARITHM else widen(grad[i]) * widen(y[i])
    return total


def write_gradient(count, grad, y, out, total):
    """The gradients of some elements of a row with this sum."""
    for i in range(count):
        if LOGARITHM:
            out[i] = narrow(widen(grad[i]) - Number(exp_to_one(widen(y[i]))) * total)
        else:
            out[i] = narrow(widen(y[i]) * (widen(grad[i]) - total))


def backward(first, last, count, out, grad, y):
    """Rows `first` … `last` - 1 of `count` cells each, which lie one after another.

    A row begins anywhere in a line of the caches, and a vector that is stored across two lines waits for
    both. Where the caches do not keep the cells, the results before the first line are written by themselves.
    Sums begin with the row, so that they do not depend on where it lies.
    """
    far = out.size > NEAR
    for task in range(first, last):
        start = task * count
        total = 0.0
        for begin in range(0, count, BLOCK):
            width = min(BLOCK, count - begin)
            total += add_up(width, at(grad, start + begin), at(y, start + begin))
        if far:
            ask_both(grad, y, start + max(count, AHEAD), count)
        before = min(count, to_line(at(out, start))) if far else 0
        for begin, end in ((0, before), (before, count)):
            write_gradient(
                end - begin, at(grad, start + begin), at(y, start + begin), at(out, start + begin),
                Number(total),
            )  # fmt: skip
