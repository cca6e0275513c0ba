"""The k-th element in order, found by counting: nothing is moved, and nothing is copied.

What orders an element is an integer (see `tensorlab.backends.cpu.ranking`). A first pass counts how many of
these integers begin with each value of their upper eleven bits; so it is known with which of them the k-th
begins. A second pass counts the next bits of those alone, and so on.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlab import dtypes
from tensorlab.backends.cpu import jit
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.ranking import BITS
from tensorlab.dtypes import dtype

__all__ = ["kth_cell"]

# Bits that are counted at once: 2048 counters fill 16 KB, half of a small first-level cache.
DIGIT = 11

# Cells that are taken at once: what orders them is found by vector instructions, before they are counted.
BLOCK = 256

# What is looked for: the k-th, where NaN is greater than all numbers; the lower median, or the first NaN; the
# lower median of the numbers.
KTH, MEDIAN, NANMEDIAN = range(3)
RULES = {"kth": KTH, "median": MEDIAN, "nanmedian": NANMEDIAN}

_WIDE = {dtypes.int64: (1 << 63, 0), dtypes.float64: (1 << 63, 0x7FF0 << 48)}


def kth_cell(
    cells: np.ndarray,
    start: int,
    shape: Sequence[int],
    strides: Sequence[int],
    element_type: dtype,
    rule: str,
    k: int = 0,
    bounds: tuple[int, int] | None = None,
) -> int:
    """See `tensorlab.backends.ordering.OrderOperations.kth_cell`."""
    sign, infinity, most = _type_of(element_type)
    low, bits = np.uint64(0), 8 * element_type.itemsize
    if bounds is not None:
        least, greatest = bounds
        low, bits = np.uint64(least + int(sign)), (greatest - least).bit_length()
    sizes, steps = _walk(tuple(shape), tuple(strides))
    return int(_select(cells, start, sizes, steps, sign, infinity, low, most, bits, RULES[rule], k))


@functools.lru_cache
def _type_of(element_type: dtype) -> tuple[np.uint64, np.uint64, np.uint64]:
    """The sign bit of a cell, the bits of infinity, and what orders NaN."""
    sign, infinity = _WIDE.get(element_type) or BITS[element_type]
    return np.uint64(sign), np.uint64(infinity), np.uint64((1 << 8 * element_type.itemsize) - 1)


@functools.lru_cache(1024)
def _walk(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    sizes, (steps,) = coalesce(shape, [strides], keep_order=len(shape) == 1)
    return np.array(sizes, np.int64), np.array(steps, np.int64)


@jit.helper
def _row_start(row: int, start: int, shape: np.ndarray, strides: np.ndarray) -> int:
    """The cell that a row of the last dimension begins with."""
    for dim in range(shape.size - 2, -1, -1):
        start += row % shape[dim] * strides[dim]
        row //= shape[dim]
    return start


@jit.helper
def _take(
    cells: np.ndarray,
    at: int,
    step: int,
    count: int,
    sign: Any,
    infinity: Any,
    low: Any,
    most: Any,
    keys: Any,
) -> None:
    """What orders each of some cells, as an integer; NaN is the greatest, and the two zeros are equal."""
    first = np.uint64(at)
    if step == 1:
        for j in range(count):
            keys[j] = cells[first + np.uint64(j)]
    else:
        for j in range(count):
            keys[j] = cells[first + np.uint64(j) * np.uint64(step)]
    if not infinity:
        for j in range(count):
            keys[j] = (keys[j] ^ sign) - low
        return
    for j in range(count):
        magnitude = keys[j] & (sign - np.uint64(1))
        key = sign - magnitude if keys[j] & sign else sign + magnitude
        keys[j] = most if magnitude > infinity else key


@jit.helper
def _count(keys: np.ndarray, size: int, key: Any, mask: Any) -> int:
    """How many keys are some key, as far as the mask goes."""
    count = 0
    for j in range(size):
        count += int(keys[j] & mask == key)
    return count


@jit.kernel()
def _select(  # type: ignore[no-untyped-def]
    cells, start, shape, strides, sign, infinity, low, most, bits, rule, k
):
    """The cell of the element that is looked for: of equal ones that which a stable order has there."""
    n, step = shape[shape.size - 1], strides[shape.size - 1]
    rows = 1
    for dim in range(shape.size - 1):
        rows *= shape[dim]
    if rule != KTH:
        k = (rows * n - 1) // 2
    counts, keys = np.empty(1 << DIGIT, np.int64), np.empty(BLOCK, np.uint64)
    known, found = np.uint64(0), np.uint64(0)  # which bits of the wanted integer are known, and they
    shift, unordered = bits, 0
    while shift > 0:
        width = min(DIGIT, shift)
        first = shift == bits
        shift -= width
        down, digits = np.uint64(shift), np.uint64((1 << width) - 1)
        counts[:] = 0
        for row in range(rows):
            at = _row_start(row, start, shape, strides)
            for begin in range(0, n, BLOCK):
                size = min(BLOCK, n - begin)
                _take(cells, at + begin * step, step, size, sign, infinity, low, most, keys)
                if first:
                    unordered += _count(keys, size, most, most)
                    for j in range(size):
                        counts[keys[j] >> down] += 1
                elif _count(keys, size, found, known):
                    for j in range(size):
                        if keys[j] & known == found:
                            counts[(keys[j] >> down) & digits] += 1
        if first and infinity and unordered and rule != KTH:
            k = max(rows * n - unordered - 1, 0) // 2
            if rule == MEDIAN or unordered == rows * n:
                k, found = 0, most
                break
        digit = 0
        while k >= counts[digit]:
            k -= counts[digit]
            digit += 1
        known |= digits << down
        found |= np.uint64(digit) << down
    for row in range(rows):
        at = _row_start(row, start, shape, strides)
        for begin in range(0, n, BLOCK):
            size = min(BLOCK, n - begin)
            _take(cells, at + begin * step, step, size, sign, infinity, low, most, keys)
            equal = _count(keys, size, found, most)
            if k < equal:
                for j in range(size):
                    k -= int(keys[j] == found)
                    if k < 0:
                        return at + (begin + j) * step
            k -= equal
    return start
