"""Kernels that read and write where index tensors say.

Every such kernel walks one shape. At each position it reads the index tensors, adds up the cells that they
lead to, and moves one element: out of there (``gather``) or into there (all other actions). The two innermost
dimensions are loops of their own. Operand 0 is the target, operand 1 the other, and each index is one more.

A kernel is generated for one action, one number of index tensors, and one of two forms. In the ``rows`` form
the index is the same along the innermost dimension, so that it is read once a row and the row is copied as a
run of cells. In the ``cells`` form it is read for every element. Where an index leads out of the tensor
nothing is gathered; who writes has looked at every index before.

Two positions may lead to one cell. Writes are then ordered: the one that comes later in row-major order wins,
and sums are added up in that order. Threads keep to it, whatever their number: a task is a position of one
dimension, whose positions lead to different cells.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.operands import Buffer
from tensorlab.backends.protocol import IndexLayout

# What it costs to move one element to or from where an index says, in additions of one float32.
COST = 4

ROWS, CELLS = "rows", "cells"

# Moving an element needs to know how wide its cell is, not what it means.
RAW = {width: np.dtype(f"u{width}") for width in (1, 2, 4, 8)}

# What is stored, of the cell `x` that the target holds and the cell `y` that comes. A NaN wins a comparison.
ACTIONS = {
    "gather": "y",
    "replace": "y",
    "add": "x + y",
    "mul": "x * y",
    "max": "y if y > x or y != y else x",
    "min": "y if y < x or y != y else x",
}


@functools.lru_cache(maxsize=1024)
def indexed(
    action: str,
    shape: tuple[int, ...],
    target: tuple[int, ...],
    other: tuple[int, ...],
    indices: tuple[IndexLayout, ...],
) -> Callable[..., bool]:
    """See `tensorlab.backends.protocol.Core.indexed`."""
    gathers = action == "gather"
    operands = [target, other, *[index.strides for index in indices]]
    contested = [size > 1 and stride == 0 and not gathers for size, stride in zip(shape, target, strict=True)]
    if gathers:
        sizes, strides = coalesce(shape, operands)
    else:
        # What is read should be read smoothly; where it goes is up to the index. Two dimensions that lead to
        # the same cells must be walked in their order.
        sizes, turned = coalesce(shape, [*operands[1:], target], keep_order=sum(contested) > 1)
        strides = [turned[-1], *turned[:-1]]
    if len(sizes) == 1:
        sizes, strides = (1, *sizes), [(0, *steps) for steps in strides]
    form = CELLS if any(steps[-1] for steps in strides[2:]) else ROWS
    walk = np.array([sizes, *strides], np.int64)
    bounds = np.array([(index.low, index.size, index.step) for index in indices], np.int64)
    module = jit.load(f"{action}_{len(indices)}_{form}", index_source(action, len(indices), form))
    kernel = jit.quiet(module.kernel)
    work = math.prod(sizes) * COST
    # Threads share the largest dimension that they may share; the outermost of equals.
    free = [dim for dim, step in enumerate(strides[0]) if gathers or step != 0]
    along = max(free, key=lambda dim: sizes[dim], default=0)
    tasks, most = sizes[along], sizes[along] if free else 1
    is_light = work < threads.WORTHWHILE or most == 1
    moves = ACTIONS[action] == "y"

    def launch(target: Buffer, other: Buffer, *indices: Buffer) -> bool:
        if moves:  # a cell's width is all that matters then
            target, other = raw(target), raw(other)
        buffers = [item for buffer in (target, other, *indices) for item in buffer]
        outside = np.zeros(1, np.bool_)
        if is_light or (team := min(threads.team_for(work), most)) == 1:
            kernel(0, tasks, along, walk, bounds, outside, *buffers)
        else:
            share(kernel, team, tasks, along, walk, bounds, outside, *buffers)
        return outside[0]

    return launch


def raw(buffer: Buffer) -> Buffer:
    """A buffer as unsigned integers of its cells' width."""
    cells, first = buffer
    return (cells if cells.dtype.kind == "u" else cells.view(RAW[cells.itemsize])), first


def index_source(action: str, indices: int, form: str) -> str:
    """The text of a module with ``kernel``.

    Args:
        action: a key of `ACTIONS`.
        indices: the number of index tensors.
        form: ``ROWS`` or ``CELLS``.

    Example:
        >>> text = index_source("add", 1, ROWS)
        >>> print(text[text.index("        for r in range"):])
                for r in range(height):
                    t = np.uint64(target_start) + r * target_row
                    o = np.uint64(other_start) + r * other_row
                    i0 = np.int64(index0[np.uint64(index0_start) + r * index0_row])
                    t += np.uint64((i0 + size0 if i0 < 0 else i0) * step0)
                    for j in range(width):
                        to, here = t + j * target_step, o + j * other_step
                        target[to] = stored(target[to], other[here])
        <BLANKLINE>
    """
    operands = ["target", "other", *[f"index{k}" for k in range(indices)]]
    parameters = ", ".join(f"{name}, {name}_first" for name in operands)
    gathers = action == "gather"  # the index leads to the cell that is read

    def each(template: str) -> str:
        return "".join(template.format(name=name, k=k) for k, name in enumerate(operands, 1))

    def read(indent: str, cell: str, led: str) -> str:
        look = f"{indent}if i{{k}} < low{{k}} or i{{k}} >= size{{k}}:\n" if gathers else ""
        look += f"{indent}    outside[0] = True\n{indent}    continue\n" if gathers else ""
        return "".join(
            f"{indent}i{k} = np.int64(index{k}[{cell.format(name=f'index{k}')}])\n"
            + look.format(k=k)
            + f"{indent}{led} += np.uint64((i{k} + size{k} if i{k} < 0 else i{k}) * step{k})\n"
            for k in range(indices)
        )

    column = "                to, here = t + j * target_step, o + j * other_step\n"
    cell = "np.uint64({name}_start) + r * {name}_row"
    if form == ROWS:
        row = read(" " * 12, cell, "o" if gathers else "t")
        row += "            for j in range(width):\n" + column
    else:
        row = "            for j in range(width):\n" + column
        row += read(" " * 16, f"{cell} + j * {{name}}_step", "here" if gathers else "to")
    store = "other[here]" if ACTIONS[action] == "y" else "stored(target[to], other[here])"
    kernel = (
        f"def kernel(first, last, along, walk, bounds, outside, {parameters}):\n"
        "    outer = walk.shape[1] - 2\n"
        "    sizes = walk[0].copy()\n"
        "    sizes[along] = last - first\n"
        "    height, width = np.uint64(sizes[outer]), np.uint64(sizes[outer + 1])\n"
        + each("    {name}_row, {name}_step = np.uint64(walk[{k}, outer]), np.uint64(walk[{k}, outer + 1])\n")
        + "".join(f"    low{k}, size{k}, step{k} = bounds[{k}]\n" for k in range(indices))
        + "    for block in range(sizes[:outer].prod()):\n"
        + each("        {name}_start = {name}_first + first * walk[{k}, along]\n")
        + "        for dim in range(outer - 1, -1, -1):\n"
        "            position = block % sizes[dim]\n"
        "            block //= sizes[dim]\n"
        + each("            {name}_start += position * walk[{k}, dim]\n")
        + "        for r in range(height):\n"
        "            t = np.uint64(target_start) + r * target_row\n"
        "            o = np.uint64(other_start) + r * other_row\n"
        f"{row}                target[to] = {store}\n"
    )
    return (
        f'"""Generated by tensorlab: {action} by {indices} index tensors, {form}."""\n'
        "import numpy as np\nfrom numba import njit\n\n"
        "from tensorlab.backends.cpu.jit import Part\n\n\n"
        f'@njit(error_model="numpy", {jit.HELPER})\ndef stored(x, y):\n    return {ACTIONS[action]}\n\n\n'
        f'@njit(error_model="numpy", {jit.KERNEL})\n{kernel}'
    )
