"""The end of a product: what happens to the sums on their way into the result.

``out = activate(alpha * sums + beta * source) + residual``, element by element, while the sums are still in
the first-level cache. What is not wanted costs one test for a row: `beta` is 0, or `adds_residual` False.
"""

from __future__ import annotations

from tensorlab.backends.cpu.gemm.cell import Number, activate, narrow, widen
from tensorlab.backends.cpu.pointers import advance

__all__ = ["finish", "finish_row"]


# fmt: off
def finish(
    rows, columns, sums, sums_row, alpha, beta, adds_residual,
    out, o_row, o_col, source, s_row, s_col, residual, r_row, r_col,
):
    # fmt: on
    """The end of `rows` × `columns` elements. Operands that are runs get a loop that becomes vector code."""
    runs = o_col == 1 and (beta == 0 or s_col == 1) and (r_col == 1 or not adds_residual)
    for i in range(rows):
        c, o = advance(sums, i * sums_row), advance(out, i * o_row)
        s, r = advance(source, i * s_row), advance(residual, i * r_row)
        if runs:
            finish_row(columns, c, alpha, beta, adds_residual, o, 1, s, 1, r, 1)
        else:
            finish_row(columns, c, alpha, beta, adds_residual, o, o_col, s, s_col, r, r_col)


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
