"""Layer normalisation, row by row: a row's mean and deviation, then the row; and the way back.

A row is looked at three times while it lies in the first-level cache: for its mean, for the squares of its
distances from that, and to be written. Sums are made in blocks and added up in float64.

With g the gradients of the results, w the weights and z the normalised numbers, the gradient of an element is
``deviation⁻¹ * (w g - mean(w g) - z mean(w g z))``; that of the weights is the sum of ``g z`` over the rows,
and that of the biases the sum of ``g``. Both are collected as the rows pass by.
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu.cell import Number, narrow, widen
from tensorlab.backends.cpu.intrinsics import prefetch
from tensorlab.backends.cpu.pointers import advance, at

__all__ = [
    "backward",
    "forward",
    "gather",
    "row_gradient",
    "row_sums",
    "run_squares",
    "run_sum",
    "write_gradient",
    "write_row",
]

BLOCK = 1024  # numbers that are summed up in the compute type
LINE = 16  # numbers of a row that are asked for ahead of time in one go
TOGETHER = 32  # rows whose gradients of the weights are
CENTERS = WEIGHS = True  # whether the mean is taken away, and whether the weights have gradients


def run_sum(count, x):
    """The sum of a block."""
    total = Number(0)
    for j in range(count):
        total += widen(x[j])
    return total


def run_squares(count, x, mean):
    """The sum of the squares of the distances from `mean`."""
    total = Number(0)
    for j in range(count):
        distance = widen(x[j]) - mean
        total += distance * distance
    return total


def write_row(count, x, out, mean, scale, weight, bias):
    """``(x - mean) * scale * weight + bias``."""
    for j in range(count):
        out[j] = narrow((widen(x[j]) - mean) * scale * weight[j] + bias[j])


def forward(first, last, count, eps, out, x, weight, bias, means, scales):
    """Rows `first` … `last` - 1. Each leaves its mean, and the reciprocal of its deviation, its scale."""
    w, b = at(weight, 0), at(bias, 0)
    for row in range(first, last):
        cells = at(x, row * count)
        for line in range(0, count, LINE):  # the next row is on its way while this one is worked on
            prefetch(x, (row + 1) * count + line)
        mean = Number(0)
        if CENTERS:
            total = 0.0
            for begin in range(0, count, BLOCK):
                total += run_sum(min(BLOCK, count - begin), advance(cells, begin))
            mean = Number(total / count)
        squares = 0.0
        for begin in range(0, count, BLOCK):
            squares += run_squares(min(BLOCK, count - begin), advance(cells, begin), mean)
        scale = Number(1.0 / np.sqrt(squares / count + eps))
        write_row(count, cells, at(out, row * count), mean, scale, w, b)
        means[row] = mean
        scales[row] = scale


def row_sums(count, x, grad, mean, scale, weight, of_weight, of_bias):
    """The sums of ``w g`` and of ``w g z``; on the way the weights and biases get what the row gives them."""
    total, product = Number(0), Number(0)
    for j in range(count):
        g, z = widen(grad[j]), (widen(x[j]) - mean) * scale
        if WEIGHS:
            of_weight[j] += g * z
            of_bias[j] += g
        weighed = g * weight[j]
        total += weighed
        product += weighed * z
    return total, product


def write_gradient(count, x, grad, out, mean, scale, weight, total, product):
    """``scale * (w g - total - z * product)``, where these are means."""
    for j in range(count):
        z = (widen(x[j]) - mean) * scale
        out[j] = narrow(scale * (widen(grad[j]) * weight[j] - total - z * product))


def gather(count, part, whole):
    """Add to `whole` what was collected of some rows, and begin anew."""
    for j in range(count):
        whole[j] += part[j]
        part[j] = Number(0)


def row_gradient(count, x, grad, out, mean, scale, weight, of_weight, of_bias):
    """The gradient of one row."""
    total, product = 0.0, 0.0
    for begin in range(0, count, BLOCK):
        sums = row_sums(
            min(BLOCK, count - begin), advance(x, begin), advance(grad, begin), mean, scale,
            advance(weight, begin), advance(of_weight, begin), advance(of_bias, begin),
        )  # fmt: skip
        total += sums[0]
        product += sums[1]
    mean_total = Number(total / count) if CENTERS else Number(0)
    write_gradient(count, x, grad, out, mean, scale, weight, mean_total, Number(product / count))


def backward(first, last, rows, parts, count, out, x, grad, weight, means, scales, sums, wholes):
    """Parts `first` … `last` - 1 of the `rows`.

    Each part has a row of `sums` and of `wholes`, with room for the gradients of the weights and then of the
    biases. They are collected in `sums`, which is zero and of the compute type, and now and then added to
    `wholes`, which is float64.
    """
    for part in range(first, last):
        where = part * 2 * count if WEIGHS else 0
        of_weight, of_bias = at(sums, where), at(sums, where + (count if WEIGHS else 0))
        first_row = part * rows // parts
        for row in range(first_row, (part + 1) * rows // parts):
            cell = row * count
            row_gradient(
                count, at(x, cell), at(grad, cell), at(out, cell), means[row], scales[row], at(weight, 0),
                of_weight, of_bias,
            )  # fmt: skip
            if WEIGHS and (row - first_row) % TOGETHER == TOGETHER - 1:
                gather(2 * count, of_weight, at(wholes, where))
        if WEIGHS:
            gather(2 * count, of_weight, at(wholes, where))
