"""The negative log-likelihood: each place reads one number of its many classes; and the way back."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from tensorlab.backends.array import compute_type
from tensorlab.backends.cuda.constants import of_cells
from tensorlab.backends.cuda.index import tell
from tensorlab.backends.cuda.intrinsics import quotient, remainder, word
from tensorlab.backends.cuda.operands import raw
from tensorlab.backends.cuda.rows import WARPS, joined, narrow, widen
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.backends.operands import Buffer, Launch, no_launch
from tensorlab.core.dtypes import dtype

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

__all__ = [
    "likelihood",
    "likelihood_gradient",
    "likelihood_total",
    "prepare_likelihood",
    "prepare_likelihood_gradient",
]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

number = np.float32
# Whether each place has a cell of the result; whether the one result is a mean.
EACH, MEAN = False, True
# How many places a thread should join, at least, before there is another block.
PLACES = 8


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


def prepare_likelihood(
    backend: Cuda,
    element_type: dtype,
    sizes: tuple[int, int, int],
    strides: tuple[int, int, int],
    ignored: int,
    reduction: str,
) -> Callable[..., int]:
    """See `tensorlab.backends.layers.LayerOperations.likelihood`."""
    named = {"EACH": reduction == "none", "MEAN": reduction == "mean"}
    first, last = (
        of_cells(kernel, element_type, element_type, **named) for kernel in (likelihood, likelihood_total)
    )
    count = sizes[0] * sizes[2]
    blocks, threads = backend.shared_among(max(count // PLACES, 1))
    threads = backend.threads_of(threads)
    meaning = f"Target {{}} is out of bounds: there are {sizes[1]} classes, 0 to {sizes[1] - 1}"

    def launch(out: Buffer, sums: Buffer, x: Buffer, target: Buffer, weight: Buffer) -> int:
        faults, (code,) = backend.listen([meaning])
        parts = backend.allocate(2 * blocks, compute_type(element_type).cell)
        ends = *raw(out), *raw(sums)
        given = *raw(x), *raw(target), *raw(weight), faults
        numbers = count, *sizes[1:], *strides, ignored, code
        backend.run(first, blocks, threads, *numbers, parts.cells, *ends, *given)
        if blocks > 1:
            backend.run(last, 1, backend.threads_of(blocks), blocks, parts.cells, *ends)
        return -1

    return launch


def prepare_likelihood_gradient(
    backend: Cuda, element_type: dtype, sizes: tuple[int, int, int], ignored: int, each: bool, mean: bool
) -> Launch:
    """See `tensorlab.backends.layers.LayerOperations.likelihood_gradient`."""
    if 0 in sizes:
        return no_launch
    kernel = of_cells(likelihood_gradient, element_type, element_type, EACH=each, MEAN=mean)
    count, width = sizes[0], sizes[1] * sizes[2]

    def launch(*buffers: Buffer) -> None:
        cells = [part for each in buffers for part in raw(each)]
        grid = min(count, 4 * backend.driver.blocks)
        backend.run(kernel, grid, min(width, backend.driver.threads), *sizes, ignored, *cells)

    return launch
