"""What a backend does with windows that move over images: convolution, its gradients, pooling, resampling.

An image here has three dimensions, depth, height and width; a signal has depth and height 1. A window moves
over it in steps, and a tap of the window meets, for result `i`, the number at ``i * step + offset`` in each
dimension. Outside of the image a convolution meets zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from tensorlab.dtypes import dtype

__all__ = ["Along", "Correlation", "Pooling", "Reach", "Window", "WindowOperations"]


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


@dataclass(frozen=True, slots=True, eq=False)
class Along:
    """Where the numbers of a result come from along one dimension.

    It is compared and hashed by identity, so that launches can be kept by it: make it once, and keep it.

    Attributes:
        extent: the size of the image.
        places: for each neighbour and each result the place in the image, int64.
        weights: for each neighbour and each result a weight; None for 1.
    """

    extent: int
    places: np.ndarray
    weights: np.ndarray | None = None


class WindowOperations(Protocol):
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
        ...

    def correlate_weights(self, element_type: dtype, problem: Correlation) -> Callable[..., None]:
        """Prepare the gradient of a convolution's weights: ``sum(out[n, g, m, i] * image[n, g, c, i'])``.

        Here `out` is the gradient of the result. The sum is over images and positions.

        Returns:
            a launch of (weight, out, image), where the weight is written.
        """
        ...

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
        ...

    def pool_gradient(self, element_type: dtype, problem: Pooling, greatest: bool) -> Callable[..., None]:
        """Prepare the gradient of a pooling.

        Each part is added to the number at its place, or of means, divided, to all numbers of its window.

        Returns:
            a launch of (out, image, places), or of (out, image) for means: `image` is added to, and `out` is
            the gradient of the results. The lines of a channel of `image` follow one another without gaps.
        """
        ...

    def resample(
        self, element_type: dtype, planes: int, along: Sequence[Along], gradient: bool = False
    ) -> Callable[..., None]:
        """Prepare sums of an image's numbers, weighted, with places and weights for each of three dimensions.

        Args:
            element_type: the dtype of everything; with weights, and for the `gradient`, a floating one.
            planes: how many images there are, one behind the other.
            along: depth, height and width.
            gradient: whether the parts of the result are added to the numbers that they were made of.

        Returns:
            a launch of (out, image), both without gaps; for the gradient `image` is added to.
        """
        ...
