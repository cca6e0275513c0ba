"""A product and a sum rounded once: the instruction that makes ``a * b + c`` the same on every device."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numba.core import config
from numba.extending import intrinsic

__all__ = ["fma"]


@intrinsic
def _fused(typing: Any, a: Any, b: Any, c: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return a(a, a, a), generate


def _interpreted(a: np.floating, b: np.floating, c: np.floating) -> np.floating:
    """The same for the interpreter, by exact fractions.

    Python's conversion of a fraction to a float is rounded correctly. A float32 is rounded a second time;
    that goes wrong only where the first rounding made a tie out of what was none. So an inexact first result
    is moved to its neighbour with an odd last bit, which is never a tie.
    """
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if not exact:
        return a * b + c  # which sign a zero has is decided by the operands
    rounded = float(exact)
    even = not np.float64(rounded).view(np.int64) & 1
    if isinstance(a, np.float32) and even and Fraction(rounded) != exact:
        rounded = math.nextafter(rounded, math.inf if exact > Fraction(rounded) else -math.inf)
    return type(a)(rounded)


# Python's math.fma has come only with 3.13, and does not know float32.
fma: Callable[..., Any] = _interpreted if config.DISABLE_JIT else _fused  # type: ignore[attr-defined]
