"""Attention that never holds the scores: the greatest one, and the sum of exponentials, are known so far.

A block has some queries, and goes through the keys 64 at a time. A thread has 8 queries: it computes their
scores for every sixteenth key, and what they sum for every sixteenth number of a value; sixteen neighbouring
threads share the queries. When a greater score turns up, what was summed before shrinks by as much as its
exponentials were too great.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlab.backends.array import compute_type
from tensorlab.backends.cuda.constants import of_cells
from tensorlab.backends.cuda.intrinsics import load4, store4, word
from tensorlab.backends.cuda.operands import MOST, fits, is_aligned, raw
from tensorlab.backends.cuda.products import start
from tensorlab.backends.cuda.rows import narrow, widen
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.backends.fused import Backend
from tensorlab.backends.layers import AttentionLayout
from tensorlab.backends.operands import Buffer, Launch, Memory, no_launch
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

__all__ = ["attention", "constants", "prepare_attention"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

number = np.float32
# The queries of a thread, the threads that share them, and the keys at a time: four for each of these.
KEPT, ACROSS, KEYS = 8, 16, 64
SCORES = 32
# The numbers of a query and of a value; the queries of a block, and its threads.
LENGTH = WIDTH = 1
QUERIES, THREADS = 16, 32
# How many numbers of keys, and how many values, are in shared memory at a time; how many numbers of a value a
# thread sums, and how many all of them; the sums of a thread.
STEP, VALUES, PIECES, SUMMED, SUMS = 1, 64, 1, 16, 8
# How far lines of queries and weights lie apart in shared memory, and its sizes.
PITCH, QUERY_CELLS, WEIGHT_CELLS, PART_CELLS = 20, 20, 1280, 1024
# Whether four neighbours of a key and of a value are read in one access.
WIDE = False
# Without a mask, one that says which scores count, or one that is added; whether later keys are hidden.
MASK, CAUSAL = 0, False

# What is in shared memory at a time: so many numbers of keys, at most, and of values.
LONGEST, LARGEST = 32, 2112

# The bytes of shared memory that every card has for a block.
SHARED = 48 << 10


def constants(length: int, width: int, itemsize: int, cells: int, threads: int) -> dict[str, int] | None:
    """The constants for queries of `length` and values of `width` numbers; None if there are too many.

    Args:
        length, width: how many numbers queries and values have.
        itemsize: the bytes of a number.
        cells: the bytes of shared memory.
        threads: how many threads a block has at most.
    """
    step, (values, pieces) = min(length, LONGEST), summed_of(width)
    part = max(KEYS * (step + 1 - step % 2), values * pieces * ACROSS)
    for queries in (64, 32, 16):
        pitch = queries + 4
        query_cells = ceil_div(length, step) * step * pitch
        is_small = pieces <= 8 and queries // KEPT * ACROSS <= threads
        if is_small and (query_cells + KEYS * pitch + part) * itemsize <= cells:
            return {
                "LENGTH": length,
                "WIDTH": width,
                "QUERIES": queries,
                "THREADS": queries // KEPT * ACROSS,
                "STEP": step,
                "VALUES": values,
                "PIECES": pieces,
                "SUMMED": pieces * ACROSS,
                "SUMS": KEPT * pieces,
                "PITCH": pitch,
                "QUERY_CELLS": query_cells,
                "WEIGHT_CELLS": KEYS * pitch,
                "PART_CELLS": part,
            }
    return None


def summed_of(width: int) -> tuple[int, int]:
    """How many rows of such a width are in shared memory at a time; how many numbers of one a thread sums."""
    rows, pieces = KEYS, ceil_div(width, ACROSS)
    while rows > 1 and rows * pieces * ACROSS > LARGEST:
        rows //= 2
    return rows, pieces


def over_lanes(value, is_sum):
    """The sum, or the greatest, of the values of the threads that share queries, for each of them."""
    half = ACROSS // 2
    while half > 0:
        other = cuda.shfl_xor_sync(0xFFFFFFFF, value, half)
        value = number(value + other) if is_sum else max(value, other)
        half //= 2
    return value


def bring(part, pitch, width, rows, x, first, row_step, column_step, begin, end, left):
    """Copy rows into shared memory, so many numbers of each; zeros behind the last row and number."""
    if WIDE:
        for i in range(word(cuda.threadIdx.x), word(rows * width // 4), word(THREADS)):
            row = word(np.uint32(i) // np.uint32(width // 4))
            column = word(np.uint32(i) % np.uint32(width // 4) * np.uint32(4))
            to = np.uint32(row * pitch + column)
            if begin + row < end and column < left:
                v = load4(x, first + (begin + row) * row_step + column)
                part[to], part[to + np.uint32(1)] = widen(v[0]), widen(v[1])
                part[to + np.uint32(2)], part[to + np.uint32(3)] = widen(v[2]), widen(v[3])
            else:
                part[to], part[to + np.uint32(1)] = number(0), number(0)
                part[to + np.uint32(2)], part[to + np.uint32(3)] = number(0), number(0)
    else:
        for i in range(word(cuda.threadIdx.x), word(rows * width), word(THREADS)):
            row = word(np.uint32(i) // np.uint32(width))
            column = word(np.uint32(i) % np.uint32(width))
            value = number(0)
            if begin + row < end and column < left:
                value = widen(x[first + (begin + row) * row_step + column * column_step])
            part[np.uint32(row * pitch + column)] = value


def add_products(totals, left, line, first, lines, at, step, count):
    """Add to each query's totals what its number in a line makes with the numbers of other lines."""
    v = load4(line, first)
    w = load4(line, first + 4)
    left[0], left[1], left[2], left[3] = v[0], v[1], v[2], v[3]
    left[4], left[5], left[6], left[7] = w[0], w[1], w[2], w[3]
    for j in range(count):
        other = lines[np.uint32(at) + np.uint32(j * step)]
        for i in range(KEPT):
            totals[np.uint32(i * count + j)] += left[np.uint32(i)] * other


def add_lines(totals, left, line, first, lines, at, apart, step, count, number_of):
    """`add_products` of so many lines, one after the other; the other lines' numbers lie `apart`."""
    if number_of % 4 == 0:
        for i in range(word(0), word(number_of), word(4)):
            here, there = word(first + i * PITCH), np.uint32(at + i * apart)
            add_products(totals, left, line, here, lines, there, step, count)
            add_products(totals, left, line, here + PITCH, lines, there + np.uint32(apart), step, count)
            add_products(
                totals, left, line, here + 2 * PITCH, lines, there + np.uint32(2 * apart), step, count
            )
            add_products(
                totals, left, line, here + 3 * PITCH, lines, there + np.uint32(3 * apart), step, count
            )
    else:
        for i in range(number_of):
            there = np.uint32(at + i * apart)
            add_products(totals, left, line, first + i * PITCH, lines, there, step, count)


def add_table(
    totals, left, tile, down, across, count, step, part, x, cell, row_step, column_step, begin, end
):
    """Add the products of a thread's 8 rows with every sixteenth of 64 others, `step` numbers at a time."""
    pitch = step + 1 - step % 2
    for done in range(word(0), word(count), word(step)):
        cuda.syncthreads()
        bring(
            part, pitch, step, KEYS, x, cell + done * column_step, row_step, column_step, begin, end,
            word(count - done),
        )  # fmt: skip
        cuda.syncthreads()
        line = done * PITCH + down
        add_lines(totals, left, tile, line, part, across * pitch, 1, ACROSS * pitch, 4, step)


def add_sums(totals, left, table, tile, down, across, rows, summed, pieces, count,
             part, x, cell, row_step, column_step, begin, needed, end):  # fmt: skip
    """Add the 64 others, `rows` at a time, weighted by the table of which each thread has a part.

    Those from `needed` on weigh nothing. Nobody may read the tile any more.
    """
    for j in range(4):
        line = (across + j * ACROSS) * PITCH + down
        for i in range(0, KEPT, 4):
            store4(tile, line + i, (
                table[np.uint32(i * 4 + j)], table[np.uint32(i * 4 + 4 + j)],
                table[np.uint32(i * 4 + 8 + j)], table[np.uint32(i * 4 + 12 + j)],
            ))  # fmt: skip
    for done in range(word(0), word(KEYS), word(rows)):
        if begin + done < needed:
            cuda.syncthreads()
            bring(part, summed, summed, rows, x, cell, row_step, column_step, begin + done, end, count)
            cuda.syncthreads()
            add_lines(totals, left, tile, done * PITCH + down, part, across, summed, ACROSS, pieces, rows)


def masked(score, mask, cell):
    """Whether a score counts, and what it is then."""
    if MASK == 1:
        return mask[cell] != 0, score
    return True, number(score + number(mask[cell]))


def attention(
    queries, keys, scale, batch, q, q_first, q_batch, q_row, q_column, k, k_first, k_batch, k_row, k_column,
    v, v_first, v_batch, v_row, v_column, mask, mask_first, mask_batch, mask_row, mask_column,
    out, out_first, out_batch, out_row, out_column, sums,
):  # fmt: skip
    """``softmax(q @ k.T * scale + mask) @ v``, and for each query the logarithm of its sum."""
    q_tile = cuda.shared.array(QUERY_CELLS, number, alignment=16)
    weights = cuda.shared.array(WEIGHT_CELLS, number, alignment=16)
    part = cuda.shared.array(PART_CELLS, number, alignment=16)
    scores = cuda.local.array(SCORES, number)
    result = cuda.local.array(SUMS, number)
    greatest = cuda.local.array(KEPT, number)
    total = cuda.local.array(KEPT, number)
    left = cuda.local.array(KEPT, number)
    me = word(cuda.threadIdx.x)
    across, down = word(me % ACROSS), word(me // ACROSS * KEPT)
    # The blocks with the most keys begin first.
    top = word((cuda.gridDim.x - 1 - cuda.blockIdx.x) * QUERIES)
    q_cell, k_cell, v_cell = (
        start(q_first, q_batch, batch),
        start(k_first, k_batch, batch),
        start(v_first, v_batch, batch),
    )
    mask_cell = start(mask_first, mask_batch, batch)
    for i in range(me, QUERY_CELLS, THREADS):
        column, row = np.uint32(i) // np.uint32(PITCH), np.uint32(i) % np.uint32(PITCH)
        value = number(0)
        if row < QUERIES and top + row < queries and column < LENGTH:
            cell = q_cell + word(top + row) * q_row + word(column) * q_column
            value = number(widen(q[cell]) * number(scale))
        q_tile[np.uint32(i)] = value
    for i in range(SUMS):
        result[np.uint32(i)] = 0
    for i in range(KEPT):
        greatest[np.uint32(i)] = number(-math.inf)
        total[np.uint32(i)] = 0
    keys = word(keys)
    end = word(min(keys, top + QUERIES)) if CAUSAL else keys
    for begin in range(word(0), end, word(KEYS)):
        for i in range(SCORES):
            scores[np.uint32(i)] = 0
        add_table(
            scores, left, q_tile, down, across, LENGTH, STEP,
            part, k, k_cell, k_row, k_column, begin, keys,
        )  # fmt: skip
        for i in range(KEPT):
            query = top + down + i
            best = number(-math.inf)
            for j in range(4):
                key, score = begin + across + j * ACROSS, scores[np.uint32(i * 4 + j)]
                counts = query < queries and key < keys and (key <= query or not CAUSAL)
                if counts and MASK > 0:
                    cell = mask_cell + query * mask_row + key * mask_column
                    counts, score = masked(score, mask, cell)
                if not counts:
                    score = number(-math.inf)
                scores[np.uint32(i * 4 + j)] = score
                # A score that is no number counts as no greatest one, but makes the sum NaN.
                if score > best:
                    best = score
            before = greatest[np.uint32(i)]
            best = max(before, over_lanes(best, False))
            shrinks = number(1)
            if best > number(-math.inf):
                shrinks = number(math.exp(before - best))
            summed = number(0)
            for j in range(4):
                score = scores[np.uint32(i * 4 + j)]
                weight = number(0)
                if best > number(-math.inf):
                    weight = number(math.exp(score - best))
                elif score != score:
                    weight = score
                scores[np.uint32(i * 4 + j)] = weight
                summed = number(summed + weight)
            greatest[np.uint32(i)] = best
            total[np.uint32(i)] = number(total[np.uint32(i)] * shrinks + summed)
            for piece in range(PIECES):
                result[np.uint32(i * PIECES + piece)] *= shrinks
        add_sums(
            result, left, scores, weights, down, across, VALUES, SUMMED, PIECES, WIDTH,
            part, v, v_cell, v_row, v_column, begin, end, keys,
        )  # fmt: skip
    out_cell = start(out_first, out_batch, batch)
    for i in range(KEPT):
        query, of_all = top + down + i, over_lanes(total[np.uint32(i)], True)
        if query < queries:
            for piece in range(PIECES):
                column = piece * ACROSS + across
                if column < WIDTH:
                    share = number(0)
                    if of_all != 0:
                        share = number(result[np.uint32(i * PIECES + piece)] / of_all)
                    out[out_cell + query * out_row + column * out_column] = narrow(share)
            if across == 0:
                known = number(math.inf)
                if of_all != 0:
                    known = number(math.log(of_all) + greatest[np.uint32(i)])
                sums[cuda.blockIdx.z * queries + query] = known


def matrices(buffers: Iterable[Buffer], layouts: Iterable[Sequence[int]]) -> list[Any]:
    """Batches of matrices as kernels take them: cells, the first one's number, and the strides."""
    arguments: list[Any] = []
    for buffer, strides in zip(buffers, layouts, strict=False):
        arguments += [*raw(buffer), tuple(strides[:-2]), strides[-2], strides[-1]]
    return arguments


def prepare_attention(backend: Cuda, element_type: dtype, layout: AttentionLayout, scale: float) -> Launch:
    """See `tensorlab.backends.layers.LayerOperations.attention`."""
    count, computed = math.prod(layout.batch), compute_type(element_type)
    sizes = constants(layout.length, layout.width, computed.itemsize, SHARED, backend.driver.threads)
    if sizes is None or layout.length * layout.width == 0 or count > MOST:
        return Backend.attention(backend, element_type, layout, scale)
    names = {"MASK": layout.mask, "CAUSAL": layout.causal, **sizes}
    kernels_of = [
        of_cells(attention, element_type, element_type, **names, WIDE=is_wide) for is_wide in (False, True)
    ]
    queries, threads = sizes["QUERIES"], sizes["THREADS"]
    for kernel in kernels_of:
        vars(kernel)["bounds"] = threads, 2
    can_be_wide = fits(layout.strides[1], -1, layout.length) and fits(layout.strides[2], -1, layout.width)
    if count * layout.queries == 0:
        return no_launch

    def launch(q: Buffer, k: Buffer, v: Buffer, mask: Buffer | None, out: Buffer, sums: Memory) -> None:
        arguments = matrices((q, k, v, mask or q, out), layout.strides)
        grid = ceil_div(layout.queries, queries), 1, count
        kernel = kernels_of[can_be_wide and is_aligned(k) and is_aligned(v)]
        ends = layout.queries, layout.keys, scale, tuple(layout.batch)
        backend.run(kernel, grid, threads, *ends, *arguments, sums.cells)

    return launch
