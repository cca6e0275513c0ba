"""Rung 1: the definition."""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu import jit


@jit.kernel()
def naive(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """Each element of the result, one after the other: a row of A times a column of B.

    The innermost loop walks down a column of B, so every step lands on another line of the cache.

    Args:
        a, b, out: of shapes (m, k), (k, n) and (m, n); see `tensorlab.gemm`.
    """
    m, k = a.shape
    n = b.shape[1]
    for i in range(m):
        for j in range(n):
            out[i, j] = 0
            for p in range(k):
                out[i, j] += a[i, p] * b[p, j]
