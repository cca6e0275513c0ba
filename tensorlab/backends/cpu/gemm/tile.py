"""The innermost level: four rows of the result, four steps of k.

A loop over one row of the result for one k loads two numbers and stores one for each multiply-add. Four
rows and four k at a time load eight and store four for sixteen, and the sixteen numbers of A stay in
registers. The loop over j has no dependence between its turns, so the compiler makes vector instructions of
it.

Offsets come as uint64: with signed ones the compiler adds a test for negative indices to every access, and
then makes no vectors (measured: four times slower).
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu.gemm.cell import Number, weight

__all__ = ["add_product", "four_rows", "one_row", "one_step"]


def add_product(m, n, k, alpha, c, c_at, c_row, a, a_at, a_row, a_step, b, b_at, b_step):
    """``C += alpha * (A @ B)``, where the rows of C and of B are runs of cells of the compute type.

    A is m × k with any strides, B is k × n, C is m × n. `_at` is an offset, `_row` the stride along m and
    `_step` the stride along k.
    """
    whole_m, whole_k = m - m % 4, k - k % 4
    for i in range(0, whole_m, 4):
        for p in range(0, whole_k, 4):
            x = a_at + i * a_row + p * a_step
            four_rows(
                n, c, c_at + i * c_row, c_row, b, b_at + p * b_step, b_step,
                weight(alpha, a[x]),
                weight(alpha, a[x + a_step]),
                weight(alpha, a[x + 2 * a_step]),
                weight(alpha, a[x + 3 * a_step]),
                weight(alpha, a[x + a_row]),
                weight(alpha, a[x + a_row + a_step]),
                weight(alpha, a[x + a_row + 2 * a_step]),
                weight(alpha, a[x + a_row + 3 * a_step]),
                weight(alpha, a[x + 2 * a_row]),
                weight(alpha, a[x + 2 * a_row + a_step]),
                weight(alpha, a[x + 2 * a_row + 2 * a_step]),
                weight(alpha, a[x + 2 * a_row + 3 * a_step]),
                weight(alpha, a[x + 3 * a_row]),
                weight(alpha, a[x + 3 * a_row + a_step]),
                weight(alpha, a[x + 3 * a_row + 2 * a_step]),
                weight(alpha, a[x + 3 * a_row + 3 * a_step]),
            )  # fmt: skip
    for i in range(whole_m, m):  # the last rows, one at a time
        for p in range(0, whole_k, 4):
            x = a_at + i * a_row + p * a_step
            one_row(
                n, c, c_at + i * c_row, b, b_at + p * b_step, b_step,
                weight(alpha, a[x]),
                weight(alpha, a[x + a_step]),
                weight(alpha, a[x + 2 * a_step]),
                weight(alpha, a[x + 3 * a_step]),
            )  # fmt: skip
    for i in range(m):  # the last steps of k
        for p in range(whole_k, k):
            one_step(
                n, c, c_at + i * c_row, b, b_at + p * b_step, weight(alpha, a[a_at + i * a_row + p * a_step])
            )


# fmt: off
def four_rows(
    n, c, c_at, c_row, b, b_at, b_step,
    a00, a01, a02, a03,
    a10, a11, a12, a13,
    a20, a21, a22, a23,
    a30, a31, a32, a33,
):
    # fmt: on
    """Add four rows of B, weighed with a 4 × 4 block of A, to four rows of C."""
    c0, c1, c2, c3 = (
        np.uint64(c_at),
        np.uint64(c_at + c_row),
        np.uint64(c_at + 2 * c_row),
        np.uint64(c_at + 3 * c_row),
    )
    b0, b1, b2, b3 = (
        np.uint64(b_at),
        np.uint64(b_at + b_step),
        np.uint64(b_at + 2 * b_step),
        np.uint64(b_at + 3 * b_step),
    )
    for j in range(np.uint64(n)):
        x0, x1, x2, x3 = b[b0 + j], b[b1 + j], b[b2 + j], b[b3 + j]
        c[c0 + j] += Number(a00 * x0 + a01 * x1 + a02 * x2 + a03 * x3)
        c[c1 + j] += Number(a10 * x0 + a11 * x1 + a12 * x2 + a13 * x3)
        c[c2 + j] += Number(a20 * x0 + a21 * x1 + a22 * x2 + a23 * x3)
        c[c3 + j] += Number(a30 * x0 + a31 * x1 + a32 * x2 + a33 * x3)


def one_row(n, c, c_at, b, b_at, b_step, a0, a1, a2, a3):
    """Add four weighed rows of B to one row of C."""
    c0 = np.uint64(c_at)
    b0, b1, b2, b3 = (
        np.uint64(b_at),
        np.uint64(b_at + b_step),
        np.uint64(b_at + 2 * b_step),
        np.uint64(b_at + 3 * b_step),
    )
    for j in range(np.uint64(n)):
        c[c0 + j] += Number(a0 * b[b0 + j] + a1 * b[b1 + j] + a2 * b[b2 + j] + a3 * b[b3 + j])


def one_step(n, c, c_at, b, b_at, a0):
    """Add one weighed row of B to one row of C."""
    c0, b0 = np.uint64(c_at), np.uint64(b_at)
    for j in range(np.uint64(n)):
        c[c0 + j] += Number(a0 * b[b0 + j])
