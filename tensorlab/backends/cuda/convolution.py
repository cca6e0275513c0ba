"""A convolution as a product of matrices: what a window meets becomes a column, and its weights are a row.

The columns are in no memory: the product's kernels find them in the image (see
`tensorlab.backends.cuda.columns`). Where a window has one tap, and moves by 1 over all of the image, the
image is the matrix. On Hopper, sixteen-bit numbers are multiplied warp by warp as on Ampere: warpgroups bring
what they multiply by asynchronous copies of 16 bytes, which gather nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tensorlab.backends.array import Array, compute_type
from tensorlab.backends.cuda.columns import Columns, columns_of
from tensorlab.backends.cuda.constants import of_cells
from tensorlab.backends.cuda.gemm import prepare_gemm
from tensorlab.backends.cuda.intrinsics import quotient, remainder
from tensorlab.backends.cuda.operands import MOST, raw, uploaded
from tensorlab.backends.cuda.rows import narrow
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.backends.operands import Buffer, Memory
from tensorlab.backends.windows import Correlation, Window
from tensorlab.core.dtypes import dtype

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

number = np.float32


def arrange(count, results, length, places, out, x, x_first, x_g, x_m):
    """Copy weights so that those of a result are a row; `places` says where they lie."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        column, rest = remainder(i, length), quotient(i, length)
        result, group = remainder(rest, results), quotient(rest, results)
        out[i] = x[x_first + group * x_g + result * x_m + places[column]]


def joined_weights(count, parts, results, length, places, out, out_first, out_g, out_m, x):
    """Add up parts, each a row of weights for each result, and write the sums to where the weights lie."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        total = number(0)
        for part in range(parts):
            total = number(total + x[part * count + i])
        column, rest = remainder(i, length), quotient(i, length)
        result, group = remainder(rest, results), quotient(rest, results)
        out[out_first + group * out_g + result * out_m + places[column]] = narrow(total)


# --- which kernel runs --------------------------------------------------------------------------------------

# Kernels count places, and steps in an image, in 32 bits. Larger images are cut into pieces.
COUNTED = 1 << 30
# How many sums of images, one for each weight, the gradient of weights holds at a time, at most.
SUMS = 1 << 26


def prepare_correlate(
    backend: Cuda, element_type: dtype, problem: Correlation, bias: Sequence[int] | None
) -> Callable[..., None]:
    """See `tensorlab.backends.windows.WindowOperations.correlate`."""
    prepared = [
        (out_begin, image_begin, _piece(backend, element_type, piece, bias))
        for out_begin, image_begin, piece in _pieces(problem)
    ]

    def launch(out: Buffer, image: Buffer, weight: Buffer, given: Buffer | None = None) -> None:
        for out_begin, image_begin, multiply in prepared:
            multiply((out[0], out[1] + out_begin), (image[0], image[1] + image_begin), weight, given)

    return launch


def _piece(
    backend: Cuda, element_type: dtype, problem: Correlation, bias: Sequence[int] | None
) -> Callable[..., None]:
    rows, m = _Rows(backend, problem), problem.results
    places, sizes, out = _places(problem)
    shape = problem.images, problem.groups, m, *sizes
    dense = (problem.groups * m * places, m * places, places, 1)
    multiply = prepare_gemm(
        backend,
        element_type,
        shape[:2],
        (m, places, rows.length),
        out or dense,
        rows.weights,
        rows.columns(problem.image[:2], (0, 0), along_k=True),
        None if bias is None else (0, *bias, 0),
    )

    def launch(target: Buffer, image: Buffer, weight: Buffer, given: Buffer | None) -> None:
        made = target if out else (_new(backend, math.prod(shape), element_type), 0)
        added = () if given is None else (given, 1, 1)
        multiply(made, rows.arranged(weight), image, *added)
        if not out:
            source = Array(backend, made, element_type, shape)
            Array(backend, target, element_type, shape, problem.out).put("copy", source)

    return launch


def prepare_correlate_weights(
    backend: Cuda, element_type: dtype, problem: Correlation
) -> Callable[..., None]:
    """See `tensorlab.backends.windows.WindowOperations.correlate_weights`.

    Each image is summed up by itself, and may be cut into several parts; their sums are added up afterwards,
    always in the same order. So many images are summed up at a time as `SUMS` allows.
    """
    number, rows = compute_type(element_type), _Rows(backend, problem)
    length, m = rows.length, problem.results
    count, turns, most = problem.groups * m * length, [], 0
    at_a_time = max(1, SUMS // max(count, 1))
    for first in range(0, problem.images, at_a_time):
        prepared, parts = [], 1 if first else 0  # then the first part is the sum of the images before
        images = problem._replace(images=min(at_a_time, problem.images - first))
        for out_begin, image_begin, piece in _pieces(images):
            cuts, multiply = _piece_of_weights(backend, element_type, piece)
            out_cell, cell = out_begin + first * problem.out[0], image_begin + first * problem.image[0]
            prepared.append((out_cell, cell, parts * count, multiply))
            parts += piece.images * cuts
        turns.append((parts, prepared))
        most = max(most, parts)
    add, finish = of_cells(joined_weights, number, number), of_cells(joined_weights, number, element_type)
    in_order = uploaded(backend, range(length))

    def launch(weight: Buffer, out: Buffer, image: Buffer) -> None:
        made = _new(backend, most * count, number)
        for turn, (parts, prepared) in enumerate(turns, 1):
            for out_cell, cell, begin, multiply in prepared:
                multiply((made, begin), (out[0], out[1] + out_cell), (image[0], image[1] + cell))
            if turn < len(turns):
                kernel, ends = add, (in_order.cells, made.cells, 0, m * length, length)
            else:
                kernel, ends = finish, (rows.places.cells, *raw(weight), *problem.weight[:2])
            backend.each(kernel, count, count, parts, m, length, *ends, made.cells)

    return launch


def _piece_of_weights(
    backend: Cuda, element_type: dtype, problem: Correlation
) -> tuple[int, Callable[..., None]]:
    """Into how many parts an image is cut, and what writes the sums of all parts."""
    number, rows, m = compute_type(element_type), _Rows(backend, problem), problem.results
    images, groups, k = problem.images, problem.groups, rows.length
    places, sizes, out = _places(problem)
    # One product has few results and a long sum: so it is cut.
    count, cuts = groups * m * k, 1
    while (
        places % (2 * cuts) == 0
        and places >= 512 * cuts
        and count * images * cuts < 1 << 22
        and images * groups * 2 * cuts <= MOST
    ):
        cuts *= 2
    line = places // cuts
    n, g, row, column = out or (groups * m * places, m * places, places, 1)
    multiply = prepare_gemm(
        backend,
        element_type,
        (images, cuts, groups),
        (m, k, line),
        (cuts * count, count, m * k, k, 1),
        (n, line * column, g, row, column),
        rows.columns((problem.image[0], 0, problem.image[1]), (0, line, 0), along_k=False),
        result=number,
    )

    def launch(sums: Buffer, given: Buffer, image: Buffer) -> None:
        if not out:
            shape = images, groups, m, *sizes
            given = Array(backend, given, element_type, shape, problem.out).to(element_type).buffer
        multiply(sums, given, image)

    return cuts, launch


def _places(problem: Correlation) -> tuple[int, list[int], tuple[int, ...] | None]:
    """How many places there are; how many along depth, height, width; the strides of results as a matrix.

    There are no such strides, but None, where places do not lie at even steps.
    """
    sizes = [window.size for window in problem.windows]
    step = _even(sizes, problem.out[3:])
    return math.prod(sizes), sizes, None if step is None else (*problem.out[:3], step)


class _Rows:
    """The rows of a convolution's columns: a tap of a channel each, in the order in which the image lies.

    Attributes:
        length: how many there are.
        places: where in the weights of a result each of them lies.
        weights: the strides of images, groups, results and rows in weights that are `arranged`.
    """

    def __init__(self, backend: Cuda, problem: Correlation) -> None:
        self._backend, self._problem = backend, problem
        (g, m, c), count = problem.weight, len(problem.taps)
        self.length = problem.channels * count
        numbers = np.arange(self.length)
        if problem.image[2] < problem.image[5]:  # channels are neighbours
            self._taps, self._channels = divmod(numbers, problem.channels)
        else:
            self._channels, self._taps = divmod(numbers, count)
        places = self._channels * c + np.array(problem.taps)[self._taps]
        steps = np.unique(np.diff(places))
        self._first = int(places[0]) if steps.size < 2 else None
        step = int(steps[0]) if steps.size else 1
        row = problem.results * self.length, self.length, 1
        self.weights = (0, *(row if self._first is None else (g, m, step)))
        self.places = uploaded(backend, places)

    def arranged(self, weight: Buffer) -> Buffer:
        """The weights of each result as a row of numbers at even steps."""
        memory, first = weight
        if self._first is not None:
            return memory, first + self._first
        problem = self._problem
        count = problem.groups * problem.results * self.length
        made = self._backend.allocate(count, memory.dtype)
        ends = self.places.cells, made.cells, memory.cells, first, *problem.weight[:2]
        self._backend.each(arrange, count, count, problem.results, self.length, *ends)
        return made, 0

    def columns(
        self, batch: tuple[int, ...], begins: tuple[int, ...], along_k: bool
    ) -> Columns | tuple[int, ...]:
        """The columns as `b` of a product; if they are the image itself, its strides.

        Args:
            batch: the strides of the product's batch in the image.
            begins: the first place of each product of the batch, as strides of the batch.
            along_k: whether the product sums up over rows; if not, over places.
        """
        problem = self._problem
        step = _even([window.size for window in problem.windows], problem.image[3:])
        if step is None or not all(map(_is_whole, problem.windows)):
            return columns_of(self._backend, problem, self._channels, self._taps, batch, begins, along_k)
        cells = [stride + begin * step for stride, begin in zip(batch, begins, strict=True)]
        matrix = problem.image[2], step
        return *cells, *(matrix if along_k else matrix[::-1])


def _pieces(problem: Correlation) -> Iterator[tuple[int, int, Correlation]]:
    """Pieces whose places can be counted: where each begins in the results and in the image, and itself."""
    sizes = [window.size for window in problem.windows]
    dim = int(np.argmax(sizes))
    window = problem.windows[dim]
    farthest = max(max(each.extent, each.size * each.step) for each in problem.windows)
    if sizes[dim] == 1 or (math.prod(sizes) <= COUNTED and farthest <= COUNTED):
        yield 0, 0, problem
        return
    half = window.size // 2
    for begin, size in (0, half), (half, window.size - half):
        at = begin * window.step
        low = min(max(at + min(window.offsets), 0), window.extent)
        high = max(min(at + (size - 1) * window.step + max(window.offsets) + 1, window.extent), low)
        offsets = tuple(at + offset - low for offset in window.offsets)
        windows = list(problem.windows)
        windows[dim] = Window(size, high - low, window.step, offsets)
        z, y, x = windows
        for out, image, piece in _pieces(problem._replace(windows=(z, y, x))):
            yield out + begin * problem.out[3 + dim], image + low * problem.image[3 + dim], piece


def _is_whole(window: Window) -> bool:
    """Whether a window's one tap meets every place of an image."""
    return window.offsets == (0,) and window.step == 1 and window.size == window.extent


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
