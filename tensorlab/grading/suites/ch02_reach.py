"""Chapter 2, *Strides*: the questions about the cells that a layout reaches."""

from __future__ import annotations

from random import Random
from typing import Any

from tensorlab.core.layout import default_strides
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch02_right, ch02_wrong_reach, draw


def _cases(*calls: tuple[Any, ...]) -> tuple[Case, ...]:
    return tuple(Case(call) for call in calls)


def _forward(source: Random) -> Case:
    """Strides of any size, in any order."""
    shape = draw.shape(source, 1, 5, (1, 4))
    return Case((shape, tuple(source.randint(0, 20) for _ in shape)))


def _from_an_offset(source: Random) -> Case:
    shape = draw.shape(source, 2, 5, (1, 4))
    return Case((shape, tuple(source.randint(0, 9) for _ in shape), source.randint(1, 40)))


def _backward(source: Random) -> Case:
    """At least one stride that leads back, from an offset that may leave no room for it."""
    shape = draw.shape(source, 2, 4, (1, 4))
    strides = [source.choice((-1, 1)) * source.randint(1, 9) for _ in shape]
    dim = source.randrange(len(shape))
    strides[dim] = -abs(strides[dim])
    return Case((shape, tuple(strides), source.choice((0, 5, 150)) + source.randint(0, 20)))


def _nothing(source: Random) -> Case:
    shape = draw.mixed_shape(source, 0)
    return Case((shape, tuple(source.randint(-3, 9) for _ in shape), source.randint(0, 30)))


ADDRESS_RANGE = Exercise(
    id="02.address_range",
    title="From which cell to which?",
    stars=2,
    signature="address_range(shape, strides, offset=0)",
    task="Return the lowest and the highest cell that the elements lie in, or None when there are none.",
    part="tensorlab.core.layout:address_range",
    topics=(
        Topic(
            "strides that lead forward",
            1,
            "The element with all the largest indices lies furthest on: each index adds (size - 1) times its "
            "stride.",
            _cases(
                ((3,), (1,)),
                ((3,), (2,)),
                ((2, 3), (3, 1)),
                ((3, 2), (1, 3)),
                ((2, 3), (8, 2)),
                ((2, 3), (0, 1)),
                ((2, 3, 4), (12, 4, 1)),
                ((3, 1, 2), (1, 50, 5)),
            ),
            _forward,
        ),
        Topic(
            "an offset, and no dimensions",
            1,
            "All cells count from the offset. Without dimensions there is one element, and it lies there.",
            _cases(
                ((), ()),
                ((), (), 7),
                ((3,), (1,), 2),
                ((2, 2), (4, 1), 5),
                ((2, 3), (3, 1), 10),
                ((1, 1), (9, 9), 3),
            ),
            _from_an_offset,
        ),
        Topic(
            "strides that lead back",
            2,
            "A negative stride reaches cells before the offset. Which corner is lowest depends on the sign "
            "of every stride, so look at each dimension by itself. A cell below 0 is told like any other.",
            _cases(
                ((3,), (-1,), 2),
                ((3,), (-2,), 9),
                ((2, 3), (-3, -1), 5),
                ((2, 3), (-3, 1), 3),
                ((2, 3), (3, -1), 2),
                ((2, 2, 2), (4, -2, 1), 2),
                ((1, 3), (-9, 1), 4),
                ((3,), (-2,), 1),
                ((2, 2), (-4, 1)),
            ),
            _backward,
        ),
        Topic(
            "no elements",
            1,
            "A tensor without elements reaches no cell, not even that of its offset.",
            _cases(((0,), (1,)), ((2, 0), (1, 1)), ((0, 3), (3, 1), 5), ((2, 0, 3), (3, 3, 1))),
            _nothing,
        ),
    ),
    wrong=ch02_wrong_reach.solutions.wrong_of("02.address_range"),
    right=ch02_right.solutions.right_of("02.address_range"),
)


def _apart_or_stride_zero(source: Random) -> Case:
    """A dense tensor in any order: with gaps, or with one stride of 0."""
    shape = draw.shape(source, 2, 4, (2, 4))
    order = source.sample(range(len(shape)), len(shape))
    gaps = source.random() < 0.5
    larger = tuple(size + source.randint(0, 2) for size in shape) if gaps else shape
    strides = [default_strides(larger)[dim] for dim in order]
    if not gaps:
        strides[source.randrange(len(strides))] = 0
    return Case((tuple(shape[dim] for dim in order), tuple(strides)))


def _windows(source: Random) -> Case:
    """Windows along a line, which share cells where the step is shorter than the window, in either order."""
    size, step, count = source.randint(2, 5), source.randint(1, 6), source.randint(2, 4)
    dims = [(size, 1), (count, step)]
    source.shuffle(dims)
    return Case((tuple(n for n, _ in dims), tuple(stride for _, stride in dims)))


def _interlocked(source: Random) -> Case:
    """Strides that divide nothing, so that only the cells themselves tell."""
    shape = draw.shape(source, 2, 4, (2, 3))
    return Case((shape, tuple(source.sample(range(2, 14), len(shape)))))


def _unused(source: Random) -> Case:
    """Strides of 0 along sizes of 1, or in a tensor without elements."""
    shape = list(draw.mixed_shape(source, source.choice((0, 1))))
    strides = list(default_strides(shape))
    for dim, size in enumerate(shape):
        if size < 2 or 0 in shape:
            strides[dim] = source.choice((0, 1))
    return Case((tuple(shape), tuple(strides)))


OVERLAPS = Exercise(
    id="02.overlaps",
    title="Do two elements share a cell?",
    stars=3,
    signature="overlaps(shape, strides)",
    task="Return whether two different elements lie in one cell.",
    part="tensorlab.core.positions:overlaps",
    topics=(
        Topic(
            "strides of 0",
            1,
            "A stride of 0 puts all positions of a dimension into one cell. A tensor whose dimensions step "
            "over each other shares none.",
            _cases(
                ((2,), (1,)),
                ((2,), (0,)),
                ((2, 3), (3, 1)),
                ((2, 3), (0, 1)),
                ((2, 3), (1, 0)),
                ((3, 2), (1, 3)),
                ((2, 3), (4, 1)),
                ((2, 3, 4), (12, 0, 1)),
            ),
            _apart_or_stride_zero,
        ),
        Topic(
            "windows",
            1,
            "Windows that begin before the last one ends have cells in common, though no stride is 0.",
            _cases(
                ((2, 2), (1, 1)),
                ((3, 3), (1, 1)),
                ((2, 3), (2, 1)),
                ((3, 2), (1, 2)),
                ((2, 3), (1, 3)),
                ((3, 3), (2, 1)),
                ((2, 2, 2), (3, 2, 1)),
            ),
            _windows,
        ),
        Topic(
            "steps that may miss each other",
            2,
            "Where the steps of two dimensions reach into each other, they may still never share a cell. "
            "Collect the cells and see.",
            _cases(
                ((2, 3), (3, 2)),
                ((3, 3), (3, 2)),
                ((2, 4), (3, 2)),
                ((3, 2), (5, 7)),
                ((3, 3), (4, 6)),
                ((3, 2), (2, 4)),
                ((2, 2, 2), (3, 5, 7)),
                ((2, 2, 2), (3, 5, 8)),
            ),
            _interlocked,
        ),
        Topic(
            "sizes of 1 and 0, and no dimensions",
            2,
            "Two elements are needed to share a cell. A dimension of size 1 adds none, and without elements "
            "there is nothing to share.",
            _cases(
                ((), ()),
                ((1,), (0,)),
                ((1, 3), (0, 1)),
                ((3, 1), (1, 1)),
                ((1, 2), (5, 0)),
                ((2, 1, 2), (1, 7, 1)),
                ((0,), (0,)),
                ((3, 0), (0, 0)),
                ((2, 0, 3), (1, 1, 1)),
            ),
            _unused,
        ),
    ),
    wrong=ch02_wrong_reach.solutions.wrong_of("02.overlaps"),
    right=ch02_right.solutions.right_of("02.overlaps"),
)
