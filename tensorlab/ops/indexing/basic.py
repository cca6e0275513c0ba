"""Square brackets: ``x[index]`` and ``x[index] = value``.

Integers, slices, ``None`` and ``...`` make a view. Masks, index tensors and lists make a copy. Where both
stand in one index the view comes first, and the index tensors choose among its elements.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlab.autograd.formulas import view_formulas
from tensorlab.autograd.recording import in_place, record_view
from tensorlab.autograd.views import requires_grad
from tensorlab.core import dtypes, part_rules
from tensorlab.core.layout import Size
from tensorlab.core.size import size_of_ints
from tensorlab.core.warned import warn_caller
from tensorlab.dispatch.copies import write
from tensorlab.dispatch.operands import Number
from tensorlab.ops import conversion, from_data, shape
from tensorlab.ops.indexing import advanced
from tensorlab.ops.view_backward import placed
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_view


@op("method", name="__getitem__", names="indexes")
def getitem(input: Tensor, index: Any) -> Tensor:
    """``input[index]``, by PyTorch's rules.

    An integer takes one position and drops the dimension. A slice keeps it: its start goes into the offset,
    its step multiplies the stride. ``None`` adds a dimension of size 1. ``...`` stands for as many whole
    dimensions as are left over. The result of these is a view.

    A tensor, list or array of integers takes many positions of one dimension, in any order and as often as it
    names them; a mask of `k` dimensions takes those places of `k` dimensions where it is true. Several such
    indices are broadcast against each other and walked together. Their dimensions come where the indexed
    dimensions were if these are neighbours, else in front. The result is a copy.

    Raises:
        IndexError: too many indices, one outside its dimension, one of another kind, a mask whose shape does
            not match, or index tensors that cannot be broadcast.
        ValueError: the step of a slice is not positive.
        TypeError: a bound of a slice is not an integer, or a list holds no numbers.

    Example:
        >>> x = tl.arange(12).view(3, 4)
        >>> x[1, ::2], x[..., -1], x[:, None].shape
        (tensor([4, 6]), tensor([ 3,  7, 11]), tensorlab.Size([3, 1, 4]))
        >>> x[[2, 0], 1], x[x > 8]
        (tensor([9, 1]), tensor([ 9, 10, 11]))
        >>> x[:, [0, -1]]
        tensor([[ 0,  3],
                [ 4,  7],
                [ 8, 11]])
    """
    if index.__class__ is Tensor and 0 < len(index._shape) <= len(input._shape):
        return advanced.take_chosen(input, {0: index})
    view, chosen = resolve(input, index)
    if chosen is None:
        if input._edge is None and (input._base is None or input._base._edge is None):
            return view
        return _recorded(view, input, index)
    if view is not input and requires_grad(input):
        # The index tensors become whole dimensions of the view that they choose from.
        _recorded(view, input, _plain_part(index))
    return advanced.take_chosen(view, chosen)


SelectBackward0 = view_formulas(
    "SelectBackward0", input=lambda grad, sizes, index: placed(grad, sizes, lambda whole: whole[index])
)
SliceBackward0 = view_formulas("SliceBackward0", input=SelectBackward0.formulas[0])
UnsqueezeBackward0 = view_formulas("UnsqueezeBackward0", input=SelectBackward0.formulas[0])


def _recorded(view: Tensor, input: Tensor, index: object) -> Tensor:
    """A view that plain items of an index made, with its history, named after the last of them."""
    kind = type(index)
    if kind is not int and kind is not slice and index is not None:
        index = _plain_part(index)  # an integer in a tensor, or in an array, may change until the backward
    last = index[-1] if isinstance(index, tuple) and index else index
    node = (
        UnsqueezeBackward0 if last is None else SliceBackward0 if isinstance(last, slice) else SelectBackward0
    )
    return record_view(node, view, input, sizes=input._shape, index=index)


def _plain_part(index: object) -> tuple:
    """An index with whole dimensions in the place of its index tensors."""
    plain: list[Any] = []
    for item in index if type(index) is tuple else _items(index):
        if type(item) not in PLAIN:
            item = _as_plain(item, 0)
        if isinstance(item, Tensor):
            plain += [slice(None)] * (item.ndim if item._dtype in MASKS else 1)
        else:
            plain.append(None if isinstance(item, bool) else item)
    return tuple(plain)


@op("method", name="__setitem__", names="assigns")
def setitem(input: Tensor, index: object, value: object) -> None:
    """``input[index] = value``: the elements that ``input[index]`` would read are overwritten.

    Where an index names an element several times the last value stays, and ``x[i] += 1`` adds 1 once.

    Args:
        input: the tensor to write into.
        index: as for `getitem`.
        value: a number, or a tensor that can be broadcast to the shape of ``input[index]``; leading
            dimensions of size 1 do not count. With masks or index tensors its dtype must be `input`'s.

    Raises:
        TypeError: `value` is neither.
        RuntimeError: its shape or dtype does not fit, or the write is refused.
        IndexError: as for `getitem`.

    Example:
        >>> x = tl.zeros(2, 3)
        >>> x[:, 1] = tl.tensor([5.0, 6.0])
        >>> x[x == 0] = -1
        >>> x[[0, 0], [2, 2]] += 10
        >>> x
        tensor([[-1.,  5.,  9.],
                [-1.,  6., -1.]])
    """
    if not isinstance(value, Tensor):
        value = _as_number(value, input)
    if index is False:
        return
    view, chosen = resolve(input, None if index is True else index)
    if view is not input and requires_grad(input):
        _recorded(view, input, index if chosen is None else _plain_part(index))
    if chosen is not None:
        advanced.put_chosen(
            view, chosen, _without_leading_ones(value) if isinstance(value, Tensor) else value
        )
    elif not isinstance(value, Tensor):
        with in_place(conversion.FillBackward1, view):
            write(view, value)
    elif value._shape == view._shape:
        conversion.copy_(view, value)
    elif not value.ndim:
        conversion.fill_(view, value)
    else:
        # Stretched first, so that a value that is the view itself under another shape is seen to be it.
        # As in PyTorch a view drops its leading dimensions of size 1, and may give the others of size 1 new
        # strides: such a value counts as another tensor, whose overlap with the target is refused.
        if 1 in value._shape:
            value = shape.view(value, value._shape[_leading_ones(value) :])
        conversion.copy_(view, shape.expand(value, view._shape))
    view._storage._writer = _WRITER


# Who wrote last, as an error about a saved tensor that was overwritten names it.
_WRITER = "x[...] = value"


def resolve(input: Tensor, index: Any) -> tuple[Tensor, advanced.Chosen | None]:
    """The view that the plain items of an index make, and the index tensors that choose among its elements.

    Raises:
        IndexError, ValueError, TypeError: see `getitem`.
    """
    items = (index,) if type(index) in PLAIN else index if type(index) is tuple else _items(index)
    sizes, steps = tuple(input._shape), input._stride
    shape: list[int] = []
    strides: list[int] = []
    offset = input._offset
    dim, ndim = 0, len(sizes)  # the next dimension of `input`
    chosen: advanced.Chosen | None = None
    for item in items:
        kind = type(item)
        if kind not in PLAIN:
            item = _as_plain(item, dim)
            kind = type(item)
        if kind is int or kind is slice:
            if dim >= ndim:
                raise _too_many(input, items)
            size, stride = sizes[dim], steps[dim]
            if kind is slice:
                length, stride, skipped = part_rules.sliced(size, stride, item)
                offset += skipped
                shape.append(length)
                strides.append(stride)
            elif -size <= item < size:
                offset += (item + size if item < 0 else item) * stride
            else:
                raise _outside(input, items, item, dim)
            dim += 1
        elif item is None or kind is bool:
            if kind is bool:
                chosen = chosen or {}
                chosen[len(shape)] = from_data.tensor([0] if item else [], dtype=dtypes.int64)
            shape.append(1)
            strides.append(sizes[dim] * steps[dim] if dim < ndim else 1)
        elif item is Ellipsis:
            used = _dims_used(items)
            if used > ndim:
                raise _too_many(input, items)
            last = dim + ndim - used
            shape += sizes[dim:last]
            strides += steps[dim:last]
            dim = last  # after a second ... it may lie behind the last dimension
        else:
            chosen = chosen or {}
            chosen[len(shape)] = item
            last = dim + (item.ndim if item._dtype in MASKS else 1)
            if last > ndim:
                raise _too_many(input, items)
            shape += sizes[dim:last]
            strides += steps[dim:last]
            dim = last
    whole, steps = size_of_ints(Size, (*shape, *sizes[dim:])), (*strides, *steps[dim:])
    if chosen and whole == input._shape and steps == input._stride and offset == input._offset:
        return input, chosen  # nothing but whole dimensions stands beside the index tensors
    return make_view(input, whole, steps, offset), chosen


# What an item may be that needs no conversion.
PLAIN = frozenset([int, slice, type(None), type(Ellipsis)])

# The dtypes that an index tensor may have as a mask. PyTorch began with uint8, and deprecates it.
MASKS = (dtypes.bool, dtypes.uint8)

# A sequence of this many items is never taken apart into one index a dimension.
MOST_ITEMS = 32


def _items(index: Any) -> Sequence[Any]:
    """The items of an index that is no tuple: itself, or what PyTorch still takes for a tuple."""
    if (
        index is None
        or isinstance(index, (Tensor, int, slice, np.ndarray, str, bytes))
        or not isinstance(index, Sequence)
    ):
        return (index,)
    apart = len(index) < MOST_ITEMS and any(
        item is None or item is Ellipsis or isinstance(item, (Sequence, np.ndarray, Tensor, slice))
        for item in index
    )
    if not apart:
        return (index,)
    warn_caller(
        "Using a non-tuple sequence for multidimensional indexing is deprecated: x[[a, b]] is taken for "
        "x[a, b] as long as PyTorch does so. Write x[tuple(index)], or x[tensorlab.tensor(index)] to index "
        "the first dimension alone",
        UserWarning,
    )
    return tuple(index)


def _as_plain(item: Any, dim: int) -> Any:
    """An item as an int, a bool, or an index tensor of at least one dimension.

    Raises:
        IndexError: it is of a kind that cannot index.
    """
    if isinstance(item, bool):
        return item
    if not isinstance(item, Tensor) and isinstance(item, (Sequence, np.ndarray)):
        item = _index_tensor(item)
    if isinstance(item, Tensor):
        if item.ndim == 0 and item.dtype in MASKS:
            return bool(item) if item.dtype is dtypes.bool else item.item() != 0
        if item.ndim == 0 and not item.dtype.is_floating_point:
            return int(item)
        return item
    if isinstance(item, np.bool_) or not hasattr(item, "__index__"):
        raise IndexError(
            f"only integers, slices (`:`), ellipsis (`...`), None, and tensors or lists of integers or bools "
            f"are valid indices (got {type(item).__name__}): {item!r} for dimension {dim}"
        )
    return operator.index(item)


def _index_tensor(data: Any) -> Tensor:
    """The index tensor that a sequence or an array stands for: a mask if it holds bools, else int64."""
    if isinstance(data, (str, bytes)):
        raise TypeError(
            f"new(): invalid data type {type(data).__name__!r}: an index is made of integers, slices, None, "
            f"and tensors or lists of integers or bools, got {data!r}"
        )
    if isinstance(data, np.ndarray) and data.dtype.kind == "u" and data.dtype.itemsize > 1:
        data = data.astype(np.int64)
    found = from_data.tensor(data)
    return found if found.dtype in MASKS else conversion.to(found, dtypes.int64)


def _dims_used(items: Sequence[Any]) -> int:
    """How many dimensions of the tensor the items of an index speak of."""
    used = 0
    for item in items:
        if isinstance(item, Tensor) and item.dtype in MASKS:
            used += item.ndim
        else:
            used += item is not None and item is not Ellipsis and not isinstance(item, bool)
    return used


def _too_many(input: Tensor, items: Sequence[Any]) -> IndexError:
    used = _dims_used(items)
    if not input.ndim and used == 1 and isinstance(items[0], int):
        return IndexError(
            "invalid index of a 0-dim tensor: it has no dimension to index. Use tensor.item() to convert it "
            "to a Python number"
        )
    if used <= input.ndim:
        return IndexError("too many indices: a second ... already took the dimensions that this one is for")
    return IndexError(
        f"too many indices for tensor of dimension {input.ndim}: got {used}, "
        f"and shape {tuple(input.shape)} takes {input.ndim}"
    )


def _outside(input: Tensor, items: Sequence[Any], position: int, dim: int) -> Exception:
    if _dims_used(items) > input.ndim:
        return _too_many(input, items)
    if not -(2**63) <= position < 2**63:
        return ValueError(
            f"Overflow when unpacking long long: the index {position} does not fit into 64 bits"
        )
    size = input.shape[dim]
    allowed = f"use {-size} … {size - 1}" if size else "it has no elements"
    return IndexError(f"index {position} is out of bounds for dimension {dim} with size {size}: {allowed}")


def _as_number(value: object, input: Tensor) -> Number:
    """A value to assign, if it is a Python number.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError(f"Overflow when unpacking long long: the value {value} does not fit into 64 bits")
    if not isinstance(value, (bool, int, float)):
        raise TypeError(
            f"can't assign a {type(value).__name__} to a tensor of {input.dtype.name}: "
            f"assign a number or a tensor"
        )
    return value


def _leading_ones(value: Tensor) -> int:
    """How many dimensions of size 1 come before any other."""
    return next((dim for dim, size in enumerate(value._shape) if size != 1), value.ndim)


def _without_leading_ones(value: Tensor) -> Tensor:
    """A view of a value to assign without its leading dimensions of size 1."""
    ones = _leading_ones(value)
    return shape.view(value, value._shape[ones:]) if ones else value
