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
from tensorlab.backends.cpu.normalise.rows import BLOCK, run_squares, run_sum, write_gradient, write_row
from tensorlab.backends.cpu.pointers import advance, at

__all__ = [
    "backward",
    "cell_products",
    "forward",
    "group_statistics",
    "run_gradient",
    "run_products",
    "scale_run",
]

TRAINING = True  # whether the statistics are those of the numbers themselves, or given


def group_statistics(x, runs, run_step, length):
    """The mean of a group, and the mean of the squares of the distances from it."""
    if run_step == length:  # one long run
        runs, length = 1, runs * length
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
    """Groups `first` … `last` - 1. ``walk`` is length, runs, run step, group step, and where weights stand.

    In training it writes the means, the variances and the scales; else only the scales are written.
    """
    length, runs, run_step, group_step = walk[0], walk[1], walk[2], walk[3]
    period, group_weight, run_weight = walk[4], walk[5], walk[6]
    for group in range(first, last):
        start = group * group_step
        if TRAINING:
            mean, variance = group_statistics(at(x, start), runs, run_step, length)
            means[group] = mean
            variances[group] = variance
        scale = Number(1.0 / np.sqrt(variances[group] + eps))
        scales[group] = scale
        center, weight = Number(means[group]), group % period * group_weight
        if length == 1 and run_step == 1 and run_weight == 1:  # cells with a weight each
            write_row(
                runs, at(x, start), at(out, start), center, scale, at(weights, weight), at(biases, weight)
            )
            continue
        for run in range(runs):
            cell = start + run * run_step
            scale_run(length, at(x, cell), at(out, cell), center, scale * weights[weight], biases[weight])
            weight += run_weight


def run_products(length, x, grad, mean):
    """The sums of g and of ``g (x - mean)`` over a block of a run."""
    total, product = Number(0), Number(0)
    for j in range(length):
        g = widen(grad[j])
        total += g
        product += g * (widen(x[j]) - mean)
    return total, product


def cell_products(count, x, grad, mean, scale, weight, totals, products):
    """The sums of ``w g`` and of ``w g z`` over cells that are runs; it keeps g and g z of each."""
    total, product = Number(0), Number(0)
    for j in range(count):
        g, z = widen(grad[j]), (widen(x[j]) - mean) * scale
        totals[j] = g
        products[j] = g * z
        weighted = g * weight[j]
        total += weighted
        product += weighted * z
    return total, product


def run_gradient(length, x, grad, out, mean, factor, total, product):
    """``factor * g - total - product * (x - mean)``."""
    for j in range(length):
        out[j] = narrow(factor * widen(grad[j]) - total - product * (widen(x[j]) - mean))


def backward(first, last, walk, out, x, grad, weights, means, scales, totals, products):
    """Groups `first` … `last` - 1. `totals` and `products` receive the sums of g and of g z of each run."""
    length, runs, run_step, group_step = walk[0], walk[1], walk[2], walk[3]
    period, group_weight, run_weight = walk[4], walk[5], walk[6]
    for group in range(first, last):
        start, mean, scale = group * group_step, Number(means[group]), scales[group]
        weighted_total, weighted_product = 0.0, 0.0
        first_weight = group % period * group_weight
        single = length == 1 and run_step == 1 and run_weight == 1
        if single:
            for begin in range(0, runs, BLOCK):
                sums = cell_products(
                    min(BLOCK, runs - begin), at(x, start + begin), at(grad, start + begin), mean, scale,
                    at(weights, first_weight + begin), totals[group, begin:], products[group, begin:],
                )  # fmt: skip
                weighted_total += sums[0]
                weighted_product += sums[1]
        for run in range(0 if single else runs):
            total, product = 0.0, 0.0
            for begin in range(0, length, BLOCK):
                cell = start + run * run_step + begin
                sums = run_products(min(BLOCK, length - begin), at(x, cell), at(grad, cell), mean)
                total += sums[0]
                product += sums[1]
            totals[group, run] = total
            products[group, run] = product * scale
            weight = weights[first_weight + run * run_weight]
            weighted_total += weight * total
            weighted_product += weight * product * scale
        mean_total, mean_product = Number(0), Number(0)
        if TRAINING:
            mean_total = Number(weighted_total / (runs * length))
            mean_product = Number(weighted_product / (runs * length))
        if single:
            write_gradient(
                runs, at(x, start), at(grad, start), at(out, start), mean, scale, at(weights, first_weight),
                mean_total, mean_product,
            )  # fmt: skip
            continue
        mean_total, slope = scale * mean_total, scale * scale * mean_product
        for run in range(runs):
            cell = start + run * run_step
            factor = scale * weights[first_weight + run * run_weight]
            run_gradient(length, at(x, cell), at(grad, cell), at(out, cell), mean, factor, mean_total, slope)
