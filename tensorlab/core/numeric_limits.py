"""What the numbers of a dtype can express: the largest, the smallest, the finest step."""

from __future__ import annotations

from dataclasses import dataclass

from tensorlab.core import dtypes
from tensorlab.core.dtypes import FLOATING, INTEGER

# Of each floating dtype: the bits of the fraction, and the exponent of the largest power of 2.
_FORMATS = {
    dtypes.float16: (10, 15),
    dtypes.bfloat16: (7, 127),
    dtypes.float32: (23, 127),
    dtypes.float64: (52, 1023),
}


@dataclass(frozen=True, slots=True, init=False, repr=False)
class finfo:
    """The limits of a floating dtype.

    Attributes:
        bits: bits of a number.
        min, max: the least and the greatest finite number.
        eps: from 1.0 to the next larger number.
        tiny: the least positive number of full precision; `smallest_normal` is the same.
        resolution: 10 to minus the decimal digits that are always kept.
        dtype: the dtype's name.

    Raises:
        TypeError: it is no floating dtype.

    Example:
        >>> import tensorlab as tl
        >>> tl.finfo(tl.float16)
        finfo(resolution=0.001, min=-65504, max=65504, eps=0.000976562, smallest_normal=6.10352e-05, \
tiny=6.10352e-05, dtype=float16)
    """

    bits: int
    min: float
    max: float
    eps: float
    tiny: float
    smallest_normal: float
    resolution: float
    dtype: str

    def __init__(self, type: dtypes.dtype | None = None) -> None:
        element_type = dtypes.get_default_dtype() if type is None else type
        if not isinstance(element_type, dtypes.dtype) or element_type.category != FLOATING:
            raise TypeError(
                f"finfo() requires a floating point input type, got {element_type!r}: iinfo() is for integers"
            )
        fraction, exponent = _FORMATS[element_type]
        greatest = dtypes.finfo_max(element_type)
        smallest = 2.0 ** (1 - exponent)
        digits = int(fraction * 0.30102999566398120)  # log10(2)
        facts = {
            "bits": element_type.itemsize * 8,
            "min": -greatest,
            "max": greatest,
            "eps": 2.0**-fraction,
            "tiny": smallest,
            "smallest_normal": smallest,
            "resolution": float(f"1e-{digits}"),
            "dtype": element_type.name,
        }
        for name, value in facts.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        shown = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{name}={getattr(self, name):g}' for name in shown)}, dtype={self.dtype})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class iinfo:
    """The limits of an integer dtype.

    Attributes:
        bits: bits of a number.
        min, max: the least and the greatest number.
        dtype: the dtype's name.

    Raises:
        TypeError: it is no integer dtype.

    Example:
        >>> import tensorlab as tl
        >>> tl.iinfo(tl.uint8), tl.iinfo(tl.int16).min
        (iinfo(min=0, max=255, dtype=uint8), -32768)
    """

    bits: int
    min: int
    max: int
    dtype: str

    def __init__(self, type: dtypes.dtype) -> None:
        if not isinstance(type, dtypes.dtype) or type.category != INTEGER:
            raise TypeError(f"iinfo() requires an integer input type, got {type!r}: finfo() is for floats")
        low, high = dtypes.integer_range(type)
        for name, value in {"bits": type.itemsize * 8, "min": low, "max": high, "dtype": type.name}.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
