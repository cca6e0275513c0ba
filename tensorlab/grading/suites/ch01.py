"""Chapter 1, *A tensor is a line*: the questions.

Each topic holds what one group of known wrong solutions gets wrong (`ch01_wrong`), so that points are lost
for a reason that can be named. The last two exercises are in `ch01_walks`.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tensorlab.core import dtypes
from tensorlab.core.layout import default_strides
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch01_right, ch01_wrong, draw
from tensorlab.grading.suites.ch01_walks import CHECK_INDEX, NESTED_REPR

_NOT_FOUR_BYTES = tuple(t for t in dtypes.ALL if t.itemsize != 4 and t is not dtypes.bool)


def _cases(*calls: tuple[Any, ...]) -> tuple[Case, ...]:
    return tuple(Case(call) for call in calls)


NUMEL = Exercise(
    id="01.numel",
    title="How many numbers?",
    stars=1,
    signature="numel(shape)",
    task="Return how many numbers a tensor of this shape holds, as an int.",
    part="tensorlab.core.layout:numel",
    topics=(
        Topic(
            "sizes of 1 and more",
            1,
            "Each index of one dimension goes with every index of the others, so the sizes multiply.",
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
            _cases(((2**32, 2**32),), ((3**20, 3**20),), ((10**3,) * 7,)),
            lambda source: Case((tuple(source.randrange(2**13 + 1, 2**16, 2) for _ in range(6)),)),
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
    part="tensorlab.core.layout:nbytes",
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


def _in_rows(source: Random, offset: int = 0) -> Case:
    """A random element of a dense tensor."""
    shape = draw.shape(source, 2, 5, (2, 4))
    index = tuple(max(1, i) for i in draw.index(source, shape))
    return Case((index, default_strides(shape), offset) if offset else (index, default_strides(shape)))


def _with_offset(source: Random) -> Case:
    """An element of a dense tensor, or the first of another: both show what became of the offset."""
    offset = source.randint(1, 30)
    if source.random() < 0.5:
        return _in_rows(source, offset)
    strides = draw.spread_strides(draw.shape(source, 2, 5, (1, 4)))
    return Case(((0,) * len(strides), strides, offset))


def _elsewhere(source: Random) -> Case:
    """A random element of a tensor whose rows are not one after the other."""
    shape = draw.shape(source, 2, 4, (2, 6))
    index = tuple(max(1, i) for i in draw.index(source, shape))
    return Case((index, draw.spread_strides(shape)))


FLAT_INDEX = Exercise(
    id="01.flat_index",
    title="Where does it lie?",
    stars=2,
    signature="flat_index(index, strides, offset=0)",
    task="Return the storage cell of the element at this index.",
    part="tensorlab.core.layout:flat_index",
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
            _in_rows,
        ),
        Topic(
            "an offset that is not 0",
            1,
            "The offset is the cell of the first element. It is counted in cells and added once.",
            _cases(
                ((0,), (1,), 2),
                ((0,), (2,), 3),
                ((0, 0), (3, 1), 1),
                ((0, 0), (1, 4), 3),
                ((1, 0), (3, 1), 1),
                ((1, 2), (3, 1), 4),
                ((1, 1, 1), (12, 4, 1), 5),
            ),
            _with_offset,
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
                ((1, 1, 1, 1, 1), (1, 2, 4, 8, 16)),
            ),
            _elsewhere,
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


EXERCISES = (NUMEL, NBYTES, FLAT_INDEX, CHECK_INDEX, NESTED_REPR)
