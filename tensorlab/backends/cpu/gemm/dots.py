"""One sum over k for each element of the result: for one or two columns, where a row is too short."""

from __future__ import annotations

from tensorlab.backends.cpu.gemm.cell import Number, narrow, widen

__all__ = ["dot", "dots"]


# fmt: off
def dots(
    m, n, k, alpha, beta,
    out, o_at, o_row, o_col,
    a, a_at, a_row, a_step,
    b, b_at, b_step, b_col,
    source, s_at, s_row, s_col,
):
    # fmt: on
    """See `forms` in `text.py`; any strides. Best where both steps along k are 1."""
    for i in range(m):
        for j in range(n):
            total = Number(alpha * dot(k, a, a_at + i * a_row, a_step, b, b_at + j * b_col, b_step))
            if beta != 0:
                total = Number(total + beta * widen(source[s_at + i * s_row + j * s_col]))
            out[o_at + i * o_row + j * o_col] = narrow(total)


def dot(k, a, a_at, a_step, b, b_at, b_step):
    """The sum of the products of two rows of `k` numbers."""
    total = Number(0)
    if a_step == 1 and b_step == 1:
        x, y = a[a_at : a_at + k], b[b_at : b_at + k]
        for p in range(k):
            total = Number(total + widen(x[p]) * widen(y[p]))
    else:
        for p in range(k):
            total = Number(total + widen(a[a_at + p * a_step]) * widen(b[b_at + p * b_step]))
    return total
