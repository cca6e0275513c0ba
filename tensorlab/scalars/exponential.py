"""Exponentials and logarithms, and the functions that follow from them.

The fast versions are the classical ones. An exponential is reduced to a small interval around 0 by
``exp(x) = 2^n · exp(r)``, a logarithm to ``log(x) = n · log 2 + log(m)`` with m near 1; there a polynomial
does the rest. For the method see J.-M. Muller, *Elementary Functions*, chapters 3 and 11. The coefficients
were fitted for this file: each comment names the function and the interval, and ``mpmath.chebyfit(function,
interval, number of coefficients)`` at 50 digits gives them again, highest power first.
"""

from __future__ import annotations

import math

import numpy as np

from tensorlab.scalars.row import FLOAT, FLOATING, Scalar, number

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def"

LOG2_E = 1.4426950408889634
LOG10_E = 0.4342944819032518
LN_2 = 0.6931471805599453

# log 2 in two parts. The first has so few digits that a product with a small whole number is exact.
LN2_HIGH = 0.6931471803691238  # 32 binary digits
LN2_LOW = 1.9082149292705877e-10
LN2_HIGH_32 = 0.693145751953125  # 15 binary digits
LN2_LOW_32 = 1.4286068203094173e-06

# log10(2) in two parts, alike
LOG10_2_HIGH = 0.30102999566361177
LOG10_2_LOW = 3.694239077158931e-13

# 1.5 · 2^52 and 1.5 · 2^23: adding it rounds to a whole number, which then stands in the last binary digits.
ROUNDER = 6755399441055744.0
ROUNDER_BITS = 0x4338000000000000
ROUNDER_32 = 12582912.0
ROUNDER_BITS_32 = 0x4B400000

HALF_SQRT_BITS = (
    0x3FE6A09E667F3BCD  # of sqrt(1/2), the low end of the interval that a logarithm is reduced to
)


def exp(x):
    return math.exp(x)


def exp2(x):
    return math.pow(2.0, x)


def expm1(x):
    return math.expm1(x)


def log(x):
    return math.log(x)


def log2(x):
    return math.log2(x)


def log10(x):
    return math.log10(x)


def log1p(x):
    return math.log1p(x)


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


def exp_of_sum_float64(x, rest):
    """exp(x + rest) where `rest` is a small correction to x, such as what x lost to rounding."""
    x = np.float64(x)
    x = 710.0 if x > 710.0 else -746.0 if x < -746.0 else x  # beyond, the result is infinity or 0
    rounded = x * LOG2_E + ROUNDER
    whole = rounded - ROUNDER
    n = np.int64(np.float64(rounded).view(np.int64) - ROUNDER_BITS)
    r = (x - whole * LN2_HIGH) - whole * LN2_LOW + rest
    # In two steps, because 2^n itself may be too great or too small for its type when the result is not.
    half = n >> 1
    return (1.0 + exp_reduced_float64(r)) * power_of_two_float64(half) * power_of_two_float64(n - half)


def exp_reduced_float32(r):
    # (exp(r) - 1 - r) / r² on ±log(2)/2
    p = np.float32(0.0013926176)
    p = p * r + np.float32(0.008363173)
    p = p * r + np.float32(0.041666556)
    p = p * r + np.float32(0.16666578)
    p = p * r + np.float32(0.5)
    return r + r * r * p


def exp_of_sum_float32(x, rest):
    x = np.float32(89.0) if x > np.float32(89.0) else np.float32(-104.0) if x < np.float32(-104.0) else x
    rounded = np.float32(x * np.float32(LOG2_E) + np.float32(ROUNDER_32))
    whole = rounded - np.float32(ROUNDER_32)
    n = np.int32(np.float32(rounded).view(np.int32) - np.int32(ROUNDER_BITS_32))
    r = (x - whole * np.float32(LN2_HIGH_32)) - whole * np.float32(LN2_LOW_32) + rest
    half = np.int32(n >> 1)
    return (
        (np.float32(1.0) + exp_reduced_float32(r))
        * power_of_two_float32(half)
        * power_of_two_float32(np.int32(n - half))
    )


def exp_float64(x):
    return exp_of_sum_float64(x, 0.0)


def exp_float32(x):
    return exp_of_sum_float32(x, np.float32(0.0))


def exp2_float64(x):
    x = np.float64(x)
    x = 1025.0 if x > 1025.0 else -1076.0 if x < -1076.0 else x
    rounded = x + ROUNDER
    n = np.int64(np.float64(rounded).view(np.int64) - ROUNDER_BITS)
    half = n >> 1
    grown = 1.0 + exp_reduced_float64((x - (rounded - ROUNDER)) * LN_2)
    return grown * power_of_two_float64(half) * power_of_two_float64(n - half)


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


def log_mantissa(f):
    """log(1 + f) for 1 + f from sqrt(1/2) to sqrt(2), by way of 2 · artanh(f / (2 + f))."""
    s = f / (2.0 + f)
    z = s * s
    # (2 · artanh(s) / s - 2) / z on z from 0 to 0.02946
    p = 0.1461749869387011
    p = p * z + 0.15331636699545695
    p = p * z + 0.18182891680439733
    p = p * z + 0.22222211099711295
    p = p * z + 0.28571428626190487
    p = p * z + 0.39999999999899033
    p = p * z + 0.666666666666667
    # 2 · s is f - s · f, which keeps the digits of f
    return f - s * (f - z * p)


def log_exponent(x):
    """The whole number n for which ``x / 2^n`` lies between sqrt(1/2) and sqrt(2), x a normal number."""
    return np.int64(np.int64(np.float64(x).view(np.int64) - HALF_SQRT_BITS) >> 52)


def whole_to_float(n):
    """A whole number of a few digits as a float, without a conversion instruction, which AVX2 lacks."""
    return np.int64(n + ROUNDER_BITS).view(np.float64) - ROUNDER


def log_limits(x, result):
    """`result` for positive finite x; -inf at 0, NaN below, inf at inf."""
    result = result if x < math.inf else x
    return result if x > 0 else -math.inf if x == 0 else math.nan


def log_float64(x):
    x = np.float64(x)
    small = x < 2.2250738585072014e-308  # subnormal: scaled by 2^54 into the normal numbers
    y = x * 18014398509481984.0 if small else x
    n = log_exponent(y)
    m = np.int64(np.float64(y).view(np.int64) - (n << 52)).view(np.float64)
    n = whole_to_float(n - 54 if small else n)
    return log_limits(x, n * LN2_HIGH + (log_mantissa(m - 1.0) + n * LN2_LOW))


def log2_float64(x):
    x = np.float64(x)
    small = x < 2.2250738585072014e-308
    y = x * 18014398509481984.0 if small else x
    n = log_exponent(y)
    m = np.int64(np.float64(y).view(np.int64) - (n << 52)).view(np.float64)
    return log_limits(x, whole_to_float(n - 54 if small else n) + log_mantissa(m - 1.0) * LOG2_E)


def log10_float64(x):
    x = np.float64(x)
    small = x < 2.2250738585072014e-308
    y = x * 18014398509481984.0 if small else x
    n = log_exponent(y)
    m = np.int64(np.float64(y).view(np.int64) - (n << 52)).view(np.float64)
    n = whole_to_float(n - 54 if small else n)
    return log_limits(x, n * LOG10_2_HIGH + (log_mantissa(m - 1.0) * LOG10_E + n * LOG10_2_LOW))


def log1p_float64(x):
    # 1 + x loses digits of x; what it lost, over 1 + x, is the logarithm's first-order correction
    x = np.float64(x)
    u = 1.0 + x
    lost = 1.0 - (u - x) if x > 1.0 else x - (u - 1.0)
    n = log_exponent(u)
    m = np.int64(np.float64(u).view(np.int64) - (n << 52)).view(np.float64)
    n = whole_to_float(n)
    result = n * LN2_HIGH + (log_mantissa(m - 1.0) + (n * LN2_LOW + lost / u))
    return x if x == 0 else log_limits(u, result)


def sigmoid(x):
    # exp of a negative number on both sides, so that nothing overflows
    z = exp(-abs(x))
    return (number(1) if x >= 0 else z) / (number(1) + z)


def logaddexp(x, y):
    # the greater, plus what the lesser adds; equal infinities have no difference
    high = y if x < y else x
    return high if x == y and abs(x) == math.inf else high + log1p(exp(-abs(x - y)))


def xlogy(x, y):
    product = x * log(y)
    return y if y != y else number(0) if x == 0 else product


ROWS = (
    Scalar(
        "exp",
        exp,
        1,
        "e to the power of each element.",
        ">>> tl.exp(tl.tensor([0.0, 1.0]))\ntensor([1.0000, 2.7183])",
        result=FLOAT,
        cost=8,
    ),
    Scalar(
        "exp2",
        exp2,
        1,
        "2 to the power of each element.",
        ">>> tl.exp2(tl.tensor([0, 3, -1]))\ntensor([1.0000, 8.0000, 0.5000])",
        result=FLOAT,
        cost=8,
    ),
    Scalar(
        "expm1",
        expm1,
        1,
        "``exp(input) - 1``, precise near 0 too.",
        ">>> tl.expm1(tl.tensor([1e-8, 1.0]))\ntensor([1.0000e-08, 1.7183e+00])",
        result=FLOAT,
        cost=8,
    ),
    Scalar(
        "log",
        log,
        1,
        "The natural logarithm; -inf at 0, NaN below.",
        ">>> tl.log(tl.tensor([1.0, 10.0, 0.0]))\ntensor([0.0000, 2.3026,   -inf])",
        result=FLOAT,
        cost=16,
    ),
    Scalar(
        "log2",
        log2,
        1,
        "The logarithm to base 2; -inf at 0, NaN below.",
        ">>> tl.log2(tl.tensor([1, 8]))\ntensor([0., 3.])",
        result=FLOAT,
        cost=16,
    ),
    Scalar(
        "log10",
        log10,
        1,
        "The logarithm to base 10; -inf at 0, NaN below.",
        ">>> tl.log10(tl.tensor([1, 1000]))\ntensor([0., 3.])",
        result=FLOAT,
        cost=16,
    ),
    Scalar(
        "log1p",
        log1p,
        1,
        "``log(1 + input)``, precise near 0 too.",
        ">>> tl.log1p(tl.tensor([1e-8, 1.0]))\ntensor([1.0000e-08, 6.9315e-01])",
        result=FLOAT,
        cost=16,
    ),
    Scalar(
        "sigmoid",
        sigmoid,
        1,
        "``1 / (1 + exp(-input))``: every number brought between 0 and 1.",
        ">>> tl.sigmoid(tl.tensor([-2.0, 0.0, 2.0]))\ntensor([0.1192, 0.5000, 0.8808])",
        result=FLOAT,
        cost=10,
    ),
    Scalar(
        "logaddexp",
        logaddexp,
        2,
        "``log(exp(input) + exp(other))``, without overflow on the way.",
        ">>> tl.logaddexp(tl.tensor([0.0, 1000.0]), tl.tensor([0.0, 1000.0]))\n"
        "tensor([6.9315e-01, 1.0007e+03])",
        takes=FLOATING,
        cost=24,
    ),
    Scalar(
        "xlogy",
        xlogy,
        2,
        "``input * log(other)``, and 0 where `input` is 0, whatever the logarithm.",
        ">>> tl.xlogy(tl.tensor([0.0, 2.0]), tl.tensor([0.0, 1.0]))\ntensor([0., 0.])",
        result=FLOAT,
        numbers=(0, 1),
        cost=16,
    ),
)
