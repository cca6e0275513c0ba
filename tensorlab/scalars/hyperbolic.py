"""The inverse hyperbolic functions.

Each is a logarithm. Written with log1p, none of them loses digits near its root. Where a square would
overflow, the logarithm of twice the number is the same to the last digit. See N. Higham, *Accuracy and
Stability of Numerical Algorithms*, chapter 1, on sums whose digits cancel.
"""

from __future__ import annotations

import math

import numpy as np

from tensorlab.scalars.exponential import LN_2
from tensorlab.scalars.logarithm import log1p_float64, log_float64
from tensorlab.scalars.row import FLOAT, Scalar, number
from tensorlab.scalars.special import rsqrt

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

GREAT = 1e9  # above it, 1 beside the square is less than half a unit in the last place


def asinh(x):
    """The number of which each element is the hyperbolic sine.

    >>> tl.asinh(tl.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8814])
    """
    return math.asinh(x)


def d_asinh(grad, x):
    return grad * rsqrt(x * x + number(1))


def asinh_float64(x):
    x = np.float64(x)
    a = abs(x)
    b = GREAT if a > GREAT else a
    near = log1p_float64(b + b * b / (1.0 + np.sqrt(b * b + 1.0)))
    return math.copysign(log_float64(a) + LN_2 if a > GREAT else near, x)


def acosh(x):
    """The number, not negative, of which each element is the hyperbolic cosine.

    >>> tl.acosh(tl.tensor([1.0, 2.0]))
    tensor([0.0000, 1.3170])
    """
    return math.acosh(x)


def d_acosh(grad, x):
    return grad * rsqrt(x * x - number(1))


def acosh_float64(x):
    x = np.float64(x)
    above = GREAT if x > GREAT else x - 1.0
    near = log1p_float64(above + np.sqrt(above * (above + 2.0)))
    result = log_float64(x) + LN_2 if x > GREAT else near
    return math.nan if x < 1.0 else result


def atanh(x):
    """The number of which each element is the hyperbolic tangent; NaN outside ±1.

    >>> tl.atanh(tl.tensor([0.0, 0.5]))
    tensor([0.0000, 0.5493])
    """
    return math.atanh(x)


def d_atanh(grad, x):
    return grad / (number(1) - x * x)


def atanh_float64(x):
    x = np.float64(x)
    a = abs(x)
    inner = 0.5 if a == 1.0 else a
    half = 0.5 * log1p_float64(2.0 * inner / (1.0 - inner))
    return math.copysign(math.inf if a == 1.0 else math.nan if a > 1.0 else half, x)


ROWS = (
    Scalar("asinh", asinh, 1,
           result=FLOAT, cost=24, gradients=(d_asinh,),
           variants="function method in_place in_place_function", aliases="arcsinh"),
    Scalar("acosh", acosh, 1,
           result=FLOAT, cost=24, gradients=(d_acosh,),
           variants="function method in_place in_place_function", aliases="arccosh"),
    Scalar("atanh", atanh, 1,
           result=FLOAT, cost=24, gradients=(d_atanh,),
           variants="function method in_place in_place_function", aliases="arctanh"),
)  # fmt: skip
