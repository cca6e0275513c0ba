"""The parts of a kernel that depend on dtypes and distributions, as they are for uniform numbers of float32.

Fills and counter call them by these names. `tensorlab.backends.cpu.random.assemble` gives the names another
meaning in each kernel.
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu.random.engine import BLOCK, remainder_of_one, single_of
from tensorlab.backends.cpu.random.formulas import box_muller_float32, uniform

__all__ = [
    "REAL",
    "REST_DRAWN",
    "ROOM",
    "WORDS",
    "after",
    "formula",
    "load",
    "pair_of",
    "remainder_of",
    "store",
    "uniform_of",
]

REAL = np.float32  # the type to compute in
REST_DRAWN = True  # whether normal numbers draw words for a rest that is made anew
WORDS = 1  # how many words a uniform number takes, or an integer
ROOM = WORDS * BLOCK  # how many words are drawn at a time

formula = uniform  # from a uniform number to the distribution
pair_of = box_muller_float32  # from two uniform numbers to two normal ones
remainder_of = remainder_of_one  # from words to an integer below a bound
uniform_of = single_of  # from words to a uniform number


def after(value):
    """What becomes of a normal number."""
    return value


def load(cell):
    """The number that a cell of the input holds."""
    return cell


def store(value):
    """The cell of the output that holds a number."""
    return np.float32(value)
