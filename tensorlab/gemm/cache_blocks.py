"""Rung 3: a piece of B at a time, so that it is still in the cache when the next row of A needs it."""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu import jit

STEPS = 64  # of k
COLUMNS = 1024  # a block of B of float32 is 256 KB, which second-level caches hold


@jit.kernel()
def blocked(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """All rows of A meet one block of B before the next block is touched.

    Without blocks the whole of B passes by for each row of the result, and a large B comes from memory each
    time.

    Args:
        a, b, out: of shapes (m, k), (k, n) and (m, n); see `tensorlab.gemm`.
    """
    m, k = a.shape
    n = b.shape[1]
    out[:] = 0
    for j in range(0, n, COLUMNS):
        for p in range(0, k, STEPS):
            for i in range(m):
                row = out[i, j : j + COLUMNS]
                for q in range(p, min(p + STEPS, k)):
                    weight, b_row = a[i, q], b[q, j : j + COLUMNS]
                    for r in range(row.size):
                        row[r] += weight * b_row[r]
