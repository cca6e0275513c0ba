"""The table of folds: how many elements become one number.

A fold looks at each element through a formula, joins what it sees, and finishes the total. The mean adds the
elements and divides by their number; the norm adds their squares and takes the root. Partial results of one
fold are joined as its elements are, so that a kernel may cut the work into blocks and threads.

Some folds look at the elements twice: the variance needs the mean before it can add squared distances from
it. The first look is the fold's `center`.

As in `tensorlab.scalars`, the formulas are ordinary functions of numbers, and kernels are generated from
their source text.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tensorlab.scalars.exponential import exp

__all__ = ["ADD", "MULTIPLY", "TABLE", "Fold", "Join"]


@dataclass(frozen=True, slots=True)
class Join:
    """How two partial results become one: an operation that may be done in any order.

    Attributes:
        name: what it is called.
        start: what no elements give; ``"lowest"`` and ``"highest"`` stand for the ends of a type's range.
        together: the expression that joins ``a`` and ``b``.
        floats: the same for floats, where that is another expression.
    """

    name: str
    start: int | str
    together: str
    floats: str = ""


ADD = Join("add", 0, "{a} + {b}")
MULTIPLY = Join("multiply", 1, "{a} * {b}")
GREATEST = Join("greatest", "lowest", "max({a}, {b})", floats="maximum({a}, {b})")
LEAST = Join("least", "highest", "min({a}, {b})", floats="minimum({a}, {b})")
BOTH = Join("both", 1, "{a} & {b}")
EITHER = Join("either", 0, "{a} | {b}")


def itself(x):  # type: ignore[no-untyped-def]
    return x


def is_true(x):  # type: ignore[no-untyped-def]
    return x != 0


def is_number(x):  # type: ignore[no-untyped-def]
    return x == x  # NaN alone differs from itself


def number_or_zero(x):  # type: ignore[no-untyped-def]
    return x if x == x else 0


def magnitude(x):  # type: ignore[no-untyped-def]
    return abs(x)


def square(x):  # type: ignore[no-untyped-def]
    return x * x


def power(x, k):  # type: ignore[no-untyped-def]
    return abs(x) ** k


def squared_distance(x, c):  # type: ignore[no-untyped-def]
    return (x - c) * (x - c)


def finite_or_zero(total):  # type: ignore[no-untyped-def]
    return total if total - total == 0 else 0  # an infinity less itself is NaN


def exp_of_distance(x, c):  # type: ignore[no-untyped-def]
    return exp(x - c)  # type: ignore[no-untyped-call]


def log_and_center(total, c):  # type: ignore[no-untyped-def]
    return np.log(total) + c


def total_itself(total):  # type: ignore[no-untyped-def]
    return total


def spread(total, n, k):  # type: ignore[no-untyped-def]
    return total / max(n - k, 0.0)


def root_spread(total, n, k):  # type: ignore[no-untyped-def]
    return np.sqrt(total / max(n - k, 0.0))


def root(total):  # type: ignore[no-untyped-def]
    return np.sqrt(total)


def root_power(total, k):  # type: ignore[no-untyped-def]
    return total ** (1 / k)


def per_element(total, n):  # type: ignore[no-untyped-def]
    return total / n


@dataclass(frozen=True, slots=True)
class Fold:
    """One row of the table.

    Attributes:
        name: what the fold is called.
        join: how what is seen of the elements comes together.
        each: what is seen of an element: a formula of ``x``, and of ``c`` and ``k`` if it names them. ``c``
            is the result of `center`, ``k`` one number that the caller gives.
        finish: the result: a formula of the joined ``total``, and of ``c``, ``k`` and the number of elements
            ``n`` if it names them.
        center: a fold of the same elements that comes first.
        wide: whether floats are widened to float64 before `each` sees them, because a product or a square
            leaves the range of float32 where the result does not.
        truth: whether the elements are only asked for their truth, which takes one byte.
        scalars: the scalar functions that the formulas call (rows of `tensorlab.scalars.TABLE`).
        cost: roughly how many additions one element is worth.
    """

    name: str
    join: Join
    each: Callable = itself
    finish: Callable = total_itself
    center: Fold | None = None
    wide: bool = False
    truth: bool = False
    scalars: tuple[str, ...] = ()
    cost: int = 1


def arguments_of(formula: Callable) -> tuple[str, ...]:
    """The names of a formula's arguments.

    Example:
        >>> arguments_of(squared_distance)
        ('x', 'c')
    """
    return tuple(inspect.signature(formula).parameters)


_MEAN = Fold("mean", ADD, finish=per_element)
_CENTER = Fold("center", ADD, finish=per_element, wide=True)

_ROWS = (
    Fold("sum", ADD),
    _MEAN,
    Fold("prod", MULTIPLY, wide=True),
    Fold("nansum", ADD, number_or_zero, cost=2),
    Fold("count_nonzero", ADD, is_true),
    Fold("count_numbers", ADD, is_number),
    Fold("all", BOTH, is_true, truth=True),
    Fold("any", EITHER, is_true, truth=True),
    Fold("amax", GREATEST),
    Fold("amin", LEAST),
    Fold("var", ADD, squared_distance, spread, center=_CENTER, wide=True, cost=4),
    Fold("std", ADD, squared_distance, root_spread, center=_CENTER, wide=True, cost=4),
    Fold(
        "logsumexp",
        ADD,
        exp_of_distance,
        log_and_center,
        center=Fold("finite_amax", GREATEST, finish=finite_or_zero),
        scalars=("exp",),
        cost=12,
    ),
    Fold("norm_0", ADD, is_true),
    Fold("norm_1", ADD, magnitude),
    Fold("norm_2", ADD, square, root, wide=True, cost=2),
    Fold("norm_p", ADD, power, root_power, wide=True, cost=60),
    Fold("norm_greatest", GREATEST, magnitude),
    Fold("norm_least", LEAST, magnitude),
)

TABLE = {row.name: row for row in _ROWS}
