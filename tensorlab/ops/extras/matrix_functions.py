"""Chains of products, exponentials, tensor equations, and the names from before `torch.linalg`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tensorlab import return_types
from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.core import dtypes
from tensorlab.ops.creation import zeros_like
from tensorlab.ops.extras.combinations import powers
from tensorlab.ops.extras.matrix_rank import pinv
from tensorlab.ops.factorizations import cholesky as lower_cholesky
from tensorlab.ops.factorizations import inv, solve, svdvals
from tensorlab.ops.factorizations import qr as linalg_qr
from tensorlab.ops.factorizations import svd as linalg_svd
from tensorlab.ops.joining import cat
from tensorlab.ops.outputs import delivered, need_outs, written
from tensorlab.ops.products import product
from tensorlab.ops.ranges import eye
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op()
def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """The product of two or more matrices, multiplied in the order that takes the fewest multiplications.

    The first may be a row vector and the last a column vector: they have one dimension, and the result lacks
    it.

    Raises:
        RuntimeError: there are fewer than two, or the shapes do not fit.

    Example:
        >>> tl.chain_matmul(tl.ones(2, 3), tl.ones(3, 4), tl.ones(4, 5)).shape
        tensorlab.Size([2, 5])
    """
    if len(matrices) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(matrices)}")
    last = len(matrices) - 1
    for position, matrix in enumerate(matrices):
        if matrix.ndim != 2 and not (matrix.ndim == 1 and position in (0, last)):
            which = {0: "the first tensor must be 1D or 2D", last: "the last tensor must be 1D or 2D"}
            raise RuntimeError(
                f"multi_dot(): {which.get(position, f'tensor {position} must be 2D')} but got {matrix.ndim}D"
            )
    for position, (left, right) in enumerate(pairwise(matrices)):
        if left.shape[-1] != right.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {position} and {position + 1} with shapes {list(left.shape)} and "
                f"{list(right.shape)} cannot be multiplied"
            )
    sizes = [
        matrices[0].shape[0] if matrices[0].ndim == 2 else 1,
        *(matrix.shape[0] for matrix in matrices[1:]),
    ]
    sizes.append(matrices[-1].shape[1] if matrices[-1].ndim == 2 else 1)
    cuts = best_cuts(sizes)

    def multiplied(first: int, last: int) -> Tensor:
        if first == last:
            return matrices[first]
        cut = cuts[first, last]
        return product(multiplied(first, cut), multiplied(cut + 1, last))

    result = multiplied(0, last)
    return result if out is None else written(out, result, exact=True)


@op(namespace="linalg")
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The product of two or more matrices in the cheapest order: see `tensorlab.chain_matmul`.

    Example:
        >>> tl.linalg.multi_dot([tl.ones(2, 3), tl.ones(3, 4), tl.ones(4)])
        tensor([12., 12.])
    """
    return chain_matmul(*tensors, out=out)


def best_cuts(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Where to cut each run of a chain of matrices, so that the fewest multiplications are needed.

    Args:
        sizes: matrix `i` is of shape (sizes[i], sizes[i + 1]).

    Returns:
        for each run of matrices `first` … `last` the last one of its left part.

    Example:
        >>> best_cuts([10, 1000, 2, 1000])  # (A B) C takes 40 000 multiplications, A (B C) 12 000 000
        {(0, 1): 0, (1, 2): 1, (0, 2): 1}
    """
    count = len(sizes) - 1
    costs = {(i, i): 0 for i in range(count)}
    cuts = {}
    for length in range(1, count):
        for first in range(count - length):
            last = first + length
            costs[first, last], cuts[first, last] = min(
                (
                    costs[first, cut]
                    + costs[cut + 1, last]
                    + sizes[first] * sizes[cut + 1] * sizes[last + 1],
                    cut,
                )
                for cut in range(first, last)
            )
    return cuts


@op("function method")
def cholesky(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The same as `tensorlab.linalg.cholesky`, with `upper` as the second argument.

    Example:
        >>> tl.cholesky(tl.tensor([[4.0, 2.0], [2.0, 5.0]]))
        tensor([[2., 0.],
                [1., 2.]])
    """
    return delivered("cholesky", out, lower_cholesky(input, upper=upper), input)


@op("function method")
def qr(input: Tensor, some: bool = True, *, out: Sequence[Tensor] | None = None) -> Any:
    """The factors Q and R of each matrix; see `tensorlab.linalg.qr`.

    Args:
        input: of shape (…, m, n).
        some: whether Q has min(m, n) columns; else it is square.
        out: two tensors to write into.

    Example:
        >>> q, r = tl.qr(tl.tensor([[3.0, 1.0], [4.0, 2.0]]))
        >>> tl.allclose(q @ r, tl.tensor([[3.0, 1.0], [4.0, 2.0]]))
        True
    """
    return return_types.qr(linalg_qr(input, "reduced" if some else "complete", out=out))


@op("function method")
def svd(
    input: Tensor, some: bool = True, compute_uv: bool = True, *, out: Sequence[Tensor] | None = None
) -> Any:
    """The singular value decomposition of each matrix: ``input = U @ diag(S) @ V.mT``.

    `tensorlab.linalg.svd` gives V transposed.

    Args:
        input: of shape (…, m, n).
        some: whether U and V have min(m, n) columns; else they are square.
        compute_uv: whether U and V are wanted; without them they are zeros.
        out: three tensors to write into.

    Returns:
        a named tuple (U, S, V); the singular values S descend.

    Example:
        >>> tl.svd(tl.tensor([[0.0, 2.0], [1.0, 0.0]])).S
        tensor([2., 1.])
    """
    found: tuple[Tensor, ...]
    if compute_uv:
        left, values, right = linalg_svd(input, full_matrices=not some)
        found = left, values, right.adjoint()
    else:
        *batch, rows, columns = input.shape
        left, right = (input.new_zeros(*batch, size, size) for size in (rows, columns))
        found = left, svdvals(input), right.adjoint()
    if out is not None:
        found = tuple(
            written(o, result, result.stride())
            for o, result in zip(need_outs("svd", out, 3), found, strict=True)
        )
    return return_types.svd(found)


@op("function method")
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The pseudoinverse of each matrix; see `tensorlab.linalg.pinv`.

    Args:
        input: of shape (…, m, n).
        rcond: singular values up to this part of the largest count as 0.

    Example:
        >>> tl.pinverse(tl.tensor([[2.0, 0.0], [0.0, 0.0]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.0000]])
    """
    return pinv(input, rtol=rcond)


# The coefficients of the Padé approximant of order 13, and the greatest 1-norm for which it is as precise as
# float64: N. Higham, *The Scaling and Squaring Method for the Matrix Exponential Revisited*, 2005.
PADE = [
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
    10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0,
]  # fmt: skip
WIDEST = 5.371920351148152


def _d_matrix_exp(grad: Tensor, input: Tensor) -> Tensor:
    # The exponential of a block matrix has the derivative in its corner.
    turned = input.adjoint()
    upper, lower = cat([turned, grad], -1), cat([zeros_like(turned), turned], -1)
    size = input.shape[-1]
    return matrix_exp(cat([upper, lower], -2)).narrow(-2, 0, size).narrow(-1, size, size)


LinalgMatrixExpBackward0 = formulas("LinalgMatrixExpBackward0", input=_d_matrix_exp)


@op("function method", aliases="linalg.matrix_exp")
def matrix_exp(input: Tensor) -> Tensor:
    """The exponential of each square matrix: the sum of its powers, each over its factorial.

    The matrix is halved until a quotient of two polynomials is precise, and the result squared as often.

    Args:
        input: of shape (…, n, n), of float32 or float64.

    Raises:
        RuntimeError: the matrices are not square, or the dtype is another one.

    Example:
        >>> tl.matrix_exp(tl.tensor([[0.0, tl.pi], [-tl.pi, 0.0]])).round(decimals=4).abs()
        tensor([[1., 0.],
                [0., 1.]])
    """
    if not input._dtype.is_floating_point:
        raise RuntimeError(
            f"linalg.matrix_exp: Expected a floating point tensor as input. Got {input._dtype.name}: "
            f"convert it first"
        )
    if input.ndim < 2 or input.shape[-1] != input.shape[-2]:
        raise RuntimeError(
            f"linalg.matrix_exp: A must be batches of square matrices, but it has shape {tuple(input.shape)}"
        )
    if not input.numel():
        return record(LinalgMatrixExpBackward0, input.detach().clone(), input)
    matrix = input.detach().double()
    longest = float(np.nan_to_num(matrix.abs().sum(-2).max().item(), posinf=0.0))
    halvings = max(0, math.ceil(math.log2(longest / WIDEST))) if longest > WIDEST else 0
    result = _pade(matrix * 0.5**halvings)
    for _ in range(halvings):
        result = product(result, result)
    return record(LinalgMatrixExpBackward0, result.to(input._dtype).contiguous(), input)


def _pade(matrix: Tensor) -> Tensor:
    """The exponential of matrices that are not too great."""
    square = product(matrix, matrix)
    power = eye(matrix.shape[-1], dtype=matrix._dtype, device=matrix.device).expand(matrix.shape)
    even, odd = power * PADE[0], power * PADE[1]
    for place in range(2, len(PADE), 2):
        power = product(power, square)
        even, odd = even + power * PADE[place], odd + power * PADE[place + 1]
    odd = product(matrix, odd)
    return solve(even - odd, even + odd)


@op(name="vander", namespace="linalg")
def linalg_vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """The powers of each element of vectors, from 0 up: Vandermonde matrices.

    Args:
        x: of shape (…, n).
        N: how many powers; n without it.

    Returns:
        a tensor of shape (…, n, N).

    Raises:
        RuntimeError: there are fewer than two powers, or the elements are bools.

    Example:
        >>> tl.linalg.vander(tl.tensor([2, 3]), N=3)
        tensor([[1, 2, 4],
                [1, 3, 9]])
    """
    if x._dtype is dtypes.bool:
        raise RuntimeError("linalg.vander supports floating point and integer tensors, but got bool")
    vectors = x if x.ndim else x.reshape(1)
    count = vectors.shape[-1] if N is None else N
    if count <= 1:
        raise RuntimeError(f"N must be greater than 1, got {count}.")
    return powers(vectors, count)


@op(namespace="linalg")
def tensorinv(input: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    """The inverse of a tensor that is read as a matrix: its first dimensions are rows, the others columns.

    Args:
        input: the product of its first `ind` sizes equals that of the others.
        ind: how many dimensions count the rows.
        out: a tensor of the result's shape to write into.

    Raises:
        RuntimeError: `ind` is not positive, the sizes make no square, or the matrix has no inverse.

    Example:
        >>> tl.linalg.tensorinv(2 * tl.eye(4).reshape(4, 2, 2), ind=1).shape
        tensorlab.Size([2, 2, 4])
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', got {ind}")
    rows, columns = input.shape[:ind], input.shape[ind:]
    if math.prod(rows) != math.prod(columns):
        raise RuntimeError(
            f"Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but "
            f"got {math.prod(columns)} != {math.prod(rows)}"
        )
    result = inv(input.reshape(math.prod(rows), math.prod(columns))).reshape(*columns, *rows)
    return delivered("tensorinv", out, result, input)


@op(namespace="linalg")
def tensorsolve(
    A: Tensor, B: Tensor, dims: Sequence[int] | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The X for which ``tensordot(A, X, X.ndim) == B``: a linear system, its unknowns in a tensor.

    Args:
        A: of shape (B's shape, X's shape), once `dims` are at its end.
        B: the right-hand side.
        dims: dimensions of A to move to its end first.
        out: a tensor of the result's shape to write into.

    Raises:
        RuntimeError: the sizes make no square system, or it has no solution.

    Example:
        >>> A, B = 2 * tl.eye(4).reshape(2, 2, 2, 2), tl.ones(2, 2)
        >>> tl.linalg.tensorsolve(A, B)
        tensor([[0.5000, 0.5000],
                [0.5000, 0.5000]])
    """
    moved = A if dims is None else A.movedim(tuple(dims), tuple(range(A.ndim - len(dims), A.ndim)))
    unknowns = moved.shape[B.ndim :]
    if math.prod(unknowns) != math.prod(moved.shape[: B.ndim]):
        raise RuntimeError(
            f"Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {math.prod(unknowns)} != "
            f"{math.prod(moved.shape[: B.ndim])}"
        )
    matrix = moved.reshape(B.numel(), math.prod(unknowns))
    return delivered("tensorsolve", out, solve(matrix, B.flatten()).reshape(unknowns), A, B)
