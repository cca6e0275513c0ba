"""What differs between dtypes inside the kernels: the compute type, and the way from a cell to it and back.

The files of this folder are written in these names. As they stand here they mean float32, so that every
function can be called and stepped through as it is; `text.py` puts others in their place for other dtypes.
"""

from __future__ import annotations

import numpy as np

__all__ = ["Number", "narrow", "weight", "widen"]

Number = np.float32


def widen(cell):
    """A cell as a number of the compute type."""
    return Number(cell)


def weight(alpha, cell):
    """A cell of A, times alpha."""
    return Number(alpha * widen(cell))


def narrow(number):
    """A number of the compute type as a cell, rounded once."""
    return np.float32(number)
