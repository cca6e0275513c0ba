"""The outermost level: which piece of which product, task by task.

A task is a strip of rows and columns of one product of the batch. Tasks write apart from one another, so they
may run at the same time. No task divides k: so every element is summed up in the same order, however many
threads there are.
"""

from __future__ import annotations

from tensorlab.backends.cpu.gemm.cell import ROWS, Number, numbers
from tensorlab.backends.cpu.gemm.rows import rows as form
from tensorlab.backends.cpu.gemm.tile import strip
from tensorlab.backends.cpu.pointers import advance, at


# fmt: off
def kernel(
    first, last, strip_m, strip_n, packs_a, packs_b, collects, alpha, beta, adds_residual,
    walk, out, a, b, source, residual, work,
):
    # fmt: on
    """Tasks `first` … `last` - 1.

    ``walk[0]`` holds the sizes (batch …, m, n, k); ``walk[1]`` … ``walk[5]`` the strides of the result, A, B,
    source and residual in the same order, 0 where an operand does not depend on an index. ``work`` is the
    workspace of one thread.
    """
    dims = walk.shape[1] - 3
    m, n, k = walk[0, dims], walk[0, dims + 1], walk[0, dims + 2] if alpha != 0 else 0
    strips_m, strips_n = (m + strip_m - 1) // strip_m, (n + strip_n - 1) // strip_n
    for task in range(first, last):
        i = task // strips_n % strips_m * strip_m
        j = task % strips_n * strip_n
        rest = task // (strips_n * strips_m)
        o_at = i * walk[1, dims] + j * walk[1, dims + 1]
        a_at = i * walk[2, dims]
        b_at = j * walk[3, dims + 1]
        s_at = i * walk[4, dims] + j * walk[4, dims + 1]
        r_at = i * walk[5, dims] + j * walk[5, dims + 1]
        for dim in range(dims - 1, -1, -1):
            index = rest % walk[0, dim]
            rest //= walk[0, dim]
            o_at += index * walk[1, dim]
            a_at += index * walk[2, dim]
            b_at += index * walk[3, dim]
            s_at += index * walk[4, dim]
            r_at += index * walk[5, dim]
        form(
            min(strip_m, m - i), min(strip_n, n - j), k,
            at(a, a_at), walk[2, dims], walk[2, dims + 2],
            at(b, b_at), walk[3, dims + 2], walk[3, dims + 1],
            packs_a, packs_b, collects, at(work, 0),
            Number(alpha), Number(beta), adds_residual,
            at(out, o_at), walk[1, dims], walk[1, dims + 1],
            at(source, s_at), walk[4, dims], walk[4, dims + 1],
            at(residual, r_at), walk[5, dims], walk[5, dims + 1],
        )  # fmt: skip


def small_product(walk, dims, c, left, right):
    """The product at these places, of the sizes and strides that follow the `dims` of the batch."""
    m, n, k = walk[0, dims], walk[0, dims + 1], walk[0, dims + 2]
    o_row, a_row, a_step, b_step = walk[1, dims], walk[2, dims], walk[2, dims + 2], walk[3, dims + 2]
    left, right = numbers(left, c), numbers(right, c)
    for i in range(0, m, ROWS):
        x, to = advance(left, i * a_row), advance(c, i * o_row)
        strip(k, min(ROWS, m - i), n, x, a_row, a_step, right, b_step, False, to, o_row, False)


def plain(first, last, walk, out, out_first, a, a_first, b, b_first):
    """Products `first` … `last` - 1 of a batch of small ones, in place, each of one block of k."""
    dims = walk.shape[1] - 3
    for product in range(first, last):
        o_at, a_at, b_at, rest = out_first, a_first, b_first, product
        for dim in range(dims - 1, -1, -1):
            index = rest % walk[0, dim]
            rest //= walk[0, dim]
            o_at += index * walk[1, dim]
            a_at += index * walk[2, dim]
            b_at += index * walk[3, dim]
        small_product(walk, dims, at(out, o_at), at(a, a_at), at(b, b_at))
