"""The micro-kernel: one tile of the result, collected in vector registers over the steps of k.

Each step multiplies a column of A by a row of B and adds the outer product to the tile. With 8 rows and 3
vectors to a row it loads 8 numbers and 3 vectors for 24 multiply-adds of whole vectors, so that the
multiply-adds are what takes the time, and memory is written once for a run of steps.
"""

from __future__ import annotations

from tensorlab.backends.cpu.gemm.cell import BYTES, LANES, ROWS, VECTORS, WIDTH
from tensorlab.backends.cpu.gemm.registers import (
    add_run,
    add_run_partly,
    plus,
    store,
    store_partly,
    zeros,
)
from tensorlab.backends.cpu.pointers import advance

RUN = 128  # steps of a run, of which there are several
SHORT = 32  # fewer steps are one run


def whole_tile(steps, a, a_row, a_step, b, b_row, c, c_row, adds):
    """``C = A @ B``, or ``C += A @ B`` if it `adds`, for `ROWS` rows of whole vectors."""
    run = run_of(steps)
    none = zeros(b, ROWS, VECTORS, BYTES)
    total = add_run(none, min(run, steps), a, a_row, a_step, b, b_row)
    p = run
    while p < steps:
        x, y = advance(a, p * a_step), advance(b, p * b_row)
        sums = add_run(none, min(run, steps - p), x, a_row, a_step, y, b_row)
        total = plus(total, sums)
        p += run
    store(total, c, c_row, adds)


def edge_tile(steps, rows, columns, a, a_row, a_step, b, b_row, c, c_row, adds):
    """The same for a tile that has fewer rows, or whose columns end within its last vector.

    Its loop stands here once for all runs, which takes less time to compile and somewhat more to run.
    """
    run = run_of(steps)
    none = zeros(b, ROWS, VECTORS, BYTES)
    total = none
    for p in range(0, steps, run):
        x, y = advance(a, p * a_step), advance(b, p * b_row)
        sums = add_run_partly(none, min(run, steps - p), rows, columns, x, a_row, a_step, y, b_row)
        total = plus(total, sums) if p > 0 else sums
    store_partly(total, c, c_row, rows, columns, adds)


def run_of(steps):
    """The steps that are summed up in one go, from zero: half of a short sum, or `RUN` of a long one.

    A sum of many numbers grows, and with it the error of each addition: the sums of short runs are smaller,
    and there are few of them to add.
    """
    return (steps + 1) // 2 if SHORT <= steps <= 2 * RUN else RUN


def tile(steps, rows, columns, a, a_row, a_step, b, b_row, c, c_row, adds):
    """A tile of any size up to `ROWS` × `WIDTH`; whole and edge tiles exist for each number of vectors."""
    if rows == ROWS and columns == WIDTH:
        whole_tile_3(steps, a, a_row, a_step, b, b_row, c, c_row, adds)
    elif rows == ROWS and columns == 2 * LANES:
        whole_tile_2(steps, a, a_row, a_step, b, b_row, c, c_row, adds)
    elif columns <= LANES:
        edge_tile_1(steps, rows, columns, a, a_row, a_step, b, b_row, c, c_row, adds)
    elif columns <= 2 * LANES:
        edge_tile_2(steps, rows, columns, a, a_row, a_step, b, b_row, c, c_row, adds)
    else:
        edge_tile_3(steps, rows, columns, a, a_row, a_step, b, b_row, c, c_row, adds)


def panel(left):
    """The columns of the next tile, when so many are left: of four vectors two, else as many as fit."""
    return 2 * LANES if WIDTH < left <= WIDTH + LANES else min(left, WIDTH)


def strip(steps, rows, columns, a, a_row, a_step, b, b_row, packed, c, c_row, adds):
    """One row of tiles, side by side: loop 5 of `tiles.py`.

    B lies in place with rows `b_row` apart; or it is `packed` in panels of `b_row` steps, of which the first
    `steps` are taken.
    """
    j = 0
    while j < columns:
        wide = panel(columns - j)
        if packed:
            y, row = advance(b, j * b_row), (wide + LANES - 1) // LANES * LANES
        else:
            y, row = advance(b, j), b_row
        tile(steps, rows, wide, a, a_row, a_step, y, row, advance(c, j), c_row, adds)
        j += wide


# `text.py` makes one of each for every number of vectors.
whole_tile_2 = whole_tile_3 = whole_tile
edge_tile_1 = edge_tile_2 = edge_tile_3 = edge_tile
