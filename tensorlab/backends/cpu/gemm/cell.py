"""What differs between dtypes inside the kernels: the compute type, and the way from a cell to it and back.

The files of this folder are written in these names. As they stand here they mean float32, so that every
function can be called and stepped through as it is; `text.py` puts others in their place for other dtypes.
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu.gemm.blocks import blocks

Number = np.float32
# To the compiler a constant in a call is a type of its own, for which it would make the function anew.
ONE, YES, NO = np.int64(1), np.bool_(True), np.bool_(False)
SAME = True  # whether a cell is a number of the compute type

_sizes = blocks(4)
LANES, ROWS, WIDTH = _sizes.lanes, _sizes.rows, _sizes.width
STEPS, HEIGHT, COLUMNS = _sizes.steps, _sizes.height, _sizes.columns
VECTORS, BYTES = WIDTH // LANES, LANES * 4


def widen(cell):
    """A cell as a number of the compute type."""
    return Number(cell)


def narrow(number):
    """A number of the compute type as a cell, rounded once."""
    return np.float32(number)


def numbers(cells, copied):
    """A pointer to numbers: the cells themselves where they are numbers, else those that were copied."""
    return cells


def activate(number):
    """The function that follows the product: none."""
    return number
