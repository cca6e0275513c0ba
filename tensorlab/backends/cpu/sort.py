"""Order by numbering: how an element compares, and where it stands, as one integer of 64 bits.

The upper 32 bits order the elements and the lower 32 say where each stood. No two such numbers are equal, so
whichever way they are sorted equal elements stay in their order; and NumPy sorts integers, and parts them
around the k-th, with vector instructions, many times as fast as it finds an order of floats.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlab.backends.cpu import jit, pointers
from tensorlab.backends.cpu.intrinsics import on_stack
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype

__all__ = ["BITS", "rank_by_number", "search"]

# mypy: disable-error-code="no-untyped-def"

# Of each dtype the sign bit of a cell, and the bits of infinity; 0 where there is none. A float's other bits
# order its magnitude as an integer's do, and whatever lies above infinity is NaN.
BITS = {
    dtypes.bool: (0, 0),
    dtypes.uint8: (0, 0),
    dtypes.int8: (1 << 7, 0),
    dtypes.int16: (1 << 15, 0),
    dtypes.int32: (1 << 31, 0),
    dtypes.int64: (0, 0),
    dtypes.float16: (1 << 15, 0x7C00),
    dtypes.bfloat16: (1 << 15, 0x7F80),
    dtypes.float32: (1 << 31, 0x7F800000),
}

# More cells than this in a row have no number of 32 bits each, and no more integers are told apart.
MOST = 1 << 32

# Up to this many cells get numbers in room of their own, 512 KB, where there is none in the results.
ROOM = 1 << 16

# So many of a row are kept in order while the row is read once. A better one moves all that come after it.
FEW = 16


def rank_by_number(
    cells: np.ndarray,
    element_type: dtype,
    size: int,
    backwards: bool,
    values: np.ndarray,
    places: np.ndarray,
) -> bool:
    """`rank` of `tensorlab.backends.protocol.Core` where it is stable."""
    kind = numbering(cells, element_type, size, backwards)
    if kind is None:
        return False
    rows = cells.size // size
    count = places.size // rows
    if count <= FEW and count < size:
        _first(cells, size, *kind, count, values, places)
        return True
    if count < size and cells.size > ROOM:
        return False
    # Where all are wanted, the numbers are kept where the places will be.
    keys = places.view(np.uint64) if count == size else np.empty(cells.size, np.uint64)
    number(cells, keys, size, *kind)
    table = keys if rows == 1 else keys.reshape(rows, size)
    if 4 * count < size:
        table.partition(count - 1)
        table = table[..., :count]
    table.sort()
    _pick(cells, keys, size, count, values, places)
    return True


def numbering(
    cells: np.ndarray, element_type: dtype, size: int, backwards: bool
) -> tuple[int, int, int, bool] | None:
    """The last arguments of `number` for cells of a dtype; None where 32 bits do not tell them apart."""
    if element_type not in BITS or size >= MOST:
        return None
    low = 0
    if element_type is dtypes.int64:
        numbers = cells.view(np.int64)
        low = int(numbers.min())
        if int(numbers.max()) - low >= MOST:
            return None
    return (*BITS[element_type], low, backwards)


@jit.helper
def _key(bits: Any, sign: Any, infinity: Any, low: Any) -> Any:
    """What orders a cell, as an integer below 2^32."""
    if not infinity:
        return (bits ^ sign) - low
    magnitude = bits & (sign - np.uint64(1))
    key = sign - magnitude if bits & sign else sign + magnitude  # the two zeros are equal
    return MOST_KEY if magnitude > infinity else key


MOST_KEY = np.uint64(0xFFFFFFFF)


@jit.kernel()
def number(cells, keys, size, sign, infinity, low, backwards):
    """For each cell what orders it, and below that its place in its row of `size` cells."""
    sign, infinity, low = np.uint64(sign), np.uint64(infinity), np.uint64(np.int64(low))
    flip = MOST_KEY if backwards else np.uint64(0)
    for start in range(0, cells.size, size):
        row, out = cells[start : start + size], keys[start : start + size]
        for i in range(size):
            key = _key(np.uint64(row[i]), sign, infinity, low) ^ flip
            out[i] = (key << np.uint64(32)) | np.uint64(i)


@jit.kernel()
def _pick(cells, keys, size, count, values, places):
    """The places that the first `count` numbers of each row of `size` stand for, and the cells, if wanted."""
    for row in range(cells.size // size):
        for i in range(count):
            place = np.int64(keys[row * size + i] & MOST_KEY)
            if values.size:
                values[row * count + i] = cells[row * size + place]
            places[row * count + i] = place


@jit.kernel()
def _first(cells, size, sign, infinity, low, backwards, count, values, places):
    """The first few of each row: a better one moves those that come after it, and the last one goes."""
    sign, infinity, low = np.uint64(sign), np.uint64(infinity), np.uint64(np.int64(low))
    flip = MOST_KEY if backwards else np.uint64(0)
    keys = pointers.at(on_stack(places, FEW), 0)
    for row in range(cells.size // size):
        line, own = pointers.at(cells, row * size), pointers.at(places, row * count)
        found = 0
        for i in range(size):
            key = np.int64(_key(np.uint64(line[i]), sign, infinity, low) ^ flip)
            if found < count:
                found += 1
            elif key >= keys[count - 1]:
                continue
            j = found - 1
            while j > 0 and key < keys[j - 1]:
                keys[j], own[j] = keys[j - 1], own[j - 1]
                j -= 1
            keys[j], own[j] = key, i
        for j in range(count):
            values[row * count + j] = line[own[j]]


# Places in sorted sequences, by halving.


@jit.kernel()
def search(places, numbers, sequences, order, length, several, after):
    """For each number, how many elements of its sorted sequence come before it.

    Args:
        places: receives the results.
        numbers: what is looked for.
        sequences: the sorted elements, one sequence after another.
        order: where the sorted elements stand in `sequences`; empty if they stand in order.
        length: of one sequence.
        several: how many numbers are looked for in each sequence.
        after: whether equal elements come before the number too.
    """
    for i in range(numbers.size):
        start = i // several * length
        low, high = 0, length
        number = numbers[i]
        while low < high:
            middle = low + (high - low) // 2
            place = order[start + middle] if order.size else middle
            element = sequences[start + place]
            # Put as a negation, so that a NaN in the sequence comes before every number, as in PyTorch.
            if not (element > number if after else element >= number):
                low = middle + 1
            else:
                high = middle
        places[i] = low
