"""The kernels of reductions: loops in plain Python, and the few functions in which reductions differ.

The loops are written below as if they were to add float32. What they call is made for each row of
`tensorlab.folds`, and for the dtypes at hand: `seen` says what counts of a cell, `joined` puts two partial
results together, `kept` adds one to a total, and `stored` makes of the total what is written. `kernels` puts
the text of both into one module, which Numba compiles.

Elements are joined in blocks: within a block in any order, so that the compiler may use vector instructions,
and in the type of the elements; the blocks' results are joined one by one in a wider type (or, for float64,
with the rounding errors kept beside the total). That is as fast as a plain loop and loses fewer digits.

A walk over results is described by two tables of integers. `walk` has four rows: the results' shape, and the
strides of the output, of the elements and of the centers; its first dimension counts the parts in which each
result is computed. `span` has two: the shape of the elements of one result, and their strides.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.intrinsics import lesser
from tensorlab.backends.cpu.kernel_text import BLOCK_OPTIONS, OPTIONS, Cells, numpy_name
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.operands import Launch
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.folds import ADD, Fold, arguments_of, itself, total_itself
from tensorlab.scalars import TABLE
from tensorlab.scalars.source import formula_text

__all__ = ["STRIP", "Pass", "block_length", "kernels", "launcher", "skipped"]

# Neighbouring results that are computed side by side: their totals stay in a first-level cache.
STRIP = 1024
# Elements to a block: with 64 accumulators of float32 in vector registers, each adds 16 numbers.
BLOCK = 1024
# The same where the cells lie apart: they are taken one at a time, and one accumulator adds a whole block.
STEP_BLOCK = 128


# --- where results and elements lie ------------------------------------------------------------------------


@jit.helper
def size(table, begin, end):
    """How many positions some dimensions of a walk or a span have."""
    found = 1
    for dim in range(begin, end):
        found *= table[0, dim]
    return found


@jit.helper
def skipped(table, row, number):
    """The cells before the position of this number in all but the last dimension of a walk or a span."""
    cells = 0
    for dim in range(table.shape[1] - 2, -1, -1):
        cells += number % table[0, dim] * table[row, dim]
        number //= table[0, dim]
    return cells


# --- what differs from one reduction to another, here for the sum of float32 ------------------------------

START, TOTAL_START = np.float32(0), np.float64(0)
UNIT = True  # whether neighbours in the innermost loop lie side by side
GREATEST = True  # which of the extremes is looked for
TOTAL = np.dtype(np.float64)


def seen(cell, c, k):
    return cell


def joined(a, b):
    return a + b


def regrouped(a, b):
    """`joined`, for a loop in which the compiler may choose the order."""
    return a + b


def kept(total, lost, part):
    return total + part, lost


def keep(total, lost, j, part):
    total[j] = total[j] + part


def stored(total, lost, c, k, n):
    return np.float32(total)


# --- the loops --------------------------------------------------------------------------------------------


def join_run(x, at, step, count, c, k):
    """A block of elements, joined in any order."""
    part = START
    for i in range(count):
        part = regrouped(part, seen(x[at + (i if UNIT else i * step)], c, k))
    return part


def join_rows(x, at, step, row_step, count, width, centers, center, c_step, k, total, lost):
    """Rows of elements, joined to a row of totals; eight at a time, by pairs."""
    i, two, eight = np.uint64(0), row_step * np.uint64(2), np.uint64(8)
    while i + eight <= count:
        for j in range(width):
            r, c = at + (j if UNIT else j * step), centers[center + j * c_step]
            a = joined(seen(x[r], c, k), seen(x[r + row_step], c, k))
            r += two
            b = joined(seen(x[r], c, k), seen(x[r + row_step], c, k))
            r += two
            d = joined(seen(x[r], c, k), seen(x[r + row_step], c, k))
            r += two
            e = joined(seen(x[r], c, k), seen(x[r + row_step], c, k))
            keep(total, lost, j, joined(joined(a, b), joined(d, e)))
        at += row_step * eight
        i += eight
    while i < count:
        for j in range(width):
            c = centers[center + j * c_step]
            keep(total, lost, j, seen(x[at + (j if UNIT else j * step)], c, k))
        at += row_step
        i += np.uint64(1)


def rows(first, last, walk, span, n, k, centers, out, x):
    """Results one after another. One task is one part of one result."""
    width, length, step = walk[0, -1], span[0, -1], span[1, -1]
    blocks = (length + BLOCK - 1) // BLOCK  # of each run of elements
    runs, parts, results = size(span, 0, span.shape[1] - 1), walk[0, 0], size(walk, 1, walk.shape[1])
    task = first
    while task < last:
        # Neighbouring results follow one another without a look at where they are.
        outer, beside, part = task // width, task % width, task // results
        count = lesser(last - task, width - beside)
        begin, end = part * blocks * runs // parts, (part + 1) * blocks * runs // parts
        out_cell = skipped(walk, 1, outer) + beside * walk[1, -1]
        start = skipped(walk, 2, outer) + beside * walk[2, -1]
        center = skipped(walk, 3, outer) + beside * walk[3, -1]
        for _ in range(count):
            c, total, lost, block = centers[center], TOTAL_START, 0.0, begin
            while block < end:
                run, at = (0, block) if runs == 1 else (block // blocks, block % blocks)
                cell, stop = start + skipped(span, 1, run), lesser(blocks, at + end - block)
                block += stop - at
                for i in range(at * BLOCK, lesser(stop * BLOCK, length), BLOCK):
                    count_here = np.uint64(lesser(BLOCK, length - i))
                    found = join_run(x, np.uint64(cell + i * step), np.uint64(step), count_here, c, k)
                    total, lost = kept(total, lost, found)
            out[out_cell] = stored(total, lost, c, k, n)
            out_cell += walk[1, -1]
            start += walk[2, -1]
            center += walk[3, -1]
        task += count


def columns(first, last, walk, span, n, k, centers, out, x):
    """Neighbouring results side by side. One task is one part of one strip of results."""
    width, length, row_step = walk[0, -1], span[0, -1], span[1, -1]
    strips, parts, all_rows = (width + STRIP - 1) // STRIP, walk[0, 0], size(span, 0, span.shape[1])
    groups = (all_rows + 7) // 8
    outers = size(walk, 1, walk.shape[1] - 1)
    total, lost = np.empty(STRIP, TOTAL), np.zeros(STRIP)
    for task in range(first, last):
        outer, beside = task // strips, task % strips * STRIP
        part = outer // outers
        row, end = part * groups // parts * 8, lesser(all_rows, (part + 1) * groups // parts * 8)
        out_cell = skipped(walk, 1, outer) + beside * walk[1, -1]
        start = skipped(walk, 2, outer) + beside * walk[2, -1]
        center = skipped(walk, 3, outer) + beside * walk[3, -1]
        w = lesser(STRIP, width - beside)
        for j in range(w):
            total[j] = TOTAL_START
            lost[j] = 0.0
        while row < end:
            count = lesser(end - row, length - row % length)
            join_rows(
                x,
                np.uint64(start + skipped(span, 1, row // length) + row % length * row_step),
                np.uint64(walk[2, -1]),
                np.uint64(row_step),
                np.uint64(count),
                np.uint64(w),
                centers,
                np.uint64(center),
                np.uint64(walk[3, -1]),
                k,
                total,
                lost,
            )
            row += count
        for j in range(w):
            c = centers[center + j * walk[3, -1]]
            out[out_cell + j * walk[1, -1]] = stored(total[j], lost[j], c, k, n)


# --- where the greatest or the least element first stands -------------------------------------------------


def beats(a, b):
    """Whether an element comes before another one. NaN comes before all but NaN."""
    return (not (a <= b if GREATEST else a >= b)) & (b == b)


def places_in_rows(first, last, walk, span, places, x):
    """Results one after another: the block that has the extreme of all is searched for its place."""
    length, step = span[0, -1], span[1, -1]
    for task in range(first, last):
        outer, beside = task // walk[0, -1], task % walk[0, -1]
        start = skipped(walk, 2, outer) + beside * walk[2, -1]
        best, at, place = START, -1, 0
        for run in range(size(span, 0, span.shape[1] - 1)):
            cell = start + skipped(span, 1, run)
            for i in range(0, length, BLOCK):
                count = np.uint64(lesser(BLOCK, length - i))
                found = join_run(x, np.uint64(cell + i * step), np.uint64(step), count, 0.0, 0.0)
                if at < 0 or beats(found, best):
                    best, at, place = found, cell + i * step, run * length + i
        element = seen(x[at], 0.0, 0.0)
        while element != best and element == element:
            at += step
            place += 1
            element = seen(x[at], 0.0, 0.0)
        places[skipped(walk, 1, outer) + beside * walk[1, -1]] = place


def choose_in_row(x, at, step, width, row, best, place):
    """A row of elements, each compared with the best so far."""
    for j in range(width):
        element, known = seen(x[at + (j if UNIT else j * step)], 0.0, 0.0), best[j]
        better = beats(element, known)
        best[j] = element if better else known
        place[j] = row if better else place[j]


def places_in_columns(first, last, walk, span, places, x):
    """Neighbouring results side by side. One task is one strip of results."""
    width, step = walk[0, -1], walk[2, -1]
    strips = (width + STRIP - 1) // STRIP
    best, place = np.empty(STRIP, TOTAL), np.empty(STRIP, np.int64)
    for task in range(first, last):
        outer, beside = task // strips, task % strips * STRIP
        start, cell = skipped(walk, 2, outer) + beside * step, skipped(walk, 1, outer) + beside * walk[1, -1]
        w = lesser(STRIP, width - beside)
        for j in range(w):
            best[j], place[j] = seen(x[start + j * step], 0.0, 0.0), 0
        for row in range(1, span[0, 0]):
            at = np.uint64(start + row * span[1, 0])
            choose_in_row(x, at, np.uint64(step), np.uint64(w), row, best, place)
        for j in range(w):
            places[cell + j * walk[1, -1]] = place[j]


# --- the text of a module ---------------------------------------------------------------------------------

# Each function, and whether results may be regrouped in it.
_LOOPS: dict[Callable, str] = {
    join_run: BLOCK_OPTIONS,
    join_rows: OPTIONS,
    beats: OPTIONS,
    choose_in_row: OPTIONS,
}
_KERNELS = (rows, columns, places_in_rows, places_in_columns)

# Numba's cache does not see a change in an imported function, so the text carries what would change it.
_DIGEST = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass over the elements, for some dtypes.

    Attributes:
        fold: a row of `tensorlab.folds.TABLE`.
        value: the type in which elements are counted.
        source, result: the dtypes of the elements and of the results.
        unit: whether neighbours in the innermost loop lie side by side.
    """

    fold: Fold
    value: dtype
    source: dtype
    result: dtype
    unit: bool = True

    def kinds(self) -> tuple[str, str, str]:
        """The names of the types of an element, of what is joined within a block, and of a total."""
        fold, value = self.fold, self.value
        if fold.truth:
            return numpy_name(value), "uint8", "uint8"
        if fold.each.__name__ in ("is_true", "is_number"):  # counted in integers
            return numpy_name(value), "int64", "int64"
        if not value.is_floating_point:
            kind = "int64" if fold.join.name in ("add", "multiply") else numpy_name(value)
            kind = kind.replace("bool_", "uint8")
            return kind, kind, kind
        if fold.join.floats:  # the greatest element is exact in its own type
            return (numpy_name(value),) * 3
        # Cells that lie apart are taken one at a time, and one accumulator must hold a whole block.
        if value is dtypes.float64 or fold.wide or not (self.unit or fold.scalars):
            return "float64", "float64", "float64"
        return "float32", "float32", "float64"

    @property
    def total(self) -> dtype:
        """The type in which the pass keeps what it has joined so far."""
        return dtypes.by_name(self.kinds()[2])

    def text(self) -> str:
        """The constants and the small functions, as the text of Python."""
        fold, cells = self.fold, Cells(self.source, self.result)
        value, lane, total = self.kinds()
        floating = lane.startswith("float")
        together = (fold.join.floats if floating else "") or fold.join.together
        together = together.format(a="a", b="b")
        start = fold.join.start
        begin = str(start)
        if isinstance(start, str) and floating:
            begin = "-np.inf" if start == "lowest" else "np.inf"
        elif isinstance(start, str):
            begin = f"np.iinfo(np.{lane}).{'min' if start == 'lowest' else 'max'}"
        compensated = lane == "float64" and fold.join is ADD
        names = {"x": cells.load("cell", value), "c": f"np.{value}(c)", "k": "k", "total": "total", "n": "n"}
        each = f"{fold.each.__name__}({', '.join(names[name] for name in arguments_of(fold.each))})"
        finish = f"{fold.finish.__name__}({', '.join(arguments_of(fold.finish))})"
        called = [formula for formula in (fold.each, fold.finish) if formula not in (itself, total_itself)]
        if fold.each is itself:  # every function takes time to compile
            each = names["x"]
        if fold.finish is total_itself:
            finish = "total"
        ended = "total + lost if lost == lost else total" if compensated else "total"
        result = cells.store(finish, total.startswith("float"))
        if not floating:
            together = f"np.{lane}({together})"
        functions = [
            f"def seen(cell, c, k):\n    return np.{lane}({each})\n",
            f"def joined(a, b):\n    return {together}\n",
            _COMPENSATED if compensated else _KEPT.format(total=total),
            _KEEP_BOTH if compensated else _KEEP.format(total=total),
            f"def stored(total, lost, c, k, n):\n    total = {ended}\n    return {result}\n",
        ]
        return "\n\n".join(
            [
                f"START, TOTAL_START = np.{lane}({begin}), np.{total}({begin})",
                f"UNIT, GREATEST = {self.unit}, {start == 'lowest'}",
                f"TOTAL = np.dtype(np.{total})",
                f"STRIP, BLOCK = {STRIP}, {block_length(self.unit)}",
                *[
                    formula_text(TABLE[name].formula, dtypes.by_name(value), _decorated(OPTIONS))
                    for name in fold.scalars
                ],
                *[
                    f"{_decorated(OPTIONS)}\n{inspect.getsource(function)}"
                    for function in dict.fromkeys([*cells.helpers(), *called])
                ],
                f"{_decorated(BLOCK_OPTIONS)}\ndef regrouped(a, b):\n    return {together}\n",
                *[f"{_decorated(OPTIONS)}\n{function}" for function in functions],
            ]
        )


_KEPT = "def kept(total, lost, part):\n    return joined(total, np.{total}(part)), lost\n"
_KEEP = "def keep(total, lost, j, part):\n    total[j] = joined(total[j], np.{total}(part))\n"
_KEEP_BOTH = "def keep(total, lost, j, part):\n    total[j], lost[j] = kept(total[j], lost[j], part)\n"
_COMPENSATED = """\
def kept(total, lost, part):
    together = total + part
    added = together - total
    return together, lost + ((total - (together - added)) + (part - added))
"""


def _decorated(options: str) -> str:
    return f"@njit({options}, forceinline=True, {jit.HELPER})"


def block_length(unit: bool) -> int:
    """Elements to a block."""
    return BLOCK if unit else STEP_BLOCK


@functools.cache
def kernels(one: Pass, loops: tuple[Callable, ...] = _KERNELS) -> ModuleType:
    """The module with the kernels of a pass: of reductions, or other loops that call the same functions."""
    fold, source, result = one.fold.name, one.source.name, one.result.name
    parts = [
        f'"""Generated by tensorlab: {fold} of {source} to {result}."""',
        f"import math\n\nimport numpy as np\nfrom numba import njit\n\n"
        f"from tensorlab.backends.cpu.intrinsics import lesser, maximum, minimum\n"
        "from tensorlab.backends.cpu.jit import Part\n"
        f"from tensorlab.backends.cpu.reduce_kernels import size, skipped  # {_DIGEST}",
        one.text(),
        *[f"{_decorated(options)}\n{inspect.getsource(loop)}" for loop, options in _LOOPS.items()],
        *[f"@njit({jit.KERNEL}, {OPTIONS})\n{inspect.getsource(loop)}" for loop in loops],
    ]
    return jit.load(f"{fold}_{source}_{result}", "\n\n".join(parts))


def launcher(kernel: Callable, tasks: int, work: int, constants: Sequence[Any], buffers: int = 2) -> Launch:
    """What calls a kernel with buffers: alone, or shared among threads where there is enough to do.

    Args:
        kernel: ``kernel(first, last, *constants, *buffers)``.
        tasks: how many there are.
        work: how much they are, in additions.
        constants: its arguments that are always the same.
        buffers: how many there are.
    """
    kernel = jit.quiet(kernel)
    alone = tasks == 1 or work < threads.WORTHWHILE

    def launch_alone(out: Any, x: Any) -> None:
        (out, out_offset), (x, x_offset) = out, x
        out, x = out[out_offset:] if out_offset else out, x[x_offset:] if x_offset else x
        kernel(0, tasks, *constants, out, x)

    def launch(*buffers: Any) -> None:
        arrays = [array[offset:] if offset else array for array, offset in buffers]
        team = 1 if alone else min(threads.team_for(work), tasks)
        share(kernel, team, tasks, *constants, *arrays)

    return launch_alone if alone and buffers == 2 else launch
