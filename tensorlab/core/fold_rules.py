"""Fold rules: which shape a reduction leaves, and into which cell each element goes.

Pure functions of integers, like those of `tensorlab.core.broadcasting`, whose mirror they are: broadcasting
reads one cell for many indices through a stride of 0, and a reduction writes one cell for many indices.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.core import layout
from tensorlab.core.layout import Size

__all__ = ["fold_layout"]


def fold_layout(
    shape: Sequence[int], dims: Sequence[int], keepdim: bool = False
) -> tuple[Size, tuple[int, ...]]:
    """The shape that is left when `dims` are folded away, and where each element of `shape` goes in it.

    Args:
        shape: of the elements.
        dims: the dimensions that go, from the front or from the end; none go if there are none.
        keepdim: whether they stay, with size 1. The cells are the same.

    Returns:
        the result's shape, and one stride for each dimension of `shape`: the element at an index goes into
        the cell ``flat_index(index, strides)`` of a new tensor of the result's shape.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: a dimension is named twice.

    Example:
        >>> fold_layout((2, 3, 4), (1,)), fold_layout((2, 3, 4), (-1, 0), keepdim=True)
        ((tensorlab.Size([2, 4]), (4, 0, 1)), (tensorlab.Size([1, 3, 1]), (0, 1, 0)))
    """
    folded: set[int] = set()
    for dim in dims:
        position = layout.wrap_dim(dim, len(shape))
        if position in folded:
            raise RuntimeError(f"dim {position} appears multiple times in the list of dims {tuple(dims)}")
        folded.add(position)
    kept = Size(size for dim, size in enumerate(shape) if dim not in folded)
    steps = iter(layout.default_strides(kept))
    strides = tuple(0 if dim in folded else next(steps) for dim in range(len(shape)))
    if keepdim:
        return Size(1 if dim in folded else size for dim, size in enumerate(shape)), strides
    return kept, strides
