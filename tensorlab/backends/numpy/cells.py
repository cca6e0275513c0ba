"""Cells seen as arrays of the operation's shape, and results stored in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlab.backends.operands import Buffer, OperandLayout
from tensorlab.core import dtypes
from tensorlab.core.cells import from_float32, to_float32
from tensorlab.core.dtypes import dtype

__all__ = ["HALVES", "converted", "elements", "load", "store"]

HALVES = (dtypes.float16, dtypes.bfloat16)


def elements(buffer: Buffer, shape: Sequence[int], strides: Sequence[int]) -> np.ndarray:
    """The cells that a layout leads to, without a copy."""
    cells, offset = buffer
    if 0 in shape:
        return np.empty(tuple(shape), cells.dtype)
    size = cells.itemsize
    return np.ndarray(tuple(shape), cells.dtype, cells, offset * size, [stride * size for stride in strides])


def load(item: Any, layout: OperandLayout, shape: Sequence[int], compute: dtype) -> Any:
    """An operand in the type to compute in: an array of the operation's shape, or one number."""
    if layout.is_number:
        return np.array(item).astype(compute.cell)[()]
    cells = elements(item, shape, layout.strides)
    return converted(cells, layout.dtype).astype(compute.cell, copy=False)


def converted(cells: np.ndarray, element_type: dtype) -> np.ndarray:
    """The numbers in cells: sixteen-bit floats become float32."""
    return to_float32(cells, element_type) if element_type in HALVES else cells


def store(item: Buffer, layout: OperandLayout, shape: Sequence[int], result: Any) -> None:
    """Convert results to an operand's dtype and write them."""
    result = np.asarray(result)
    kind = layout.dtype
    if kind in HALVES:
        result = from_float32(result.astype(np.float32), kind)
    elif kind is dtypes.bool:
        result = result != 0
    elif kind.category == dtypes.INTEGER and result.dtype.kind == "f":
        # PyTorch, too, asks the processor for 32 bits where these are enough.
        narrow = kind.is_signed and kind.itemsize <= 4
        result = result.astype(np.int32 if narrow else np.int64)
    elements(item, shape, layout.strides)[...] = result.astype(kind.cell, copy=False)
