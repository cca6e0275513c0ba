"""Running results along a dimension: each from an element and all before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlab import return_types
from tensorlab.autograd.formulas import Backward, Formula, formulas
from tensorlab.autograd.recording import record
from tensorlab.autograd.views import check_in_place
from tensorlab.backends import Backend, Launch, OperandLayout
from tensorlab.core import dtypes, layout
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import contiguous_format
from tensorlab.dispatch.primitive import (
    IN_PLACE,
    Primitive,
    Recorded,
    Result,
    call,
    call_in_place,
    check_out,
    compute_several,
    refuse_recorded,
    unary,
)
from tensorlab.names.rules import keeps
from tensorlab.ops.joining import cat, stack
from tensorlab.ops.outputs import need_outs, typed_out, written
from tensorlab.ops.pointwise import log
from tensorlab.ops.reduce import as_one_dim
from tensorlab.ops.where import safe_where
from tensorlab.registry import op
from tensorlab.return_types import NamedResults
from tensorlab.tensor import Tensor

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


# --- the operations -------------------------------------------------------------------------------------


class Scan(Primitive):
    """A running sum, product or extreme; `params`: the dimension, and the type in which elements are joined.

    Args:
        name: of the operation.
        gradient: its formula.
        places: whether it gives the places of the extremes as well.
    """

    names = staticmethod(keeps)

    def __init__(self, name: str, gradient: Formula | None = None, places: bool = False) -> None:
        self.name, self.places, self.differentiable = name, places, gradient is not None
        self.kind = gradient and formulas(f"{name.capitalize()}Backward0", input=gradient)

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """The shape of the elements, row-major, and so the places of extremes."""
        (input,), (_, value) = operands, params
        made = Result(input.shape, layout.default_strides(input.shape), value)
        return made._replace(further=[made._replace(dtype=dtypes.int64)]) if self.places else made

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        (input,), (dim, value) = operands, params
        out = OperandLayout(result.dtype, result.stride or (1,))
        source = OperandLayout(input.dtype, input.stride() or (1,))
        places = out._replace(dtype=dtypes.int64) if self.places else None
        return backend.scan(self.name, value, input.shape or (1,), dim, out, source, places)

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """See `Primitive.node`."""
        return self.kind, {"dim": params[0]}


CUMSUM, CUMPROD = Scan("cumsum", _d_cumsum), Scan("cumprod", _d_cumprod)
CUMMAX, CUMMIN = Scan("cummax", places=True), Scan("cummin", places=True)
CummaxBackward0 = formulas("CummaxBackward0", input=_d_extreme)
CumminBackward0 = formulas("CumminBackward0", input=_d_extreme)


@op("function method in_place", names="keeps")
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
        >>> tl.tensor([[1, 2], [3, 4]]).cumsum(0)
        tensor([[1, 2],
                [4, 6]])
    """
    return _sums(CUMSUM, input, dim, dtype, out)


@op("function method in_place", names="keeps")
def cumprod(input: Tensor, dim: int, *, dtype: dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The running product along a dimension. The arguments are those of `cumsum`.

    Example:
        >>> tl.arange(5).add(1).cumprod(0)
        tensor([  1,   2,   6,  24, 120])
    """
    return _sums(CUMPROD, input, dim, dtype, out)


def _in_place(scan: Scan, input: Tensor, dim: int, dtype: dtype | None) -> Tensor:
    name = scan.name
    check_in_place(input)
    position = as_one_dim(name, dim, input)  # a wrong dimension comes before a wrong dtype
    _refuse_bool(name, input.dtype, input)
    if dtype is not None and dtype is not input.dtype:
        raise RuntimeError(f"{name}_(): the result stays {input.dtype.name}, and dtype is {dtype.name}")
    return call_in_place(scan, input, params=(position, input.dtype))


def _refuse_bool(name: str, value: dtype, input: Tensor) -> None:
    if value is dtypes.bool and input.ndim and input.numel():
        raise NotImplementedError(
            f'"{name}" not implemented for bool: bools cannot hold running results, and {name}() of them '
            f"makes an int64 tensor"
        )


def _sums(scan: Scan, input: Tensor, dim: int, chosen: dtype | None, out: Tensor | None) -> Tensor:
    if out is IN_PLACE:
        return _in_place(scan, input, dim, chosen)
    position = as_one_dim(scan.name, dim, input)
    value = chosen or (input._dtype if input._dtype.is_floating_point else dtypes.int64)
    if out is not None:
        value = typed_out(scan.name, chosen, out)
    if value is dtypes.bool:
        _refuse_bool(scan.name, value, input)
        input = input.to(dtypes.bool)
    if out is None:
        return unary(scan, input, (position, value))
    return call(scan, input, params=(position, value), out=out)


@op("function method", names="keeps")
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
        >>> values, indices = tl.tensor([1, 3, 2, 3]).cummax(0)
        >>> values, indices
        (tensor([1, 3, 3, 3]), tensor([0, 1, 1, 3]))
    """
    return return_types.cummax(_extremes(CUMMAX, CummaxBackward0, input, dim, out))


@op("function method", names="keeps")
def cummin(input: Tensor, dim: int, *, out: tuple[Tensor, Tensor] | None = None) -> NamedResults:
    """The least element so far along a dimension, and where it stands. The arguments are those of `cummax`.

    Example:
        >>> tl.tensor([3, 1, 2]).cummin(0).values
        tensor([3, 1, 1])
    """
    return return_types.cummin(_extremes(CUMMIN, CumminBackward0, input, dim, out))


def _extremes(
    scan: Scan, node: type[Backward], input: Tensor, dim: int, out: Sequence[Tensor] | None
) -> tuple[Tensor, Tensor]:
    name = scan.name
    params = as_one_dim(name, dim, input), input.dtype
    if out is not None:
        targets = need_outs(name, out, 2)
        typed_out(name, input.dtype, targets[0])
        typed_out(name, dtypes.int64, targets[1])
        refuse_recorded(f"{name}(): ", targets[0], input)
    found, indices = compute_several(scan, input, params=params)
    if out is not None:
        return written(targets[0], found), written(targets[1], indices)
    record(node, found, input, shape=input._shape, dim=params[0], indices=indices)
    return found, indices


# --- the running sum of exponentials, as a logarithm ----------------------------------------------------


def _d_logcumsumexp(grad: Tensor, input: Tensor, result: Tensor, dim: int) -> Tensor:
    # Each element's gradient is the sum of grad · exp(input - result) over the results from it on. It is
    # taken in logarithms too, so that nothing overflows: for the positive gradients, then the negative ones.
    return _share(grad, input, result, dim) - _share(-grad, input, result, dim)


def _share(grad: Tensor, input: Tensor, result: Tensor, dim: int) -> Tensor:
    positive = grad > 0
    least = -dtypes.finfo_max(grad._dtype)
    logs = safe_where(positive, log, grad, least) - result
    return (logcumsumexp(logs.flip((dim,)), dim).flip((dim,)) + input).exp()


LogcumsumexpBackward0 = formulas("LogcumsumexpBackward0", input=_d_logcumsumexp)


@op("function method")
def logcumsumexp(input: Tensor, dim: int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the running sum of ``exp(input)`` along a dimension, without overflow on the way.

    Args:
        input: a floating tensor.
        dim: the dimension to run along.
        out: a tensor of `input`'s shape to write into.

    Raises:
        IndexError: there is no such dimension.
        NotImplementedError: the elements are not floats.

    Example:
        >>> tl.logcumsumexp(tl.tensor([1000.0, 1000.0, 1001.0]), 0)
        tensor([1000.0000, 1000.6932, 1001.5515])
    """
    position = as_one_dim("logcumsumexp", dim, input)
    if not input._dtype.is_floating_point:
        raise NotImplementedError(
            f"logcumsumexp() is not implemented for {input._dtype.name}: convert with "
            f".to(tensorlab.float32) first"
        )
    if out is not None:
        check_out("logcumsumexp", out, input)
    total = input.detach().to(dtypes.float64)
    size, step = input._shape[position] if input.ndim else 1, 1
    while step < size:  # each element is joined with what was joined `step` before it
        before, later = total.narrow(position, 0, size - step), total.narrow(position, step, size - step)
        total = cat([total.narrow(position, 0, step), before.logaddexp(later)], position)
        step *= 2
    result = total.to(input._dtype, memory_format=contiguous_format, copy=True)
    if out is not None:
        return written(out, result)
    return record(LogcumsumexpBackward0, result, input, dim=position)
