"""Part rules: where the elements of a part of a tensor lie.

Pure functions of integers, like those of `tensorlab.core.view_rules`. A part often begins further on in the
storage, so most of them also give the cells from the tensor's first element to the part's.
"""

from __future__ import annotations

import functools

from tensorlab.core import layout
from tensorlab.core.layout import Size
from tensorlab.core.view_rules import KEPT, Ints, Layout

__all__ = ["diagonal", "narrowed", "selected", "sliced", "split_points", "windows"]


@functools.lru_cache(KEPT)
def selected(shape: Ints, strides: Ints, dim: int, index: int) -> tuple[Size, Ints, int]:
    """One position of a dimension, which goes: shape, strides, and cells to the first element.

    Raises:
        IndexError: there is no such dimension or position.

    Example:
        >>> selected((3, 4), (4, 1), 0, -1)
        (tensorlab.Size([4]), (1,), 8)
    """
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = layout.wrap_dim(dim, len(shape))
    size = shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(shape)} at dimension {dim}"
        )
    position = index + size if index < 0 else index
    return (
        Size(shape[:dim] + shape[dim + 1 :]),
        strides[:dim] + strides[dim + 1 :],
        position * strides[dim],
    )


@functools.lru_cache(KEPT)
def narrowed(shape: Ints, strides: Ints, dim: int, start: int, length: int) -> tuple[Size, Ints, int]:
    """`length` positions of a dimension from `start` on: shape, strides, and cells to the first element.

    Raises:
        IndexError: there is no such dimension, or it has no such start.
        RuntimeError: there are no dimensions, or not that many positions.

    Example:
        >>> narrowed((3, 4), (4, 1), 1, 1, 2)
        (tensorlab.Size([3, 2]), (4, 1), 1)
    """
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    dim = layout.wrap_dim(dim, len(shape))
    size = shape[dim]
    if length < 0:
        raise RuntimeError(f"narrow(): length must be non-negative, got {length}")
    if not -size <= start <= size:
        raise IndexError(
            f"start out of range (expected to be in range of [{-size}, {size}], but got {start})"
        )
    first = start + size if start < 0 else start
    if first + length > size:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({size}).")
    return Size((*shape[:dim], length, *shape[dim + 1 :])), strides, first * strides[dim]


def sliced(size: int, stride: int, bounds: slice) -> tuple[int, int, int]:
    """A slice of one dimension: its size, its stride, and cells to the first element.

    Args:
        size, stride: of the dimension.
        bounds: what stands between the brackets: ``x[2:8:3]`` is ``x[slice(2, 8, 3)]``. What is left out is
            None, negative bounds count from the end, and bounds outside are moved to the nearest end.

    Raises:
        ValueError: the step is not positive.
        TypeError: a bound is no integer.

    Example:
        >>> sliced(10, 4, slice(2, 99, 3)), sliced(10, 4, slice(-3, None)), sliced(10, 4, slice(5, 5))
        ((3, 12, 8), (3, 4, 28), (0, 4, 20))
    """
    start, stop, step = bounds.indices(size)
    if step <= 0:
        raise ValueError(
            f"step must be greater than zero, got {step}: views have no negative strides, flip copies"
        )
    length = (stop - start + step - 1) // step if stop > start else 0
    return length, stride * step, start * stride


@functools.lru_cache(KEPT)
def diagonal(shape: Ints, strides: Ints, offset: int, dim1: int, dim2: int) -> tuple[Size, Ints, int]:
    """The diagonal of two dimensions as a last dimension: shape, strides, and cells to the first element.

    One step along the diagonal is one step in both dimensions, so its stride is the sum of theirs.

    Args:
        offset: which diagonal; positive ones begin further along `dim2`, negative ones further along `dim1`.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: both dimensions are the same.

    Example:
        >>> diagonal((3, 4), (4, 1), 1, 0, 1)
        (tensorlab.Size([3]), (5,), 1)
    """
    first, second = layout.wrap_dim(dim1, len(shape)), layout.wrap_dim(dim2, len(shape))
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    row, column = max(-offset, 0), max(offset, 0)
    length = max(min(shape[first] - row, shape[second] - column), 0)
    skipped = row * strides[first] + column * strides[second] if length else 0
    rest = [dim for dim in range(len(shape)) if dim not in (first, second)]
    return (
        Size((*(shape[dim] for dim in rest), length)),
        (*(strides[dim] for dim in rest), strides[first] + strides[second]),
        skipped,
    )


@functools.lru_cache(KEPT)
def windows(shape: Ints, strides: Ints, dim: int, size: int, step: int) -> Layout:
    """All windows of `size` neighbours along a dimension, `step` apart, with the window as a last dimension.

    Windows that overlap share cells.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: a window is longer than the dimension, or `size` is negative, or `step` not positive.

    Example:
        >>> windows((5,), (1,), 0, 3, 1)
        (tensorlab.Size([3, 3]), (1, 1))
    """
    dim = layout.wrap_dim(dim, len(shape))
    length, stride = (shape[dim], strides[dim]) if shape else (1, 1)
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not shape:
        return Size((size,)), (1,)
    return (
        Size((*shape[:dim], (length - size) // step + 1, *shape[dim + 1 :], size)),
        (*strides[:dim], stride * step, *strides[dim + 1 :], stride),
    )


def split_points(size: int, sections: int) -> Ints:
    """Where to cut `size` positions into `sections` parts whose sizes differ by at most 1, longer ones first.

    Example:
        >>> split_points(7, 3)
        (3, 5)
    """
    least, longer = divmod(size, sections)
    return tuple(part * least + min(part, longer) for part in range(1, sections))
