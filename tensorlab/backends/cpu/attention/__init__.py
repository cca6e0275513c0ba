"""Attention on tiles of the matrix product, forward and backward, in memory that does not grow with the keys.

``forward``    a strip of scores at a time, with a softmax that is corrected as greater scores come along
``backward``   the same strips once more, and the five products that the gradients are made of
"""

from __future__ import annotations

import inspect
import math
from types import ModuleType
from typing import Any

import numpy as np

from tensorlab.backends.cpu import jit, run_loops, threads
from tensorlab.backends.cpu.attention import backward, forward
from tensorlab.backends.cpu.gemm.blocks import blocks
from tensorlab.backends.cpu.gemm.text import OPTIONS, TILES, header, level_text
from tensorlab.backends.cpu.gemm.tiles import balanced
from tensorlab.backends.cpu.levels import BLOCK_LEVEL, FORMULA_LEVEL, compute_name
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.layers import AttentionLayout
from tensorlab.backends.operands import Buffer, Launch
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div, round_down, round_up
from tensorlab.scalars.exponential import exp_to_one
from tensorlab.scalars.source import formula_text

__all__ = ["attention", "attention_gradient"]

LINE = 64  # bytes of a cache's line; so many numbers are whole lines of every type

# Numbers of weighted values that a task collects, at most: they stay in the second-level cache.
COLLECTED = 32768

# Numbers of a block of keys, at most, and of a block of values beside it.
BLOCK = 65536

# Numbers of a block of queries, at most: the way back keeps four copies of it.
COPIED = 16384

# The tiles' multiply-adds that take as long as one addition of `threads.team_for`.
MULTIPLY_ADDS = 16

# The sums over the length of a query are short: each is made in one run.
RUN, SHORT = 256, 513

_NO_MASK = np.zeros(1, np.uint8)


def attention(element_type: dtype, layout: AttentionLayout, scale: float) -> Launch:
    """See `tensorlab.backends.layers.LayerOperations.attention`."""
    heads, queries, width = math.prod(layout.batch), layout.queries, layout.width
    number = np.dtype(compute_name(element_type))
    tile = blocks(number.itemsize)
    work = heads * queries * max(layout.keys, 1) * (layout.length + width) // MULTIPLY_ADDS
    most = round_down(min(forward.KEYS, BLOCK // max(layout.length, width, 1)), tile.width)
    most = max(most, tile.width)
    block = int(balanced(layout.keys, most, tile.width))
    kernel = jit.quiet(_module(element_type, "forward", layout.mask, layout.causal).tasks)
    batch, sizes = _batch(layout), _sizes(layout)
    collected = max(tile.rows, round_down(COLLECTED // max(width, 1), tile.rows))
    space = block * (layout.length + round_up(width, tile.lanes)) + tile.rows * (
        layout.length + block + tile.lanes
    )

    def launch(
        q: Buffer, k: Buffer, v: Buffer, mask: Buffer | None, out: Buffer, sums_of: np.ndarray
    ) -> None:
        team = threads.team_for(work)
        high = min(collected, round_up(queries, tile.rows))
        if team > 1:  # some tasks for each thread
            high = min(high, round_up(ceil_div(queries, ceil_div(4 * team, heads)), tile.rows))
        tasks = heads * ceil_div(queries, high)
        arguments = (batch, sizes, queries, high, most, scale, *_cells(q, k, v, mask), out[0], sums_of)
        team = min(team, tasks)
        work_of = _work(team, space + high * (width + 2), number)
        share(kernel, team, tasks, *arguments, work_of, workspaces=True)

    return launch


def attention_gradient(element_type: dtype, layout: AttentionLayout, scale: float) -> Launch:
    """See `tensorlab.backends.layers.LayerOperations.attention_gradient`."""
    heads, queries, keys = math.prod(layout.batch), layout.queries, layout.keys
    length, width = layout.length, layout.width
    number = np.dtype(compute_name(element_type))
    tile = blocks(number.itemsize)
    most = round_down(COPIED // max(length, width, 1), tile.width)
    most = min(max(most, tile.width), round_down(backward.QUERIES, tile.width))
    block = int(balanced(queries, most, tile.width))
    long, wide = round_up(length, tile.lanes), round_up(width, tile.lanes)
    space = (
        block * (length + width + long + wide)
        + backward.KEYS * long
        + tile.rows * (length + width + 2 * (block + tile.lanes))
        + block * (backward.KEYS + tile.lanes + 1)
    )
    work = 3 * heads * queries * max(keys, 1) * (length + width) // MULTIPLY_ADDS
    kernel = jit.quiet(_module(element_type, "backward", layout.mask, layout.causal).tasks)
    batch, sizes = _batch(layout), _sizes(layout)

    def launch(
        q: Buffer,
        k: Buffer,
        v: Buffer,
        mask: Buffer | None,
        out: Buffer,
        grad: Buffer,
        sums_of: np.ndarray,
        *found: np.ndarray,
    ) -> None:
        for each in found:
            each[:] = 0
        operands = _cells(q, k, v, mask, out, grad)
        arguments = (batch, sizes, queries, most, scale, *operands, sums_of, *found)
        team = min(threads.team_for(work), heads)
        share(kernel, team, heads, *arguments, _work(team, space, number), workspaces=True)

    return launch


def _work(team: int, space: int, number: np.dtype) -> np.ndarray:
    """So many numbers of workspace for each thread."""
    return np.empty((team, round_up(space, LINE)), number)


def _cells(*buffers: Buffer | None) -> list[np.ndarray]:
    """The cells of each operand from its first element on. Pointers know no bools: they are bytes."""
    found = [_NO_MASK if buffer is None else buffer[0][buffer[1] :] for buffer in buffers]
    return [cells.view(np.uint8) if cells.dtype == np.bool_ else cells for cells in found]


def _batch(layout: AttentionLayout) -> np.ndarray:
    """The sizes of the batch dimensions, at least one, and each operand's strides there."""
    rows = [layout.batch, *(strides[:-2] for strides in layout.strides)]
    return np.array([row or (1,) for row in rows] if not layout.batch else rows, np.int64)


def _sizes(layout: AttentionLayout) -> np.ndarray:
    steps = [step for strides in layout.strides for step in strides[-2:]]
    return np.array([layout.keys, layout.length, layout.width, *steps], np.int64)


# For each way: loops in which sums may be regrouped; the levels around them; the kernel.
_LEVELS: dict[str, tuple[list[Any], list[Any], Any]] = {
    "forward": (
        [forward.scale_run, run_loops.zero_run, forward.mask_run, forward.greatest_of, forward.exp_run,
         forward.write_run],
        [forward.softmax_strip, forward.attend],
        forward.tasks,
    ),
    "backward": (
        [run_loops.zero_run, backward.product_of, backward.score_gradient],
        [backward.transpose_strip, backward.attend_backward],
        backward.tasks,
    ),
}  # fmt: skip
_modules: dict[tuple, ModuleType] = {}


def _module(element_type: dtype, way: str, mask: int, causal: bool) -> ModuleType:
    """The kernels of one dtype and kind of mask."""
    key = element_type, way, mask, causal
    found = _modules.get(key)
    if found is None:
        compute = dtypes.by_name(compute_name(element_type))
        loops, levels, entry = _LEVELS[way]
        parts = [
            header(f"attention, {way},", element_type, RUN, SHORT),
            "from tensorlab.backends.cpu.intrinsics import maximum\n\n"
            f"MASK, CAUSAL = {mask}, {causal}\n"
            f"KEYS = {backward.KEYS}\n",
            formula_text(exp_to_one, compute, f"@njit({FORMULA_LEVEL})"),
            *map(level_text, TILES),
            *[f"@njit({BLOCK_LEVEL})\n{inspect.getsource(level)}" for level in loops],
            *map(level_text, levels[:-1]),
            level_text(levels[-1], inlined=True),
            f"@njit({OPTIONS}, {jit.KERNEL})\n{inspect.getsource(entry)}",
        ]
        name = f"attention_{way}_{element_type.name}" + "_causal" * causal
        found = _modules[key] = jit.load(name, "\n\n".join(parts))
    return found
