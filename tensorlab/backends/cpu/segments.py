"""The gelu of whole vectors, by segments whose coefficients lie in vector registers.

Up to `LIMIT`, the normal distribution below -a is a polynomial of degree 6 on each of 16 segments, a quarter
wide. Sixteen is how many float32 a register of AVX-512 holds: so the coefficients of one power, for all
segments, are one register, and one instruction looks the right one up for each of 16 elements. There is no
exponential, and no division. A vector with an element beyond the limit, or NaN, is left to the formula of
`tensorlab.scalars`.
"""

from __future__ import annotations

from typing import Any

from tensorlab.backends.cpu.vector_writer import VectorWriter

__all__ = ["COEFFICIENTS", "LIMIT", "gelu", "is_inside"]

LIMIT = 3.875  # the middle of the last segment is 15 quarters
ROUNDER = 3145728.0  # 1.5 · 2^21: adding it rounds to a whole number of quarters, in the last binary digits

# Row j: the chance that a normal variable is below -(j/4 + d), in d from -1/8 to 1/8, highest power first.
# `mpmath.chebyfit(lambda d: mpmath.ncdf(-(j / 4 + d)), [-1 / 8, 1 / 8], 7)` gives it again.
COEFFICIENTS = (
    (0.0, -0.009941152, 0.0, 0.06649013, 0.0, -0.3989423, 0.5),
    (0.0019240623, -0.008445308, -0.011831591, 0.060416695, 0.048333514, -0.38666812, 0.40129367),
    (0.003061864, -0.004575267, -0.020170335, 0.044008095, 0.08801633, -0.35206532, 0.30853754),
    (0.0030320322, 0.00013768555, -0.02293814, 0.02195801, 0.112926535, -0.30113742, 0.22662735),
    (0.0020131418, 0.004011888, -0.020164201, 1.6362024e-7, 0.12098536, -0.24197072, 0.15865526),
    (0.0005777703, 0.0059649628, -0.013674913, -0.017123178, 0.11415568, -0.18264909, 0.10564978),
    (-0.0006529305, 0.005853529, -0.0060711745, -0.026982713, 0.097138196, -0.1295176, 0.0668072),
    (-0.0013048757, 0.0043059685, 0.00039315232, -0.029657789, 0.07549266, -0.08627732, 0.040059157),
    (-0.0013466268, 0.002252826, 0.0044992226, -0.026995508, 0.053990968, -0.053990968, 0.022750132),
    (-0.0009905974, 0.00046902956, 0.006137152, -0.021490445, 0.03570711, -0.031739652, 0.012224473),
    (-0.00051426137, -0.0006592659, 0.0059340657, -0.015337319, 0.021910375, -0.017528301, 0.0062096654),
    (-0.00012060146, -0.001117848, 0.0047540017, -0.009946123, 0.012503648, -0.009093562, 0.0029797633),
    (0.00010960708, -0.0011056504, 0.0033238956, -0.005909149, 0.0066477726, -0.0044318484, 0.001349898),
    (0.00019108265, -0.00086519483, 0.0020779304, -0.0032337983, 0.003297203, -0.002029048, 0.00057702506),
    (0.00018028532, -0.0005791887, 0.0011772148, -0.0016362756, 0.0015271947, -0.0008726827, 0.00023262909),
    (0.0001324592, -0.00034278145, 0.00060946716, -0.0007676237, 0.0006611169, -0.0003525957, 8.8417284e-5),
)


def is_inside(write: VectorWriter, x: Any) -> Any:
    """Whether every element is nearer to 0 than the limit, which a NaN is not."""
    return write.all_of(write.builder.fcmp_ordered("<", write.size(x), write.same(LIMIT)))


def gelu(write: VectorWriter, x: Any) -> Any:
    """``max(x, 0) - a · tail``, where of two zeros the maximum is `x`; `a` is the size of `x`."""
    a, zero = write.size(x), write.same(0.0)
    positive = write.builder.select(write.builder.fcmp_ordered(">", zero, x), zero, x)
    return write.multiply_add(write.builder.fneg(a), _tail(write, a), positive)


def _tail(write: VectorWriter, a: Any) -> Any:
    """The chance that a normal variable is below -a."""
    rounded = write.builder.fadd(a, write.same(ROUNDER))
    rest = write.builder.fsub(a, write.builder.fsub(rounded, write.same(ROUNDER)))
    # The instruction reads the last four digits, so that the rounder beside them does no harm.
    index = write.builder.bitcast(rounded, write.bits)
    total = None
    for power in zip(*COEFFICIENTS, strict=True):
        found = write.look_up(power, index)
        total = found if total is None else write.multiply_add(total, rest, found)
    return total
