"""Kernels that read and write where index tensors say.

Every such kernel walks one shape. At each position it reads the index tensors, adds up the cells that they
lead to, and moves one element: out of there (``gather``) or into there (all other actions). The two innermost
dimensions are loops; `tensorlab.backends.cpu.walks` steps through the rest. Operand 0 is the target, operand
1 the other, and each index is one more.

A kernel is generated for one action, one number of index tensors, and one of two forms. In the ``rows`` form
the index is the same along the innermost dimension, so that it is read once a row and the row is copied as a
run of cells. In the ``cells`` form it is read for every element.

Two positions may lead to one cell. Writes are then ordered: the one that comes later in row-major order wins,
and sums are added up in that order. Threads keep to it, whatever their number, because the work is only split
along dimensions that lead to different cells.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.cpu.walks import cut, next_run
from tensorlab.backends.operands import Buffer, Launch
from tensorlab.backends.protocol import IndexLayout

__all__ = ["ACTIONS", "CELLS", "ROWS", "index_source", "indexed", "outside"]

# What it costs to move one element to or from where an index says, in additions of one float32.
COST = 4

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


@functools.lru_cache(maxsize=1024)
def indexed(
    action: str,
    shape: tuple[int, ...],
    target: tuple[int, ...],
    other: tuple[int, ...],
    indices: tuple[IndexLayout, ...],
) -> Launch:
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
    walk = np.array(strides, np.int64)
    bounds = np.array([(index.size, index.step) for index in indices], np.int64)
    module = jit.load(f"{action}_{len(indices)}_{form}", index_source(action, len(indices), form))
    kernel = jit.quiet(module.kernel)
    work = math.prod(sizes) * COST
    light = work < threads.WORTHWHILE
    # Threads share the largest dimension that they may share; the outermost of equals.
    free = [dim for dim, step in enumerate(strides[0]) if gathers or step != 0] or [0]
    along = max(free, key=lambda dim: sizes[dim])
    most = sizes[along] if gathers or strides[0][along] != 0 else 1

    whole, beginning = cut(sizes, walk, [0] * len(operands), along, 1)

    def launch(*buffers: Any) -> None:
        cells, offsets = zip(*buffers, strict=True)
        team = 1 if light else min(threads.team_for(work), most)
        if team == 1:
            states = beginning.copy()
            states[0, : len(offsets)] = offsets
            kernel(0, 1, whole, walk, states, bounds, *cells)
        else:
            shapes, states = cut(sizes, walk, offsets, along, team)
            share(kernel, team, team, shapes, walk, states, bounds, *cells)

    return launch


@functools.lru_cache(maxsize=1024)
def outside(shape: tuple[int, ...], strides: tuple[int, ...], low: int, high: int) -> Callable[[Buffer], int]:
    """See `tensorlab.backends.protocol.Core.outside`."""
    if 0 in shape:
        return lambda buffer: 0
    sizes, (steps,) = coalesce(shape, [strides])
    walk = np.array([sizes, steps, [0] * len(sizes)], np.int64)

    def count(buffer: Buffer) -> int:
        cells, start = buffer
        return _count_outside(walk.copy() if len(sizes) > 1 else walk, start, cells, low, high)

    return count


@jit.kernel()
def _count_outside(walk, start, cells, low, high):  # type: ignore[no-untyped-def]
    """How many cells are not in low … high - 1; the rows of `walk` are sizes, strides, and steps so far."""
    inner = walk.shape[1] - 1
    n, step, rows = np.uint64(walk[0, inner]), np.uint64(walk[1, inner]), 1
    for dim in range(inner):
        rows *= walk[0, dim]
    first, outside = start, 0
    for _ in range(rows):
        row = np.uint64(first)
        for j in range(n):
            i = np.int64(cells[row + j * step])
            outside += 1 if (i < low) | (i >= high) else 0
        for dim in range(inner - 1, -1, -1):
            walk[2, dim] += 1
            first += walk[1, dim]
            if walk[2, dim] < walk[0, dim]:
                break
            first -= walk[0, dim] * walk[1, dim]
            walk[2, dim] = 0
    return outside


def index_source(action: str, indices: int, form: str) -> str:
    """The text of a module with ``kernel``.

    Args:
        action: a key of `ACTIONS`.
        indices: the number of index tensors.
        form: ``ROWS`` or ``CELLS``.

    Example:
        >>> text = index_source("add", 1, ROWS)
        >>> print(text[text.index("            for r in range"):text.index("            more = next_run")])
                    for r in range(np.uint64(shapes[part, ndim - 2])):
                        t = np.uint64(states[part, 0]) + r * target_row
                        o = np.uint64(states[part, 1]) + r * other_row
                        i0 = np.int64(index0[np.uint64(states[part, 2]) + r * index0_row])
                        t += np.uint64((i0 + size0 if i0 < 0 else i0) * step0)
                        for j in range(width):
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
            "                INDENT{led} += np.uint64((i{k} + size{k} if i{k} < 0 else i{k}) * step{k})\n",
            led=led,
        )

    store = "other[here]" if ACTIONS[action] == "y" else "stored(target[to], other[here])"
    if form == ROWS:
        row = (
            read("np.uint64(states[part, {operand}]) + r * index{k}_row", "o", "t").replace("INDENT", "")
            + "                for j in range(width):\n"
            "                    to, here = t + j * target_step, o + j * other_step\n"
        )
    else:
        row = (
            each("                index{k}_cell = np.uint64(states[part, {operand}]) + r * index{k}_row\n")
            + "                for j in range(width):\n"
            "                    to, here = t + j * target_step, o + j * other_step\n"
            + read("index{k}_cell + j * index{k}_step", "here", "to").replace("INDENT", "    ")
        )
    kernel = (
        f"def kernel(first, last, shapes, strides, states, {arguments}):\n"
        "    ndim = shapes.shape[1]\n"
        "    target_row, target_step = np.uint64(strides[0, ndim - 2]), np.uint64(strides[0, ndim - 1])\n"
        "    other_row, other_step = np.uint64(strides[1, ndim - 2]), np.uint64(strides[1, ndim - 1])\n"
        + each("    index{k}_row = np.uint64(strides[{operand}, ndim - 2])\n")
        + each("    index{k}_step = np.uint64(strides[{operand}, ndim - 1])\n")
        + each("    size{k}, step{k} = bounds[{k}, 0], bounds[{k}, 1]\n")
        + "    for part in range(first, last):\n"
        "        more, width = True, np.uint64(shapes[part, ndim - 1])\n"
        "        while more:\n"
        "            for r in range(np.uint64(shapes[part, ndim - 2])):\n"
        "                t = np.uint64(states[part, 0]) + r * target_row\n"
        "                o = np.uint64(states[part, 1]) + r * other_row\n"
        f"{row}                    target[to] = {store}\n"
        "            more = next_run(shapes, strides, states, part, 2)\n"
    )
    helper = f'@njit(error_model="numpy", {jit.HELPER})\n'
    return (
        f'"""Generated by tensorlab: {action} by {indices} index tensors, {form}."""\n'
        "import numpy as np\nfrom numba import njit\n\n\n"
        f"{helper}{inspect.getsource(next_run)}\n\n"
        f"{helper}def stored(x, y):\n    return {ACTIONS[action]}\n\n\n"
        f'@njit(error_model="numpy", {jit.KERNEL})\n{kernel}'
    )
