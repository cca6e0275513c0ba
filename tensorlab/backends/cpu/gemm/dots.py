"""One sum over k for each element of the result: for one or two columns, where a row is too short."""

from __future__ import annotations

from tensorlab.backends.cpu.gemm.cell import Number, widen
from tensorlab.backends.cpu.gemm.finish import finish
from tensorlab.backends.cpu.pointers import advance

__all__ = ["dot", "dot_run", "dots"]

# Numbers that are summed up at a time: the sum of many is the sum of the sums of so many.
MANY = 2048


# fmt: off
def dots(
    m, n, k, a, a_row, a_step, b, b_step, b_col, packs_a, packs_b, collects, work,
    alpha, beta, adds_residual, out, o_row, o_col, source, s_row, s_col, residual, r_row, r_col,
):
    # fmt: on
    """See `forms` in `text.py`; any strides. Best where both steps along k are 1."""
    for i in range(m):
        for j in range(n):
            work[0] = dot(k, advance(a, i * a_row), a_step, advance(b, j * b_col), b_step)
            finish(
                1, 1, work, 1, alpha, beta, adds_residual,
                advance(out, i * o_row + j * o_col), 1, 1,
                advance(source, i * s_row + j * s_col), 1, 1,
                advance(residual, i * r_row + j * r_col), 1, 1,
            )  # fmt: skip


def dot(k, a, a_step, b, b_step):
    """The sum of the products of two rows of `k` numbers."""
    total = Number(0)
    for p in range(0, k, MANY):
        x, y = advance(a, p * a_step), advance(b, p * b_step)
        if a_step == 1 and b_step == 1:
            total = Number(total + dot_run(min(MANY, k - p), x, 1, y, 1))
        else:
            total = Number(total + dot_run(min(MANY, k - p), x, a_step, y, b_step))
    return total


def dot_run(count, x, x_step, y, y_step):
    """The sum of at most `MANY` products, in whatever order vectors like."""
    total = Number(0)
    for p in range(count):
        total = Number(total + widen(x[p * x_step]) * widen(y[p * y_step]))
    return total
