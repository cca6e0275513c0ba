"""From uniform numbers to other distributions: one scalar formula each, the bits being PyTorch's.

`u` is uniform in [0, 1). Where PyTorch's compiler fuses a product and a sum, `fma` says so; every other
operation is rounded by itself, in the order written.
"""

from __future__ import annotations

import math

import numpy as np

from tensorlab.backends.cpu.intrinsics import fma, maximum, minimum

__all__ = ["bernoulli", "box_muller", "box_muller_float32", "cauchy", "exponential", "geometric", "uniform"]


def uniform(u, low, span, limit):
    """A number of [low, low + span). What would be rounded up to the excluded end becomes `low`."""
    value = fma(u, span, low)
    return low if value >= limit else value


def bernoulli(u, p, _, __):
    """1 with probability p, else 0."""
    return 1.0 if u < p else 0.0


def exponential(u, rate, _, __):
    """Waiting times of a mean of 1 / rate: the inverse of the distribution function."""
    return -1.0 / rate * math.log1p(-u)


def geometric(u, p, _, __):
    """The number of trials up to the first success of probability p."""
    return np.ceil(np.log(u) / np.log1p(-p))


def cauchy(u, median, sigma, _):
    """A tangent of a uniform angle. The ends of [0, 1), where it is infinite, are cut off."""
    u = minimum(maximum(u, 2.220446049250313e-16), 0.9999999999999998)
    return fma(sigma, math.tan(math.pi * (u - 0.5)), median)


def box_muller(u, v):
    """Two independent normal numbers of two uniform ones, in float64.

    Box and Muller, "A note on the generation of random normal deviates" (1958): the coordinates of a point
    whose direction is uniform and whose squared radius is exponential.
    """
    radius = math.sqrt(-2.0 * math.log(1.0 - u))
    angle = 2.0 * math.pi * v
    return radius * math.cos(angle), radius * math.sin(angle)


def box_muller_float32(u, v):
    """Two independent normal numbers of two uniform ones, in float32, as PyTorch makes them on x86 with AVX2.

    Logarithm, sine and cosine are the polynomials of Moshier's Cephes library for float32, evaluated in the
    order in which PyTorch's vector code evaluates them. There is no branch, so that loops over it become
    vector instructions.
    """
    one, half = np.float32(1), np.float32(0.5)
    # Logarithm of 1 - u = m * 2^e with m in [0.5, 1), brought to [sqrt(1/2), sqrt(2)): a polynomial in m - 1.
    bits = np.float32(one - u).view(np.uint32)
    e = np.float32(np.int32(bits >> np.uint32(23)) - np.int32(126))
    m = np.uint32((bits & np.uint32(0x007FFFFF)) | np.uint32(0x3F000000)).view(np.float32)
    low = m < np.float32(0.707106781186547524)
    e = np.float32(e - one) if low else e
    m = np.float32(np.float32(m - one) + (m if low else np.float32(0)))
    square = np.float32(m * m)
    y = np.float32(7.0376836292e-2)
    y = fma(y, m, np.float32(-1.1514610310e-1))
    y = fma(y, m, np.float32(1.1676998740e-1))
    y = fma(y, m, np.float32(-1.2420140846e-1))
    y = fma(y, m, np.float32(1.4249322787e-1))
    y = fma(y, m, np.float32(-1.6668057665e-1))
    y = fma(y, m, np.float32(2.0000714765e-1))
    y = fma(y, m, np.float32(-2.4999993993e-1))
    y = fma(y, m, np.float32(3.3333331174e-1))
    # ln 2 comes in two parts, of which the larger has few bits: e times it is exact.
    y = fma(np.float32(y * m), square, np.float32(e * np.float32(-2.12194440e-4)))
    y = np.float32(y - np.float32(square * half))
    logarithm = fma(e, np.float32(0.693359375), np.float32(m + y))
    radius = np.sqrt(np.float32(np.float32(-2) * logarithm))

    # Sine and cosine: the angle less a multiple of pi / 2 lies in [-pi/4, pi/4], where each is a polynomial.
    angle = np.float32(np.float32(6.283185307179586) * v)
    octant = np.int32(np.float32(angle * np.float32(1.27323954473516)))
    octant = np.int32((octant + np.int32(1)) & np.int32(-2))
    turns = np.float32(octant)
    x = fma(turns, np.float32(-0.78515625), angle)
    x = fma(turns, np.float32(-2.4187564849853515625e-4), x)
    x = fma(turns, np.float32(-3.77489497744594108e-8), x)
    square = np.float32(x * x)
    c = fma(np.float32(2.443315711809948e-5), square, np.float32(-1.388731625493765e-3))
    c = fma(c, square, np.float32(4.166664568298827e-2))
    c = fma(np.float32(c * square), square, np.float32(-np.float32(square * half)))
    c = np.float32(c + one)
    s = fma(np.float32(-1.9515295891e-4), square, np.float32(8.3321608736e-3))
    s = fma(s, square, np.float32(-1.6666654611e-1))
    s = fma(np.float32(s * square), x, x)
    swapped = (octant & np.int32(2)) != 0
    sine, cosine = (c if swapped else s), (s if swapped else c)
    sine = np.float32(-sine) if octant & np.int32(4) else sine
    cosine = np.float32(-cosine) if (octant + np.int32(2)) & np.int32(4) else cosine
    return np.float32(radius * cosine), np.float32(radius * sine)
