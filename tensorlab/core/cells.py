"""Python numbers to storage cells and back.

A cell holds bits. `encode` turns Python numbers into the bits of a dtype and refuses a value that does not
fit; `decode` turns bits into Python numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype

# Numbers between its negative and itself become finite float32, without a warning of overflow.
LARGEST_32 = 3.4e38


def to_float32(cells: np.ndarray, d: dtype) -> np.ndarray:
    """The float32 values of float16 or bfloat16 cells; every one of them is exact."""
    if d is dtypes.float16:
        return cells.view(np.float16).astype(np.float32)
    return (cells.astype(np.uint32) << np.uint32(16)).view(np.float32)


def from_float32(values: np.ndarray, d: dtype) -> np.ndarray:
    """float16 or bfloat16 cells nearest to float32 values, ties to even.

    A bfloat16 is the upper half of a float32. Adding 0x7FFF, and one more where the kept part is odd, carries
    into it exactly when the dropped half is more than a half, or a half and the kept part odd.
    """
    if d is dtypes.float16:
        with np.errstate(over="ignore"):
            return values.astype(np.float16).view(np.uint16)
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    rounded = ((bits + np.uint32(0x7FFF) + odd) >> np.uint32(16)).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)


def decode(cells: np.ndarray, d: dtype) -> list:
    """The cells as Python numbers, in order.

    Example:
        >>> decode(np.array([0x3F80, 0x4049], np.uint16), dtypes.bfloat16)
        [1.0, 3.140625]
    """
    if d is dtypes.float16 or d is dtypes.bfloat16:
        return to_float32(cells, d).tolist()
    return cells.tolist()


def wrap_integer(value: int, d: dtype) -> int:
    """An int brought into the range of an integer dtype as its own arithmetic would: modulo 2 to the bits.

    Example:
        >>> wrap_integer(1000, dtypes.int8)
        -24
    """
    low, high = dtypes.integer_range(d)
    return (value - low) % (high - low + 1) + low


def encode_one(value: bool | int | float, d: dtype) -> np.generic:
    """The cell that holds one Python number.

    A float becomes an integer by dropping its fraction. An int may be as negative as an unsigned type is
    large, and wraps around, as in PyTorch.

    Raises:
        RuntimeError: an integer dtype cannot hold the value.

    Example:
        >>> int(encode_one(-1, dtypes.uint8)), float(encode_one(0.1, dtypes.float32))
        (255, 0.10000000149011612)
        >>> encode_one(300, dtypes.uint8)
        Traceback (most recent call last):
            ...
        RuntimeError: value 300 cannot be converted to type uint8 without overflow: uint8 holds 0 … 255
    """
    if d is dtypes.float32 and -LARGEST_32 < value < LARGEST_32:
        return np.float32(value)
    if d.category == dtypes.INTEGER:
        low, high = dtypes.integer_range(d)
        if isinstance(value, float) and not math.isfinite(value):
            fits = False
        else:
            whole = int(value)
            fits = low <= whole <= high or (not d.is_signed and -high <= whole < 0)
        if not fits:
            raise RuntimeError(
                f"value {value} cannot be converted to type {d.name} without overflow: "
                f"{d.name} holds {low} … {high}"
            )
        return d.cell.type(whole % (high + 1) if not d.is_signed else whole)
    if d is dtypes.bool:
        return np.bool_(value)
    if d is dtypes.float64:
        return np.float64(value)
    with np.errstate(over="ignore"):
        single = np.float32(value)
    return single if d is dtypes.float32 else from_float32(single.reshape(1), d)[0]


def encode(values: Sequence[bool | int | float], d: dtype) -> np.ndarray:
    """A flat array of the cells that hold Python numbers (see `encode_one` for one).

    Example:
        >>> encode([1, 2.7], dtypes.int16).tolist()
        [1, 2]
    """
    if d is dtypes.float64 or d is dtypes.bool:
        return np.array(values, d.cell)
    if d is dtypes.float32:
        if values and min(values) > -LARGEST_32 and max(values) < LARGEST_32:
            return np.array(values, d.cell)
        with np.errstate(over="ignore"):
            return np.array(values, d.cell)
    if d.is_floating_point:
        with np.errstate(over="ignore"):
            return from_float32(np.array(values, np.float32), d)
    if set(map(type, values)) == {int}:
        low, high = dtypes.integer_range(d)
        if low <= min(values) and max(values) <= high:
            return np.array(values, d.cell)
    return np.array([encode_one(value, d) for value in values], d.cell)
