"""The product of matrices on tensor cores, which multiply 16 × 16 by 16 × 8 numbers for a warp at a time.

They take bfloat16, float16, or float32 rounded to 10 bits of fraction (*tf32*), and sum in float32. A block
computes a square of ``TILE`` × ``TILE`` results as in `tensorlab.backends.cuda.products`, whose words for
operands these are. What differs: cells go from global into shared memory without a register between
(asynchronous copies), and each thread keeps the pieces of a matrix that the tensor cores want of its lane.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tensorlab.backends.cuda.constants import specialised
from tensorlab.backends.cuda.intrinsics import (
    async_commit,
    async_copy,
    async_wait,
    load_matrices,
    load_matrices_turned,
    multiply_bfloat16,
    multiply_float16,
    multiply_tf32,
    tf32,
    word,
)
from tensorlab.backends.cuda.products import finish, start
from tensorlab.backends.cuda.simulator import cuda

__all__ = ["LARGE", "SMALL", "Pieces", "of_type", "put", "tensor_product"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class Pieces(NamedTuple):
    """The constants that size a kernel.

    Attributes:
        DOWN, ACROSS: how many warps stand below and beside each other in a block.
        ROWS, COLUMNS: how many pieces of 16 × 16 results a warp has below and beside each other.
        VECTOR: how many cells are 16 bytes.
        DEPTH: how far the tensor cores go along k at a time.
    """

    DOWN: int
    ACROSS: int
    ROWS: int
    COLUMNS: int
    VECTOR: int = 8
    DEPTH: int = 16

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return 32 * self.DOWN * self.ACROSS

    @property
    def tile(self) -> int:
        """The rows, and the columns, of a block's results."""
        return 16 * self.DOWN * self.ROWS

    def names(self) -> dict[str, int]:
        """All constants of the kernel."""
        tile, step = self.tile, 4 * self.VECTOR  # a line along k is 64 bytes
        return {
            **self._asdict(),
            "TILE": tile,
            "STEP": step,
            # Lines are 16 bytes longer than they need be: eight that follow each other lie in all banks.
            "PANEL": max(tile * (step + self.VECTOR), step * (tile + self.VECTOR)),
            "PANELS": 2 * max(tile * (step + self.VECTOR), step * (tile + self.VECTOR)),
            "TOTALS": 8 * self.ROWS * self.COLUMNS,
            "LEFT": 4 * self.ROWS,
            "RIGHT": 4 * self.COLUMNS,
            "PASSES": tile * step // self.VECTOR // self.threads,
            "THREADS": self.threads,
        }


SMALL, LARGE = Pieces(1, 2, 2, 1), Pieces(2, 4, 4, 2)
DOWN, ACROSS, ROWS, COLUMNS, VECTOR, DEPTH = SMALL
TILE = STEP = PANEL = PANELS = TOTALS = LEFT = RIGHT = PASSES = THREADS = 0
A_ALONG_K, B_ALONG_K = True, False
IS_WIDE = True
cell_type = np.uint16


def bring(panels, half, x, first, outer_step, k_step, top, outers, begin, k, along_k):
    """Start to copy a panel: from row (or column) `top` and from `begin` along k, zeros behind the ends."""
    me = word(cuda.threadIdx.x)
    for _ in range(PASSES):
        if along_k:
            outer, i = me // (STEP // VECTOR), me % (STEP // VECTOR) * VECTOR
            cell = half + outer * (STEP + VECTOR) + i
        else:
            outer, i = me % (TILE // VECTOR) * VECTOR, me // (TILE // VECTOR)
            cell = half + i * (TILE + VECTOR) + outer
        source = first + (top + outer) * outer_step + (begin + i) * k_step
        if IS_WIDE:
            is_there = top + outer < outers and begin + i < k
            async_copy(panels, cell, x, source if is_there else first, VECTOR if is_there else 0)
        else:
            for j in range(VECTOR):
                if along_k:
                    is_there = top + outer < outers and begin + i + j < k
                    panels[cell + j] = x[source + j * k_step] if is_there else cell_type(0)
                else:
                    is_there = top + outer + j < outers and begin + i < k
                    panels[cell + j] = x[source + j * outer_step] if is_there else cell_type(0)
        me += THREADS


# How `b` is brought; what `tensorlab.backends.cuda.products` says of its own functions holds for these, too.


def begin_b(first, strides, batch, row, column, left):
    """Where the matrix of a block's product begins."""
    return start(first, strides, batch)


def move_b(at, row, column):
    """The same: what is brought of it later, `bring` knows."""
    return at


def bring_b(panels, half, b, at, row, column, left, n, begin, k):
    """Start to copy a panel of `b`."""
    bring(panels, half, b, at, column, row, left, n, begin, k, B_ALONG_K)


def left_piece(panels, half, outer, i, along_k):
    """What the tensor cores want of a lane of 16 rows of `a`: four words."""
    lane = word(cuda.laneid)
    down, along = lane // 8 % 2 * 8, lane // 16 * 8
    if along_k:
        return load_matrices(panels, half + (outer + down + lane % 8) * (STEP + VECTOR) + i + along)
    return load_matrices_turned(panels, half + (i + along + lane % 8) * (TILE + VECTOR) + outer + down)


def right_piece(panels, half, outer, i, along_k):
    """What they want of 16 columns of `b`: two words for the first eight, and two for the others."""
    lane = word(cuda.laneid)
    across, along = lane // 16 * 8, lane // 8 % 2 * 8
    if along_k:
        return load_matrices(panels, half + (outer + across + lane % 8) * (STEP + VECTOR) + i + along)
    return load_matrices_turned(panels, half + (i + along + lane % 8) * (TILE + VECTOR) + outer + across)


def left_piece_tf32(panels, half, outer, i, along_k):
    """`left_piece` of float32."""
    lane = word(cuda.laneid)
    outer, i = outer + lane // 4, i + lane % 4
    step, k_step = (STEP + VECTOR, 1) if along_k else (1, TILE + VECTOR)
    cell = half + outer * step + i * k_step
    return (
        tf32(panels[cell]),
        tf32(panels[cell + 8 * step]),
        tf32(panels[cell + 4 * k_step]),
        tf32(panels[cell + 8 * step + 4 * k_step]),
    )


def right_piece_tf32(panels, half, outer, i, along_k):
    """`right_piece` of float32."""
    w = left_piece_tf32(panels, half, outer, i, along_k)
    return w[0], w[2], w[1], w[3]


multiply = multiply_bfloat16


def put(
    m, n, row, column, totals, alpha, beta, out, out_first, out_row, out_column,
    source, source_first, source_row, source_column,
    residual, residual_first, residual_row, residual_column,
):  # fmt: skip
    """Write a warp's results, of which each lane keeps two neighbours in every square of 8 × 8."""
    lane = word(cuda.laneid)
    first = column + lane % 4 * 2
    for r in range(2 * ROWS):
        i = row + lane // 4 + 8 * r
        if i < m:
            cell = out_first + i * out_row + first * out_column
            added = source_first + i * source_row + first * source_column
            last = residual_first + i * residual_row + first * residual_column
            for s in range(2 * COLUMNS):
                for t in range(2):
                    if first + 8 * s + t < n:
                        out[cell + t * out_column] = finish(
                            totals[4 * (r // 2 * 2 * COLUMNS + s) + r % 2 * 2 + t], alpha, beta,
                            source, added + t * source_column, residual, last + t * residual_column,
                        )  # fmt: skip
                cell += 8 * out_column
                added += 8 * source_column
                last += 8 * residual_column


def tensor_product(
    m, n, k, alpha, beta, batch, out, out_first, out_batch, out_row, out_column,
    a, a_first, a_batch, a_row, a_column, b, b_first, b_batch, b_row, b_column,
    source, source_first, source_batch, source_row, source_column,
    residual, residual_first, residual_batch, residual_row, residual_column,
):  # fmt: skip
    """``out = finish(a @ b, ...)`` for a batch of matrices."""
    a_panels = cuda.shared.array(PANELS, cell_type, alignment=16)
    b_panels = cuda.shared.array(PANELS, cell_type, alignment=16)
    totals = cuda.local.array(TOTALS, np.float32)
    left_words = cuda.local.array(LEFT, np.uint32)
    right_words = cuda.local.array(RIGHT, np.uint32)
    for i in range(TOTALS):
        totals[i] = 0
    a_first = start(a_first, a_batch, batch)
    top, left = cuda.blockIdx.y * TILE, cuda.blockIdx.x * TILE
    b_at = begin_b(b_first, b_batch, batch, b_row, b_column, left)
    me = word(cuda.threadIdx.x)
    warp = me // 32
    row, column = warp // ACROSS * (16 * ROWS), warp % ACROSS * (16 * COLUMNS)

    bring(a_panels, 0, a, a_first, a_row, a_column, top, m, 0, k, A_ALONG_K)
    bring_b(b_panels, 0, b, b_at, b_row, b_column, left, n, 0, k)
    async_commit()
    half = word(0)
    done = word(0)
    while done < k:
        async_wait(0)
        cuda.syncthreads()  # the panels are there, and nobody reads the other ones any more
        done = word(done + STEP)
        if done < k:
            bring(a_panels, PANEL - half, a, a_first, a_row, a_column, top, m, done, k, A_ALONG_K)
            b_at = move_b(b_at, b_row, b_column)
            bring_b(b_panels, PANEL - half, b, b_at, b_row, b_column, left, n, done, k)
            async_commit()
        for i in range(0, STEP, DEPTH):
            for r in range(ROWS):
                w = left_piece(a_panels, half, row + 16 * r, i, A_ALONG_K)
                left_words[4 * r], left_words[4 * r + 1] = w[0], w[1]
                left_words[4 * r + 2], left_words[4 * r + 3] = w[2], w[3]
            for s in range(COLUMNS):
                w = right_piece(b_panels, half, column + 16 * s, i, B_ALONG_K)
                right_words[4 * s], right_words[4 * s + 1] = w[0], w[1]
                right_words[4 * s + 2], right_words[4 * s + 3] = w[2], w[3]
            for r in range(ROWS):
                for s in range(2 * COLUMNS):
                    t = 4 * (r * 2 * COLUMNS + s)
                    totals[t], totals[t + 1], totals[t + 2], totals[t + 3] = multiply(
                        (
                            left_words[4 * r],
                            left_words[4 * r + 1],
                            left_words[4 * r + 2],
                            left_words[4 * r + 3],
                        ),
                        (right_words[2 * s], right_words[2 * s + 1]),
                        (totals[t], totals[t + 1], totals[t + 2], totals[t + 3]),
                    )
        half = word(PANEL - half)

    out_cell = start(out_first, out_batch, batch)
    source_cell = start(source_first, source_batch, batch)
    residual_cell = start(residual_first, residual_batch, batch)
    put(
        m, n, top + row, left + column, totals, alpha, beta, out, out_cell, out_row, out_column,
        source, source_cell, source_row, source_column,
        residual, residual_cell, residual_row, residual_column,
    )  # fmt: skip


@functools.cache
def of_type(
    name: str,
    along_k: tuple[bool, bool],
    is_wide: bool,
    pieces: Pieces,
    finish: Callable,
    widen: Callable,
    **functions: Callable,
) -> Callable[..., None]:
    """`tensor_product` for operands of a type.

    Args:
        name: ``"bfloat16"``, ``"float16"`` or ``"tf32"``.
        along_k: whether `a`, and `b`, have their neighbours along k.
        is_wide: whether both can be read 16 bytes at a time.
        pieces: how much a block and a warp compute.
        finish, widen: what makes a cell of a result, and a number of a cell.
        functions: what brings `b`, if it is no matrix in memory.
    """
    names: dict[str, Any] = {"finish": finish, "widen": widen, "IS_WIDE": is_wide, **functions}
    names |= dict(zip(("A_ALONG_K", "B_ALONG_K"), along_k, strict=True))
    if name == "tf32":
        pieces = pieces._replace(VECTOR=4, DEPTH=8)
        names |= {"left_piece": left_piece_tf32, "right_piece": right_piece_tf32}
        names |= {"multiply": multiply_tf32, "cell_type": np.float32}
    else:
        names["multiply"] = multiply_float16 if name == "float16" else multiply_bfloat16
    made = specialised(tensor_product, **names, **pieces.names())
    if pieces.threads == LARGE.threads:
        vars(made)["bounds"] = LARGE.threads, 1 if name == "tf32" else 2
    return made
