"""How gradients go back through the functions of matrices of `tensorlab.ops.factorizations`.

The formulas are those of Giles, "An extended collection of matrix derivative results for forward and reverse
mode algorithmic differentiation" (2008), and for the singular values of Wan and Zhang, "Automatic
differentiation for complex valued SVD" (2019), for real matrices.
"""

from __future__ import annotations

from typing import Any

from tensorlab.autograd.formulas import formulas


def _inverse(matrix: Any) -> Any:
    return matrix.inverse()


LinalgInvExBackward0 = formulas(
    "LinalgInvExBackward0", A=lambda grad, result: -(result.mT @ grad @ result.mT)
)


def _det(grad: Any, A: Any, result: Any, svd: Any) -> Any:
    """The determinant's slope is the matrix of cofactors, the transposed inverse times the determinant.

    A singular matrix has no inverse, but cofactors: those of its singular values with its rotations.
    """
    if not A.numel():
        return A.new_zeros(A.shape)
    if bool((result.detach() == 0).any()):
        u, s, vh = svd(A)
        size = s.shape[-1]
        others = s.unsqueeze(-2).expand(*s.shape, size)
        eye = A.new_ones(size).diag_embed() == 1
        cofactors = others.masked_fill(eye, 1).prod(-1)
        sign = u.det() * vh.det()
        return (grad * sign)[..., None, None] * ((u * cofactors.unsqueeze(-2)) @ vh)
    return (grad * result)[..., None, None] * _inverse(A).mT


LinalgDetBackward0 = formulas("LinalgDetBackward0", A=_det)
LinalgSlogdetBackward0 = formulas(
    "LinalgSlogdetBackward0",
    A=lambda grad, A: (
        A.new_zeros(A.shape)
        if grad[1] is None or not A.numel()
        else grad[1][..., None, None] * _inverse(A).mT
    ),
)


def _half_tril(matrix: Any) -> Any:
    """The lower triangle, with half of the diagonal."""
    return matrix.tril() - matrix.diagonal(0, -2, -1).diag_embed() * 0.5


def _cholesky(grad: Any, result: Any, upper: bool) -> Any:
    lower, slope = (result.mT, grad.mT) if upper else (result, grad)
    inverse = _inverse(lower)
    inner = inverse.mT @ _half_tril(lower.mT @ slope) @ inverse
    return (inner + inner.mT) * 0.5


LinalgCholeskyExBackward0 = formulas("LinalgCholeskyExBackward0", A=_cholesky)


def _gaps(values: Any) -> Any:
    """The differences of all pairs, column minus row, and 1 on the diagonal."""
    size = values.shape[-1]
    eye = values.new_ones(size).diag_embed() == 1
    return (values.unsqueeze(-2) - values.unsqueeze(-1)).masked_fill(eye, 1)


def _skew(matrix: Any) -> Any:
    return matrix - matrix.mT


def _eigh(grad: Any, result0: Any, result1: Any) -> Any:
    values, vectors = grad
    inner = None
    if vectors is not None:
        # Orthogonal columns can only turn: of the slope counts what is skew, and the gradient is symmetric.
        inner = _skew(result1.mT @ vectors) * 0.5 / _gaps(result0)
    if values is not None:
        scaled = values.diag_embed()
        inner = scaled if inner is None else inner + scaled
    return result1 @ inner @ result1.mT


LinalgEighBackward0 = formulas("LinalgEighBackward0", A=_eigh)


def _svd(grad: Any, result0: Any, result1: Any, result2: Any) -> Any:
    left, values, right = grad
    s, k = result1, result1.shape[-1]
    u, vh = result0[..., :k], result2[..., :k, :]
    inner = s.new_zeros((*s.shape, k)) if values is None else values.diag_embed()
    gaps = _gaps(s * s)
    if left is not None:
        left = left[..., :k]
        inner = inner + _skew(u.mT @ left) / gaps * s.unsqueeze(-2)
    if right is not None:
        right = right[..., :k, :]
        inner = inner + s.unsqueeze(-1) * (_skew(vh @ right.mT) / gaps)
    total = u @ inner @ vh
    if left is not None and u.shape[-2] > k:  # the part of the slope that leaves the columns of U
        scaled = left / s.unsqueeze(-2)
        total = total + (scaled - u @ (u.mT @ scaled)) @ vh
    if right is not None and vh.shape[-1] > k:
        scaled = right / s.unsqueeze(-1)
        total = total + u @ (scaled - (scaled @ vh.mT) @ vh)
    return total


LinalgSvdBackward0 = formulas("LinalgSvdBackward0", A=_svd)


def _qr_of_tall(q: Any, r: Any, q_slope: Any, r_slope: Any) -> Any:
    inner = (r_slope @ r.mT - q.mT @ q_slope).triu()
    both = inner + inner.mT
    both = both - both.diagonal(0, -2, -1).diag_embed() * 0.5
    return (q_slope + q @ both) @ _inverse(r).mT


def _qr(grad: Any, A: Any, result0: Any, result1: Any, mode: str) -> Any:
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
            "linalg.qr(A, mode='reduced') if you are going to require gradients"
        )
    rows, columns = A.shape[-2:]
    if mode == "complete" and rows > columns:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols: pass "
            "mode='reduced'"
        )
    q_slope = result0.new_zeros(result0.shape) if grad[0] is None else grad[0]
    r_slope = result1.new_zeros(result1.shape) if grad[1] is None else grad[1]
    if rows >= columns:
        return _qr_of_tall(result0, result1, q_slope, r_slope)
    rest = A[..., rows:]  # the columns beyond the square part are Q times those of R
    first = _qr_of_tall(
        result0, result1[..., :rows], q_slope + rest @ r_slope[..., rows:].mT, r_slope[..., :rows]
    )
    whole = A.new_zeros(A.shape).to(first.dtype)
    whole[..., :rows] = first
    whole[..., rows:] = result0 @ r_slope[..., rows:]
    return whole


LinalgQrBackward0 = formulas("LinalgQrBackward0", A=_qr)


def _solve_right(grad: Any, A: Any, left: bool, vectors: bool) -> Any:
    inverse = _inverse(A).mT
    if vectors:
        return (inverse @ grad.unsqueeze(-1)).squeeze(-1)
    return inverse @ grad if left else grad @ inverse


def _solve_matrix(grad: Any, A: Any, result: Any, left: bool, vectors: bool) -> Any:
    slope = _solve_right(grad, A, left, vectors)
    if vectors:
        return -(slope.unsqueeze(-1) @ result.unsqueeze(-2))
    return -(slope @ result.mT) if left else -(result.mT @ slope)


LinalgSolveExBackward0 = formulas("LinalgSolveExBackward0", A=_solve_matrix, B=_solve_right)


def _pinv(grad: Any, A: Any, result: Any) -> Any:
    """Golub and Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares" (1973)."""
    turned, slope = result.mT, grad.mT
    if A.shape[-2] <= A.shape[-1]:
        inner = slope @ result
        outer = inner @ turned
        return -(result @ inner).mT + outer - (A @ result) @ outer + (turned @ result) @ (slope - inner @ A)
    inner = result @ slope
    outer = turned @ inner
    return -(inner @ result).mT + (slope - A @ inner) @ result @ turned + outer - (outer @ result) @ A


LinalgPinvBackward0 = formulas("LinalgPinvBackward0", A=_pinv)


def _lstsq_matrix(grad: Any, A: Any, B: Any, pinv: Any, vectors: bool) -> Any:
    """Residuals do not move with the solution, which makes them least: they move with the matrix alone."""
    right = B.unsqueeze(-1) if vectors else B
    inverse = pinv(A)
    slope = None
    if grad[0] is not None:
        towards = grad[0].unsqueeze(-1) if vectors else grad[0]
        slope = _pinv(towards @ right.mT, A, inverse)
    if _arrives(grad[1]):
        solution = inverse @ right
        by_residuals = 2 * grad[1].unsqueeze(-2) * (A @ solution - right) @ solution.mT
        slope = by_residuals if slope is None else slope + by_residuals
    return slope


def _lstsq_right(grad: Any, A: Any, B: Any, pinv: Any, vectors: bool) -> Any:
    right = B.unsqueeze(-1) if vectors else B
    inverse = pinv(A)
    slope = None
    if grad[0] is not None:
        slope = inverse.mT @ (grad[0].unsqueeze(-1) if vectors else grad[0])
    if _arrives(grad[1]):
        by_residuals = -2 * grad[1].unsqueeze(-2) * (A @ (inverse @ right) - right)
        slope = by_residuals if slope is None else slope + by_residuals
    return slope.squeeze(-1) if vectors and slope is not None else slope


def _arrives(residuals: Any) -> bool:
    """Whether there is a slope of residuals: where they are not computed, they have no elements."""
    return residuals is not None and residuals.numel() > 0


LinalgLstsqBackward0 = formulas("LinalgLstsqBackward0", A=_lstsq_matrix, B=_lstsq_right)
