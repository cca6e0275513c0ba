"""Chapter 1, *A tensor is a line*: the questions about checking an index and printing."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from tensorlab.core.layout import default_strides
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch01_right, ch01_wrong_index, ch01_wrong_repr, draw


def _cases(*calls: tuple[Any, ...]) -> tuple[Case, ...]:
    return tuple(Case(call) for call in calls)


def _inside(source: Random) -> Case:
    shape = draw.shape(source, 2, 6)
    return Case((draw.index(source, shape), shape))


def _negative(source: Random) -> Case:
    shape = draw.shape(source, 2, 5)
    return Case((tuple(-1 - i for i in draw.index(source, shape)), shape))


def _outside(source: Random) -> Case:
    shape = draw.shape(source, 2, 5)
    index = list(draw.index(source, shape))
    dim = source.randrange(len(shape))
    size = shape[dim]
    index[dim] = source.choice((size, size + source.randint(1, 9), -size - 1, -size - source.randint(2, 9)))
    return _out_of_bounds(tuple(index), shape, dim)


def _out_of_bounds(index: tuple[int, ...], shape: tuple[int, ...], dim: int) -> Case:
    """An index that is wrong in one dimension, which is the only one that the error may complain of."""
    says = f"index {index[dim]} is out of bounds for dimension {dim} with size {shape[dim]}"
    others = tuple(f"out of bounds for dimension {other} with" for other in range(len(shape)) if other != dim)
    return Case((index, shape), (says,), ("too many indices", "too few indices", *others))


def _wrong_number(index: tuple[int, ...], shape: tuple[int, ...]) -> Case:
    """An index of too many entries, or of too few."""
    is_, is_not = ("many", "few") if len(index) > len(shape) else ("few", "many")
    says = f"too {is_} indices for tensor of dimension {len(shape)}"
    return Case((index, shape), (says,), (f"too {is_not} indices", "out of bounds for dimension"))


def _draw_wrong_number(source: Random, difference: int) -> Case:
    """One or two entries too many, or one too few; every second time the first is out of bounds too."""
    shape = draw.shape(source, 2, 5, (2, 4))
    index = list(draw.index(source, shape))
    index = index + [0] * difference if difference > 0 else index[:difference]
    if source.random() < 0.5:
        index[0] += shape[0]
    return _wrong_number(tuple(index), shape)


CHECK_INDEX = Exercise(
    id="01.check_index",
    title="Is there such an element?",
    stars=2,
    signature="check_index(index, shape)",
    task="Return the index with its negative entries counted from the front, or refuse it with IndexError.",
    part="tensorlab.core.layout:check_index",
    topics=(
        Topic(
            "indices that exist",
            1,
            "An index from 0 to size - 1 stays as it is. The answer is a tuple with one int for each "
            "dimension.",
            _cases(((0,), (1,)), ((1,), (2,)), ((0, 0), (2, 3)), ((1, 2), (2, 3)), ((1, 0, 3), (2, 3, 4))),
            _inside,
        ),
        Topic(
            "negative indices",
            1,
            "-1 is the last element of its dimension and -size the first: add the size of that dimension.",
            _cases(((-1,), (1,)), ((-1,), (2,)), ((-2,), (2,)), ((0, -1), (2, 3)), ((-2, -3), (2, 3))),
            _negative,
        ),
        Topic(
            "an index outside its dimension",
            2,
            "A dimension of size n has the indices -n to n - 1. The error names the index that was given.",
            (
                _out_of_bounds((1,), (1,), 0),
                _out_of_bounds((-2,), (1,), 0),
                _out_of_bounds((3,), (3,), 0),
                _out_of_bounds((7,), (3,), 0),
                _out_of_bounds((-5,), (3,), 0),
                _out_of_bounds((0, 3), (2, 3), 1),
                _out_of_bounds((2, 0), (2, 3), 0),
                _out_of_bounds((0, 2), (2, 2), 1),
                _out_of_bounds((0,), (0,), 0),
            ),
            _outside,
        ),
        Topic(
            "too many indices",
            1,
            "An element is named by one index for each dimension. One more names nothing.",
            (
                _wrong_number((0,), ()),
                _wrong_number((0, 0), (2,)),
                _wrong_number((0, 0, 0), (2,)),
                _wrong_number((1, 2, 0), (2, 3)),
                _wrong_number((5, 5, 5), (2, 3)),
            ),
            lambda source: _draw_wrong_number(source, source.randint(1, 2)),
        ),
        Topic(
            "too few indices",
            1,
            "An index that leaves a dimension out names a row or a block, and this function names one "
            "element.",
            (
                _wrong_number((), (2,)),
                _wrong_number((0,), (2, 3)),
                _wrong_number((), (2, 3)),
                _wrong_number((5,), (2, 3)),
                _wrong_number((1, 2), (2, 3, 4)),
            ),
            lambda source: _draw_wrong_number(source, -1),
        ),
    ),
    wrong=ch01_wrong_index.solutions.wrong_of("01.check_index"),
    right=ch01_right.solutions.right_of("01.check_index"),
)


def _printed(source: Random) -> Case:
    shape = draw.shape(source, 1, 4, (2, 3))
    return Case((draw.numbers(source, math.prod(shape)), shape, default_strides(shape)))


def _printed_view(source: Random) -> Case:
    """A transposed tensor with gaps that starts somewhere inside the storage."""
    shape = draw.shape(source, 2, 3, (2, 5))
    strides = draw.spread_strides(shape)
    offset = source.randint(1, 5)
    return Case((draw.numbers(source, offset + 2 * math.prod(shape)), shape, strides, offset))


def _printed_empty(source: Random) -> Case:
    shape = draw.shape_with_zero(source)
    return Case((draw.numbers(source, 3), shape, default_strides(shape)))


NESTED_REPR = Exercise(
    id="01.nested_repr",
    title="Print the line as a table",
    stars=3,
    signature="nested_repr(cells, shape, strides, offset=0)",
    task="Return the tensor's numbers as text, with one pair of brackets for each dimension.",
    part="tensorlab.printing:nested_repr",
    topics=(
        Topic(
            "rows and columns",
            2,
            "One pair of brackets for each dimension, the last dimension inside, and ', ' between "
            "neighbours.",
            _cases(
                ([5], (1,), (1,)),
                ([1, 2], (2,), (1,)),
                ([1.0, 2.5], (2,), (1,)),
                ([True, False], (2,), (1,)),
                ([0, 1], (1, 2), (2, 1)),
                ([0, 1], (2, 1), (1, 1)),
                ([0, 1, 2, 3, 4, 5], (2, 3), (3, 1)),
                (list(range(12)), (2, 2, 3), (6, 3, 1)),
                (list(range(8)), (2, 1, 2, 2), (4, 4, 2, 1)),
            ),
            _printed,
        ),
        Topic(
            "no dimensions",
            1,
            "With no dimensions there are no brackets: the text is that of the one number.",
            _cases(([5], (), ()), ([1.5], (), ()), ([3.141592653589793], (), ()), ([5, 6], (), (), 1)),
            lambda source: Case((draw.numbers(source, 4), (), (), source.randrange(4))),
        ),
        Topic(
            "strides and an offset",
            2,
            "The cells are not taken in the order in which they lie. Each element's cell follows from the "
            "strides.",
            _cases(
                ([1, 2], (1,), (1,), 1),
                ([1, 2, 3], (2,), (2,)),
                ([7], (2,), (0,)),
                ([1, 2, 3, 4], (2, 2), (1, 2)),
                ([0, 1, 2, 3, 4, 5], (3, 2), (1, 3)),
                ([0, 1, 2, 3, 4, 5], (2, 2), (3, 1), 1),
                (list(range(8)), (2, 2, 2), (1, 2, 4)),
                (list(range(32)), (2, 2, 2, 2, 2), (1, 2, 4, 8, 16)),
            ),
            _printed_view,
        ),
        Topic(
            "a size of 0",
            1,
            "An empty dimension is an empty pair of brackets, once for each element of the dimensions "
            "outside it.",
            _cases(
                ([], (0,), (1,)),
                ([], (0, 2), (2, 1)),
                ([], (2, 0), (1, 1)),
                ([], (2, 1, 0), (1, 1, 1)),
                ([5], (2, 0, 3), (3, 3, 1)),
            ),
            _printed_empty,
        ),
    ),
    wrong=ch01_wrong_repr.solutions.wrong_of("01.nested_repr"),
    right=ch01_right.solutions.right_of("01.nested_repr"),
)
