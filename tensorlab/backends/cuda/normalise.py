"""Normalisation of rows: a block works through each; and the way back. Of groups see `normalise_groups`.

It would be four to eight operations of the core, and each of those reads and writes the whole tensor.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tensorlab.backends.array import compute_type
from tensorlab.backends.cuda.constants import of_cells
from tensorlab.backends.cuda.intrinsics import load4, word
from tensorlab.backends.cuda.normalise_groups import prepare_groups, prepare_groups_gradient, run_join
from tensorlab.backends.cuda.operands import is_aligned, raw
from tensorlab.backends.cuda.rows import (
    KEPT,
    PIECES,
    WARPS,
    joined,
    keep_row,
    kept_by,
    narrow,
    number,
    widen,
    write_row,
)
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.backends.fused import Backend
from tensorlab.backends.layers import NormalGroups
from tensorlab.backends.operands import Buffer, Launch, no_launch
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# Whether the mean is taken away, and whether the gradients of weights and biases are wanted.
CENTERS = WANTS_WEIGHTS = True
# Of the gradient: the threads of a block; the numbers of a row that one keeps, at most; and how many rows a
# block should have, at least, before there is another one.
THREADS, MOST_KEPT, ROWS = 32, 16, 4


def normalise(n, eps, out, out_first, scales, scales_first, means, means_first, x, x_first,
              weights, weights_first, biases, biases_first):  # fmt: skip
    """``(x - mean) / sqrt(variance + eps) * weight + bias`` for each row of n neighbours."""
    sums_of_warps = cuda.shared.array(WARPS, number)
    squares_of_warps = cuda.shared.array(WARPS, number)
    row, me, threads = cuda.blockIdx.x, cuda.threadIdx.x, cuda.blockDim.x
    begin, out_begin = x_first + row * n, out_first + row * n
    mean, total = number(0), number(0)
    if CENTERS:
        for i in range(me, n, threads):
            total = number(total + widen(x[begin + i]))
        mean = number(joined(total, sums_of_warps, True) / number(n))
    total = number(0)
    for i in range(me, n, threads):
        distance = widen(x[begin + i]) - mean
        total = number(total + distance * distance)
    variance = number(joined(total, squares_of_warps, True) / number(n))
    scale = number(number(1) / number(math.sqrt(variance + number(eps))))
    for i in range(me, n, threads):
        value = (widen(x[begin + i]) - mean) * scale * weights[weights_first + i]
        out[out_begin + i] = narrow(number(value + biases[biases_first + i]))
    if me == 0:
        scales[scales_first + row] = scale
        means[means_first + row] = mean


def normalise_kept(n, eps, out, out_first, scales, scales_first, means, means_first, x, x_first,
                   weights, weights_first, biases, biases_first):  # fmt: skip
    """`normalise` of rows that are read once."""
    sums_of_warps = cuda.shared.array(WARPS, number)
    squares_of_warps = cuda.shared.array(WARPS, number)
    kept = cuda.local.array(KEPT, number)
    row = cuda.blockIdx.x
    keep_row(kept, n, x, x_first + row * n)
    mean, total = number(0), number(0)
    if CENTERS:
        for i in range(KEPT):
            total = number(total + kept[np.uint32(i)])
        mean = number(joined(total, sums_of_warps, True) / number(n))
    total = number(0)
    for piece in range(PIECES):
        if (piece * cuda.blockDim.x + cuda.threadIdx.x) * 4 < n:
            for each in range(4):
                distance = number(kept[np.uint32(4 * piece + each)] - mean)
                total = number(total + distance * distance)
    variance = number(joined(total, squares_of_warps, True) / number(n))
    scale = number(number(1) / number(math.sqrt(variance + number(eps))))
    for piece in range(PIECES):
        i, at = (piece * cuda.blockDim.x + cuda.threadIdx.x) * 4, 4 * piece
        if i < n:
            w, b = load4(weights, weights_first + i), load4(biases, biases_first + i)
            for each in range(4):
                kept[np.uint32(at + each)] = number((kept[np.uint32(at + each)] - mean) * scale)
            kept[np.uint32(at)] = number(kept[np.uint32(at)] * w[0] + b[0])
            kept[np.uint32(at + 1)] = number(kept[np.uint32(at + 1)] * w[1] + b[1])
            kept[np.uint32(at + 2)] = number(kept[np.uint32(at + 2)] * w[2] + b[2])
            kept[np.uint32(at + 3)] = number(kept[np.uint32(at + 3)] * w[3] + b[3])
    write_row(kept, n, out, out_first + row * n)
    if cuda.threadIdx.x == 0:
        scales[scales_first + row] = scale
        means[means_first + row] = mean


def normalise_gradient(rows, n, parts, out, out_first, x, x_first, grad, grad_first, weights, weights_first,
                       means, means_first, scales, scales_first):  # fmt: skip
    """``(w g - mean(w g) - z mean(w g z)) / deviation`` for rows; a block works through every so-many-th.

    With g the gradients of the results, z the normalised numbers and w the weights. A thread has the same
    columns of all its block's rows, and keeps what these give weights and biases, a row of the `parts`.
    """
    totals_of_warps = cuda.shared.array(WARPS, number)
    products_of_warps = cuda.shared.array(WARPS, number)
    standard = cuda.local.array(KEPT, number)
    weighted = cuda.local.array(KEPT, number)
    of_weights = cuda.local.array(KEPT, number)
    of_biases = cuda.local.array(KEPT, number)
    me, left = cuda.threadIdx.x, word(n - cuda.threadIdx.x)
    for j in range(KEPT):
        of_weights[np.uint32(j)] = 0
        of_biases[np.uint32(j)] = 0
    for row in range(word(cuda.blockIdx.x), word(rows), word(cuda.gridDim.x)):
        mean, scale = means[means_first + row], scales[scales_first + row]
        own = row * n + me
        total, product = number(0), number(0)
        for j in range(KEPT):
            i, at = j * THREADS, np.uint32(j)
            if i < left:
                g = widen(grad[grad_first + own + i])
                z = number(number(widen(x[x_first + own + i]) - mean) * scale)
                of_weights[at] += g * z
                of_biases[at] += g
                g = number(g * weights[weights_first + me + i])
                total = number(total + g)
                product = number(product + g * z)
                standard[at], weighted[at] = z, g
        total = number(joined(total, totals_of_warps, True) / number(n))
        product = number(joined(product, products_of_warps, True) / number(n))
        if not CENTERS:
            total = number(0)
        for j in range(KEPT):
            i, at = j * THREADS, np.uint32(j)
            if i < left:
                value = number(weighted[at] - total - standard[at] * product)
                out[out_first + own + i] = narrow(number(value * scale))
    if WANTS_WEIGHTS:
        part = cuda.blockIdx.x * 2 * n + me
        for j in range(KEPT):
            if j * THREADS < left:
                parts[part + j * THREADS] = of_weights[np.uint32(j)]
                parts[part + n + j * THREADS] = of_biases[np.uint32(j)]


def prepare_normalise(
    backend: Cuda,
    element_type: dtype,
    groups: NormalGroups,
    eps: float,
    training: bool = True,
    centers: bool = True,
) -> Launch:
    """See `tensorlab.backends.layers.LayerOperations.normalise`."""
    if groups.form != "rows":
        return prepare_groups(backend, element_type, groups, eps, training, centers)
    if groups.number * groups.length == 0:
        return no_launch
    kernel = of_cells(normalise, element_type, element_type, CENTERS=centers)
    n = groups.length
    short = kept_by(n, backend.driver.threads)
    threads, constants = short or (backend.threads_of(n), {})
    of_kept = of_cells(normalise_kept, element_type, element_type, **constants, CENTERS=centers)

    def launch(
        out: Buffer,
        scales: Buffer,
        means: Buffer,
        variances: None,
        x: Buffer,
        weights: Buffer,
        biases: Buffer,
    ) -> None:
        cells = [part for each in (out, scales, means, x, weights, biases) for part in raw(each)]
        is_kept = short and all(map(is_aligned, (out, x, weights, biases)))
        chosen, count = (of_kept, threads) if is_kept else (kernel, backend.threads_of(n))
        backend.run(chosen, groups.number, count, n, eps, *cells)

    return launch


def prepare_normalise_gradient(
    backend: Cuda,
    element_type: dtype,
    groups: NormalGroups,
    training: bool = True,
    centers: bool = True,
    wants_weights: bool = True,
) -> Launch:
    """See `tensorlab.backends.layers.LayerOperations.normalise_gradient`."""
    if groups.form != "rows":
        return prepare_groups_gradient(backend, element_type, groups, training, centers, wants_weights)
    rows, n, kind = groups.number, groups.length, compute_type(element_type)
    threads = backend.threads_of(n)
    kept = ceil_div(n, threads)
    if kept > MOST_KEPT or rows * n == 0 or rows >= 1 << 31:
        return Backend.normalise_gradient(backend, element_type, groups, training, centers, wants_weights)
    names = {"KEPT": kept, "THREADS": threads, "CENTERS": centers, "WANTS_WEIGHTS": wants_weights}
    kernel = of_cells(normalise_gradient, element_type, element_type, **names)
    blocks = min(backend.driver.blocks, ceil_div(rows, ROWS) if wants_weights else rows)

    def launch(
        out: Buffer, of_weights: Buffer, of_biases: Buffer, x: Buffer, grad: Buffer, weights: Buffer,
        means: Buffer, scales: Buffer,
    ) -> None:  # fmt: skip
        parts = backend.allocate(2 * n * blocks if wants_weights else 0, kind.cell)
        given = [part for each in (out, x, grad, weights, means, scales) for part in raw(each)]
        backend.run(kernel, blocks, threads, rows, n, parts.cells, *given)
        if wants_weights:
            run_join(backend, kind, (blocks, n), (2 * n, n), parts.cells, *raw(of_weights), *raw(of_biases))

    return launch
