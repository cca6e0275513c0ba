"""float16 and bfloat16 inside kernels: sixteen bits in, float32 to compute with, sixteen bits out.

Both are written with integer arithmetic on the bits, which every CPU has and every compiler vectorises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype

__all__ = ["TYPES", "narrow_name", "needed", "widen_name"]

TYPES = (dtypes.float16, dtypes.bfloat16)


# Numba gives the result of uint32 arithmetic as uint64, so each result is narrowed before its bits are read
# as a float.


def float16_to_float32(half):  # type: ignore[no-untyped-def]
    sign = (np.uint32(half) & np.uint32(0x8000)) << np.uint32(16)
    magnitude = np.uint32((np.uint32(half) & np.uint32(0x7FFF)) << np.uint32(13))
    # The exponent moves from 5 bits to 8 with another bias: multiply by 2^112, exact for subnormals too.
    wide = np.float32(magnitude.view(np.float32) * np.float32(5.192296858534828e33)).view(np.uint32)
    if magnitude >= np.uint32(0x0F800000):  # exponent of all ones: infinity or NaN
        wide = np.uint32(magnitude | np.uint32(0x7F800000))
    return np.uint32(sign | wide).view(np.float32)


def float32_to_float16(single):  # type: ignore[no-untyped-def]
    bits = np.float32(single).view(np.uint32)
    sign = (bits >> np.uint32(16)) & np.uint32(0x8000)
    magnitude = np.uint32(bits & np.uint32(0x7FFFFFFF))
    if magnitude > np.uint32(0x7F800000):  # NaN
        half = np.uint32(0x7E00)
    elif magnitude >= np.uint32(0x477FF000):  # 65520 and above round to infinity
        half = np.uint32(0x7C00)
    elif magnitude < np.uint32(0x38800000):  # below 2^-14: adding 0.5 rounds at the subnormals' last bit
        shifted = np.float32(magnitude.view(np.float32) + np.float32(0.5))
        half = np.uint32(shifted.view(np.uint32) - np.uint32(0x3F000000))
    else:  # 13 bits are dropped; ties go to even
        odd = (magnitude >> np.uint32(13)) & np.uint32(1)
        half = np.uint32((magnitude - np.uint32(0x38000000) + np.uint32(0xFFF) + odd) >> np.uint32(13))
    return np.uint16(sign | half)


def bfloat16_to_float32(half):  # type: ignore[no-untyped-def]
    return np.uint32(np.uint32(half) << np.uint32(16)).view(np.float32)


def float32_to_bfloat16(single):  # type: ignore[no-untyped-def]
    bits = np.float32(single).view(np.uint32)
    if np.uint32(bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000):  # NaN
        return np.uint16(0x7FC0)
    odd = (bits >> np.uint32(16)) & np.uint32(1)  # ties go to even
    return np.uint16((bits + np.uint32(0x7FFF) + odd) >> np.uint32(16))


_CONVERSIONS: dict[dtype, tuple[Callable, Callable]] = {
    dtypes.float16: (float16_to_float32, float32_to_float16),
    dtypes.bfloat16: (bfloat16_to_float32, float32_to_bfloat16),
}


def needed(element_types: Iterable[dtype]) -> list[Callable]:
    """The conversions that a kernel on these dtypes needs, each once."""
    return [f for t in dict.fromkeys(element_types) if t in _CONVERSIONS for f in _CONVERSIONS[t]]


def widen_name(element_type: dtype) -> str:
    """The name of the function from this type's bits to float32."""
    return _CONVERSIONS[element_type][0].__name__


def narrow_name(element_type: dtype) -> str:
    """The name of the function from float32 to this type's bits."""
    return _CONVERSIONS[element_type][1].__name__
