"""Quotients and remainders."""

from __future__ import annotations

import numpy as np

from tensorlab.scalars.row import BOTH, FLOAT, GRAD, NUMERIC, SECOND, UNKNOWN, ZERO, Scalar, number

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def div(x, y):
    """``input / other``, element by element. A division by zero gives an infinity or NaN, and no error.

    >>> tl.div(tl.tensor([1, 2]), 4)
    tensor([0.2500, 0.5000])
    """
    return x / y


def d_div_y(grad, x, y):
    return -grad * ((x / y) / y)


def trunc_divide(x, y):
    """The quotient without its fraction."""
    return np.trunc(x / y)


def trunc_divide_integer(x, y):
    # Python's // rounds down: one more where it went below a negative quotient. The least integer over -1
    # has no room for its quotient and wraps to itself, as negation does.
    quotient = -x if y == -1 else x // y
    return quotient + 1 if x % y != 0 and (x < 0) != (y < 0) else quotient


def fmod(x, y):
    """What division towards zero leaves over: C's ``%``, with the sign of `input`.

    >>> tl.fmod(tl.tensor([7, -7]), 3)
    tensor([ 1, -1])
    """
    return np.fmod(x, y)


def fmod_integer(x, y):
    rest = x % y  # has the sign of y
    return rest - y if rest != 0 and (x < 0) != (y < 0) else rest


def remainder(x, y):
    """What floor_divide leaves over: Python's ``%``, with the sign of `other`.

    >>> tl.remainder(tl.tensor([7, -7]), 3)
    tensor([1, 2])
    """
    rest = fmod(x, y)  # has the sign of x
    return rest + y if rest != 0 and (rest < 0) != (y < 0) else rest


def remainder_integer(x, y):
    return x % y


def floor_divide(x, y):
    """The greatest whole number that is not above ``input / other``: Python's ``//``.

    >>> tl.floor_divide(tl.tensor([7, -7]), 2)
    tensor([ 3, -4])
    """
    # What is left of x without the remainder is a multiple of y: its quotient is whole but for one rounding.
    rest = fmod(x, y)
    quotient = (x - rest) / y
    quotient = quotient - number(1) if rest != 0 and (rest < 0) != (y < 0) else quotient
    whole = np.floor(quotient)
    whole = whole + number(1) if quotient - whole > 0.5 else whole
    whole = np.copysign(number(0), x / y) if quotient == 0 else whole
    return x / y if y == 0 else whole


def floor_divide_integer(x, y):
    return -x if y == -1 else x // y


def d_fmod_y(grad, x, y):
    return -grad * trunc_divide(x, y)


def d_remainder_y(grad, x, y):
    return -grad * floor_divide(x, y)


ROWS = (
    Scalar(
        "div",
        div,
        2,
        result=FLOAT,
        numbers=BOTH,
        exact_numbers=True,
        cost=2,
        gradients=(("div", "grad", "y"), d_div_y),
    ),
    Scalar(
        "trunc_divide",
        trunc_divide,
        2,
        takes=NUMERIC,
        numbers=BOTH,
        exact_numbers=True,
        cost=4,
        gradients=(ZERO, ZERO),
        node="DivBackward2",
    ),
    Scalar(
        "floor_divide",
        floor_divide,
        2,
        takes=NUMERIC,
        numbers=BOTH,
        exact_numbers=True,
        cost=20,
        gradients=(UNKNOWN, UNKNOWN),
    ),
    Scalar(
        "remainder",
        remainder,
        2,
        takes=NUMERIC,
        numbers=BOTH,
        cost=20,
        gradients=(GRAD, d_remainder_y),
        node="RemainderBackward1",
        number_nodes=("", "RemainderBackward0"),
    ),
    Scalar(
        "fmod",
        fmod,
        2,
        takes=NUMERIC,
        numbers=SECOND,
        cost=20,
        gradients=(GRAD, d_fmod_y),
        node="FmodBackward1",
        number_nodes=("", "FmodBackward0"),
    ),
)
