"""Copies of blocks of A and B: whatever their strides, the copy's rows are runs of numbers.

A block of B is cut into panels as wide as a tile, one after the other, so that a tile reads its panel from
beginning to end. A block of A is copied row by row; or cut into strips as high as a tile, if its columns are
runs, which then stay runs.
"""

from __future__ import annotations

from tensorlab.backends.cpu.gemm.cell import LANES, ROWS, SAME, WIDTH, numbers, widen
from tensorlab.backends.cpu.gemm.tile import panel
from tensorlab.backends.cpu.pointers import advance, copy, copy_second
from tensorlab.backends.cpu.simd import transpose_tile


def pack(rows, columns, source, row, column, to, to_row):
    """``to[i * to_row + j] = source[i * row + j * column]``, widened."""
    if column == 1:
        for i in range(rows):
            pack_run(columns, advance(source, i * row), advance(to, i * to_row))
    elif column == 2 and SAME:  # every second cell: so common that it is worth vector code of its own
        whole = columns - columns % LANES
        for i in range(rows):
            x, y = advance(numbers(source, to), i * row), advance(to, i * to_row)
            for j in range(0, whole, LANES):
                copy_second(advance(x, 2 * j), advance(y, j), LANES)
            for j in range(whole, columns):
                y[j] = x[2 * j]
    else:
        whole_rows, whole_columns = 0, 0
        if row == 1 and SAME:  # the source's columns are runs: tiles of 8 × 8 are transposed in registers
            whole_rows, whole_columns = rows - rows % 8, columns - columns % 8
            for j in range(0, whole_columns, 8):
                for i in range(0, whole_rows, 8):
                    corner = advance(numbers(source, to), i + j * column)
                    transpose_tile(corner, column, advance(to, i * to_row + j), to_row)
        for below in range(2):  # the columns behind the tiles, then the rows below them
            top, left = (whole_rows, 0) if below else (0, whole_columns)
            right = whole_columns if below else columns
            pack_cells(top, rows, left, right, source, row, column, to, to_row)


def pack_run(count, source, to):
    """One row: a tile's width at once if it has that."""
    if count == WIDTH and SAME:
        copy(numbers(source, to), to, WIDTH)
    else:
        for j in range(count):
            to[j] = widen(source[j])


def pack_cells(top, bottom, left, right, source, row, column, to, to_row):
    """Cell by cell, in squares of 16 × 16, so that both sides stay in the first-level cache."""
    for i0 in range(top, bottom, 16):
        for j0 in range(left, right, 16):
            for i in range(i0, min(i0 + 16, bottom)):
                for j in range(j0, min(j0 + 16, right)):
                    to[i * to_row + j] = widen(source[i * row + j * column])


def pack_panels(steps, columns, b, b_step, b_col, to):
    """A block of B as panels; the one at column `j` begins at ``to[j * steps]``."""
    j = 0
    while j < columns:
        wide = panel(columns - j)
        row = (wide + LANES - 1) // LANES * LANES
        pack(steps, wide, advance(b, j * b_col), b_step, b_col, advance(to, j * steps), row)
        j += wide


def pack_strips(rows, steps, a, a_step, to):
    """A block of A, whose columns are runs, as strips; the one at row `r` begins at ``to[r * steps]``.

    A strip holds the numbers of its first step, then those of the next. All strips are filled at once, so
    that the columns are read one after the other.
    """
    whole = rows - rows % ROWS
    for p in range(steps):
        x, y = advance(a, p * a_step), advance(to, p * ROWS)
        if SAME:
            for r in range(0, whole, ROWS):
                copy(advance(numbers(x, to), r), advance(y, r * steps), ROWS)
        else:
            for r in range(0, whole, ROWS):
                for i in range(ROWS):
                    y[r * steps + i] = widen(x[r + i])
        for i in range(rows - whole):
            y[whole * steps + i] = widen(x[whole + i])
