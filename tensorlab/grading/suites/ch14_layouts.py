"""Chapter 14, windows and layouts: the questions that integers answer."""

from __future__ import annotations

from random import Random

from tensorlab.core import layout
from tensorlab.grading.inside.strided import strided
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch14_right, ch14_wrong_layouts, ch14_wrong_places, draw

# --- 14.places ----------------------------------------------------------------------------------------


def _places(
    extent: int, kernel: int, step: int = 1, dilation: int = 1, before: int = 0, after: int = 0
) -> Case:
    return Case((extent, kernel, step, dilation, before, after))


def _fitting(
    source: Random, *, steps: bool = False, dilated: bool = False, padded: bool = False, even: bool = False
) -> Case:
    """A window that fits, with whatever is asked for."""
    kernel = source.randint(2, 7)
    dilation = source.randint(2, 4) if dilated else 1
    before = source.randint(1, 3) if padded else 0
    after = before if even else source.choice([p for p in (0, 1, 2, 3) if p != before]) if padded else 0
    extent = dilation * (kernel - 1) + 1 + source.randint(1, 30)
    return _places(extent, kernel, source.randint(2, 5) if steps else 1, dilation, before, after)


PLACES = Exercise(
    id="14.places",
    title="How many windows fit?",
    stars=1,
    signature="places(extent, kernel, step, dilation, before, after)",
    task="Return in how many places a window can stand in one dimension of an image.",
    part="tensorlab.ops.sliding_windows:places",
    topics=(
        Topic(
            "step by step",
            2,
            "The first window begins at 0, the last one ends at the end: extent - kernel + 1 places.",
            (_places(3, 3), _places(5, 3), _places(4, 1), _places(8, 2), _places(2, 3)),
            _fitting,
        ),
        Topic(
            "longer steps",
            2,
            "From the first place the window takes as many whole steps as there is room for, and the first "
            "place counts too.",
            (_places(6, 2, 2), _places(7, 3, 2), _places(9, 2, 4), _places(11, 3, 4), _places(227, 11, 4)),
            lambda source: _fitting(source, steps=True),
        ),
        Topic(
            "zeros around the image",
            1,
            "What stands before and what stands after both make the image longer, and need not be equal.",
            (
                _places(5, 3, 1, 1, 1, 1),
                _places(5, 4, 1, 1, 1, 2),
                _places(5, 4, 1, 1, 2, 0),
                _places(9, 4, 5, 1, 1, 2),
                _places(224, 11, 4, 1, 2, 2),
            ),
            lambda source: _fitting(source, padded=True, steps=source.random() < 0.5),
        ),
        Topic(
            "a dilated window",
            1,
            "Neighbours in the window lie dilation apart: it covers dilation * (kernel - 1) + 1.",
            (
                _places(5, 2, 1, 2),
                _places(5, 3, 1, 2),
                _places(9, 3, 2, 3),
                _places(8, 2, 3, 2),
                _places(7, 1, 1, 4),
            ),
            lambda source: _fitting(source, dilated=True, steps=source.random() < 0.5),
        ),
    ),
    wrong=ch14_wrong_places.solutions.wrong_of("14.places"),
    right=ch14_right.solutions.right_of("14.places"),
)


# --- 14.unfold ----------------------------------------------------------------------------------------


def _windows(dimension: int, size: int, step: int, shape: tuple[int, ...], *where: object) -> Case:
    return Case((strided(shape, *where), dimension, size, step))  # type: ignore[arg-type]


def _any_windows(source: Random, *, dims: tuple[int, int] = (1, 1), loose: bool = False) -> Case:
    shape = draw.shape(source, 3, 6, dims)
    dim = source.randrange(len(shape))
    size, step = source.randint(1, shape[dim]), source.randint(1, 3)
    strides = draw.loose(source, shape, zeros=False) if loose else layout.default_strides(shape)
    offset = source.randint(1, 3) if loose else 0
    given = dim - len(shape) if source.random() < 0.4 and len(shape) > 1 else dim
    return _windows(given, size, step, shape, strides, offset)


def _too_long(dimension: int, size: int, step: int, shape: tuple[int, ...]) -> Case:
    has = shape[dimension]
    return Case((strided(shape), dimension, size, step), (f"is {has}", f"size is {size}"))


UNFOLD = Exercise(
    id="14.unfold",
    title="Windows without a copy",
    stars=2,
    signature="unfold(input, dimension, size, step)",
    task="Return a view of all windows of `size` neighbours along a dimension, `step` apart, with the window "
    "as a new last dimension.",
    part="tensorlab.ops.slicing:unfold",
    topics=(
        Topic(
            "windows of a line",
            2,
            "The dimension now counts windows, and takes `step` strides from one to the next. The new one "
            "counts within a window, and takes one.",
            (
                _windows(0, 3, 1, (5,)),
                _windows(0, 2, 2, (6,)),
                _windows(0, 2, 3, (6,)),
                _windows(0, 3, 2, (8,)),
                _windows(0, 1, 1, (3,)),
                _windows(0, 4, 2, (4,)),
            ),
            _any_windows,
        ),
        Topic(
            "one of several dimensions",
            2,
            "The other dimensions stay where they are. The window is always the last one, and its stride is "
            "that of the dimension it slides along.",
            (
                _windows(1, 2, 1, (2, 3)),
                _windows(0, 2, 1, (3, 2)),
                _windows(-1, 3, 1, (2, 5)),
                _windows(-2, 2, 2, (2, 4, 3)),
                _windows(0, 2, 1, (4, 2, 2)),
            ),
            lambda source: _any_windows(source, dims=(2, 3)),
        ),
        Topic(
            "a view of a view",
            1,
            "Its strides can be anything, and it may begin in the middle of its storage.",
            (
                _windows(0, 2, 1, (4,), (2,), 0),
                _windows(0, 2, 1, (4,), (1,), 3),
                _windows(1, 2, 1, (2, 3), (1, 2), 0),
                _windows(0, 2, 2, (5, 2), (3, 1), 1),
            ),
            lambda source: _any_windows(source, dims=(1, 3), loose=True),
        ),
        Topic(
            "a window that is too long",
            1,
            "No window of that size fits. Name the dimension's size and the window's.",
            (_too_long(0, 6, 1, (5,)), _too_long(1, 4, 1, (5, 3)), _too_long(0, 3, 2, (2, 7))),
            lambda source: _too_long(0, (n := source.randint(1, 5)) + source.randint(1, 3), 1, (n, 6)),
        ),
    ),
    wrong=ch14_wrong_layouts.solutions.wrong_of("14.unfold"),
    right=ch14_right.solutions.right_of("14.unfold"),
)


# --- 14.channels_last_strides -------------------------------------------------------------------------


def _of(*shapes: tuple[int, ...]) -> tuple[Case, ...]:
    return tuple(Case((shape,)) for shape in shapes)


def _different(source: Random, count: int) -> tuple[int, ...]:
    return tuple(source.sample(range(2, 9), count))


def _with(source: Random, size: int) -> tuple[int, ...]:
    sizes = list(_different(source, source.choice((4, 5))))
    for dim in source.sample(range(len(sizes)), source.randint(1, 2)):
        sizes[dim] = size
    return tuple(sizes)


CHANNELS_LAST_STRIDES = Exercise(
    id="14.channels_last_strides",
    title="Channels last",
    stars=2,
    signature="channels_last_strides(shape)",
    task="Return the strides of a dense tensor whose channels lie side by side in memory.",
    part="tensorlab.core.memory_formats:channels_last_strides",
    topics=(
        Topic(
            "images",
            2,
            "The shape goes on to say (N, C, H, W). From the fastest to the slowest the dimensions are C, W, "
            "H, N.",
            _of((1, 3, 2, 2), (2, 3, 4, 5), (2, 5, 4, 3), (8, 64, 7, 5), (3, 2, 6, 4)),
            lambda source: Case((_different(source, 4),)),
        ),
        Topic(
            "volumes",
            2,
            "(N, C, D, H, W) has one dimension more, and it is slower than H.",
            _of((2, 3, 4, 5, 6), (1, 2, 3, 4, 5), (2, 6, 5, 4, 3)),
            lambda source: Case((_different(source, 5),)),
        ),
        Topic(
            "sizes of 1",
            1,
            "A size of 1 is a factor like any other: its stride is the product of the faster sizes.",
            _of((1, 1, 4, 5), (2, 3, 1, 1), (1, 3, 1, 5), (2, 1, 4, 5, 1)),
            lambda source: Case((_with(source, 1),)),
        ),
        Topic(
            "a size of 0",
            1,
            "PyTorch multiplies by 0 here too, although row-major strides take 1 for it.",
            _of((0, 3, 4, 5), (2, 0, 4, 5), (2, 3, 4, 0), (2, 3, 0, 5, 6)),
            lambda source: Case((_with(source, 0),)),
        ),
    ),
    wrong=ch14_wrong_layouts.solutions.wrong_of("14.channels_last_strides"),
    right=ch14_right.solutions.right_of("14.channels_last_strides"),
)
