"""What differs between dtypes inside kernels: the compute type, and the way from a cell to it and back.

Levels are written in these names. As they stand here they mean float32, so that every function can be called
and stepped through as it is; `tensorlab.backends.cpu.levels` puts others in their place for other dtypes.
"""

from __future__ import annotations

import numpy as np

Number = np.float32


def widen(cell):  # type: ignore[no-untyped-def]
    """A cell as a number of the compute type."""
    return Number(cell)


def narrow(value):  # type: ignore[no-untyped-def]
    """A number of the compute type as a cell, rounded once."""
    return np.float32(value)
