"""Chapter 1, *A tensor is a line*: the questions.

Each topic holds what one group of known wrong solutions gets wrong (`ch01_wrong`), so that points are lost
for a reason that can be named.
"""

from __future__ import annotations

import math
from random import Random
from typing import Any

from tensorlab import dtypes
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch01_right, ch01_wrong, ch01_wrong_walks, draw
from tensorlab.layout import default_strides

_NOT_FOUR_BYTES = tuple(t for t in dtypes.ALL if t.itemsize != 4 and t is not dtypes.bool)


def _cases(*calls: tuple[Any, ...]) -> tuple[Case, ...]:
    return tuple(Case(call) for call in calls)


def _refused(says: str, *calls: tuple[Any, ...]) -> tuple[Case, ...]:
    return tuple(Case(call, (says,)) for call in calls)


NUMEL = Exercise(
    id="01.numel",
    title="How many numbers?",
    stars=1,
    signature="numel(shape)",
    task="Return how many numbers a tensor of this shape holds, as an int.",
    part="tensorlab.layout:numel",
    topics=(
        Topic(
            "sizes of 1 and more",
            1,
            "Each index of one dimension meets every index of the others, so the sizes multiply.",
            _cases(((1,),), ((3,),), ((1, 1),), ((2, 3),), ((3, 2),), ((2, 1, 3),), ((2, 3, 4),)),
            lambda source: Case((draw.shape(source, 2, 9, (2, 4)),)),
        ),
        Topic(
            "the shape ()",
            1,
            "A tensor of shape () has no dimensions and holds one number; a product of nothing is 1.",
            _cases(((),)),
            lambda source: Case(((),)),
        ),
        Topic(
            "a size of 0",
            1,
            "Where one dimension is empty there is no place for a number, whatever the other sizes are.",
            _cases(((0,),), ((0, 3),), ((2, 0),), ((2, 0, 3),)),
            lambda source: Case((draw.shape_with_zero(source),)),
        ),
        Topic(
            "counts beyond 64 bits",
            1,
            "A Python int grows as far as it must. NumPy's integers have 64 bits and wrap around without a "
            "word.",
            _cases(((2**32, 2**32),), ((10**7, 10**7, 10**7),)),
            lambda source: Case((tuple(source.randint(2**31, 2**33) for _ in range(3)),)),
        ),
    ),
    wrong=ch01_wrong.solutions.wrong_of("01.numel"),
    right=ch01_right.solutions.right_of("01.numel"),
)

NBYTES = Exercise(
    id="01.nbytes",
    title="How many bytes?",
    stars=1,
    signature="nbytes(shape, dtype)",
    task="Return how many bytes the numbers of such a tensor take, as an int.",
    part="tensorlab.layout:nbytes",
    topics=(
        Topic(
            "float32 and int32",
            1,
            "The bytes are the numbers counted, times the bytes of one number: 4 for float32 and for int32.",
            _cases(
                ((1,), dtypes.float32),
                ((3,), dtypes.float32),
                ((2, 3), dtypes.int32),
                ((2, 3, 4), dtypes.float32),
            ),
            lambda source: Case((draw.shape(source, 2, 9), source.choice((dtypes.float32, dtypes.int32)))),
        ),
        Topic(
            "other sizes of numbers",
            1,
            "How many bytes one number takes depends on its dtype, and dtype.itemsize says it.",
            _cases(*(((3,), dtype) for dtype in _NOT_FOUR_BYTES), ((2, 3), dtypes.float64)),
            lambda source: Case((draw.shape(source), source.choice(_NOT_FOUR_BYTES))),
        ),
        Topic(
            "bool",
            1,
            "A truth value needs one bit and is given one byte, because a byte is the least that has an "
            "address.",
            _cases(((1,), dtypes.bool), ((8,), dtypes.bool), ((3, 3), dtypes.bool)),
            lambda source: Case((draw.shape(source, 1, 9), dtypes.bool)),
        ),
        Topic(
            "one number, or none",
            1,
            "Shape () holds one number, and a size of 0 leaves none. Nothing special is added or taken away.",
            _cases(((), dtypes.float32), ((0,), dtypes.float32), ((2, 0), dtypes.int32)),
            lambda source: Case(
                (draw.shape_with_zero(source), source.choice((dtypes.float32, dtypes.int32)))
            ),
        ),
    ),
    wrong=ch01_wrong.solutions.wrong_of("01.nbytes"),
    right=ch01_right.solutions.right_of("01.nbytes"),
)


def _place(source: Random, offset: int, order: str) -> Case:
    """A random element of a random layout, dense for ``"rows"`` and rearranged for ``"other"``."""
    shape = draw.shape(source, 2, 5, (2, 4))
    strides = default_strides(shape)
    if order == "other":
        strides = draw.spread_strides(shape)
    index = tuple(max(1, i) for i in draw.index(source, shape))
    return Case((index, strides, offset) if offset else (index, strides))


FLAT_INDEX = Exercise(
    id="01.flat_index",
    title="Where does it lie?",
    stars=2,
    signature="flat_index(index, strides, offset=0)",
    task="Return the storage cell of the element at this index.",
    part="tensorlab.layout:flat_index",
    topics=(
        Topic(
            "row after row, from cell 0",
            1,
            "Each index says how many steps to take, and its stride how long one step is. Add all the steps.",
            _cases(
                ((0,), (1,)),
                ((2,), (1,)),
                ((0, 0), (3, 1)),
                ((0, 1), (3, 1)),
                ((1, 0), (3, 1)),
                ((1, 2), (3, 1)),
                ((1, 2, 3), (12, 4, 1)),
            ),
            lambda source: _place(source, 0, "rows"),
        ),
        Topic(
            "an offset that is not 0",
            1,
            "The offset is the cell of the first element. It is counted in cells and added once.",
            _cases(
                ((0,), (1,), 2),
                ((0, 0), (3, 1), 1),
                ((1, 0), (3, 1), 1),
                ((1, 2), (3, 1), 4),
                ((1, 1, 1), (12, 4, 1), 5),
            ),
            lambda source: _place(source, source.randint(1, 30), "rows"),
        ),
        Topic(
            "other strides",
            1,
            "Any dimension may have any stride, 0 and repeated ones too. Only the numbers given say how far "
            "to go.",
            _cases(
                ((1,), (0,)),
                ((1,), (2,)),
                ((0, 1), (1, 2)),
                ((1, 0), (1, 2)),
                ((1, 1), (0, 1)),
                ((2, 1), (1, 3)),
                ((1, 2), (8, 2)),
                ((1, 1, 2), (1, 2, 6)),
            ),
            lambda source: _place(source, 0, "other"),
        ),
        Topic(
            "no dimensions",
            1,
            "With no index there is no step to take, and the one element lies at the offset.",
            _cases(((), ()), ((), (), 1), ((), (), 7)),
            lambda source: Case(((), (), source.randint(1, 99))),
        ),
    ),
    wrong=ch01_wrong.solutions.wrong_of("01.flat_index"),
    right=ch01_right.solutions.right_of("01.flat_index"),
)


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
    return Case((tuple(index), shape), (_bounds_text(index[dim], dim, size),))


def _bounds_text(index: int, dim: int, size: int) -> str:
    return f"index {index} is out of bounds for dimension {dim} with size {size}"


def _wrong_count(source: Random, difference: int) -> Case:
    shape = draw.shape(source, 2, 5, (2, 4))
    index = (
        draw.index(source, shape + (2,) * difference)
        if difference > 0
        else draw.index(source, shape)[:difference]
    )
    which = "many" if difference > 0 else "few"
    return Case((index, shape), (f"too {which} indices for tensor of dimension {len(shape)}",))


CHECK_INDEX = Exercise(
    id="01.check_index",
    title="Is there such an element?",
    stars=2,
    signature="check_index(index, shape)",
    task="Return the index with its negative entries counted from the front, or refuse it with IndexError.",
    part="tensorlab.layout:check_index",
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
            tuple(
                Case(call, (_bounds_text(*told),))
                for call, told in (
                    (((1,), (1,)), (1, 0, 1)),
                    (((-2,), (1,)), (-2, 0, 1)),
                    (((3,), (3,)), (3, 0, 3)),
                    (((7,), (3,)), (7, 0, 3)),
                    (((-5,), (3,)), (-5, 0, 3)),
                    (((0, 3), (2, 3)), (3, 1, 3)),
                    (((2, 0), (2, 3)), (2, 0, 2)),
                    (((0,), (0,)), (0, 0, 0)),
                )
            ),
            _outside,
        ),
        Topic(
            "too many indices",
            1,
            "An element is named by one index for each dimension. One more names nothing.",
            _refused("too many indices for tensor of dimension 0", ((0,), ()))
            + _refused("too many indices for tensor of dimension 1", ((0, 0), (2,)), ((0, 0, 0), (2,)))
            + _refused(
                "too many indices for tensor of dimension 2", ((1, 2, 0), (2, 3)), ((5, 5, 5), (2, 3))
            ),
            lambda source: _wrong_count(source, source.randint(1, 2)),
        ),
        Topic(
            "too few indices",
            1,
            "An index that leaves a dimension out names a row or a block, and this function names one "
            "element.",
            _refused("too few indices for tensor of dimension 1", ((), (2,)))
            + _refused("too few indices for tensor of dimension 2", ((0,), (2, 3)), ((), (2, 3)))
            + _refused("too few indices for tensor of dimension 3", ((1, 2), (2, 3, 4))),
            lambda source: _wrong_count(source, -1),
        ),
    ),
    wrong=ch01_wrong_walks.solutions.wrong_of("01.check_index"),
    right=ch01_right.solutions.right_of("01.check_index"),
)


def _printed(source: Random) -> Case:
    shape = draw.shape(source, 1, 4, (2, 3))
    return Case((draw.numbers(source, math.prod(shape)), shape, default_strides(shape)))


def _printed_view(source: Random) -> Case:
    """A transposed tensor with gaps that starts somewhere inside the storage."""
    shape = draw.shape(source, 2, 3, (2, 3))
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
            _cases(([5], (), ()), ([1.5], (), ()), ([5, 6], (), (), 1)),
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
    wrong=ch01_wrong_walks.solutions.wrong_of("01.nested_repr"),
    right=ch01_right.solutions.right_of("01.nested_repr"),
)

EXERCISES = (NUMEL, NBYTES, FLAT_INDEX, CHECK_INDEX, NESTED_REPR)
