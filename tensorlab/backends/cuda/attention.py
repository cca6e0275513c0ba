"""Attention that never holds the scores: the greatest one, and the sum of exponentials, are known so far.

A warp has a query, and a lane a key of 32 that the block brought into shared memory. When a greater score
turns up, what was summed before shrinks by as much as its exponentials were too great.
"""

from __future__ import annotations

import math

import numpy as np

from tensorlab.backends.cuda.products import start
from tensorlab.backends.cuda.rows import narrow, widen
from tensorlab.backends.cuda.simulator import cuda

__all__ = ["attention", "constants"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

number = np.float32
# The numbers of a query and of a value, and the queries of a block.
LENGTH = WIDTH = 1
QUERIES = 1
# How far the rows of keys lie apart, so that 32 lanes read from 32 banks; the sizes of shared memory; how
# many numbers of a value a lane sums.
PITCH, QUERY_CELLS, KEY_CELLS, VALUE_CELLS, PIECES = 2, 1, 64, 32, 1
# Without a mask, one that says which scores count, or one that is added; whether later keys are hidden.
MASK, CAUSAL = 0, False


def constants(length: int, width: int, queries: int) -> dict[str, int]:
    """The constants for queries of `length` and values of `width` numbers, so many queries to a block."""
    return {
        "LENGTH": length,
        "WIDTH": width,
        "QUERIES": queries,
        "PITCH": length + 1,
        "QUERY_CELLS": queries * length,
        "KEY_CELLS": 32 * (length + 1),
        "VALUE_CELLS": 32 * width,
        "PIECES": (width + 31) // 32,
    }


def over_lanes(value, is_sum):
    """The sum, or the greatest, of the values of a warp, for each of its lanes."""
    half = 16
    while half > 0:
        other = cuda.shfl_xor_sync(0xFFFFFFFF, value, half)
        value = number(value + other) if is_sum else max(value, other)
        half //= 2
    return value


def bring(tile, pitch, width, x, first, row_step, column_step, begin, rows):
    """Copy 32 rows into shared memory, zeros behind the last one."""
    for i in range(cuda.threadIdx.x, 32 * width, 32 * QUERIES):
        row, column = i // width, i % width
        value = number(0)
        if begin + row < rows:
            value = widen(x[first + (begin + row) * row_step + column * column_step])
        tile[row * pitch + column] = value


def attention(
    queries, keys, scale, batch, q, q_first, q_batch, q_row, q_column, k, k_first, k_batch, k_row, k_column,
    v, v_first, v_batch, v_row, v_column, mask, mask_first, mask_batch, mask_row, mask_column,
    out, out_first, out_batch, out_row, out_column, sums,
):  # fmt: skip
    """``softmax(q @ k.T * scale + mask) @ v``, and for each query the logarithm of its sum."""
    q_tile = cuda.shared.array(QUERY_CELLS, number)
    k_tile = cuda.shared.array(KEY_CELLS, number)
    v_tile = cuda.shared.array(VALUE_CELLS, number)
    result = cuda.local.array(PIECES, number)
    me = cuda.threadIdx.x
    warp, lane = me // 32, me % 32
    top = cuda.blockIdx.x * QUERIES
    query = top + warp
    q_cell, k_cell, v_cell = (
        start(q_first, q_batch, batch),
        start(k_first, k_batch, batch),
        start(v_first, v_batch, batch),
    )
    mask_cell = start(mask_first, mask_batch, batch) + query * mask_row
    for i in range(me, QUERY_CELLS, 32 * QUERIES):
        row = top + i // LENGTH
        value = number(0)
        if row < queries:
            value = number(widen(q[q_cell + row * q_row + i % LENGTH * q_column]) * number(scale))
        q_tile[i] = value
    for piece in range(PIECES):
        result[piece] = 0
    greatest, total = number(-math.inf), number(0)
    end = min(keys, top + QUERIES) if CAUSAL else keys
    for begin in range(0, end, 32):
        bring(k_tile, PITCH, LENGTH, k, k_cell, k_row, k_column, begin, keys)
        bring(v_tile, WIDTH, WIDTH, v, v_cell, v_row, v_column, begin, keys)
        cuda.syncthreads()
        key, score = begin + lane, number(-math.inf)
        counts = query < queries and key < keys and (key <= query or not CAUSAL)
        if counts and MASK == 1:
            counts = mask[mask_cell + key * mask_column] != 0
        if counts:
            score = number(0)
            for i in range(LENGTH):
                score = number(score + q_tile[warp * LENGTH + i] * k_tile[lane * PITCH + i])
            if MASK == 2:
                score = number(score + number(mask[mask_cell + key * mask_column]))
        # A score that is no number counts as no greatest one, but makes the sum NaN.
        best = max(greatest, over_lanes(score if score == score else number(-math.inf), False))
        weight, shrinks = number(0), number(1)
        if best > -math.inf:
            weight, shrinks = number(math.exp(score - best)), number(math.exp(greatest - best))
        elif score != score:
            weight = score
        greatest = best
        total = number(total * shrinks + over_lanes(weight, True))
        for piece in range(PIECES):
            result[piece] *= shrinks
        for i in range(32):
            its = cuda.shfl_sync(0xFFFFFFFF, weight, i)
            for piece in range(PIECES):
                column = piece * 32 + lane
                if column < WIDTH:
                    result[piece] += its * v_tile[i * WIDTH + column]
        cuda.syncthreads()
    if query < queries:
        cell = start(out_first, out_batch, batch) + query * out_row
        for piece in range(PIECES):
            column = piece * 32 + lane
            if column < WIDTH:
                share = number(result[piece] / total) if total != 0 else number(0)
                out[cell + column * out_column] = narrow(share)
        if lane == 0:
            known = number(math.log(total) + greatest) if total != 0 else number(math.inf)
            sums[cuda.blockIdx.z * queries + query] = known
