"""softmax, its logarithm, and the logarithm of a sum of exponentials."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.autograd.views import requires_grad
from tensorlab.backends import Launch, OperandLayout, backend
from tensorlab.core import dtypes, layout
from tensorlab.core.dtypes import dtype
from tensorlab.core.memory_formats import contiguous_format
from tensorlab.core.warned import warn_caller
from tensorlab.dispatch.primitive import check_out as refuse_tracked
from tensorlab.memory import beside
from tensorlab.ops.arguments import need_tensor, numpy_names
from tensorlab.ops.conversion import dense_in
from tensorlab.ops.outputs import fit_out, typed_out, written
from tensorlab.ops.plans import remember
from tensorlab.ops.pointwise import neg
from tensorlab.ops.reduce import Dims, Reduce, as_one_dim, reduce, spread
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_dense


def _d_softmax(grad: Tensor, result: Tensor, dim: int) -> Tensor:
    if requires_grad(grad) or requires_grad(result):
        return result * (grad - (grad * result).sum(dim, True))
    return _in_one_pass(False, grad, result, dim)


def _d_log_softmax(grad: Tensor, result: Tensor, dim: int) -> Tensor:
    if requires_grad(grad) or requires_grad(result):
        return grad - result.exp() * grad.sum(dim, True)
    return _in_one_pass(True, grad, result, dim)


def _in_one_pass(logarithm: bool, grad: Tensor, result: Tensor, dim: int) -> Tensor:
    """The gradient by one kernel, which reads everything twice and keeps nothing."""
    shape, element_type = grad._shape, result._dtype
    key = (logarithm, shape, dim, element_type)
    known = _gradients.get(key)
    if known is None:
        launch = backend("cpu").softmax_gradient(logarithm, shape or (1,), dim, element_type)
        known = remember(_gradients, key, (launch, layout.default_strides(shape)))
    launch, stride = known
    above, cells = dense_in(grad, contiguous_format), dense_in(result, contiguous_format)
    memory = beside(cells, cells.size, element_type.cell)
    launch((memory, 0), (above, 0), (cells, 0))
    return make_dense(memory, element_type, shape, stride)


def _d_logsumexp(grad: Tensor, input: Tensor, result: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    grad, result = (spread(tensor, input.shape, dim, keepdim) for tensor in (grad, result))
    return grad * (input - result).exp()


_KINDS = {
    "softmax": formulas("SoftmaxBackward0", input=_d_softmax),
    "log_softmax": formulas("LogSoftmaxBackward0", input=_d_log_softmax),
}


def _float_type(element: dtype, chosen: dtype | None) -> tuple[dtype, dtype]:
    value = element if element.is_floating_point else dtypes.get_default_dtype()
    return value, chosen or value


LOGSUMEXP = Reduce("logsumexp", _float_type, "Logsumexp", _d_logsumexp)


@op("function method", aliases="special.softmax", names="keeps")
@numpy_names
def softmax(input: Tensor, dim: int, dtype: dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """``exp(input)`` divided by its sum along a dimension: positive numbers that add up to 1.

    The greatest element is taken from all first, so that no exponential overflows.

    Args:
        input: a floating-point tensor.
        dim: the dimension that adds up to 1.
        dtype: the floating type to convert each element to first.
        out: a tensor of `input`'s shape and of the result's dtype to write into.

    Raises:
        IndexError: there is no such dimension.
        NotImplementedError: the elements are not floats, and no floating `dtype` is given.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([[0.0, 0.0], [0.0, 1.0]]).softmax(1)
        tensor([[0.5000, 0.5000],
                [0.2689, 0.7311]])
    """
    return _softmax("softmax", input, dim, dtype, out)


@op("function method", aliases="special.log_softmax", names="keeps")
@numpy_names
def log_softmax(input: Tensor, dim: int, dtype: dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of `softmax`, without the loss of digits that taking it afterwards would bring.

    The arguments are those of `softmax`.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([0.0, 1000.0]).log_softmax(0)
        tensor([-1000.,     0.])
    """
    return _softmax("log_softmax", input, dim, dtype, out)


class _Plan(NamedTuple):
    """What of a softmax follows from the layout and the dtypes alone."""

    launch: Launch
    result: dtype
    dim: int
    stride: tuple[int, ...]
    cells: int


_plans: dict[tuple, _Plan] = {}
_gradients: dict[tuple, tuple[Launch, tuple[int, ...]]] = {}


def _softmax(name: str, input: Tensor, dim: int, chosen: dtype | None, out: Tensor | None) -> Tensor:
    need_tensor(name, input)
    position = dim if type(dim) is int else as_one_dim(name, dim, input)
    launch, result, position, stride, cells = _plan(name, input, position, chosen)
    if out is not None:
        typed_out(name, result, out)
        fit_out(name, out, input.shape)
        refuse_tracked(name, out, input)
    buffer = input._buffer()
    memory = beside(buffer[0], cells, result.cell)
    launch((memory, 0), buffer)
    found = make_dense(memory, result, input._shape, stride)
    if requires_grad(input):
        record(_KINDS[name], found, input, dim=position)
    return found if out is None else written(out, found)


def _plan(name: str, input: Tensor, dim: int, chosen: dtype | None) -> _Plan:
    key = (name, input._dtype, input._shape, input._stride, dim, chosen)
    plan = _plans.get(key)
    if plan is None:
        plan = remember(_plans, key, _prepare(name, input, as_one_dim(name, dim, input), chosen))
    return plan


def log_softmax_into(memory: np.ndarray, input: Tensor, dim: int) -> Tensor:
    """`log_softmax` over memory that is there, which has room for the elements. Nothing is recorded."""
    launch, result, _, stride, cells = _plan("log_softmax", input, dim, None)
    memory = memory[:cells]
    launch((memory, 0), input._buffer())
    return make_dense(memory, result, input._shape, stride)


def _prepare(name: str, input: Tensor, dim: int, chosen: dtype | None) -> _Plan:
    result = chosen or input._dtype
    if not result.is_floating_point:
        raise NotImplementedError(
            f"{name}() is not implemented for {result.name}: its results lie between whole numbers; "
            f"call {name}(dim={dim}, dtype=tensorlab.float32)"
        )
    source = OperandLayout(input.dtype, input.stride() or (1,))
    launch = backend("cpu").softmax(name == "log_softmax", input.shape or (1,), dim, result, source)
    return _Plan(launch, result, dim, layout.default_strides(input._shape), input.numel())


@op("function method", aliases="special.logsumexp", names="reduces")
@numpy_names
def logsumexp(input: Tensor, dim: Dims, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """``log(sum(exp(input)))`` along dimensions, without overflow: the greatest element is taken out first.

    Args:
        input: a tensor; integers and bools count as numbers of the default floating dtype.
        dim: the dimension, or dimensions, to add along.
        keepdim: whether the dimensions stay, with size 1.
        out: a floating-point tensor of the result's shape to write into.

    Returns:
        a floating-point tensor; -inf where there are no elements, or all are -inf.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: `out` is of a dtype that is no float.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([1000.0, 1000.0]).logsumexp(0)
        tensor(1000.6932)
    """
    if out is not None and not out.dtype.is_floating_point:
        raise RuntimeError(
            f"logsumexp(): Expected floating point type for result tensor, but got: {out.dtype.name}"
        )
    return reduce(LOGSUMEXP, input, dim, keepdim, None, out)


def softmax_of_layers(name: str, input: Tensor, dim: int | None, dtype: dtype | None) -> Tensor:
    """`softmax`, `softmin` or `log_softmax` as `nn.functional` has them: `dim` may be left to be guessed."""
    if dim is None:
        dim = 0 if input.ndim in (0, 1, 3) else 1
        warn_caller(
            f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
            f"dim={dim}, which is what was guessed for {input.ndim} dimensions",
        )
    if name == "softmin":
        return softmax(neg(input), dim, dtype)
    if dtype is None:
        return (softmax if name == "softmax" else log_softmax)(input, dim)
    return _softmax(name, input, dim, dtype, None)
