"""The sign of a number, its powers of two, its divisors: what numbers are made of."""

from __future__ import annotations

import numpy as np

from tensorlab.scalars.exponential import LN_2, exp2
from tensorlab.scalars.row import COUNTING, FLOAT, SECOND, UNKNOWN, ZERO, Scalar, choose, number
from tensorlab.scalars.trigonometric import cos, sin_float64

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

PI = 3.141592653589793
MOST_TURNS = 5e5  # half turns, within what `tensorlab.scalars.trigonometric` can reduce


def copysign(x, y):
    """The size of `input` with the sign of `other`.

    >>> tl.copysign(tl.tensor([1.0, -2.0]), tl.tensor([-3.0, 4.0]))
    tensor([-1.,  2.])
    """
    return np.copysign(x, y)


def d_copysign_x(grad, x, result):
    return grad * choose(x == 0, number(0), result / x)


def angle(x):
    """The angle of each element as a complex number: π below 0, else 0.

    >>> tl.angle(tl.tensor([-2.0, 0.0, 3.0]))
    tensor([3.1416, 0.0000, 0.0000])
    """
    return x if x != x else number(PI) if x < 0 else number(0)


def heaviside(x, y):
    """0 below 0, 1 above it, and `values` at 0.

    >>> tl.heaviside(tl.tensor([-1.5, 0.0, 2.0]), tl.tensor([0.5]))
    tensor([0.0000, 0.5000, 1.0000])
    """
    return y if x == 0 else number(1) if x > 0 else number(0)  # 0 for NaN


def ldexp(x, y):
    """``input * 2 ** other``.

    >>> tl.ldexp(tl.tensor([1.0, 3.0]), tl.tensor([3, -1]))
    tensor([8.0000, 1.5000])
    """
    return x * exp2(y)


def d_ldexp_x(grad, y):
    return grad * exp2(y)


def d_ldexp_y(grad, result):
    return grad * result * number(LN_2)


def gcd(x, y):
    """The greatest common divisor of two integers; 0 of two zeros.

    >>> tl.gcd(tl.tensor([12, 7]), tl.tensor([18, 21]))
    tensor([6, 7])
    """
    # Euclid's algorithm
    a, b = np.int64(x), np.int64(y)
    while b != 0:
        a, b = b, a % b
    return abs(a)


def lcm(x, y):
    """The least common multiple of two integers; 0 if one of them is 0.

    >>> tl.lcm(tl.tensor([4, 7]), tl.tensor([6, 0]))
    tensor([12,  0])
    """
    divisor = gcd(x, y)
    return np.int64(0) if divisor == 0 else abs(np.int64(x) // divisor * np.int64(y))


def many_half_turns(x):
    return abs(x) > MOST_TURNS


def sinc(x):
    """``sin(π · input) / (π · input)``, and 1 at 0.

    >>> tl.sinc(tl.tensor([0.0, 0.5, 1.0]))
    tensor([1.0000e+00, 6.3662e-01, 3.8982e-17])
    """
    return np.sin(x * number(PI)) / (x * number(PI)) if x != 0 else number(1)


def sinc_float64(x):
    angle = np.float64(x) * PI
    return sin_float64(angle) / (angle if x != 0 else 1.0) if x != 0 else 1.0


def d_sinc(grad, x, result):
    return grad * choose(x == 0, number(0), (cos(x * number(PI)) - result) / x)


ROWS = (
    Scalar("copysign", copysign, 2,
           result=FLOAT, numbers=SECOND, gradients=(d_copysign_x, ZERO),
           number_nodes=("", "CopysignBackward1"), variants="function method in_place"),
    Scalar("angle", angle, 1,
           result=FLOAT, gradients=(ZERO,), variants="function method"),
    Scalar("heaviside", heaviside, 2,
           gradients=(UNKNOWN, UNKNOWN)),
    Scalar("ldexp", ldexp, 2,
           result=FLOAT, cost=5, gradients=(d_ldexp_x, d_ldexp_y),
           variants="function method in_place in_place_function"),
    Scalar("gcd", gcd, 2,
           takes=COUNTING, cost=60, variants="function method in_place in_place_function"),
    Scalar("lcm", lcm, 2,
           takes=COUNTING, cost=60, variants="function method in_place in_place_function"),
    Scalar("sinc", sinc, 1,
           result=FLOAT, cost=14, outside=many_half_turns, gradients=(d_sinc,),
           variants="function method in_place in_place_function", aliases="special.sinc"),
)  # fmt: skip
