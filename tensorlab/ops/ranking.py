"""Elements in order, and where each stood: of the last dimension of row-major tensors, and of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlab.backends import HOST
from tensorlab.core import dtypes, layout
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.ops.indexing.index_plan import raw_type
from tensorlab.tensor import Tensor, dense_cells, make_dense

__all__ = ["order", "ranked"]


def ranked(
    input: Tensor, dim: int, k: int | None, backwards: bool, values: bool = True
) -> tuple[Any, Tensor] | None:
    """The first k elements along the last dimension of a row-major tensor in order, and their places.

    Args:
        input: the elements.
        dim, k: as the caller was given them; None for all elements.
        backwards: the greatest first.
        values: False for the places of all elements alone.

    Returns:
        the pair; None where no kernel does it: for another layout, for a dtype that 32 bits do not order, and
        for arguments that are not what they should be.
    """
    if type(dim) is not int or (k is not None and type(k) is not int) or type(backwards) is not bool:
        return None
    cells = dense_cells(input)
    if cells is False:
        return None
    size = input._shape[-1] if input._shape else 1
    wanted = size if k is None else k
    if dim not in (-1, max(input.ndim, 1) - 1) or not 0 < wanted <= size or not input.numel():
        return None
    if k is not None and input._dtype is dtypes.bool:
        return None
    shape = Size((*input._shape[:-1], wanted)) if input._shape else input._shape
    raw, stride, results = raw_type(input._dtype), layout.default_strides(shape), layout.numel(shape)
    chosen, places = np.empty(results if values else 0, raw), np.empty(results, np.int64)
    if not input._storage.backend.rank(cells.view(raw), input._dtype, size, backwards, chosen, places):
        return None
    return (
        make_dense(chosen.view(input._dtype.cell), input._dtype, shape, stride) if values else None,
        make_dense(places, dtypes.int64, shape, stride),
    )


def order(cells: np.ndarray, element_type: dtype, descending: bool) -> np.ndarray:
    """The places of the elements along the last dimension in order; equal ones stay as they stand."""
    if cells.size and element_type is not dtypes.float64:
        flat = np.ascontiguousarray(cells).reshape(-1).view(raw_type(element_type))
        places = np.empty(cells.shape, np.int64)
        size, values = cells.shape[-1], np.empty(0, flat.dtype)
        if HOST.rank(flat, element_type, size, descending, values, places.reshape(-1)):
            return places
    if not descending:
        return np.argsort(cells, axis=-1, kind="stable")
    # Sorted backwards and read backwards, equal elements stand in their order again.
    backwards = np.argsort(cells[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    return cells.shape[-1] - 1 - backwards
