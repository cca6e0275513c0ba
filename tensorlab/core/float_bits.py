"""What the bits of a float say."""

from __future__ import annotations

import operator

__all__ = ["float32_fields"]

FRACTION_BITS, EXPONENT_BITS = 23, 8
BIAS = 127  # a stored exponent of 127 means 2 to the 0


def float32_fields(bits: int) -> tuple[int, int, int]:
    """Sign, significand and exponent of a float32, all as ints: its value is ±significand · 2^exponent.

    A float32 has a sign bit, 8 bits of exponent and 23 bits of fraction. A normal number has a 1 in front of
    its fraction that is not stored. Where the stored exponent is 0 there is no such 1: those are zero and the
    subnormal numbers, which fill the gap between zero and the least normal number evenly.

    Args:
        bits: the four bytes as an int from 0 to 2^32 - 1: ``x.view(int32)``, plus 2^32 if negative.

    Returns:
        the sign bit, the significand and the exponent.

    Raises:
        ValueError: the bits say infinity or not a number, or they are no 32 bits.
        TypeError: `bits` is not an integer.

    Example:
        >>> float32_fields(0x3FC00000)  # 1.5 is 12582912 · 2^-23
        (0, 12582912, -23)
        >>> float32_fields(0x80000000), float32_fields(0x00000001)  # -0.0, and the least number above 0
        ((1, 0, -149), (0, 1, -149))
    """
    bits = operator.index(bits)
    if not 0 <= bits < 2**32:
        raise ValueError(f"{bits} has no 32 bits: give an int from 0 to 2**32 - 1")
    sign = bits >> (FRACTION_BITS + EXPONENT_BITS)
    stored = bits >> FRACTION_BITS & (2**EXPONENT_BITS - 1)
    fraction = bits & (2**FRACTION_BITS - 1)
    if stored == 2**EXPONENT_BITS - 1:
        what = "not a number" if fraction else "infinity"
        raise ValueError(f"the bits {bits:#010x} say {what}, which has no significand")
    if stored == 0:
        return sign, fraction, 1 - BIAS - FRACTION_BITS
    return sign, fraction + 2**FRACTION_BITS, stored - BIAS - FRACTION_BITS
