"""The outermost level: which piece of which product, task by task.

A task is a strip of rows and columns of one product of the batch. Tasks write apart from one another, so they
may run at the same time. No task divides k, and the strips begin at multiples of the tile's height: so every
element is summed up in the same order, however many threads there are.
"""

from __future__ import annotations

from numba import prange

from tensorlab.backends.cpu.gemm.cell import Number
from tensorlab.backends.cpu.gemm.direct import direct as form

__all__ = ["kernel", "parallel_kernel", "plain_kernel"]


def kernel(first, last, strip_m, strip_n, walk, alpha, beta, out, a, b, source):
    """Tasks `first` … `last` - 1.

    ``walk[0]`` holds the sizes (batch …, m, n, k); ``walk[1]`` … ``walk[4]`` the strides of the result, A, B
    and source in the same order, 0 where an operand does not depend on an index.
    """
    batch_dims = walk.shape[1] - 3
    m, n, k = walk[0, batch_dims], walk[0, batch_dims + 1], walk[0, batch_dims + 2] if alpha != 0 else 0
    strips_m, strips_n = (m + strip_m - 1) // strip_m, (n + strip_n - 1) // strip_n
    for task in range(first, last):
        i = task // strips_n % strips_m * strip_m
        j = task % strips_n * strip_n
        rest = task // (strips_n * strips_m)
        o_at = i * walk[1, batch_dims] + j * walk[1, batch_dims + 1]
        a_at = i * walk[2, batch_dims]
        b_at = j * walk[3, batch_dims + 1]
        s_at = i * walk[4, batch_dims] + j * walk[4, batch_dims + 1]
        for dim in range(batch_dims - 1, -1, -1):
            index = rest % walk[0, dim]
            rest //= walk[0, dim]
            o_at += index * walk[1, dim]
            a_at += index * walk[2, dim]
            b_at += index * walk[3, dim]
            s_at += index * walk[4, dim]
        form(
            min(strip_m, m - i), min(strip_n, n - j), k, Number(alpha), Number(beta),
            out, o_at, walk[1, batch_dims], walk[1, batch_dims + 1],
            a, a_at, walk[2, batch_dims], walk[2, batch_dims + 2],
            b, b_at, walk[3, batch_dims + 2], walk[3, batch_dims + 1],
            source, s_at, walk[4, batch_dims], walk[4, batch_dims + 1],
        )  # fmt: skip


def plain_kernel(walk, out, a, b):
    """One product, without alpha, beta and source: for small ones, where each argument costs time."""
    form(
        walk[0, 0], walk[0, 1], walk[0, 2], Number(1), Number(0),
        out, 0, walk[1, 0], walk[1, 1],
        a, 0, walk[2, 0], walk[2, 2],
        b, 0, walk[3, 2], walk[3, 1],
        out, 0, 0, 0,
    )  # fmt: skip


def parallel_kernel(chunks, tasks, strip_m, strip_n, walk, alpha, beta, out, a, b, source):
    """All tasks, in chunks that run side by side."""
    for chunk in prange(chunks):
        first, last = chunk * tasks // chunks, (chunk + 1) * tasks // chunks
        kernel(first, last, strip_m, strip_n, walk, alpha, beta, out, a, b, source)
