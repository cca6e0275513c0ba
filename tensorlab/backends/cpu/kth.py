"""The k-th element of a row in order, found by counting: nothing is moved, and nothing is copied.

What orders an element is an integer (see `tensorlab.backends.cpu.sort`). A first pass counts how many of
these integers begin with each value of their upper eleven bits; so it is known with which of them the k-th
begins. A second pass counts the next bits of those alone, and so on: a radix select.
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu import jit

__all__ = ["kth"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# Bits that are counted at once: 2048 counters fill 16 KB, half of a small first-level cache.
DIGIT = 11

# Cells that are taken at once: what orders them is found by vector instructions, before they are counted.
BLOCK = 256


@jit.helper
def order_block(cells, begin, size, sign, infinity, low, most, keys):
    """What orders each of some cells, as an integer; NaN is the greatest, and the two zeros are equal."""
    first = np.uint64(begin)
    for j in range(size):
        keys[j] = cells[first + np.uint64(j)]
    if not infinity:
        for j in range(size):
            keys[j] = (keys[j] ^ sign) - low
        return
    for j in range(size):
        magnitude = keys[j] & (sign - np.uint64(1))
        key = sign - magnitude if keys[j] & sign else sign + magnitude
        keys[j] = most if magnitude > infinity else key


@jit.helper
def count_equal(keys, size, key, mask):
    """How many keys are some key, as far as the mask goes."""
    count = 0
    for j in range(size):
        count += int(keys[j] & mask == key)
    return count


@jit.kernel()
def kth(cells, k, sign, infinity, low, bits):
    """The place of the k-th cell in order, from 0: of equal ones that which a stable order has there.

    Args:
        cells: unsigned integers of the cells' width.
        k: which.
        sign, infinity: see `tensorlab.backends.cpu.sort.BITS`.
        low: what orders the least.
        bits: how many bits tell the cells apart.
    """
    most = np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(64 - bits)
    counts, keys = np.empty(1 << DIGIT, np.int64), np.empty(BLOCK, np.uint64)
    known, found = np.uint64(0), np.uint64(0)  # which bits of the wanted integer are known, and they
    shift = bits
    while shift > 0:
        width = min(DIGIT, shift)
        first = shift == bits
        shift -= width
        down, digits = np.uint64(shift), np.uint64((1 << width) - 1)
        counts[:] = 0
        for begin in range(0, cells.size, BLOCK):
            size = min(BLOCK, cells.size - begin)
            order_block(cells, begin, size, sign, infinity, low, most, keys)
            if first:
                for j in range(size):
                    counts[keys[j] >> down] += 1
            elif count_equal(keys, size, found, known):
                for j in range(size):
                    if keys[j] & known == found:
                        counts[(keys[j] >> down) & digits] += 1
        digit = 0
        while k >= counts[digit]:
            k -= counts[digit]
            digit += 1
        known |= digits << down
        found |= np.uint64(digit) << down
    for begin in range(0, cells.size, BLOCK):
        size = min(BLOCK, cells.size - begin)
        order_block(cells, begin, size, sign, infinity, low, most, keys)
        equal = count_equal(keys, size, found, most)
        if k < equal:
            for j in range(size):
                k -= int(keys[j] == found)
                if k < 0:
                    return begin + j
        k -= equal
    return 0
