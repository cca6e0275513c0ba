"""Chapter 14, images: the questions about convolution and about putting windows back."""

from __future__ import annotations

from random import Random

from tensorlab.core import layout
from tensorlab.grading.inside.strided import Strided, strided
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch14_right, ch14_wrong_conv, ch14_wrong_fold
from tensorlab.ops.sliding_windows import places

Shape = tuple[int, ...]


def _image(source: Random, shape: Shape, storage: int = 1) -> Strided:
    """Whole numbers from -9 to 9, none of them 0."""
    cells = [source.choice((-1, 1)) * source.randint(1, 9) for _ in range(layout.numel(shape))]
    return strided(shape, cells=cells, storage=storage)


# --- 14.fold ------------------------------------------------------------------------------------------


def _fold(size: tuple[int, int], kernel: int, dilation: int = 1, padding: int = 0, stride: int = 1) -> Case:
    """One image of one channel, whose blocks hold the whole numbers from 1 on."""
    return _blocks(None, (1, 1), size, kernel, dilation, padding, stride)


def _blocks(
    source: Random | None,
    images: tuple[int, int],
    size: tuple[int, int],
    kernel: int,
    dilation: int = 1,
    padding: int = 0,
    stride: int = 1,
) -> Case:
    counts = [places(extent, kernel, stride, dilation, padding, padding) for extent in size]
    shape = images[0], images[1] * kernel * kernel, counts[0] * counts[1]
    if source is None:
        blocks = strided(shape, cells=range(1, layout.numel(shape) + 1))
    else:
        blocks = _image(source, shape)
    given = [dilation, padding, stride]
    while given and given[-1] == (1, 0, 1)[len(given) - 1]:
        given.pop()  # what is usual is left out of the call
    return Case((blocks, size, kernel, *given))


def _any_blocks(
    source: Random,
    *,
    images: tuple[int, int] = (1, 1),
    dilated: bool = False,
    padded: bool = False,
    stride: int = 1,
) -> Case:
    kernel = 2 if dilated else source.randint(2, 3)
    dilation = source.randint(2, 3) if dilated else 1
    least = dilation * (kernel - 1) + 1
    height = least + source.randint(1, 3)
    size = height, height + source.choice((1, 2))
    return _blocks(
        source, images, size, kernel, dilation, source.randint(1, kernel - 1) if padded else 0, stride
    )


def _side_by_side(source: Random) -> Case:
    kernel = source.randint(2, 3)
    down, across = source.sample((1, 2, 3), 2)
    return _blocks(source, (1, 1), (kernel * down, kernel * across), kernel, 1, 0, kernel)


FOLD = Exercise(
    id="14.fold",
    title="Windows, put back",
    stars=3,
    signature="fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1)",
    task="Return the images that arise when each window is added to the place that it came from.",
    part="tensorlab.ops.unfolding:fold",
    topics=(
        Topic(
            "windows side by side",
            2,
            "With a stride of the window's size no two windows meet. Column p of the input holds window p, "
            "row after row of places, and within the column the window's own rows follow one another.",
            (
                _fold((2, 2), 2, stride=2),
                _fold((2, 4), 2, stride=2),
                _fold((4, 2), 2, stride=2),
                _fold((3, 6), 3, stride=3),
                _fold((4, 6), 2, stride=2),
            ),
            _side_by_side,
        ),
        Topic(
            "windows that overlap",
            3,
            "An element that lies in several windows gets the sum of what they say of it.",
            (
                _fold((2, 3), 2),
                _fold((3, 2), 2),
                _fold((3, 3), 2),
                _fold((5, 4), 3),
                _fold((5, 7), 3, stride=2),
            ),
            lambda source: _any_blocks(source, stride=source.choice((1, 1, 2))),
        ),
        Topic(
            "images and channels",
            1,
            "The window's elements of channel 0 come first in a column, then those of channel 1.",
            (
                _blocks(None, (1, 2), (2, 3), 2),
                _blocks(None, (2, 1), (2, 3), 2),
                _blocks(None, (2, 3), (3, 4), 2),
            ),
            lambda source: _any_blocks(source, images=(source.randint(1, 2), source.randint(2, 3))),
        ),
        Topic(
            "zeros around the image",
            1,
            "What windows say of the padding is nobody's: it is left out of the image on all four sides.",
            (
                _fold((2, 2), 2, padding=1),
                _fold((3, 4), 3, padding=1),
                _fold((4, 3), 3, padding=2),
                _fold((4, 6), 3, padding=1, stride=2),
            ),
            lambda source: _any_blocks(source, padded=True, stride=source.choice((1, 2))),
        ),
        Topic(
            "dilated windows",
            1,
            "The window's elements lie dilation apart in the image.",
            (
                _fold((3, 3), 2, dilation=2),
                _fold((4, 5), 2, dilation=2),
                _fold((5, 6), 2, dilation=3, stride=2),
            ),
            lambda source: _any_blocks(source, dilated=True, stride=source.choice((1, 2))),
        ),
    ),
    wrong=ch14_wrong_fold.solutions.wrong_of("14.fold"),
    right=ch14_right.solutions.right_of("14.fold"),
)


# --- 14.conv2d ----------------------------------------------------------------------------------------


def _conv(image: Strided, weight: Strided, *more: object) -> Case:
    return Case((image, weight, *more), rounding=1e-5)


def _plain(image: Shape, weight: Shape, *more: object) -> Case:
    """An image of the whole numbers from 1 on, and a window of small ones."""
    count = layout.numel(image)
    cells = [number % 11 - 5 for number in range(layout.numel(weight))]
    return _conv(strided(image, cells=range(1, count + 1)), strided(weight, cells=cells, storage=2), *more)


def _bias(*cells: float) -> Strided:
    return strided((len(cells),), cells=cells, storage=3)


def _any_conv(
    source: Random,
    *,
    images: tuple[int, int] = (1, 1),
    made: int = 1,
    groups: int = 1,
    biased: bool = False,
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
) -> Case:
    kernel = source.randint(1 if dilation == 1 else 2, 3), 2
    height = dilation * 2 + source.randint(2, 4)
    image = _image(source, (*images, height, height + source.choice((-1, 1, 2))))
    weight = _image(source, (made, images[1] // groups, *kernel), 2)
    bias = _image(source, (made,), 3) if biased else None
    return _conv(image, weight, bias, stride, padding, dilation, groups)


CONV2D = Exercise(
    id="14.conv2d",
    title="A convolution by one product",
    stars=4,
    signature="conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)",
    task="Return what a layer of windows makes of a batch of images.",
    part="tensorlab.ops.convolution:conv2d",
    topics=(
        Topic(
            "one channel, one window",
            2,
            "Each result is the sum of the products of the window's numbers with those under it. The window "
            "is laid on as it is, not turned round.",
            (
                _plain((1, 1, 2, 2), (1, 1, 2, 2)),
                _plain((1, 1, 2, 3), (1, 1, 1, 2)),
                _plain((1, 1, 3, 4), (1, 1, 2, 2)),
                _plain((1, 1, 4, 3), (1, 1, 3, 2)),
            ),
            _any_conv,
        ),
        Topic(
            "images, channels and several windows",
            2,
            "Each window has numbers for every channel, and all products are summed. Each window makes one "
            "channel of the result.",
            (
                _plain((1, 2, 2, 2), (1, 2, 2, 2)),
                _plain((1, 1, 2, 2), (3, 1, 1, 1)),
                _plain((2, 2, 3, 3), (3, 2, 2, 2)),
            ),
            lambda source: _any_conv(source, images=(2, source.randint(2, 3)), made=source.randint(2, 4)),
        ),
        Topic(
            "stride and padding",
            2,
            "The window moves by the stride in both directions. The padding is zeros, on all four sides.",
            (
                _plain((1, 1, 4, 5), (1, 1, 2, 2), None, 2),
                _plain((1, 1, 2, 2), (1, 1, 2, 2), None, 1, 1),
                _plain((1, 1, 5, 5), (1, 1, 3, 3), None, 2, 1),
            ),
            lambda source: _any_conv(source, stride=source.randint(2, 3), padding=source.randint(0, 2)),
        ),
        Topic(
            "dilation",
            1,
            "Neighbours in the window meet elements that lie dilation apart.",
            (
                _plain((1, 1, 3, 3), (1, 1, 2, 2), None, 1, 0, 2),
                _plain((1, 2, 5, 6), (2, 2, 2, 3), None, 1, 0, 2),
                _plain((1, 1, 5, 5), (1, 1, 2, 2), None, 2, 1, 2),
            ),
            lambda source: _any_conv(source, dilation=source.randint(2, 3)),
        ),
        Topic(
            "groups",
            2,
            "The channels and the windows are cut into as many parts. The first part of the windows sees the "
            "first part of the channels, and so on.",
            (
                _plain((1, 2, 2, 2), (2, 1, 1, 1), None, 1, 0, 1, 2),
                _plain((1, 4, 2, 2), (2, 2, 2, 2), None, 1, 0, 1, 2),
                _plain((2, 4, 3, 2), (6, 2, 2, 1), None, 1, 0, 1, 2),
                _plain((1, 3, 2, 2), (6, 1, 2, 2), None, 1, 0, 1, 3),
            ),
            lambda source: _any_conv(
                source,
                images=(source.randint(1, 2), (groups := source.randint(2, 3)) * source.randint(1, 2)),
                made=groups * source.randint(2, 3),
                groups=groups,
            ),
        ),
        Topic(
            "a bias",
            1,
            "One number for each window, added to all that the window makes.",
            (
                _plain((1, 1, 2, 2), (1, 1, 1, 1), _bias(100)),
                _plain((1, 1, 2, 3), (2, 1, 1, 1), _bias(100, -200)),
                _plain((2, 2, 2, 2), (2, 2, 1, 1), _bias(0, 50)),
            ),
            lambda source: _any_conv(source, images=(2, 2), made=source.randint(2, 3), biased=True),
        ),
    ),
    wrong=ch14_wrong_conv.solutions.wrong_of("14.conv2d"),
    right=ch14_right.solutions.right_of("14.conv2d"),
)
