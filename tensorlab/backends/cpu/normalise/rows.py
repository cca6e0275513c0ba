"""Layer normalisation, row by row: a row's mean and deviation, then the row; and the way back.

A row is looked at three times while it lies in the first-level cache: for its mean, for the squares of its
distances from that, and to be written. Sums are made in blocks and added up in float64.

The processor loads ahead while cells are walked along for the first time, and then knows of nothing more to
load while the row is looked at again. So the rows to come are asked for. On the way back, where the caches
cannot have the cells from the last time, this is done piece by piece, and for the results' places as well.

A row need not begin where a line of the caches begins, and a vector that is stored across two lines waits for
both. So the results before the first line are written by themselves: on the way back always, on the way there
where cells are far. Sums begin with the row, so that they do not depend on where it lies.

With g the gradients of the results, w the weights and z the normalised numbers, the gradient of an element is
``deviation⁻¹ * (w g - mean(w g) - z mean(w g z))``; that of the weights is the sum of ``g z`` over the rows,
and that of the biases the sum of ``g``. Both are collected as the rows pass by.
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu.cell import Number, narrow, widen
from tensorlab.backends.cpu.intrinsics import prefetch
from tensorlab.backends.cpu.lines import to_line
from tensorlab.backends.cpu.pointers import advance, at

__all__ = [
    "ask",
    "backward",
    "forward",
    "gather",
    "row_gradient",
    "row_sums",
    "run_squares",
    "run_sum",
    "write_far_gradient",
    "write_gradient",
    "write_row",
]

BLOCK = 1024  # numbers that are summed up in the compute type
PIECE = 256  # numbers that are worked on before more of the next row is asked for
LINE = 16  # cells to a line of the caches
AHEAD = 2048  # how far ahead of a row cells are asked for on the way there
TOGETHER = 32  # rows whose gradients of the weights are
CENTERS = WANTS_WEIGHTS = True  # whether the mean is taken away, and whether the weights have gradients
FAR = False  # whether the cells are more than the caches keep


def ask(cells, first, count):
    """So many cells from the first on are on their way while others are worked on."""
    for line in range(0, count, LINE):
        prefetch(cells, first + line)


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
    for row in range(first, last):
        cells = at(x, row * count)
        mean = Number(0)
        if CENTERS:
            total = 0.0
            for begin in range(0, count, BLOCK):
                total += run_sum(min(BLOCK, count - begin), advance(cells, begin))
            mean = Number(total / count)
        ask(x, row * count + max(count, AHEAD), count)
        squares = 0.0
        for begin in range(0, count, BLOCK):
            squares += run_squares(min(BLOCK, count - begin), advance(cells, begin), mean)
        scale = Number(1.0 / np.sqrt(squares / count + eps))
        before = min(count, to_line(at(out, row * count))) if FAR else 0
        for begin, end in ((0, before), (before, count)):
            write_row(
                end - begin, advance(cells, begin), at(out, row * count + begin), mean, scale,
                at(weight, begin), at(bias, begin),
            )  # fmt: skip
        means[row] = mean
        scales[row] = scale


def row_sums(count, x, grad, mean, scale, weight, of_weight, of_bias):
    """The sums of ``w g`` and of ``w g z``; on the way the weights and biases get what the row gives them."""
    total, product = Number(0), Number(0)
    for j in range(count):
        g, z = widen(grad[j]), (widen(x[j]) - mean) * scale
        if WANTS_WEIGHTS:
            of_weight[j] += g * z
            of_bias[j] += g
        weighted = g * weight[j]
        total += weighted
        product += weighted * z
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


def write_far_gradient(row, before, count, x, grad, out, mean, scale, weight, total, product):
    """The same for one row of the whole arrays; on the way the place of the next row is asked for."""
    this, following = row * count, (row + 1) * count
    begin, end = 0, before
    while begin < count:
        width = end - begin
        ask(out, following + begin, width)
        write_gradient(
            width, at(x, this + begin), at(grad, this + begin), at(out, this + begin), mean, scale,
            at(weight, begin), total, product,
        )  # fmt: skip
        begin, end = end, min(count, end + PIECE)


def row_gradient(row, count, x, grad, out, mean, scale, weight, of_weight, of_bias):
    """The gradient of one row of the whole arrays."""
    this = row * count
    total, product = 0.0, 0.0
    for begin in range(0, count, PIECE):
        width = min(PIECE, count - begin)
        if FAR:
            ask(x, this + count + begin, width)
            ask(grad, this + count + begin, width)
        sums = row_sums(
            width, at(x, this + begin), at(grad, this + begin), mean, scale, at(weight, begin),
            advance(of_weight, begin), advance(of_bias, begin),
        )  # fmt: skip
        total += sums[0]
        product += sums[1]
    before = min(count, to_line(at(out, this)))
    mean_total, mean_product = Number(total / count) if CENTERS else Number(0), Number(product / count)
    if FAR:
        write_far_gradient(row, before, count, x, grad, out, mean, scale, weight, mean_total, mean_product)
    else:
        for begin, end in ((0, before), (before, count)):
            write_gradient(
                end - begin, at(x, this + begin), at(grad, this + begin), at(out, this + begin), mean, scale,
                at(weight, begin), mean_total, mean_product,
            )  # fmt: skip


def backward(first, last, rows, parts, count, out, x, grad, weight, means, scales, sums, wholes):
    """Parts `first` … `last` - 1 of the `rows`.

    Each part has a row of `sums` and of `wholes`, with room for the gradients of the weights and then of the
    biases. They are collected in `sums`, which is zero and of the compute type, and now and then added to
    `wholes`, which is float64.
    """
    for part in range(first, last):
        where = part * 2 * count if WANTS_WEIGHTS else 0
        of_weight, of_bias = at(sums, where), at(sums, where + (count if WANTS_WEIGHTS else 0))
        first_row = part * rows // parts
        for row in range(first_row, (part + 1) * rows // parts):
            row_gradient(row, count, x, grad, out, means[row], scales[row], weight, of_weight, of_bias)
            if WANTS_WEIGHTS and (row - first_row) % TOGETHER == TOGETHER - 1:
                gather(2 * count, of_weight, at(wholes, where))
        if WANTS_WEIGHTS:
            gather(2 * count, of_weight, at(wholes, where))
