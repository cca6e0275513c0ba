"""The gradient of softmax and of log_softmax along one dimension: a sum, then a value for each element.

With results y and their gradients g, that of softmax is ``y * (g - sum(g * y))``, and that of log_softmax is
``g - exp(y) * sum(g)``. Both looks at a row happen while it is near. Where the dimension is not the last,
neighbouring rows are taken side by side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorlab import dtypes
from tensorlab.backends.cpu import jit, lines, threads
from tensorlab.backends.cpu.kernel_text import (
    BLOCK_OPTIONS,
    OPTIONS,
    WIDTH,
    Cells,
    header,
    jitted,
)
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.operands import Launch, no_launch
from tensorlab.dtypes import dtype
from tensorlab.integers import ceil_div
from tensorlab.scalars.exponential import exp_to_one
from tensorlab.scalars.source import formula_text

__all__ = ["gradient_source", "softmax_gradient"]

# Roughly how many additions one element is worth.
COST = {False: 3, True: 10}

# A row begins anywhere in a line of the caches, and a vector that is stored across two lines waits for both.
# Where a second-level cache does not keep the cells, the results before the first line are written by
# themselves. Sums begin with the row, so that they do not depend on where it lies.
_ROWS = """\
    for task in range(first, last):
        start, stop = task * n, task * n + n
        before = min(n, to_line(at(out, start))) if out.size > NEAR else 0
        total = 0.0
        for begin in range(start, stop, BLOCK):
            total += np.float64(block_sum(g, y, np.uint64(begin), np.uint64(min(BLOCK, stop - begin))))
        for begin, end in ((start, start + before), (start + before, stop)):
            row_write(out, g, y, np.uint64(begin), np.uint64(end - begin), total)
"""

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

_modules: dict[tuple, Any] = {}


def softmax_gradient(logarithm: bool, shape: Sequence[int], dim: int, element_type: dtype) -> Launch:
    """See `tensorlab.backends.protocol.Backend.softmax_gradient`."""
    if 0 in shape:
        return no_launch
    outer, count, inner = math.prod(shape[:dim]), shape[dim], math.prod(shape[dim + 1 :])
    form = "rows" if inner == 1 else "columns"
    tasks = outer * ceil_div(inner, WIDTH)
    key = (logarithm, element_type, form)
    if key not in _modules:
        stem = f"{'log_' if logarithm else ''}softmax_gradient_{form}_{element_type.name}"
        _modules[key] = jit.load(stem, gradient_source(logarithm, element_type, form))
    kernel = jit.quiet(_modules[key].kernel)
    work = COST[logarithm] * math.prod(shape)
    alone = tasks == 1 or work < threads.WORTHWHILE

    def launch(*buffers: Any) -> None:
        out, g, y = (cells[offset:] for cells, offset in buffers)
        if alone or (team := min(threads.team_for(work), tasks)) == 1:
            kernel(0, tasks, count, inner, out, g, y)
        else:
            share(kernel, team, tasks, count, inner, out, g, y)

    return launch


def gradient_source(logarithm: bool, element_type: dtype, form: str) -> str:
    """The text of one kernel: a module with ``kernel``.

    Args:
        logarithm: whether the results are those of log_softmax.
        element_type: of everything.
        form: ``"rows"``, or ``"columns"`` where the dimension is not the last.
    """
    compute = dtypes.float64 if element_type is dtypes.float64 else dtypes.float32
    cells = Cells(element_type, element_type)
    kernel = (
        f"@njit({jit.KERNEL}, {OPTIONS})\n"
        "def kernel(first, last, n, inner, out, g, y):\n"
        "    # n: elements along the dimension; inner: how far apart they lie\n"
        + (_ROWS if form == "rows" else _COLUMNS)
    )
    exponential = formula_text(exp_to_one, compute, f"@njit({OPTIONS}, forceinline=True, {jit.HELPER})")
    title = f"gradient of {'log_' if logarithm else ''}softmax of {element_type.name}, {form}"
    loops = _loops(logarithm, cells, compute.name, form)
    parts = [header(title), lines.IMPORT, jitted(cells.helpers()), exponential, loops, kernel]
    return "\n\n".join(part for part in parts if part)


def _loops(logarithm: bool, cells: Cells, kind: str, form: str) -> str:
    """The loops over a block of a row, or over a row of a strip: one adds up, the other writes."""
    total = "total" if form == "rows" else "total[i]"
    g, y = (cells.load(f"{name}[cell + i]", kind) for name in "gy")
    term = g if logarithm else f"{g} * {y}"
    rest = f"np.{kind}({total})"
    value = f"{g} - np.{kind}(exp_to_one({y})) * {rest}" if logarithm else f"{y} * ({g} - {rest})"
    decorator = f"@njit({BLOCK_OPTIONS}, forceinline=True, {jit.HELPER})\n"
    if form == "rows":
        add_up = (
            "def block_sum(g, y, cell, n):\n"
            f"    total = np.{kind}(0)\n"
            "    for i in range(n):\n"
            f"        total = np.{kind}(total + {term})\n"
            "    return total\n"
        )
    else:
        add_up = (
            "def row_sum(g, y, cell, n, total):\n"
            "    for i in range(n):\n"
            f"        total[i] += np.float64({term})\n"
        )
    write = (
        "def row_write(out, g, y, cell, n, total):\n"
        "    for i in range(n):\n"
        f"        out[cell + i] = {cells.store(f'np.{kind}({value})', True)}\n"
    )
    return f"{decorator}{add_up}\n\n{decorator}{write}"
