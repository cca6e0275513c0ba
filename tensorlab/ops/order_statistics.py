"""Medians and the most frequent value."""

from __future__ import annotations

from typing import Any

from tensorlab import return_types
from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.core import dtypes
from tensorlab.dispatch.memory import as_new
from tensorlab.ops import reduction
from tensorlab.ops.aliases import as_own, detach
from tensorlab.ops.argreduce import amax, argmax
from tensorlab.ops.clamp import clamp
from tensorlab.ops.indexing.gather_scatter import gather
from tensorlab.ops.joining import cat
from tensorlab.ops.pointwise import eq, isnan, ne
from tensorlab.ops.ranges import arange
from tensorlab.ops.reduce import as_flag, as_one_dim
from tensorlab.ops.select_backward import among_equals, chooses_places
from tensorlab.ops.shape import reshape, squeeze
from tensorlab.ops.sorting import elements_at, places_in_order, refuse_without_order
from tensorlab.ops.where import where
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
        >>> x = tl.tensor([[1, 5, 3], [4, 2, 6]])
        >>> x.median()
        tensor(3)
        >>> x.median(1).values
        tensor([3, 4])
    """
    return _median("median", input, dim, keepdim, out)


@op("function method", names="reduces")
def nanmedian(input: Tensor, dim: int = _NOTHING, keepdim: bool = False, *, out: Any = None) -> Any:
    """The middle element of those that are numbers. The arguments are those of `median`.

    Example:
        >>> tl.tensor([1.0, tl.nan, 3.0, 2.0]).nanmedian()
        tensor(2.)
    """
    return _median("nanmedian", input, dim, keepdim, out)


def _median(name: str, input: Tensor, dim: Any, keepdim: bool, out: Any) -> Any:
    if dim is _NOTHING and out is not None:
        raise TypeError(
            f"{name}() with out= takes dim as well: it writes values and indices along a dimension"
        )
    if dim is not _NOTHING:
        position = as_one_dim(name, dim, input)
        refuse_without_order(name, input, position)
        places = _middle(name, detach(input), position)
        pair = elements_at(name, _ALONG[name], input, position, places, out, as_flag(name, keepdim))
        return getattr(return_types, name)(pair)
    if input.dtype is dtypes.bool:
        raise NotImplementedError(
            f"{name}() is not implemented for bool: convert with .to(tensorlab.uint8) first"
        )
    if input.numel() == 0:  # as PyTorch has it: NaN, or the least integer
        nothing = float("nan") if input.is_floating_point() else dtypes.integer_range(input.dtype)[0]
        return input.new_full((), nothing)
    elements = reshape(detach(input), (-1,))
    result = squeeze(gather(elements, 0, _middle(name, elements, 0)), 0)
    return record(_OF_ALL[name], as_new(as_own(result)), input)


def _middle(name: str, input: Tensor, dim: int) -> Tensor:
    """The place of the median along a dimension, which stays."""
    size = input._shape[dim] if input.ndim else 1
    middle = places_in_order(input, dim, ((size - 1) // 2, (size - 1) // 2 + 1))
    if not input.is_floating_point():
        return middle
    greatest = argmax(input, dim, True)  # the first NaN, if there is one
    absent = isnan(gather(input, dim, greatest))
    if name == "median":
        return where(absent, greatest, middle)
    if not reduction.any(absent).item():
        return middle
    known = reduction.sum(eq(input, input), dim, True)
    return gather(places_in_order(input, dim, None), dim, clamp(known - 1, 0) // 2)


@op("function method", names="reduces_last")
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
        >>> values, indices = tl.tensor([3, 2, 2, 3, 1]).mode()
        >>> values, indices
        (tensor(2), tensor(2))
    """
    position = as_one_dim("mode", dim, input)
    refuse_without_order("mode", input, position, bools=True)
    places = _most_frequent(detach(input), position)
    kept = as_flag("mode", keepdim)
    return return_types.mode(elements_at("mode", ModeBackward0, input, position, places, out, kept))


def _most_frequent(input: Tensor, dim: int) -> Tensor:
    """The last place of the most frequent element along a dimension, which stays."""
    if not input.ndim:
        return input.new_zeros((), dtype=dtypes.int64)
    places = places_in_order(input, dim, None)
    ordered, count = gather(input, dim, places), input._shape[dim]
    begins = ne(ordered.narrow(dim, 1, count - 1), ordered.narrow(dim, 0, count - 1))
    # How many equal elements come before each in order: most where the longest run ends.
    numbers = arange(count).reshape([-1 if other == dim else 1 for other in range(input.ndim)])
    behind = where(begins, numbers.narrow(dim, 1, count - 1), 0)
    first = cat([behind.new_zeros(amax(input, dim, True)._shape), behind], dim).cummax(dim)[0]
    return gather(places, dim, argmax(numbers - first, dim, True))
