"""Split-K: a product of few elements and long sums, as a batch of shorter ones whose results are added up.

Threads share a product by its rows and columns. A dot product has one of each, so they share its sum: k is
divided into pieces of one length, each a product of its own. How many there are follows from the sizes and
never from the threads, so the result is the same for any number of them.
"""

from __future__ import annotations

from tensorlab.backends.cpu import jit

# A piece is worth a thread's while from so many steps of k; more pieces than this occupy no more threads.
STEPS = 1 << 15
MOST = 32

# The results of all pieces, in cells at most: half of what an operation may need beside its result.
CELLS = 1 << 16


def pieces_of(m: int, n: int, k: int) -> int:
    """How many pieces a sum of `k` products is divided into; 1 if it stays whole.

    Example:
        >>> pieces_of(1, 1, 10_000_000), pieces_of(64, 64, 500_000), pieces_of(1000, 1000, 500_000)
        (32, 15, 1)
    """
    return max(1, min(MOST, k // STEPS, CELLS // (m * n)))


@jit.kernel()
def add_pieces(results, count, out, m, n, row, column):
    """The sums of `count` results of m rows and n columns, gathered in float64."""
    for i in range(m):
        for j in range(n):
            total = 0.0
            for piece in range(count):
                total += results[(piece * m + i) * n + j]
            out[i * row + j * column] = total
