"""Attention, backward: the scores are computed once more, and never all are held.

With P the weights of the values, O the results and G their gradients, the gradients are

    dV = Pᵀ G        dP = G Vᵀ        dS = P (dP - rowsum(G O))        dQ = dS K        dK = dSᵀ Q

(T. Dao and others, *FlashAttention*, 2022). A block of queries meets a few keys at a time, so the strips
hold Pᵀ and dSᵀ: rows of keys, columns of queries. They are what dV and dK are made of. For dQ the strips of a
block of keys are transposed first.
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu.gemm.cell import LANES, NO, ONE, ROWS, WIDTH, YES, Number, widen
from tensorlab.backends.cpu.gemm.pack import pack, pack_panels
from tensorlab.backends.cpu.gemm.tile import strip
from tensorlab.backends.cpu.gemm.tiles import balanced
from tensorlab.backends.cpu.pointers import advance, at
from tensorlab.backends.cpu.run_loops import zero_run
from tensorlab.backends.cpu.simd import transpose_tile
from tensorlab.scalars.exponential import exp_to_one

QUERIES = 240  # queries to a block, at most: strips of their scores stay in the first-level cache
KEYS = 64  # keys to a block
MASK = 0  # see `forward`
CAUSAL = False


def product_of(count, x, x_step, y, y_step):
    """The sum of products of two rows of cells."""
    total = Number(0)
    for j in range(count):
        total += widen(x[j * x_step]) * widen(y[j * y_step])
    return total


def score_gradient(count, scores, slopes, mask, step, sums_of, products, scale):
    """One row of scores made weights, and of the weights' gradients made those of the scores."""
    for j in range(count):
        score = scores[j] * scale
        if MASK == 1:
            score = score if mask[j * step] != 0 else Number(-np.inf)
        elif MASK == 2:
            score = score + mask[j * step]
        weight = Number(exp_to_one(score - sums_of[j]))
        scores[j] = weight
        slopes[j] = weight * (slopes[j] - products[j]) * scale


def transpose_strip(rows, columns, strip_, s_row, to, to_row):
    """``to[j * to_row + i] = strip[i * s_row + j]``."""
    whole = columns - columns % 8 if rows == 8 else 0
    for j in range(0, whole, 8):
        transpose_tile(advance(strip_, j), s_row, advance(to, j * to_row), to_row)
    for j in range(whole, columns):
        for i in range(rows):
            to[j * to_row + i] = strip_[i * s_row + j]


# fmt: off
def attend_backward(
    queries, most, sizes, q, k, v, mask, out, grad, sums_of, scale, d_q, d_k, d_v, work,
):
    # fmt: on
    """The gradients of one batch element, added to `d_q`, `d_k` and `d_v`, which are rows of numbers.

    A block has `most` queries, at most. ``sizes`` is that of `forward.attend`, and then the steps of `grad`.
    """
    keys, length, width = sizes[0], sizes[1], sizes[2]
    block = balanced(queries, most, WIDTH)
    long, wide = (length + LANES - 1) // LANES * LANES, (width + LANES - 1) // LANES * LANES
    s_row, t_row = block + LANES, KEYS + LANES
    columns_of_q = work
    columns_of_grad = advance(columns_of_q, length * block)
    rows_of_q = advance(columns_of_grad, width * block)
    rows_of_grad = advance(rows_of_q, block * long)
    rows_of_k = advance(rows_of_grad, block * wide)
    few_keys = advance(rows_of_k, KEYS * long)
    few_values = advance(few_keys, ROWS * length)
    scores = advance(few_values, ROWS * width)
    slopes = advance(scores, ROWS * s_row)
    transposed = advance(slopes, ROWS * s_row)
    products = advance(transposed, block * t_row)
    for first in range(0, queries, block):
        here = min(block, queries - first)
        q_here, g_here = advance(q, first * sizes[3]), advance(grad, first * sizes[13])
        pack_panels(length, here, q_here, sizes[4], sizes[3], columns_of_q)
        pack_panels(here, length, q_here, sizes[3], sizes[4], rows_of_q)
        pack_panels(width, here, g_here, sizes[14], sizes[13], columns_of_grad)
        pack_panels(here, width, g_here, sizes[13], sizes[14], rows_of_grad)
        for i in range(here):
            o = advance(out, (first + i) * sizes[11])
            products[i] = product_of(width, advance(g_here, i * sizes[13]), sizes[14], o, sizes[12])
        for key in range(0, keys, KEYS):
            if CAUSAL and key >= first + here:
                break
            near = min(KEYS, keys - key)
            pack_panels(near, length, advance(k, key * sizes[5]), sizes[5], sizes[6], rows_of_k)
            for r in range(0, near, ROWS):
                high, row = min(ROWS, near - r), key + r
                pack(high, length, advance(k, row * sizes[5]), sizes[5], sizes[6], few_keys, length)
                pack(high, width, advance(v, row * sizes[7]), sizes[7], sizes[8], few_values, width)
                x, y = columns_of_q, columns_of_grad
                strip(length, high, here, few_keys, length, ONE, x, length, YES, scores, s_row, NO)
                strip(width, high, here, few_values, width, ONE, y, width, YES, slopes, s_row, NO)
                for i in range(high):
                    skipped = min(max(row + i - first, 0), here) if CAUSAL else 0
                    x, y = advance(scores, i * s_row), advance(slopes, i * s_row)
                    zero_run(skipped, x)
                    zero_run(skipped, y)
                    score_gradient(
                        here - skipped, advance(x, skipped), advance(y, skipped),
                        advance(mask, (first + skipped) * sizes[9] + (row + i) * sizes[10]), sizes[9],
                        advance(sums_of, first + skipped), advance(products, skipped), scale,
                    )  # fmt: skip
                sums_v, sums_k = advance(d_v, row * width), advance(d_k, row * length)
                strip(here, high, width, scores, s_row, ONE, rows_of_grad, here, YES, sums_v, width, YES)
                strip(here, high, length, slopes, s_row, ONE, rows_of_q, here, YES, sums_k, length, YES)
                transpose_strip(high, here, slopes, s_row, advance(transposed, r), t_row)
            for r in range(0, here, ROWS):
                high, x = min(ROWS, here - r), advance(transposed, r * t_row)
                sums_q = advance(d_q, (first + r) * length)
                strip(near, high, length, x, t_row, ONE, rows_of_k, near, YES, sums_q, length, YES)


# fmt: off
def tasks(
    first, last, batch, sizes, queries, most, scale, q, k, v, mask, out, grad, sums_of, d_q, d_k, d_v, work,
):
    # fmt: on
    """Tasks `first` … `last` - 1: one batch element each. See `forward.tasks`; row 6 are those of `grad`."""
    keys, length, width = sizes[0], sizes[1], sizes[2]
    for task in range(first, last):
        rest = task
        q_at, k_at, v_at, m_at, o_at, g_at = 0, 0, 0, 0, 0, 0
        for dim in range(batch.shape[1] - 1, -1, -1):
            index = rest % batch[0, dim]
            rest //= batch[0, dim]
            q_at += index * batch[1, dim]
            k_at += index * batch[2, dim]
            v_at += index * batch[3, dim]
            m_at += index * batch[4, dim]
            o_at += index * batch[5, dim]
            g_at += index * batch[6, dim]
        attend_backward(
            queries, most, sizes, at(q, q_at), at(k, k_at), at(v, v_at), at(mask, m_at), at(out, o_at),
            at(grad, g_at), at(sums_of, task * queries), Number(scale), at(d_q, task * queries * length),
            at(d_k, task * keys * length), at(d_v, task * keys * width), at(work, 0),
        )  # fmt: skip
