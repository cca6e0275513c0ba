"""Blocks copied: for operands that lie anyhow in memory, and for cells that are not of the compute type.

A block of B is copied, widened, its rows as runs. A block of the result collects there in the
compute type and is rounded once, when it is complete.
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu.gemm.blocks import COLUMNS, ROWS, STEPS
from tensorlab.backends.cpu.gemm.cell import Number, narrow, widen
from tensorlab.backends.cpu.gemm.tile import add_product

__all__ = ["pack", "packed"]


# fmt: off
def packed(
    m, n, k, alpha, beta,
    out, o_at, o_row, o_col,
    a, a_at, a_row, a_step,
    b, b_at, b_step, b_col,
    source, s_at, s_row, s_col,
):
    # fmt: on
    """See `forms` in `text.py`; any strides."""
    width = min(COLUMNS, n)
    block_c = np.empty(min(ROWS, m) * width, Number)
    block_b = np.empty(min(STEPS, k) * width, Number)
    for j in range(0, n, width):
        columns = min(width, n - j)
        for i in range(0, m, ROWS):
            rows = min(ROWS, m - i)
            for r in range(rows):
                for q in range(columns):
                    start = Number(0)
                    if beta != 0:
                        start = Number(beta * widen(source[s_at + (i + r) * s_row + (j + q) * s_col]))
                    block_c[r * width + q] = start
            for p in range(0, k, STEPS):
                steps = min(STEPS, k - p)
                pack(steps, columns, b, b_at + p * b_step + j * b_col, b_step, b_col, block_b, width)
                add_product(
                    rows, columns, steps, alpha,
                    block_c, 0, width,
                    a, a_at + i * a_row + p * a_step, a_row, a_step,
                    block_b, 0, width,
                )  # fmt: skip
            for r in range(rows):
                for q in range(columns):
                    out[o_at + (i + r) * o_row + (j + q) * o_col] = narrow(block_c[r * width + q])


def pack(steps, columns, b, b_at, b_step, b_col, block, width):
    """Copy a block of B, widened. Tiles of 16 × 16, so that both sides stay in the first-level cache."""
    for p0 in range(0, steps, 16):
        for j0 in range(0, columns, 16):
            for p in range(p0, min(p0 + 16, steps)):
                for j in range(j0, min(j0 + 16, columns)):
                    block[p * width + j] = widen(b[b_at + p * b_step + j * b_col])
