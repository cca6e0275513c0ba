"""Chapter 6, *Broadcasting*: the questions about shapes and strides alone.

Those about views are in `ch06_views`, those about pairs of numbers in `ch06_pairs`.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tensorlab.core import layout
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch06_right, ch06_wrong_shapes, draw
from tensorlab.grading.suites.ch06_pairs import SQUARED_DISTANCES, SQUARED_ERROR
from tensorlab.grading.suites.ch06_views import EXPAND, GUARD_LAYOUT


def _stretched(shape: tuple[int, ...], strides: tuple[int, ...], new_shape: tuple[int, ...]) -> Case:
    """One call. The stride of a size that is 1 in the end is never used, so it may be any int."""
    used = [size != 1 for size in new_shape]

    def same(got: Any, want: Any) -> bool:
        if type(got) is not tuple or len(got) != len(want) or not all(type(step) is int for step in got):
            return False
        return all(a == b for a, b, counts in zip(got, want, used, strict=True) if counts)

    return Case((shape, strides, new_shape), same=same)


def _to_stretch(source: Random, strides: bool = False) -> tuple[tuple[int, ...], ...]:
    """Shape, strides and a longer shape: a size of 1 is stretched. With `strides`, those of a view."""
    new_shape = draw.shape(source, 2, 4, (2, 3))
    shape = list(new_shape)
    for dim in source.sample(range(len(shape)), source.randint(1, len(shape) - 1)):
        shape[dim] = 1
    steps = draw.loose(source, tuple(shape), zeros=False) if strides else layout.default_strides(shape)
    return tuple(shape), steps, new_shape


def _with_front(source: Random) -> Case:
    shape, strides, new_shape = _to_stretch(source)
    return _stretched(shape, strides, (*draw.shape(source, 2, 4, (1, 2)), *new_shape))


BROADCAST_STRIDES = Exercise(
    id="06.broadcast_strides",
    title="Which strides does the operation read with?",
    stars=1,
    signature="broadcast_strides(shape, strides, new_shape)",
    task="Return the strides with which a tensor is read as if it had the new shape.",
    part="tensorlab.core.broadcasting:broadcast_strides",
    topics=(
        Topic(
            "a size of 1 that is stretched",
            2,
            "Along a stretched dimension every step is 0. The other dimensions keep their strides.",
            (
                _stretched((1,), (1,), (3,)),
                _stretched((3, 1), (1, 1), (3, 4)),
                _stretched((1, 4), (4, 1), (3, 4)),
                _stretched((1, 1), (1, 1), (2, 3)),
                _stretched((1, 3), (3, 1), (3, 3)),
                _stretched((2, 1, 3), (3, 3, 1), (2, 5, 3)),
            ),
            lambda source: _stretched(*_to_stretch(source)),
        ),
        Topic(
            "a dimension that is missing",
            2,
            "Missing dimensions are filled in on the left, and a step along them goes nowhere.",
            (
                _stretched((), (), (2,)),
                _stretched((4,), (1,), (3, 4)),
                _stretched((2, 2), (2, 1), (3, 2, 2)),
                _stretched((3,), (1,), (3, 3)),
                _stretched((3,), (1,), (2, 4, 3)),
                _stretched((3, 1), (1, 1), (2, 3, 4)),
            ),
            _with_front,
        ),
        Topic(
            "strides of a view",
            1,
            "The tensor keeps the strides that it has, whatever a new tensor of its shape would have.",
            (
                _stretched((3,), (2,), (3,)),
                _stretched((3,), (2,), (2, 3)),
                _stretched((2, 3), (1, 2), (2, 3)),
                _stretched((3, 1), (4, 1), (3, 4)),
                _stretched((2, 1, 3), (1, 9, 2), (2, 4, 3)),
            ),
            lambda source: _stretched(*_to_stretch(source, strides=True)),
        ),
        Topic(
            "nothing to stretch",
            1,
            "A size that stays keeps its stride. A size of 1 that stays 1 takes no step, so its stride may "
            "be anything.",
            (
                _stretched((), (), ()),
                _stretched((3,), (1,), (3,)),
                _stretched((2, 3), (3, 1), (2, 3)),
                _stretched((3, 1), (1, 1), (3, 1)),
                _stretched((2, 3), (3, 1), (1, 2, 3)),
            ),
            lambda source: _stretched(
                shape := draw.shape(source, 1, 4, (2, 4)), layout.default_strides(shape), shape
            ),
        ),
    ),
    wrong=ch06_wrong_shapes.solutions.wrong_of("06.broadcast_strides"),
    right=ch06_right.solutions.right_of("06.broadcast_strides"),
)


def _cases(*calls: tuple[Any, ...]) -> tuple[Case, ...]:
    return tuple(Case(call) for call in calls)


def _refused(*shapes: tuple[int, ...], dim: int) -> Case:
    return Case(shapes, ("must match", f"dimension {dim}"))


def _operand(source: Random, of: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that meets `of` in it: some of its sizes are 1."""
    return tuple(1 if source.random() < 0.4 else size for size in of)


def _of_one_length(source: Random) -> Case:
    of = draw.shape(source, 2, 5, (2, 4))
    return Case((_operand(source, of), _operand(source, of)))


def _of_two_lengths(source: Random) -> Case:
    of = draw.shape(source, 2, 5, (2, 4))
    pair = [_operand(source, of), _operand(source, of)[source.randint(1, len(of)) :]]
    source.shuffle(pair)
    return Case(tuple(pair))


def _several(source: Random) -> Case:
    of = draw.shape(source, 2, 5, (2, 3))
    shapes = [_operand(source, of)[source.randint(0, len(of)) :] for _ in range(source.choice((1, 3, 3, 4)))]
    return Case(tuple(shapes))


def _clash(source: Random) -> Case:
    """Two shapes that differ in one column, in which neither has a 1; one may lack columns in front."""
    of = draw.shape(source, 2, 5, (1, 4))
    dim = source.randrange(len(of))
    other = [1 if source.random() < 0.3 else size for size in of]
    other[dim] = of[dim] * source.choice((2, 3)) if source.random() < 0.5 else of[dim] + 1
    pair = [of, tuple(other[source.randint(0, dim) :])]
    source.shuffle(pair)
    return _refused(*pair, dim=dim)


def _empty(source: Random) -> Case:
    """A size of 0 beside a 1, or beside another size, which is refused."""
    of = list(draw.shape(source, 2, 4, (1, 3)))
    dim = source.randrange(len(of))
    other = list(of)
    of[dim], other[dim] = 0, source.choice((0, 1, 1, 3))
    pair = [tuple(of), tuple(other)]
    source.shuffle(pair)
    return _refused(*pair, dim=dim) if other[dim] == 3 else Case(tuple(pair))


BROADCAST_SHAPES = Exercise(
    id="06.broadcast_shapes",
    title="What do they broadcast to?",
    stars=2,
    signature="broadcast_shapes(*shapes)",
    task="Return the shape that operands of these shapes broadcast to, or raise RuntimeError.",
    part="tensorlab.core.broadcasting:broadcast_shapes",
    topics=(
        Topic(
            "two shapes of one length",
            2,
            "Column by column: equal sizes stay, and a 1 gives way to the size beside it.",
            _cases(
                ((3,), (3,)),
                ((1,), (4,)),
                ((4,), (1,)),
                ((2, 3), (2, 3)),
                ((1, 3), (1, 1)),
                ((3, 1), (3, 4)),
                ((1, 4), (3, 1)),
                ((2, 1, 3), (1, 4, 1)),
            ),
            _of_one_length,
        ),
        Topic(
            "shapes of different lengths",
            2,
            "Shapes are aligned on the right. What the shorter one lacks on the left counts as 1.",
            _cases(
                ((), (3,)),
                ((4,), (3, 4)),
                ((3, 4), (4,)),
                ((4,), (3, 1)),
                ((2, 1, 4), (3, 1)),
                ((5, 1, 3), (1,)),
                ((3,), (2, 3, 3)),
            ),
            _of_two_lengths,
        ),
        Topic(
            "sizes that do not fit",
            2,
            "Two sizes that differ fit only if one of them is 1. Where one is a multiple of the other they "
            "do not, and neither do shapes that would fit from the left.",
            (
                _refused((3,), (4,), dim=0),
                _refused((4,), (2,), dim=0),
                _refused((2,), (3, 4), dim=1),
                _refused((3, 4), (3,), dim=1),
                _refused((2, 4), (2, 2), dim=1),
                _refused((2, 3), (3, 3), dim=0),
                _refused((3, 1), (2, 4), dim=0),
                _refused((5, 2, 3), (3, 3), dim=1),
            ),
            _clash,
        ),
        Topic(
            "any number of shapes",
            1,
            "Broadcast the result of two shapes with the next one. One shape alone is the "
            "answer itself, and no shape at all gives "
            "().",
            (
                *_cases(
                    (), ((),), ((3, 1),), ((2, 1), (1, 3), (4, 1, 1)), ((1,), (1,), (5,)), ((), (), (2,))
                ),
                _refused((1,), (2,), (3,), dim=0),
                _refused((2,), (1,), (3,), dim=0),
                _refused((1, 2), (4, 1), (3, 2), dim=0),
            ),
            _several,
        ),
        Topic(
            "a size of 0",
            1,
            "0 is a size like 3. A 1 stretches to it, and any other size is an error.",
            (
                *_cases(
                    ((0,), (0,)), ((1,), (0,)), ((0,), (1,)), ((0, 1), (1, 3)), ((2, 0), (1,)), ((0, 3), (3,))
                ),
                _refused((2,), (0,), dim=0),
                _refused((0,), (3,), dim=0),
                _refused((2, 0), (2, 3), dim=1),
            ),
            _empty,
        ),
    ),
    wrong=ch06_wrong_shapes.solutions.wrong_of("06.broadcast_shapes"),
    right=ch06_right.solutions.right_of("06.broadcast_shapes"),
)

EXERCISES = (
    BROADCAST_STRIDES,
    BROADCAST_SHAPES,
    EXPAND,
    GUARD_LAYOUT,
    SQUARED_ERROR,
    SQUARED_DISTANCES,
)
