"""Exponentials.

The fast versions are the classical ones: an argument is reduced to a small interval around 0 by
``exp(x) = 2^n · exp(r)``, and there a polynomial does the rest; see J.-M. Muller, *Elementary Functions*,
chapters 3 and 11. The coefficients were fitted for this file: each comment names the function and the
interval, and ``mpmath.chebyfit(function, interval, number of coefficients)`` at 50 digits gives them again,
highest power first.
"""

from __future__ import annotations

import math

import numpy as np

from tensorlab.scalars.row import FLOAT, Scalar, number

__all__ = ["ROWS", "d_log_softmax", "d_softmax", "exp_to_one"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

LOG2_E = 1.4426950408889634
LN_2 = 0.6931471805599453

# log 2 in two parts. The first has so few digits that a product with a small whole number is exact.
LN2_HIGH = 0.6931471803691238  # 32 binary digits
LN2_LOW = 1.9082149292705877e-10
LN2_HIGH_32 = 0.693145751953125  # 15 binary digits
LN2_LOW_32 = 1.4286068203094173e-06

# 1.5 · 2^52 and 1.5 · 2^23: adding it rounds to a whole number, which then stands in the last binary digits.
ROUNDER = 6755399441055744.0
ROUNDER_BITS = 0x4338000000000000
ROUNDER_32 = 12582912.0
ROUNDER_BITS_32 = 0x4B400000
BIASED_ROUNDER_32 = 12583039.0  # rounds to a whole number n, and leaves n + 127 in the last binary digits


def exp(x):
    """The exponential function: e to the power of each element.

    >>> tl.exp(tl.tensor([0.0, 1.0]))
    tensor([1.0000, 2.7183])
    """
    return math.exp(x)


def exp2(x):
    """2 to the power of each element.

    >>> tl.exp2(tl.tensor([0, 3, -1]))
    tensor([1.0000, 8.0000, 0.5000])
    """
    return math.pow(2.0, x)


def d_exp2(grad, result):
    return grad * result * number(LN_2)


def expm1(x):
    """``exp(input) - 1``, precise near 0 too.

    >>> tl.expm1(tl.tensor([1e-8, 1.0]))
    tensor([1.0000e-08, 1.7183e+00])
    """
    return math.expm1(x)


def d_expm1(grad, result):
    return grad * (result + number(1))


def power_of_two_float64(n):
    """2^n for whole n from -1022 to 1023: the exponent's digits put in place."""
    return np.int64((n + 1023) << 52).view(np.float64)


def power_of_two_float32(n):
    return np.int32((n + 127) << 23).view(np.float32)


def exp_reduced_float64(r):
    """exp(r) - 1 for r in ±log(2)/2, with a relative error near one unit in the last place."""
    # (exp(r) - 1 - r) / r² on ±log(2)/2
    p = 2.091467944897855e-09
    p = p * r + 2.5105206475334834e-08
    p = p * r + 2.7557273661174726e-07
    p = p * r + 2.75572554255029e-06
    p = p * r + 2.4801587325533502e-05
    p = p * r + 0.00019841269874800683
    p = p * r + 0.0013888888888883752
    p = p * r + 0.008333333333326141
    p = p * r + 0.04166666666666667
    p = p * r + 0.1666666666666667
    p = p * r + 0.5
    return r + r * r * p


def exp_times_float64(factor, x, rest):
    """``factor · exp(x + rest)``; `rest` is a small correction, such as what x lost to rounding."""
    x = 710.0 if x > 710.0 else -746.0 if x < -746.0 else x  # beyond, the result is infinity or 0
    rounded = x * LOG2_E + ROUNDER
    whole = rounded - ROUNDER
    n = np.int64(np.float64(rounded).view(np.int64) - ROUNDER_BITS)
    r = (x - whole * LN2_HIGH) - whole * LN2_LOW + rest
    # In two steps, because 2^n itself may be too great or too small for its type when the result is not.
    half = n >> 1
    grown = factor * (1.0 + exp_reduced_float64(r))
    return grown * power_of_two_float64(half) * power_of_two_float64(n - half)


def exp_reduced_float32(r):
    # (exp(r) - 1 - r) / r² on ±log(2)/2. In pairs, after Estrin: half as many steps wait for one another
    z = r * r
    p = np.float32(0.00019890981) * r + np.float32(0.0013933642)
    p = p * z + (np.float32(0.0083333105) * r + np.float32(0.041666467))
    p = p * z + (np.float32(0.16666667) * r + np.float32(0.5))
    return r + z * p


def exp_times_float32(factor, x, rest):
    x = np.float32(89.0) if x > np.float32(89.0) else np.float32(-104.0) if x < np.float32(-104.0) else x
    rounded = np.float32(x * np.float32(LOG2_E) + np.float32(ROUNDER_32))
    whole = rounded - np.float32(ROUNDER_32)
    n = np.int32(np.float32(rounded).view(np.int32) - np.int32(ROUNDER_BITS_32))
    r = (x - whole * np.float32(LN2_HIGH_32)) - whole * np.float32(LN2_LOW_32) + rest
    half = np.int32(n >> 1)
    grown = factor * (np.float32(1.0) + exp_reduced_float32(r))
    return grown * power_of_two_float32(half) * power_of_two_float32(np.int32(n - half))


def exp_float64(x):
    return exp_times_float64(1.0, np.float64(x), 0.0)


def exp_float32(x):
    x = np.float32(89.0) if np.float32(89.0) < x else x
    x = np.float32(-104.0) if np.float32(-104.0) > x else x
    rounded = np.float32(x * np.float32(LOG2_E) + np.float32(ROUNDER_32))
    whole = rounded - np.float32(ROUNDER_32)
    n = np.int32(np.float32(rounded).view(np.int32) - np.int32(ROUNDER_BITS_32))
    half = np.int32(n >> 1)
    r = (x - whole * np.float32(LN2_HIGH_32)) - whole * np.float32(LN2_LOW_32)
    grown = (np.float32(1.0) + exp_reduced_float32(r)) * power_of_two_float32(half)
    return grown * power_of_two_float32(np.int32(n - half))


def exp_to_one(x):
    """exp(x) for x of at most 0, so that no result is greater than 1: what softmax needs, in fewer steps."""
    return math.exp(x)


def exp_to_one_float64(x):
    x = -746.0 if x < -746.0 else x
    rounded = x * LOG2_E + ROUNDER
    whole = rounded - ROUNDER
    # 2^n may be too small for its type, but not too great: 2^(n + 54) is neither.
    n = np.int64(np.float64(rounded).view(np.int64) - (ROUNDER_BITS - 54))
    r = (x - whole * LN2_HIGH) - whole * LN2_LOW
    return (1.0 + exp_reduced_float64(r)) * power_of_two_float64(n) * 2.0**-54


def exp_to_one_float32(x):
    x = np.float32(-104.0) if x < np.float32(-104.0) else x
    rounded = np.float32(x * np.float32(LOG2_E) + np.float32(ROUNDER_32))
    whole = rounded - np.float32(ROUNDER_32)
    n = np.int32(np.float32(rounded).view(np.int32) - np.int32(ROUNDER_BITS_32 - 24))
    r = (x - whole * np.float32(LN2_HIGH_32)) - whole * np.float32(LN2_LOW_32)
    grown = np.float32(1.0) + exp_reduced_float32(r)
    return grown * power_of_two_float32(n) * np.float32(2.0**-24)


def d_softmax(grad, result, total):
    """The gradient of softmax at one element; `total` is the sum of ``grad * result`` in its row."""
    return result * (grad - total)


def d_log_softmax(grad, result, total):
    """The gradient of log_softmax at one element; `total` is the sum of `grad` in its row."""
    return grad - exp(result) * total


def exp2_float64(x):
    x = np.float64(x)
    x = 1025.0 if x > 1025.0 else -1076.0 if x < -1076.0 else x
    rounded = x + ROUNDER
    n = np.int64(np.float64(rounded).view(np.int64) - ROUNDER_BITS)
    half = n >> 1
    grown = 1.0 + exp_reduced_float64((x - (rounded - ROUNDER)) * LN_2)
    return grown * power_of_two_float64(half) * power_of_two_float64(n - half)


def exp2_float32(x):
    x = np.float32(129.0) if x > np.float32(129.0) else np.float32(-151.0) if x < np.float32(-151.0) else x
    rounded = np.float32(x + np.float32(ROUNDER_32))
    n = np.int32(np.float32(rounded).view(np.int32) - np.int32(ROUNDER_BITS_32))
    half = np.int32(n >> 1)
    rest = (x - (rounded - np.float32(ROUNDER_32))) * np.float32(LN_2)
    grown = np.float32(1.0) + exp_reduced_float32(rest)
    return grown * power_of_two_float32(half) * power_of_two_float32(np.int32(n - half))


def expm1_float64(x):
    # 2^n · exp(r) - 1 as 2^n · (exp(r) - 1) + (2^n - 1): nothing is lost near 0, where n is 0
    x = np.float64(x)
    y = 710.0 if x > 710.0 else -50.0 if x < -50.0 else x
    rounded = y * LOG2_E + ROUNDER
    whole = rounded - ROUNDER
    n = np.int64(np.float64(rounded).view(np.int64) - ROUNDER_BITS)
    grown = exp_reduced_float64((y - whole * LN2_HIGH) - whole * LN2_LOW)
    half = power_of_two_float64(n - 1)  # half of 2^n, which overflows before the result does
    return x if x == 0 else 2.0 * (half * grown + (half - 0.5))


def expm1_float32(x):
    y = np.float32(89.0) if x > np.float32(89.0) else np.float32(-20.0) if x < np.float32(-20.0) else x
    rounded = np.float32(y * np.float32(LOG2_E) + np.float32(ROUNDER_32))
    whole = rounded - np.float32(ROUNDER_32)
    n = np.int32(np.float32(rounded).view(np.int32) - np.int32(ROUNDER_BITS_32))
    grown = exp_reduced_float32((y - whole * np.float32(LN2_HIGH_32)) - whole * np.float32(LN2_LOW_32))
    half = power_of_two_float32(np.int32(n - np.int32(1)))
    return x if x == 0 else np.float32(2.0) * (half * grown + (half - np.float32(0.5)))


def sigmoid(x):
    """``1 / (1 + exp(-input))``: every number brought between 0 and 1.

    >>> tl.sigmoid(tl.tensor([-2.0, 0.0, 2.0]))
    tensor([0.1192, 0.5000, 0.8808])
    """
    # exp of a negative number on both sides, so that nothing overflows
    z = exp(-abs(x))
    return (number(1) if x >= 0 else z) / (number(1) + z)


def d_sigmoid(grad, result):
    return grad * ((number(1) - result) * result)


ROWS = (
    Scalar(
        "exp",
        exp,
        1,
        result=FLOAT,
        cost=4,
        gradients=(("mul", "grad", "result"),),
        variants="function method in_place in_place_function",
    ),
    Scalar(
        "exp2",
        exp2,
        1,
        result=FLOAT,
        cost=4,
        gradients=(d_exp2,),
        variants="function method in_place in_place_function",
        aliases="special.exp2",
    ),
    Scalar(
        "expm1",
        expm1,
        1,
        result=FLOAT,
        cost=4,
        gradients=(d_expm1,),
        variants="function method in_place in_place_function",
        aliases="special.expm1",
    ),
    Scalar(
        "sigmoid",
        sigmoid,
        1,
        result=FLOAT,
        cost=5,
        gradients=(d_sigmoid,),
        variants="function method in_place in_place_function",
        aliases="special.expit nn.functional.sigmoid",
    ),
)
