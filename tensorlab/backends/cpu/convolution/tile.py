"""The innermost level: a tile of the result in vector registers, while an unfolded image passes by unseen.

A convolution is a product with the *unfolded* image, the matrix that has a row for each channel and tap of
the kernel, and in it the numbers that this tap meets, position after position. It repeats each number once
for each tap. It need not be made: in a padded copy of the image each of its rows is a run of numbers, and a
table says where the run of each row begins.
"""

from __future__ import annotations

from tensorlab.backends.cpu.gemm.cell import BYTES, LANES, ROWS, VECTORS, WIDTH
from tensorlab.backends.cpu.gemm.registers import add_outer, add_outer_at, store, zeros
from tensorlab.backends.cpu.gemm.tile import panel
from tensorlab.backends.cpu.pointers import advance, fetch_ahead


def image_tile(steps, weights, row, copy, places, sums, sums_row):
    """``sums += weights @ unfolded`` for `ROWS` rows and so many vectors of neighbouring positions.

    Row `k` of the unfolded image begins at ``copy[places[k]]``.
    """
    for i in range(ROWS):
        fetch_ahead(advance(sums, i * sums_row), WIDTH)
    totals = zeros(copy, ROWS, VECTORS, BYTES)
    for k in range(steps):
        totals = add_outer(totals, advance(weights, k), row, advance(copy, places[k]))
    store(totals, sums, sums_row, True)


def image_strip(steps, columns, weights, row, copy, places, sums, sums_row):
    """One row of tiles, side by side. All are whole: there is room for what they compute beyond the end."""
    j = 0
    while j < columns:
        wide = panel(columns - j)
        x, c = advance(copy, j), advance(sums, j)
        if wide <= LANES:
            image_tile_1(steps, weights, row, x, places, c, sums_row)
        elif wide <= 2 * LANES:
            image_tile_2(steps, weights, row, x, places, c, sums_row)
        else:
            image_tile_3(steps, weights, row, x, places, c, sums_row)
        j += wide


def gradient_tile(rows, columns, copy, pitch, places, gradients, sums, sums_row):
    """``sums += unfolded @ gradients`` for `ROWS` rows of the unfolded image and some vectors of channels.

    The positions are those of `rows` lines of `columns`, which lie `pitch` apart in the copy; `gradients` has
    a row of vectors for each.
    """
    totals = zeros(copy, ROWS, VECTORS, BYTES)
    for _ in range(rows):
        x = copy
        for _ in range(columns):
            totals = add_outer_at(totals, x, places, gradients)
            x = advance(x, 1)
            gradients = advance(gradients, VECTORS * LANES)
        copy = advance(copy, pitch)
    store(totals, sums, sums_row, True)


def gradient_strip(rows, columns, results, copy, pitch, places, panels, sums, sums_row):
    """One row of tiles, side by side, each with its panel of gradients."""
    j = 0
    while j < results:
        wide = panel(results - j)
        y, c = advance(panels, j * rows * columns), advance(sums, j)
        if wide <= LANES:
            gradient_tile_1(rows, columns, copy, pitch, places, y, c, sums_row)
        elif wide <= 2 * LANES:
            gradient_tile_2(rows, columns, copy, pitch, places, y, c, sums_row)
        else:
            gradient_tile_3(rows, columns, copy, pitch, places, y, c, sums_row)
        j += wide


# `text.py` makes one of each for every number of vectors.
image_tile_1 = image_tile_2 = image_tile_3 = image_tile
gradient_tile_1 = gradient_tile_2 = gradient_tile_3 = gradient_tile
