"""The end of a product: what happens to the sums on their way into the result.

``out = activate(alpha * sums + beta * source) + residual``, element by element, while the sums are still in
the first-level cache. What is not wanted costs one test for a row: `beta` is 0, or `adds_residual` False.
"""

from __future__ import annotations

from tensorlab.backends.cpu.gemm.cell import Number, activate, narrow, widen
from tensorlab.backends.cpu.pointers import advance


# fmt: off
def finish(
    rows, columns, sums, sums_row, alpha, beta, adds_residual,
    out, o_row, o_col, source, s_row, s_col, residual, r_row, r_col,
):
    # fmt: on
    """The end of `rows` × `columns` elements."""
    for i in range(rows):
        finish_row(
            columns, advance(sums, i * sums_row), alpha, beta, adds_residual,
            advance(out, i * o_row), o_col,
            advance(source, i * s_row), s_col,
            advance(residual, i * r_row), r_col,
        )  # fmt: skip


def finish_row(columns, sums, alpha, beta, adds_residual, out, o_col, source, s_col, residual, r_col):
    """One row."""
    if beta == 0 and not adds_residual:
        for j in range(columns):
            out[j * o_col] = narrow(activate(Number(alpha * sums[j])))
    elif not adds_residual:
        for j in range(columns):
            total = Number(alpha * sums[j] + beta * widen(source[j * s_col]))
            out[j * o_col] = narrow(activate(total))
    else:
        for j in range(columns):
            total = Number(alpha * sums[j])
            if beta != 0:
                total = Number(total + beta * widen(source[j * s_col]))
            out[j * o_col] = narrow(Number(activate(total) + widen(residual[j * r_col])))
