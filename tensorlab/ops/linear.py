"""What layers do with matrix products: linear and bilinear maps."""

from __future__ import annotations

from tensorlab.autograd.views import requires_grad
from tensorlab.core.layout import Size
from tensorlab.core.modes import current
from tensorlab.ops.einsum import einsum
from tensorlab.ops.elementwise import apply
from tensorlab.ops.products import added_product, ended_product, product
from tensorlab.registry import op
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor

# Products of a bilinear map that are made at a time: 256 KB of float32.
PRODUCTS = 1 << 16


@op(namespace="nn.functional")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input @ weight.T + bias``, as one product that starts from the bias.

    Args:
        input: of shape (…, in).
        weight: of shape (out, in); or (in), which gives one number for each row and takes no bias.
        bias: of shape (out), or whatever can be broadcast to the result.

    Returns:
        a tensor of shape (…, out).

    Raises:
        RuntimeError: the sizes or dtypes do not fit.

    Example:
        >>> F.linear(tl.ones(2, 3), tl.ones(4, 3), tl.tensor([0.0, 1.0, 2.0, 3.0]))
        tensor([[3., 4., 5., 6.],
                [3., 4., 5., 6.]])
    """
    columns = _columns("linear", weight, bias)
    if bias is None:
        return product(input, columns)
    return added_product("linear", bias, input, columns, 1.0, 1.0, None)


def activated_linear(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    activation: str | None = None,
    residual: Tensor | None = None,
) -> Tensor:
    """``activation(input @ weight.T + bias) + residual``, in one pass over the result.

    Where a gradient is required, it is computed in steps, because the backward pass needs what stood before
    the activation.

    Args:
        input, weight, bias: those of `linear`.
        activation: the name of a function of one number, such as ``"relu"``, ``"gelu"``, ``"gelu_tanh"``,
            ``"silu"``, ``"tanh"`` or ``"sigmoid"``.
        residual: what is added last, of the result's shape or broadcast to it.

    Raises:
        RuntimeError: the sizes or dtypes do not fit, or there is no such activation.

    Example:
        >>> import tensorlab as tl
        >>> x, w = tl.tensor([[1.0, 2.0]]), tl.tensor([[1.0, 0.0], [0.0, -1.0]])
        >>> activated_linear(x, w, None, "relu", x)
        tensor([[2., 2.]])
    """
    row = None if activation is None else TABLE.get(activation)
    if row is None and activation is not None:
        raise RuntimeError(
            f"activated_linear(): there is no scalar function {activation!r}: such as 'relu', 'gelu', 'silu'"
        )
    columns = _columns("activated_linear", weight, bias)
    if current.grad and any(t is not None and requires_grad(t) for t in (input, weight, bias, residual)):
        result: Tensor = linear(input, weight, bias)
        result = result if row is None else apply(row, result)
        return result if residual is None else apply(TABLE["add"], result, residual)
    return ended_product("activated_linear", input, columns, bias, row, residual)


def _columns(name: str, weight: Tensor, bias: Tensor | None) -> Tensor:
    """The weights as a matrix to multiply by."""
    dims = len(weight._shape)
    if dims not in (1, 2) or (dims == 1 and bias is not None):
        raise RuntimeError(
            f"{name}(): the weight must be a matrix of shape (out, in), or without a bias a vector, "
            f"got shape {tuple(weight.shape)}"
        )
    return weight.transpose(0, 1) if dims == 2 else weight


@op(namespace="nn.functional")
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """For each output ``o`` the number ``input1 @ weight[o] @ input2``, plus the bias.

    Args:
        input1: of shape (…, in1).
        input2: of shape (…, in2), with the same leading sizes.
        weight: of shape (out, in1, in2).
        bias: of shape (out).

    Returns:
        a tensor of shape (…, out).

    Raises:
        RuntimeError: the sizes or dtypes do not fit.

    Example:
        >>> F.bilinear(tl.tensor([[1.0, 2.0]]), tl.tensor([[10.0, 1.0]]), tl.ones(1, 2, 2))
        tensor([[33.]])
    """
    if weight.ndim != 3 or input1.ndim != input2.ndim or input1.shape[:-1] != input2.shape[:-1]:
        raise RuntimeError(
            f"bilinear(): input dimensions do not match: the inputs need equal leading sizes and the weight "
            f"three dimensions, got {tuple(input1.shape)}, {tuple(input2.shape)} and {tuple(weight.shape)}"
        )
    for name, operand, size in (("input1", input1, weight.shape[1]), ("input2", input2, weight.shape[2])):
        if operand.shape[-1] != size:
            raise RuntimeError(
                f"bilinear(): {name} size does not match weight size: got {operand.shape[-1]} but expected "
                f"{size}"
            )
    alike = input1._dtype is input2._dtype is weight._dtype
    if not alike or (current.grad and any(map(requires_grad, (input1, input2, weight)))):
        result = einsum("...i,oij,...j->...o", input1, weight, input2).contiguous()
    else:
        result = _bilinear(input1, input2, weight)
    return result if bias is None else result + bias


def _bilinear(input1: Tensor, input2: Tensor, weight: Tensor) -> Tensor:
    """`bilinear` without a bias, of so many rows and outputs that their products stay in a cache."""
    outputs, size1, size2 = weight.shape
    count = Size(input1.shape[:-1]).numel()
    x, y = input1.reshape((count, size1)), input2.reshape((count, size2))
    result = x.new_empty((count, outputs))
    rows = max(1, min(count, PRODUCTS // max(size2, 1)))
    many = max(1, PRODUCTS // max(rows * size2, 1))
    for row in range(0, count, rows):
        left, right = x[row : row + rows], y[row : row + rows]
        for first in range(0, outputs, many):
            products = product(left, weight[first : first + many])
            dots = product(products.transpose(0, 1), right.unsqueeze(-1))
            result[row : row + rows, first : first + many] = dots.squeeze(-1)
    return result.view(*input1.shape[:-1], outputs)
