"""The gradient of softmax and of log_softmax along one dimension: a sum, then a value for each element.

With results y and their gradients g, that of softmax is ``y * (g - sum(g * y))``, and that of log_softmax is
``g - exp(y) * sum(g)``. Both looks at a row happen while it is near (see `softmax_rows`). Where the dimension
is not the last, neighbouring rows are taken side by side.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from tensorlab import dtypes
from tensorlab.backends.cpu import jit, softmax_rows, threads
from tensorlab.backends.cpu.kernel_text import (
    BLOCK_OPTIONS,
    OPTIONS,
    WIDTH,
    Cells,
    header,
    jitted,
)
from tensorlab.backends.cpu.levels import assemble
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.operands import Launch, no_launch
from tensorlab.dtypes import dtype
from tensorlab.integers import ceil_div
from tensorlab.scalars.exponential import exp_to_one
from tensorlab.scalars.source import formula_text

__all__ = ["gradient_source", "softmax_gradient"]

# Roughly how many additions one element is worth.
COST = {False: 3, True: 10}

_COLUMNS = """\
    strips = (inner + WIDTH - 1) // WIDTH
    total = np.empty(WIDTH, np.float64)
    for task in range(first, last):
        start = task // strips * n * inner + task % strips * WIDTH
        w = np.uint64(min(WIDTH, inner - task % strips * WIDTH))
        total[:w] = 0
        for row in range(n):
            row_sum(g, y, np.uint64(start + row * inner), w, total)
        for row in range(n):
            row_write(out, g, y, np.uint64(start + row * inner), w, total)
"""

# The levels of the way back, row by row.
BACKWARD: dict[str, Any] = {
    "blocks": [softmax_rows.add_up, softmax_rows.write_gradient],
    "inner": [softmax_rows.ask_both],
    "kernels": [softmax_rows.backward],
}


def softmax_gradient(logarithm: bool, shape: Sequence[int], dim: int, element_type: dtype) -> Launch:
    """See `tensorlab.backends.protocol.Backend.softmax_gradient`."""
    if 0 in shape:
        return no_launch
    outer, count, inner = math.prod(shape[:dim]), shape[dim], math.prod(shape[dim + 1 :])
    form = "rows" if inner == 1 else "columns"
    tasks = outer * ceil_div(inner, WIDTH)
    kernel = _kernel(logarithm, element_type, form)
    sizes = (count,) if form == "rows" else (count, inner)
    work = COST[logarithm] * math.prod(shape)
    alone = tasks == 1 or work < threads.WORTHWHILE
    code = jit.entry(kernel, 0, tasks, *sizes, *[element_type.cell] * 3)

    def launch(*buffers: Any) -> None:
        out, g, y = [cells[offset:] if offset else cells for cells, offset in buffers]
        if alone or (team := min(threads.team_for(work), tasks)) == 1:
            code(0, tasks, *sizes, out, g, y)
        else:
            share(kernel, team, tasks, *sizes, out, g, y)

    return launch


@functools.cache
def _kernel(logarithm: bool, element_type: dtype, form: str) -> Callable:
    name = f"{'log_' if logarithm else ''}softmax_gradient"
    if form == "rows":
        constants = softmax_rows.constants(logarithm, element_type, element_type)
        text = assemble(
            f"{name} along rows", element_type, constants=constants, formulas=[exp_to_one], **BACKWARD
        )
        text += "\n\nkernel = backward\n"
    else:
        text = gradient_source(logarithm, element_type)
    return jit.quiet(jit.load(f"{name}_{form}_{element_type.name}", text).kernel)


def gradient_source(logarithm: bool, element_type: dtype) -> str:
    """The text of the kernel of columns, where the dimension is not the last: a module with ``kernel``.

    Args:
        logarithm: whether the results are those of log_softmax.
        element_type: of everything.
    """
    compute = dtypes.float64 if element_type is dtypes.float64 else dtypes.float32
    cells = Cells(element_type, element_type)
    kernel = (
        f"@njit({jit.KERNEL}, {OPTIONS})\n"
        "def kernel(first, last, n, inner, out, g, y):\n"
        "    # n: elements along the dimension; inner: how far apart they lie\n" + _COLUMNS
    )
    exponential = formula_text(exp_to_one, compute, f"@njit({OPTIONS}, forceinline=True, {jit.HELPER})")
    title = f"gradient of {'log_' if logarithm else ''}softmax of {element_type.name}, columns"
    loops = _loops(logarithm, cells, compute.name)
    parts = [header(title), jitted(cells.helpers()), exponential, loops, kernel]
    return "\n\n".join(part for part in parts if part)


def _loops(logarithm: bool, cells: Cells, kind: str) -> str:
    """The loops over a row of a strip: one adds up, the other writes."""
    g, y = (cells.load(f"{name}[cell + i]", kind) for name in "gy")
    term = g if logarithm else f"{g} * {y}"
    rest = f"np.{kind}(total[i])"
    value = f"{g} - np.{kind}(exp_to_one({y})) * {rest}" if logarithm else f"{y} * ({g} - {rest})"
    decorator = f"@njit({BLOCK_OPTIONS}, forceinline=True, {jit.HELPER})\n"
    return (
        f"{decorator}def row_sum(g, y, cell, n, total):\n"
        "    for i in range(n):\n"
        f"        total[i] += np.float64({term})\n\n\n"
        f"{decorator}def row_write(out, g, y, cell, n, total):\n"
        "    for i in range(n):\n"
        f"        out[cell + i] = {cells.store(f'np.{kind}({value})', True)}\n"
    )
