"""Linear algebra made of factorizations and products: powers, logarithms of determinants."""

from __future__ import annotations

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.core import layout
from tensorlab.core.memory_formats import contiguous_format
from tensorlab.ops.factorizations import inv
from tensorlab.ops.outputs import written
from tensorlab.ops.products import product
from tensorlab.ops.ranges import eye
from tensorlab.ops.where import where
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op("function method", aliases="linalg.matrix_power")
def matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """The product of `n` copies of each square matrix; of its inverse for a negative `n`.

    Squares are multiplied: the number of products grows with the number of binary digits of `n`.

    Raises:
        RuntimeError: the matrices are not square.
        LinAlgError: `n` is negative and a matrix is singular.
        TypeError: `n` is not an integer.

    Example:
        >>> tl.matrix_power(tl.tensor([[1, 1], [1, 0]]), 10)  # Fibonacci's numbers
        tensor([[89, 55],
                [55, 34]])
    """
    power = layout.as_int(n, "matrix_power(): the exponent n")
    if input.ndim < 2 or input.shape[-2] != input.shape[-1]:
        raise RuntimeError(
            f"linalg.matrix_power: A must be batches of square matrices, but its shape is "
            f"{tuple(input.shape)}"
        )
    square = inv(input) if power < 0 else input
    power = -power if power < 0 else power
    result = None
    if not power:  # a constant; PyTorch copies it into a result that depends on the matrices, by nothing
        identity = eye(input.shape[-1], dtype=input.dtype, device=input.device).expand(input.shape)
        result = record(_PowerZero, identity.clone(memory_format=contiguous_format), input)
    while power:
        if power % 2:
            result = square if result is None else product(result, square)
        power //= 2
        if power:
            square = product(square, square)
    assert result is not None
    if result is input:
        result = input.clone(memory_format=contiguous_format)
    return result if out is None else written(out, result, exact=True)


_PowerZero = formulas("CopyBackwards", input=lambda grad: grad.new_zeros(grad._shape))


@op("function method")
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of each square matrix: `tensorlab.linalg.inv` by another name.

    Example:
        >>> tl.inverse(tl.tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])
    """
    return inv(input, out=out)


@op("function method")
def logdet(input: Tensor) -> Tensor:
    """The logarithm of each determinant: -inf for a singular matrix, NaN for a negative determinant.

    Example:
        >>> tl.logdet(tl.tensor([[1.0, 0.0], [0.0, 1.0]]))
        tensor(0.)
    """
    sign, logarithm = input.slogdet()
    return sign.log() + where(sign == 0, 0.0, logarithm)  # log(0) is -inf, the logarithm of -1 NaN


@op(namespace="linalg")
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The dot products of the vectors that lie along one dimension of two tensors, the others broadcast.

    Args:
        x, y: floating-point tensors of one dtype whose shapes can be broadcast.
        dim: the dimension that the vectors lie along.
        out: a tensor of the result's shape to write into.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: the tensors, or `out`, are of several dtypes, or of one that has no fractions.

    Example:
        >>> tl.linalg.vecdot(tl.ones(2, 3), tl.tensor([1.0, 2.0, 3.0]))
        tensor([6., 6.])
    """
    if not x.dtype.is_floating_point:
        raise RuntimeError(
            f"linalg.vecdot: Expected a floating point tensor as input. Got {x.dtype.name}: convert first, "
            f"or write (x * y).sum({dim})"
        )
    for name, other in (("y", y), ("out", out)):
        if other is not None and other.dtype is not x.dtype:
            raise RuntimeError(
                f"linalg.vecdot: Expected x and {name} to have the same dtype, but found x of type "
                f"{x.dtype.name} and {name} of type {other.dtype.name} instead"
            )
    return (x * y).sum(dim, out=out)


@op(namespace="linalg")
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonal of each matrix, as a view: `tensorlab.diagonal` with the last two dimensions.

    Args:
        A: of shape (…, m, n).
        offset: how far above the main diagonal; below it if negative.
        dim1, dim2: the dimensions of the matrices.

    Example:
        >>> tl.linalg.diagonal(tl.arange(8).view(2, 2, 2))
        tensor([[0, 3],
                [4, 7]])
    """
    return A.diagonal(offset, dim1, dim2)


@op(name="cross", namespace="linalg")
def linalg_cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The cross products of vectors of three elements along `dim`: see `tensorlab.cross`.

    Example:
        >>> tl.linalg.cross(tl.tensor([1, 0, 0]), tl.tensor([0, 1, 0]))
        tensor([0, 0, 1])
    """
    return input.cross(other, dim, out=out)
