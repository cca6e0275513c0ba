"""One sum over k for each element of the result: for one or two columns, where a row is too short."""

from __future__ import annotations

from tensorlab.backends.cpu.gemm.cell import Number, numbers, widen
from tensorlab.backends.cpu.gemm.finish import finish_row
from tensorlab.backends.cpu.pointers import advance

# Numbers that are summed up at a time: the sum of many is the sum of the sums of so many.
MANY = 256

# Numbers of a row of A, and of a column of B, that are copied at a time where they are no runs. It is a
# multiple of `MANY`, so that sums do not depend on what is copied.
LONG = 2048


# fmt: off
def dots(
    m, n, k, a, a_row, a_step, b, b_step, b_col, packs_a, packs_b, collects, work,
    alpha, beta, adds_residual, out, o_row, o_col, source, s_row, s_col, residual, r_row, r_col,
):
    # fmt: on
    """See `forms` in `text.py`. Operands that are not packed have steps of 1 along k.

    The sums stand in the workspace, column by column: there a column of the result is finished like a row.
    """
    left = advance(work, m * n)
    right = advance(left, LONG)
    for p in range(0, max(k, 1), LONG):
        count = min(LONG, k - p)
        if packs_b:
            for j in range(n):
                copy_run(count, advance(b, p * b_step + j * b_col), b_step, advance(right, j * LONG))
        for i in range(m):
            x = advance(a, i * a_row + p * a_step)
            if packs_a:
                copy_run(count, x, a_step, left)
            for j in range(n):
                y = advance(b, p * b_step + j * b_col)
                work[j * m + i] = dot(
                    work[j * m + i] if p > 0 else Number(0), count,
                    left if packs_a else numbers(x, left), 1,
                    advance(right, j * LONG) if packs_b else numbers(y, right), 1,
                )  # fmt: skip
    for j in range(n):
        finish_row(
            m, advance(work, j * m), alpha, beta, adds_residual,
            advance(out, j * o_col), o_row,
            advance(source, j * s_col), s_row,
            advance(residual, j * r_col), r_row,
        )  # fmt: skip


def copy_run(count, source, step, to):
    """A run of numbers from cells that lie `step` apart."""
    for p in range(count):
        to[p] = widen(source[p * step])


def dot(total, k, a, a_step, b, b_step):
    """A number and the sum of the products of two rows of `k` numbers."""
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
        total = Number(total + x[p * x_step] * y[p * y_step])
    return total
