"""Sine, cosine, tangent, their hyperbolic kin, and the inverse functions.

An angle is reduced to ±π/4 by whole quarter turns, and there a polynomial in its square does the rest; see
J.-M. Muller, *Elementary Functions*, chapters 3 and 11. π/2 is subtracted in three parts with so few digits
that each product is exact, which holds for less than 2^20 quarter turns. A run with an angle beyond that is
left to the general formula. The coefficients were fitted as in `tensorlab.scalars.exponential`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tensorlab.scalars.exponential import (
    BIASED_ROUNDER_32,
    LN2_HIGH,
    LN2_HIGH_32,
    LN2_LOW,
    LN2_LOW_32,
    LOG2_E,
    ROUNDER,
    exp_reduced_float32,
    exp_times_float64,
    expm1_float64,
)
from tensorlab.scalars.row import FLOAT, Gradient, Scalar, choose, number
from tensorlab.scalars.special import rsqrt

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

TWO_OVER_PI = 0.6366197723675814
HALF_PI = 1.5707963267948966
QUARTER_PI = 0.7853981633974483
HALF_PI_REST = 6.123233995736766e-17  # π/2 beyond its float64
FAR = 1.6e6  # 2^20 quarter turns

# π/2 in three parts: 33 binary digits, 33 more, and the rest
HALF_PI_1 = 1.5707963267341256
HALF_PI_2 = 6.077100506303966e-11
HALF_PI_3 = 2.0222662487959506e-21

TAN_EIGHTH = 0.41421356237309503  # tan(π/8)


def sin(x):
    """The sine of each element, an angle in radians.

    >>> tl.sin(tl.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8415])
    """
    return np.sin(x)


def d_sin(grad, x):
    return grad * cos(x)


def cos(x):
    """The cosine of each element, an angle in radians.

    >>> tl.cos(tl.tensor([0.0, 1.0]))
    tensor([1.0000, 0.5403])
    """
    return np.cos(x)


def d_cos(grad, x):
    return -grad * sin(x)


def tan(x):
    """The tangent of each element, an angle in radians.

    >>> tl.tan(tl.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5574])
    """
    return np.tan(x)


def d_tan(grad, result):
    return grad * (number(1) + result * result)


def many_turns(x):
    return abs(x) > FAR


def sine_reduced(r):
    z = r * r
    # (sin(r) / r - 1) / z on r in ±π/4
    p = 1.5918128224337974e-10
    p = p * z - 2.5051131830144625e-08
    p = p * z + 2.7557316102481144e-06
    p = p * z - 0.00019841269836758438
    p = p * z + 0.008333333333330948
    p = p * z - 0.16666666666666666
    return r + r * z * p


def cosine_reduced(r):
    z = r * r
    # (cos(r) - 1 + z / 2) / z² on r in ±π/4
    p = -1.138263175580836e-11
    p = p * z + 2.0876146259107604e-09
    p = p * z - 2.755731727168519e-07
    p = p * z + 2.48015872987656e-05
    p = p * z - 0.0013888888888887398
    p = p * z + 0.041666666666666664
    return 1.0 - (0.5 * z - z * z * p)


def turns_rounded(x):
    return x * TWO_OVER_PI + ROUNDER


def turned_back(x, turns):
    return (x - turns * HALF_PI_1) - turns * HALF_PI_2 - turns * HALF_PI_3


def sin_float64(x):
    x = np.float64(x)
    rounded = turns_rounded(x)
    r = turned_back(x, rounded - ROUNDER)
    quarter = np.float64(rounded).view(np.int64)
    value = cosine_reduced(r) if quarter & 1 != 0 else sine_reduced(r)
    return x if x == 0 else -value if quarter & 2 != 0 else value


def cos_float64(x):
    x = np.float64(x)
    rounded = turns_rounded(x)
    r = turned_back(x, rounded - ROUNDER)
    quarter = np.float64(rounded).view(np.int64)
    value = sine_reduced(r) if quarter & 1 != 0 else cosine_reduced(r)
    return -value if (quarter + 1) & 2 != 0 else value


def tan_float64(x):
    x = np.float64(x)
    rounded = turns_rounded(x)
    r = turned_back(x, rounded - ROUNDER)
    odd = np.float64(rounded).view(np.int64) & 1 != 0
    sine, cosine = sine_reduced(r), cosine_reduced(r)
    value = (cosine if odd else sine) / (-sine if odd else cosine)
    return x if x == 0 else value


def atan(x):
    """The angle in ±π/2 of which each element is the tangent.

    >>> tl.atan(tl.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7854])
    """
    return math.atan(x)


def d_atan(grad, x):
    return grad / (x * x + number(1))


def atan_reduced(t):
    """atan(t) for t in ±tan(π/8)."""
    z = t * t
    # (atan(t) / t - 1) / z on z from 0 to 0.1716
    p = -0.019174543572021332
    p = p * z + 0.03922974453661223
    p = p * z - 0.05085383488842831
    p = p * z + 0.058581362519061465
    p = p * z - 0.06664509989818045
    p = p * z + 0.07692183087342026
    p = p * z - 0.0909090457366906
    p = p * z + 0.11111111015146714
    p = p * z - 0.1428571428466518
    p = p * z + 0.19999999999995513
    p = p * z - 0.3333333333333333
    return t + t * z * p


def atan_of_ratio(y, x):
    """atan(y / x) for 0 <= y <= x, from 0 to π/4."""
    # turned back by an eighth of a turn where that brings the ratio nearer to 0: tan(a - π/4) is (t-1)/(t+1)
    steep = y > TAN_EIGHTH * x
    t = (y - x if steep else y) / (y + x if steep else x)
    angle = atan_reduced(t)
    return QUARTER_PI + (angle + 0.5 * HALF_PI_REST) if steep else angle


def atan_float64(x):
    x = np.float64(x)
    a = abs(x)
    angle = atan_of_ratio(1.0 if a > 1.0 else a, a if a > 1.0 else 1.0)
    return math.copysign(HALF_PI - (angle - HALF_PI_REST) if a > 1.0 else angle, x)


def atan2(y, x):
    """The angle in ±π at which the point (other, input) is seen from the origin.

    >>> tl.atan2(tl.tensor([1.0, 1.0]), tl.tensor([1.0, -1.0]))
    tensor([0.7854, 2.3562])
    """
    return math.atan2(y, x)


def over_square(y, x):
    """One over the square of the distance from the origin, 0 there."""
    square = y * y + x * x
    return choose(square == 0, number(0), number(1) / square)


def d_atan2_y(grad, y, x):
    return grad * x * over_square(y, x)


def d_atan2_x(grad, y, x):
    return -grad * y * over_square(y, x)


def atan2_float64(y, x):
    y, x = np.float64(y), np.float64(x)
    a, b = abs(y), abs(x)
    high, low = (a if a > b else b), (b if a > b else a)
    scale = 0.25 if high > 1e300 else 1.0  # so that the sum of two great numbers stays finite
    # two infinities are as good as two ones, and beside one infinity all else is 0
    numerator = scale * low if high < math.inf else 1.0 if low == math.inf else 0.0
    angle = atan_of_ratio(numerator, scale * high if 0 < high < math.inf else 1.0)
    angle = HALF_PI - (angle - HALF_PI_REST) if a > b else angle
    behind = math.copysign(1.0, x) < 0
    angle = 2.0 * HALF_PI - (angle - 2.0 * HALF_PI_REST) if behind else angle
    return x + y if x != x or y != y else math.copysign(angle, y)


def asin(x):
    """The angle in ±π/2 of which each element is the sine; NaN outside ±1.

    >>> tl.asin(tl.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5708])
    """
    return math.asin(x)


def d_asin(grad, x):
    return grad * rsqrt(number(1) - x * x)


def acos(x):
    """The angle from 0 to π of which each element is the cosine; NaN outside ±1.

    >>> tl.acos(tl.tensor([0.0, 1.0]))
    tensor([1.5708, 0.0000])
    """
    return math.acos(x)


def d_acos(grad, x):
    return -grad * rsqrt(number(1) - x * x)


def asin_reduced(s, z):
    """asin(s) for s in ±1/2, z = s²."""
    # (asin(s) / s - 1) / z on z from 0 to 0.25
    p = 0.028169218060881414
    p = p * z - 0.010749050339697808
    p = p * z + 0.01603551434914882
    p = p * z + 0.0078029494773533175
    p = p * z + 0.011875494382636922
    p = p * z + 0.013929652902326633
    p = p * z + 0.017355259955786323
    p = p * z + 0.02237204763174451
    p = p * z + 0.03038194736709848
    p = p * z + 0.044642857103423646
    p = p * z + 0.07500000000020764
    p = p * z + 0.1666666666666665
    return s + s * z * p


def asin_float64(x):
    # above 1/2 by the half angle: asin(x) = π/2 - 2 · asin(sqrt((1 - x) / 2))
    x = np.float64(x)
    a = abs(x)
    steep = a > 0.5
    z = 0.5 * (1.0 - a) if steep else a * a
    angle = asin_reduced(np.sqrt(z) if steep else a, z)
    angle = HALF_PI - (2.0 * angle - HALF_PI_REST) if steep else angle
    return math.copysign(angle, x) if a <= 1.0 else math.nan


def acos_float64(x):
    x = np.float64(x)
    a = abs(x)
    steep = a > 0.5
    z = 0.5 * (1.0 - a) if steep else a * a
    angle = asin_reduced(np.sqrt(z) if steep else x, z)
    near = 2.0 * HALF_PI - (2.0 * angle - 2.0 * HALF_PI_REST) if x < 0 else 2.0 * angle
    return (near if steep else HALF_PI - (angle - HALF_PI_REST)) if a <= 1.0 else math.nan


def sinh(x):
    """The hyperbolic sine, ``(exp(input) - exp(-input)) / 2``.

    >>> tl.sinh(tl.tensor([0.0, 1.0]))
    tensor([0.0000, 1.1752])
    """
    return math.sinh(x)


def d_sinh(grad, x):
    return grad * cosh(x)


def cosh(x):
    """The hyperbolic cosine, ``(exp(input) + exp(-input)) / 2``.

    >>> tl.cosh(tl.tensor([0.0, 1.0]))
    tensor([1.0000, 1.5431])
    """
    return math.cosh(x)


def d_cosh(grad, x):
    return grad * sinh(x)


def d_tanh(grad, result):
    return grad * (number(1) - result * result)


def tanh(x):
    """The hyperbolic tangent, ``sinh(input) / cosh(input)``, between -1 and 1.

    >>> tl.tanh(tl.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """
    return math.tanh(x)


def sinh_float64(x):
    x = np.float64(x)
    a = abs(x)
    z = a * a
    # (sinh(x) / x - 1) / z on z from 0 to 1
    p = 7.746178593018827e-13
    p = p * z + 1.6057679623801638e-10
    p = p * z + 2.5052117695907823e-08
    p = p * z + 2.7557319191381816e-06
    p = p * z + 0.00019841269841324198
    p = p * z + 0.008333333333333299
    p = p * z + 0.16666666666666666
    half = half_exp(a)
    return x + x * z * p if a < 1.0 else math.copysign(half - 0.25 / half, x)


def cosh_float64(x):
    half = half_exp(abs(np.float64(x)))
    return half + 0.25 / half


def half_exp(x):
    """exp(x) / 2 for x >= 0, where exp(x) itself may overflow."""
    # log 2 leaves x in two parts; what rounding lost of the first comes back as the correction
    x = 712.0 if x > 712.0 else x
    shifted = x - LN2_HIGH
    return exp_times_float64(1.0, shifted, (x - shifted - LN2_HIGH) - LN2_LOW)


def tanh_float64(x):
    x = np.float64(x)
    a = abs(x)
    grown = expm1_float64(2.0 * (20.0 if a > 20.0 else a))
    return math.copysign(grown / (grown + 2.0), x)


def tanh_float32(x):
    a = abs(x)
    z = x * x
    # (tanh(x) / x - 1) / z on x from 0 to 0.26
    p = np.float32(-0.05181718)
    p = p * z + np.float32(0.13327928)
    p = p * z - np.float32(0.33333313)
    near = a * z * p + a
    twice = np.float32(2.0) * (np.float32(9.5) if np.float32(9.5) < a else a)  # beyond, the result is 1
    rounded = np.float32(twice * np.float32(LOG2_E) + np.float32(BIASED_ROUNDER_32))
    whole = rounded - np.float32(BIASED_ROUNDER_32)
    r = (twice - whole * np.float32(LN2_HIGH_32)) - whole * np.float32(LN2_LOW_32)
    # The last digits of `rounded` are n + 127: moved up by 23 places, they are the exponent of 2^n.
    power = np.int32(np.float32(rounded).view(np.int32) << np.int32(23)).view(np.float32)
    grown = exp_reduced_float32(r) * power + (power - np.float32(1.0))  # exp(2a) - 1
    far = grown / (grown + np.float32(2.0))
    return np.float32(math.copysign(near if a < np.float32(0.26) else far, x))


def _row(
    name: str,
    formula: Callable,
    cost: int = 10,
    outside: Callable | None = None,
    gradient: Gradient = None,
    aliases: str = "",
) -> Scalar:
    return Scalar(
        name,
        formula,
        1,
        result=FLOAT,
        cost=cost,
        outside=outside,
        gradients=(gradient,),
        variants="function method in_place in_place_function",
        aliases=aliases,
    )


ROWS = (
    _row("sin", sin, outside=many_turns, gradient=d_sin),
    _row("cos", cos, outside=many_turns, gradient=d_cos),
    _row("tan", tan, 14, many_turns, d_tan),
    _row("asin", asin, gradient=d_asin, aliases="arcsin"),
    _row("acos", acos, gradient=d_acos, aliases="arccos"),
    _row("atan", atan, gradient=d_atan, aliases="arctan"),
    Scalar("atan2", atan2, 2,
           result=FLOAT, cost=12, gradients=(d_atan2_y, d_atan2_x),
           variants="function method in_place", aliases="arctan2"),
    _row("sinh", sinh, gradient=d_sinh),
    _row("cosh", cosh, gradient=d_cosh),
    _row("tanh", tanh, 6, gradient=d_tanh,
         aliases="nn.functional.tanh"),
)  # fmt: skip
