"""Solutions of triangular systems, by substitution, and how gradients go back through them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.core import broadcasting
from tensorlab.core.dtypes import float32, float64
from tensorlab.dispatch.primitive import check_out, need_one_device
from tensorlab.ops.lapack import as_result, check_equation, square_matrices
from tensorlab.registry import op
from tensorlab.tensor import Tensor

# Rows up to which a system is solved row by row. A larger one is two of half the size and a product, which
# does most of the work and is fast.
SMALL = 32


@op(namespace="linalg")
def solve_triangular(
    input: Tensor,
    B: Tensor,
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The solution X of ``A @ X = B`` for each triangular matrix A, by substitution.

    A zero on the diagonal is no error: it makes infinities and NaN.

    Args:
        input: A, of shape (…, n, n); only the triangle is read.
        B: of shape (…, n, k). The leading dimensions are broadcast.
        upper: which triangle: above the diagonal, or below.
        left: False to solve ``X @ A = B``, with B of shape (…, k, n).
        unitriangular: take the diagonal as ones, and do not read it.
        out: a tensor of the result's shape and dtype to write into.

    Returns:
        X, of B's shape behind the broadcast dimensions, and of A's dtype.

    Raises:
        RuntimeError: the shapes do not fit.
        NotImplementedError: A is not of float32 or float64.

    Example:
        >>> A = tl.tensor([[2.0, 0.0], [1.0, 4.0]])
        >>> tl.linalg.solve_triangular(A, tl.tensor([[2.0], [9.0]]), upper=False)
        tensor([[1.],
                [2.]])
    """
    a, b = _matrices(input, B, left)
    batch = broadcasting.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x = np.array(np.broadcast_to(b, (*batch, *b.shape[-2:])), a.dtype)
    with np.errstate(all="ignore"):
        if upper is left:  # the last row is known first
            _substitute(a[..., ::-1, ::-1], x[..., ::-1, :], unitriangular)
        else:
            _substitute(a, x, unitriangular)
    if out is not None:
        check_out("linalg.solve_triangular", out, input, B)
        if out.dtype is not input.dtype:
            raise RuntimeError(
                f"linalg.solve_triangular: out must be of dtype {input.dtype.name}, as A is, got "
                f"{out.dtype.name}"
            )
    result = as_result(x if left else x.swapaxes(-1, -2), input, out)
    return record(
        LinalgSolveTriangularBackward0,
        result,
        input,
        B,
        upper=upper,
        left=left,
        unitriangular=unitriangular,
    )


def _matrices(A: Tensor, B: Tensor, left: bool) -> tuple[np.ndarray, np.ndarray]:
    """The matrices of ``A @ X = B``, or of ``A.mT @ X.mT = B.mT``, which says the same as ``X @ A = B``."""
    if A.dtype not in (float32, float64):
        raise NotImplementedError(
            f"linalg.solve_triangular is not made for {A.dtype.name}: convert first, A.to(tensorlab.float32)"
        )
    a = square_matrices("solve_triangular", A)
    need_one_device("linalg.solve_triangular", A, B)
    b = B._read_cells()
    if B.ndim < 2:
        raise RuntimeError(
            f"linalg.solve_triangular: The input tensor B must have at least 2 dimensions: its shape is "
            f"{tuple(B.shape)}; make a vector a matrix of one column, B.unsqueeze(-1)"
        )
    if not left:
        a, b = a.swapaxes(-1, -2), b.swapaxes(-1, -2)
    check_equation("solve_triangular", A, B, b.shape[-2], left)
    return a, b


def _substitute(a: np.ndarray, x: np.ndarray, unit: bool) -> None:
    """Replace B, which stands in `x`, by the solution for lower triangles `a`: each row from those above."""
    size = a.shape[-1]
    if size > SMALL:
        half = size // 2
        above, below = x[..., :half, :], x[..., half:, :]
        _substitute(a[..., :half, :half], above, unit)
        below -= a[..., half:, :half] @ above
        _substitute(a[..., half:, half:], below, unit)
        return
    for row in range(size):
        if row:
            x[..., row, :] -= (a[..., row, None, :row] @ x[..., :row, :])[..., 0, :]
        if not unit:
            x[..., row, :] /= a[..., row, row, None]


def _slope(grad: Any, input: Any, upper: bool, left: bool, unitriangular: bool) -> Any:
    """The gradient of B: the transposed system, solved for the gradient of X."""
    return solve_triangular(input.mT, grad, upper=not upper, left=left, unitriangular=unitriangular)


def _triangle_slope(grad: Any, input: Any, result: Any, upper: bool, left: bool, unitriangular: bool) -> Any:
    """The gradient of A: what `tensorlab.linalg.solve` has, of the triangle that was read."""
    slope = _slope(grad, input, upper, left, unitriangular)
    whole = -(slope @ result.mT) if left else -(result.mT @ slope)
    beside = int(unitriangular)
    return whole.triu(beside) if upper else whole.tril(-beside)


LinalgSolveTriangularBackward0 = formulas("LinalgSolveTriangularBackward0", input=_triangle_slope, B=_slope)
