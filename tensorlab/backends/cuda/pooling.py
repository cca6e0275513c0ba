"""Pooling: a thread has a result, or on the way back a place of the image, and neighbours have neighbours."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from tensorlab.backends.array import compute_type
from tensorlab.backends.cuda.constants import of_cells
from tensorlab.backends.cuda.intrinsics import quotient, remainder
from tensorlab.backends.cuda.operands import raw, uploaded
from tensorlab.backends.cuda.rows import narrow, widen
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.backends.fused import Backend
from tensorlab.backends.operands import Buffer, Memory
from tensorlab.backends.windows import Pooling, Reach
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

__all__ = ["pool_gradient", "pool_greatest", "pool_mean", "prepare_pool", "prepare_pool_gradient"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

number = np.float32
# What every number is as great as; whether places are written; whether numbers are whole.
LOWEST, PLACES, WHOLE = -np.inf, True, False
# Of the gradient: whether it is that of the greatest numbers.
GREATEST = True


def place_of(i, channels, lines, columns):
    """The image, the channel, the line and the column of the i-th place."""
    rest, column = quotient(i, columns), remainder(i, columns)
    plane, line = quotient(rest, lines), remainder(rest, lines)
    return quotient(plane, channels), remainder(plane, channels), line, column


def divided(total, divisor):
    """The mean; of whole numbers without a fraction, as it is cut off."""
    if WHOLE:
        mean = total // divisor  # rounded down
        return number(mean + 1 if mean < 0 and mean * divisor != total else mean)
    return number(total / number(divisor))


def pool_greatest(
    count, channels, lines, columns, width, dilation_y, dilation_x, reaches_y, reaches_x,
    out, out_first, out_n, out_c, out_y, out_x, x, x_first, x_n, x_c, x_y, x_x,
    places, places_first,
):  # fmt: skip
    """The greatest number of each window, and where it stands. `reaches` are begins, and then ends."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        image, channel, line, column = place_of(i, channels, lines, columns)
        cell = x_first + image * x_n + channel * x_c
        top, left = reaches_y[line], reaches_x[column]
        best, at = number(LOWEST), top * width + left
        for y in range(top, reaches_y[lines + line], dilation_y):
            for across in range(left, reaches_x[columns + column], dilation_x):
                value = widen(x[cell + y * x_y + across * x_x])
                if value > best or value != value:
                    best, at = value, y * width + across
        out_cell = image * out_n + channel * out_c + line * out_y + column * out_x
        out[out_first + out_cell] = narrow(best)
        if PLACES:
            places[places_first + out_cell] = at


def pool_mean(
    count, channels, lines, columns, divisor, dilation_y, dilation_x, reaches_y, reaches_x,
    out, out_first, out_n, out_c, out_y, out_x, x, x_first, x_n, x_c, x_y, x_x,
):  # fmt: skip
    """The mean of each window. `reaches` are begins, ends, and divisors for where no other is given."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        image, channel, line, column = place_of(i, channels, lines, columns)
        cell = x_first + image * x_n + channel * x_c
        total = number(0)
        for y in range(reaches_y[line], reaches_y[lines + line], dilation_y):
            for across in range(reaches_x[column], reaches_x[columns + column], dilation_x):
                total = number(total + widen(x[cell + y * x_y + across * x_x]))
        by = divisor
        if by == 0:
            by = reaches_y[2 * lines + line] * reaches_x[2 * columns + column]
        out_cell = out_first + image * out_n + channel * out_c + line * out_y + column * out_x
        out[out_cell] = narrow(divided(total, by))


def pool_gradient(
    count, channels, height, width, lines, columns, divisor, dilation_y, dilation_x, reaches_y, reaches_x,
    met_y, met_x, out, out_first, out_n, out_c, out_y, out_x, x, x_first, x_n, x_c, x_y, x_x,
    places, places_first,
):  # fmt: skip
    """Add to each place of an image what the windows give that reach it.

    `met` are for each line, or column, the first window that may reach it, and then the last, and one more.
    """
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        image, channel, y, across = place_of(i, channels, height, width)
        plane, total = image * out_n + channel * out_c, number(0)
        for line in range(met_y[y], met_y[height + y]):
            for column in range(met_x[across], met_x[width + across]):
                out_cell = plane + line * out_y + column * out_x
                if GREATEST:
                    if places[places_first + out_cell] == y * width + across:
                        total = number(total + widen(out[out_first + out_cell]))
                    continue
                down, right = y - reaches_y[line], across - reaches_x[column]
                if down % dilation_y == 0 and right % dilation_x == 0:
                    by = divisor
                    if by == 0:
                        by = reaches_y[2 * lines + line] * reaches_x[2 * columns + column]
                    total = number(total + widen(out[out_first + out_cell]) / number(by))
        cell = x_first + image * x_n + channel * x_c + y * x_y + across * x_x
        x[cell] = narrow(number(widen(x[cell]) + total))


# --- which kernel runs --------------------------------------------------------------------------------------


def prepare_pool(
    backend: Cuda, element_type: dtype, problem: Pooling, greatest: bool, places: bool = True
) -> Callable[..., None]:
    """See `tensorlab.backends.windows.WindowOperations.pool`."""
    computed = compute_type(element_type)
    constants = {"PLACES": places, "LOWEST": _lowest(computed)}
    if not greatest:
        constants = {"WHOLE": not computed.is_floating_point}
    kernel = of_cells(pool_greatest if greatest else pool_mean, element_type, element_type, **constants)
    lines, columns = (len(reach.begins) for reach in problem.reaches)
    count = problem.images * problem.channels * lines * columns
    if count >= 1 << 32:
        return Backend.pool(backend, element_type, problem, greatest, places)
    tables = _tables(backend, problem)
    last = problem.width if greatest else problem.divisor
    numbers = count, problem.channels, lines, columns, last, *(each.dilation for each in problem.reaches)

    def launch(out: Buffer, image: Buffer, found: Buffer | None = None) -> None:
        ends = *raw(out), *problem.out, *raw(image), *problem.image
        more = raw(found or image) if greatest else ()
        backend.each(kernel, count, *numbers, *(table.cells for table in tables), *ends, *more)

    return launch


def prepare_pool_gradient(
    backend: Cuda, element_type: dtype, problem: Pooling, greatest: bool
) -> Callable[..., None]:
    """See `tensorlab.backends.windows.WindowOperations.pool_gradient`."""
    kernel = of_cells(pool_gradient, element_type, element_type, GREATEST=greatest)
    lines, columns = (len(reach.begins) for reach in problem.reaches)
    height, width = max(problem.reaches[0].ends), problem.width
    count = problem.images * problem.channels * height * width
    if count >= 1 << 32:
        return Backend.pool_gradient(backend, element_type, problem, greatest)
    tables = _tables(backend, problem)
    met = [
        uploaded(backend, *_met(reach, extent))
        for reach, extent in zip(problem.reaches, (height, width), strict=True)
    ]
    numbers = problem.channels, height, width, lines, columns, problem.divisor
    dilations = [reach.dilation for reach in problem.reaches]

    def launch(out: Buffer, image: Buffer, found: Buffer | None = None) -> None:
        ends = *raw(out), *problem.out, *raw(image), *problem.image, *raw(found or out)
        if count:
            looked_up = [table.cells for table in (*tables, *met)]
            backend.each(kernel, count, count, *numbers, *dilations, *looked_up, *ends)

    return launch


def _tables(backend: Cuda, problem: Pooling) -> list[Memory]:
    """Where windows begin and end, and by what their sums are divided, for kernels to look up."""
    return [uploaded(backend, reach.begins, reach.ends, reach.divisors) for reach in problem.reaches]


def _lowest(number: dtype) -> float:
    return -math.inf if number.is_floating_point else dtypes.integer_range(number)[0]


def _met(reach: Reach, extent: int) -> tuple[np.ndarray, np.ndarray]:
    """For each place the first window that may reach it, and the last one, and one more."""
    begins = reach.begins if reach.move == 0 else reach.first + reach.move * np.arange(len(reach.begins))
    places = np.arange(extent)
    return np.searchsorted(reach.ends, places, "right"), np.searchsorted(begins, places, "right")
