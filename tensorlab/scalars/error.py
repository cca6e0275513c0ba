"""The kin of the error function: what it leaves to 1, that scaled, and its inverse."""

from __future__ import annotations

import math

import numpy as np

from tensorlab.scalars.exponential import exp, exp_float64
from tensorlab.scalars.logarithm import log1p_float64, log_float64
from tensorlab.scalars.row import FLOAT, Scalar, number
from tensorlab.scalars.special import TWO_OVER_SQRT_PI, erf_float64, erfc_scaled, gaussian_times

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

TWO_OVER_PI_A = 4.330746750799873  # 2 / (π · a)
A = 0.147  # fits the inverse to two digits: S. Winitzki, *A handy approximation for the error function*, 2008
HALF_SQRT_PI = 0.886226925452758
SQRT_TWO = 1.4142135623730951
SQRT_HALF = 0.7071067811865476
SQRT_TWO_PI = 2.5066282746310002
SQRT_TWO_OVER_PI = 0.7978845608028654


def erfc(x):
    """What the error function leaves to 1, precise in the upper tail too.

    >>> tl.erfc(tl.tensor([0.0, 1.0, 5.0]))
    tensor([1.0000e+00, 1.5730e-01, 1.5375e-12])
    """
    return math.erfc(x)


def d_erfc(grad, x):
    return number(-TWO_OVER_SQRT_PI) * exp(-(x * x)) * grad


def erfc_float64(x):
    x = np.float64(x)
    a = abs(x)
    a = 30.0 if a > 30.0 else a  # beyond, it is 0 or 2
    tail = gaussian_times(erfc_scaled(a), a, 1.0)
    return 2.0 - tail if x < 0 else tail


def erfcx(x):
    """``exp(input ** 2) * erfc(input)``: neither overflows nor vanishes above 0.

    >>> tl.special.erfcx(tl.tensor([0.0, 100.0]))
    tensor([1.0000, 0.0056])
    """
    return erfcx_float64(x)


def d_erfcx(grad, x, result):
    return grad * (number(2) * x * result - number(TWO_OVER_SQRT_PI))


def erfcx_float64(x):
    x = np.float64(x)
    a = abs(x)
    scaled = 0.0 if a == math.inf else erfc_scaled(0.0 if a == math.inf else a)
    grown = gaussian_times(2.0, 30.0 if a > 30.0 else a, -1.0)
    return grown - scaled if x < 0 else scaled


def erfinv(x):
    """The number of which each element is the error function; NaN outside ±1.

    >>> tl.erfinv(tl.tensor([0.0, 0.5, 1.0]))
    tensor([0.0000, 0.4769,    inf])
    """
    return erfinv_float64(x)


def d_erfinv(grad, result):
    return number(HALF_SQRT_PI) * grad * exp(result * result)


def erfinv_improved(y, a, rest):
    """One step of Halley's method towards ``erf(y) = a``, where `rest` is 1 - a."""
    # Far out 1 - erf keeps the digits, near 0 erf itself does.
    miss = erf_float64(y) - a if a < 0.5 else rest - erfc_float64(y)
    step = miss * HALF_SQRT_PI / exp_float64(-y * y)
    return y - step / (1.0 + y * step)


def erfinv_near(a, rest):
    """Nearly the y >= 0 with ``erf(y) = a``, where `rest` is 1 - a and above 0."""
    decay = log_float64(rest * (1.0 + a))
    middle = TWO_OVER_PI_A + 0.5 * decay
    return np.sqrt(np.sqrt(middle * middle - decay / A) - middle)


def erfinv_float64(x):
    x = np.float64(x)
    a = abs(x)
    a = a if a < 1.0 else 0.0
    rest = 1.0 - a
    y = erfinv_improved(erfinv_improved(erfinv_near(a, rest), a, rest), a, rest)
    limit = math.inf if abs(x) == 1.0 else math.nan
    return math.copysign(y if abs(x) < 1.0 else limit, x)


def ndtri(x):
    """The number below which a standard normal variable lies with each probability.

    >>> tl.special.ndtri(tl.tensor([0.0, 0.5, 0.975]))
    tensor([  -inf, 0.0000, 1.9600])
    """
    return ndtri_float64(x)


def d_ndtri(grad, result):
    return number(SQRT_TWO_PI) * grad * exp(number(0.5) * result * result)


def ndtri_float64(x):
    x = np.float64(x)
    least = x if x < 0.5 else 1.0 - x
    rest = 2.0 * least if 0.0 < x < 1.0 else 1.0
    a = 1.0 - rest
    y = erfinv_near(a, rest)
    for _ in range(4):  # far out, where a double holds many more digits than 1 - a has, it takes four steps
        y = erfinv_improved(y, a, rest)
    limit = math.inf if x == 0.0 or x == 1.0 else math.nan
    return math.copysign(SQRT_TWO * y if 0.0 < x < 1.0 else limit, x - 0.5)


def log_ndtr(x):
    """The logarithm of the probability that a standard normal variable lies below each element.

    >>> tl.special.log_ndtr(tl.tensor([-5.0, 0.0]))
    tensor([-15.0650,  -0.6931])
    """
    # Below, both factors are logarithms: what is left of the exponential would vanish.
    below = math.log(0.5 * erfcx(-SQRT_HALF * x)) - 0.5 * x * x if x < -1 else 0.0
    return below if x < -1 else math.log1p(-0.5 * math.erfc(SQRT_HALF * x))


def d_log_ndtr(grad, x):
    return grad * number(SQRT_TWO_OVER_PI) / erfcx(x * number(-SQRT_HALF))


def log_ndtr_float64(x):
    x = np.float64(x)
    scaled = 0.5 * erfcx_float64(SQRT_HALF * abs(x))
    a = abs(x) if abs(x) < 40.0 else 40.0  # beyond, what is missing to 1 is 0
    rest = gaussian_times(scaled, a, 0.5)
    above = log1p_float64(-rest if x > 0.0 else rest - 1.0)
    return log_float64(scaled) - 0.5 * x * x if x < -1.0 else above


ROWS = (
    Scalar("erfc", erfc, 1,
           result=FLOAT, cost=30, gradients=(d_erfc,),
           variants="function method in_place in_place_function", aliases="special.erfc"),
    Scalar("erfcx", erfcx, 1,
           result=FLOAT, cost=30, gradients=(d_erfcx,), node="SpecialErfcxBackward0",
           variants="function", namespace="special"),
    Scalar("erfinv", erfinv, 1,
           result=FLOAT, cost=120, gradients=(d_erfinv,),
           variants="function method in_place", aliases="special.erfinv"),
    Scalar("ndtri", ndtri, 1,
           result=FLOAT, cost=200, gradients=(d_ndtri,), node="SpecialNdtriBackward0",
           variants="function", namespace="special"),
    Scalar("log_ndtr", log_ndtr, 1,
           result=FLOAT, cost=60, gradients=(d_log_ndtr,), node="SpecialLogNdtrBackward0",
           variants="function", namespace="special"),
)  # fmt: skip
