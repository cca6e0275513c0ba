"""Chapter 7, reductions: the questions about tensors, the greatest element and rows of length 1."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from tensorlab.core import dtypes, layout
from tensorlab.grading.inside.strided import Strided, same_tensor, strided
from tensorlab.grading.inside.values import same
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch07_right, ch07_wrong_argmax, ch07_wrong_normalize, draw

INT = dtypes.int64
NAN, INF = math.nan, math.inf


def _in_rows(told: Strided) -> Strided:
    return strided(told.shape, cells=told.elements, dtype=told.dtype, storage=told.storage)


def _in_any_order(got: Any, want: Any) -> bool:
    """The tensor that was wanted. In which order a new one lies in memory is left open."""
    if not isinstance(got, Strided) or not isinstance(want, Strided):
        return same(got, want)
    return same_tensor(_in_rows(got), _in_rows(want), same)


def _greatest(*args: Any) -> Case:
    return Case(args, same=_in_any_order)


def _cases(*calls: tuple[Any, ...]) -> tuple[Case, ...]:
    return tuple(_greatest(*call) for call in calls)


def _table(*rows: tuple[float, ...], dtype: dtypes.dtype = dtypes.float32) -> Strided:
    return strided((len(rows), len(rows[0])), cells=[number for row in rows for number in row], dtype=dtype)


def _vector(*numbers: float, dtype: dtypes.dtype = dtypes.float32) -> Strided:
    return strided((len(numbers),), cells=numbers, dtype=dtype)


def _numbered(source: Random, shape: tuple[int, ...], least: int = 1) -> Strided:
    """A tensor in which no number comes twice."""
    count = layout.numel(shape)
    return strided(shape, cells=source.sample(range(least, least + 2 * count), count))


def _signed(source: Random, shape: tuple[int, ...]) -> Strided:
    """A tensor in which no number comes twice, and half of them are negative."""
    return _numbered(source, shape, -layout.numel(shape))


def _turned(source: Random) -> Strided:
    """A table that is turned, or begins inside its storage, or has gaps."""
    shape = draw.shape(source, 2, 7, (2, 3))
    strides = draw.loose(source, shape, zeros=False)
    reached = layout.address_range(shape, strides, 2)
    cells = reached[1] + 1 if reached else 2
    return strided(shape, strides, 2, cells=source.sample(range(1, 2 * cells), cells))


def _any_dim(source: Random, x: Strided) -> int:
    return source.randrange(-len(x.shape), len(x.shape))


def _with_equals(source: Random) -> Case:
    shape = draw.shape(source, 2, 7, (1, 2))
    x = strided(shape, cells=[source.choice((1, 2, 2)) for _ in range(layout.numel(shape))])
    return _all_or_along(source, x)


def _with_nan(source: Random) -> Case:
    """One nan or several among numbers of which none comes twice."""
    x = _numbered(source, draw.shape(source, 2, 7, (1, 2)))
    cells = [NAN if source.random() < 0.4 else number for number in x.cells]
    cells[source.randrange(len(cells))] = NAN
    return _all_or_along(source, strided(x.shape, cells=cells))


def _all_or_along(source: Random, x: Strided) -> Case:
    return _greatest(x) if source.random() < 0.5 else _greatest(x, source.randrange(len(x.shape)))


CUBE = strided((2, 2, 3), cells=[3, -1, 4, 1, -5, 9, 2, 6, 8, -3, 5, 7])

BLOCK = strided((2, 2, 3), cells=[3, 1, 4, 2, 5, 9, 7, 6, 8, 12, 10, 11])

ARGMAX = Exercise(
    id="07.argmax",
    title="Where is the largest?",
    stars=3,
    signature="argmax(input, dim=None, keepdim=False)",
    task="Return the place of the largest element along a dimension, or its position among all, as int64.",
    part="tensorlab.ops.argreduce:argmax",
    topics=(
        Topic(
            "among all elements",
            2,
            "Without a dimension the answer is one int64: the position, counted row by row. All numbers may "
            "be negative.",
            _cases(
                (_vector(5),),
                (_vector(1, 3, 2),),
                (_vector(-2, -1, -3),),
                (_vector(-7, 2, 5, dtype=INT),),
                (_vector(-3e9, -2e9),),
                (_vector(-3e38, -2e38),),
                (_vector(2**53, 2**53 + 1, dtype=INT),),
                (_vector(-INF, -INF),),
                (_table((1, 2), (4, 3)),),
                (_table((1, 2, 3), (9, 5, 4)),),
                (CUBE,),
                (strided((), cells=[-4]),),
            ),
            lambda source: _greatest(_signed(source, draw.shape(source, 2, 7, (1, 3)))),
        ),
        Topic(
            "along a dimension",
            2,
            "The dimension that is named goes, and its index is the answer. -1 is the last one. The others "
            "stay, those of size 1 too.",
            _cases(
                (_table((1, 2), (4, 3)), 0),
                (_table((1, 2), (4, 3)), 1),
                (_table((1, 5, 3), (9, 2, 4)), 0),
                (_table((1, 5, 3), (9, 2, 4)), 1),
                (_table((-1, -5, -3), (-9, -2, -4)), -1),
                (_table((-1, -5, -3), (-9, -2, -4)), -2),
                (CUBE, 0),
                (CUBE, 1),
                (CUBE, 2),
                (_vector(1, 3, 2), 0),
                (_vector(1, 3, 2), -1),
                (_table((1, 3, 2)), 1),
                (_table((1,), (3,), (2,)), 0),
            ),
            lambda source: _greatest(
                x := _signed(source, draw.shape(source, 1, 7, (2, 3))), _any_dim(source, x)
            ),
        ),
        Topic(
            "equals",
            1,
            "Of elements that are equally great the first one wins.",
            _cases(
                (_vector(2, 2),),
                (_vector(1, 3, 3),),
                (_table((1, 7), (7, 2)),),
                (_table((1, 7), (1, 7)), 0),
                (_table((4, 4, 4), (1, 2, 2)), 1),
            ),
            _with_equals,
        ),
        Topic(
            "not a number",
            2,
            "A nan wins against every number, and the first nan against the others. Every comparison with it "
            "is false, so it has to be asked for: only a nan is not equal to itself.",
            _cases(
                (_vector(NAN, 1),),
                (_vector(1, NAN),),
                (_vector(1, NAN, 3),),
                (_vector(NAN, NAN),),
                (_vector(2, NAN, 5, NAN),),
                (_table((1, NAN), (2, 3)), 0),
                (_table((NAN, 1), (NAN, 2)), 1),
            ),
            _with_nan,
        ),
        Topic(
            "keepdim",
            1,
            "With keepdim the dimensions that go stay with size 1: one of them, or all.",
            _cases(
                (_table((1, 5, 3), (9, 2, 4)), 0, True),
                (_table((1, 5, 3), (9, 2, 4)), 1, True),
                (_table((1, 5, 3), (9, 2, 4)), -1, True),
                (_table((1, 5, 3), (9, 2, 4)), None, True),
                (BLOCK, 1, True),
                (_vector(1, 3), None, True),
            ),
            lambda source: _greatest(
                x := _numbered(source, draw.shape(source, 2, 3, (2, 3))),
                source.choice((None, _any_dim(source, x))),
                True,
            ),
        ),
        Topic(
            "views",
            1,
            "Position counts elements as the tensor shows them. Where they lie in the storage does not "
            "matter.",
            _cases(
                (strided((3, 2), (1, 3), cells=[1, 5, 3, 9, 2, 4]),),
                (strided((3, 2), (1, 3), cells=[1, 5, 3, 9, 2, 4]), 0),
                (strided((2, 2), (3, 1), 1, cells=[8, 1, 2, 8, 4, 3]),),
                (strided((3,), (2,), cells=[1, 8, 2, 8, 4]),),
            ),
            lambda source: _all_or_along(source, _turned(source)),
        ),
    ),
    wrong=ch07_wrong_argmax.solutions.wrong_of("07.argmax"),
    right=ch07_right.solutions.right_of("07.argmax"),
)


def _near(got: Any, want: Any) -> bool:
    """Whether two plain values are the same but for what rounding in float32 leaves open."""
    if isinstance(got, float) and isinstance(want, float):
        return same(got, want) or abs(got - want) <= 1e-5 * max(1.0, abs(want))
    return same(got, want)


def _near_tensor(got: Any, want: Any) -> bool:
    """The tensor that was wanted, but for rounding. How the new storage is laid out is left open."""
    if not isinstance(got, Strided) or not isinstance(want, Strided):
        return same(got, want)
    return same_tensor(_in_rows(got), _in_rows(want), _near)


def _normal(*args: Any) -> Case:
    return Case(args, same=_near_tensor)


def _lengths(source: Random, shape: tuple[int, ...], signs: bool = False) -> Strided:
    numbers = [
        source.randint(1, 9) * (source.choice((-1, 1)) if signs else 1) for _ in range(layout.numel(shape))
    ]
    return strided(shape, cells=numbers)


def _oblong(source: Random) -> tuple[int, int]:
    rows, columns = source.sample(range(2, 6), 2)
    return rows, columns


def _short(source: Random) -> Case:
    """Rows of small numbers, some of them zeros, and a bound that some of them do not reach."""
    rows = [[source.choice((0, 1, 2)) / 4 for _ in range(3)] for _ in range(3)]
    rows[source.randrange(3)] = [0, 0, 0]
    return _normal(_table(*map(tuple, rows)), 2.0, 1, source.choice((0.5, 1.0, 1e-12)))


NORMALIZE = Exercise(
    id="07.normalize",
    title="Rows of length 1",
    stars=2,
    signature="normalize(input, p=2.0, dim=1, eps=1e-12)",
    task="Return the input divided by its p-norms along a dimension, or by eps where a norm is less.",
    part="tensorlab.ops.norms:normalize",
    topics=(
        Topic(
            "rows of a table",
            2,
            "Each row is divided by its own length: the square root of the sum of its squares.",
            (
                _normal(_table((3, 4))),
                _normal(_table((3, 4), (5, 12), (8, 15))),
                _normal(_table((1, 2, 2), (2, 3, 6))),
                _normal(_table((2,), (5,))),
                _normal(_table((3, 4), (5, 12), (8, 15), dtype=dtypes.float64)),
            ),
            lambda source: _normal(_lengths(source, _oblong(source))),
        ),
        Topic(
            "square tables",
            2,
            "The lengths need their dimension, or they are aligned with the columns. In a "
            "square table nobody "
            "complains.",
            (
                _normal(_table((3, 4), (6, 8))),
                _normal(_table((3, 4), (5, 12))),
                _normal(_table((1, 2, 2), (2, 3, 6), (4, 4, 7))),
            ),
            lambda source: _normal(_lengths(source, (n := source.randint(2, 7), n))),
        ),
        Topic(
            "another dimension",
            1,
            "dim says along which dimension the lengths are taken; it may count from the end.",
            (
                _normal(_vector(3, 4), 2.0, 0),
                _normal(_table((3, 5), (4, 12)), 2.0, 0),
                _normal(_table((3, 4, 1), (4, 3, 1)), 2.0, 0),
                _normal(_table((3, 4), (5, 12), (8, 15)), 2.0, -1),
                _normal(strided((2, 2, 2), cells=[3, 4, 6, 8, 4, 3, 8, 6]), 2.0, 0),
                _normal(strided((2, 2, 2), cells=[3, 4, 6, 8, 4, 3, 8, 6]), 2.0, 1),
                _normal(strided((2, 2, 2), cells=[3, 4, 6, 8, 4, 3, 8, 6]), 2.0, 2),
            ),
            lambda source: _normal(
                x := _lengths(source, draw.shape(source, 2, 7, (1, 3))), 2.0, _any_dim(source, x)
            ),
        ),
        Topic(
            "another p",
            1,
            "The p-norm is the p-th root of the sum of the p-th powers. For p = 1 it is the plain sum. p "
            "need not be a whole number.",
            (
                _normal(_table((1, 3)), 1.0),
                _normal(_table((1, 3), (2, 2), (1, 7)), 1.0),
                _normal(_table((1, 3), (2, 5)), 1.0, 0),
                _normal(_table((3, 4, 5)), 3.0),
                _normal(_table((1, 4), (9, 16)), 1.5),
            ),
            lambda source: _normal(
                x := _lengths(source, _oblong(source)),
                source.choice((1.0, 1.5, 2.5, 3.0)),
                _any_dim(source, x),
            ),
        ),
        Topic(
            "negative numbers",
            1,
            "A length is made of absolute values, or -3 and 3 cancel. The sign of the elements stays.",
            (
                _normal(_table((-3, 4))),
                _normal(_table((-1, 3), (2, -2)), 1.0),
                _normal(_table((-1, -1), (1, -3), (2, 2)), 1.0),
                _normal(_table((-3, 3, 1)), 3.0),
            ),
            lambda source: _normal(
                _lengths(source, _oblong(source), signs=True), source.choice((1.0, 2.0, 3.0))
            ),
        ),
        Topic(
            "short rows",
            1,
            "Where the length is less than eps, eps is the divisor: so a row of zeros stays one. A row "
            "that is short but longer than eps gets length 1.",
            (
                _normal(_table((0, 0))),
                _normal(_table((0, 0), (3, 4))),
                _normal(_table((0.25, 0), (3, 4), (0, 0)), 2.0, 1, 0.5),
                _normal(_table((3, 4), (30, 40), (1, 0)), 2.0, 1, 10.0),
                _normal(_table((3e-8, 4e-8), (3, 4))),
            ),
            _short,
        ),
    ),
    wrong=ch07_wrong_normalize.solutions.wrong_of("07.normalize"),
    right=ch07_right.solutions.right_of("07.normalize"),
)
