"""The k-th element in order: of each line along a dimension, and of all elements."""

from __future__ import annotations

import numpy as np

from tensorlab.backends import HOST
from tensorlab.core import dtypes
from tensorlab.core.cells import to_float32
from tensorlab.core.dtypes import dtype
from tensorlab.ops.indexing.index_plan import raw_cells, raw_type
from tensorlab.tensor import Tensor

__all__ = ["comparable", "kth_of_all", "kth_of_lines"]

# Longer lines are counted where they lie; shorter ones are ordered, some at a time.
LONG = 1 << 15


def comparable(cells: np.ndarray, element_type: dtype) -> np.ndarray:
    """Cells as numbers that NumPy can order; a copy of sixteen-bit floats, in float32."""
    if element_type in (dtypes.float16, dtypes.bfloat16):
        return to_float32(cells, element_type)
    return cells


def kth_of_all(input: Tensor, rule: str) -> np.ndarray:
    """The cell of one of all elements of a tensor that has some, as an array without dimensions.

    Args:
        input: the elements.
        rule: which, as `tensorlab.backends.protocol.Core.kth_cell` has it.
    """
    cells, start = raw_cells(input)
    bounds = _bounds(input._cells_array(), input._dtype)
    place = input._storage.backend.kth_cell(
        cells, start, input._shape, input._stride, input._dtype, rule, bounds=bounds
    )
    return cells[place : place + 1].view(input._dtype.cell).reshape(())


def kth_of_lines(cells: np.ndarray, element_type: dtype, rule: str, k: int = 0) -> np.ndarray:
    """The place of one element of each line along the last dimension.

    Args:
        cells: what each line has, at least one; of the dtype's cells, in any layout.
        element_type: what the cells mean.
        rule, k: which, as `tensorlab.backends.protocol.Core.kth_cell` has it.
    """
    size = cells.shape[-1]
    if size <= LONG:
        places = _parted(np.atleast_2d(comparable(cells, element_type)), rule, k)
        return places.reshape(cells.shape[:-1])
    places = np.empty(cells.shape[:-1], np.int64)
    for index in np.ndindex(places.shape):
        line = cells[index]
        bounds, row = _bounds(line, element_type), line.view(raw_type(element_type))
        places[index] = HOST.kth_cell(row, 0, (size,), (1,), element_type, rule, k, bounds)
    return places


def _bounds(cells: np.ndarray, element_type: dtype) -> tuple[int, int] | None:
    """The least and the greatest of integers that have many bits."""
    if element_type.category != dtypes.INTEGER or element_type.itemsize < 4:
        return None
    return int(cells.min()), int(cells.max())


def _parted(keys: np.ndarray, rule: str, k: int) -> np.ndarray:
    """The places in short lines: NumPy parts a copy of each, and then the k-th is looked for."""
    k = k if rule == "kth" else (keys.shape[-1] - 1) // 2
    if keys.dtype.itemsize < 4:  # NumPy parts wider integers with vector instructions
        keys = keys.astype(np.int32)
    found = np.partition(keys, k, axis=-1)[..., k]
    places = (keys == found[..., np.newaxis]).argmax(axis=-1)
    if keys.dtype.kind != "f":
        return places
    unordered = np.isnan(keys)
    if not unordered.any():
        return places
    absent = unordered.sum(axis=-1)
    for line in map(tuple, np.argwhere(absent)):
        numbers = keys.shape[-1] - int(absent[line])
        if rule == "median" or (not numbers if rule == "nanmedian" else k >= numbers):
            places[line] = unordered[line].argmax()
        elif rule == "nanmedian":
            middle = np.partition(keys[line], (numbers - 1) // 2)[(numbers - 1) // 2]
            places[line] = (keys[line] == middle).argmax()
    return places
