"""What a backend is: the few things that every device must be able to do.

A backend sees buffers, offsets, shapes and strides. It never sees a Tensor, so that kernels can be tested and
read without one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from tensorlab.dtypes import dtype
from tensorlab.scalars import Scalar

__all__ = ["Backend", "Operand"]


class Operand(NamedTuple):
    """One tensor as a kernel sees it.

    Attributes:
        cells: the whole storage as a flat array of `dtype.cell`.
        dtype: what the cells mean.
        strides: one a dimension of the operation's shape, in cells; 0 where the operand is broadcast.
        offset: the cell of the first element.
    """

    cells: np.ndarray
    dtype: dtype
    strides: tuple[int, ...]
    offset: int


class Backend(Protocol):
    """The operations of one device."""

    def pointwise(
        self, row: Scalar, compute: dtype, shape: Sequence[int], out: Operand, inputs: Sequence[Operand]
    ) -> None:
        """Apply one scalar function to every element.

        Each input is widened to `compute`, the formula of `row` is applied, and the result is converted to
        `out.dtype` and stored. The caller has checked every address; `out` reaches no cell twice.
        """
        ...
