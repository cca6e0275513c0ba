"""Nothing copied: the rows of B and of the result are runs of cells of the compute type.

The loops over blocks keep a piece of B in the second-level cache while every row of the result passes by.
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu.gemm.blocks import COLUMNS, STEPS
from tensorlab.backends.cpu.gemm.cell import Number
from tensorlab.backends.cpu.gemm.tile import add_product

__all__ = ["direct"]


# fmt: off
def direct(
    m, n, k, alpha, beta,
    out, o_at, o_row, o_col,
    a, a_at, a_row, a_step,
    b, b_at, b_step, b_col,
    source, s_at, s_row, s_col,
):
    # fmt: on
    """See `forms` in `text.py`; needs ``o_col == b_col == 1``."""
    for i in range(m):
        row = np.uint64(o_at + i * o_row)
        if beta == 0:
            for j in range(np.uint64(n)):
                out[row + j] = Number(0)
        else:
            for j in range(n):
                out[row + np.uint64(j)] = Number(beta * source[s_at + i * s_row + j * s_col])
    for j in range(0, n, COLUMNS):
        for p in range(0, k, STEPS):
            add_product(
                m, min(COLUMNS, n - j), min(STEPS, k - p), alpha,
                out, o_at + j, o_row,
                a, a_at + p * a_step, a_row, a_step,
                b, b_at + p * b_step + j, b_step,
            )  # fmt: skip
