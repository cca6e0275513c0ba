"""The views of the most frequent indices: integers and slices."""

from __future__ import annotations

from typing import Any

from tensorlab.layout import Size
from tensorlab.size import size_of_ints
from tensorlab.tensor import Tensor, make_view

__all__ = ["plain_view"]


def plain_view(input: Tensor, index: Any) -> Tensor | None:
    """``input[index]`` for an integer, a slice, or a tuple of them; None for others, and where it is refused.

    Loops over rows and batches run through here, and what a view costs is Python's time. So `basic.resolve`,
    which says why an index is refused, is left out, and sizes become a plain tuple, which is read faster.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.arange(12).view(3, 4)
        >>> plain_view(x, (slice(1, None), 2)), plain_view(x, 3), plain_view(x, None)
        (tensor([ 6, 10]), None, None)
    """
    kind = type(index)
    if kind is tuple:
        return _leading_dims(input, index)
    if kind is not int and kind is not slice:
        return None
    sizes, strides = tuple(input._shape), input._stride
    if not sizes:
        return None
    size, offset = sizes[0], input._offset
    shape: tuple[int, ...]
    if type(index) is int:
        if not -size <= index < size:
            return None
        offset += (index + size if index < 0 else index) * strides[0]
        shape, strides = sizes[1:], strides[1:]
    else:
        start, stop, step = index.indices(size)
        if step <= 0:
            return None
        offset += start * strides[0]
        length = (stop - start + step - 1) // step if stop > start else 0
        shape, strides = (length, *sizes[1:]), (strides[0] * step, *strides[1:])
    return make_view(input, size_of_ints(Size, shape), strides, offset)


def _leading_dims(input: Tensor, items: tuple) -> Tensor | None:
    """The view of integers and slices, one for each of the first dimensions; None for any other items."""
    sizes, steps, offset = tuple(input._shape), input._stride, input._offset
    if len(items) > len(sizes):
        return None
    shape: list[int] = []
    strides: list[int] = []
    for dim, item in enumerate(items):
        size, stride = sizes[dim], steps[dim]
        if type(item) is slice:
            start, stop, step = item.indices(size)
            if step <= 0:
                return None
            offset += start * stride
            shape.append((stop - start + step - 1) // step if stop > start else 0)
            strides.append(stride * step)
        elif type(item) is int and -size <= item < size:
            offset += (item + size if item < 0 else item) * stride
        else:
            return None
    if len(items) < len(sizes):
        shape += sizes[len(items) :]
        strides += steps[len(items) :]
    return make_view(input, size_of_ints(Size, shape), tuple(strides), offset)
