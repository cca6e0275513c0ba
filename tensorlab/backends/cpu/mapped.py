"""Folds of what a scalar function makes of operands: a table that is never whole.

The elements are taken in pieces. What the function makes of one stays in a cache until it is folded, and then
the next one takes its place: less to write, less to read again, and no memory for the table. A piece is made
by the very kernel that would make the table (see `tensorlab.backends.cpu.templates`).

A piece has all elements of some results, or some of each: then the parts are joined by a second, small fold.
How the pieces are cut follows from the layouts alone, never from the number of threads: a sum is the same
number however many threads computed it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np

from tensorlab.backends.cpu import fold_vectors, halves, jit, threads
from tensorlab.backends.cpu.elementwise import (
    NAMES,
    NUMBER,
    kernel_source,
    number_taker,
    tasks_of,
    walk_pattern,
)
from tensorlab.backends.cpu.fold_pass import total_type
from tensorlab.backends.cpu.fold_rows import RowsText
from tensorlab.backends.cpu.fold_text import scalar_functions
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.kernel_text import OPTIONS, Cells, indented, jitted
from tensorlab.backends.cpu.reduce import join_parts
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.operands import Launch, OperandLayout
from tensorlab.dtypes import dtype
from tensorlab.folds import Fold, total_itself
from tensorlab.integers import ceil_div
from tensorlab.layout import default_strides
from tensorlab.scalars import Scalar

__all__ = ["mapped_fold", "mapped_source"]

# Elements of a piece: 32 KB of float32, which a first-level cache holds. Where there are more than so many
# pieces they are longer, up to half of a second-level cache, so that the list of them stays short.
PIECE = 1 << 13
PIECES = 1 << 12
LONGEST = 1 << 17
# The least neighbouring results of a piece whose elements lie across them: rows long enough for vectors.
RESULTS = 1 << 9

Box = tuple[tuple[int, int], ...]

_modules: dict[tuple, ModuleType] = {}


def mapped_fold(
    row: Scalar,
    compute: dtype,
    made: dtype,
    fold: Fold,
    shape: Sequence[int],
    dims: Sequence[int],
    inputs: Sequence[OperandLayout],
    k: float = 0.0,
) -> Launch:
    """See `tensorlab.backends.protocol.Backend.mapped_fold`."""
    layouts = [operand.strides for operand in inputs]
    kept_sizes, kept_steps = _walk(
        shape, [dim for dim in range(len(shape)) if dim not in dims], layouts, True
    )
    gone_sizes, gone_steps = _walk(shape, dims, layouts, False)
    results, n = math.prod(kept_sizes), math.prod(gone_sizes)
    most = max(PIECE, min(LONGEST, results * n // PIECES))
    columns = bool(kept_sizes and gone_sizes) and _last(kept_steps) < _last(gone_steps)
    kept = _boxes(kept_sizes, max(most // n, RESULTS if columns else 1))
    gone = _boxes(gone_sizes, most // max(map(_count, kept)))
    outer, inner = (gone_steps, kept_steps) if columns else (kept_steps, gone_steps)
    strides = [(*one, *other) for one, other in zip(outer, inner, strict=True)]
    dense = (0,) * (len(strides[0]) - 1) + (1,)
    pattern = walk_pattern([OperandLayout(made, dense), *inputs], [dense, *strides])

    walks, starts, sizes, place = [], [], [], 0
    for stay in kept:
        for part, go in enumerate(gone):
            box = go + stay if columns else stay + go
            lengths = [size for _, size in box]
            walks.append(np.array([lengths, default_strides(lengths), *strides], np.int64))
            starts.append([_skipped(box, step) for step in strides])
            sizes.append([tasks_of(lengths, pattern), _count(stay), _count(go), part * results + place])
        place += _count(stay)
    room = max(count * length for _, count, length, _ in sizes)

    parts, kind = len(gone), total_type(fold, made)
    cut = fold if parts == 1 else replace(fold, name=f"{fold.name}_part", finish=total_itself)
    types = made, *[operand.dtype for operand in inputs]
    key = row.name, compute, cut.name, types, pattern, columns, parts > 1
    module = _modules.get(key)
    if module is None:
        text = mapped_source(row, compute, cut, types, pattern, columns, kind if parts > 1 else made)
        module = _modules[key] = jit.load(f"{row.name}_{cut.name}_{made.name}", text)
    kernel = jit.quiet(module.fold_kernel)
    known = tuple([np.array(given, np.int64) for given in (walks, starts, sizes)])
    constants = *known, room, k, n
    work = results * n * (row.cost + fold.cost)
    join = None if parts == 1 else join_parts(fold, kind, made, results, parts, k, n)
    number = number_taker(compute)
    examples = [number(0) if each.is_number else each.dtype.cell for each in inputs]
    tasks = len(sizes)
    code = jit.entry(kernel, 0, tasks, *constants, (kind if join else made).cell, *examples)

    def launch(out: Any, *buffers: Any) -> None:
        (given, offset), arguments = out, []
        for operand, item in zip(inputs, buffers, strict=True):
            if operand.is_number:
                arguments.append(number(item))
            else:
                arguments.append(item[0][item[1] :] if item[1] else item[0])
        target = given[offset:] if offset else given
        found = target if join is None else np.empty(results * parts, kind.cell)
        team = min(threads.team_for(work), tasks)
        if team == 1:
            code(0, tasks, *constants, found, *arguments)
        else:
            share(kernel, team, tasks, *constants, found, *arguments)
        if join is not None:
            join(target, found)

    return launch


def mapped_source(
    row: Scalar,
    compute: dtype,
    fold: Fold,
    types: Sequence[dtype],
    pattern: Sequence[str],
    columns: bool,
    result: dtype,
) -> str:
    """The text of a pointwise kernel, and of ``fold_kernel``, which calls it.

    Args:
        row, compute: the scalar function, and the type that it works in.
        fold: what is done with what the function makes.
        types: the dtypes of what is made, and of each operand.
        pattern: how a piece and each operand are walked along the innermost dimension.
        columns: whether neighbours in a piece belong to neighbouring results, or to the same one.
        result: the dtype of the results, or of their parts.
    """
    made = kernel_source(row, compute, types, pattern).replace(jit.ENTERED, jit.HELPER)
    text = _MappedText(fold, Cells(types[0], result), types[0], step=False, given=False)
    names = [f"{name}_cells" for name in NAMES[: len(types) - 1]]
    conversions = [one for one in halves.needed([result]) if one not in halves.needed(types)]
    return (
        made + "\n\nfrom tensorlab.backends.cpu.intrinsics import lesser, maximum, minimum, prefetch\n"
        "from tensorlab.backends.cpu.pointers import at\n"
        + "".join(fold_vectors.IMPORT.format(name=name) for name in text.imports())
        + scalar_functions(fold, text.main, types[0])
        + jitted([*conversions, fold.each, fold.finish])
        + "\n\n"
        + text.functions()
        + text.mapped_kernel(names, pattern[1:], columns)
    )


class _MappedText(RowsText):
    """The text of what folds pieces."""

    def mapped_kernel(self, names: Sequence[str], kinds: Sequence[str], columns: bool) -> str:
        """The kernel that makes pieces and folds them."""
        operands = "".join(f", {name}" for name in names)
        places = "".join(
            f", {name}" if kind == NUMBER else f", {name}, starts[task, {at}]"
            for at, (name, kind) in enumerate(zip(names, kinds, strict=True))
        )
        lines = [
            f"@njit({jit.ENTERED}, {OPTIONS})",
            f"def fold_kernel(first, last, walks, starts, sizes, room, k, n, out{operands}):",
            "    # walks: of each piece its shape, its strides where it is made, and those of the operands",
            "    # starts: the first cell of each operand",
            "    # sizes: the tasks that make it, its results, elements of each, the first result's place",
            "    c, step, far = 0.0, 1, False",
            f"    x = np.empty(room, np.{self.cells.source.cell.name})",
            *(self._totals() if columns else []),
            "    for task in range(first, last):",
            "        tasks, count, length, place = sizes[task]",
            f"        kernel(0, tasks, walks[task], x, 0{places})",
            *indented(8, self._fold_columns() if columns else self._fold_rows()),
        ]
        return "\n".join(lines) + "\n"

    def _fold_rows(self) -> list[str]:
        """The lines that fold each row of a piece."""
        return [
            f"blocks, whole = (length + {self.block - 1}) // {self.block}, length // {self.block}",
            "for r in range(count):",
            "    cell = r * length",
            *indented(4, self._start(self.main, "total")),
            *indented(4, self._fold_run(self.main, "main", "total", "0", "blocks")),
            *indented(4, self._end(self.main, "total")),
            f"    out[place + r] = {self._stored()}",
        ]

    def _totals(self) -> list[str]:
        lines = [f"    totals = np.empty(room, np.{self.main.total})"]
        return [*lines, "    lost = np.empty(room)"] if self.main.compensated else lines

    def _fold_columns(self) -> list[str]:
        """The lines that fold the rows of a piece into one row."""
        one = self.main
        compensated = ["    lost[r] = 0"] if one.compensated else []
        cell = one.each("x[g * count + r]")
        lost = ["    if lost[r] == lost[r]:", "        totals[r] += lost[r]"] if one.compensated else []
        return [
            "for r in range(count):",
            f"    totals[r] = {one.start}",
            *compensated,
            "for g in range(length):",
            "    for r in range(count):",
            f"        joining = np.{one.total}({cell})",
            *indented(8, one.joined("totals[r]", "joining", "lost[r]")),
            "for r in range(count):",
            *lost,
            "    total = totals[r]",
            f"    out[place + r] = {self._stored()}",
        ]


def _walk(
    shape: Sequence[int], dims: Sequence[int], layouts: Sequence[Sequence[int]], keep_order: bool
) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """Some dimensions as few, and each operand's strides along them; none if all have size 1."""
    sizes = [shape[dim] for dim in dims]
    if math.prod(sizes) == 1:
        return (), [()] * len(layouts)
    return coalesce(sizes, [[strides[dim] for dim in dims] for strides in layouts], keep_order)


def _last(steps: Sequence[Sequence[int]]) -> int:
    return sum(step[-1] for step in steps)


def _count(box: Box) -> int:
    return math.prod(size for _, size in box)


def _skipped(box: Box, strides: Sequence[int]) -> int:
    return sum(start * stride for (start, _), stride in zip(box, strides, strict=True))


def _boxes(sizes: Sequence[int], most: int) -> list[Box]:
    """Boxes of at most so many elements in row-major order, cut as far out as can be, nearly even.

    Example:
        >>> _boxes((2, 5), 5)
        [((0, 1), (0, 5)), ((1, 1), (0, 5))]
        >>> _boxes((2, 5), 3)
        [((0, 1), (0, 2)), ((0, 1), (2, 3)), ((1, 1), (0, 2)), ((1, 1), (2, 3))]
    """
    cuts = []
    for dim, size in enumerate(sizes):
        pieces = ceil_div(size, max(1, most // math.prod(sizes[dim + 1 :])))
        ends = [size * piece // pieces for piece in range(pieces + 1)]
        cuts.append([(start, end - start) for start, end in itertools.pairwise(ends)])
    return list(itertools.product(*cuts))
