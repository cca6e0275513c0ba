"""Normalisation of groups of runs: group, instance and batch norm, whose weights are the same along a run.

A group has `runs` runs of `length` neighbouring cells, which begin `run_step` apart, and group after group
begins `group_step` further on. In group norm a run is a channel of one image, and a group is several of them.
In batch norm a group is one channel, and its runs are those of all images.

The walk back is that of `tensorlab.backends.cpu.normalise.rows`. The sums of g and of g z are kept for each
run: those of the weights' gradients are sums of them.
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu.cell import Number, narrow, widen
from tensorlab.backends.cpu.normalise.rows import BLOCK, run_squares, run_sum
from tensorlab.backends.cpu.pointers import advance, at

__all__ = [
    "backward",
    "forward",
    "group_statistics",
    "run_gradient",
    "run_products",
    "scale_run",
]

TRAINING = True  # whether the statistics are those of the numbers themselves, or given


def group_statistics(x, runs, run_step, length):
    """The mean of a group, and the mean of the squares of the distances from it."""
    total = 0.0
    for run in range(runs):
        for begin in range(0, length, BLOCK):
            total += run_sum(min(BLOCK, length - begin), advance(x, run * run_step + begin))
    mean = total / (runs * length)
    squares = 0.0
    for run in range(runs):
        for begin in range(0, length, BLOCK):
            cells = advance(x, run * run_step + begin)
            squares += run_squares(min(BLOCK, length - begin), cells, Number(mean))
    return mean, squares / (runs * length)


def scale_run(length, x, out, mean, factor, shift):
    """``(x - mean) * factor + shift``."""
    for j in range(length):
        out[j] = narrow((widen(x[j]) - mean) * factor + shift)


def forward(first, last, walk, eps, out, x, weights, biases, means, variances, scales):
    """Groups `first` … `last` - 1. ``walk`` is length, runs, run step, group step.

    `weights` and `biases` have one number for each run of each group. In training it writes the means, the
    variances and the scales; else only the scales are written.
    """
    length, runs, run_step, group_step = walk[0], walk[1], walk[2], walk[3]
    for group in range(first, last):
        start = group * group_step
        if TRAINING:
            mean, variance = group_statistics(at(x, start), runs, run_step, length)
            means[group] = mean
            variances[group] = variance
        scale = Number(1.0 / np.sqrt(variances[group] + eps))
        scales[group] = scale
        for run in range(runs):
            cell = start + run * run_step
            factor = scale * weights[group, run]
            scale_run(length, at(x, cell), at(out, cell), Number(means[group]), factor, biases[group, run])


def run_products(length, x, grad, mean):
    """The sums of g and of ``g (x - mean)`` over a block of a run."""
    total, product = Number(0), Number(0)
    for j in range(length):
        g = widen(grad[j])
        total += g
        product += g * (widen(x[j]) - mean)
    return total, product


def run_gradient(length, x, grad, out, mean, factor, total, product):
    """``factor * g - total - product * (x - mean)``."""
    for j in range(length):
        out[j] = narrow(factor * widen(grad[j]) - total - product * (widen(x[j]) - mean))


def backward(first, last, walk, out, x, grad, weights, means, scales, totals, products):
    """Groups `first` … `last` - 1. `totals` and `products` receive the sums of g and of g z of each run."""
    length, runs, run_step, group_step = walk[0], walk[1], walk[2], walk[3]
    for group in range(first, last):
        start, mean, scale = group * group_step, Number(means[group]), scales[group]
        weighted_total, weighted_product = 0.0, 0.0
        for run in range(runs):
            total, product = 0.0, 0.0
            for begin in range(0, length, BLOCK):
                cell = start + run * run_step + begin
                sums = run_products(min(BLOCK, length - begin), at(x, cell), at(grad, cell), mean)
                total += sums[0]
                product += sums[1]
            totals[group, run] = total
            products[group, run] = product * scale
            weighted_total += weights[group, run] * total
            weighted_product += weights[group, run] * product * scale
        mean_total, slope = Number(0), Number(0)
        if TRAINING:
            mean_total = Number(scale * weighted_total / (runs * length))
            slope = Number(scale * scale * weighted_product / (runs * length))
        for run in range(runs):
            cell = start + run * run_step
            factor = scale * weights[group, run]
            run_gradient(length, at(x, cell), at(grad, cell), at(out, cell), mean, factor, mean_total, slope)
