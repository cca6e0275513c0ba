"""Elements in order: where they stand, and where a number would.

What orders an element is an integer. Where 32 bits are enough for it, an integer of 64 bits has them above
and the element's place below. No two such numbers are equal, so whichever way they are sorted equal elements
stay in their order; and NumPy sorts integers, and parts them around the k-th, with vector instructions, many
times as fast as it finds an order of floats. A single element of a long row is found by counting
(`tensorlab.backends.cpu.kth`), and PyTorch's choice among equal ones by its own steps
(`tensorlab.backends.cpu.topk`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlab.backends.cpu import jit, pointers
from tensorlab.backends.cpu.intrinsics import on_stack
from tensorlab.backends.cpu.kth import kth
from tensorlab.backends.cpu.topk import first_k
from tensorlab.backends.operands import Buffer, Launch
from tensorlab.core import dtypes
from tensorlab.core.cells import to_float32
from tensorlab.core.dtypes import dtype

__all__ = ["BITS", "sort"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# Of each dtype the sign bit of a cell, and the bits of infinity; 0 where there is none. A float's other bits
# order its magnitude as an integer's do, and whatever lies above infinity is NaN.
BITS = {
    dtypes.bool: (0, 0),
    dtypes.uint8: (0, 0),
    dtypes.int8: (1 << 7, 0),
    dtypes.int16: (1 << 15, 0),
    dtypes.int32: (1 << 31, 0),
    dtypes.int64: (1 << 63, 0),
    dtypes.float16: (1 << 15, 0x7C00),
    dtypes.bfloat16: (1 << 15, 0x7F80),
    dtypes.float32: (1 << 31, 0x7F800000),
    dtypes.float64: (1 << 63, 0x7FF0 << 48),
}

HALVES = (dtypes.float16, dtypes.bfloat16)

# More cells than this in a row have no number of 32 bits each, and no more integers are told apart.
MOST = 1 << 32

# So many of a row are kept in order while the row is read once. A better one moves all that come after it.
FEW = 16

# Of rows of this size or longer, one element is found by counting; of shorter ones all are put in order.
COUNTED = 1 << 12


def sort(
    element_type: dtype,
    rows: int,
    size: int,
    wanted: tuple[int, int],
    descending: bool,
    stable: bool = True,
) -> Launch:
    """See `tensorlab.backends.protocol.Core.sort`."""
    first, end = wanted
    count = end - first

    def launch(places: Buffer, source: Buffer) -> None:
        (out, to), (memory, start) = places, source
        cells, found = memory[start : start + rows * size], out[to : to + rows * count].reshape(rows, count)
        if not stable:
            found[...] = _as_pytorch(cells.reshape(rows, size), element_type, count, descending)
        elif count == 1 and not descending and size >= COUNTED:
            for row in range(rows):
                found[row] = _kth(cells[row * size : (row + 1) * size], element_type, first)
        elif not _by_number(cells, element_type, size, first, descending, found):
            found[...] = _by_numpy(cells.reshape(rows, size), first, end, descending)

    return launch


def _as_pytorch(cells: np.ndarray, element_type: dtype, k: int, descending: bool) -> np.ndarray:
    """The first k. Where no two keys in question are equal, there is one order, and any way to it will do."""
    rows, size = cells.shape
    keys = to_float32(cells, element_type) if element_type in HALVES else cells
    places = np.empty((rows, min(k + 1, size)), np.int64)
    if _by_number(cells.reshape(-1), element_type, size, 0, descending, places):
        values = np.take_along_axis(keys, places, -1)
        ahead, behind = values[:, :-1], values[:, 1:]
        if (ahead > behind if descending else ahead < behind).all():
            return places[:, :k]
    return first_k(keys.copy() if keys is cells else keys, k, descending)


def _kth(cells: np.ndarray, element_type: dtype, k: int) -> int:
    """The place of one element of a long row."""
    sign, infinity = BITS[element_type]
    low, bits = 0, 8 * element_type.itemsize
    if element_type.category == dtypes.INTEGER and bits >= 32:  # of many bits, often only some are used
        least, greatest = int(cells.min()), int(cells.max())
        low, bits = least + sign, max((greatest - least).bit_length(), 1)
    raw = cells.view(f"u{cells.itemsize}")
    return kth(raw, k, np.uint64(sign), np.uint64(infinity), np.uint64(low), bits)


def _by_numpy(keys: np.ndarray, first: int, end: int, descending: bool) -> np.ndarray:
    """The places first … end - 1 in order, of elements that 32 bits do not tell apart."""
    size = keys.shape[-1]
    if 4 * end < size:  # those that come first are parted from the rest, and put in order
        split = size - end if descending else end - 1
        chosen = np.argpartition(keys, split, axis=-1)
        chosen = np.sort(chosen[:, split:] if descending else chosen[:, :end], axis=-1)
        ordered = _by_numpy(np.take_along_axis(keys, chosen, axis=-1), first, end, descending)
        return np.take_along_axis(chosen, ordered, axis=-1)
    if not descending:
        return np.argsort(keys, axis=-1, kind="stable")[:, first:end]
    # Sorted backwards and read backwards, equal elements stand in their order again.
    backwards = np.argsort(keys[:, ::-1], axis=-1, kind="stable")[:, ::-1]
    return size - 1 - backwards[:, first:end]


# --- order by numbering ---------------------------------------------------------------------------------


def _by_number(
    cells: np.ndarray, element_type: dtype, size: int, first: int, descending: bool, places: np.ndarray
) -> bool:
    """Write the places of each row's elements in order, from `first` on; False if 32 bits are too few."""
    sign, infinity = BITS[element_type]
    if size >= MOST or element_type is dtypes.float64:
        return False
    low = 0
    if element_type is dtypes.int64:
        sign, low = 0, int(cells.min())
        if int(cells.max()) - low >= MOST:
            return False
    raw, kind = cells.view(f"u{cells.itemsize}"), (sign, infinity, low, descending)
    rows, count = places.shape
    if not first and count <= FEW and count < size:
        _first(raw, size, *kind, count, places.reshape(-1))
        return True
    # Where all are wanted, the numbers are kept where the places will be.
    keys = places.view(np.uint64) if count == size else np.empty((rows, size), np.uint64)
    number(raw, keys.reshape(-1), size, *kind)
    last = first + count - 1
    if 4 * count < size:
        keys.partition((first, last))
        keys[:, first : last + 1].sort()
    else:
        keys.sort()
    places[...] = (keys[:, first : last + 1] & MOST_KEY).view(np.int64)
    return True


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
def _first(cells, size, sign, infinity, low, backwards, count, places):
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
