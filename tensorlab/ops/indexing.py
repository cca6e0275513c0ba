"""Basic indexing: integers, slices, ``None`` and ``...`` make views; assignments write through them."""

from __future__ import annotations

from tensorlab import layout
from tensorlab.layout import Size
from tensorlab.ops.dispatch import is_number, write
from tensorlab.tensor import Tensor, make_tensor

__all__ = []


def getitem(input: Tensor, index: object) -> Tensor:
    """``input[index]`` for integers, slices with positive steps, ``None`` and ``...``: always a view.

    An integer takes one position and drops the dimension. A slice keeps it: its start goes into the offset,
    its step multiplies the stride. ``None`` adds a dimension of size 1. ``...`` stands for as many whole
    dimensions as are left over.

    Raises:
        IndexError: too many indices, or one outside its dimension.
        ValueError: the step of a slice is not positive.
        TypeError: another kind of index.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.arange(12).view(3, 4)
        >>> x[1, ::2], x[..., -1], x[:, None].shape
        (tensor([4, 6]), tensor([ 3,  7, 11]), tensorlab.Size([3, 1, 4]))
    """
    items = index if isinstance(index, tuple) else (index,)
    used = sum(item is not None and item is not Ellipsis for item in items)
    if used > input.ndim:
        raise IndexError(
            f"too many indices for tensor of dimension {input.ndim}: got {used}, "
            f"and shape {tuple(input.shape)} takes {input.ndim}"
        )
    shape, strides, offset = list(input.shape), list(input.stride()), input.storage_offset()
    dim = 0  # the dimension of the result so far that the next item speaks of
    dropped = added = 0  # the same dimension of `input` is dim + dropped - added
    for item in items:
        if item is Ellipsis:
            dim += input.ndim - used
        elif item is None:
            strides.insert(dim, shape[dim] * strides[dim] if dim < len(shape) else 1)
            shape.insert(dim, 1)
            dim, added = dim + 1, added + 1
        elif dim >= len(shape):
            raise IndexError(
                "too many indices: a second ... already took the dimensions that this one is for"
            )
        elif isinstance(item, slice):
            start, length, step = _slice(item, shape[dim])
            offset += start * strides[dim]
            shape[dim], strides[dim] = length, strides[dim] * step
            dim += 1
        else:
            offset += _position(item, shape[dim], dim + dropped - added) * strides[dim]
            del shape[dim], strides[dim]
            dropped += 1
    return make_tensor(input.untyped_storage(), input.dtype, Size(shape), tuple(strides), offset)


def setitem(input: Tensor, index: object, value: object) -> None:
    """``input[index] = value``: write through the view that ``input[index]`` is.

    Args:
        input: the tensor to write into.
        index: as for `getitem`.
        value: a number, or a tensor that can be broadcast to the view's shape.

    Raises:
        TypeError: `value` is neither.
        RuntimeError: its shape does not fit, or the write is refused.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.zeros(2, 3)
        >>> x[:, 1] = tl.tensor([5.0, 6.0])
        >>> x
        tensor([[0., 5., 0.],
                [0., 6., 0.]])
    """
    if not isinstance(value, Tensor) and not is_number(value):
        raise TypeError(
            f"can't assign a {type(value).__name__} to a tensor of {input.dtype.name}: "
            f"assign a number or a tensor"
        )
    write(getitem(input, index), value)  # type: ignore[arg-type]


def _slice(item: slice, size: int) -> tuple[int, int, int]:
    """Start, length and step of a slice; bounds outside the dimension are clamped, as for lists."""
    for bound in (item.start, item.stop, item.step):
        if bound is not None:
            layout.as_int(bound, "a slice bound")
    if item.step is not None and layout.as_int(item.step, "a step") <= 0:
        raise ValueError(f"step must be greater than zero, got {item.step}: views have no negative strides")
    start, stop, step = item.indices(size)
    return start, len(range(start, stop, step)), step


def _position(item: object, size: int, dim: int) -> int:
    """An index of the input's dimension `dim`, counted from the front."""
    if isinstance(item, (bool, float, str, list)) or not hasattr(item, "__index__"):
        raise TypeError(
            f"an index must be an integer, a slice, None or ..., got {item!r} of type {type(item).__name__} "
            f"for dimension {dim}"
        )
    position = item.__index__()
    if not -size <= position < size:
        raise IndexError(f"index {position} is out of bounds for dimension {dim} with size {size}")
    return position + size if position < 0 else position


METHODS = ()
