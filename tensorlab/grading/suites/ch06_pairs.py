"""Chapter 6, *Broadcasting*: the questions about pairs, where a table is a mistake and where it is wanted."""

from __future__ import annotations

from random import Random
from typing import Any

from tensorlab.core import dtypes, layout
from tensorlab.grading.inside.strided import Strided, strided
from tensorlab.grading.suite import Case, Exercise, Large, Topic
from tensorlab.grading.suites import ch06_right, ch06_wrong_pairs, draw
from tensorlab.grading.suites.draw import Counted

FLOAT, DOUBLE = dtypes.float32, dtypes.float64


def _given(
    shape: tuple[int, ...],
    strides: tuple[int, ...] | None = None,
    offset: int = 0,
    *,
    seed: int = 1,
    storage: int = 1,
    dtype: dtypes.dtype = FLOAT,
) -> Strided:
    """A tensor of small whole numbers that follow no pattern, so that sums and squares are exact."""
    reached = layout.address_range(shape, strides or layout.default_strides(shape), offset)
    count = reached[1] + 1 if reached else offset
    cells = [float((seed * 7 + cell * cell * 3 + cell * seed) % 11) for cell in range(count)]
    return strided(shape, strides, offset, cells=cells, dtype=dtype, storage=storage)


def _two(
    one: tuple[int, ...], other: tuple[int, ...], dtype: dtypes.dtype = FLOAT
) -> tuple[Strided, Strided]:
    return _given(one, dtype=dtype), _given(other, seed=4, storage=2, dtype=dtype)


def _even(source: Random) -> tuple[int, ...]:
    """A shape whose number of elements is a power of two, so that a mean is exact in every order."""
    return draw.factors(source, source.choice((2, 4, 8)))


def _drawn(source: Random, shape: tuple[int, ...], storage: int, dtype: dtypes.dtype = FLOAT) -> Strided:
    return _given(shape, seed=source.randint(1, 9), storage=storage, dtype=dtype)


def _equal(source: Random) -> Case:
    shape = _even(source)
    return Case((_drawn(source, shape, 1), _drawn(source, shape, 2)))


def _refused(one: tuple[int, ...], other: tuple[int, ...]) -> Case:
    return Case(_two(one, other), (str(one), str(other)))


def _row_and_column(source: Random) -> Case:
    count = source.choice((2, 4, 8))
    pair = [(count, 1), source.choice(((count,), (1, count)))]
    source.shuffle(pair)
    return _refused(*pair)


def _smaller_target(source: Random) -> Case:
    shape = draw.shape(source, 2, 4, (1, 3))
    small = shape[1:] if source.random() < 0.5 else tuple(1 for _ in shape)
    pair = [shape, small]
    source.shuffle(pair)
    return _refused(*pair)


def _never_meeting(source: Random) -> Case:
    m, n = source.sample((2, 3, 4, 6), 2)
    return _refused(*source.choice((((m, n), (n, m)), ((m * n,), (m, n)), ((m,), (n,)), ((m, 2), (n, 2)))))


def _of_views(source: Random) -> Case:
    shape = (source.choice((2, 4)), 2)
    turned = _given(shape, (1, shape[0]), source.randint(0, 3), seed=source.randint(1, 9))
    other = _given(shape, (source.randint(2, 4), 1), seed=source.randint(1, 9), storage=2, dtype=FLOAT)
    pair = (turned, other)
    return Case(pair)


SQUARED_ERROR = Exercise(
    id="06.squared_error",
    title="An error that looks at its shapes",
    stars=2,
    signature="squared_error(prediction, target)",
    task="Return the mean of the squared differences, or raise ValueError if the shapes differ.",
    part="tensorlab.ops.pairs:squared_error",
    topics=(
        Topic(
            "equal shapes",
            2,
            "Each prediction is compared with its own target: subtract, square, and take the mean.",
            (
                Case(_two((1,), (1,))),
                Case(_two((2,), (2,))),
                Case(_two((4,), (4,))),
                Case(_two((4, 1), (4, 1))),
                Case(_two((2, 4), (2, 4))),
                Case(_two((), ())),
            ),
            _equal,
        ),
        Topic(
            "a column and a row",
            2,
            "(N, 1) and (N,) broadcast to a table of all pairs. That's never what you want "
            "of an error, so raise, "
            "and the text names both shapes.",
            (
                _refused((2, 1), (2,)),
                _refused((4,), (4, 1)),
                _refused((4, 1), (4,)),
                _refused((1, 4), (4, 1)),
                _refused((2, 1), (1, 2)),
            ),
            _row_and_column,
        ),
        Topic(
            "other shapes that would be broadcast",
            2,
            "Also where one of the two has the shape of the table, and where both hold as many numbers: "
            "shapes that differ are an error.",
            (
                _refused((1,), ()),
                _refused((3,), (1,)),
                _refused((1,), (3,)),
                _refused((3,), ()),
                _refused((1, 4), (4,)),
                _refused((2, 4), (4,)),
                _refused((4,), (2, 4)),
                _refused((2, 4), (2, 1)),
                _refused((2, 4), (1, 4)),
            ),
            _smaller_target,
        ),
        Topic(
            "shapes that do not broadcast",
            1,
            "The subtraction would raise an error of its own here. Your check comes first.",
            (
                _refused((2,), (3,)),
                _refused((6,), (2, 3)),
                _refused((2, 3), (3, 2)),
                _refused((2, 3), (2, 2)),
                _refused((4, 2), (2, 2)),
            ),
            _never_meeting,
        ),
        Topic(
            "views, and other dtypes",
            1,
            "Strides are no part of the shape. The inputs stay as they are, and the answer has their dtype.",
            (
                Case((_given((2, 2), (1, 2)), _given((2, 2), seed=4, storage=2))),
                Case((_given((4,), (2,), 1), _given((4,), (0,), 2, seed=4, storage=2))),
                Case(_two((2, 2), (2, 2), DOUBLE)),
                Case((_given((2, 4), (1, 2)), _given((2, 4), (5, 1), 3, seed=4, storage=2))),
            ),
            _of_views,
        ),
    ),
    wrong=ch06_wrong_pairs.solutions.wrong_of("06.squared_error"),
    right=ch06_right.solutions.right_of("06.squared_error"),
)


def _same_table(got: Any, want: Any) -> bool:
    """The same numbers, shape and dtype, in a storage of their own; the order of the strides is free."""
    return (
        isinstance(got, Strided)
        and got.storage < 0
        and (got.dtype, got.shape, got.elements) == (want.dtype, want.shape, want.elements)
    )


def _tables(m: int, n: int, d: int, dtype: dtypes.dtype) -> int:
    """The bytes of three tables of the answer, and of the points once more."""
    return (3 * m * n + (m + n) * d) * dtype.itemsize


def _between(x: Strided, y: Strided, *, lean: bool = False) -> Case:
    (m, d), n = x.shape, y.shape[0]
    return Case((x, y), same=_same_table, room=_tables(m, n, d, x.dtype) if lean else None)


def _points(m: int, n: int, d: int, dtype: dtypes.dtype = FLOAT, lean: bool = False) -> Case:
    return _between(*_two((m, d), (n, d), dtype), lean=lean)


def _points_drawn(source: Random) -> Case:
    m, n = source.sample(range(2, 6), 2)
    d = source.randint(1, 3)
    return _between(_drawn(source, (m, d), 1), _drawn(source, (n, d), 2))


def _many_coordinates(source: Random) -> Case:
    m, n = source.randint(7, 9), source.randint(5, 8)
    d = source.randint(5, m)
    return _between(_drawn(source, (m, d), 1), _drawn(source, (n, d), 2), lean=True)


def _far(shape: tuple[int, ...], seed: int, storage: int = 1) -> Strided:
    """Points near (5000, 5000, …), whose squares are more than a float32 can count to."""
    near = _given(shape, seed=seed)
    return strided(shape, cells=[cell + 5000 for cell in near.cells], storage=storage)


def _far_apart(source: Random) -> Case:
    m, n, d = source.randint(1, 3), source.randint(1, 3), source.randint(1, 3)
    return _between(_far((m, d), source.randint(1, 9)), _far((n, d), source.randint(1, 9), 2))


def _doubles(source: Random) -> Case:
    m, n, d = source.randint(1, 4), source.randint(2, 4), source.randint(1, 3)
    return _between(_drawn(source, (m, d), 1, DOUBLE), _drawn(source, (n, d), 2, DOUBLE))


def _nothing(source: Random) -> Case:
    sizes = [source.randint(1, 4) for _ in range(3)]
    sizes[source.randrange(3)] = 0
    m, n, d = sizes
    return _points(m, n, d)


def _views(source: Random) -> Case:
    m, n, d = source.randint(2, 4), source.randint(2, 4), source.randint(2, 3)
    turned = _given((m, d), (1, m), source.randint(0, 3), seed=source.randint(1, 9))
    rows = source.choice(((0, 1), (d + 2, 1), (2 * d, 2)))
    return _between(turned, _given((n, d), rows, source.randint(0, 3), seed=source.randint(1, 9), storage=2))


def _no_such_points(one: tuple[int, ...], other: tuple[int, ...]) -> Case:
    return Case(_two(one, other), ("coordinates",))


def _two_spaces(source: Random) -> Case:
    d = source.randint(1, 4)
    other = source.choice([size for size in (1, 2, 3, 4) if size != d])
    return _no_such_points((source.randint(1, 4), d), (source.randint(1, 4), other))


def _large(source: Random) -> Large:
    """Hundreds of points and as many others: with all coordinates at once, 441 MiB."""
    count, d = 336, 1024
    x, y = Counted(source), Counted(source)
    points = [numbers.line((count, d)) for numbers in (x, y)]

    def distance(i: int, j: int) -> float:
        return sum((x[i * d + k] - y[j * d + k]) ** 2 for k in range(d))

    return Large(f"squared_distances({', '.join(points)})", FLOAT, (count, count), distance)


SQUARED_DISTANCES = Exercise(
    id="06.squared_distances",
    title="Everyone with everyone, in little memory",
    stars=4,
    signature="squared_distances(x, y)",
    task="Return the table of squared distances of all points of x from all points of y.",
    part="tensorlab.ops.pairs:squared_distances",
    topics=(
        Topic(
            "all pairs",
            2,
            "The element [i, j] adds up, over all coordinates, the square of x[i, k] - y[j, k].",
            (
                _points(1, 1, 1),
                _points(2, 1, 1),
                _points(2, 3, 1),
                _points(3, 2, 2),
                _points(2, 2, 3),
                _points(2, 4, 2),
            ),
            _points_drawn,
        ),
        Topic(
            "little memory",
            2,
            "The differences of all coordinates at once are d tables. Add up coordinate by coordinate, and "
            "let each go before the next comes.",
            (
                _points(2, 2, 5, lean=True),
                _points(3, 3, 3, lean=True),
                _points(6, 5, 4, lean=True),
                _points(8, 8, 8, lean=True),
                _points(9, 6, 7, lean=True),
            ),
            _many_coordinates,
            _large,
        ),
        Topic(
            "points far from zero",
            1,
            "Subtract first, then square: the squares of large numbers are rounded, and their difference "
            "keeps the error.",
            (
                _between(_far((1, 1), 1), _far((2, 1), 4, 2)),
                _between(_far((2, 2), 1), _far((2, 2), 4, 2)),
                _between(_far((3, 2), 1), _far((2, 2), 5, 2)),
            ),
            _far_apart,
        ),
        Topic(
            "the dtype of the points",
            1,
            "A new tensor is float32 unless you say otherwise. The answer has the dtype of the points.",
            (
                _points(1, 2, 1, DOUBLE),
                _points(3, 2, 2, DOUBLE),
            ),
            _doubles,
        ),
        Topic(
            "no points, or no coordinates",
            1,
            "Without points the table has no rows, or no columns. Without coordinates there is nothing to "
            "add, and every distance is 0.",
            (
                _points(0, 2, 2),
                _points(2, 0, 2),
                _points(2, 3, 0),
                _points(0, 0, 1),
            ),
            _nothing,
        ),
        Topic(
            "points that are views",
            1,
            "Any strides will do, and the inputs are only read: after the call they hold what they held.",
            (
                _between(_given((2, 2), (1, 2)), _given((2, 2), seed=4, storage=2)),
                _between(_given((2, 2), (0, 1)), _given((3, 2), (4, 2), 1, seed=4, storage=2)),
                _between(_given((3, 2), (2, 1), 2), _given((3, 2), (2, 1), 2)),
            ),
            _views,
        ),
        Topic(
            "points of different spaces",
            1,
            "Points with 3 coordinates have no distance from points with 1, though the 1 would stretch.",
            (
                _no_such_points((2, 3), (2, 1)),
                _no_such_points((2, 1), (2, 3)),
                _no_such_points((2, 2), (3, 3)),
                _no_such_points((2, 3), (3, 2)),
            ),
            _two_spaces,
        ),
    ),
    wrong=ch06_wrong_pairs.solutions.wrong_of("06.squared_distances"),
    right=ch06_right.solutions.right_of("06.squared_distances"),
)
