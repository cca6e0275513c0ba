"""The exponential of whole vectors, by a table of sixteen powers that lies in vector registers.

``exp(x) = 2^n · 2^(j/16) · exp(r)`` with r in ±log(2)/32: there a polynomial of degree 3 is precise enough
for float32, and one of degree 6 for float64. One instruction looks up 2^(j/16) for all elements, and one puts
2^n in its place, also where the result is smaller than all normal numbers. What the formula of
`tensorlab.scalars` does by 28 instructions takes 15 here. See P. T. P. Tang, *Table-driven implementation of
the exponential function*, ACM TOMS 15 (1989).
"""

from __future__ import annotations

from typing import Any

from tensorlab.backends.cpu.vector_writer import VectorWriter
from tensorlab.scalars.exponential import LOG2_E

__all__ = ["exp"]

POWERS = tuple(2 ** (j / 16) for j in range(16))
# What these lack as numbers of their type: `2 ** (mpmath.mpf(j) / 16) - power`.
LACKING = (
    0,
    8.5518897055379649e-17,
    -3.0467820798124711e-17,
    8.9128126760254078e-17,
    3.9820152314656461e-17,
    4.6580275918369368e-17,
    2.5382502794888315e-17,
    7.7009483798029895e-17,
    -9.6672933134529135e-17,
    -3.4839945568927958e-17,
    7.9498348096976209e-17,
    2.4707192569797888e-17,
    8.1990100205814965e-17,
    2.9601406954488733e-17,
    3.2831072242456272e-17,
    -1.0619946056195963e-16,
)
LACKING_32 = (
    0,
    4.83347016e-08,
    -1.30775399e-08,
    5.38622231e-08,
    3.79763527e-08,
    4.4968381e-08,
    -4.01899953e-08,
    -1.01233493e-08,
    2.4203235e-08,
    -4.50089885e-08,
    8.07090483e-09,
    9.83621717e-09,
    -2.47553267e-08,
    -9.23577037e-09,
    -1.1239278e-08,
    9.84532811e-09,
)

# log 2 as the number of its type and what that lacks. A product and a sum are rounded once, so that the first
# need not have fewer digits.
LN2 = (0.6931471805599453, 2.3190468138462996e-17)
LN2_32 = (0.6931471824645996, -1.904654299957768e-9)

# (exp(r) - 1 - r) / r² on ±log(2)/32, as in `tensorlab.scalars.exponential`.
COEFFICIENTS = (0.0013889034348599464, 0.008333449701253456, 0.04166666666496045, 0.1666666666530169, 0.5)
COEFFICIENTS_32 = (0.16666862164590476, 0.5000097749180301)

# Beyond, the result is 0 or infinity.
LEAST, GREATEST = -746.0, 710.0
LEAST_32, GREATEST_32 = -104.0, 89.0

# 1.5 · 2^48 and 1.5 · 2^19: adding it rounds to sixteenths, which then stand in the last binary digits.
ROUNDER = 422212465065984.0
ROUNDER_32 = 786432.0


def exp(write: VectorWriter, x: Any, to_one: bool = False) -> Any:
    """The exponentials of a vector; with `to_one`, of numbers of which none is greater than 0."""
    single = write.single
    if not to_one:
        x = write.at_most(GREATEST_32 if single else GREATEST, x)
    x = write.at_least(LEAST_32 if single else LEAST, x)
    rounder = write.same(ROUNDER_32 if single else ROUNDER)
    rounded = write.multiply_add(x, write.same(LOG2_E), rounder)
    sixteenths = write.builder.fsub(rounded, rounder)
    r = x
    for part in LN2_32 if single else LN2:
        r = write.multiply_add(sixteenths, write.same(-part), r)
    square = write.builder.fmul(r, r)
    grown = write.multiply_add(_rest_32(write, r) if single else _rest(write, r, square), square, r)
    index = write.builder.bitcast(rounded, write.bits)
    power, lacking = (write.look_up(table, index) for table in (POWERS, LACKING_32 if single else LACKING))
    more = write.multiply_add(power, grown, lacking)
    return write.scale(write.builder.fadd(power, more), sixteenths)


def _rest_32(write: VectorWriter, r: Any) -> Any:
    """``(exp(r) - 1 - r) / r²`` in float32."""
    slope, start = map(write.same, COEFFICIENTS_32)
    return write.multiply_add(slope, r, start)


def _rest(write: VectorWriter, r: Any, square: Any) -> Any:
    """The same in float64. In pairs, after Estrin: half as many steps wait for one another."""
    c6, c5, c4, c3, c2 = map(write.same, COEFFICIENTS)
    upper = write.multiply_add(square, c6, write.multiply_add(c5, r, c4))
    return write.multiply_add(square, upper, write.multiply_add(c3, r, c2))
