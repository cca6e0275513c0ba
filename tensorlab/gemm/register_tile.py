"""Rung 5: sixteen numbers of A stay in registers, so that each number that is loaded is used four times."""

from __future__ import annotations

import numpy as np
from numba import njit

from tensorlab.backends.cpu import jit

STEPS = 128  # of k: with them the copy is 256 KB of float32, as in rungs 3 and 4
COLUMNS = 512  # eight rows of float32 are at work: 16 KB, half of a first-level cache


@jit.kernel(fastmath={"contract"})
def tiled(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """Four rows of the result by four steps of k; what is left over at the edges, row by row.

    One row and one step load two numbers and store one for one multiply-add. Four rows and four steps load
    eight and store four for sixteen.

    Args:
        a, b, out: of shapes (m, k), (k, n) and (m, n); see `tensorlab.gemm`.
    """
    m, k = a.shape
    n = b.shape[1]
    copy = np.empty((STEPS, COLUMNS), b.dtype)
    out[:] = 0
    for j in range(0, n, COLUMNS):
        for p in range(0, k, STEPS):
            columns, steps = min(COLUMNS, n - j), min(STEPS, k - p)
            copy[:steps, :columns] = b[p : p + steps, j : j + columns]
            whole_rows, whole_steps = m - m % 4, steps - steps % 4
            for i in range(0, whole_rows, 4):
                c0, c1 = out[i, j : j + columns], out[i + 1, j : j + columns]
                c2, c3 = out[i + 2, j : j + columns], out[i + 3, j : j + columns]
                for q in range(0, whole_steps, 4):
                    b0, b1, b2, b3 = copy[q], copy[q + 1], copy[q + 2], copy[q + 3]
                    _four_by_four(c0, c1, c2, c3, a[i : i + 4, p + q : p + q + 4], b0, b1, b2, b3)
            for i in range(m):  # the steps that are left of whole rows, and all steps of the rows that are
                row = out[i, j : j + columns]
                for q in range(whole_steps if i < whole_rows else 0, steps):
                    weight, b_row = a[i, p + q], copy[q]
                    for r in range(row.size):
                        row[r] += weight * b_row[r]


@njit(fastmath={"contract"}, error_model="numpy")
def _four_by_four(c0, c1, c2, c3, a, b0, b1, b2, b3):  # type: ignore[no-untyped-def]
    """Add four rows of B, weighted with a 4 × 4 block of A, to four rows of the result."""
    a00, a01, a02, a03 = a[0, 0], a[0, 1], a[0, 2], a[0, 3]
    a10, a11, a12, a13 = a[1, 0], a[1, 1], a[1, 2], a[1, 3]
    a20, a21, a22, a23 = a[2, 0], a[2, 1], a[2, 2], a[2, 3]
    a30, a31, a32, a33 = a[3, 0], a[3, 1], a[3, 2], a[3, 3]
    for j in range(c0.size):
        x0, x1, x2, x3 = b0[j], b1[j], b2[j], b3[j]
        c0[j] += a00 * x0 + a01 * x1 + a02 * x2 + a03 * x3
        c1[j] += a10 * x0 + a11 * x1 + a12 * x2 + a13 * x3
        c2[j] += a20 * x0 + a21 * x1 + a22 * x2 + a23 * x3
        c3[j] += a30 * x0 + a31 * x1 + a32 * x2 + a33 * x3
