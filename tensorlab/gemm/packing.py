"""Rung 4: the block of B is copied before it is used."""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu import jit

STEPS = 64  # of k, as in rung 3
COLUMNS = 1024  # the copy is 256 KB of float32, which second-level caches hold


@jit.kernel()
def packed(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """The copy's rows are runs of cells, one after the other, whatever B's strides are.

    A transposed or sliced B costs one slow copy instead of a slow innermost loop. And the copy's rows do not
    compete for the same places of the cache, as rows that lie a power of two apart do.

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
            for i in range(m):
                row = out[i, j : j + columns]
                for q in range(steps):
                    weight, b_row = a[i, p + q], copy[q]
                    for r in range(row.size):
                        row[r] += weight * b_row[r]
