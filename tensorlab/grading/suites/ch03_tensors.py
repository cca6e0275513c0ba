"""Chapter 3, *Views without copying*: the questions about tensors, where a copy loses points."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from tensorlab.grading.inside.strided import Strided, strided
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch03_right, ch03_wrong_tensors, draw

WHOLE = slice(None)


def _cases(*calls: tuple[Any, ...]) -> tuple[Case, ...]:
    return tuple(Case(call) for call in calls)


def _table(source: Random) -> Strided:
    """A table that is no square, dense and from cell 0."""
    rows = source.randint(2, 6)
    return strided((rows, source.choice([n for n in range(2, 7) if n != rows])))


def _part_of_a_table(source: Random) -> Strided:
    """A table with other strides than a new one, which begins inside its storage."""
    rows, columns = source.randint(2, 5), source.randint(2, 5)
    strides = source.choice(((columns + 2, 1), (1, rows + 1), (2 * columns, 2)))
    return strided((rows, columns), strides, source.randint(1, 6))


def _other_dims(source: Random) -> Case:
    x = strided(draw.shape(source, 2, 4, (3, 4)))
    first, second = source.sample(range(len(x.shape)), 2)
    if source.random() < 0.5:
        first, second = first - len(x.shape), second - len(x.shape)
    return Case((x, source.randint(-1, 1), first, second))


DIAGONAL = Exercise(
    id="03.diagonal",
    title="The diagonal, without a copy",
    stars=3,
    signature="diagonal(input, offset=0, dim1=0, dim2=1)",
    task="Return the diagonal of two dimensions as a view, whose last dimension runs along it.",
    part="tensorlab.ops.slicing:diagonal",
    topics=(
        Topic(
            "the diagonal of a table",
            2,
            "One step along the diagonal is one step down and one to the right, so its stride is the sum "
            "of the two. It is as long as the shorter side.",
            _cases(
                (strided((2, 2)),),
                (strided((3, 3)),),
                (strided((2, 4)),),
                (strided((4, 2)),),
                (strided((1, 3)),),
            ),
            lambda source: Case((_table(source),)),
        ),
        Topic(
            "tables with other strides and an offset",
            2,
            "The table's own strides and offset say where its elements lie. The strides of a new table say "
            "nothing here.",
            _cases(
                (strided((3, 3), (1, 3)),),
                (strided((2, 2), (4, 1), 5),),
                (strided((2, 3), (8, 2)),),
                (strided((3, 2), (0, 1)),),
                (strided((3, 3), (1, 4), 2),),
            ),
            lambda source: Case((_part_of_a_table(source),)),
        ),
        Topic(
            "other diagonals",
            2,
            "A positive offset begins that many columns to the right, a negative one that many rows further "
            "down. What is skipped is missing at the end, and a diagonal outside is empty.",
            _cases(
                (strided((3, 3)), 1),
                (strided((3, 3)), -1),
                (strided((3, 4)), 1),
                (strided((3, 4)), -2),
                (strided((4, 2)), -1),
                (strided((2, 3)), 3),
                (strided((2, 3)), -9),
                (strided((0, 3)), 0),
            ),
            lambda source: Case((_table(source), source.choice((-7, -2, -1, 1, 2, 3)))),
        ),
        Topic(
            "other dimensions",
            2,
            "The diagonal runs along the two dimensions that are named, and comes last. All the others "
            "stay in front, in their order.",
            _cases(
                (strided((2, 3)), 0, 1, 0),
                (strided((3, 2)), 1, 1, 0),
                (strided((2, 3, 4)), 0, 0, 1),
                (strided((2, 3, 4)), 0, 1, 2),
                (strided((2, 3, 4)), 1, 0, 2),
                (strided((2, 3, 4)), 0, -1, -2),
                (strided((2, 2, 3, 3)), -1, 1, 3),
            ),
            _other_dims,
        ),
    ),
    wrong=ch03_wrong_tensors.solutions.wrong_of("03.diagonal"),
    right=ch03_right.solutions.right_of("03.diagonal"),
)


def _write(x: Strided, index: tuple[Any, ...], value: Any) -> Case:
    return Case((x, index, value))


def _overlap(x: Strided, index: tuple[Any, ...], value: Strided) -> Case:
    """A value that looks into cells that are written, as other elements."""
    return Case((x, index, value), ("single memory location",))


def _values(shape: tuple[int, ...], first: float = 50.0) -> Strided:
    """A tensor to assign, with numbers that occur nowhere else."""
    count = 1
    for size in shape:
        count *= size
    return strided(shape, cells=[first + i for i in range(count)], storage=2)


def _number_into_rows(source: Random) -> Case:
    x = strided((source.randint(3, 6), source.randint(2, 4)))
    start = source.randint(0, x.shape[0] - 2)
    index = source.choice(((start,), (slice(start, start + 2),), (-1,)))
    return _write(x, index, source.randint(60, 99) + 0.5)


def _number_into_columns(source: Random) -> Case:
    x = source.choice((strided((4, 5)), strided((5, 4), (1, 5)), strided((4, 5), (7, 1), 3, cells=40)))
    index = source.choice(
        (
            (WHOLE, source.randrange(4)),
            (slice(1, None), slice(0, 4, 2)),
            (slice(None, None, 2), slice(1, 3)),
            (WHOLE, slice(1, None, 2)),
        )
    )
    return _write(x, index, source.randint(60, 99) + 0.5)


def _tensor_into_part(source: Random) -> Case:
    rows, columns = source.randint(3, 5), source.randint(3, 5)
    x = strided((rows, columns))
    choices: list[tuple[tuple[Any, ...], tuple[int, ...]]] = [
        ((source.randrange(rows),), (columns,)),
        ((WHOLE, source.randrange(columns)), (rows,)),
        ((slice(1, None), slice(0, 2)), (rows - 1, 2)),
        ((slice(0, None, 2),), ((rows + 1) // 2, columns)),
    ]
    index, shape = source.choice(choices)
    return _write(x, index, _values(shape))


SETITEM = Exercise(
    id="03.setitem",
    title="Write into a part",
    stars=2,
    signature="setitem(input, index, value)",
    task="Overwrite the elements that input[index] shows with value, in the storage that is there. Return "
    "None.",
    part="tensorlab.ops.indexing.basic:setitem",
    topics=(
        Topic(
            "a number into rows",
            2,
            "input[index] is a view, so what is written into it is written into the tensor. A new name for "
            "something else writes nowhere.",
            (
                _write(strided((3,)), (1,), 9.0),
                _write(strided((2, 3)), (0,), 9.0),
                _write(strided((2, 3)), (-1,), 9.5),
                _write(strided((3, 2)), (slice(1, 3),), 9.0),
                _write(strided((2, 2, 2)), (1, 0), 9.0),
                _write(strided((3,)), (WHOLE,), 9.0),
            ),
            _number_into_rows,
        ),
        Topic(
            "a number into columns and with steps",
            2,
            "The part may have gaps, and be no run of cells. Only its own elements are overwritten, and what "
            "lies between them stays.",
            (
                _write(strided((2, 3)), (WHOLE, 1), 9.5),
                _write(strided((5,)), (slice(0, 5, 2),), 9.0),
                _write(strided((3, 4)), (slice(1, 3), slice(1, 3)), 9.0),
                _write(strided((3, 4)), (WHOLE, slice(0, 4, 2)), 9.0),
                _write(strided((3, 2), (1, 3)), (slice(1, None),), 9.0),
                _write(strided((2, 2), (4, 1), 5, cells=12), (WHOLE, 0), 9.0),
            ),
            _number_into_columns,
        ),
        Topic(
            "one element, and none",
            1,
            "An index of ints names one element, which is a view of no dimensions. An empty part has "
            "nothing to overwrite.",
            (
                _write(strided((2, 3)), (1, 2), 9.0),
                _write(strided((2, 3)), (0, -1), 9.5),
                _write(strided((2, 2), (4, 1), 5, cells=12), (1, 1), 9.0),
                _write(strided((2, 3)), (slice(1, 1),), 9.0),
                _write(strided(()), (), 9.0),
                _write(strided((3,), cells=[0.0, math.inf, 2.0]), (1,), 9.0),
            ),
            lambda source: _write(
                strided((3, 4), (5, 1), 2, cells=20),
                (source.randrange(3), source.randrange(-4, 4)),
                source.randint(60, 99) + 0.5,
            ),
        ),
        Topic(
            "a tensor as the value",
            2,
            "A value that is a tensor has the shape of the part. Each of its elements goes to its own place. "
            "One that looks into cells that are being written would lose elements before they are read, so "
            "copy_ refuses it, unless it is the very part.",
            (
                _write(strided((3,)), (slice(0, 2),), _values((2,))),
                _write(strided((2, 3)), (0,), _values((3,))),
                _write(strided((2, 3)), (WHOLE, 1), _values((2,))),
                _write(strided((3, 4)), (slice(1, 3), slice(0, 4, 2)), _values((2, 2))),
                _write(strided((2, 3)), (1, 1), _values(())),
                _write(strided((3,), cells=3), (WHOLE,), strided((3,), cells=3)),
                _write(strided((2, 3)), (1,), strided((3,), None, 3)),
                _write(strided((2, 3)), (1,), strided((3,), cells=6)),
                _overlap(strided((3,), cells=3), (slice(1, None),), strided((2,), cells=3)),
                _overlap(strided((3,), cells=3), (slice(0, 2),), strided((2,), None, 1)),
                _overlap(strided((2, 2)), (WHOLE,), strided((2, 2), (1, 2))),
            ),
            _tensor_into_part,
        ),
    ),
    wrong=ch03_wrong_tensors.solutions.wrong_of("03.setitem"),
    right=ch03_right.solutions.right_of("03.setitem"),
)
