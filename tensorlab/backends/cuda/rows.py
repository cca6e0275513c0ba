"""Softmax and normalisation: a block works through a row, and its threads tell each other what they found.

Each would be four to eight operations of the core, and each of those reads and writes the whole tensor.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlab.backends.array import compute_type
from tensorlab.backends.cuda import products, text
from tensorlab.backends.cuda.intrinsics import load4, store4
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.core.dtypes import dtype

__all__ = [
    "joined",
    "kept_by",
    "log_softmax",
    "normalise",
    "normalise_kept",
    "of_cells",
    "softmax",
    "softmax_kept",
]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# In which numbers is computed; `tensorlab.backends.cuda.products.specialised` gives others.
number = np.float32
# One total for each warp of a block.
WARPS = 32
# Of `normalise`: whether the mean is taken away.
CENTERS = True


def of_cells(kernel: Callable, source: dtype, result: dtype, **constants: Any) -> Callable:
    """A kernel for cells of these types, with the functions `widen` and `narrow` for them."""
    functions = text.functions_of("cells", text.cells_text(source, compute_type(result), result))
    names = {name: functions[name] for name in ("widen", "narrow", "number")}
    return products.specialised(kernel, **names, **constants)


def widen(cell):
    """The number that a cell holds."""
    return number(cell)


def narrow(value):
    """The cell of a number."""
    return value


def joined(value, warps, is_sum):
    """The sum, or the greatest, of the values of a block's threads, for each of them.

    Lanes join in pairs, and pairs of pairs; then everybody joins the warps' totals, in their order.
    """
    me, threads = cuda.threadIdx.x, cuda.blockDim.x
    half = min(threads, 32) // 2
    while half > 0:
        other = cuda.shfl_xor_sync(0xFFFFFFFF, value, half)
        value = number(value + other) if is_sum else max(value, other)
        half //= 2
    if me % 32 == 0:
        warps[me // 32] = value
    cuda.syncthreads()
    total = warps[0]
    for warp in range(1, (threads + 31) // 32):
        total = number(total + warps[warp]) if is_sum else max(total, warps[warp])
    return total


def first_cell(first, strides, shape):
    """The first cell of a block's row."""
    rest = cuda.blockIdx.x
    for dim in range(len(shape) - 1, -1, -1):
        first += rest % shape[dim] * strides[dim]
        rest //= shape[dim]
    return first


def totals_of(n, x, cell, step, greatest_of_warps, sums_of_warps):
    """The greatest number of a row, and the sum of the exponentials of all distances from it.

    A thread reads its numbers once: where it finds a greater one, its sum so far shrinks.
    """
    greatest, total = number(-math.inf), number(0)
    for i in range(cuda.threadIdx.x, n, cuda.blockDim.x):
        seen = widen(x[cell + i * step])
        if seen == greatest:
            total = number(total + number(1))
        elif seen > greatest:
            total = number(total * number(math.exp(greatest - seen)) + number(1))
            greatest = seen
        else:
            total = number(total + number(math.exp(seen - greatest)))
    of_all = joined(greatest, greatest_of_warps, False)
    if greatest != of_all:
        total = number(total * number(math.exp(greatest - of_all)))
    return of_all, joined(total, sums_of_warps, True)


def softmax(n, shape, out, out_first, out_strides, out_step, x, x_first, x_strides, x_step):
    """The exponentials of a row's numbers, divided by their sum."""
    greatest_of_warps = cuda.shared.array(WARPS, number)
    sums_of_warps = cuda.shared.array(WARPS, number)
    cell, out_cell = first_cell(x_first, x_strides, shape), first_cell(out_first, out_strides, shape)
    greatest, total = totals_of(n, x, cell, x_step, greatest_of_warps, sums_of_warps)
    for i in range(cuda.threadIdx.x, n, cuda.blockDim.x):
        distance = widen(x[cell + i * x_step]) - greatest
        out[out_cell + i * out_step] = narrow(number(number(math.exp(distance)) / total))


def log_softmax(n, shape, out, out_first, out_strides, out_step, x, x_first, x_strides, x_step):
    """The logarithm of `softmax`."""
    greatest_of_warps = cuda.shared.array(WARPS, number)
    sums_of_warps = cuda.shared.array(WARPS, number)
    cell, out_cell = first_cell(x_first, x_strides, shape), first_cell(out_first, out_strides, shape)
    greatest, total = totals_of(n, x, cell, x_step, greatest_of_warps, sums_of_warps)
    less = number(math.log(total))
    for i in range(cuda.threadIdx.x, n, cuda.blockDim.x):
        distance = widen(x[cell + i * x_step]) - greatest
        out[out_cell + i * out_step] = narrow(number(distance - less))


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


# --- rows that threads keep -----------------------------------------------------------------------------

# The numbers of a row that a thread keeps: so many times four neighbours. What it has beyond the row's end.
PIECES, KEPT, BEYOND = 1, 4, 0.0
# Of `softmax_kept`: whether its logarithm is wanted.
IS_LOGARITHM = False


def keep_row(kept, n, x, cell):
    """Read a thread's numbers of a row, four neighbours at a time."""
    for piece in range(PIECES):
        i, to = (piece * cuda.blockDim.x + cuda.threadIdx.x) * 4, 4 * piece
        for each in range(4):
            kept[np.uint32(to + each)] = number(BEYOND)
        if i < n:
            v = load4(x, cell + i)
            kept[np.uint32(to)], kept[np.uint32(to + 1)] = widen(v[0]), widen(v[1])
            kept[np.uint32(to + 2)], kept[np.uint32(to + 3)] = widen(v[2]), widen(v[3])


def write_row(kept, n, out, cell):
    """Write them, four neighbours at a time."""
    for piece in range(PIECES):
        i, at = (piece * cuda.blockDim.x + cuda.threadIdx.x) * 4, 4 * piece
        if i < n:
            store4(out, cell + i, (
                narrow(kept[np.uint32(at)]), narrow(kept[np.uint32(at + 1)]),
                narrow(kept[np.uint32(at + 2)]), narrow(kept[np.uint32(at + 3)]),
            ))  # fmt: skip


def softmax_kept(n, shape, out, out_first, out_strides, x, x_first, x_strides):
    """`softmax`, or its logarithm, of rows of neighbours that are read once; `BEYOND` is -inf."""
    greatest_of_warps = cuda.shared.array(WARPS, number)
    sums_of_warps = cuda.shared.array(WARPS, number)
    kept = cuda.local.array(KEPT, number)
    keep_row(kept, n, x, first_cell(x_first, x_strides, shape))
    greatest, total = number(-math.inf), number(0)
    for i in range(KEPT):
        greatest = max(greatest, kept[np.uint32(i)])
    greatest = joined(greatest, greatest_of_warps, False)
    for i in range(KEPT):
        distance = number(kept[np.uint32(i)] - greatest)
        exponential = number(math.exp(distance))
        total = number(total + exponential)
        kept[np.uint32(i)] = distance if IS_LOGARITHM else exponential
    total = joined(total, sums_of_warps, True)
    if IS_LOGARITHM:
        total = number(math.log(total))
    for i in range(KEPT):
        value = kept[np.uint32(i)]
        kept[np.uint32(i)] = number(value - total) if IS_LOGARITHM else number(value / total)
    write_row(kept, n, out, first_cell(out_first, out_strides, shape))


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


def kept_by(n: int, threads: int) -> tuple[int, dict[str, int]] | None:
    """How many threads keep a row of n numbers, and the constants; None if it is too long for them."""
    taken = min(threads, 1 << max((n - 1) // 4, 0).bit_length())
    pieces = -(-n // (4 * taken))
    if pieces > 8 or n % 4:
        return None
    return taken, {"PIECES": pieces, "KEPT": 4 * pieces}
