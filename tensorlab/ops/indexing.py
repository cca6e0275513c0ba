"""Basic indexing: integers, slices, ``None`` and ``...`` make views; assignments write through them."""

from __future__ import annotations

from tensorlab import layout
from tensorlab.layout import Size
from tensorlab.ops.dispatch import is_number, write
from tensorlab.tensor import Tensor, make_tensor

__all__ = ["getitem", "setitem"]


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
    whole = (slice(None),) * (input.ndim - used)
    if Ellipsis in items:
        position = items.index(Ellipsis)
        rest = (item for item in items[position + 1 :] if item is not Ellipsis)
        items = (*items[:position], *whole, *rest)
    else:
        items = (*items, *whole)
    shape: list[int] = []
    strides: list[int] = []
    offset, dim = input.storage_offset(), 0
    for item in items:
        if item is None:
            shape.append(1)
            strides.append(strides[-1] * shape[-2] if strides else 1)
            continue
        size, stride = input.shape[dim], input._stride[dim]
        if isinstance(item, slice):
            start, length, step = _slice(item, size)
            offset += start * stride if length or start else 0
            shape.append(length)
            strides.append(stride * step)
        else:
            offset += _position(item, dim, size) * stride
        dim += 1
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


def _position(item: object, dim: int, size: int) -> int:
    if isinstance(item, (bool, float, str, list)) or not hasattr(item, "__index__"):
        raise TypeError(
            f"an index must be an integer, a slice, None or ..., got {item!r} of type {type(item).__name__} "
            f"for dimension {dim}"
        )
    position = item.__index__()
    if not -size <= position < size:
        raise IndexError(f"index {position} is out of bounds for dimension {dim} with size {size}")
    return position + size if position < 0 else position
