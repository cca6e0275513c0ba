"""The text of the kernels that fold.

A kernel computes results one after another. Elements are folded in blocks: within a block in any order, so
that the compiler may use vector instructions, and in the type of the elements; the blocks' results are joined
one by one in a wider type (or, for float64, with the rounding errors kept beside the total). That is as fast
as a plain loop and loses fewer digits.

Forms differ in what the innermost loop walks along. ``rows`` walks along the elements of one result, and so
does ``runs`` where these lie in several runs (`tensorlab.backends.cpu.fold_rows`). Folds along neighbouring
results are put together of functions (`tensorlab.backends.cpu.fold_columns`).
"""

from __future__ import annotations

from dataclasses import replace

from tensorlab.backends.cpu import jit
from tensorlab.backends.cpu.fold_pass import Pass
from tensorlab.backends.cpu.fold_rows import RowsText, RunsText
from tensorlab.backends.cpu.fold_text import fold_header, scalar_functions
from tensorlab.backends.cpu.kernel_text import OPTIONS, Cells, indented, jitted
from tensorlab.dtypes import dtype
from tensorlab.folds import Fold, itself

__all__ = ["fold_source", "join_source"]

_TEXTS: dict[str, type[RowsText]] = {"rows": RowsText, "runs": RunsText}


def fold_source(fold: Fold, cells: Cells, value: dtype, form: str, step: bool, given: bool = False) -> str:
    """The text of one kernel: a module with ``kernel``.

    Args:
        fold: a row of `tensorlab.folds.TABLE`.
        cells: the dtypes of the elements and of the results.
        value: the type in which elements are counted.
        form: ``"rows"`` or ``"runs"``.
        step: whether the cells along the innermost loop lie apart.
        given: whether the results of the fold's center are passed, instead of computed.
    """
    text = _TEXTS[form](fold, cells, value, step, given)
    functions = [*cells.helpers(), fold.each, fold.finish]
    if fold.center and not given:
        functions += [fold.center.each, fold.center.finish]
    parts = [
        fold_header(f"{fold.name} of {cells.source.name} to {cells.result.name}, {form}", text.imports())
        + scalar_functions(fold, text.main, value)
        + jitted(functions),
        text.functions(),
        text.kernel(),
        *([] if step or fold.center or form == "runs" else [text.flat_kernel()]),
    ]
    return "\n\n".join(parts)


def join_source(fold: Fold, value: dtype, result: dtype) -> str:
    """The text of the kernel that joins the parts of a single result: a module with ``kernel``.

    Args:
        fold: whose parts were computed.
        value: the type that the parts are kept in; see `tensorlab.backends.cpu.fold_pass.total_type`.
        result: the dtype of the result.
    """
    join = replace(fold, each=itself, center=None)
    cells = Cells(value, result)
    main = Pass(join, cells, value)
    lines = [
        f"@njit({jit.KERNEL}, {OPTIONS})",
        "def kernel(parts, k, n, out, x):",
        f"    total = np.{main.total}({main.start})",
        "    lost = 0.0",
        "    for part in range(parts):",
        f"        part_total = np.{main.total}({main.each('x[part]')})",
        *indented(8, main.joined("total", "part_total", "lost")),
        *(["    if lost == lost:", "        total += lost"] if main.compensated else []),
        f"    out[0] = {cells.store(main.finish('total'), main.floating)}",
    ]
    return (
        fold_header(f"{fold.name} of parts in {value.name} to {result.name}")
        + scalar_functions(fold, main, value)
        + jitted([*cells.helpers(), itself, fold.finish])
        + "\n\n"
        + "\n".join(lines)
        + "\n"
    )
