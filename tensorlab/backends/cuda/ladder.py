"""The ladder of matrix products on a GPU: the same product eight times, each with less traffic to memory.

All multiply an m × k matrix by a k × n matrix, row-major. A GPU can multiply far faster than its memory can
bring numbers, so that each rung asks: how often is a number brought for each time that it is used?

=============  ==================================================================================
naive          a thread an element; neighbouring threads read cells that lie far apart
coalesced      the same, but neighbouring threads read neighbouring cells: one transfer serves all
shared_tile    a block brings a square of both matrices into shared memory once for all its threads
column_tile    a thread keeps a column of results in registers, and uses each number of `b` for all
square_tile    a thread keeps a square of results, and uses each number of a row and a column for all
vectorised     four neighbours are moved at a time, to and from both memories
double_buffer  the next numbers are on their way while these are multiplied; one barrier instead of two
warp_tiled     the threads of a warp read neighbours: what `matmul` runs, with strides and batches
=============  ==================================================================================

The ninth, for those cards that have them, is `tensorlab.backends.cuda.tensor_cores`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tensorlab.backends.cuda.constants import specialised
from tensorlab.backends.cuda.intrinsics import load4, store4, word
from tensorlab.backends.cuda.products import (
    KEPT,
    LARGEST,
    PANEL,
    PANELS,
    PITCH,
    SMALLEST,
    SQUARE,
    STEP,
    TILE,
    Sizes,
    fetch,
    keep,
    place,
    product,
    sizes,
)
from tensorlab.backends.cuda.simulator import WARP, cuda, launch

__all__ = ["LADDER", "Rung", "matmul", "sized"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# Whether k, and n, are multiples of four, so that four neighbours can be moved at a time.
WIDE_A = WIDE_B = False
# Of a block, if it computes TILE × TILE results, and each thread KEPT × KEPT.
THREADS = (TILE // KEPT) ** 2


def naive(m, n, k, a, b, c):
    row, column = cuda.grid(2)
    if row < m and column < n:
        total = np.float32(0)
        for i in range(k):
            total += a[row * k + i] * b[i * n + column]
        c[row * n + column] = total


def coalesced(m, n, k, a, b, c):
    column, row = cuda.grid(2)
    if row < m and column < n:
        total = np.float32(0)
        for i in range(k):
            total += a[row * k + i] * b[i * n + column]
        c[row * n + column] = total


def shared_tile(m, n, k, a, b, c):
    a_tile = cuda.shared.array((TILE, TILE), np.float32)
    b_tile = cuda.shared.array((TILE, TILE), np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = np.float32(0)
    for begin in range(0, k, TILE):
        a_tile[y, x] = a[row * k + begin + x] if row < m and begin + x < k else np.float32(0)
        b_tile[y, x] = b[(begin + y) * n + column] if begin + y < k and column < n else np.float32(0)
        cuda.syncthreads()
        for i in range(TILE):
            total += a_tile[y, i] * b_tile[i, x]
        cuda.syncthreads()
    if row < m and column < n:
        c[row * n + column] = total


def column_tile(m, n, k, a, b, c):
    a_tile = cuda.shared.array((TILE, STEP), np.float32)
    b_tile = cuda.shared.array((STEP, TILE), np.float32)
    totals = cuda.local.array(KEPT, np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    top, left = cuda.blockIdx.y * TILE, cuda.blockIdx.x * TILE
    me = y * TILE + x  # of TILE × TILE / KEPT threads, as many as each tile has cells
    for r in range(KEPT):
        totals[r] = 0
    for begin in range(0, k, STEP):
        bring(a_tile, b_tile, me, m, n, k, a, b, top, left, begin)
        cuda.syncthreads()
        for i in range(STEP):
            factor = b_tile[i, x]
            for r in range(KEPT):
                totals[r] += a_tile[y * KEPT + r, i] * factor
        cuda.syncthreads()
    for r in range(KEPT):
        if top + y * KEPT + r < m and left + x < n:
            c[(top + y * KEPT + r) * n + left + x] = totals[r]


def square_tile(m, n, k, a, b, c):
    a_tile = cuda.shared.array((TILE, STEP), np.float32)
    b_tile = cuda.shared.array((STEP, TILE), np.float32)
    totals = cuda.local.array((KEPT, KEPT), np.float32)
    rows = cuda.local.array(KEPT, np.float32)
    columns = cuda.local.array(KEPT, np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    top, left = cuda.blockIdx.y * TILE, cuda.blockIdx.x * TILE
    threads = cuda.blockDim.x * cuda.blockDim.y
    for r in range(KEPT):
        for s in range(KEPT):
            totals[r, s] = 0
    for begin in range(0, k, STEP):
        for cell in range(y * cuda.blockDim.x + x, TILE * STEP, threads):
            bring(a_tile, b_tile, cell, m, n, k, a, b, top, left, begin)
        cuda.syncthreads()
        for i in range(STEP):
            for r in range(KEPT):
                rows[r] = a_tile[y * KEPT + r, i]
                columns[r] = b_tile[i, x * KEPT + r]
            for r in range(KEPT):
                for s in range(KEPT):
                    totals[r, s] += rows[r] * columns[s]
        cuda.syncthreads()
    for r in range(KEPT):
        for s in range(KEPT):
            row, column = top + y * KEPT + r, left + x * KEPT + s
            if row < m and column < n:
                c[row * n + column] = totals[r, s]


def bring(a_tile, b_tile, cell, m, n, k, a, b, top, left, begin):
    """Bring one cell of both tiles, which begin at row `top` and at column `left`; zeros outside."""
    row, i = cell // STEP, cell % STEP
    inside = top + row < m and begin + i < k
    a_tile[row, i] = a[(top + row) * k + begin + i] if inside else np.float32(0)
    i, column = cell // TILE, cell % TILE
    inside = begin + i < k and left + column < n
    b_tile[i, column] = b[(begin + i) * n + left + column] if inside else np.float32(0)


def vectorised(m, n, k, a, b, c):
    a_panel = cuda.shared.array(PANEL, np.float32, alignment=16)
    b_panel = cuda.shared.array(PANEL, np.float32, alignment=16)
    totals = cuda.local.array(SQUARE, np.float32)
    rows = cuda.local.array(KEPT, np.float32)
    columns = cuda.local.array(KEPT, np.float32)
    top, left = cuda.blockIdx.y * TILE, cuda.blockIdx.x * TILE
    y, x, a_keep, b_keep, a_cell, b_cell, a_rows, b_columns, a_left, b_left = task(m, n, k, top, left)
    for r in range(SQUARE):
        totals[r] = 0
    for begin in range(0, k, STEP):
        a_next = fetch(a, a_cell + begin, 1, a_rows, a_left - begin, True, WIDE_A)
        b_next = fetch(b, b_cell + begin * n, 1, b_columns, b_left - begin, False, WIDE_B)
        keep(a_panel, a_keep, a_next, True)
        keep(b_panel, b_keep, b_next, False)
        cuda.syncthreads()
        for i in range(STEP):
            outer_product(a_panel, i * PITCH + y, b_panel, i * PITCH + x, totals, rows, columns)
        cuda.syncthreads()
    put(c, m, n, top + y, left + x, totals)


def double_buffer(m, n, k, a, b, c):
    a_panels = cuda.shared.array(PANELS, np.float32, alignment=16)
    b_panels = cuda.shared.array(PANELS, np.float32, alignment=16)
    totals = cuda.local.array(SQUARE, np.float32)
    rows = cuda.local.array(KEPT, np.float32)
    columns = cuda.local.array(KEPT, np.float32)
    top, left = cuda.blockIdx.y * TILE, cuda.blockIdx.x * TILE
    y, x, a_keep, b_keep, a_cell, b_cell, a_rows, b_columns, a_left, b_left = task(m, n, k, top, left)
    for r in range(SQUARE):
        totals[r] = 0
    keep(a_panels, a_keep, fetch(a, a_cell, 1, a_rows, a_left, True, WIDE_A), True)
    keep(b_panels, b_keep, fetch(b, b_cell, 1, b_columns, b_left, False, WIDE_B), False)
    cuda.syncthreads()
    half = word(0)
    for begin in range(STEP, k + STEP, STEP):
        a_next = fetch(a, a_cell + begin, 1, a_rows, a_left - begin, True, WIDE_A)
        b_next = fetch(b, b_cell + begin * n, 1, b_columns, b_left - begin, False, WIDE_B)
        for i in range(STEP):
            a_line, b_line = half + i * PITCH + y, half + i * PITCH + x
            outer_product(a_panels, a_line, b_panels, b_line, totals, rows, columns)
        half = word(PANEL - half)  # the half that nobody reads until the barrier
        keep(a_panels, half + a_keep, a_next, True)
        keep(b_panels, half + b_keep, b_next, False)
        cuda.syncthreads()
    put(c, m, n, top + y, left + x, totals)


def task(m, n, k, top, left):
    """What a thread does of a block's work, whose results begin at row `top` and column `left`.

    It computes the square that begins at (`y`, `x`) in the block's. Of each of the two panels it brings four
    neighbours: the cell of the panel where the first is kept, its cell in the matrix, and how many rows (or
    columns) and how many steps along k are left from there.
    """
    me = word(cuda.threadIdx.x)
    y, x = me // (TILE // KEPT) * KEPT, me % (TILE // KEPT) * KEPT
    row, a_i = place(me, True)
    column, b_i = place(me, False)
    a_keep, b_keep = a_i * PITCH + row, b_i * PITCH + column
    a_cell, b_cell = (top + row) * k + a_i, b_i * n + left + column
    a_rows, b_columns = m - top - row, n - left - column
    a_left, b_left = (k - a_i if a_rows > 0 else 0), (k - b_i if b_columns > 0 else 0)
    return y, x, a_keep, b_keep, a_cell, b_cell, a_rows, b_columns, a_left, b_left


def outer_product(a_panel, a_cell, b_panel, b_cell, totals, rows, columns):
    """A column of `a` times a row of `b`, for the square of results that a thread keeps."""
    for i in range(0, KEPT, 4):
        rows[i], rows[i + 1], rows[i + 2], rows[i + 3] = load4(a_panel, a_cell + i)
        columns[i], columns[i + 1], columns[i + 2], columns[i + 3] = load4(b_panel, b_cell + i)
    for r in range(KEPT):
        for s in range(KEPT):
            totals[r * KEPT + s] += rows[r] * columns[s]


def put(c, m, n, row, column, totals):
    """Write a thread's square of results."""
    for r in range(KEPT):
        for s in range(0, KEPT, 4):
            if row + r < m and column + s < n:
                first, t = (row + r) * n + column + s, r * KEPT + s
                if WIDE_B:
                    store4(c, first, (totals[t], totals[t + 1], totals[t + 2], totals[t + 3]))
                else:
                    for i in range(4):
                        if column + s + i < n:
                            c[first + i] = totals[t + i]


def warp_tiled(m, n, k, a, b, c):
    product(
        m, n, k, 1.0, 0.0, (1,), c, 0, (0,), n, 1, a, 0, (0,), k, 1, b, 0, (0,), n, 1,
        c, 0, (0,), n, 1, c, 0, (0,), n, 1,
    )  # fmt: skip


class Rung(NamedTuple):
    """One way to multiply.

    Attributes:
        kernel: called with m, n, k and the cells of `a`, `b` and the result.
        block: how many threads a block has along x and y; it computes ``TILE`` × ``TILE`` results.
        rows_along_x: whether the blocks' x counts rows.
    """

    kernel: Callable[..., None]
    block: tuple[int, int]
    rows_along_x: bool = False


LADDER = {
    "naive": Rung(naive, (TILE, TILE), rows_along_x=True),
    "coalesced": Rung(coalesced, (TILE, TILE)),
    "shared_tile": Rung(shared_tile, (TILE, TILE)),
    "column_tile": Rung(column_tile, (TILE, TILE // KEPT)),
    "square_tile": Rung(square_tile, (TILE // KEPT, TILE // KEPT)),
    "vectorised": Rung(vectorised, (THREADS, 1)),
    "double_buffer": Rung(double_buffer, (THREADS, 1)),
    "warp_tiled": Rung(warp_tiled, (THREADS, 1)),
}


# What a block computes of a GPU's large matrices, and what a thread keeps, where it is not as in `products`.
_SIZES = {
    "naive": sizes(32, 4),
    "coalesced": sizes(32, 4),
    "shared_tile": sizes(32, 4),
    "column_tile": sizes(64, 8),
}


def sized(
    rung: str, is_small: bool = False, of_size: Sizes | None = None
) -> tuple[Callable[..., None], tuple[int, int], int]:
    """A rung as large as a GPU wants it, for matrices whose sizes are multiples of 128.

    Args:
        rung: a name in `LADDER`.
        is_small: whether it stays as small as the simulator wants it, for multiples of 16.
        of_size: how much a block and a thread compute, in place of what is best.

    Returns:
        the kernel, the threads of a block along x and y, and how many rows and columns a block computes.
    """
    chosen = of_size or (SMALLEST if is_small else _SIZES.get(rung, LARGEST))
    tile, kept = chosen[:2]
    names = chosen._asdict()
    if rung == "column_tile":  # each thread brings one number of each tile
        names["STEP"] = tile // kept
    made = specialised(LADDER[rung].kernel, **names, WIDE_A=True, WIDE_B=True, WIDE_OUT=True)
    if rung in ("naive", "coalesced", "shared_tile"):
        return made, (tile, tile), tile
    if chosen.threads >= WARP and rung != "column_tile":
        vars(made)["bounds"] = chosen.threads, 512 // chosen.threads
    threads = {"column_tile": (tile, tile // kept), "square_tile": (tile // kept, tile // kept)}
    return made, threads.get(rung, (chosen.threads, 1)), tile


def matmul(rung: str, a: np.ndarray, b: np.ndarray, seed: int = 0) -> np.ndarray:
    """The product of two float32 matrices by one rung, in the simulator.

    Args:
        rung: a name in `LADDER`.
        a: m × k.
        b: k × n.
        seed: chooses the order in which threads run.

    Example:
        >>> matmul("shared_tile", np.eye(2, dtype=np.float32), np.ones((2, 3), np.float32)).tolist()
        [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    kernel, block, rows_along_x = LADDER[rung]
    (m, k), n = a.shape, b.shape[1]
    kernel = specialised(kernel, WIDE_A=k % 4 == 0, WIDE_B=n % 4 == 0, WIDE_OUT=n % 4 == 0)
    c = np.empty(m * n, np.float32)
    grid = -(-n // TILE), -(-m // TILE)
    launch(kernel, grid[::-1] if rows_along_x else grid, block, m, n, k, a.ravel(), b.ravel(), c, seed=seed)
    return c.reshape(m, n)
