"""Rows of B, weighted and added up: for one or two rows of the result, where a tile would stand empty."""

from __future__ import annotations

from tensorlab.backends.cpu.gemm.cell import COLUMNS, Number, numbers, widen
from tensorlab.backends.cpu.gemm.finish import finish
from tensorlab.backends.cpu.pointers import advance


# fmt: off
def rows(
    m, n, k, a, a_row, a_step, b, b_step, b_col, packs_a, packs_b, collects, work,
    alpha, beta, adds_residual, out, o_row, o_col, source, s_row, s_col, residual, r_row, r_col,
):
    # fmt: on
    """See `forms` in `text.py`; any strides. Best where the rows of B are runs."""
    for i in range(m):
        for j in range(0, n, COLUMNS):
            columns = min(COLUMNS, n - j)
            c = work if collects else advance(numbers(out, work), i * o_row + j)
            for q in range(columns):
                c[q] = Number(0)
            weights, right = advance(a, i * a_row), advance(b, j * b_col)
            if b_col == 1:
                weighted_rows(columns, k, weights, a_step, right, b_step, 1, c)
            else:
                weighted_rows(columns, k, weights, a_step, right, b_step, b_col, c)
            if collects:
                finish(
                    1, columns, c, 0, alpha, beta, adds_residual,
                    advance(out, i * o_row + j * o_col), 0, o_col,
                    advance(source, i * s_row + j * s_col), 0, s_col,
                    advance(residual, i * r_row + j * r_col), 0, r_col,
                )  # fmt: skip


def weighted_rows(columns, k, a, a_step, b, b_step, b_col, c):
    """``c[j] += sum(a[p] * B[p, j])``: eight rows of B at a time, so that `c` is loaded once for eight.

    And their sum is small beside that of all: the fewer sums are added to `c`, the smaller the errors.
    """
    whole = k - k % 8
    for p in range(0, whole, 8):
        x, y = advance(a, p * a_step), advance(b, p * b_step)
        a0, a1, a2, a3 = widen(x[0]), widen(x[a_step]), widen(x[2 * a_step]), widen(x[3 * a_step])
        x, z = advance(x, 4 * a_step), advance(y, 4 * b_step)
        a4, a5, a6, a7 = widen(x[0]), widen(x[a_step]), widen(x[2 * a_step]), widen(x[3 * a_step])
        for j in range(columns):
            b0, b1 = widen(y[j * b_col]), widen(y[b_step + j * b_col])
            b2, b3 = widen(y[2 * b_step + j * b_col]), widen(y[3 * b_step + j * b_col])
            b4, b5 = widen(z[j * b_col]), widen(z[b_step + j * b_col])
            b6, b7 = widen(z[2 * b_step + j * b_col]), widen(z[3 * b_step + j * b_col])
            first = a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3
            c[j] = Number(c[j] + (first + (a4 * b4 + a5 * b5 + a6 * b6 + a7 * b7)))
    for p in range(whole, k):
        weighted_row(columns, widen(a[p * a_step]), advance(b, p * b_step), b_col, c)


def weighted_row(columns, weight, b, b_col, c):
    """``c[j] += weight * b[j]``."""
    for j in range(columns):
        c[j] = Number(c[j] + weight * widen(b[j * b_col]))
