"""Normalisation of groups, as in batch, group and instance norm; and the way back.

A group has `runs` runs of `length` neighbouring cells, which begin `run_step` apart. Where channels lie last,
a group is a column: its runs are one cell long, and neighbouring threads look after neighbouring columns.

Few groups of many cells would keep too few blocks busy. So a group has parts, a block each, and two launches.
In the first, a block joins the cells of its part: the mean and the squares of the distances from it, or on
the way back the sums of g z and of g, with g the gradients of the results and z the normalised numbers. In
the second, each block joins what the first has found of all parts of its group, and writes the cells of its
own. The order depends on sizes alone, so that results are the same every time.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlab.backends.array import compute_type
from tensorlab.backends.cuda.constants import of_cells
from tensorlab.backends.cuda.intrinsics import quotient, remainder, word
from tensorlab.backends.cuda.operands import MOST, raw
from tensorlab.backends.cuda.rows import narrow, number, widen
from tensorlab.backends.cuda.simulator import WARP, cuda
from tensorlab.backends.fused import Backend
from tensorlab.backends.layers import NormalGroups
from tensorlab.backends.operands import Buffer, Launch
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

__all__ = [
    "group_products",
    "group_statistics",
    "join_parts",
    "normalise_groups",
    "normalise_groups_gradient",
    "prepare_groups",
    "prepare_groups_gradient",
    "run_join",
]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# The threads of a block, at most, and how many groups they look after side by side: one, or a warp's columns.
THREADS, ACROSS = 256, 1
# Whether the statistics are those of the cells, or given; whether each run has a weight of its own; whether
# the gradients of weights and biases are wanted.
TRAINING, WEIGHS_RUNS, WANTS_WEIGHTS = True, False, True
# How many cells a thread should join, at least, before there is another part.
CELLS = 8


def joined_down(value, totals):
    """The sum of the values of the threads that look after the same group, for each of them."""
    me, half = cuda.threadIdx.x, cuda.blockDim.x // 2
    totals[me] = value
    cuda.syncthreads()
    while half >= ACROSS:
        if me < half:
            totals[me] = number(totals[me] + totals[me + half])
        cuda.syncthreads()
        half //= 2
    value = totals[me % ACROSS]
    cuda.syncthreads()
    return value


def own_group():
    """The group that a thread looks after, and from which cell of a part on, and every how many-th."""
    me, threads = cuda.threadIdx.x, cuda.blockDim.x
    return cuda.blockIdx.x * ACROSS + me % ACROSS, word(me // ACROSS), word(threads // ACROSS)


def run_of(i, length):
    """The run of a group's cell."""
    return i if length == 1 else quotient(i, length)


def cell_of(i, run, length, run_step):
    """Where a group's cell lies, from the group's first one on."""
    return run * run_step + (i - run * length)


def group_statistics(groups, cells, span, length, run_step, group_step, parts, x, x_first):
    """The mean of each part of `span` cells, and the sum of the squares of the distances from it."""
    totals = cuda.shared.array(THREADS, number)
    group, begin, step = own_group()
    part, start, total = cuda.blockIdx.y, x_first + group * group_step, number(0)
    first, end = word(part * span), word(min((part + 1) * span, cells))
    last = end if group < groups else first
    for i in range(word(first + begin), last, step):
        total = number(total + widen(x[start + cell_of(i, run_of(i, length), length, run_step)]))
    mean, squares = number(joined_down(total, totals) / number(end - first)), number(0)
    for i in range(word(first + begin), last, step):
        distance = widen(x[start + cell_of(i, run_of(i, length), length, run_step)]) - mean
        squares = number(squares + distance * distance)
    squares = joined_down(squares, totals)
    if begin == 0 and group < groups:
        parts[group * cuda.gridDim.y + part] = mean
        parts[(groups + group) * cuda.gridDim.y + part] = squares


def normalise_groups(
    groups, cells, span, of_groups, eps, length, run_step, group_step, period, group_weight, run_weight,
    parts, out, out_first, scales, scales_first, means, means_first, variances, variances_first,
    x, x_first, weights, weights_first, biases, biases_first,
):  # fmt: skip
    """``(x - mean) / sqrt(variance + eps) * weight + bias``, of statistics that are joined from parts."""
    totals = cuda.shared.array(THREADS, number)
    group, begin, step = own_group()
    part, mean, variance, is_there = cuda.blockIdx.y, number(0), number(0), group < groups
    if TRAINING:
        total, squares, known = number(0), number(0), word(of_groups if is_there else 0)
        for each in range(begin, known, step):
            count = number(min(span, cells - each * span))
            total = number(total + count * parts[group * of_groups + each])
        mean = number(joined_down(total, totals) / number(cells))
        for each in range(begin, known, step):
            count = number(min(span, cells - each * span))
            distance = number(parts[group * of_groups + each] - mean)
            inner = parts[(groups + group) * of_groups + each]
            squares = number(squares + inner + count * distance * distance)
        variance = number(joined_down(squares, totals) / number(cells))
    elif is_there:
        mean, variance = number(means[means_first + group]), number(variances[variances_first + group])
    if not is_there:
        return
    scale = number(number(1) / number(math.sqrt(variance + number(eps))))
    if part == 0 and begin == 0:
        scales[scales_first + group] = scale
        if TRAINING:
            means[means_first + group], variances[variances_first + group] = mean, variance
    start, weight = group * group_step, remainder(group, period) * group_weight
    for i in range(word(part * span + begin), word(min((part + 1) * span, cells)), step):
        run = run_of(i, length)
        cell, its = start + cell_of(i, run, length, run_step), weight + run * run_weight
        value = (widen(x[x_first + cell]) - mean) * scale * weights[weights_first + its]
        out[out_first + cell] = narrow(number(value + biases[biases_first + its]))


def group_products(
    groups, cells, span, length, run_step, group_step, parts, x, x_first, grad, grad_first,
    means, means_first, scales, scales_first,
):  # fmt: skip
    """The sums of g z and of g over each part of `span` cells."""
    totals = cuda.shared.array(THREADS, number)
    group, begin, step = own_group()
    part, product, total = cuda.blockIdx.y, number(0), number(0)
    if group < groups:
        mean, scale = number(means[means_first + group]), scales[scales_first + group]
        for i in range(word(part * span + begin), word(min((part + 1) * span, cells)), step):
            cell = group * group_step + cell_of(i, run_of(i, length), length, run_step)
            g = widen(grad[grad_first + cell])
            product = number(product + g * (number(widen(x[x_first + cell]) - mean) * scale))
            total = number(total + g)
    product, total = joined_down(product, totals), joined_down(total, totals)
    if begin == 0 and group < groups:
        parts[group * cuda.gridDim.y + part] = product
        parts[(groups + group) * cuda.gridDim.y + part] = total


def normalise_groups_gradient(
    groups, cells, span, of_groups, length, run_step, group_step, period, group_weight, run_weight,
    parts, out, out_first, of_weights, of_weights_first, of_biases, of_biases_first, x, x_first,
    grad, grad_first, weights, weights_first, means, means_first, scales, scales_first,
):  # fmt: skip
    """``(w g - mean(w g) - z mean(w g z)) / deviation``; where groups have weights, their gradients too."""
    totals = cuda.shared.array(THREADS, number)
    group, begin, step = own_group()
    part, product, total, is_there = cuda.blockIdx.y, number(0), number(0), group < groups
    weight = weights_first + remainder(group, period) * group_weight
    if TRAINING or (WANTS_WEIGHTS and not WEIGHS_RUNS):
        for each in range(begin, word(of_groups if is_there else 0), step):
            factor = weights[weight + each * run_weight] if WEIGHS_RUNS else number(1)
            product = number(product + factor * parts[group * of_groups + each])
            total = number(total + factor * parts[(groups + group) * of_groups + each])
        product, total = joined_down(product, totals), joined_down(total, totals)
    if not is_there:
        return
    if not WEIGHS_RUNS:
        if WANTS_WEIGHTS and part == 0 and begin == 0:
            of_weights[of_weights_first + group] = product
            of_biases[of_biases_first + group] = total
        product, total = number(product * weights[weight]), number(total * weights[weight])
    product, total = number(product / number(cells)), number(total / number(cells))
    mean, scale = number(means[means_first + group]), scales[scales_first + group]
    for i in range(word(part * span + begin), word(min((part + 1) * span, cells)), step):
        run = run_of(i, length)
        cell = group * group_step + cell_of(i, run, length, run_step)
        g = number(widen(grad[grad_first + cell]) * weights[weight + run * run_weight])
        if TRAINING:
            z = number(number(widen(x[x_first + cell]) - mean) * scale)
            g = number(g - total - z * product)
        out[out_first + cell] = narrow(number(g * scale))


def join_parts(rows, columns, step, between, parts, of_weights, of_weights_first, of_biases, of_biases_first):
    """The gradients of weights and of biases: the sums down the columns of two tables, `between` apart."""
    totals = cuda.shared.array(THREADS, number)
    column, begin, rows_step = own_group()
    total = number(0)
    for row in range(begin, word(rows if column < columns else 0), rows_step):
        total = number(total + parts[cuda.blockIdx.y * between + row * step + column])
    total = joined_down(total, totals)
    if begin == 0 and column < columns:
        if cuda.blockIdx.y == 0:
            of_weights[of_weights_first + column] = total
        else:
            of_biases[of_biases_first + column] = total


def run_join(
    backend: Cuda, kind: dtype, sizes: tuple[int, int], steps: tuple[int, int], *buffers: Any
) -> None:
    """Run `join_parts` on two tables of so many rows and columns, with steps from row to row and between."""
    (rows, columns), threads = sizes, min(backend.driver.threads, THREADS)
    grid = ceil_div(columns, WARP), 2
    backend.run(of_cells(join_parts, kind, kind, ACROSS=WARP), grid, threads, rows, columns, *steps, *buffers)


class _Shared(NamedTuple):
    """How groups are shared among blocks.

    Attributes:
        across: how many groups a block looks after side by side.
        threads: the threads of a block.
        parts, span: how many parts a group has, and how many cells one has.
    """

    across: int
    threads: int
    parts: int
    span: int

    def grid(self, number: int) -> tuple[int, int]:
        """The blocks for so many groups."""
        return ceil_div(number, self.across), self.parts


def _shared(backend: Cuda, groups: NormalGroups, by_runs: bool) -> _Shared:
    """How `groups` are shared; `by_runs` if each part is a run."""
    most, across = min(backend.driver.threads, THREADS), 1
    if groups.form == "columns":
        across = min(WARP, 1 << (groups.number - 1).bit_length())
    cells = groups.length * groups.runs
    if by_runs:
        return _Shared(1, min(most, backend.threads_of(groups.length)), groups.runs, groups.length)
    threads = min(most, across * backend.threads_of(cells))
    busy = backend.driver.blocks // ceil_div(groups.number, across)
    parts = max(1, min(busy, ceil_div(cells * across, threads * CELLS), MOST))
    span = ceil_div(cells, parts)
    return _Shared(across, threads, ceil_div(cells, span), span)


def _is_served(groups: NormalGroups, centers: bool) -> bool:
    """Whether the kernels here are for such groups."""
    cells = groups.number * groups.length * groups.runs
    is_one_each = groups.form == "columns" or groups.run_weight or groups.period == groups.number
    return bool(centers and is_one_each) and 0 < cells < 1 << 31 and groups.runs <= MOST


def _steps(groups: NormalGroups) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """The length and the steps of runs and groups; and where weights stand."""
    if groups.form == "columns":
        return (1, groups.number, 1), (groups.number, 1, 0)
    weights = groups.period, groups.group_weight, groups.run_weight
    return (groups.length, groups.run_step, groups.group_step), weights


def prepare_groups(
    backend: Cuda, element_type: dtype, groups: NormalGroups, eps: float, training: bool, centers: bool
) -> Launch:
    """See `tensorlab.backends.layers.LayerOperations.normalise`."""
    cells, kind = groups.length * groups.runs, compute_type(element_type)
    if not _is_served(groups, centers):
        return Backend.normalise(backend, element_type, groups, eps, training, centers)
    shared, (steps, weights_at) = _shared(backend, groups, False), _steps(groups)
    names: dict[str, Any] = {"ACROSS": shared.across, "TRAINING": training}
    statistics, normalise = (
        of_cells(kernel, element_type, element_type, **names)
        for kernel in (group_statistics, normalise_groups)
    )
    grid, sizes = shared.grid(groups.number), (groups.number, cells, shared.span)
    count = 2 * groups.number * shared.parts if training else 0

    def launch(*buffers: Buffer) -> None:
        parts, x = backend.allocate(count, kind.cell), buffers[4]
        if training:
            backend.run(statistics, grid, shared.threads, *sizes, *steps, parts.cells, *raw(x))
        given = [part for each in buffers for part in raw(each)]
        numbers = shared.parts, eps, *steps, *weights_at
        backend.run(normalise, grid, shared.threads, *sizes, *numbers, parts.cells, *given)

    return launch


def prepare_groups_gradient(
    backend: Cuda,
    element_type: dtype,
    groups: NormalGroups,
    training: bool,
    centers: bool,
    wants_weights: bool,
) -> Launch:
    """See `tensorlab.backends.layers.LayerOperations.normalise_gradient`."""
    cells, kind = groups.length * groups.runs, compute_type(element_type)
    if not _is_served(groups, centers):
        return Backend.normalise_gradient(backend, element_type, groups, training, centers, wants_weights)
    weighs_runs = groups.form == "runs" and groups.run_weight > 0
    shared, (steps, weights_at) = _shared(backend, groups, weighs_runs), _steps(groups)
    names: dict[str, Any] = {"ACROSS": shared.across, "TRAINING": training}
    names |= {"WEIGHS_RUNS": weighs_runs, "WANTS_WEIGHTS": wants_weights}
    products, gradient = (
        of_cells(kernel, element_type, element_type, **names)
        for kernel in (group_products, normalise_groups_gradient)
    )
    grid, sizes = shared.grid(groups.number), (groups.number, cells, shared.span)
    needs_parts = training or wants_weights
    count = groups.number * shared.parts if needs_parts else 0
    weights = groups.period * groups.runs

    def launch(
        out: Buffer, of_weights: Buffer, of_biases: Buffer, x: Buffer, grad: Buffer, weights_of: Buffer,
        means: Buffer, scales: Buffer,
    ) -> None:  # fmt: skip
        parts = backend.allocate(2 * count, kind.cell)
        known, made = (*raw(means), *raw(scales)), (*raw(of_weights), *raw(of_biases))
        if needs_parts:
            read = *raw(x), *raw(grad), *known
            backend.run(products, grid, shared.threads, *sizes, *steps, parts.cells, *read)
        given = *raw(out), *made, *raw(x), *raw(grad), *raw(weights_of), *known
        numbers = shared.parts, *steps, *weights_at
        backend.run(gradient, grid, shared.threads, *sizes, *numbers, parts.cells, *given)
        if wants_weights and weighs_runs:
            tables = groups.number // groups.period, weights
            run_join(backend, kind, tables, (weights, count), parts.cells, *made)

    return launch
