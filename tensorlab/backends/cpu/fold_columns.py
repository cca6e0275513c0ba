"""The functions of a fold along neighbouring results: what its walk calls.

The totals of a strip of results lie in a buffer, and rows of elements are folded into it. The walk is the
same for all folds (`tensorlab.backends.cpu.fold_strips`); each look at the elements has three functions of
its own, which it may have in common with other folds:

- ``fold(x, cell, step, row_step, count, w, k, total, c, lost, far)`` folds `count` rows of `w` elements into
  the row at `total`. They begin at a cell, `step` apart along a row and `row_step` from row to row. `c` are
  the centers, `far` says whether memory is asked for ahead, and `lost` is what `keep` has there.
- ``keep(what, total, piece, lost, w, beside)`` begins totals, joins those of some rows to those before, or
  ends them. Of a row there are `beside` groups of `w` totals.
- ``finish(total, c, out, cell, out_step, w, wide, n, k)`` writes `w` results from a cell on, or makes `w`
  centers and repeats them up to `wide`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numba
import numpy as np
from numba.core import types

from tensorlab import dtypes
from tensorlab.backends.cpu import halves, jit
from tensorlab.backends.cpu.fold_pass import Pass
from tensorlab.backends.cpu.fold_strips import BEGIN, JOIN, Look
from tensorlab.backends.cpu.fold_text import ROWS, TOGETHER, VECTOR_ROWS, fold_header, scalar_functions
from tensorlab.backends.cpu.kernel_text import BLOCK_OPTIONS, OPTIONS, Cells, indented, jitted
from tensorlab.backends.cpu.linking import table_of
from tensorlab.dtypes import dtype
from tensorlab.folds import Fold, arguments_of, itself

__all__ = ["column_functions", "finish_text", "join_functions", "join_text", "keep_text", "rows_text"]

# The options of functions that are called by their address alone.
_APART = "cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True"

Function = tuple[Callable, list[types.Type]]


_WORD, _NUMBER = types.int64, types.float64


def column_functions(
    fold: Fold, cells: Cells, value: dtype, step: bool, given: bool = False
) -> tuple[list[Look], Any]:
    """The looks of a fold, and the table of their functions.

    Args:
        fold: a row of `tensorlab.folds.TABLE`.
        cells: the dtypes of the elements and of the results.
        value: the type in which elements are counted.
        step: whether the cells along a row lie apart.
        given: whether the results of the fold's center are passed, instead of computed.
    """
    main = Pass(fold, cells, value, step)
    looks = [_look(main)]
    functions = [_rows(main, main.value, value), _keep(main), _finish(main, value)]
    if given:
        looks.insert(0, Look(0, True, False))
        functions[:0] = [functions[0], functions[1], _given(main)]
    elif fold.center:
        center = Pass(fold.center, cells, value, step)
        looks.insert(0, _look(center))
        functions[:0] = [_rows(center, main.value, value), _keep(center), _center(center, main)]
    return looks, table_of(functions)


def join_functions(fold: Fold, value: dtype, result: dtype) -> tuple[Look, Any]:
    """The same for the join of the parts of results, which are rows of totals.

    Args:
        fold: whose parts were computed.
        value: the type that the parts are kept in; see `tensorlab.backends.cpu.fold_pass.total_type`.
        result: the dtype of the results.
    """
    main = Pass(replace(fold, each=itself, center=None), Cells(value, result), value)
    module = jit.load(f"join_{fold.join.name}_{main.total}", join_text(main))
    functions = [(module.fold, _rows_kinds(main, main.value)), _keep(main), _finish(main, value)]
    return Look(ROWS, True, main.compensated), table_of(functions)


def _look(one: Pass) -> Look:
    return Look(VECTOR_ROWS if one.vectors else ROWS, one.direct, one.compensated)


def _run(type_name: str) -> types.Type:
    """The type of a pointer to numbers."""
    return types.CPointer(numba.from_dtype(np.dtype(getattr(np, type_name))))


def _cells(element_type: dtype) -> types.Type:
    """The type of a pointer to cells. Truths are seen as bytes, which is how the compiler stores them."""
    if element_type is dtypes.bool:
        return types.CPointer(types.uint8)
    return types.CPointer(numba.from_dtype(element_type.cell))


def _rows(one: Pass, center: str, value: dtype) -> Function:
    name = one.fold.join.name if one.vectors else f"{one.fold.each.__name__}_{one.fold.join.name}"
    module = jit.load(f"rows_{name}_{one.cells.source.name}_{one.lane}", rows_text(one, value))
    return module.fold, _rows_kinds(one, center)


def _rows_kinds(one: Pass, center: str) -> list[types.Type]:
    lost, words = _run("float64"), [_WORD] * 5
    return [_cells(one.cells.source), *words, _NUMBER, _run(one.lane), _run(center), lost, types.boolean]


def _keep(one: Pass) -> Function:
    module = jit.load(f"keep_{one.fold.join.name}_{one.lane}_{one.total}", keep_text(one))
    return module.keep, [_WORD, _run(one.total), _run(one.lane), _run("float64"), _WORD, _WORD]


def _finish(one: Pass, value: dtype) -> Function:
    formula, result = one.fold.finish, one.cells.result
    text = finish_text(
        f"{formula.__name__} of {one.total} to {result.name}",
        [*halves.needed([result]), formula],
        scalar_functions(one.fold, one, value),
        [
            "for j in range(w):",
            f"    out[cell + j * out_step] = {one.cells.store(one.finish('total[j]', 'c[j]'), one.floating)}",
        ],
    )
    module = jit.load(f"finish_{formula.__name__}_{one.total}_{result.name}", text)
    return module.finish, [_run(one.total), _run(one.value), _cells(result), *_FINISHED]


def _center(one: Pass, main: Pass) -> Function:
    formula = one.fold.finish
    lines = ["for j in range(w):", f"    c[j] = {one.finish('c[j]')}"]
    text = finish_text(f"{formula.__name__} of {one.total}", [formula], "", [*lines, *_BESIDE])
    module = jit.load(f"center_{formula.__name__}_{one.total}", text)
    return module.finish, [_run(one.total), _run(main.value), _run("float64"), *_FINISHED]


def _given(main: Pass) -> Function:
    lines = ["for j in range(w):", "    c[j] = out[cell + j * out_step]"]
    module = jit.load(
        f"given_{main.value}", finish_text("centers that are given", [], "", [*lines, *_BESIDE])
    )
    return module.finish, [_run(main.total), _run(main.value), _run("float64"), *_FINISHED]


# The types of the last arguments of `finish`.
_FINISHED = [*[_WORD] * 5, _NUMBER]

# Each of the rows that count as one has the same centers.
_BESIDE = ["for j in range(w, wide):", "    c[j] = c[j - w]"]


_ROWS_PARAMETERS = "x, cell, step, row_step, count, w, k, total, c, lost, far"


def rows_text(one: Pass, value: dtype) -> str:
    """The text of the function that folds rows of elements.

    Args:
        one: the look at the elements.
        value: the type in which elements are counted.
    """
    title = f"rows of {one.cells.source.name}"
    if one.vectors:
        join = f"{one.fold.join.name}_rows"
        lines = [
            f"@njit({_APART}, {OPTIONS})",
            f"def fold({_ROWS_PARAMETERS}):",
            f"    {join}(advance(x, cell), row_step, count, w, total, far)",
        ]
        return fold_header(title, [join]) + "\n".join(lines) + "\n"
    of_center = "c" in arguments_of(one.fold.each)
    starts = [f"r{r} = advance(x, cell + (i + {r}) * row_step)" for r in range(TOGETHER)]
    at = "j * step" if one.step else "j"
    seen = [f"seen(r{r}[{at}], {'c[j]' if of_center else '0.0'}, k)" for r in range(TOGETHER)]
    together = seen
    while len(together) > 1:
        pairs = zip(together[::2], together[1::2], strict=True)
        together = [one.together(a, b, one.lane) for a, b in pairs]
    # Where lanes are narrower than totals, rows are added by pairs first, which loses fewer digits; the
    # compiler would make one long chain of it. What computes more of an element is faster as a chain.
    ordered = one.lane != one.total and not one.fold.scalars
    lines = [
        f"@njit({_APART}, {OPTIONS if ordered else BLOCK_OPTIONS})",
        f"def fold({_ROWS_PARAMETERS}):",
        "    i = 0",
        f"    while i + {TOGETHER} <= count:",
        *indented(8, starts),
        "        for j in range(w):",
        f"            total[j] = {one.together('total[j]', together[0], one.lane)}",
        f"        i += {TOGETHER}",
        "    while i < count:",
        f"        {starts[0]}",
        "        for j in range(w):",
        f"            total[j] = {one.together('total[j]', seen[0], one.lane)}",
        "        i += 1",
    ]
    functions = jitted([*halves.needed([one.cells.source]), one.fold.each])
    scalars = scalar_functions(one.fold, one, value)
    # The compiler infers the types of what is seen once, and not for each of the rows.
    seen_once = (
        f"@njit({OPTIONS}, forceinline=True, {jit.HELPER})\n"
        f"def seen(cell, c, k):\n    return {one.each('cell')}\n"
    )
    parts = [fold_header(title) + scalars + functions, seen_once, "\n".join(lines) + "\n"]
    return "\n\n".join(parts)


def join_text(one: Pass) -> str:
    """The text of the function that joins rows of totals one by one."""
    lines = [
        f"@njit({_APART}, {OPTIONS})",
        f"def fold({_ROWS_PARAMETERS}):",
        "    for i in range(count):",
        "        row = advance(x, cell + i * row_step)",
        "        for j in range(w):",
        f"            part = np.{one.total}({one.each('row[j]')})",
        *indented(12, one.joined("total[j]", "part", "lost[j]")),
    ]
    return fold_header(f"rows of totals of {one.total}") + jitted([itself]) + "\n\n" + "\n".join(lines) + "\n"


def keep_text(one: Pass) -> str:
    """The text of the function that begins totals, joins others to them, and ends them."""
    begins = ["for j in range(w * beside):", f"    total[j] = {one.start}"]
    joins: list[str] = ["pass"]
    ends = []
    if one.compensated:
        begins.append("    lost[j] = 0")
        ends = ["for j in range(w * beside):", "    if lost[j] == lost[j]:", "        total[j] += lost[j]"]
    if not one.direct:
        begins.append(f"    piece[j] = {one.start}")
        part = "piece[j]" if one.compensated else f"np.{one.total}(piece[j])"
        joined = one.joined("total[j]", part, "lost[j]")
        joins = ["for j in range(w * beside):", *indented(4, joined), f"    piece[j] = {one.start}"]
    lines = [
        f"@njit({_APART}, {OPTIONS})",
        "def keep(what, total, piece, lost, w, beside):",
        f"    if what == {BEGIN}:",
        *indented(8, begins),
        f"    elif what == {JOIN}:",
        *indented(8, joins),
        "    else:",
        *indented(8, ends),
        "        group = beside",
        "        while group > 1:  # the rows that stood beside one another, by halves",
        "            half = group // 2 * w",
        "            behind = group * w - half",
        "            for j in range(half):",
        f"                total[j] = {one.together('total[j]', 'total[behind + j]', one.total)}",
        "            group -= group // 2",
    ]
    return fold_header(f"totals of {one.total}") + "\n".join(lines) + "\n"


def finish_text(title: str, functions: Sequence[Callable], scalars: str, lines: Sequence[str]) -> str:
    """The text of a function ``finish`` of these lines, which call these functions."""
    head = [f"@njit({_APART}, {OPTIONS})", "def finish(total, c, out, cell, out_step, w, wide, n, k):"]
    called = scalars + jitted([*functions]) + "\n\n" if functions else ""
    return fold_header(title) + called + "\n".join([*head, *indented(4, lines)]) + "\n"
