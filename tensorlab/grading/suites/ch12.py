"""Chapter 12, *Numerics and entropy*: the questions about logsumexp, its gradient, and sums.

Those that ask with small programs, because the gradient counts, are in `ch12_gradients`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from tensorlab.core import dtypes, layout
from tensorlab.grading.inside.strided import Scene, Strided, strided
from tensorlab.grading.inside.values import same
from tensorlab.grading.suite import Case, Exercise, Large, Topic
from tensorlab.grading.suites import (
    ch12_right,
    ch12_wrong_backward,
    ch12_wrong_logsumexp,
    ch12_wrong_sums,
    draw,
)
from tensorlab.grading.suites.ch12_draw import DOUBLE, FLOAT, INF, NAN, near, some, table, turned, vector
from tensorlab.grading.suites.ch12_gradients import CROSS_ENTROPY, SAFE_WHERE
from tensorlab.grading.suites.draw import Counted


def _near(*args: Any) -> Case:
    return Case(args, same=near)


def _any_dim(source: Random, x: Strided) -> int:
    return source.randrange(-len(x.shape), len(x.shape))


def _oblong(source: Random) -> tuple[int, int]:
    rows, columns = source.sample(range(2, 9), 2)
    return rows, columns


def _far(source: Random) -> Case:
    """Rows far from one another, and far from where exp is finite."""
    rows, columns = _oblong(source)
    shifts = source.sample((-3000.0, -1000.0, 1000.0, 2000.0), min(rows, 4))
    shifts += [0.0] * (rows - len(shifts))
    x = some(source, (rows, columns))
    cells = [number + shifts[place // columns] for place, number in enumerate(x.cells)]
    return _near(strided(x.shape, cells=cells), 1)


def _with(source: Random, odd: tuple[float, ...]) -> Case:
    """A table in which one row has each of some odd numbers, and another holds nothing but the first."""
    rows, columns = source.randint(3, 4), source.randint(max(2, len(odd)), 4)
    x = some(source, (rows, columns))
    cells = list(x.cells)
    mixed, whole = source.sample(range(rows), 2)
    for place, number in zip(source.sample(range(columns), len(odd)), odd, strict=True):
        cells[mixed * columns + place] = number
    for place in range(columns):
        cells[whole * columns + place] = odd[0]
    return _near(strided(x.shape, cells=cells), 1)


def _in_any_form(source: Random) -> Case:
    dtype = source.choice((FLOAT, DOUBLE))
    x = some(source, draw.shape(source, 2, 7, (2, 3)), dtype)
    if len(x.shape) == 2 and source.random() < 0.5:
        x = turned(x)
    return _near(x, _any_dim(source, x), True)


LOGSUMEXP = Exercise(
    id="12.logsumexp",
    title="The logarithm of a sum",
    stars=2,
    signature="logsumexp(input, dim, keepdim=False)",
    task="Return log(sum(exp(input))) along a dimension, without overflow.",
    part="tensorlab.ops.softmax:logsumexp",
    topics=(
        Topic(
            "logits of ordinary size",
            2,
            "Along dim, which may count from the end, the exponentials are added up, and the logarithm of "
            "the sum is the answer.",
            (
                _near(vector(0, 0), 0),
                _near(vector(1, 2, 3), 0),
                _near(table((0, 1), (2, 3), (1, 1)), 0),
                _near(table((0, 1), (2, 3), (1, 1)), 1),
                _near(table((0, 1, -2), (2, 3, 1)), -2),
                _near(strided((2, 2, 2), cells=[0, 1, 2, 3, 1, 0, -1, 2]), 1),
            ),
            lambda source: _near(x := some(source, _oblong(source)), _any_dim(source, x)),
        ),
        Topic(
            "logits far from 0",
            2,
            "Take the greatest of each row out, and add it back at the end: then no exponential is greater "
            "than 1, and one of them is 1.",
            (
                _near(vector(1000, 1000), 0),
                _near(vector(-1000, -1000), 0),
                _near(vector(0, 2000), 0),
                _near(vector(90, 0), 0),
                _near(table((1000, 1000), (-1000, -1000)), 1),
                _near(table((1000, -1000, 3), (1001, -1000, 4)), 0),
            ),
            _far,
        ),
        Topic(
            "minus infinity",
            2,
            "exp(-inf) is 0: such an element adds nothing. Where all are -inf, the sum is 0 and the answer "
            "-inf. Don't take an infinite number out.",
            (
                _near(vector(-INF, 0), 0),
                _near(vector(-INF, -INF), 0),
                _near(vector(-INF), 0),
                _near(table((0, 0), (-INF, -INF)), 1),
                _near(table((1, -INF, 2), (0, -INF, -INF)), 0),
            ),
            lambda source: _with(source, (-INF,)),
        ),
        Topic(
            "plus infinity",
            1,
            "One infinite element makes the sum infinite. inf - inf is nan, so don't take it out.",
            (
                _near(vector(INF, 0), 0),
                _near(vector(INF, INF), 0),
                _near(vector(INF, -INF), 0),
                _near(table((0, 0), (INF, 1)), 1),
            ),
            lambda source: _with(source, source.choice(((INF,), (INF, -INF)))),
        ),
        Topic(
            "not a number",
            1,
            "A nan has to stay visible: the answer of its row is nan.",
            (
                _near(vector(NAN, 0), 0),
                _near(table((0, 0), (NAN, INF)), 1),
                _near(vector(INF, NAN), 0),
                _near(table((0, NAN), (-INF, -INF)), 1),
            ),
            lambda source: _with(source, source.choice(((NAN,), (NAN, -INF)))),
        ),
        Topic(
            "no elements",
            1,
            "A sum of nothing is 0, and its logarithm -inf. amax of nothing raises an error, so ask first.",
            (
                _near(strided((0,)), 0),
                _near(strided((2, 0)), 1),
                _near(strided((2, 0)), 0),
                _near(strided((3, 0)), 1, True),
            ),
            lambda source: _near(strided((source.randint(2, 5), 0)), -1, source.random() < 0.5),
        ),
        Topic(
            "keepdim, views and float64",
            1,
            "With keepdim the dimension stays, with size 1. The input is only read, and the answer has its "
            "dtype.",
            (
                _near(table((0, 1, 2), (2, 3, 0)), 1, True),
                _near(table((0, 1, 2), (2, 3, 0)), 0, True),
                _near(turned(table((0, 1, 2), (2, 3, 0))), 1),
                _near(table((0, 1), (1000, 3), dtype=DOUBLE), 1),
                _near(strided((2, 2, 2), cells=[0, 1, 2, 3, 1, 0, -1, 2]), 1, True),
            ),
            _in_any_form,
        ),
    ),
    wrong=ch12_wrong_logsumexp.solutions.wrong_of("12.logsumexp"),
    right=ch12_right.solutions.right_of("12.logsumexp"),
)


def _normal(told: Strided, dim: int) -> Strided:
    """Logits turned into what `log_softmax` gives, rounded to float32, as a row-major tensor."""
    scene = Scene()
    (x,) = scene.build((told,))
    found = x.log_softmax(dim).contiguous().reshape(-1).tolist()
    return strided(told.shape, cells=found, dtype=told.dtype, storage=2)


def _back(grad: Strided, logits: Strided, dim: int, *, lean: bool = False) -> Case:
    room = None
    if lean:
        size = layout.numel(grad.shape)
        room = (3 * size + 2 * (size // grad.shape[dim])) * grad.dtype.itemsize
    return Case((grad, _normal(logits, dim), dim), same=near, room=room)


def _back_drawn(source: Random, shape: tuple[int, ...], dtype: dtypes.dtype = FLOAT, dim: int = 1) -> Case:
    return _back(some(source, shape, dtype), some(source, shape, dtype), dim)


def _one_hot(source: Random) -> Case:
    rows, columns = source.sample(range(2, 9), 2)
    cells = [0.0] * (rows * columns)
    for row in range(rows):
        cells[row * columns + source.randrange(columns)] = source.choice((-1.0, -0.5, 2.0, 3.0))
    return _back(strided((rows, columns), cells=cells), some(source, (rows, columns)), 1)


def _ruled_out(source: Random) -> Case:
    rows, columns = source.randint(2, 3), source.randint(3, 5)
    x = some(source, (rows, columns))
    cells = list(x.cells)
    for row in range(rows):
        cells[row * columns + source.randrange(columns)] = -INF
    return _back(some(source, (rows, columns)), strided((rows, columns), cells=cells), 1)


def _many_classes(source: Random) -> Case:
    rows, columns = source.randint(1, 3), source.randint(20, 40)
    return _back(some(source, (rows, columns)), some(source, (rows, columns)), 1, lean=True)


def _large_row(source: Random) -> Large:
    """A row of so many classes that its Jacobian takes 4 GiB."""
    classes = 32768
    grad, result = Counted(source), Counted(source)
    total = sum(grad[i] for i in range(classes))

    def gradient(_: int, i: int) -> float:
        return grad[i] - math.exp(-result[i]) * total

    shape = (1, classes)
    return Large(
        f"log_softmax_backward({grad.line(shape)}, -{result.line(shape)}, 1)", FLOAT, shape, gradient
    )


LOG_SOFTMAX_BACKWARD = Exercise(
    id="12.log_softmax_backward",
    title="Back through log_softmax",
    stars=3,
    signature="log_softmax_backward(grad, result, dim)",
    task="Return the gradient of the logits: grad - exp(result) times the sum of grad along dim.",
    part="tensorlab.ops.softmax:log_softmax_backward",
    topics=(
        Topic(
            "rows of a table",
            2,
            "Each row by itself: from grad its probabilities are subtracted, times the sum of its grad.",
            (
                _back(table((1, 0)), table((0, 0)), 1),
                _back(table((1, 2, 3)), table((0, 0, 0)), 1),
                _back(table((1, 2, 3), (-1, 0, 2)), table((0, 1, 2), (3, 3, 0)), 1),
                _back(table((2, -1), (1, 1), (0, -3)), table((0, 1), (2, 0), (1, 1)), 1),
                _back(table((2, -1), (3, 1)), table((0, 1), (2, 0)), 1),
            ),
            lambda source: _back_drawn(source, _oblong(source)),
        ),
        Topic(
            "the gradient of one class",
            1,
            "What comes back from a loss has one element in each row that isn't 0, of any size and sign.",
            (
                _back(table((-1, 0)), table((0, 1)), 1),
                _back(table((-0.5, 0, 0), (0, 0, -0.5)), table((0, 1, 2), (3, 3, 0)), 1),
                _back(table((0, 3, 0), (2, 0, 0)), table((0, 1, 2), (3, 3, 0)), 1),
            ),
            _one_hot,
        ),
        Topic(
            "other dimensions",
            1,
            "dim is the dimension along which the probabilities add up to 1. It may count from the end.",
            (
                _back(table((2, -1, 0), (1, 1, 4)), table((0, 1, 2), (2, 0, 1)), 0),
                _back(table((2, -1), (1, 3)), table((0, 1), (2, 0)), 0),
                _back(table((2, -1, 0), (1, 1, 4)), table((0, 1, 2), (2, 0, 1)), -2),
                _back(vector(2, -1, 1), vector(0, 1, 2), 0),
                _back(
                    strided((2, 2, 2), cells=[1, 2, 0, -1, 3, 1, 2, 2]),
                    strided((2, 2, 2), cells=[0, 1, 2, 3, 1, 0, -1, 2]),
                    1,
                ),
            ),
            lambda source: _back_drawn(
                source, shape := draw.shape(source, 2, 7, (2, 3)), dim=source.randrange(-len(shape), 0)
            ),
        ),
        Topic(
            "a class that is ruled out",
            1,
            "Its logarithm is -inf and its probability 0. Nothing is divided by it.",
            (
                _back(table((1, 2)), table((-INF, 0)), 1),
                _back(table((1, 2, -1), (0, 1, 1)), table((0, -INF, 1), (-INF, -INF, 2)), 1),
            ),
            _ruled_out,
        ),
        Topic(
            "many classes, little memory",
            2,
            "The Jacobian of a row has as many numbers as the square of its classes. Three tables like grad "
            "and two rows of sums are enough.",
            (
                _back(some(Random(1), (1, 20)), some(Random(2), (1, 20)), 1, lean=True),
                _back(some(Random(3), (2, 24)), some(Random(4), (2, 24)), 1, lean=True),
                _back(some(Random(5), (30, 2)), some(Random(6), (30, 2)), 0, lean=True),
            ),
            _many_classes,
            _large_row,
        ),
        Topic(
            "float64 and views",
            1,
            "Both arguments are only read, in any layout, and the answer has their dtype.",
            (
                _back(turned(table((2, -1, 0), (1, 1, 4))), table((0, 1, 2), (2, 0, 1)), 1),
                _back(table((1, 2), dtype=DOUBLE), table((0, 1), dtype=DOUBLE), 1),
            ),
            lambda source: _back_drawn(source, _oblong(source), DOUBLE),
        ),
    ),
    wrong=ch12_wrong_backward.solutions.wrong_of("12.log_softmax_backward"),
    right=ch12_right.solutions.right_of("12.log_softmax_backward"),
)


#: Of how many roundings of the sum of all absolute values an answer may be away from the library's.
ROUNDINGS = 3


def _close(allowed: float, got: Any, want: Any) -> bool:
    """One number of the right dtype in a storage of its own, and as near as it can be asked to be."""
    if not isinstance(got, Strided) or not isinstance(want, Strided):
        return same(got, want)
    if (got.dtype, got.shape) != (want.dtype, ()) or got.storage > 0:
        return False
    (one,), (other,) = got.elements, want.elements
    return same(one, other) or abs(one - other) <= allowed


def _sum(told: Strided) -> Case:
    gap = 2.0**-23 if told.dtype is FLOAT else 2.0**-52
    sizes = [abs(number) for number in told.elements]
    return Case((told,), same=partial(_close, ROUNDINGS * gap * sum(sizes) if INF not in sizes else 0.0))


def _large_and_ones(place: int, ones: int, large: float = 2.0**24, dtype: dtypes.dtype = FLOAT) -> Strided:
    cells = [1.0] * ones
    cells.insert(place, large)
    return vector(*cells, dtype=dtype)


def _again(number: float, count: int, dtype: dtypes.dtype = FLOAT) -> Strided:
    """One cell that is read many times."""
    return strided((count,), (0,), cells=[number], dtype=dtype)


#: From the 64th on, every addition of this number to a running total of itself is rounded down.
CREEPING = 1 + 2.0**-18 - 2.0**-23


def _creeping(source: Random) -> Case:
    number = CREEPING * source.choice((1.0, -1.0)) * 2.0 ** source.randint(-3, 3)
    return _sum(_again(number, source.randint(128, 132)))


def _late(source: Random) -> Case:
    ones = source.randint(20, 60)
    return _sum(_large_and_ones(source.randint(0, ones), ones, source.choice((1.0, -1.0)) * 2.0**24))


def _odd_numbers(source: Random, numbers: Callable[[], float]) -> Case:
    cells = [numbers() for _ in range(source.randint(1, 4))] + [
        float(source.randint(-4, 4)) for _ in range(3)
    ]
    source.shuffle(cells)
    return _sum(vector(*cells))


def _shape_of(source: Random) -> Case:
    shape = draw.shape(source, 1, 4, (0, 3))
    told = some(source, shape)
    return _sum(turned(told) if len(shape) == 2 else told)


ACCURATE_SUM = Exercise(
    id="12.accurate_sum",
    title="Twenty million ones",
    stars=3,
    signature="accurate_sum(input)",
    task="Return the sum of all elements as a tensor of one number, with an error that does not grow with "
    "their number.",
    part="tensorlab.ops.pairs:accurate_sum",
    topics=(
        Topic(
            "few numbers",
            2,
            "All elements of a tensor of any shape are added up. The answer is a new tensor of shape () and "
            "of the input's dtype, and the input is only read.",
            (
                _sum(vector(2)),
                _sum(vector(1, 2)),
                _sum(vector(1, 2, 3)),
                _sum(vector(0.5, -2, 4, 1, 3)),
                _sum(table((1, 2, 3), (4, 5, 6))),
                _sum(strided((), cells=[7])),
                _sum(turned(table((1, 2, 4), (8, 16, 32)))),
            ),
            _shape_of,
        ),
        Topic(
            "ones beside a large number",
            2,
            "16777216 + 1 is 16777216 in float32. Add the ones to one another first, or keep what each "
            "addition loses.",
            (
                _sum(_large_and_ones(0, 12)),
                _sum(_large_and_ones(12, 12)),
                _sum(_large_and_ones(5, 20)),
                _sum(_large_and_ones(40, 60)),
                _sum(_large_and_ones(0, 31, -(2.0**24))),
            ),
            _late,
        ),
        Topic(
            "many equal numbers",
            2,
            "A running total outgrows its parts, and every further addition is rounded in the same "
            "direction. Numbers that are added by pairs stay of one size.",
            (
                _sum(_again(CREEPING, 130)),
                _sum(_again(-2 * CREEPING, 132)),
            ),
            _creeping,
        ),
        Topic(
            "float64",
            1,
            "It has room for more digits, and gaps all the same: 2^53 + 1 is 2^53.",
            (
                _sum(_large_and_ones(0, 14, 2.0**53, DOUBLE)),
                _sum(_large_and_ones(9, 20, 2.0**53, DOUBLE)),
                _sum(vector(0.5, 0.25, dtype=DOUBLE)),
            ),
            lambda source: _sum(
                _large_and_ones(source.randint(0, 9), source.randint(15, 30), 2.0**53, DOUBLE)
            ),
        ),
        Topic(
            "infinity, and not a number",
            1,
            "An infinite element makes the sum infinite, and inf - inf or a nan makes it nan. What an "
            "addition of infinities lost is nan, and isn't put back.",
            (
                _sum(vector(INF, 1)),
                _sum(vector(1, 2, -INF)),
                _sum(vector(1, NAN, 2)),
                _sum(vector(INF, 1, -INF)),
            ),
            lambda source: _odd_numbers(source, lambda: source.choice((INF, NAN, -INF))),
        ),
        Topic(
            "no elements",
            1,
            "The sum of nothing is 0.",
            (_sum(strided((0,))), _sum(strided((2, 0))), _sum(strided((0,), dtype=DOUBLE))),
            lambda source: _sum(strided(draw.shape_with_zero(source))),
        ),
    ),
    wrong=ch12_wrong_sums.solutions.wrong_of("12.accurate_sum"),
    right=ch12_right.solutions.right_of("12.accurate_sum"),
)

EXERCISES = (LOGSUMEXP, LOG_SOFTMAX_BACKWARD, CROSS_ENTROPY, ACCURATE_SUM, SAFE_WHERE)
