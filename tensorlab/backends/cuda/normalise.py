"""Normalisation of rows: a block works through each.

It would be four to eight operations of the core, and each of those reads and writes the whole tensor.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tensorlab.backends.cuda.constants import of_cells
from tensorlab.backends.cuda.intrinsics import load4
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

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# Whether the mean is taken away.
CENTERS = True


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
        return Backend.normalise(backend, element_type, groups, eps, training, centers)
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
