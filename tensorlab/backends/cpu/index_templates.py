"""The text of the kernels that read and write where an index says.

Every such kernel walks one shape. At each position it reads the index tensors, adds up the cells that they
lead to, and moves one element: out of there (``gather``) or into there (all other actions). The two innermost
dimensions are loops; `tensorlab.backends.cpu.walks` steps through the rest. Operand 0 is the target, operand
1 the other, and each index is one more.

A kernel is generated for one action, one number of index tensors, and one of two forms. In the ``rows`` form
the index is the same along the innermost dimension, so that it is read once a row and the row is copied as a
run of cells. In the ``cells`` form it is read for every element.
"""

from __future__ import annotations

from tensorlab.backends.cpu import jit
from tensorlab.backends.cpu.walks import source

__all__ = ["ACTIONS", "CELLS", "ROWS", "index_source"]

ROWS, CELLS = "rows", "cells"

# What is stored, of the cell `x` that the target holds and the cell `y` that comes. A NaN wins a comparison.
ACTIONS = {
    "gather": "y",
    "replace": "y",
    "add": "x + y",
    "mul": "x * y",
    "max": "y if y > x or y != y else x",
    "min": "y if y < x or y != y else x",
}


def index_source(action: str, indices: int, form: str) -> str:
    """The text of a module with ``kernel``.

    Args:
        action: a key of `ACTIONS`.
        indices: the number of index tensors.
        form: ``ROWS`` or ``CELLS``.

    Example:
        >>> text = index_source("add", 1, ROWS)
        >>> print(text[text.index("            for r in range"):text.index("            more = next_run")])
                    for r in range(shapes[part, ndim - 2]):
                        t, o = states[part, 0] + r * target_row, states[part, 1] + r * other_row
                        i0 = np.int64(index0[states[part, 2] + r * index0_row])
                        t += (i0 + size0 if i0 < 0 else i0) * step0
                        for j in range(shapes[part, ndim - 1]):
                            to, here = t + j * target_step, o + j * other_step
                            target[to] = stored(target[to], other[here])
        <BLANKLINE>
    """
    arguments = ", ".join(["bounds", "target", "other", *[f"index{k}" for k in range(indices)]])

    def each(template: str, **names: str) -> str:
        return "".join(template.format(k=k, operand=2 + k, **names) for k in range(indices))

    def read(cell: str, leads_from: str, leads_to: str) -> str:
        led = leads_from if action == "gather" else leads_to  # which of the two cells the index leads to
        return each(
            f"                INDENTi{{k}} = np.int64(index{{k}}[{cell}])\n"
            "                INDENT{led} += (i{k} + size{k} if i{k} < 0 else i{k}) * step{k}\n",
            led=led,
        )

    store = "other[here]" if ACTIONS[action] == "y" else "stored(target[to], other[here])"
    if form == ROWS:
        row = (
            read("states[part, {operand}] + r * index{k}_row", "o", "t").replace("INDENT", "")
            + "                for j in range(shapes[part, ndim - 1]):\n"
            "                    to, here = t + j * target_step, o + j * other_step\n"
        )
    else:
        row = (
            each("                index{k}_cell = states[part, {operand}] + r * index{k}_row\n")
            + "                for j in range(shapes[part, ndim - 1]):\n"
            "                    to, here = t + j * target_step, o + j * other_step\n"
            + read("index{k}_cell + j * index{k}_step", "here", "to").replace("INDENT", "    ")
        )
    kernel = (
        f"def kernel(first, last, shapes, strides, states, {arguments}):\n"
        "    ndim = shapes.shape[1]\n"
        "    target_row, target_step = strides[0, ndim - 2], strides[0, ndim - 1]\n"
        "    other_row, other_step = strides[1, ndim - 2], strides[1, ndim - 1]\n"
        + each("    index{k}_row = strides[{operand}, ndim - 2]\n")
        + each("    index{k}_step = strides[{operand}, ndim - 1]\n")
        + each("    size{k}, step{k} = bounds[{k}, 0], bounds[{k}, 1]\n")
        + "    for part in range(first, last):\n"
        "        more = True\n"
        "        while more:\n"
        "            for r in range(shapes[part, ndim - 2]):\n"
        "                t, o = states[part, 0] + r * target_row, states[part, 1] + r * other_row\n"
        f"{row}                    target[to] = {store}\n"
        "            more = next_run(shapes, strides, states, part, 2)\n"
    )
    stored = f"@njit(error_model='numpy', {jit.HELPER})\ndef stored(x, y):\n    return {ACTIONS[action]}\n"
    return source(f"{action} by {indices} index tensors, {form}", kernel, stored)
