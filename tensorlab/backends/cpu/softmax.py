"""softmax and log_softmax along one dimension: the greatest element, the sum of exponentials, the quotient.

All three looks at a row happen while it is near, and nothing of its size is kept beside the result. Where the
dimension is not the last, neighbouring rows are taken side by side. Rows that are short and lie one after
another are taken by the block: a step is done for all of them before the next one, so that the exponentials
are one loop, and a row need not wait for the sum of the row before.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlab import dtypes
from tensorlab.backends.cpu import greater, groups, jit, softmax_rows, softmax_vectors, threads
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.kernel_text import (
    BLOCK,
    BLOCK_OPTIONS,
    OPTIONS,
    WIDTH,
    Cells,
    header,
    jitted,
    positions,
)
from tensorlab.backends.cpu.levels import assemble
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.operands import RUN, Launch, OperandLayout, no_launch
from tensorlab.dtypes import dtype
from tensorlab.integers import ceil_div
from tensorlab.scalars.exponential import exp_to_one
from tensorlab.scalars.source import formula_text

__all__ = ["short_softmax", "softmax", "softmax_source"]

# Roughly how many additions one element is worth.
COST = 12

# Up to this length rows are taken by the block.
SHORT = 256


# The levels of the way there, row by row, beside the blocks.
FORWARD: dict[str, Any] = {
    "loops": [softmax_rows.write_run],
    "inner": [softmax_rows.place, softmax_rows.ask],
    "kernels": [softmax_rows.forward],
}


class _Way(NamedTuple):
    """How one softmax goes through memory.

    Attributes:
        kernel: what computes some tasks: rows, blocks of rows, or strips of columns.
        tasks: how many there are.
        walk: the other dimensions' shape, the output's strides, and those of the elements.
        line: of the dimension its size, the output's stride, and that of the elements.
        alone: whether one thread does it all.
    """

    kernel: Callable
    tasks: int
    walk: np.ndarray
    line: np.ndarray
    alone: bool


def _find_way(logarithm: bool, shape: Sequence[int], dim: int, result: dtype, source: OperandLayout) -> _Way:
    others = [other for other in range(len(shape)) if other != dim]
    dense = [math.prod(shape[other + 1 :]) for other in range(len(shape))]
    layouts = [[strides[other] for other in others] for strides in (dense, source.strides)]
    walk_shape, (out_walk, x_walk) = coalesce([shape[other] for other in others], layouts)
    form, step, tasks = "rows", source.strides[dim] != 1, math.prod(walk_shape)
    if dense[dim] > 1:
        form, step = "columns", x_walk[-1] != 1
        tasks = tasks // walk_shape[-1] * ceil_div(walk_shape[-1], WIDTH)
    elif shape[dim] <= SHORT and not step and (out_walk, x_walk) == ((shape[dim],),) * 2:
        form, tasks = "blocks", ceil_div(tasks, BLOCK // shape[dim])
    return _Way(
        _kernel(logarithm, source.dtype, result, form, step),
        tasks,
        np.array([walk_shape, out_walk, x_walk], np.int64),
        np.array([shape[dim], dense[dim], source.strides[dim]], np.int64),
        tasks == 1 or COST * math.prod(shape) < threads.WORTHWHILE,
    )


@functools.cache
def _kernel(logarithm: bool, source: dtype, result: dtype, form: str, step: bool) -> Callable:
    name = f"{'log_' if logarithm else ''}softmax"
    if form == "rows":
        constants = softmax_rows.constants(logarithm, source, result, step)
        vectors = not step and softmax_vectors.usable(source, result)
        exponentials = softmax_vectors if vectors else softmax_rows
        text = assemble(
            f"{name} along rows",
            result,
            source=source,
            imports=greater.IMPORT + softmax_vectors.IMPORT * vectors,
            constants=constants,
            formulas=[] if vectors else [exp_to_one],
            blocks=[
                softmax_rows.greatest_of,
                softmax_rows.greatest_of_rest,
                exponentials.raise_run,
                exponentials.raise_rest,
            ],
            **FORWARD,
        )
        text += "\n\nkernel = forward\n"
    else:
        text = softmax_source(logarithm, Cells(source, result), form, step)
    return jit.quiet(jit.load(f"{name}_{form}_{source.name}_{result.name}", text).kernel)


def softmax(logarithm: bool, shape: Sequence[int], dim: int, result: dtype, source: OperandLayout) -> Launch:
    """See `tensorlab.backends.protocol.Backend.softmax`."""
    if 0 in shape:
        return no_launch
    kernel, tasks, walk, line, alone = _find_way(logarithm, shape, dim, result, source)
    work = COST * math.prod(shape)
    code = jit.entry(kernel, 0, tasks, walk, line, result.cell, source.dtype.cell)

    def launch(out_buffer: Any, x_buffer: Any) -> None:
        (out, out_offset), (x, x_offset) = out_buffer, x_buffer
        out, x = out[out_offset:] if out_offset else out, x[x_offset:] if x_offset else x
        if alone or (team := min(threads.team_for(work), tasks)) == 1:
            code(0, tasks, walk, line, out, x)
        else:
            share(kernel, team, tasks, walk, line, out, x)

    return launch


def short_softmax(
    logarithm: bool, shape: Sequence[int], dim: int, result: dtype, source: OperandLayout
) -> Callable[[np.ndarray, np.ndarray], None] | None:
    """See `tensorlab.backends.protocol.Backend.short_softmax`."""
    if 0 in shape:
        return None
    kernel, *known, alone = _find_way(logarithm, shape, dim, result, source)
    if not alone:
        return None
    return functools.partial(jit.entry(kernel, 0, *known, result.cell, source.dtype.cell), 0, *known)


def softmax_source(logarithm: bool, cells: Cells, form: str, step: bool) -> str:
    """The text of one kernel: a module with ``kernel``.

    Args:
        logarithm: whether to write the logarithms of the quotients.
        cells: the dtypes of the elements and of the results.
        form: ``"columns"`` or ``"blocks"``; rows have a file of their own.
        step: whether the elements along the innermost loop lie apart; the results never do.
    """
    text = _SoftmaxText(logarithm, cells, step)
    parameters = "walk, line, out, x"
    kernel = (
        f"@njit({jit.KERNEL}, {OPTIONS})\n"
        f"def kernel(first, last, {parameters}):\n"
        "    # walk: the other dimensions' shape, out's strides, x's; line: those of the dimension\n"
        + {"columns": text.columns, "blocks": text.blocks}[form]()
    )
    decorator = f"@njit({OPTIONS}, forceinline=True, {jit.HELPER})"
    exponential = formula_text(exp_to_one, text.compute, decorator)
    title = f"{'log_' if logarithm else ''}softmax of {cells.source.name} to {cells.result.name}, {form}"
    vectors = form == "blocks" and text.vectors
    parts = [
        header(title),
        greater.IMPORT + groups.imports("exp", text.compute) * vectors,
        jitted(cells.helpers()),
        "" if vectors else exponential,
        text.helpers(form),
        kernel,
    ]
    return "\n\n".join(parts)


class _SoftmaxText:
    """The parts of one kernel's text."""

    def __init__(self, logarithm: bool, cells: Cells, step: bool) -> None:
        self.logarithm, self.cells, self.step = logarithm, cells, step
        wide = cells.result is dtypes.float64
        self.compute = dtypes.float64 if wide else dtypes.float32
        self.kind = self.compute.name
        # Steps are taken one cell at a time, and one accumulator must hold a whole block.
        self.sum = "float64" if step else self.kind
        # Exponentials are kept in the output until they are divided, unless it rounds them.
        self.kept = not logarithm and cells.result.itemsize >= 4
        # Whether blocks are raised vector by vector.
        self.vectors = groups.has_groups("exp", [self.compute], [RUN])

    def result(self, x: str, out: str, greatest: str, total: str) -> str:
        """The lines that write one result; `total` is the sum's logarithm or its reciprocal."""
        if self.logarithm:
            value = f"({x} - {greatest}) - {total}"
        elif self.kept:
            value = f"{out} * {total}"
        else:
            value = f"exp_to_one({x} - {greatest}) * {total}"
        return f"{out} = {self.cells.store(f'np.{self.kind}({value})', True)}"

    def last(self, total: str) -> str:
        return f"np.log({total})" if self.logarithm else f"1.0 / {total}"

    def helpers(self, form: str) -> str:
        """The loops over one block of a row, or over one row of a strip."""
        at = "cell + i * step" if self.step else "cell + i"
        x, out = self.cells.load(f"x[{at}]", self.kind), "out[out_cell + i]"
        keep = f"        {out} = e\n" if self.kept else ""
        parameters = "x, cell, step, out, out_cell, n"
        decorator = f"@njit({BLOCK_OPTIONS}, forceinline=True, {jit.HELPER})\n"
        # `x - greatest - last`, regrouped, would be `x - (greatest + last)`: wrong by a rounding of x.
        as_written = f"@njit({OPTIONS}, forceinline=True, {jit.HELPER})\n"
        if form == "blocks":
            return self.block_helpers(decorator)
        return (
            f"{decorator}def row_greatest({parameters}, greatest):\n"
            "    for i in range(n):\n"
            f"        greatest[i] = greater(greatest[i], {x})\n\n\n"
            f"{decorator}def row_sum({parameters}, greatest, total):\n"
            "    for i in range(n):\n"
            f"        e = np.{self.kind}(exp_to_one(np.{self.kind}({x} - greatest[i])))\n"
            f"{keep}"
            "        total[i] += np.float64(e)\n\n\n"
            f"{as_written}def row_write({parameters}, greatest, last):\n"
            "    for i in range(n):\n"
            f"        {self.result(x, out, 'greatest[i]', 'last[i]')}\n"
        )

    def block_helpers(self, decorator: str) -> str:
        """The loops over one row of a block, and over all of it."""
        kind, x = self.kind, self.cells.load("x[cell + i]", self.kind)
        # The logarithm needs the differences once more; else their exponentials take their place, in an array
        # of one name, so that the compiler sees that no other cell is written.
        powers = "powers" if self.logarithm else "shifted"
        value = "shifted[at + i] - last" if self.logarithm else "shifted[at + i] * last"
        target = "shifted[at + i]" if self.kept else "out[cell + i]"
        return (
            f"{decorator}def shift_row(x, cell, shifted, at, n):\n"
            f"    greatest = np.{kind}(-np.inf)\n"
            "    for i in range(n):\n"
            f"        greatest = np.{kind}(greater(greatest, {x}))\n"
            "    for i in range(n):\n"
            f"        shifted[at + i] = {x} - greatest\n\n\n"
            f"{decorator}def raise_block(shifted, powers, place, n):\n"
            + (
                self.raised_by_vectors(powers)
                if self.vectors
                else "    for i in range(n):\n"
                f"        {powers}[place + i] = np.{kind}(exp_to_one(shifted[place + i]))\n"
            )
            + "\n\n"
            f"{decorator}def row_sum(powers, at, n):\n"
            f"    total = np.{kind}(0)\n"
            "    for i in range(n):\n"
            "        total += powers[at + i]\n"
            "    return np.float64(total)\n\n\n"
            f"{decorator}def write_row(shifted, at, out, cell, n, last):\n"
            "    for i in range(n):\n"
            f"        {target} = {self.cells.store(f'np.{kind}({value})', True)}\n"
        )

    @staticmethod
    def raised_by_vectors(powers: str) -> str:
        """The loop over a block by whole vectors."""
        places = f"at(shifted, place + done), at({powers}, place + done)"
        return (
            "    whole = n - n % GROUP\n"
            "    for done in range(0, whole, GROUP):\n"
            f"        exp_group({places})\n"
            "    if whole < n:\n"
            f"        exp_rest({places.replace('done', 'whole')}, n - whole)\n"
        )

    def blocks(self) -> str:
        buffer = f"np.empty(BLOCK, np.{self.kind})"
        return (
            "    n, rows = np.uint64(line[0]), walk[0, 0]\n"
            "    several = BLOCK // line[0]\n"
            f"    shifted = {'out' if self.kept else buffer}\n"
            f"    powers = {buffer if self.logarithm else 'shifted'}\n"
            "    for task in range(first, last):\n"
            "        begin, count = task * several, np.uint64(min(several, rows - task * several))\n"
            "        start = np.uint64(begin) * n\n"
            f"        place = {'start' if self.kept else 'np.uint64(0)'}\n"
            "        for r in range(count):\n"
            "            shift_row(x, start + r * n, shifted, place + r * n, n)\n"
            "        raise_block(shifted, powers, place, count * n)\n"
            "        for r in range(count):\n"
            "            total = row_sum(powers, place + r * n, n)\n"
            f"            factor = np.{self.kind}({self.last('total')})\n"
            "            write_row(shifted, place + r * n, out, start + r * n, n, factor)\n"
        )

    def columns(self) -> str:
        def rows(call: str) -> str:
            return (
                "        for i in range(n):\n"
                "            cell = np.uint64(start + i * line[2])\n"
                "            out_cell = np.uint64(out_start + i * line[1])\n"
                f"            {call}\n"
            )

        common = "x, cell, step, out, out_cell, np.uint64(w)"
        return (
            "    n = line[0]\n"
            "    last_dim = walk.shape[1] - 1\n"
            "    width, step = walk[0, last_dim], np.uint64(walk[2, last_dim])\n"
            "    strips = (width + WIDTH - 1) // WIDTH\n"
            f"    greatest, total = np.empty(WIDTH, np.{self.kind}), np.empty(WIDTH, np.float64)\n"
            f"    factor = np.empty(WIDTH, np.{self.kind})\n"
            "    for task in range(first, last):\n"
            "        rest, strip = task // strips, task % strips\n"
            "        w = min(WIDTH, width - strip * WIDTH)\n"
            + positions(
                "walk",
                ("out_start", "strip * WIDTH", 1),
                ("start", "strip * WIDTH * walk[2, last_dim]", 2),
                outer="last_dim",
            )
            + "        greatest[:w] = -np.inf\n"
            "        total[:w] = 0\n"
            + rows(f"row_greatest({common}, greatest)")
            + rows(f"row_sum({common}, greatest, total)")
            + f"        for j in range(w):\n            factor[j] = {self.last('total[j]')}\n"
            + rows(f"row_write({common}, greatest, factor)")
        )
