"""Rung 2: the same multiply-adds in another order."""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu import jit


@jit.kernel()
def reordered(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """Rows of B, weighted and added up: the innermost loop runs along rows of B and of the result.

    Neighbours come from memory together, and several of them fit one vector register.

    Args:
        a, b, out: of shapes (m, k), (k, n) and (m, n); see `tensorlab.gemm`.
    """
    m, k = a.shape
    for i in range(m):
        row = out[i]
        row[:] = 0
        for p in range(k):
            weight, b_row = a[i, p], b[p]
            for j in range(row.size):
                row[j] += weight * b_row[j]
