"""The negative log-likelihood: each place reads one number of its many classes; and the way back."""

from __future__ import annotations

import math

import numpy as np

from tensorlab.backends.cuda.indexing import tell
from tensorlab.backends.cuda.intrinsics import quotient, remainder, word
from tensorlab.backends.cuda.rows import WARPS, joined, narrow, widen
from tensorlab.backends.cuda.simulator import cuda

__all__ = ["likelihood", "likelihood_gradient", "likelihood_total"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

number = np.float32
# Whether each place has a cell of the result; whether the one result is a mean.
EACH, MEAN = False, True


def finished(total, counted, out, out_first, sums, sums_first):
    """Write down both sums, and the loss that they make."""
    sums[sums_first] = total
    sums[sums_first + 1] = counted
    if not EACH:
        if MEAN:
            total = number(total / counted) if counted != 0 else number(math.nan)
        out[out_first] = narrow(total)


def likelihood(
    count, classes, places, row_step, step, place_step, ignored, code, parts, out, out_first,
    sums, sums_first, x, x_first, target, target_first, weight, weight_first, faults,
):  # fmt: skip
    """What `LayerOperations.likelihood` does; several blocks leave their sums in `parts`."""
    sums_of_warps = cuda.shared.array(WARPS, number)
    weights_of_warps = cuda.shared.array(WARPS, number)
    total, counted = number(0), number(0)
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        chosen, value = target[target_first + i], number(0)
        if chosen != ignored:
            if chosen < 0 or chosen >= classes:
                tell(faults, code, chosen)
            else:
                cell = x_first + i // places * row_step + chosen * step + i % places * place_step
                factor = weight[weight_first + chosen]
                value = number(-factor * widen(x[cell]))
                total = number(total + value)
                counted = number(counted + factor)
        if EACH:
            out[out_first + i] = narrow(value)
    total, counted = joined(total, sums_of_warps, True), joined(counted, weights_of_warps, True)
    if cuda.threadIdx.x == 0:
        if cuda.gridDim.x == 1:
            finished(total, counted, out, out_first, sums, sums_first)
        else:
            parts[2 * cuda.blockIdx.x] = total
            parts[2 * cuda.blockIdx.x + 1] = counted


def likelihood_total(count, parts, out, out_first, sums, sums_first):
    """Join what the blocks of `likelihood` have found."""
    sums_of_warps = cuda.shared.array(WARPS, number)
    weights_of_warps = cuda.shared.array(WARPS, number)
    total, counted = number(0), number(0)
    for i in range(cuda.threadIdx.x, count, cuda.blockDim.x):
        total = number(total + parts[2 * i])
        counted = number(counted + parts[2 * i + 1])
    total, counted = joined(total, sums_of_warps, True), joined(counted, weights_of_warps, True)
    if cuda.threadIdx.x == 0:
        finished(total, counted, out, out_first, sums, sums_first)


def likelihood_gradient(
    rows, classes, places, ignored, out, out_first, grad, grad_first, target, target_first,
    weight, weight_first, sums, sums_first,
):  # fmt: skip
    """What `LayerOperations.likelihood_gradient` does: a block writes a row, and then others."""
    factor = number(1)
    if MEAN:
        counted = number(sums[sums_first + 1])
        factor = number(factor / counted) if counted != 0 else number(math.nan)
    width, line = word(classes * places), word(places)
    for row in range(cuda.blockIdx.x, rows, cuda.gridDim.x):
        for i in range(word(cuda.threadIdx.x), width, word(cuda.blockDim.x)):
            its_class, place = i, word(0)
            if line > 1:
                its_class, place = word(quotient(i, line)), word(remainder(i, line))
            here = row * places + place
            chosen, value = target[target_first + here], number(0)
            if chosen == its_class and chosen != ignored:
                given = widen(grad[grad_first + (here if EACH else 0)])
                value = number(number(-weight[weight_first + chosen] * given) * factor)
            out[out_first + row * width + i] = narrow(value)
