"""Attention, forward: softmax of the scores, times the values, without ever holding all scores.

A few rows of queries meet a block of keys. Their scores are a strip of tiles that stays in the first-level
cache; it is turned into exponentials there, and multiplied by the block of values at once. Each row remembers
the greatest score so far and the sum of exponentials below it. When a later block has a greater score, what
was summed up before is scaled down by the exponential of the difference. So one look at each block is enough
(M. Milakov and N. Gimelshein, *Online normalizer calculation for softmax*, 2018).
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu.gemm.cell import LANES, NO, ONE, ROWS, WIDTH, YES, Number, narrow
from tensorlab.backends.cpu.gemm.pack import pack, pack_panels
from tensorlab.backends.cpu.gemm.tile import strip
from tensorlab.backends.cpu.gemm.tiles import balanced
from tensorlab.backends.cpu.intrinsics import maximum
from tensorlab.backends.cpu.pointers import advance, at
from tensorlab.backends.cpu.run_loops import zero_run
from tensorlab.scalars.exponential import exp_to_one

KEYS = 288  # keys to a block, at most: a strip of their scores stays in the first-level cache
MASK = 0  # whether there is a mask: 1 says which scores count, 2 is added to them
CAUSAL = False  # whether a query sees no key behind its own place


def scale_run(count, x, factor):
    """Numbers times a factor, in place."""
    for j in range(count):
        x[j] = x[j] * factor


def mask_run(count, scores, mask, step):
    """Scores with the mask applied."""
    for j in range(count):
        if MASK == 1:
            scores[j] = scores[j] if mask[j * step] != 0 else Number(-np.inf)
        else:
            scores[j] = scores[j] + mask[j * step]


def greatest_of(count, x):
    """The greatest of some numbers."""
    greatest = Number(-np.inf)
    for j in range(count):
        greatest = Number(maximum(greatest, x[j]))
    return greatest


def exp_run(count, x, greatest):
    """Numbers replaced by their exponentials below the greatest; the sum of those."""
    total = Number(0)
    for j in range(count):
        e = Number(exp_to_one(x[j] - greatest))
        x[j] = e
        total += e
    return total


def write_run(count, x, factor, out, step):
    """Numbers times a factor, as cells."""
    for j in range(count):
        out[j * step] = narrow(x[j] * factor)


def softmax_strip(rows, columns, row, key, scores, s_row, mask, m_row, m_col, sums, width, greatest, totals):
    """The scores of some queries and a block of keys made exponentials; what was summed up scaled to fit.

    `row` and `key` are the places of the first query and key. `sums` are the weighted sums of values, and
    `greatest` and `totals` what each row remembers.
    """
    for r in range(rows):
        x = advance(scores, r * s_row)
        count = min(columns, row + r + 1 - key) if CAUSAL else columns
        count = max(count, 0)
        if MASK:
            mask_run(count, x, advance(mask, r * m_row), m_col)
        before = greatest[r]
        now = Number(maximum(before, greatest_of(count, x)))
        greatest[r] = now
        if now == -np.inf:  # nothing counts so far
            zero_run(columns, x)
        else:
            factor = Number(np.exp(before - now))
            totals[r] = totals[r] * factor + exp_run(count, x, now)
            zero_run(columns - count, advance(x, count))
            if factor != 1:
                scale_run(width, advance(sums, r * width), factor)


# fmt: off
def attend(
    first_row, rows, most, sizes, q, k, v, mask, out, sums_of, scale, work,
):
    # fmt: on
    """The results of `rows` queries of one batch element, from `first_row` on.

    A block has `most` keys, at most. ``sizes``: keys, the lengths of a query and of a value, and then the
    steps from row to row and from column to column of the queries, keys, values, mask and results. The
    pointers show the first cell of each.
    `sums_of` receives the logarithm of each row's sum of exponentials.
    """
    keys, length, width = sizes[0], sizes[1], sizes[2]
    block = balanced(keys, most, WIDTH)
    s_row = block + LANES
    key_panels = work
    value_panels = advance(key_panels, length * block)
    queries = advance(value_panels, block * ((width + LANES - 1) // LANES * LANES))
    scores = advance(queries, ROWS * length)
    sums = advance(scores, ROWS * s_row)
    greatest = advance(sums, rows * width)
    totals = advance(greatest, rows)
    zero_run(rows * width, sums)
    zero_run(rows, totals)
    for r in range(rows):
        greatest[r] = Number(-np.inf)
    for key in range(0, keys, block):
        if CAUSAL and key >= first_row + rows:
            break
        here = min(block, keys - key)
        pack_panels(length, here, advance(k, key * sizes[5]), sizes[6], sizes[5], key_panels)
        pack_panels(here, width, advance(v, key * sizes[7]), sizes[7], sizes[8], value_panels)
        for r in range(0, rows, ROWS):
            high, row = min(ROWS, rows - r), first_row + r
            seen = min(here, row + high - key) if CAUSAL else here
            if seen <= 0:
                continue
            columns = (seen + WIDTH - 1) // WIDTH * WIDTH  # whole panels, as the block was cut into them
            columns = here if columns + LANES >= here else columns
            pack(high, length, advance(q, row * sizes[3]), sizes[3], sizes[4], queries, length)
            scale_run(high * length, queries, scale)
            strip(length, high, columns, queries, length, ONE, key_panels, length, YES, scores, s_row, NO)
            softmax_strip(
                high, seen, row, key, scores, s_row,
                advance(mask, row * sizes[9] + key * sizes[10]), sizes[9], sizes[10],
                advance(sums, r * width), width, advance(greatest, r), advance(totals, r),
            )  # fmt: skip
            c = advance(sums, r * width)
            strip(seen, high, width, scores, s_row, ONE, value_panels, here, YES, c, width, YES)
    for r in range(rows):
        total, row = totals[r], first_row + r
        factor = Number(1) / total if total != 0 else Number(0)
        write_run(width, advance(sums, r * width), factor, advance(out, row * sizes[11]), sizes[12])
        # of nothing the exponentials are 0 in the way back, too
        sums_of[row] = greatest[r] + Number(np.log(total)) if total != 0 else Number(np.inf)


def tasks(first, last, batch, sizes, queries, high, most, scale, q, k, v, mask, out, sums_of, work):
    """Tasks `first` … `last` - 1: `high` of the `queries` of one batch element each.

    ``batch[0]`` holds the sizes of the batch dimensions, the rows below the strides there of the queries,
    keys, values, mask and results.
    """
    parts = (queries + high - 1) // high
    for task in range(first, last):
        rest, part = task // parts, task % parts
        here = rest
        q_at, k_at, v_at, m_at, o_at = 0, 0, 0, 0, 0
        for dim in range(batch.shape[1] - 1, -1, -1):
            index = rest % batch[0, dim]
            rest //= batch[0, dim]
            q_at += index * batch[1, dim]
            k_at += index * batch[2, dim]
            v_at += index * batch[3, dim]
            m_at += index * batch[4, dim]
            o_at += index * batch[5, dim]
        attend(
            part * high, min(high, queries - part * high), most, sizes, at(q, q_at), at(k, k_at), at(v, v_at),
            at(mask, m_at), at(out, o_at), at(sums_of, here * queries), Number(scale), at(work, 0),
        )  # fmt: skip
