"""softmax, its logarithm, and the logarithm of a sum of exponentials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlab.autograd.formulas import Backward, formulas
from tensorlab.autograd.views import requires_grad
from tensorlab.backends import Backend, Buffer, Launch, OperandLayout, no_launch
from tensorlab.core import dtypes, layout
from tensorlab.core.dtypes import dtype
from tensorlab.core.warned import warn_caller
from tensorlab.dispatch.operands import widened
from tensorlab.dispatch.primitive import Primitive, Recorded, Result, compute, unary
from tensorlab.dispatch.primitive import check_out as refuse_tracked
from tensorlab.folds import TABLE as FOLDS
from tensorlab.ops.conversion import contiguous
from tensorlab.ops.outputs import fit_out, typed_out, written
from tensorlab.ops.pointwise import neg
from tensorlab.ops.reduce import Dims, Reduce, as_one_dim, reduce, spread
from tensorlab.registry import op
from tensorlab.scalars import TABLE, Scalar
from tensorlab.scalars.exponential import d_log_softmax, d_softmax
from tensorlab.tensor import Tensor


def _d_softmax(grad: Tensor, result: Tensor, dim: int) -> Tensor:
    if requires_grad(grad) or requires_grad(result):
        return result * (grad - (grad * result).sum(dim, True))
    return compute(SOFTMAX_GRADIENT, contiguous(grad), contiguous(result), params=(dim,))


def log_softmax_backward(grad: Tensor, result: Tensor, dim: int) -> Tensor:
    """The gradient of `log_softmax`: ``grad - exp(result) * grad.sum(dim, keepdim=True)``.

    The Jacobian of a row of n logits has n² numbers. None of them is made: what is multiplied with it
    comes down to one sum for each row.

    Args:
        grad: the gradient of the result.
        result: what `log_softmax` gave, of the same shape.
        dim: the dimension along which it was taken.

    Example:
        >>> import tensorlab as tl
        >>> result = tl.tensor([0.0, 0.0]).log_softmax(0)
        >>> log_softmax_backward(tl.tensor([-1.0, 0.0]), result, 0)
        tensor([-0.5000,  0.5000])
    """
    dim = as_one_dim("log_softmax_backward", dim, result)
    if requires_grad(grad) or requires_grad(result):
        return grad - result.exp() * grad.sum(dim, True)
    return compute(LOG_SOFTMAX_GRADIENT, contiguous(grad), contiguous(result), params=(dim,))


def _d_logsumexp(grad: Tensor, input: Tensor, result: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    grad, result = (spread(tensor, input.shape, dim, keepdim) for tensor in (grad, result))
    return grad * (input - result).exp()


class Softmax(Primitive):
    """`softmax`, or its logarithm; `params` are the dimension and the dtype of the result.

    Attributes:
        logarithm: whether results are logarithms.
        kind: the node that a call leaves.
    """

    differentiable = True

    def __init__(self, name: str, kind: type[Backward]) -> None:
        self.name, self.kind = name, kind
        self.logarithm = name == "log_softmax"

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """Row-major, of the operand's shape.

        Raises:
            NotImplementedError: the dtype is no float.
        """
        (input,), (dim, element_type) = operands, params
        if not element_type.is_floating_point:
            raise NotImplementedError(
                f"{self.name}() is not implemented for {element_type.name}: its results lie between whole "
                f"numbers; call {self.name}(dim={dim}, dtype=tensorlab.float32)"
            )
        return Result(input._shape, layout.default_strides(input._shape), element_type)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        (input,), (dim, element_type) = operands, params
        source = OperandLayout(input._dtype, input._stride or (1,))
        return backend.softmax(self.logarithm, result.shape or (1,), dim, element_type, source)

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """See `Primitive.node`."""
        return self.kind, {"dim": params[0]}


class SoftmaxGradient(Primitive):
    """The gradient of `Softmax`: a sum for each row, and one formula of the row's elements and of its sum.

    The operands are the gradient of the result and the result, both row-major; `params` is the dimension.
    """

    def __init__(self, name: str, formula: Callable) -> None:
        self.name = f"{name}_backward"
        self.logarithm = name == "log_softmax"
        self.row = Scalar(self.name, formula, 3, "", cost=5)

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """That of the result."""
        _, result = operands
        return Result(result._shape, layout.default_strides(result._shape), result._dtype)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        shape, (dim,), number = result.shape or (1,), params, widened(result.dtype)
        if 0 in shape:
            return no_launch
        strides = layout.default_strides(shape)
        sums = layout.default_strides([1 if d == dim else size for d, size in enumerate(shape)])
        cells, wide = OperandLayout(result.dtype, strides), OperandLayout(number, strides)
        total = OperandLayout(number, tuple(0 if d == dim else step for d, step in enumerate(sums)))
        multiply = backend.pointwise(TABLE["mul"], number, shape, wide, [cells, cells])
        add_up = backend.reduce(FOLDS["sum"], number, shape, (dim,), total, cells if self.logarithm else wide)
        combine = backend.pointwise(self.row, number, shape, cells, [cells, cells, total])
        count = layout.numel(shape)

        def launch(out: Buffer, grad: Buffer, made: Buffer) -> None:
            totals, terms = (backend.allocate(count // shape[dim], number.cell), 0), grad
            if not self.logarithm:
                terms = backend.allocate(count, number.cell), 0
                multiply(terms, grad, made)
            add_up(totals, terms)
            combine(out, grad, made, totals)

        return launch


SOFTMAX_GRADIENT = SoftmaxGradient("softmax", d_softmax)
LOG_SOFTMAX_GRADIENT = SoftmaxGradient("log_softmax", d_log_softmax)
SOFTMAX = Softmax("softmax", formulas("SoftmaxBackward0", input=_d_softmax))
LOG_SOFTMAX = Softmax("log_softmax", formulas("LogSoftmaxBackward0", input=log_softmax_backward))


def _float_type(element: dtype, chosen: dtype | None) -> tuple[dtype, dtype]:
    value = element if element.is_floating_point else dtypes.get_default_dtype()
    return value, chosen or value


LOGSUMEXP = Reduce("logsumexp", _float_type, "Logsumexp", _d_logsumexp)


@op("function method", aliases="special.softmax", names="keeps")
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
        >>> tl.tensor([[0.0, 0.0], [0.0, 1.0]]).softmax(1)
        tensor([[0.5000, 0.5000],
                [0.2689, 0.7311]])
    """
    return _softmax(SOFTMAX, input, dim, dtype, out)


@op("function method", aliases="special.log_softmax", names="keeps")
def log_softmax(input: Tensor, dim: int, dtype: dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of `softmax`, without the loss of digits that taking it afterwards would bring.

    The arguments are those of `softmax`.

    Example:
        >>> tl.tensor([0.0, 1000.0]).log_softmax(0)
        tensor([-1000.,     0.])
    """
    return _softmax(LOG_SOFTMAX, input, dim, dtype, out)


def _softmax(
    primitive: Softmax, input: Tensor, dim: int, chosen: dtype | None, out: Tensor | None = None
) -> Tensor:
    name = primitive.name
    params = as_one_dim(name, dim, input), chosen or input._dtype
    if out is None:
        return unary(primitive, input, params)
    typed_out(name, primitive.result((input,), params).dtype, out)
    fit_out(name, out, input.shape)
    refuse_tracked(name, out, input)
    return written(out, compute(primitive, input, params=params))


@op("function method", aliases="special.logsumexp", names="reduces")
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
    return (softmax if name == "softmax" else log_softmax)(input, dim, dtype)
