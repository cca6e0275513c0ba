"""Normalisation: numbers brought to mean 0 and deviation 1, then weighted and shifted; and the way back.

``rows``      each row by its own mean and deviation, with a weight for each of its cells: layer and RMS norm
``runs``      groups of runs, with a weight for each run: group, instance and batch norm
``columns``   neighbouring columns side by side: batch norm where a channel's numbers lie apart

A row is read three times while it lies in the first-level cache: for its mean, for the squares of its
distances from that, and to be written. Sums are made in blocks and added up in float64.

With g the gradients of the results, w the weights and z the normalised numbers, the gradient of an element is
``deviation⁻¹ * (w g - mean(w g) - z mean(w g z))``; that of the weights is the sum of ``g z`` over the rows,
and that of the biases the sum of ``g``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlab.backends.cpu import jit, sharing, threads
from tensorlab.backends.cpu.cell import Number, narrow, widen
from tensorlab.backends.cpu.levels import assemble
from tensorlab.backends.cpu.pointers import advance, at
from tensorlab.backends.layers import NormalGroups
from tensorlab.backends.operands import Buffer, Launch
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div

__all__ = ["normalise", "normalise_gradient"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# Roughly how many additions one element is worth.
COST = 4

# Sums over rows are made in so many parts, whatever the number of threads: so their last digits are the same.
PARTS = 16
LEAST = 128  # rows of a part

BLOCK = 1024  # numbers that are summed up in the compute type
TOGETHER = 32  # rows whose gradients of the weights are
STRIP = 256  # columns to a strip: its sums stay in the first-level cache
CENTERS = WANTS_WEIGHTS = True  # whether the mean is taken away, and whether the weights have gradients
TRAINING = True  # whether the statistics are those of the numbers themselves, or given


# Rows.


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


def forward_rows(first, last, count, eps, out, x, weight, bias, means, scales):
    """Rows `first` … `last` - 1. Each leaves its mean, and the reciprocal of its deviation, its scale."""
    for row in range(first, last):
        cells = at(x, row * count)
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
        write_row(count, cells, at(out, row * count), mean, scale, at(weight, 0), at(bias, 0))
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


def backward_rows(first, last, rows, parts, count, out, x, grad, weight, means, scales, sums, wholes):
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
            this = row * count
            row_gradient(
                count, at(x, this), at(grad, this), at(out, this), means[row], scales[row], at(weight, 0),
                of_weight, of_bias,
            )  # fmt: skip
            if WANTS_WEIGHTS and (row - first_row) % TOGETHER == TOGETHER - 1:
                gather(2 * count, of_weight, at(wholes, where))
        if WANTS_WEIGHTS:
            gather(2 * count, of_weight, at(wholes, where))


# Runs. A group has `runs` runs of `length` neighbouring cells, which begin `run_step` apart, and group after
# group begins `group_step` further on. In group norm a run is a channel of one image, and a group is several
# of them. In batch norm a group is one channel, and its runs are those of all images. The sums of g and of
# g z are kept for each run: those of the weights' gradients are sums of them.


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


def forward_runs(first, last, walk, eps, out, x, weights, biases, means, variances, scales):
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


def backward_runs(first, last, walk, out, x, grad, weights, means, scales, totals, products):
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


# Columns. The numbers are rows of channels, as in a batch of vectors or in images whose channels lie last. A
# strip of columns is walked down three times: for the means, for the squares of the distances from them, and
# to be written. Sums are made in float64.


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


def forward_columns(first, last, height, count, eps, out, x, weights, biases, means, variances, scales):
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


def backward_columns(first, last, height, count, out, x, grad, weights, means, scales, totals, products):
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


# What Python calls.


def normalise(
    element_type: dtype, groups: NormalGroups, eps: float, training: bool = True, centers: bool = True
) -> Launch:
    """See `tensorlab.backends.layers.LayerOperations.normalise`."""
    kernel = _kernel(element_type, groups.form, False, training, centers)
    share, sizes = _shared(kernel, groups)

    def launch(
        out: Buffer, scales: Buffer, means: Buffer, variances: Buffer | None, x: Buffer, weights: Buffer,
        biases: Buffer,
    ) -> None:  # fmt: skip
        found = [_cells(part) for part in (means, variances, scales) if part is not None]
        share(*sizes, eps, *map(_cells, (out, x, weights, biases)), *found)

    return launch


def normalise_gradient(
    element_type: dtype,
    groups: NormalGroups,
    training: bool = True,
    centers: bool = True,
    wants_weights: bool = True,
) -> Launch:
    """See `tensorlab.backends.layers.LayerOperations.normalise_gradient`."""
    if groups.form == "rows":
        return _row_gradient(
            _kernel(element_type, "rows", True, wants_weights, centers), groups, wants_weights
        )
    kernel = _kernel(element_type, groups.form, True, training, centers)
    share, sizes = _shared(kernel, groups)
    shape = (groups.number, groups.runs) if groups.form == "runs" else (groups.number,)

    def launch(out: Buffer, of_weights: Buffer, of_biases: Buffer, *buffers: Buffer) -> None:
        products, totals = np.zeros(shape), np.zeros(shape)
        share(*sizes, *map(_cells, (out, *buffers)), totals, products)
        if wants_weights:
            for sums, (cells, start) in (products, of_weights), (totals, of_biases):
                if groups.form == "runs" and not groups.run_weight:
                    sums = sums.T
                weights = groups.period * (groups.runs if groups.run_weight else 1)
                each = sums if groups.form == "columns" else sums.reshape(-1, weights).sum(0)
                cells[start : start + each.size] = each

    return launch


def _row_gradient(kernel: Callable, groups: NormalGroups, wants_weights: bool) -> Launch:
    height, length = groups.number, groups.length
    parts = max(1, min(PARTS, height // LEAST)) if wants_weights else height

    def launch(
        out: Buffer, of_weights: Buffer, of_biases: Buffer, x: Buffer, grad: Buffer, weights: Buffer,
        means: Buffer, scales: Buffer,
    ) -> None:  # fmt: skip
        size = parts * 2 * length if wants_weights else 1
        sums, wholes = np.zeros(size, weights[0].dtype), np.zeros(size)
        operands = map(_cells, (out, x, grad, weights, means, scales))
        _share(kernel, height * length, parts, height, parts, length, *operands, sums, wholes)
        if wants_weights:
            totals = wholes if parts == 1 else wholes.reshape(parts, -1).sum(0)
            for each, (cells, start) in (totals[:length], of_weights), (totals[length:], of_biases):
                cells[start : start + length] = each

    return launch


def _cells(buffer: Buffer) -> np.ndarray:
    cells, start = buffer
    return cells[start:] if start else cells


def _shared(kernel: Callable, groups: NormalGroups) -> tuple[Callable[..., None], tuple[Any, ...]]:
    """What shares out the work of a kernel, and the sizes that the kernel takes."""
    cells, tasks = groups.number * groups.length * groups.runs, groups.number
    sizes: tuple[Any, ...] = (np.array(groups[2:], np.int64),)
    if groups.form == "rows":
        sizes = (groups.length,)
    elif groups.form == "columns":
        tasks, sizes = ceil_div(groups.number, STRIP), (groups.length, groups.number)
    return functools.partial(_share, kernel, cells, tasks), sizes


def _share(kernel: Callable, cells: int, tasks: int, *arguments: Any) -> None:
    """Run all tasks, on as many threads as they deserve."""
    if cells:
        team = min(threads.team_for(COST * cells), tasks)
        sharing.share(kernel, team, tasks, *arguments)


# Each kernel with its loops: those whose sums may be regrouped, and those that are computed as they stand.
_KERNELS: dict[tuple[str, bool], dict[str, Any]] = {
    ("rows", False): {"blocks": [run_sum, run_squares, write_row], "kernels": [forward_rows]},
    ("rows", True): {
        "blocks": [row_sums, write_gradient, gather],
        "loops": [row_gradient],
        "kernels": [backward_rows],
    },
    ("runs", False): {
        "blocks": [run_sum, run_squares, write_row, scale_run],
        "loops": [group_statistics],
        "kernels": [forward_runs],
    },
    ("runs", True): {
        "blocks": [run_products, cell_products, run_gradient, write_gradient],
        "kernels": [backward_runs],
    },
    ("columns", False): {"blocks": [add_to, add_squares, scale_columns], "kernels": [forward_columns]},
    ("columns", True): {"blocks": [add_products, column_gradient], "kernels": [backward_columns]},
}


@functools.cache
def _kernel(element_type: dtype, form: str, backward: bool, flag: bool, centers: bool) -> Callable:
    """The kernel of one form; `flag`: whether it wants the gradients of the weights, or is training."""
    levels = _KERNELS[form, backward]
    name = levels["kernels"][0].__name__
    constants = {
        "BLOCK": BLOCK,
        "TOGETHER": TOGETHER,
        "STRIP": STRIP,
        "CENTERS": centers,
        "WANTS_WEIGHTS": flag,
        "TRAINING": flag,
    }
    text = assemble(f"normalisation, {name},", element_type, constants=constants, **levels)
    module = jit.load(f"normalise_{name}_{element_type.name}", text)
    return jit.quiet(getattr(module, name))
