"""What a backend does with windows that move over images: convolution, pooling, their gradients.

An image here has three dimensions, depth, height and width; a signal has depth and height 1. A window moves
over it in steps, and a tap of the window meets, for result `i`, the number at ``i * step + offset`` in each
dimension. Outside of the image a convolution meets zeros.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tensorlab.backends.array import Array, compute_type, filled, of_host
from tensorlab.backends.operands import Buffer
from tensorlab.backends.protocol import Core
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.integers import ceil_div


class Window(NamedTuple):
    """How a window moves along one dimension.

    Attributes:
        size: the number of results.
        extent: the size of the image.
        step: by how much the window moves from one result to the next, 1 or more.
        offsets: of the window's taps, against ``i * step`` for result `i`.
    """

    size: int
    extent: int
    step: int
    offsets: tuple[int, ...]


class Correlation(NamedTuple):
    """A convolution as integers.

    ``out[n, g, m, i] = bias[g, m] + sum(weight[g, m, c, t] * image[n, g, c, i'])``, where the sum is over
    channels `c` and taps `t`, and ``i'`` is where tap `t` of result `i` lies. No size is 0.

    Attributes:
        images, groups, results, channels: the numbers of images and groups, and of the results and the
            channels in a group.
        windows: along depth, height and width. A tap is a choice of one tap in each, the last varying first.
        out: the strides of n, g, m, and of the position in depth, height and width.
        image: the strides of n, g, c, depth, height and width.
        weight: the strides of g, m and c.
        taps: where in the weights of one channel each tap lies.
    """

    images: int
    groups: int
    results: int
    channels: int
    windows: tuple[Window, Window, Window]
    out: tuple[int, ...]
    image: tuple[int, ...]
    weight: tuple[int, int, int]
    taps: tuple[int, ...]


class Reach(NamedTuple):
    """Where the windows of a pooling lie along one dimension.

    Attributes:
        begins, ends: for each result the first place of its window inside of the image, and the one behind
            the last.
        divisors: for each result, what its mean counts along this dimension.
        dilation: how far apart places of a window are.
        move: by how much the window moves from one result to the next, 0 where windows differ.
        first: where the first window begins, perhaps before the image.
        taps: how many places a window has.
    """

    begins: tuple[int, ...]
    ends: tuple[int, ...]
    divisors: tuple[int, ...]
    dilation: int
    move: int
    first: int
    taps: int


class Pooling(NamedTuple):
    """A pooling as integers. No size is 0.

    Attributes:
        images, channels: how many there are.
        width: of an image.
        reaches: of the windows, along height and width.
        divisor: what sums are divided by, or 0 where the divisors of both dimensions say it.
        out, image: the strides of image, channel, line and number.
    """

    images: int
    channels: int
    width: int
    reaches: tuple[Reach, Reach]
    divisor: int
    out: tuple[int, ...]
    image: tuple[int, ...]


class WindowOperations(Core):
    """The operations with windows of one device."""

    def correlate(
        self, element_type: dtype, problem: Correlation, bias: Sequence[int] | None
    ) -> Callable[..., None]:
        """Prepare a convolution. `bias` has the strides of g and m, None stands for zeros.

        All operands are of one dtype. Sixteen-bit floats are summed up in float32 and rounded once; integers
        wrap around. An element's value does not depend on how many threads there are.

        Returns:
            a launch of (out, image, weight, bias), where the bias may be None.
        """
        sizes = [window.size for window in problem.windows]
        shape = (problem.images, problem.groups, problem.results, *sizes)

        def launch(out: Buffer, image: Buffer, weight: Buffer, added: Buffer | None = None) -> None:
            number = compute_type(element_type)
            total = filled(self, shape, number, 0)
            kernel = Array(self, weight, element_type, (1,), (0,))
            source = Array(self, image, element_type, (1,), (0,))
            for tap, begins, counts, places in _taps(problem):
                (n, g, m), (z, y, x) = shape[:3], counts
                weights = kernel.view(
                    (n, g, z, y, m, problem.channels),
                    (0, problem.weight[0], 0, 0, *problem.weight[1:]),
                    problem.taps[tap],
                )
                met = _seen(problem, source, counts, places)
                made = total.view(
                    (n, g, z, y, m, x),
                    [total.strides[dim] for dim in (0, 1, 3, 4, 2, 5)],
                    sum(b * s for b, s in zip(begins, total.strides[3:], strict=True)),
                )
                weights.to(number).matmul(met.to(number), made)
            if added is not None and bias is not None:
                given = Array(self, added, element_type, (1, *shape[1:3], 1, 1, 1), (0, *bias, 0, 0, 0))
                total.put("add", total, given)
            Array(self, out, element_type, shape, problem.out).put("copy", total)

        return launch

    def correlate_weights(self, element_type: dtype, problem: Correlation) -> Callable[..., None]:
        """Prepare the gradient of a convolution's weights: ``sum(out[n, g, m, i] * image[n, g, c, i'])``.

        Here `out` is the gradient of the result. The sum is over images and positions.

        Returns:
            a launch of (weight, out, image), where the weight is written.
        """
        n, g, m, c = problem.images, problem.groups, problem.results, problem.channels

        def launch(weight: Buffer, out: Buffer, image: Buffer) -> None:
            number = compute_type(element_type)
            made = Array(
                self,
                weight,
                element_type,
                (1, g, 1, 1, m, c),
                (0, problem.weight[0], 0, 0, *problem.weight[1:]),
            )
            source, given = (Array(self, buffer, element_type, (1,), (0,)) for buffer in (image, out))
            for place in problem.taps:
                made.view(made.shape, made.strides, place).put("copy", 0)
            for tap, begins, counts, places in _taps(problem):
                z, y, x = counts
                steps = [problem.out[dim] for dim in (0, 1, 3, 4, 2, 5)]
                first = sum(b * s for b, s in zip(begins, problem.out[3:], strict=True))
                change = given.view((n, g, z, y, m, x), steps, first).to(number)
                met = _seen(problem, source, counts, places).to(number)
                total = change.matmul(met.turned()).fold("sum", 0, 2, 3)
                made.view(made.shape, made.strides, problem.taps[tap]).put("copy", total)

        return launch

    def pool(
        self, element_type: dtype, problem: Pooling, greatest: bool, places: bool = True
    ) -> Callable[..., None]:
        """Prepare a pooling: the greatest number of each window, or the mean.

        A NaN counts as the greatest, the last of several; else the first of equals does. Places are counted
        through the lines of a channel. A mean of integers is rounded towards 0.

        Returns:
            a launch of (out, image, places) for the greatest numbers, where the places are int64 and have the
            strides of `out`; of (out, image) for means, and where no `places` are wanted.
        """
        shape = _pooled(problem)

        def launch(out: Buffer, image: Buffer, found: Buffer | None = None) -> None:
            number = compute_type(element_type)
            lowest = (
                0
                if not greatest
                else float("-inf")
                if number.is_floating_point
                else dtypes.integer_range(number)[0]
            )
            best, at = filled(self, shape, number, lowest), filled(self, shape, dtypes.int64, 0)
            source = Array(self, image, element_type, shape, (*problem.image[:2], 0, 0))
            for number_of, (inside, place, value) in enumerate(_met(self, problem, source)):
                value = value.to(number)
                if not greatest:
                    value.put("where", inside, value, 0)
                    best.put("add", best, value)
                    continue
                better = value.map("gt", best).map("logical_or", value.map("ne", value))
                if number_of == 0:
                    at.put("copy", place)
                better = better.map("logical_and", inside)
                best.put("where", better, value, best)
                at.put("where", better, place, at)
            target = Array(self, out, element_type, shape, problem.out)
            if not greatest:
                target.put(
                    "trunc_divide" if not number.is_floating_point else "div",
                    best,
                    _divisors(self, problem, number),
                )
                return
            target.put("copy", best)
            if found is not None and places:
                Array(self, found, dtypes.int64, shape, problem.out).put("copy", at)

        return launch

    def pool_gradient(self, element_type: dtype, problem: Pooling, greatest: bool) -> Callable[..., None]:
        """Prepare the gradient of a pooling.

        Each part is added to the number at its place, or of means, divided, to all numbers of its window.

        Returns:
            a launch of (out, image, places), or of (out, image) for means: `image` is added to, and `out` is
            the gradient of the results. The lines of a channel of `image` follow one another without gaps.
        """
        shape = _pooled(problem)
        down = problem.width * problem.image[3]

        def launch(out: Buffer, image: Buffer, found: Buffer | None = None) -> None:
            given = Array(self, out, element_type, shape, problem.out)
            target = Array(self, image, element_type, shape, (*problem.image[:2], 0, 0))
            area = max(max(problem.reaches[0].ends) * problem.width, 1)
            if greatest:
                assert found is not None
                at = Array(self, found, dtypes.int64, shape, problem.out)
                _add(target, area, problem.image[3], at, given)
                return
            parts = given.map(
                "div", _divisors(self, problem, compute_type(element_type)), dtype=compute_type(element_type)
            )
            assert down == problem.image[2]
            for inside, place, _ in _met(self, problem, target):
                values = parts.to(parts.dtype)
                values.put("where", inside, parts, 0)
                _add(target, area, problem.image[3], place, values)

        return launch


def _add(target: Array, size: int, step: int, index: Array, values: Array) -> None:
    """Add values where an index leads to; sixteen-bit floats are summed up in their compute type."""
    if target.dtype is compute_type(target.dtype):
        target.scatter("add", size, step, index, values.to(target.dtype))
        return
    cells = Array(target.backend, (target.cells, 0), target.dtype, (target.cells.size,))
    wide = cells.to(compute_type(target.dtype))
    wide.view(target.shape, target.strides, target.buffer[1]).scatter(
        "add", size, step, index, values.to(wide.dtype)
    )
    cells.put("copy", wide)


def _taps(problem: Correlation) -> Iterator[tuple[int, list[int], list[int], list[int]]]:
    """Each tap that meets the image: its number; the first results that do, how many; the first places."""
    offsets = itertools.product(*[window.offsets for window in problem.windows])
    for tap, taken in enumerate(offsets):
        begins, counts, places = [], [], []
        for window, offset in zip(problem.windows, taken, strict=True):
            begin = max(0, ceil_div(-offset, window.step))
            end = min(window.size, ceil_div(window.extent - offset, window.step))
            begins.append(begin)
            counts.append(end - begin)
            places.append(begin * window.step + offset)
        if min(counts) > 0:
            yield tap, begins, counts, places


def _seen(problem: Correlation, image: Array, counts: Sequence[int], places: Sequence[int]) -> Array:
    """The numbers that a tap meets: images, groups, depth, height, channels, width."""
    n, g, c, *steps = problem.image
    z, y, x = (step * window.step for step, window in zip(steps, problem.windows, strict=True))
    first = sum(place * step for place, step in zip(places, steps, strict=True))
    shape = (problem.images, problem.groups, *counts[:2], problem.channels, counts[2])
    return image.view(shape, (n, g, z, y, c, x), first)


def _pooled(problem: Pooling) -> tuple[int, int, int, int]:
    down, across = problem.reaches
    return problem.images, problem.channels, len(down.begins), len(across.begins)


def _met(backend: Core, problem: Pooling, image: Array) -> Iterator[tuple[Array, Array, Array]]:
    """For each tap: where it lies inside of the windows, its place in a channel, and the number there."""
    down, across = problem.reaches
    longest = [
        max(
            ceil_div(end - begin, reach.dilation) for begin, end in zip(reach.begins, reach.ends, strict=True)
        )
        for reach in problem.reaches
    ]
    for row, column in itertools.product(*map(range, longest)):
        y = [begin + row * down.dilation for begin in down.begins]
        x = [begin + column * across.dilation for begin in across.begins]
        inside = [
            [a < lower and b < right for b, right in zip(x, across.ends, strict=True)]
            for a, lower in zip(y, down.ends, strict=True)
        ]
        place, cell = (
            [
                [a * line + b * step if ok else 0 for b, ok in zip(x, row_inside, strict=True)]
                for a, row_inside in zip(y, inside, strict=True)
            ]
            for line, step in ((problem.width, 1), problem.image[2:])
        )
        lies = (1, 1, len(y), len(x))
        value = image.gather(max(map(max, cell)) + 1, 1, of_host(backend, cell).view(lies))
        yield of_host(backend, inside, dtypes.bool).view(lies), of_host(backend, place).view(lies), value


def _divisors(backend: Core, problem: Pooling, number: dtype) -> Array:
    if problem.divisor:
        return filled(backend, (1, 1, 1, 1), number, problem.divisor)
    down, across = (of_host(backend, reach.divisors, number) for reach in problem.reaches)
    return down.view((1, 1, down.shape[0], 1)).map("mul", across.view((1, 1, 1, across.shape[0])))
