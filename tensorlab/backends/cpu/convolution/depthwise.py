"""Where a group has one or two results, a tile would stand almost empty: rows of the unfolded image instead.

That is the case of a convolution with a group for each channel. The loops are the same (`loops`); the three
functions here take the places of those with their names in `tile` and `copies`.
"""

from __future__ import annotations

from tensorlab.backends.cpu.gemm.cell import Number
from tensorlab.backends.cpu.gemm.pack import pack
from tensorlab.backends.cpu.pointers import advance
from tensorlab.backends.cpu.run_loops import zero_run


def image_strip(steps, columns, weights, row, copy, places, sums, sums_row):
    """``sums += weights @ unfolded`` for one row: four rows of the unfolded image are added up at a time."""
    whole = steps - steps % 4
    for k in range(0, whole, 4):
        a0, a1, a2, a3 = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
        x0, x1 = advance(copy, places[k]), advance(copy, places[k + 1])
        x2, x3 = advance(copy, places[k + 2]), advance(copy, places[k + 3])
        for j in range(columns):
            sums[j] = Number(sums[j] + (a0 * x0[j] + a1 * x1[j] + a2 * x2[j] + a3 * x3[j]))
    for k in range(whole, steps):
        weight, x = weights[k], advance(copy, places[k])
        for j in range(columns):
            sums[j] = Number(sums[j] + weight * x[j])


def pack_gradients(rows, columns, results, gradient, result, y_stride, x_stride, pitch, to):
    """Gradients at `rows` × `columns` positions, one result after another: lines as far apart as the copy's.

    Between the lines stand zeros, so that a block is one run of numbers beside the copy.
    """
    for m in range(results):
        lines = advance(to, m * rows * pitch)
        zero_run(rows * pitch, lines)
        pack(rows, columns, advance(gradient, m * result), y_stride, x_stride, lines, pitch)


def gradient_strip(rows, columns, results, copy, pitch, places, lines, sums, sums_row):
    """``sums += unfolded @ gradients`` for one row of the unfolded image."""
    count, x = (rows - 1) * pitch + columns, advance(copy, places[0])
    for m in range(results):
        gradient = advance(lines, m * rows * pitch)
        total = dot(count, x, gradient)
        if total - total != 0:  # an infinity or a NaN, perhaps only of a zero between the lines
            total = Number(0)
            for r in range(rows):
                total = Number(total + dot(columns, advance(x, r * pitch), advance(gradient, r * pitch)))
        sums[m] = Number(sums[m] + total)


def dot(count, x, y):
    """The sum of products of two runs, in whatever order vectors like."""
    total = Number(0)
    for j in range(count):
        total = Number(total + x[j] * y[j])
    return total
