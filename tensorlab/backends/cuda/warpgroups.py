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

from tensorlab.backends.cuda.constants import specialised
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
from tensorlab.backends.cuda.products import start
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.backends.cuda.tensor_cores import put

__all__ = ["THREADS", "TILE", "of_type", "warpgroup_product"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# A block has two warpgroups, which compute TILE × TILE results, STEP along k at a time.
THREADS, TILE, STEP = 256, 128, 32
PANEL, PANELS, TOTALS = TILE * STEP, 3 * TILE * STEP, TILE // 2
# The pieces of 16 × 16 results that a warp has below and beside each other.
ROWS, COLUMNS = 1, TILE // 16
# Cells that are copied at a time. A thread copies twice for a panel: so many rows, or steps along k, behind.
VECTOR = 8
ROWS_BEHIND, STEPS_BEHIND = THREADS // (STEP // VECTOR), THREADS // (TILE // VECTOR)
A_ALONG_K, B_ALONG_K = True, False
multiply = warpgroup_bfloat16


def place(along_k):
    """What a thread brings of a panel: which row (or column), which along k, and into which cell."""
    me = word(cuda.threadIdx.x)
    if along_k:
        outer, i = me // (STEP // VECTOR), me % (STEP // VECTOR) * VECTOR
        return outer, i, swizzle(outer * STEP + i, True)
    outer, i = me % (TILE // VECTOR) * VECTOR, me // (TILE // VECTOR)
    return outer, i, swizzle(outer // 64 * (64 * STEP) + i * 64 + outer % 64, False)


def ends(outer_left, k_left, along_k):
    """How far along k there is something to copy, the first time and the second."""
    first = k_left if outer_left > 0 else 0
    if along_k:
        return word(first), word(k_left if outer_left > ROWS_BEHIND else 0)
    return word(first), word(first - STEPS_BEHIND)


def bring(panels, cell, x, source, behind, begin, ends, along_k):
    """Start to copy a panel from `begin` along k, zeros behind the ends."""
    async_copy(panels, cell, x, source, VECTOR if begin < ends[0] else 0)
    cell += ROWS_BEHIND * STEP if along_k else STEPS_BEHIND * 64
    async_copy(panels, cell, x, source + behind, VECTOR if begin < ends[1] else 0)


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
    top, left = cuda.blockIdx.y * TILE, cuda.blockIdx.x * TILE
    warp = word(cuda.threadIdx.x) // 32
    a_own = warp // 4 * (64 * STEP)  # the first cell of the warpgroup's rows

    a_outer, a_i, a_cell = place(A_ALONG_K)
    b_outer, b_i, b_cell = place(B_ALONG_K)
    a_k = word(1) if A_ALONG_K else a_column
    b_k = word(1) if B_ALONG_K else b_row
    a_source = start(a_first, a_batch, batch) + (top + a_outer) * a_row + a_i * a_k
    b_source = start(b_first, b_batch, batch) + (left + b_outer) * b_column + b_i * b_k
    a_behind = ROWS_BEHIND * a_row if A_ALONG_K else STEPS_BEHIND * a_k
    b_behind = ROWS_BEHIND * b_column if B_ALONG_K else STEPS_BEHIND * b_k
    a_ends = ends(m - top - a_outer, k - a_i, A_ALONG_K)
    b_ends = ends(n - left - b_outer, k - b_i, B_ALONG_K)

    begin = word(0)
    for _ in range(2):
        bring(a_panels, begin * TILE + a_cell, a, a_source, a_behind, begin, a_ends, A_ALONG_K)
        bring(b_panels, begin * TILE + b_cell, b, b_source, b_behind, begin, b_ends, B_ALONG_K)
        async_commit()
        begin = word(begin + STEP)
        a_source += STEP * a_k
        b_source += STEP * b_k
    panel, free = word(0), word(2 * PANEL)
    end = word(k + 2 * STEP)
    while begin < end:
        async_wait(1)
        share_with_tensor_cores()
        cuda.syncthreads()  # this panel is there, and nobody reads the one before any more
        bring(a_panels, free + a_cell, a, a_source, a_behind, begin, a_ends, A_ALONG_K)
        bring(b_panels, free + b_cell, b, b_source, b_behind, begin, b_ends, B_ALONG_K)
        async_commit()
        multiply(totals, a_panels, panel + a_own, A_ALONG_K, b_panels, panel, B_ALONG_K)
        free = panel
        panel = word(panel + PANEL if panel + PANEL < PANELS else 0)
        begin = word(begin + STEP)
        a_source += STEP * a_k
        b_source += STEP * b_k

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
