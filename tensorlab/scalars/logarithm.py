"""Logarithms.

``log(x) = n · log 2 + log(m)`` with m between sqrt(1/2) and sqrt(2), where a polynomial does the rest; see
J.-M. Muller, *Elementary Functions*, chapter 11. The coefficients were fitted for this file, as in
`tensorlab.scalars.exponential`.
"""

from __future__ import annotations

import math

import numpy as np

from tensorlab.scalars.exponential import (
    LN2_HIGH,
    LN2_HIGH_32,
    LN2_LOW,
    LN2_LOW_32,
    LN_2,
    LOG2_E,
    ROUNDER,
    ROUNDER_BITS,
    exp,
)
from tensorlab.scalars.row import FLOAT, FLOATING, Scalar, choose, number

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

LOG10_E = 0.4342944819032518
LN_10 = 2.302585092994046

# log10(2) in two parts, the first with 40 binary digits
LOG10_2_HIGH = 0.30102999566361177
LOG10_2_LOW = 3.694239077158931e-13

# the bits of sqrt(1/2), the low end of the interval for m
SQRT_HALF_BITS = 0x3FE6A09E667F3BCD
SQRT_HALF_BITS_32 = 0x3F3504F3


def log(x):
    """The natural logarithm; -inf at 0, NaN below.

    >>> tl.log(tl.tensor([1.0, 10.0, 0.0]))
    tensor([0.0000, 2.3026,   -inf])
    """
    return math.log(x)


def log2(x):
    """The logarithm to base 2; -inf at 0, NaN below.

    >>> tl.log2(tl.tensor([1, 8]))
    tensor([0., 3.])
    """
    return math.log2(x)


def d_log2(grad, x):
    return grad / (x * number(LN_2))


def log10(x):
    """The logarithm to base 10; -inf at 0, NaN below.

    >>> tl.log10(tl.tensor([1, 1000]))
    tensor([0., 3.])
    """
    return math.log10(x)


def d_log10(grad, x):
    return grad / (x * number(LN_10))


def log1p(x):
    """``log(1 + input)``, precise near 0 too.

    >>> tl.log1p(tl.tensor([1e-8, 1.0]))
    tensor([1.0000e-08, 6.9315e-01])
    """
    return math.log1p(x)


def d_log1p(grad, x):
    return grad / (x + number(1))


def log_mantissa_float64(f):
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


def log_exponent_float64(x):
    """The whole number n for which ``x / 2^n`` lies between sqrt(1/2) and sqrt(2), x a normal number."""
    return np.int64(np.int64(np.float64(x).view(np.int64) - SQRT_HALF_BITS) >> 52)


def whole_to_float(n):
    """A whole number of a few digits as a float, without a conversion instruction, which AVX2 lacks."""
    return np.int64(n + ROUNDER_BITS).view(np.float64) - ROUNDER


def log_limits_float64(x, result):
    """`result` for positive finite x; -inf at 0, NaN below, inf at inf."""
    result = result if x < math.inf else x
    return result if x > 0 else -math.inf if x == 0 else math.nan


def log_parts_float64(x):
    """A whole number n and log(m) with ``x = 2^n · m``, for positive finite x."""
    small = x < 2.2250738585072014e-308  # subnormal: scaled by 2^54 into the normal numbers
    y = x * 18014398509481984.0 if small else x
    n = log_exponent_float64(y)
    m = np.int64(np.float64(y).view(np.int64) - (n << 52)).view(np.float64)
    return whole_to_float(n - 54 if small else n), log_mantissa_float64(m - 1.0)


def log_float64(x):
    x = np.float64(x)
    n, rest = log_parts_float64(x)
    return log_limits_float64(x, n * LN2_HIGH + (rest + n * LN2_LOW))


def log2_float64(x):
    x = np.float64(x)
    n, rest = log_parts_float64(x)
    return log_limits_float64(x, n + rest * LOG2_E)


def log10_float64(x):
    x = np.float64(x)
    n, rest = log_parts_float64(x)
    return log_limits_float64(x, n * LOG10_2_HIGH + (rest * LOG10_E + n * LOG10_2_LOW))


def log1p_float64(x):
    # 1 + x loses digits of x; what it lost, over 1 + x, is the logarithm's first-order correction
    x = np.float64(x)
    u = 1.0 + x
    lost = 1.0 - (u - x) if x > 1.0 else x - (u - 1.0)
    n, rest = log_parts_float64(u)
    return x if x == 0 else log_limits_float64(u, n * LN2_HIGH + (rest + (n * LN2_LOW + lost / u)))


def log_mantissa_float32(f):
    s = f / (np.float32(2.0) + f)
    z = s * s
    # (2 · artanh(s) / s - 2) / z on z from 0 to 0.02946
    p = np.float32(0.2958075)
    p = p * z + np.float32(0.39988762)
    p = p * z + np.float32(0.66666687)
    return f - s * (f - z * p)


def log_exponent_float32(x):
    return np.int32(np.int32(np.float32(x).view(np.int32) - np.int32(SQRT_HALF_BITS_32)) >> 23)


def log_limits_float32(x, result):
    result = result if x < np.float32(math.inf) else x
    below = np.float32(-math.inf) if x == np.float32(0.0) else np.float32(math.nan)
    return result if x > np.float32(0.0) else below


def log_parts_float32(x):
    small = x < np.float32(1.1754944e-38)  # subnormal: scaled by 2^25 into the normal numbers
    y = x * np.float32(33554432.0) if small else x
    n = log_exponent_float32(y)
    m = np.int32(np.float32(y).view(np.int32) - np.int32(n << 23)).view(np.float32)
    n = np.float32(np.int32(n - np.int32(25)) if small else n)
    return n, log_mantissa_float32(m - np.float32(1.0))


def log_float32(x):
    n, rest = log_parts_float32(x)
    return log_limits_float32(x, n * np.float32(LN2_HIGH_32) + (rest + n * np.float32(LN2_LOW_32)))


def log1p_float32(x):
    u = np.float32(1.0) + x
    lost = np.float32(1.0) - (u - x) if x > np.float32(1.0) else x - (u - np.float32(1.0))
    n, rest = log_parts_float32(u)
    low = rest + (n * np.float32(LN2_LOW_32) + lost / u)
    result = log_limits_float32(u, n * np.float32(LN2_HIGH_32) + low)
    return x if x == np.float32(0.0) else result


def logaddexp(x, y):
    """``log(exp(input) + exp(other))``, without overflow on the way.

    >>> tl.logaddexp(tl.tensor([0.0, 1000.0]), tl.tensor([0.0, 1000.0]))
    tensor([6.9315e-01, 1.0007e+03])
    """
    # the greater, plus what the lesser adds; equal infinities have no difference
    high = y if x < y else x
    return high if x == y and abs(x) == math.inf else high + log1p(exp(-abs(x - y)))


def d_logaddexp_x(grad, x, y):
    return grad / (number(1) + exp(y - x))


def d_logaddexp_y(grad, x, y):
    return grad / (number(1) + exp(x - y))


def xlogy(x, y):
    """``input * log(other)``, and 0 where `input` is 0, whatever the logarithm.

    >>> tl.xlogy(tl.tensor([0.0, 2.0]), tl.tensor([0.0, 1.0]))
    tensor([0., 0.])
    """
    product = x * log(y)
    return y if y != y else number(0) if x == 0 else product


def d_xlogy_x(grad, x, y):
    return grad * choose((x == 0) & (y <= 0), number(0), log(y))


def d_xlogy_y(grad, x, y):
    return grad * (x / y)


ROWS = (
    Scalar(
        "log",
        log,
        1,
        result=FLOAT,
        cost=8,
        gradients=(("div", "grad", "x"),),
        variants="function method in_place in_place_function",
    ),
    Scalar(
        "log2",
        log2,
        1,
        result=FLOAT,
        cost=8,
        gradients=(d_log2,),
        variants="function method in_place in_place_function",
    ),
    Scalar(
        "log10",
        log10,
        1,
        result=FLOAT,
        cost=8,
        gradients=(d_log10,),
        variants="function method in_place in_place_function",
    ),
    Scalar(
        "log1p",
        log1p,
        1,
        result=FLOAT,
        cost=8,
        gradients=(d_log1p,),
        node="Log1PBackward0",
        variants="function method in_place in_place_function",
        aliases="special.log1p",
    ),
    Scalar(
        "logaddexp",
        logaddexp,
        2,
        takes=FLOATING,
        cost=12,
        gradients=(d_logaddexp_x, d_logaddexp_y),
        variants="function method",
    ),
    Scalar(
        "xlogy",
        xlogy,
        2,
        result=FLOAT,
        numbers=(0, 1),
        cost=8,
        gradients=(d_xlogy_x, d_xlogy_y),
        number_nodes=("XlogyBackward1", "XlogyBackward2"),
        variants="function method in_place in_place_function",
        aliases="special.xlogy",
    ),
)
