"""New memory, placed with regard to the lines of the caches.

A vector of 64 bytes that lies across two lines costs two accesses, and a store of it waits for both lines.
NumPy's memory begins anywhere in a line. So where many cells are walked along, what is read and what is
written should lie alike: then a loop that begins at a line of one begins at a line of the other.
"""

from __future__ import annotations

import numpy as np

__all__ = ["LARGE", "aligned", "beside"]

# Cells from which it matters where memory begins; below, the calls that see to it take longer.
LARGE = 1 << 14

LINE = 64  # bytes to a line of every cache that is common today


def aligned(count: int, cell: np.dtype) -> np.ndarray:
    """Memory for `count` cells that begins a line and holds whatever it held before.

    Example:
        >>> aligned(100, np.dtype(np.float32)).ctypes.data % 64
        0
    """
    return _placed(0, count, cell)


def beside(cells: np.ndarray, count: int, cell: np.dtype) -> np.ndarray:
    """Memory for `count` cells, for a result; where they are many, it begins where in a line `cells` begin.

    Example:
        >>> x = np.zeros(100_001, np.float32)[1:]
        >>> (beside(x, 100_000, x.dtype).ctypes.data - x.ctypes.data) % 64
        0
    """
    if count < LARGE:
        return np.empty(count, cell)
    return _placed(_address(cells), count, cell)


def _placed(place: int, count: int, cell: np.dtype) -> np.ndarray:
    memory = np.empty(count + LINE // cell.itemsize, cell)
    before = (place - _address(memory)) % LINE // cell.itemsize
    return memory[before : before + count]


def _address(cells: np.ndarray) -> int:
    address: int = cells.__array_interface__["data"][0]
    return address
