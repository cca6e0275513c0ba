"""Medians and the most frequent value."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tensorlab import return_types
from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.dispatch.memory import allocate
from tensorlab.ops.arguments import need_tensor, numpy_names
from tensorlab.ops.kth import comparable, kth_of_all, kth_of_lines
from tensorlab.ops.reduce import as_one_dim
from tensorlab.ops.shares import among_equals, chooses_places
from tensorlab.ops.sorting import one_of_each, refuse_without_order
from tensorlab.registry import op
from tensorlab.tensor import Tensor

_NOTHING: Any = object()


def _d_of_all(grad: Tensor, input: Tensor, result: Tensor) -> Tensor:
    return among_equals(grad, input, result, nan=True)


_OF_ALL = {
    name: formulas(f"{name.capitalize()}Backward0", input=_d_of_all) for name in ("median", "nanmedian")
}
_ALONG = {name: chooses_places(f"{name.capitalize()}Backward1") for name in ("median", "nanmedian")}
ModeBackward0 = chooses_places("ModeBackward0")


@op("function method", names="reduces")
@numpy_names
def median(input: Tensor, dim: int = _NOTHING, keepdim: bool = False, *, out: Any = None) -> Any:
    """The middle element in order; the lower of the two middle ones, where there are two.

    ``median(input)`` is that of all elements. ``median(input, dim)`` is the pair ``(values, indices)`` of the
    medians along a dimension and places where they stand. NaN among the elements makes the median NaN.

    Args:
        input: a tensor, not of bools.
        dim: the dimension to look along.
        keepdim: whether the dimension stays, with size 1.
        out: a pair of tensors of the result's shape, the second int64, to write into.

    Raises:
        IndexError: there is no such dimension, or it has no elements.
        NotImplementedError: the elements are bools.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([[1, 5, 3], [4, 2, 6]])
        >>> x.median()
        tensor(3)
        >>> x.median(1).values
        tensor([3, 4])
    """
    return _median("median", input, dim, keepdim, out)


@op("function method", names="reduces")
@numpy_names
def nanmedian(input: Tensor, dim: int = _NOTHING, keepdim: bool = False, *, out: Any = None) -> Any:
    """The middle element of those that are numbers. The arguments are those of `median`.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([1.0, tl.nan, 3.0, 2.0]).nanmedian()
        tensor(2.)
    """
    return _median("nanmedian", input, dim, keepdim, out)


def _median(name: str, input: Tensor, dim: Any, keepdim: bool, out: Any) -> Any:
    need_tensor(name, input)
    if dim is _NOTHING and out is not None:
        raise TypeError(
            f"{name}() with out= takes dim as well: it writes values and indices along a dimension"
        )
    if dim is not _NOTHING:
        position = as_one_dim(name, dim, input)
        refuse_without_order(name, input, position)
        choose = functools.partial(kth_of_lines, element_type=input._dtype, rule=name)
        pair = one_of_each(name, input, position, keepdim, out, choose, _ALONG[name])
        return getattr(return_types, name)(pair)
    if input.dtype is dtypes.bool:
        raise NotImplementedError(
            f"{name}() is not implemented for bool: convert with .to(tensorlab.uint8) first"
        )
    result = allocate(Size(), input.dtype)
    if input.numel() == 0:  # as PyTorch has it: NaN, or the least integer
        nothing = float("nan") if input.is_floating_point() else dtypes.integer_range(input.dtype)[0]
        return result.fill_(nothing)
    result._cells_array()[...] = kth_of_all(input, name)
    return record(_OF_ALL[name], result, input)


@op("function method", names="reduces_last")
@numpy_names
def mode(input: Tensor, dim: int = -1, keepdim: bool = False, *, out: Any = None) -> Any:
    """The most frequent element along a dimension and its last place, as the pair ``(values, indices)``.

    Of several equally frequent elements it is the least.

    Args:
        input: a tensor of any dtype.
        dim: the dimension to look along; the last without it.
        keepdim: whether the dimension stays, with size 1.
        out: a pair of tensors of the result's shape, the second int64, to write into.

    Raises:
        IndexError: there is no such dimension, or it has no elements.

    Example:
        >>> import tensorlab as tl
        >>> values, indices = tl.tensor([3, 2, 2, 3, 1]).mode()
        >>> values, indices
        (tensor(2), tensor(2))
    """
    position = as_one_dim("mode", dim, need_tensor("mode", input))
    refuse_without_order("mode", input, position, bools=True)
    choose = functools.partial(_most_frequent, element_type=input._dtype)
    pair = one_of_each("mode", input, position, keepdim, out, choose, ModeBackward0)
    return return_types.mode(pair)


def _most_frequent(cells: np.ndarray, element_type: dtype) -> np.ndarray:
    """The last place of the most frequent element of each line."""
    keys = comparable(cells, element_type)
    order = np.argsort(keys, axis=-1, kind="stable")
    ordered = np.take_along_axis(keys, order, axis=-1)
    numbers = np.arange(keys.shape[-1])
    begins = np.ones(keys.shape, bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    # How many equal elements come before each in order: most where the longest run ends.
    first = np.maximum.accumulate(np.where(begins, numbers, 0), axis=-1)
    end = np.argmax(numbers - first, axis=-1)
    return np.take_along_axis(order, end[..., np.newaxis], axis=-1)[..., 0]
