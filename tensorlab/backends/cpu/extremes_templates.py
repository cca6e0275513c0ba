"""The text of the kernels that find the greatest or the least element and where it first stands.

Along the elements of one result (``rows``) a block's extreme is found with vector instructions, and only the
block that has the extreme of all is searched for its place. Along neighbouring results (``columns``) extremes
and places are kept side by side. NaN is greater than the greatest and less than the least.
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu import jit
from tensorlab.backends.cpu.kernel_text import (
    BLOCK_OPTIONS,
    OPTIONS,
    Cells,
    header,
    jitted,
    numpy_name,
    positions,
)
from tensorlab.dtypes import dtype

__all__ = ["extremes_source"]

_LAYOUTS = (
    "    # walk: the results' shape, the strides of places, of out, and of x\n"
    "    # span: the shape of the elements of one result in their order, x's strides\n"
)


def extremes_source(greatest: bool, source: dtype, form: str, step: bool, values: bool) -> str:
    """The text of one kernel: a module with ``kernel``.

    Args:
        greatest: whether to look for the greatest element, or for the least.
        source: the dtype of the elements.
        form: ``"rows"`` or ``"columns"``.
        step: whether the cells along the innermost loop lie apart.
        values: whether the extremes themselves are wanted, beside their places.
    """
    text = _ExtremesText(greatest, source, step, values)
    title = f"{'greatest' if greatest else 'least'} of {source.name}, {form}"
    body = text.rows() if form == "rows" else text.columns()
    helpers = jitted(text.cells.helpers())
    return f"{header(title)}{helpers}\n\n{body}"


class _ExtremesText:
    """The parts of one kernel's text."""

    def __init__(self, greatest: bool, source: dtype, step: bool, values: bool) -> None:
        self.cells = Cells(source, source)
        self.floating = source.is_floating_point
        self.kind = numpy_name(source).replace("bool_", "uint8")
        self.beats, self.loses = (">", "<=") if greatest else ("<", ">=")
        self.step, self.values = step, values
        self.parameters = f"walk, span, parts, places, {'out, ' if values else ''}x"
        extreme = ("maximum" if greatest else "minimum") if self.floating else ("max" if greatest else "min")
        self.extreme = f"np.{self.kind}({extreme}(best, {self.load('x[cell + i{step}]')}))"
        if self.floating:
            self.start = "-np.inf" if greatest else "np.inf"
        else:
            info = np.iinfo(self.kind)
            self.start = str(info.min if greatest else info.max)

    def load(self, cell: str) -> str:
        return self.cells.load(cell, self.kind)

    def store(self, cell: str, value: str) -> str:
        return f"out[{cell}] = {self.cells.store(value, self.floating)}\n" if self.values else ""

    def rows(self) -> str:
        step = " * step" if self.step else ""
        element = self.load("x[at + i * step]")
        store = self.store("out_cell", "best")
        return (
            f"@njit({BLOCK_OPTIONS}, forceinline=True, {jit.HELPER})\n"
            "def block_extreme(x, cell, n, step):\n"
            f"    best = np.{self.kind}({self.start})\n"
            "    for i in range(n):\n"
            f"        best = {self.extreme.format(step=step)}\n"
            "    return best\n\n\n"
            f"@njit({jit.KERNEL}, {OPTIONS})\n"
            f"def kernel(first, last, {self.parameters}):\n{_LAYOUTS}"
            "    inner = span.shape[1] - 1\n"
            "    n, step = span[0, inner], span[1, inner]\n"
            "    blocks = (n + BLOCK - 1) // BLOCK\n"
            "    all_blocks = blocks * span[0, :inner].prod()\n"
            "    results = walk[0].prod()\n"
            "    for task in range(first, last):\n"
            "        rest, part = (task // parts, task % parts) if parts > 1 else (task, 0)\n"
            + positions(
                "walk",
                ("place_cell", "part * results", 1),
                ("out_cell", "part * results", 2),
                ("start", "0", 3),
            )
            + f"        best = np.{self.kind}(0)\n"
            "        at, place = -1, 0  # the first cell of the block that has the extreme, and its number\n"
            "        block, end = part * all_blocks // parts, (part + 1) * all_blocks // parts\n"
            "        while block < end:\n"
            "            run, begin = (block, 0) if blocks == 1 else (block // blocks, block % blocks)\n"
            + positions("span", ("cell", "start", 1), number="run", indent=12)
            + "            stop = min(blocks, begin + end - block)\n"
            "            for b in range(begin, stop):\n"
            "                i = b * BLOCK\n"
            "                length = np.uint64(min(BLOCK, n - i))\n"
            "                found = block_extreme(x, np.uint64(cell + i * step), length, np.uint64(step))\n"
            f"                if at < 0 or (best == best and (found {self.beats} best or found != found)):\n"
            "                    best, at, place = found, cell + i * step, run * n + i\n"
            "            block += stop - begin\n"
            "        i = 0\n"
            f"        element = {element}\n"
            "        while element != best and element == element:\n"
            "            i += 1\n"
            f"            element = {element}\n"
            "        places[place_cell] = place + i\n" + (f"        {store}" if store else "")
        )  # fmt: skip

    def columns(self) -> str:
        if self.step:
            row, cell = "np.uint64(start + i * row_step)", "x[row + j * step]"
            columns, convert = "range(np.uint64(w))", "    step = np.uint64(step)\n"
        else:
            row, cell = "x[start + i * row_step :][:w]", "row[j]"
            columns, convert = "range(w)", ""
        store = self.store("out_cell + j * out_step", "best[j]")
        return (
            f"@njit({OPTIONS}, forceinline=True, {jit.HELPER})\n"
            "def strip_extremes(x, start, step, row_step, n, w, best, place):\n"
            f"{convert}"
            "    i = 0\n"
            f"    row = {row}\n"
            f"    for j in {columns}:\n"
            f"        best[j] = {self.load(cell)}\n"
            "        place[j] = 0\n"
            "    for i in range(1, n):\n"
            f"        row = {row}\n"
            f"        for j in {columns}:\n"
            f"            element, known = {self.load(cell)}, best[j]\n"
            f"            better = not (element {self.loses} known) and known == known\n"
            "            best[j] = element if better else known\n"
            "            place[j] = i if better else place[j]\n\n\n"
            f"@njit({jit.KERNEL}, {OPTIONS})\n"
            f"def kernel(first, last, {self.parameters}):\n{_LAYOUTS}"
            "    # One task is one strip of results.\n"
            "    last_dim = walk.shape[1] - 1\n"
            "    width, place_step = walk[0, last_dim], walk[1, last_dim]\n"
            "    out_step, step = walk[2, last_dim], walk[3, last_dim]\n"
            "    strips = (width + WIDTH - 1) // WIDTH\n"
            f"    best, place = np.empty(WIDTH, np.{self.kind}), np.empty(WIDTH, np.int64)\n"
            "    for task in range(first, last):\n"
            "        rest, strip = (task // strips, task % strips) if strips > 1 else (task, 0)\n"
            "        w = min(WIDTH, width - strip * WIDTH)\n"
            + positions(
                "walk",
                ("place_cell", "strip * WIDTH * place_step", 1),
                ("out_cell", "strip * WIDTH * out_step", 2),
                ("start", "strip * WIDTH * step", 3),
                outer="last_dim",
            )
            + "        strip_extremes(x, start, step, span[1, 0], span[0, 0], w, best, place)\n"
            "        for j in range(w):\n"
            "            places[place_cell + j * place_step] = place[j]\n"
            + (f"            {store}" if store else "")
        )  # fmt: skip
