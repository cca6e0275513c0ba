"""The product of matrices by warpgroups: on Hopper, four warps multiply together (*wgmma*).

The tensor cores of these cards read both operands from shared memory by themselves, so that no warp has to
load pieces into registers: each warpgroup of a block multiplies 64 rows of `a` by all 128 columns of `b`.
Three panels of each operand lie in shared memory. While one is multiplied, the copies of the next two are on
their way.

In shared memory a panel has lines of 64 bytes (neighbours along k) or 128 bytes (neighbours across), as the
tensor cores want it. They read eight lines at a time, which would all begin in the same banks; so the 16
bytes at each address are swapped within their line by bits of the line's number: the *swizzle*.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlab.backends.cuda.intrinsics import (
    async_commit,
    async_copy,
    async_wait,
    share_with_tensor_cores,
    swizzle,
    warpgroup_bfloat16,
    warpgroup_float16,
    word,
)
from tensorlab.backends.cuda.products import specialised, start
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.backends.cuda.tensor_cores import put

__all__ = ["THREADS", "TILE", "of_type", "warpgroup_product"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# A block has two warpgroups, which compute TILE × TILE results, STEP along k at a time.
THREADS, TILE, STEP = 256, 128, 32
PANEL, PANELS, TOTALS = TILE * STEP, 3 * TILE * STEP, TILE // 2
# The pieces of 16 × 16 results that a warp has below and beside each other.
ROWS, COLUMNS = 1, TILE // 16
# Cells that are copied at a time, and how often each thread does to bring a panel.
VECTOR = 8
PASSES = PANEL // VECTOR // THREADS
A_ALONG_K, B_ALONG_K = True, False
multiply = warpgroup_bfloat16


def place(number, along_k):
    """Which cells of a panel the copy of a number brings: where they are outside, along k, and in it."""
    if along_k:
        outer, i = number // (STEP // VECTOR), number % (STEP // VECTOR) * VECTOR
        return outer, i, swizzle(outer * STEP + i, True)
    outer, i = number % (TILE // VECTOR) * VECTOR, number // (TILE // VECTOR)
    return outer, i, swizzle(outer // 64 * (64 * STEP) + i * 64 + outer % 64, False)


def bring(panels, panel, x, first, outer_step, k_step, top, outers, begin, k, along_k):
    """Start to copy a panel: from row (or column) `top` and from `begin` along k, zeros behind the ends."""
    number = word(cuda.threadIdx.x)
    for _ in range(PASSES):
        outer, i, cell = place(number, along_k)
        is_there = top + outer < outers and begin + i < k
        source = first + (top + outer) * outer_step + (begin + i) * k_step
        async_copy(panels, panel + cell, x, source if is_there else first, VECTOR if is_there else 0)
        number += THREADS


def warpgroup_product(
    m, n, k, alpha, beta, batch, out, out_first, out_batch, out_row, out_column,
    a, a_first, a_batch, a_row, a_column, b, b_first, b_batch, b_row, b_column,
    source, source_first, source_batch, source_row, source_column,
    residual, residual_first, residual_batch, residual_row, residual_column,
):  # fmt: skip
    """``out = finish(a @ b, ...)`` for a batch of matrices."""
    a_panels = cuda.shared.array(PANELS, np.uint16, alignment=1024)
    b_panels = cuda.shared.array(PANELS, np.uint16, alignment=1024)
    totals = cuda.local.array(TOTALS, np.float32)
    for i in range(TOTALS):
        totals[i] = 0
    a_first, b_first = start(a_first, a_batch, batch), start(b_first, b_batch, batch)
    top, left = cuda.blockIdx.y * TILE, cuda.blockIdx.x * TILE
    warp = word(cuda.threadIdx.x) // 32
    a_own = warp // 4 * (64 * STEP)  # the first cell of the warpgroup's rows

    for begin in range(0, 2 * STEP, STEP):
        bring(a_panels, begin * TILE, a, a_first, a_row, a_column, top, m, begin, k, A_ALONG_K)
        bring(b_panels, begin * TILE, b, b_first, b_column, b_row, left, n, begin, k, B_ALONG_K)
        async_commit()
    panel, free = word(0), word(2 * PANEL)
    done = word(0)
    while done < k:
        async_wait(1)
        share_with_tensor_cores()
        cuda.syncthreads()  # this panel is there, and nobody reads the one before any more
        begin = done + 2 * STEP
        if begin < k:
            bring(a_panels, free, a, a_first, a_row, a_column, top, m, begin, k, A_ALONG_K)
            bring(b_panels, free, b, b_first, b_column, b_row, left, n, begin, k, B_ALONG_K)
        async_commit()
        multiply(totals, a_panels, panel + a_own, A_ALONG_K, b_panels, panel, B_ALONG_K)
        free = panel
        panel = word(panel + PANEL if panel + PANEL < PANELS else 0)
        done = word(done + STEP)

    out_cell = start(out_first, out_batch, batch)
    source_cell = start(source_first, source_batch, batch)
    residual_cell = start(residual_first, residual_batch, batch)
    put(
        m, n, top + 16 * warp, left, totals, alpha, beta, out, out_cell, out_row, out_column,
        source, source_cell, source_row, source_column,
        residual, residual_cell, residual_row, residual_column,
    )  # fmt: skip


@functools.cache
def of_type(name: str, along_k: tuple[bool, bool], finish: Callable, widen: Callable) -> Callable[..., None]:
    """`warpgroup_product` for operands of a type that can be read 16 bytes at a time.

    Args:
        name: ``"bfloat16"`` or ``"float16"``.
        along_k: whether `a`, and `b`, have their neighbours along k.
        finish, widen: what makes a cell of a result, and a number of a cell.
    """
    names: dict[str, Any] = {"finish": finish, "widen": widen, "ROWS": ROWS, "COLUMNS": COLUMNS}
    names |= dict(zip(("A_ALONG_K", "B_ALONG_K"), along_k, strict=True))
    names["multiply"] = warpgroup_float16 if name == "float16" else warpgroup_bfloat16
    made = specialised(warpgroup_product, **names)
    vars(made)["bounds"] = THREADS, 2
    return made
