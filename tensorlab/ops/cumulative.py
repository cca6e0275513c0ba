"""Running results along a dimension: each from an element and all before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tensorlab import dtypes, return_types
from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import in_place, record
from tensorlab.autograd.views import check_in_place, requires_grad
from tensorlab.backends import Launch, OperandLayout, backend
from tensorlab.dtypes import dtype
from tensorlab.layout import Size
from tensorlab.ops import conversion
from tensorlab.ops.arguments import need_tensor, numpy_names
from tensorlab.ops.dispatch import allocate, as_new, guard_write
from tensorlab.ops.folding import as_one_dim, check_out, check_out_type
from tensorlab.ops.joining import stack
from tensorlab.ops.outputs import need_outs
from tensorlab.ops.plans import remember
from tensorlab.registry import op
from tensorlab.return_types import NamedResults
from tensorlab.tensor import Tensor, make_dense

# --- gradients ------------------------------------------------------------------------------------------


def _d_cumsum(grad: Tensor, dim: int) -> Tensor:
    return grad.flip(dim).cumsum(dim).flip(dim)


def _d_cumprod(grad: Tensor, input: Tensor, result: Tensor, dim: int) -> Tensor:
    if not input.ndim or input.shape[dim] < 2:
        return grad
    if bool((input != 0).all()):
        return _d_cumsum(grad * result, dim) / input
    # An element's gradient is the product of those before it, times the sum of the gradients from it on,
    # each with the product of the elements between: without a division, and as many steps as elements.
    parts = []
    before = None
    size = input.shape[dim]
    for place in range(size):
        rest = grad.select(dim, place)
        if place + 1 < size:
            later = slice_from(input, dim, place + 1).cumprod(dim)
            rest = rest + (slice_from(grad, dim, place + 1) * later).sum(dim)
        parts.append(rest if before is None else before * rest)
        element = input.select(dim, place)
        before = element if before is None else before * element
    return stack(parts, dim)


def slice_from(input: Tensor, dim: int, start: int) -> Tensor:
    """The elements from a place on along a dimension; a view."""
    return input.narrow(dim, start, input.shape[dim] - start)


def _d_extreme(grad: Tensor, shape: Size, dim: int, indices: Tensor) -> Tensor:
    return grad.new_zeros(shape).scatter_add(dim, indices, grad)


_KINDS = {
    "cumsum": formulas("CumsumBackward0", input=_d_cumsum),
    "cumprod": formulas("CumprodBackward0", input=_d_cumprod),
    "cummax": formulas("CummaxBackward0", input=_d_extreme),
    "cummin": formulas("CumminBackward0", input=_d_extreme),
}

# --- functions ------------------------------------------------------------------------------------------


@op("function method", names="keeps")
@numpy_names
def cumsum(input: Tensor, dim: int, *, dtype: dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The running sum along a dimension: each element plus all before it. Floats add up in float64.

    Args:
        input: a tensor of any shape.
        dim: the dimension to run along.
        dtype: the type to convert each element to first. Without it integers and bools add up in int64.
        out: a tensor of `input`'s shape to write into.

    Raises:
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([[1, 2], [3, 4]]).cumsum(0)
        tensor([[1, 2],
                [4, 6]])
    """
    return _sums("cumsum", input, dim, dtype, out)


@op("function method", names="keeps")
@numpy_names
def cumprod(input: Tensor, dim: int, *, dtype: dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The running product along a dimension. The arguments are those of `cumsum`.

    Example:
        >>> import tensorlab as tl
        >>> tl.arange(5).add(1).cumprod(0)
        tensor([  1,   2,   6,  24, 120])
    """
    return _sums("cumprod", input, dim, dtype, out)


@op("method")
@numpy_names
def cumsum_(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """`cumsum` written over `input`, in its dtype.

    Raises:
        RuntimeError: another `dtype` is asked for, or the elements are bools.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1, 2, 3])
        >>> x.cumsum_(0)
        tensor([1, 3, 6])
    """
    return _in_place("cumsum", input, dim, dtype)


@op("method")
@numpy_names
def cumprod_(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """`cumprod` written over `input`, in its dtype.

    Raises:
        RuntimeError: another `dtype` is asked for, or the elements are bools.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1, 2, 3])
        >>> x.cumprod_(0)
        tensor([1, 2, 6])
    """
    return _in_place("cumprod", input, dim, dtype)


def _in_place(name: str, input: Tensor, dim: int, dtype: dtype | None) -> Tensor:
    check_in_place(need_tensor(name, input))
    as_one_dim(name, dim, input)  # a wrong dimension comes before a wrong dtype
    _refuse_bool(name, input.dtype, input)
    if dtype is not None and dtype is not input.dtype:
        raise RuntimeError(f"{name}_(): the result stays {input.dtype.name}, and dtype is {dtype.name}")
    position = as_one_dim(name, dim, input)
    with in_place(_KINDS[name], input, dim=position):
        guard_write(input)
        _run(name, input.dtype, input, position, input, None)
    return input


def _refuse_bool(name: str, value: dtype, input: Tensor) -> None:
    if value is dtypes.bool and input.ndim and input.numel():
        raise NotImplementedError(
            f'"{name}" not implemented for bool: bools cannot hold running results, and {name}() of them '
            f"makes an int64 tensor"
        )


class _Plan(NamedTuple):
    """What of a running sum or product follows from the layout and the dtypes alone."""

    launch: Launch
    value: dtype
    stride: tuple[int, ...]
    cells: int


_plans: dict[tuple, _Plan] = {}


def _summed_again(name: str, input: Tensor, dim: int, chosen: dtype | None) -> Tensor | None:
    """The results, if such a layout came before and there is nothing to record."""
    if type(input) is not Tensor or type(dim) is not int:
        return None
    if requires_grad(input):
        return None
    plan = _plans.get((name, input._dtype, input._shape, input._stride, dim, chosen))
    if plan is None:
        return None
    launch, value, stride, cells = plan
    memory = np.empty(cells, value.cell)
    launch((memory, 0), (None, 0), input._buffer())
    return make_dense(memory, value, input._shape, stride)


def _sums(name: str, input: Tensor, dim: int, chosen: dtype | None, out: Tensor | None) -> Tensor:
    if out is None and (known := _summed_again(name, input, dim, chosen)) is not None:
        return known
    position = as_one_dim(name, dim, need_tensor(name, input))
    value = chosen or input.dtype
    if chosen is None and not value.is_floating_point:
        value = dtypes.int64
    if out is not None:
        value = check_out_type(name, chosen, out)
    _refuse_bool(name, value, input)
    if value is dtypes.bool:
        input = conversion.to(input, dtypes.bool)
    target = allocate(input.shape, value) if out is None else out
    if out is not None:
        check_out(name, out, input.shape, input)
    launch = _run(name, value, input, position, target, None)
    if out is None:
        as_new(target)
        if value is not dtypes.bool:  # whose elements are converted first
            key = name, input._dtype, input._shape, input._stride, dim, chosen
            remember(_plans, key, _Plan(launch, value, target._stride, target.numel()))
    return record(_KINDS[name], target, input, dim=position)


@op("function method", names="keeps")
@numpy_names
def cummax(input: Tensor, dim: int, *, out: tuple[Tensor, Tensor] | None = None) -> NamedResults:
    """The greatest element so far along a dimension, and where it stands, as the pair ``(values, indices)``.

    The later of two equal elements counts. After a NaN all are NaN.

    Args:
        input: a tensor of any shape.
        dim: the dimension to run along.
        out: a pair of tensors of `input`'s shape, the second int64, to write into.

    Raises:
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> values, indices = tl.tensor([1, 3, 2, 3]).cummax(0)
        >>> values, indices
        (tensor([1, 3, 3, 3]), tensor([0, 1, 1, 3]))
    """
    return return_types.cummax(_extremes("cummax", input, dim, out))


@op("function method", names="keeps")
@numpy_names
def cummin(input: Tensor, dim: int, *, out: tuple[Tensor, Tensor] | None = None) -> NamedResults:
    """The least element so far along a dimension, and where it stands. The arguments are those of `cummax`.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([3, 1, 2]).cummin(0).values
        tensor([3, 1, 1])
    """
    return return_types.cummin(_extremes("cummin", input, dim, out))


def _extremes(name: str, input: Tensor, dim: int, out: Sequence[Tensor] | None) -> tuple[Tensor, Tensor]:
    position = as_one_dim(name, dim, need_tensor(name, input))
    if out is None:
        values, places = allocate(input.shape, input.dtype), allocate(input.shape, dtypes.int64)
    else:
        values, places = need_outs(name, out, 2)
        check_out_type(name, input.dtype, values)
        check_out_type(name, dtypes.int64, places)
        check_out(name, values, input.shape, input)
        check_out(name, places, input.shape, input, values)
    _run(name, input.dtype, input, position, values, places)
    if out is None:
        as_new(values)
        as_new(places)
    record(_KINDS[name], values, input, shape=input._shape, dim=position, indices=places)
    return values, places


def _run(name: str, value: dtype, input: Tensor, dim: int, out: Tensor, places: Tensor | None) -> Launch:
    def laid(tensor: Tensor) -> OperandLayout:
        return OperandLayout(tensor.dtype, tensor.stride() or (1,))

    launch = backend("cpu").scan(
        name,
        value,
        input.shape or (1,),
        dim,
        laid(out),
        None if places is None else laid(places),
        laid(input),
    )
    for written in (out, places):
        if written is not None:
            written._storage._version += 1
    launch(out._buffer(), (None, 0) if places is None else places._buffer(), input._buffer())
    return launch
