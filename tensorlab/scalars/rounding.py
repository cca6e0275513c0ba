"""Rounding to whole numbers, and to decimal places. Integers are whole already."""

from __future__ import annotations

import numpy as np

from tensorlab.scalars.row import FLOATING, GRAD, NUMERIC, ZERO, Scalar

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def floor(x):
    """The greatest whole number that is not above each element.

    >>> tl.floor(tl.tensor([1.5, -1.5]))
    tensor([ 1., -2.])
    """
    return np.floor(x)


def floor_integer(x):
    return x


def ceil(x):
    """The least whole number that is not below each element.

    >>> tl.ceil(tl.tensor([1.5, -1.5]))
    tensor([ 2., -1.])
    """
    return np.ceil(x)


def ceil_integer(x):
    return x


def trunc(x):
    """Each element without its fraction: rounded towards 0.

    >>> tl.trunc(tl.tensor([1.5, -1.5]))
    tensor([ 1., -1.])
    """
    return np.trunc(x)


def trunc_integer(x):
    return x


def round_even(x):
    """The whole number nearest to each element; from the middle, to the even one.

    >>> tl.round(tl.tensor([0.5, 1.5, -2.6]))
    tensor([ 0.,  2., -3.])
    >>> tl.round(tl.tensor([3.14159]), decimals=2)
    tensor([3.1400])
    """
    return np.rint(x)


def round_even_integer(x):
    return x


def round_up_to(x, scale):
    """Each element rounded to places after the point, of which `scale` is the power of ten."""
    return np.rint(x * scale) / scale


def round_down_to(x, scale):
    """Each element rounded to a multiple of `scale`, a power of ten."""
    return np.rint(x / scale) * scale


def frac(x):
    """What each element has beyond the whole number nearer to 0, with its sign.

    >>> tl.frac(tl.tensor([1.5, -1.25]))
    tensor([ 0.5000, -0.2500])
    """
    return x - np.trunc(x)


ROWS = (
    Scalar(
        "floor",
        floor,
        1,
        takes=NUMERIC,
        exact_out=True,
        gradients=(ZERO,),
        variants="function method in_place in_place_function",
    ),
    Scalar(
        "ceil",
        ceil,
        1,
        takes=NUMERIC,
        exact_out=True,
        gradients=(ZERO,),
        variants="function method in_place in_place_function",
    ),
    Scalar(
        "trunc",
        trunc,
        1,
        takes=NUMERIC,
        exact_out=True,
        gradients=(ZERO,),
        variants="function method in_place in_place_function",
        aliases="fix",
    ),
    Scalar("round", round_even, 1, takes=NUMERIC, exact_out=True, gradients=(ZERO,)),
    Scalar(
        "round_decimals",
        round_up_to,
        1,
        takes=FLOATING,
        exact_out=True,
        parameters=1,
        cost=4,
        gradients=(ZERO,),
        node="RoundBackward1",
    ),
    Scalar(
        "round_tens",
        round_down_to,
        1,
        takes=FLOATING,
        exact_out=True,
        parameters=1,
        cost=4,
        gradients=(ZERO,),
        node="RoundBackward1",
    ),
    Scalar(
        "frac",
        frac,
        1,
        takes=FLOATING,
        exact_out=True,
        gradients=(GRAD,),
        variants="function method in_place in_place_function",
    ),
)
