"""The way back through attention, which holds no table of queries and keys either: it makes each tile anew.

With P the weights of the values, O the results and G their gradients, the gradients are

    dV = Pᵀ G        dP = G Vᵀ        dS = P (dP - rowsum(G O))        dQ = dS K        dK = dSᵀ Q

(T. Dao and others, *FlashAttention*, 2022). The forward pass kept the logarithm of each query's sum, so that
a weight is one exponential of its score.

One kernel runs twice. A block has some rows and goes through all that they meet, 64 at a time: its rows are
queries, which meet keys, and then keys, which meet queries. So each sum is made by one thread, always in the
same order, and no thread waits for another's.

=======  ===========  ===========  ===========  ===========  ===============  ===============
rows     ``x``        ``u``        ``y``        ``v``        dS y             P v
=======  ===========  ===========  ===========  ===========  ===============  ===============
queries  queries      gradients    keys         values       dQ
keys     keys         values       queries      gradients    dK               dV
=======  ===========  ===========  ===========  ===========  ===============  ===============
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlab.backends.array import compute_type
from tensorlab.backends.cuda.attention import (
    ACROSS,
    KEPT,
    KEYS,
    LONGEST,
    SCORES,
    SHARED,
    add_sums,
    add_table,
    masked,
    matrices,
    over_lanes,
    summed_of,
)
from tensorlab.backends.cuda.constants import of_cells
from tensorlab.backends.cuda.intrinsics import word
from tensorlab.backends.cuda.operands import MOST, fits, is_aligned
from tensorlab.backends.cuda.products import start
from tensorlab.backends.cuda.rows import widen
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.backends.fused import Backend
from tensorlab.backends.layers import AttentionLayout
from tensorlab.backends.operands import Buffer, Launch, Memory
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

__all__ = ["attention_gradient", "constants", "prepare_attention_gradient"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

number = np.float32
# Whether the rows are keys.
OF_KEYS = False
# The rows of a block, its threads, and how far lines of rows lie apart in shared memory.
ROWS, THREADS, PITCH = 16, 32, 20
# Of x and y, and of u and v: how many numbers each has; how many are in shared memory at a time, and how many
# lines of x and u that makes; how many rows of y and v, and how many numbers of each of these a thread sums,
# and all of them; the sums of a thread.
LENGTH = LENGTH_STEP = LENGTH_LINES = WIDTH = WIDTH_STEP = WIDTH_LINES = 1
LENGTH_ROWS, LENGTH_PIECES, LENGTH_SUMMED, LENGTH_SUMS = 64, 1, 16, 8
WIDTH_ROWS, WIDTH_PIECES, WIDTH_SUMMED, WIDTH_SUMS = 64, 1, 16, 8
# The sizes of shared memory.
X_CELLS, U_CELLS, TILE_CELLS, PART_CELLS = 20, 20, 1280, 1024
# See `tensorlab.backends.cuda.attention`.
MASK, CAUSAL = 0, False


def constants(length: int, width: int, itemsize: int, cells: int, threads: int) -> dict[str, int] | None:
    """The constants for queries of `length` and values of `width` numbers; None if there are too many.

    Args:
        length, width: how many numbers queries and values have.
        itemsize: the bytes of a number.
        cells: the bytes of shared memory.
        threads: how many threads a block has at most.
    """
    found: dict[str, int] = {}
    part = 0
    for name, size in ("LENGTH", length), ("WIDTH", width):
        step, (rows, pieces) = min(size, LONGEST), summed_of(size)
        found |= {
            name: size,
            f"{name}_STEP": step,
            f"{name}_LINES": ceil_div(size, step) * step,
            f"{name}_ROWS": rows,
            f"{name}_PIECES": pieces,
            f"{name}_SUMMED": pieces * ACROSS,
            f"{name}_SUMS": KEPT * pieces,
        }
        part = max(part, KEYS * (step + 1 - step % 2), rows * pieces * ACROSS)
    if max(length, width) > 8 * ACROSS:
        return None
    for rows in (64, 32, 16):
        pitch = rows + 4
        sizes = {
            "X_CELLS": found["LENGTH_LINES"] * pitch,
            "U_CELLS": found["WIDTH_LINES"] * pitch,
            "TILE_CELLS": KEYS * pitch,
            "PART_CELLS": part,
        }
        if rows // KEPT * ACROSS <= threads and sum(sizes.values()) * itemsize <= cells:
            return {**found, **sizes, "ROWS": rows, "THREADS": rows // KEPT * ACROSS, "PITCH": pitch}
    return None


def bring_turned(tile, lines, x, first, row_step, column_step, begin, end, count):
    """Copy the block's rows into shared memory, a line for each column; zeros behind the last ones."""
    for i in range(word(cuda.threadIdx.x), word(lines * ROWS), word(THREADS)):
        row, column = word(np.uint32(i) // np.uint32(lines)), word(np.uint32(i) % np.uint32(lines))
        value = number(0)
        if begin + row < end and column < count:
            value = widen(x[first + (begin + row) * row_step + column * column_step])
        tile[np.uint32(column * PITCH + row)] = value


def note_products(u_tile, down, across, top, queries, out, out_cell, out_row, out_column, products, known):
    """Write down what each query's result and its gradient make: ``rowsum(G O)``."""
    for i in range(KEPT):
        query, total = top + down + i, number(0)
        for piece in range(WIDTH_PIECES):
            column = piece * ACROSS + across
            if query < queries and column < WIDTH:
                result = widen(out[out_cell + query * out_row + column * out_column])
                total = number(total + u_tile[np.uint32(column * PITCH + down + i)] * result)
        total = over_lanes(total, True)
        if across == 0 and query < queries:
            products[known + query] = total


def attention_gradient(
    rows, others, scale, batch, x, x_first, x_batch, x_row, x_column, u, u_first, u_batch, u_row, u_column,
    y, y_first, y_batch, y_row, y_column, v, v_first, v_batch, v_row, v_column,
    mask, mask_first, mask_batch, mask_row, mask_column, out, out_first, out_batch, out_row, out_column,
    sums, products, of_x, of_u,
):  # fmt: skip
    """The gradients of rows, which meet others. Those of queries leave `products` for those of keys."""
    x_tile = cuda.shared.array(X_CELLS, number, alignment=16)
    u_tile = cuda.shared.array(U_CELLS, number, alignment=16)
    tile = cuda.shared.array(TILE_CELLS, number, alignment=16)
    part = cuda.shared.array(PART_CELLS, number, alignment=16)
    weights = cuda.local.array(SCORES, number)
    slopes = cuda.local.array(SCORES, number)
    x_sums = cuda.local.array(LENGTH_SUMS, number)
    u_sums = cuda.local.array(WIDTH_SUMS, number)
    left = cuda.local.array(KEPT, number)
    me = word(cuda.threadIdx.x)
    across, down = word(me % ACROSS), word(me // ACROSS * KEPT)
    # Of what is causal the first keys meet most queries, and the last queries most keys: they begin first.
    top = word((cuda.blockIdx.x if OF_KEYS else cuda.gridDim.x - 1 - cuda.blockIdx.x) * ROWS)
    x_cell, u_cell = start(x_first, x_batch, batch), start(u_first, u_batch, batch)
    y_cell, v_cell = start(y_first, y_batch, batch), start(v_first, v_batch, batch)
    mask_cell = start(mask_first, mask_batch, batch)
    rows, others = word(rows), word(others)
    queries = others if OF_KEYS else rows
    known, last = cuda.blockIdx.z * queries, word(queries - 1)
    bring_turned(x_tile, LENGTH_LINES, x, x_cell, x_row, x_column, top, rows, LENGTH)
    bring_turned(u_tile, WIDTH_LINES, u, u_cell, u_row, u_column, top, rows, WIDTH)
    if not OF_KEYS:
        cuda.syncthreads()
        out_cell = start(out_first, out_batch, batch)
        note_products(u_tile, down, across, top, queries, out, out_cell, out_row, out_column, products, known)
    for i in range(LENGTH_SUMS):
        x_sums[np.uint32(i)] = 0
    for i in range(WIDTH_SUMS):
        u_sums[np.uint32(i)] = 0
    first, end = word(0), others
    if CAUSAL and OF_KEYS:
        first = top
    elif CAUSAL:
        end = word(min(others, top + ROWS))
    for begin in range(first, end, word(KEYS)):
        for i in range(SCORES):
            weights[np.uint32(i)] = 0
            slopes[np.uint32(i)] = 0
        add_table(
            weights, left, x_tile, down, across, LENGTH, LENGTH_STEP,
            part, y, y_cell, y_row, y_column, begin, others,
        )  # fmt: skip
        add_table(
            slopes, left, u_tile, down, across, WIDTH, WIDTH_STEP,
            part, v, v_cell, v_row, v_column, begin, others,
        )  # fmt: skip
        for i in range(KEPT):
            for j in range(4):
                row, other = word(top + down + i), word(begin + across + j * ACROSS)
                cell = np.uint32(i * 4 + j)
                query, key = (other, row) if OF_KEYS else (row, other)
                score = number(weights[cell] * number(scale))
                counts = row < rows and other < others and (key <= query or not CAUSAL)
                if counts and MASK > 0:
                    mask_at = mask_cell + query * mask_row + key * mask_column
                    counts, score = masked(score, mask, mask_at)
                seen = known + min(query, last)
                weight = number(0)
                if counts:
                    weight = number(math.exp(score - sums[seen]))
                weights[cell] = weight
                slopes[cell] = number(weight * number(slopes[cell] - products[seen]))
        if OF_KEYS:
            add_sums(
                u_sums, left, weights, tile, down, across, WIDTH_ROWS, WIDTH_SUMMED, WIDTH_PIECES, WIDTH,
                part, v, v_cell, v_row, v_column, begin, others, others,
            )  # fmt: skip
            cuda.syncthreads()
        add_sums(
            x_sums, left, slopes, tile, down, across, LENGTH_ROWS, LENGTH_SUMMED, LENGTH_PIECES, LENGTH,
            part, y, y_cell, y_row, y_column, begin, others, others,
        )  # fmt: skip
    for i in range(KEPT):
        row = top + down + i
        if row < rows:
            line = cuda.blockIdx.z * rows + row
            for piece in range(LENGTH_PIECES):
                column = piece * ACROSS + across
                if column < LENGTH:
                    total = x_sums[np.uint32(i * LENGTH_PIECES + piece)]
                    of_x[line * LENGTH + column] = number(total * number(scale))
            for piece in range(WIDTH_PIECES if OF_KEYS else 0):
                column = piece * ACROSS + across
                if column < WIDTH:
                    of_u[line * WIDTH + column] = u_sums[np.uint32(i * WIDTH_PIECES + piece)]


def prepare_attention_gradient(
    backend: Cuda, element_type: dtype, layout: AttentionLayout, scale: float
) -> Launch:
    """See `tensorlab.backends.layers.LayerOperations.attention_gradient`."""
    count, number = math.prod(layout.batch), compute_type(element_type)
    sizes = None
    if layout.length * layout.width:
        sizes = constants(layout.length, layout.width, number.itemsize, SHARED, backend.driver.threads)
    if sizes is None or count > MOST:
        return Backend.attention_gradient(backend, element_type, layout, scale)
    threads, rows = sizes["THREADS"], sizes["ROWS"]
    names = {"MASK": layout.mask, "CAUSAL": layout.causal, **sizes}
    kernels_of = {
        (of_keys, is_wide): of_cells(
            attention_gradient, element_type, element_type, **names, OF_KEYS=of_keys, WIDE=is_wide
        )
        for of_keys in (False, True)
        for is_wide in (False, True)
    }
    for kernel in kernels_of.values():
        vars(kernel)["bounds"] = threads, 2
    of_q, of_k, of_v, of_mask, of_out, of_grad = layout.strides
    length, width, batch = layout.length, layout.width, tuple(layout.batch)

    def run(of_keys: bool, met: tuple[int, int], operands: list[tuple[Buffer, Any]], *found: Any) -> None:
        is_wide = all(
            fits(strides, -1, size) and is_aligned(buffer)
            for (buffer, strides), size in zip(operands[2:4], (length, width), strict=True)
        )
        arguments = matrices(*zip(*operands, strict=True))
        grid = ceil_div(met[0], rows), 1, count
        backend.run(kernels_of[of_keys, is_wide], grid, threads, *met, scale, batch, *arguments, *found)

    def launch(
        q: Buffer,
        k: Buffer,
        v: Buffer,
        mask: Buffer | None,
        out: Buffer,
        grad: Buffer,
        sums: Memory,
        *found: Memory,
    ) -> None:
        products = backend.allocate(count * layout.queries, number.cell)
        queries, keys = [(q, of_q), (grad, of_grad)], [(k, of_k), (v, of_v)]
        others = [(mask or q, of_mask), (out, of_out)]
        known, (d_q, d_k, d_v) = (sums.cells, products.cells), (each.cells for each in found)
        run(False, (layout.queries, layout.keys), [*queries, *keys, *others], *known, d_q, d_q)
        run(True, (layout.keys, layout.queries), [*keys, *queries, *others], *known, d_k, d_v)

    return launch
