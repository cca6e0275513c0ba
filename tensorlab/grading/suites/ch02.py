"""Chapter 2, *Strides*: the questions. The last two exercises are in `ch02_reach`."""

from __future__ import annotations

import math
from random import Random

from tensorlab.core.layout import default_strides
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch02_right, ch02_wrong, ch02_wrong_order, draw
from tensorlab.grading.suites.ch02_reach import ADDRESS_RANGE, OVERLAPS


def _shapes(*shapes: tuple[int, ...]) -> tuple[Case, ...]:
    return tuple(Case((shape,)) for shape in shapes)


DEFAULT_STRIDES = Exercise(
    id="02.default_strides",
    title="Strides for a shape",
    stars=1,
    signature="default_strides(shape)",
    task="Return the strides of a new tensor of this shape, whose elements lie row after row.",
    part="tensorlab.core.layout:default_strides",
    topics=(
        Topic(
            "tables",
            1,
            "A step down steps over one whole row, and a step to the right over one element.",
            _shapes((2, 3), (3, 2), (2, 2), (4, 5)),
            lambda source: Case((draw.shape(source, 2, 9, (2, 2)),)),
        ),
        Topic(
            "more dimensions, or one",
            1,
            "A step along a dimension steps over all that lies inside it: the product of the sizes after it.",
            _shapes((3,), (2, 3, 4), (4, 3, 2), (2, 2, 3, 2), (2, 2, 2, 2, 3), (2, 3**20, 3**20)),
            lambda source: Case((draw.shape(source, 2, 5, (3, 6)),)),
        ),
        Topic(
            "sizes of 1, and no dimensions",
            1,
            "A size of 1 changes nothing in the product, and its own stride is the product too. With no "
            "dimensions there are no strides.",
            _shapes((), (1,), (1, 3), (3, 1), (2, 1, 3)),
            lambda source: Case((draw.mixed_shape(source, 1),)),
        ),
        Topic(
            "a size of 0",
            1,
            "A size of 0 counts as 1 here, so that no stride becomes 0. Nobody will ever take the step, and "
            "the strides keep the order of the dimensions.",
            _shapes((0,), (3, 0), (0, 3), (2, 0, 3), (2, 3, 0, 2)),
            lambda source: Case((draw.mixed_shape(source, 0),)),
        ),
    ),
    wrong=ch02_wrong.solutions.wrong_of("02.default_strides"),
    right=ch02_right.solutions.right_of("02.default_strides"),
)


def _at(position: int, shape: tuple[int, ...]) -> Case:
    return Case((position, shape))


def _no_such(position: int, shape: tuple[int, ...]) -> Case:
    return Case((position, shape), (f"position {position} is out of range",))


def _in(shape: tuple[int, ...], source: Random) -> Case:
    return _at(source.randrange(math.prod(shape)), shape)


def _outside(source: Random) -> Case:
    shape = draw.shape(source, 1, 4) if source.random() < 0.7 else draw.shape_with_zero(source)
    count = math.prod(shape)
    return _no_such(source.choice((count, count + source.randint(1, 9), -1, -source.randint(2, 9))), shape)


UNRAVEL = Exercise(
    id="02.unravel",
    title="Which element is number 17?",
    stars=2,
    signature="unravel(position, shape)",
    task="Return the index of the element at this position, counted row by row from 0. There may be more "
    "positions than anyone could count through.",
    part="tensorlab.core.positions:unravel",
    topics=(
        Topic(
            "tables",
            1,
            "Each full row before the element takes as many positions as a row has elements. The rest of the "
            "division is the column.",
            (*(_at(position, (2, 3)) for position in range(6)), _at(7, (3, 4)), _at(7, (4, 2))),
            lambda source: _in(draw.shape(source, 2, 7, (2, 2)), source),
        ),
        Topic(
            "more dimensions, or one",
            1,
            "Divide by what one step of the first dimension steps over, with // and never with /; go on with "
            "the rest of the division.",
            (
                _at(2, (5,)),
                _at(7, (2, 3, 4)),
                _at(23, (2, 3, 4)),
                _at(17, (4, 3, 2)),
                _at(29, (2, 2, 2, 2, 2)),
                _at(3**41 - 2, (4, 3**20, 3**20)),
            ),
            lambda source: _in(draw.shape(source, 2, 4, (3, 6)), source),
        ),
        Topic(
            "sizes of 1, and no dimensions",
            1,
            "A dimension of size 1 has the index 0, and it has one. With no dimensions the index is ().",
            (_at(0, ()), _at(0, (1,)), _at(2, (1, 3)), _at(2, (3, 1)), _at(1, (2, 1, 3)), _at(5, (2, 1, 3))),
            lambda source: _in(draw.mixed_shape(source, 1), source),
        ),
        Topic(
            "positions that do not exist",
            2,
            "A tensor of n elements has the positions 0 to n - 1, and nothing answers to any other.",
            (
                _no_such(6, (2, 3)),
                _no_such(-1, (2, 3)),
                _no_such(99, (2, 3)),
                _no_such(1, ()),
                _no_such(0, (0,)),
                _no_such(0, (2, 0)),
                _no_such(24, (2, 3, 4)),
            ),
            _outside,
        ),
    ),
    wrong=ch02_wrong.solutions.wrong_of("02.unravel"),
    right=ch02_right.solutions.right_of("02.unravel"),
)


def _layouts(*layouts: tuple[tuple[int, ...], tuple[int, ...]]) -> tuple[Case, ...]:
    return tuple(Case(layout) for layout in layouts)


def _dense_or_turned(source: Random) -> Case:
    """A dense tensor, or one whose dimensions were exchanged."""
    shape = draw.shape(source, 2, 5, (2, 4))
    strides = default_strides(shape)
    order = source.sample(range(len(shape)), len(shape)) if source.random() < 0.5 else range(len(shape))
    return Case((tuple(shape[d] for d in order), tuple(strides[d] for d in order)))


def _gaps(source: Random) -> Case:
    """A part of a larger dense tensor, or steps that fall short of it; sometimes the whole."""
    shape = draw.shape(source, 2, 4, (1, 4))
    larger = tuple(size + source.randint(0, 1) for size in shape)
    step = source.choice((1, 1, 2, 0))
    return Case((shape, tuple(step * stride for stride in default_strides(larger))))


def _as_far_as_a_block(source: Random) -> Case:
    """Strides that fall and end with 1, over as many cells as there are elements, some of them read twice."""
    inner = draw.shape(source, 2, 4, (2, 2))
    half = math.prod(inner)
    middle = source.choice([stride for stride in range(1, half) if stride != inner[1]])
    outer = 2 * half - inner[1] - (inner[0] - 1) * middle
    return Case(((2, *inner), (outer, middle, 1))) if outer >= middle else _as_far_as_a_block(source)


def _unused_strides(source: Random) -> Case:
    """A dense tensor with sizes of 1, whose strides there are anything."""
    shape = draw.mixed_shape(source, 1)
    strides = list(default_strides(shape))
    for dim, size in enumerate(shape):
        if size == 1:
            strides[dim] = source.randint(0, 30)
    if source.random() < 0.3 and max(shape) > 1:
        dim = source.choice([dim for dim, size in enumerate(shape) if size > 1])
        strides[dim] += source.randint(1, 3)
    return Case((shape, tuple(strides)))


def _without_elements(source: Random) -> Case:
    shape = draw.mixed_shape(source, 0)
    return Case((shape, tuple(source.randint(0, 9) for _ in shape)))


IS_CONTIGUOUS = Exercise(
    id="02.is_contiguous",
    title="Does the walk go cell by cell?",
    stars=2,
    signature="is_contiguous(shape, strides)",
    task="Return whether the elements, taken row by row, lie in neighbouring cells in that order.",
    part="tensorlab.core.layout:is_contiguous",
    topics=(
        Topic(
            "whole tables, and turned ones",
            1,
            "The last dimension has to go from cell to cell, and each other has to continue where the one "
            "inside it ends.",
            _layouts(
                ((3,), (1,)),
                ((2, 3), (3, 1)),
                ((3, 2), (1, 3)),
                ((2, 2), (2, 1)),
                ((2, 2), (1, 2)),
                ((2, 3, 4), (12, 4, 1)),
                ((3, 2, 4), (4, 12, 1)),
                ((4, 2, 3), (1, 12, 4)),
            ),
            _dense_or_turned,
        ),
        Topic(
            "gaps, and cells read twice",
            2,
            "It is not enough that the strides fall from left to right. Each must be exactly what the "
            "dimensions inside it take.",
            _layouts(
                ((3,), (2,)),
                ((3,), (0,)),
                ((2, 3), (4, 1)),
                ((2, 3), (6, 2)),
                ((3, 3), (1, 1)),
                ((2, 3), (0, 1)),
                ((2, 3, 4), (24, 4, 1)),
                ((2, 3, 4), (15, 5, 1)),
                ((2, 3, 2), (4, 3, 1)),
                ((2, 2, 2), (5, 1, 1)),
                ((3,), (-1,)),
                ((2, 3), (3, -1)),
                ((2, 2), (-2, 1)),
            ),
            lambda source: source.choice((_gaps, _gaps, _as_far_as_a_block))(source),
        ),
        Topic(
            "sizes of 1, and no dimensions",
            2,
            "Along a dimension of size 1 no step is ever taken, so its stride does not matter.",
            _layouts(
                ((), ()),
                ((1,), (7,)),
                ((3, 1), (1, 7)),
                ((1, 3), (9, 1)),
                ((1, 3), (3, 2)),
                ((2, 1, 3), (3, 1, 1)),
                ((2, 1, 3), (4, 4, 1)),
                ((2, 1, 3), (3, 0, 1)),
            ),
            _unused_strides,
        ),
        Topic(
            "no elements",
            1,
            "Without elements there is no walk that could leave its path.",
            _layouts(((0,), (5,)), ((0, 3), (7, 2)), ((3, 0), (1, 1)), ((2, 0, 3), (9, 9, 9))),
            _without_elements,
        ),
    ),
    wrong=ch02_wrong_order.solutions.wrong_of("02.is_contiguous"),
    right=ch02_right.solutions.right_of("02.is_contiguous"),
)


EXERCISES = (DEFAULT_STRIDES, UNRAVEL, IS_CONTIGUOUS, ADDRESS_RANGE, OVERLAPS)
