"""Batch normalisation where a channel's numbers lie apart: neighbouring channels side by side.

The numbers are rows of channels, as in a batch of vectors or in images whose channels lie last. A strip of
columns is walked down three times: for the means, for the squares of the distances from them, and to be
written. Sums are made in float64.
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu.cell import Number, narrow, widen
from tensorlab.backends.cpu.pointers import at

__all__ = [
    "STRIP",
    "add_products",
    "add_squares",
    "add_to",
    "backward",
    "column_gradient",
    "forward",
    "scale_columns",
]

TRAINING = True  # whether the statistics are those of the numbers themselves, or given
STRIP = 256  # columns to a strip: its sums stay in the first-level cache


def add_to(width, x, totals):
    """A row added to the sums."""
    for j in range(width):
        totals[j] += widen(x[j])


def add_squares(width, x, means, squares):
    """The squares of a row's distances from the means added to the sums."""
    for j in range(width):
        distance = widen(x[j]) - means[j]
        squares[j] += distance * distance


def scale_columns(width, x, out, means, factors, shifts):
    """``(x - mean) * factor + shift``, each column with its own."""
    for j in range(width):
        out[j] = narrow((widen(x[j]) - means[j]) * factors[j] + shifts[j])


def forward(first, last, height, count, eps, out, x, weights, biases, means, variances, scales):
    """Strips `first` … `last` - 1 of `height` rows of `count` columns.

    In training it writes the means, the variances and the scales; else only the scales are written.
    """
    near, factors = np.empty(STRIP, Number), np.empty(STRIP, Number)
    for strip in range(first, last):
        start = strip * STRIP
        width = min(STRIP, count - start)
        mean, variance, shift = at(means, start), at(variances, start), at(biases, start)
        if TRAINING:
            means[start : start + width] = 0
            variances[start : start + width] = 0
            for row in range(height):
                add_to(width, at(x, row * count + start), mean)
            for j in range(width):
                mean[j] /= height
            for row in range(height):
                add_squares(width, at(x, row * count + start), mean, variance)
            for j in range(width):
                variance[j] /= height
        for j in range(width):
            near[j] = Number(mean[j])
            scales[start + j] = Number(1.0 / np.sqrt(variance[j] + eps))
            factors[j] = scales[start + j] * weights[start + j]
        for row in range(height):
            cell = row * count + start
            scale_columns(width, at(x, cell), at(out, cell), at(near, 0), at(factors, 0), shift)


def add_products(width, x, grad, means, totals, products):
    """A row's g, and its ``g (x - mean)``, added to the sums."""
    for j in range(width):
        g = widen(grad[j])
        totals[j] += g
        products[j] += g * (widen(x[j]) - means[j])


def column_gradient(width, x, grad, out, means, factors, totals, slopes):
    """``factor * g - total - slope * (x - mean)``, each column with its own."""
    for j in range(width):
        g, distance = widen(grad[j]), widen(x[j]) - means[j]
        out[j] = narrow(factors[j] * g - totals[j] - slopes[j] * distance)


def backward(first, last, height, count, out, x, grad, weights, means, scales, totals, products):
    """Strips `first` … `last` - 1. `totals` and `products` receive the sums of g and of g z."""
    near, factors = np.empty(STRIP, Number), np.empty(STRIP, Number)
    mean_totals, slopes = np.zeros(STRIP, Number), np.zeros(STRIP, Number)
    for strip in range(first, last):
        start = strip * STRIP
        width = min(STRIP, count - start)
        total, product = at(totals, start), at(products, start)
        totals[start : start + width] = 0
        products[start : start + width] = 0
        for j in range(width):
            near[j] = Number(means[start + j])
            factors[j] = scales[start + j] * weights[start + j]
        for row in range(height):
            cell = row * count + start
            add_products(width, at(x, cell), at(grad, cell), at(near, 0), total, product)
        for j in range(width):
            product[j] *= scales[start + j]
            if TRAINING:
                mean_totals[j] = Number(factors[j] * total[j] / height)
                slopes[j] = Number(factors[j] * scales[start + j] * product[j] / height)
        for row in range(height):
            cell = row * count + start
            column_gradient(
                width, at(x, cell), at(grad, cell), at(out, cell), at(near, 0), at(factors, 0),
                at(mean_totals, 0), at(slopes, 0),
            )  # fmt: skip
