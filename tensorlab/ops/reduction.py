"""Sums and what is made of them: means, products, counts, truths.

Each function folds away the dimensions that it is given, or all, and keeps the others. What it does with the
elements is a row of `tensorlab.folds`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import partial
from math import prod as product
from typing import Any

from tensorlab import dtypes
from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.autograd.views import requires_grad
from tensorlab.dtypes import dtype
from tensorlab.layout import Size
from tensorlab.ops import conversion, pointwise
from tensorlab.ops.arguments import need_tensor, numpy_names
from tensorlab.ops.folding import Dims, as_dims, as_flag, check_out_type, fold, is_fold, spread
from tensorlab.ops.joining import cat
from tensorlab.ops.outputs import written
from tensorlab.ops.plans import MOST_PLANS
from tensorlab.registry import op
from tensorlab.tensor import Tensor

# --- gradients ------------------------------------------------------------------------------------------


def _d_sum(grad: Tensor, shape: Size, dim: Dims, keepdim: bool) -> Tensor:
    return spread(grad, shape, dim, keepdim)


def _d_mean(grad: Tensor, shape: Size, dim: Dims, keepdim: bool) -> Tensor:
    count = _folded(shape, dim if dim is None or isinstance(dim, int) else tuple(dim))
    return spread(grad / count if count else grad, shape, dim, keepdim)


@functools.lru_cache(MOST_PLANS)
def _folded(shape: Size, dim: Dims) -> int:
    """How many elements meet in one mean."""
    return product(shape[position] for position in as_dims(dim, len(shape), "mean"))


def _d_nansum(grad: Tensor, input: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    return spread(grad, input.shape, dim, keepdim) * pointwise.eq(input, input)


def _d_prod(grad: Tensor, input: Tensor, result: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    if not input.ndim:
        return grad
    grad, result = (spread(tensor, input.shape, dim, keepdim) for tensor in (grad, result))
    if bool((input != 0).all()):
        return grad * (result / input)
    return grad * _product_of_others(input, dim)


def _product_of_others(input: Tensor, dim: Any) -> Tensor:
    """For each element the product of all others along a dimension, or of all: what a division by 0 hides."""
    if dim is None:
        return _product_of_others(input.reshape(-1), 0).reshape(input.shape)
    if not input.ndim:
        return input.new_ones(())
    size = input.shape[dim]
    one = input.new_ones([1 if d == dim % input.ndim else n for d, n in enumerate(input.shape)])
    before = cat([one, input.narrow(dim, 0, size - 1)], dim).cumprod(dim)
    after = cat([one, input.narrow(dim, 1, size - 1).flip(dim)], dim).cumprod(dim).flip(dim)
    return before * after


# By name the two kinds of node: of all elements, and along dimensions.
_KINDS = {
    name: tuple(formulas(f"{name.capitalize()}Backward{n}", input=formula) for n in numbers)
    for name, formula, numbers in (
        ("sum", _d_sum, (0, 1)),
        ("mean", _d_mean, (0, 1)),
        ("nansum", _d_nansum, (0, 0)),
        ("prod", _d_prod, (0, 1)),
    )
}


def _fold(
    name: str,
    input: Tensor,
    dim: Dims,
    keepdim: bool,
    value: dtype,
    element_type: dtype,
    out: Tensor | None = None,
) -> Tensor:
    """`fold`, remembered for the backward pass."""
    result = fold(name, input, dim, as_flag(name, keepdim), value, element_type, out)
    if not requires_grad(input):
        return result
    kind = _KINDS[name][dim is not None or keepdim]
    return record(kind, result, input, shape=input._shape, dim=dim, keepdim=keepdim)


def _recorder(
    name: str, input: Tensor, dim: Dims = None, keepdim: bool = False
) -> Callable[[Tensor, Tensor], Tensor]:
    kind = _KINDS[name][dim is not None or keepdim]
    return partial(record, kind, shape=input._shape, dim=dim, keepdim=keepdim)


# --- sums -----------------------------------------------------------------------------------------------


@op("function method", names="reduces")
@is_fold("sum", recorder=partial(_recorder, "sum"))
def sum(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The sum of the elements.

    Floats are added in blocks, and the blocks' sums in float64 (those of float64 with their rounding errors
    kept), so that the result is closer to the true sum than a plain loop's, in any layout.

    Args:
        input: a tensor of any shape.
        dim: the dimension, or dimensions, to add along; all without it. NumPy's name `axis` works too.
        keepdim: whether the dimensions stay, with size 1 (`keepdims`).
        dtype: the type to convert each element to first. Without it integers and bools add up in int64.
        out: a tensor of the result's shape to write into.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: a dimension is named twice, or `out` does not fit.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.arange(6).view(2, 3)
        >>> x.sum(), x.sum(0), x.sum((0, 1), keepdim=True)
        (tensor(15), tensor([3, 5, 7]), tensor([[15]]))
        >>> tl.zeros(0, 3).sum(0)
        tensor([0., 0., 0.])
    """
    return _added("sum", input, dim, keepdim, dtype, out)


@op("function method", names="reduces")
@is_fold("nansum")
def nansum(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The sum of the elements that are numbers: NaN counts as 0. The arguments are those of `sum`.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([1.0, tl.nan, 2.0]).nansum()
        tensor(3.)
    """
    if (
        dtype is not None
        and not dtype.is_floating_point
        and need_tensor("nansum", input).dtype.is_floating_point
    ):
        # A NaN has no integer to be converted to: it is left out while the elements are floats.
        summed = _added("nansum", input, dim, keepdim, None, None)
        summed = conversion.to(summed, dtype)
        return summed if out is None else written(out, summed)
    if (
        dtype is None
        and out is not None
        and not out.dtype.is_floating_point
        and need_tensor("nansum", input).dtype.is_floating_point
        and input.numel()
    ):
        raise NotImplementedError(
            f'"nansum" not implemented for {out.dtype.name}: where dtype does not ask for it, floats add up '
            f"in an out of floats"
        )
    return _added("nansum", input, dim, keepdim, dtype, out)


def _added(
    name: str, input: Tensor, dim: Dims, keepdim: bool, dtype: dtype | None, out: Tensor | None
) -> Tensor:
    need_tensor(name, input)
    value = dtype
    if out is not None:
        value = check_out_type(name, dtype, out)
    if value is None:
        value = input._dtype if input._dtype.is_floating_point else dtypes.int64
    if value is dtypes.bool:
        input, value = conversion.to(input, dtypes.bool), dtypes.int64
        return _fold(name, input, dim, keepdim, value, dtypes.bool, out)
    return _fold(name, input, dim, keepdim, value, value, out)


@op("function method", names="reduces")
@is_fold("mean", recorder=partial(_recorder, "mean"))
def mean(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The mean of the elements: their sum divided by their number. The arguments are those of `sum`.

    The mean of no elements is NaN.

    Raises:
        RuntimeError: the elements are integers or bools, and no floating `dtype` is given.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([[1.0, 2.0], [3.0, 5.0]]).mean(0)
        tensor([2.0000, 3.5000])
        >>> tl.tensor([1, 2]).mean(dtype=tl.float32)
        tensor(1.5000)
    """
    need_tensor("mean", input)
    value = dtype or (out.dtype if out is not None else input._dtype)
    if not value.is_floating_point:
        which = "Optional" if dtype else "Input"
        raise RuntimeError(
            f"mean(): could not infer output dtype. {which} dtype must be either a floating point or complex "
            f"dtype. Got: {value.name}. A mean is seldom a whole number: mean(dtype=tensorlab.float32)"
        )
    if out is not None:
        check_out_type("mean", dtype, out)
    return _fold("mean", input, dim, keepdim, value, value, out)


@op("function method", names="reduces")
@numpy_names
def nanmean(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The mean of the elements that are numbers; NaN where there are none. The arguments are those of `sum`.

    Raises:
        RuntimeError: the elements are integers or bools.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([[1.0, tl.nan], [2.0, 3.0]]).nanmean(1)
        tensor([1.0000, 2.5000])
    """
    need_tensor("nanmean", input)
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {input.dtype.name}: "
            f"integers are never NaN, mean(dtype=tensorlab.float32) takes them all"
        )
    count = fold("count_numbers", input, dim, as_flag("nanmean", keepdim), input.dtype, dtypes.int64)
    return pointwise.div(nansum(input, dim, keepdim, dtype=dtype), count, out=out)


@op("function method", names="reduces")
@is_fold("prod", recorder=partial(_recorder, "prod"))
def prod(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The product of the elements, all of them or along one dimension. The product of none is 1.

    float32 is multiplied in float64, so that what leaves float32's range on the way may come back.

    Args:
        input: a tensor of any shape.
        dim: the dimension to multiply along; all without it.
        keepdim: whether the dimension stays, with size 1.
        dtype: the type to convert each element to first. Without it integers and bools multiply in int64.
        out: a tensor of the result's shape to write into.

    Raises:
        TypeError: `dim` is not an int.
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([[1, 2], [3, 4]])
        >>> x.prod(), x.prod(0)
        (tensor(24), tensor([3, 8]))
    """
    if isinstance(dim, (tuple, list)):
        raise TypeError(
            f"prod(): argument 'dim' must be an int, got {dim!r}: multiply along one after another"
        )
    return _added("prod", input, dim, keepdim, dtype, out)


@op("function method", names="reduces")
@is_fold("all")
def all(input: Tensor, dim: Dims = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether all elements are true, that is, not 0. Of no elements all are.

    Args:
        input: a tensor of any shape and dtype; NaN is true.
        dim: the dimension, or dimensions, to look along; all without it, and none for ``()``.
        keepdim: whether the dimensions stay, with size 1.
        out: a tensor of the result's shape, bool or uint8, to write into.

    Returns:
        a bool tensor; uint8 for uint8 elements, as in PyTorch.

    Raises:
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([[1, 2], [0, 3]]).all(1)
        tensor([ True, False])
    """
    return _truth("all", input, dim, keepdim, out)


@op("function method", names="reduces")
@is_fold("any")
def any(input: Tensor, dim: Dims = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether any element is true, that is, not 0. Of no elements none is. The arguments are those of `all`.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([[0, 0], [0, 3]]).any(1)
        tensor([False,  True])
    """
    return _truth("any", input, dim, keepdim, out)


def _truth(name: str, input: Tensor, dim: Dims, keepdim: bool, out: Tensor | None) -> Tensor:
    element_type = need_tensor(name, input).dtype
    result = dtypes.uint8 if element_type is dtypes.uint8 else dtypes.bool
    if out is not None:
        result = out.dtype
        if result not in (dtypes.bool, dtypes.uint8):
            raise RuntimeError(f"{name} only supports bool tensor for result, got: {result.name}")
    if isinstance(dim, (tuple, list)) and not dim:
        truths = conversion.to(pointwise.ne(input, 0), result)
        return truths if out is None else written(out, truths)
    return fold(name, input, dim, as_flag(name, keepdim), element_type, result, out)


@op("function method", names="reduces")
@numpy_names
def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """How many elements are not 0, as int64; NaN is not.

    Args:
        input: a tensor of any shape.
        dim: the dimension, or dimensions, to count along; all without it.

    Raises:
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([[0, 1], [2, 3]]).count_nonzero(0)
        tensor([1, 2])
    """
    need_tensor("count_nonzero", input)
    return fold("count_nonzero", input, dim, False, input.dtype, dtypes.int64)
