"""A convolution as a product of matrices: what a window meets becomes a column, and its weights are a row."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tensorlab.backends.array import Array, compute_type
from tensorlab.backends.cuda.constants import of_cells
from tensorlab.backends.cuda.intrinsics import quotient, remainder
from tensorlab.backends.cuda.operands import raw, uploaded
from tensorlab.backends.cuda.rows import narrow, widen
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.backends.operands import Buffer, Launch, Memory
from tensorlab.backends.windows import Correlation, Window
from tensorlab.core.dtypes import dtype

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

number = np.float32


def unfold(
    count, groups, channels, places, lines, columns, taps, kernel_z, kernel_y, kernel_x,
    step_z, step_y, step_x, depth, height, width, offsets, out, x, x_first, x_n, x_g, x_c, x_z, x_y, x_x,
):  # fmt: skip
    """Write what each tap meets: images, groups, channels, taps, places. A thread has a place of a channel.

    `offsets` are those of the taps along depth, then height, then width. Outside of the image lie zeros.
    """
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        place, plane = remainder(i, places), quotient(i, places)
        across, rest = remainder(place, columns), quotient(place, columns)
        down, deep = remainder(rest, lines), quotient(rest, lines)
        channel, rest = remainder(plane, channels), quotient(plane, channels)
        group, image = remainder(rest, groups), quotient(rest, groups)
        source = x_first + image * x_n + group * x_g + channel * x_c
        cell = plane * taps * places + place
        for tap_z in range(kernel_z):
            z = deep * step_z + offsets[tap_z]
            for tap_y in range(kernel_y):
                y = down * step_y + offsets[kernel_z + tap_y]
                line = source + z * x_z + y * x_y
                is_inside = z >= 0 and z < depth and y >= 0 and y < height
                for tap_x in range(kernel_x):
                    at = across * step_x + offsets[kernel_z + kernel_y + tap_x]
                    value = number(0)
                    if is_inside and at >= 0 and at < width:
                        value = widen(x[line + at * x_x])
                    out[cell] = narrow(value)
                    cell += places


def arrange(count, results, channels, taps, places, out, x, x_first, x_g, x_m, x_c):
    """Copy weights so that those of a result are a row: all taps of a channel, and then of the next."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        tap, rest = remainder(i, taps), quotient(i, taps)
        channel, rest = remainder(rest, channels), quotient(rest, channels)
        result, group = remainder(rest, results), quotient(rest, results)
        out[i] = x[x_first + group * x_g + result * x_m + channel * x_c + places[tap]]


def joined_weights(count, parts, results, channels, taps, places, out, out_first, out_g, out_m, out_c, x):
    """Add up parts, each a row of weights for each result, and write the sums to where the weights lie."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        total = number(0)
        for part in range(parts):
            total = number(total + x[part * count + i])
        tap, rest = remainder(i, taps), quotient(i, taps)
        channel, rest = remainder(rest, channels), quotient(rest, channels)
        result, group = remainder(rest, results), quotient(rest, results)
        out[out_first + group * out_g + result * out_m + channel * out_c + places[tap]] = narrow(total)


# --- which kernel runs --------------------------------------------------------------------------------------

# The bytes of columns that are made at a time.
COLUMNS = 1 << 28


def prepare_correlate(
    backend: Cuda, element_type: dtype, problem: Correlation, bias: Sequence[int] | None
) -> Callable[..., None]:
    """See `tensorlab.backends.windows.WindowOperations.correlate`."""
    columns = _Columns(backend, element_type, element_type, problem)
    groups, m, k, places = problem.groups, problem.results, columns.length, columns.places
    weights, of_rows = _rows(backend, problem)
    sizes = [window.size for window in problem.windows]
    step = _even(sizes, problem.out[3:])
    dense = (groups * m * places, m * places, places, 1)
    strides = dense if step is None else (*problem.out[:3], step)
    added = None if bias is None else (0, *bias, 0)

    @functools.cache
    def prepared(images: int, source: tuple[int, ...] | None) -> Launch:
        batch = (images, groups)
        return backend.gemm(element_type, batch, (m, places, k), strides, of_rows, columns.strides, source)

    def launch(out: Buffer, image: Buffer, weight: Buffer, given: Buffer | None = None) -> None:
        row = weights(weight)
        to = out if step is not None else (_new(backend, problem.images * dense[0], element_type), 0)
        for first, images in columns.pieces:
            target = to[0], to[1] + first * strides[0]
            multiply = prepared(images, added if given is not None else None)
            of_image = columns.made(image, first, images)
            if given is None:
                multiply(target, row, of_image)
            else:
                multiply(target, row, of_image, given, 1, 1)
        if step is None:
            shape = problem.images, groups, m, *sizes
            Array(backend, out, element_type, shape, problem.out).put(
                "copy", Array(backend, to, element_type, shape)
            )

    return launch


def prepare_correlate_weights(
    backend: Cuda, element_type: dtype, problem: Correlation
) -> Callable[..., None]:
    """See `tensorlab.backends.windows.WindowOperations.correlate_weights`."""
    number = compute_type(element_type)
    columns = _Columns(backend, element_type, number, problem)
    groups, m, k, places = problem.groups, problem.results, columns.length, columns.places
    sizes, count = [window.size for window in problem.windows], groups * m * k
    step = _even(sizes, problem.out[3:]) if number is element_type else None
    dense = (groups * m * places, m * places, places, 1)
    n, g, row, column = dense if step is None else (*problem.out[:3], step)
    # One product has few results and a long sum: so it is cut into pieces, which are added up afterwards.
    cuts = 1
    while places % (2 * cuts) == 0 and places >= 512 * cuts and count * problem.images * cuts < 1 << 22:
        cuts *= 2
    line = places // cuts
    kernel = of_cells(joined_weights, number, element_type)
    table = uploaded(backend, problem.taps)

    @functools.cache
    def prepared(images: int) -> Launch:
        return backend.gemm(
            number,
            (images, cuts, groups),
            (m, k, line),
            (cuts * count, count, m * k, k, 1),
            (n, line * column, g, row, column),
            (columns.strides[0], line * columns.strides[3], columns.strides[1], *columns.strides[3:1:-1]),
        )

    def launch(weight: Buffer, out: Buffer, image: Buffer) -> None:
        given = out
        if step is None:
            shape = problem.images, groups, m, *sizes
            given = Array(backend, out, element_type, shape, problem.out).to(number).buffer
        parts = _new(backend, problem.images * cuts * count, number)
        for first, images in columns.pieces:
            made = columns.made(image, first, images)
            prepared(images)((parts, first * cuts * count), (given[0], given[1] + first * n), made)
        numbers = count, problem.images * cuts, m, problem.channels, len(problem.taps)
        backend.each(kernel, count, *numbers, table.cells, *raw(weight), *problem.weight, parts.cells)

    return launch


class _Columns:
    """What windows meet, as matrices: for each image and group a row a tap of a channel, a column a place.

    Attributes:
        length, places: how many rows and columns a matrix has.
        strides: of images, groups, rows and columns.
        pieces: which images are made at a time, as the first one's number and how many.
    """

    def __init__(self, backend: Cuda, element_type: dtype, number: dtype, problem: Correlation) -> None:
        self._backend, self._number, self._problem = backend, number, problem
        windows, taps = problem.windows, len(problem.taps)
        sizes = [window.size for window in windows]
        self.length, self.places = problem.channels * taps, math.prod(sizes)
        step = _even(sizes, problem.image[3:])
        self._is_image = number is element_type and step is not None and all(map(_is_whole, windows))
        if self._is_image and step is not None:
            self.strides = *problem.image[:3], step
        else:
            matrix = self.length * self.places
            self.strides = problem.groups * matrix, matrix, self.places, 1
        self._size = problem.groups * self.length * self.places
        most = max(1, COLUMNS // (self._size * number.itemsize))
        most = min(most, problem.images)
        starts = range(0, problem.images, most)
        self.pieces = [(first, min(most, problem.images - first)) for first in starts]
        self._kernel = of_cells(unfold, element_type, number)
        self._offsets = uploaded(backend, *(window.offsets for window in windows))

    def made(self, image: Buffer, first: int, images: int) -> Buffer:
        """The matrices of some images."""
        memory, cell = image
        problem, windows = self._problem, self._problem.windows
        cell += first * problem.image[0]
        if self._is_image:
            return memory, cell
        columns = _new(self._backend, images * self._size, self._number)
        count = images * problem.groups * problem.channels * self.places
        self._backend.each(
            self._kernel, count, count, problem.groups, problem.channels, self.places,
            *(window.size for window in windows[1:]), len(problem.taps),
            *(len(window.offsets) for window in windows), *(window.step for window in windows),
            *(window.extent for window in windows), self._offsets.cells, columns.cells, memory.cells, cell,
            *problem.image,
        )  # fmt: skip
        return columns, 0


def _is_whole(window: Window) -> bool:
    """Whether a window's one tap meets every place of an image."""
    return window.offsets == (0,) and window.step == 1 and window.size == window.extent


def _rows(backend: Cuda, problem: Correlation) -> tuple[Callable[[Buffer], Buffer], tuple[int, ...]]:
    """What makes of weights a row for each result, and the strides of images, groups, results and weights."""
    (g, m, c), taps = problem.weight, problem.taps
    step = taps[1] - taps[0] if len(taps) > 1 else c
    evenly = tuple(range(taps[0], taps[0] + step * len(taps), step)) if step else ()
    if taps == evenly and (problem.channels == 1 or c == step * len(taps)):
        return lambda weight: (weight[0], weight[1] + taps[0]), (0, g, m, step)
    row = problem.channels * len(taps)
    count, table = problem.groups * problem.results * row, uploaded(backend, taps)

    def arranged(weight: Buffer) -> Buffer:
        made = backend.allocate(count, weight[0].dtype)
        numbers = count, problem.results, problem.channels, len(taps)
        ends = table.cells, made.cells, *raw(weight), g, m, c
        backend.each(arrange, count, *numbers, *ends)
        return made, 0

    return arranged, (0, problem.results * row, row, 1)


def _even(sizes: Sequence[int], strides: Sequence[int]) -> int | None:
    """By how many cells neighbours lie apart, if that is the same for all of them, line after line."""
    found = [(size, step) for size, step in zip(sizes, strides, strict=True) if size > 1]
    if not found:
        return 1
    step = expected = found[-1][1]
    for size, stride in reversed(found):
        if stride != expected:
            return None
        expected *= size
    return step


def _new(backend: Cuda, count: int, element_type: dtype) -> Memory:
    return backend.allocate(count, element_type.cell)
