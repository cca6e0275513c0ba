"""Sums and what is made of them: means, products, counts, truths.

Each function folds away the dimensions that it is given, or all, and keeps the others. What it does with the
elements is a row of `tensorlab.folds`.
"""

from __future__ import annotations

import math
from typing import Any

from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.ops import pointwise
from tensorlab.ops.joining import cat
from tensorlab.ops.outputs import typed_out, written
from tensorlab.ops.reduce import Dims, Reduce, as_dims, reduce, spread, wide_type
from tensorlab.registry import op
from tensorlab.tensor import Tensor

# --- gradients ------------------------------------------------------------------------------------------


def _d_mean(grad: Tensor, shape: Size, dim: Dims, keepdim: bool) -> Tensor:
    count = math.prod(shape[position] for position in as_dims(dim, len(shape), "mean"))
    return spread(grad / count if count else grad, shape, dim, keepdim)


def _d_nansum(grad: Tensor, input: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    return spread(grad, input.shape, dim, keepdim) * (input == input)


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


def _mean_type(element: dtype, chosen: dtype | None) -> tuple[dtype, dtype]:
    value = chosen or element
    if not value.is_floating_point:
        which = "Optional" if chosen else "Input"
        raise RuntimeError(
            f"mean(): could not infer output dtype. {which} dtype must be either a floating point or complex "
            f"dtype. Got: {value.name}. A mean is seldom a whole number: mean(dtype=tensorlab.float32)"
        )
    return value, value


def _count_type(element: dtype, chosen: dtype | None) -> tuple[dtype, dtype]:
    return element, dtypes.int64


def _truth_type(element: dtype, chosen: dtype | None) -> tuple[dtype, dtype]:
    return element, chosen or (dtypes.uint8 if element is dtypes.uint8 else dtypes.bool)


SUM = Reduce(
    "sum", wide_type, "Sum", lambda grad, shape, dim, keepdim: spread(grad, shape, dim, keepdim), (0, 1)
)
MEAN = Reduce("mean", _mean_type, "Mean", _d_mean, (0, 1))
NANSUM = Reduce("nansum", wide_type, "Nansum", _d_nansum)
PROD = Reduce("prod", wide_type, "Prod", _d_prod, (0, 1))
ALL, ANY = Reduce("all", _truth_type), Reduce("any", _truth_type)
COUNT_NONZERO = Reduce("count_nonzero", _count_type)
COUNT_NUMBERS = Reduce("count_numbers", _count_type, name="nanmean")


# --- sums -----------------------------------------------------------------------------------------------


@op("function method", names="reduces")
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
        >>> x = tl.arange(6).view(2, 3)
        >>> x.sum(), x.sum(0), x.sum((0, 1), keepdim=True)
        (tensor(15), tensor([3, 5, 7]), tensor([[15]]))
        >>> tl.zeros(0, 3).sum(0)
        tensor([0., 0., 0.])
    """
    return _added(SUM, input, dim, keepdim, dtype, out)


@op("function method", names="reduces")
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
        >>> tl.tensor([1.0, tl.nan, 2.0]).nansum()
        tensor(3.)
    """
    if dtype is not None and not dtype.is_floating_point and input.dtype.is_floating_point:
        # A NaN has no integer to be converted to: it is left out while the elements are floats.
        summed = _added(NANSUM, input, dim, keepdim, None, None)
        summed = summed.to(dtype)
        return summed if out is None else written(out, summed)
    if (
        dtype is None
        and out is not None
        and not out.dtype.is_floating_point
        and input.dtype.is_floating_point
        and input.numel()
    ):
        raise NotImplementedError(
            f'"nansum" not implemented for {out.dtype.name}: where dtype does not ask for it, floats add up '
            f"in an out of floats"
        )
    return _added(NANSUM, input, dim, keepdim, dtype, out)


def _added(
    primitive: Reduce, input: Tensor, dim: Dims, keepdim: bool, dtype: dtype | None, out: Tensor | None
) -> Tensor:
    if out is not None:
        dtype = typed_out(primitive.name, dtype, out)
    if dtype is dtypes.bool:
        input = input.to(dtypes.bool)
    return reduce(primitive, input, dim, keepdim, dtype, out)


@op("function method", names="reduces")
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
        >>> tl.tensor([[1.0, 2.0], [3.0, 5.0]]).mean(0)
        tensor([2.0000, 3.5000])
        >>> tl.tensor([1, 2]).mean(dtype=tl.float32)
        tensor(1.5000)
    """
    if out is not None:
        typed_out("mean", dtype, out)
    return reduce(MEAN, input, dim, keepdim, dtype, out)


@op("function method", names="reduces")
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
        >>> tl.tensor([[1.0, tl.nan], [2.0, 3.0]]).nanmean(1)
        tensor([1.0000, 2.5000])
    """
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {input.dtype.name}: "
            f"integers are never NaN, mean(dtype=tensorlab.float32) takes them all"
        )
    count = reduce(COUNT_NUMBERS, input, dim, keepdim)
    return pointwise.div(nansum(input, dim, keepdim, dtype=dtype), count, out=out)


@op("function method", names="reduces")
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
        >>> x = tl.tensor([[1, 2], [3, 4]])
        >>> x.prod(), x.prod(0)
        (tensor(24), tensor([3, 8]))
    """
    if isinstance(dim, (tuple, list)):
        raise TypeError(
            f"prod(): argument 'dim' must be an int, got {dim!r}: multiply along one after another"
        )
    return _added(PROD, input, dim, keepdim, dtype, out)


@op("function method", names="reduces")
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
        >>> tl.tensor([[1, 2], [0, 3]]).all(1)
        tensor([ True, False])
    """
    return _truth(ALL, input, dim, keepdim, out)


@op("function method", names="reduces")
def any(input: Tensor, dim: Dims = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether any element is true, that is, not 0. Of no elements none is. The arguments are those of `all`.

    Example:
        >>> tl.tensor([[0, 0], [0, 3]]).any(1)
        tensor([False,  True])
    """
    return _truth(ANY, input, dim, keepdim, out)


def _truth(primitive: Reduce, input: Tensor, dim: Dims, keepdim: bool, out: Tensor | None) -> Tensor:
    if out is not None and out.dtype not in (dtypes.bool, dtypes.uint8):
        raise RuntimeError(f"{primitive.name} only supports bool tensor for result, got: {out.dtype.name}")
    if isinstance(dim, (tuple, list)) and not dim:
        result = _truth_type(input.dtype, None if out is None else out.dtype)[1]
        truths = (input != 0).to(result)
        return truths if out is None else written(out, truths)
    return reduce(primitive, input, dim, keepdim, None, out)


@op("function method", names="reduces")
def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """How many elements are not 0, as int64; NaN is not.

    Args:
        input: a tensor of any shape.
        dim: the dimension, or dimensions, to count along; all without it.

    Raises:
        IndexError: there is no such dimension.

    Example:
        >>> tl.tensor([[0, 1], [2, 3]]).count_nonzero(0)
        tensor([1, 2])
    """
    return reduce(COUNT_NONZERO, input, dim, False)
