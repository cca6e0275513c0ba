"""Roots and powers, the length of a vector, and the error function.

The complementary error function is ``exp(-x²)`` times a smooth factor. The factor is a polynomial in
``(x - k) / (x + k)``, which brings all positive x between -1 and 1; the method is that of M. Shepherd and
J. Laframboise, *Chebyshev approximation of (1 + 2x) exp(x²) erfc(x)*, 1981. The coefficients were fitted for
this file, as in `tensorlab.scalars.exponential`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tensorlab.scalars import arithmetic
from tensorlab.scalars.exponential import exp, exp2_float64, exp_times_float32, exp_times_float64
from tensorlab.scalars.logarithm import log, log2_float64
from tensorlab.scalars.row import FLOAT, FLOATING, NUMERIC, Scalar, choose, number

__all__ = ["POWERS", "ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

TWO_OVER_SQRT_PI = 1.1283791670955126
UPPER_HALF = -0x8000000  # a mask: all but the last 27 binary digits of a float64


def sqrt(x):
    """The square root; NaN below 0.

    >>> tl.sqrt(tl.tensor([4, 2]))
    tensor([2.0000, 1.4142])
    """
    return np.sqrt(x)


def d_sqrt(grad, result):
    return grad / (number(2) * result)


def root_of_squares(x, y, z):
    """The length of a - b, from ``|a|²``, ``|b|²`` and ``a · b``; 0 where rounding leaves less."""
    # NaN is not below 0, and stays
    square = x + y - number(2) * z
    return np.sqrt(choose(square < 0, number(0), square))


def d_root_of_squares(grad, result):
    return choose(result == 0, number(0), grad / (number(2) * result))


def d_root_of_squares_product(grad, result):
    return choose(result == 0, number(0), -grad / result)


def rsqrt(x):
    """One over the square root; inf at 0, NaN below.

    >>> tl.rsqrt(tl.tensor([4, 1]))
    tensor([0.5000, 1.0000])
    """
    return number(1) / np.sqrt(x)


def d_rsqrt(grad, result):
    return number(-0.5) * grad * (result * result * result)


def pow(x, y):
    """`input` to the power of `exponent`, element by element.

    >>> tl.pow(tl.tensor([1, 2, 3]), 2)
    tensor([1, 4, 9])
    >>> 2 ** tl.tensor([1.0, 0.5])
    tensor([2.0000, 1.4142])
    """
    return x**y


def pow_float32(x, y):
    # 2^(y · log2 |x|) in float64, whose 53 digits cover the loss in the product
    x, y = np.float64(x), np.float64(y)
    grown = 1.0 if abs(x) == 1.0 else exp2_float64(y * log2_float64(abs(x)))
    whole = np.trunc(y) == y
    odd = whole and np.trunc(0.5 * y) != 0.5 * y
    grown = -grown if odd and math.copysign(1.0, x) < 0 else grown
    grown = math.nan if x < 0 and x > -math.inf and not whole else grown
    return 1.0 if y == 0 else grown


def pow_integer(x, y):
    # by squaring, in 64 bits: what a narrower type cannot hold goes when the cell is stored
    power, base, rest = np.int64(1), np.int64(x), np.int64(y)
    while rest > 0:
        power = power * base if rest & 1 != 0 else power
        base *= base
        rest >>= 1
    # to a negative power: 1 and -1 have an inverse, the others none among the integers
    unit = np.int64(1) if x == 1 or y & 1 == 0 else np.int64(-1)
    return power if y >= 0 else unit if x == 1 or x == -1 else np.int64(0)


def d_pow_x(grad, x, y):
    return grad * choose(y == 0, number(0), y * pow(x, y - number(1)))


def d_pow_y(grad, x, y, result):
    return grad * choose((x == 0) & (y >= 0), number(0), result * log(x))


def d_power_half(grad, x):
    return grad * (number(0.5) * rsqrt(x))


def d_power_minus_half(grad, x):
    return grad * (number(-0.5) * (rsqrt(x) / x))


def d_power_minus_one(grad, x):
    return grad * -(number(1) / (x * x))


def hypot(x, y):
    """The length of the vector (input, other): the root of the sum of their squares.

    >>> tl.hypot(tl.tensor([3.0]), tl.tensor([4.0]))
    tensor([5.])
    """
    return math.hypot(x, y)


def hypot_float64(x, y):
    # scaled by the greater, so that no square overflows or vanishes
    x, y = abs(np.float64(x)), abs(np.float64(y))
    high, low = (x if x > y else y), (y if x > y else x)
    ratio = low / (high if high > 0 else 1.0)
    length = high * math.sqrt(1.0 + ratio * ratio)
    length = x + y if x != x or y != y else length
    return math.inf if x == math.inf or y == math.inf else length


def d_hypot_x(grad, x, result):
    return grad * (x / result)


def d_hypot_y(grad, y, result):
    return grad * (y / result)


def erf(x):
    """The error function: how much of a normal distribution of variance 1/2 lies within ±input.

    >>> tl.erf(tl.tensor([0.0, 0.5, 1.0]))
    tensor([0.0000, 0.5205, 0.8427])
    """
    return math.erf(x)


def d_erf(grad, x):
    return number(TWO_OVER_SQRT_PI) * exp(-(x * x)) * grad


def gaussian_times(y, x, factor):
    """``y · exp(-factor · x²)`` for a factor of 1 or 1/2."""
    # x² in two parts, so that the exponential keeps its digits: first the square of the upper half of x
    upper = np.int64(np.float64(x).view(np.int64) & UPPER_HALF).view(np.float64)
    return exp_times_float64(y, -factor * upper * upper, factor * (upper - x) * (upper + x))


def erfc_scaled(x):
    """exp(x²) · erfc(x) for finite x >= 0."""
    u = 1.0 / (x + 3.0)
    t = (x - 3.0) * u
    # (x + 3) · exp(x²) · erfc(x), in t = (x - 3) / (x + 3), on t from -1 to 1
    p = -3.409791530984343e-11
    p = p * t - 4.021699936523258e-09
    p = p * t - 3.3413239238280602e-09
    p = p * t + 3.947900589482896e-08
    p = p * t + 4.941639537397542e-08
    p = p * t - 2.171396373933342e-07
    p = p * t - 4.109543240140726e-07
    p = p * t + 9.838257880598297e-07
    p = p * t + 2.767135843716082e-06
    p = p * t - 4.740259490871678e-06
    p = p * t - 1.747124168043987e-05
    p = p * t + 3.0394688499270356e-05
    p = p * t + 0.00010756165634878753
    p = p * t - 0.00027677698538315214
    p = p * t - 0.0005483097179670839
    p = p * t + 0.0030340618712663184
    p = p * t - 0.001212416624961181
    p = p * t - 0.026827234613604183
    p = p * t + 0.11952776128720227
    p = p * t - 0.3104672619009872
    p = p * t + 0.5902283571041028
    p = p * t - 0.8833944531698789
    p = p * t + 1.0740069070883398
    return p * u


def erf_float64(x):
    x = np.float64(x)
    z = x * x
    # erf(x) / x, in z = x², on z from 0 to 1
    p = -7.795898827002142e-10
    p = p * z + 1.3720064546777686e-08
    p = p * z - 1.6208483801871705e-07
    p = p * z + 1.6447424703317362e-06
    p = p * z - 1.492473690741966e-05
    p = p * z + 0.00012055294904839707
    p = p * z - 0.0008548325975389692
    p = p * z + 0.0052239776071164225
    p = p * z - 0.02686617064323777
    p = p * z + 0.11283791670945006
    p = p * z - 0.37612638903183543
    p = p * z + 1.1283791670955126
    a = abs(x)
    a = 30.0 if a > 30.0 else a  # beyond, erf is 1
    erfc = gaussian_times(erfc_scaled(a), a, 1.0)
    return x * p if a < 1.0 else math.copysign(1.0 - erfc, x)


def erf_float32(x):
    a = abs(x)
    z = x * x
    # erf(x) / x - 1, in z = x², on z from 0 to 1
    p = np.float32(7.875875e-05)
    p = p * z - np.float32(0.00080168643)
    p = p * z + np.float32(0.0051890872)
    p = p * z - np.float32(0.026854211)
    p = p * z + np.float32(0.11283594)
    p = p * z - np.float32(0.37612626)
    p = p * z + np.float32(0.12837917)
    # exp(x²) · erfc(x), on x from 1 to 4: a fit by least squares that weighs errors by exp(-x²)
    b = np.float32(4.0) if a > np.float32(4.0) else a  # beyond, erf is 1
    q = np.float32(-0.00038888853)
    q = q * b + np.float32(0.006005181)
    q = q * b - np.float32(0.040998455)
    q = q * b + np.float32(0.16413444)
    q = q * b - np.float32(0.43168092)
    q = q * b + np.float32(0.79259604)
    q = q * b - np.float32(1.0482113)
    q = q * b + np.float32(0.98612744)
    large = np.float32(1.0) - exp_times_float32(q, -b * b, np.float32(0.0))
    return np.float32(math.copysign(a + a * p if a < np.float32(1.0) else large, x))


def nan_to_num(x, nan, posinf, neginf):
    """NaN replaced by `nan`, and the infinities by `posinf` and `neginf`.

    >>> tl.nan_to_num(tl.tensor([tl.nan, tl.inf, 1.0]), posinf=9.0)
    tensor([0., 9., 1.])
    """
    return nan if x != x else posinf if x == math.inf else neginf if x == -math.inf else x


def d_nan_to_num(grad, x):
    return grad * (x - x == 0)


def nan_to_num_integer(x, nan, posinf, neginf):
    return x


def nan_to_num_bool(x, nan, posinf, neginf):
    return x


ROWS = (
    Scalar(
        "sqrt",
        sqrt,
        1,
        result=FLOAT,
        cost=4,
        gradients=(d_sqrt,),
        variants="function method in_place in_place_function",
    ),
    Scalar(
        "root_of_squares",
        root_of_squares,
        3,
        takes=FLOATING,
        cost=5,
        gradients=(d_root_of_squares, d_root_of_squares, d_root_of_squares_product),
    ),
    Scalar(
        "rsqrt",
        rsqrt,
        1,
        result=FLOAT,
        cost=4,
        gradients=(d_rsqrt,),
        variants="function method in_place in_place_function",
    ),
    Scalar(
        "pow",
        pow,
        2,
        takes=NUMERIC,
        numbers=(0, 1),
        cost=40,
        gradients=(d_pow_x, d_pow_y),
        node="PowBackward1",
        number_nodes=("PowBackward2", "PowBackward0"),
    ),
    Scalar(
        "hypot",
        hypot,
        2,
        takes=FLOATING,
        cost=10,
        gradients=(d_hypot_x, d_hypot_y),
        variants="function method in_place",
    ),
    Scalar(
        "erf",
        erf,
        1,
        result=FLOAT,
        cost=15,
        gradients=(d_erf,),
        variants="function method in_place in_place_function",
        aliases="special.erf",
    ),
    Scalar("nan_to_num", nan_to_num, 1, parameters=3, exact_out=True, gradients=(d_nan_to_num,)),
)

_BY_NAME = {row.name: row for row in (*ROWS, *arithmetic.ROWS)}


def _power(name: str, gradient: Callable) -> Scalar:
    return replace(_BY_NAME[name], gradients=(gradient,), node="PowBackward0")


# Powers of a tensor that have a row of their own, which is faster and rounds once. As powers they keep the
# operand for their gradients, where `sqrt` and the others keep their result.
POWERS: dict[float, Scalar] = {
    2: _BY_NAME["square"],
    3: _BY_NAME["cube"],
    0.5: _power("sqrt", d_power_half),
    -0.5: _power("rsqrt", d_power_minus_half),
    -1: _power("reciprocal", d_power_minus_one),
}
