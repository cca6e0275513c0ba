"""Inverses, solutions and factorizations of matrices, by NumPy's LAPACK.

Each function takes one matrix or a batch of them, float32 or float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from tensorlab import return_types
from tensorlab.autograd.recording import record, record_several
from tensorlab.autograd.views import requires_grad
from tensorlab.core import broadcasting
from tensorlab.core.modes import current
from tensorlab.dispatch.primitive import check_out, need_one_device
from tensorlab.ops import factorization_gradients as gradients
from tensorlab.ops.aliases import as_own
from tensorlab.ops.lapack import (
    all_in,
    as_result,
    check_equation,
    computed,
    matrices_of,
    square_matrices,
)
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op(namespace="linalg")
def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of each square matrix.

    To solve a system of equations, `solve` is faster and more accurate than a product with the inverse.

    Raises:
        RuntimeError: the matrices are not square, or not of float32 or float64.
        LinAlgError: one of them is singular.

    Example:
        >>> tl.linalg.inv(tl.tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])
    """
    if out is not None:
        check_out("linalg.inv", out, A)
    result = as_result(computed("inv", np.linalg.inv, square_matrices("inv", A)), A, out)
    return record(gradients.LinalgInvExBackward0, result, A)


@op("function method", aliases="linalg.det")
def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant of each square matrix.

    Raises:
        RuntimeError: the matrices are not square, or not of float32 or float64.

    Example:
        >>> tl.linalg.det(tl.tensor([[1.0, 2.0], [3.0, 4.0]]))
        tensor(-2.)
    """
    if out is not None:
        check_out("linalg.det", out, A)
    matrices = _as_factored("det", A)
    values = np.asarray(computed("det", np.linalg.det, matrices))
    _sign_zeros(values, matrices, signed_zeros=True)
    result = as_result(values, A, out, matrices=False)
    return record(gradients.LinalgDetBackward0, result, A, svd=svd)


@op("function method", aliases="linalg.slogdet")
def slogdet(A: Tensor, *, out: Sequence[Tensor] | None = None) -> Any:
    """The sign of each determinant, and the logarithm of its absolute value, which stays in range.

    Returns:
        a named tuple (sign, logabsdet); the sign is 0 and the logarithm -inf for a singular matrix.

    Raises:
        RuntimeError: the matrices are not square, or not of float32 or float64.

    Example:
        >>> tl.slogdet(tl.tensor([[0.0, 1.0], [1.0, 0.0]]))
        tensorlab.return_types.linalg_slogdet(
        sign=tensor(-1.),
        logabsdet=tensor(0.))
    """
    matrices = _as_factored("slogdet", A)
    sign, logarithm = map(np.asarray, computed("slogdet", np.linalg.slogdet, matrices))
    _sign_zeros(sign, matrices, signed_zeros=False)
    found = as_result(sign, A, matrices=False), as_result(logarithm, A, matrices=False)
    record_several(gradients.LinalgSlogdetBackward0, found, A)
    return return_types.linalg_slogdet(all_in("slogdet", found, out))


def _as_factored(name: str, A: Tensor) -> np.ndarray:
    """The matrices as PyTorch passes them to LAPACK: if contiguous, transposed, which rounds differently."""
    matrices = square_matrices(name, A)
    return matrices.swapaxes(-1, -2) if A.is_contiguous() else matrices


def _sign_zeros(values: np.ndarray, matrices: np.ndarray, signed_zeros: bool) -> None:
    """Give each zero among the determinants, or among their signs, the sign of the product of its pivots."""
    for place in map(tuple, np.argwhere(values == 0)):
        values[place] = np.copysign(0, _sign_of_pivots(matrices[place], signed_zeros))


def _sign_of_pivots(matrix: np.ndarray, signed_zeros: bool) -> float:
    """The sign of the product of the pivots of Gaussian elimination with partial pivoting.

    With `signed_zeros` a pivot of -0 is negative: det multiplies pivots, slogdet their signs.
    """
    matrix, sign = matrix.copy(), 1.0
    for k in range(len(matrix)):
        largest = k + int(np.abs(matrix[k:, k]).argmax())
        if largest != k:
            matrix[[k, largest]] = matrix[[largest, k]]
            sign = -sign
        pivot = matrix[k, k]
        if pivot < 0 or (signed_zeros and np.signbit(pivot)):
            sign = -sign
        if pivot:
            matrix[k + 1 :] -= np.outer(matrix[k + 1 :, k] / pivot, matrix[k])
    return sign


@op(namespace="linalg")
def cholesky(A: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """The lower triangular L with ``A = L @ L.mT`` of each symmetric positive-definite matrix.

    Args:
        A: of shape (…, n, n); only its lower triangle is read, or its upper one.
        upper: give the upper triangular U with ``A = U.mT @ U`` instead.
        out: a tensor of A's shape to write into.

    Raises:
        RuntimeError: the matrices are not square, or not of float32 or float64.
        LinAlgError: one of them is not positive-definite.

    Example:
        >>> tl.linalg.cholesky(tl.tensor([[4.0, 2.0], [2.0, 5.0]]))
        tensor([[2., 0.],
                [1., 2.]])
    """

    def factor(matrices: np.ndarray) -> np.ndarray:
        return np.linalg.cholesky(matrices, upper=upper)

    if out is not None:
        check_out("linalg.cholesky", out, A)
    result = as_result(computed("cholesky", factor, square_matrices("cholesky", A)), A, out)
    return record(gradients.LinalgCholeskyExBackward0, result, A, upper=upper)


@op(namespace="linalg")
def qr(
    A: Tensor,
    mode: Literal["reduced", "complete", "r"] = "reduced",
    *,
    out: Sequence[Tensor] | None = None,
) -> Any:
    """Each matrix as a product of one with orthonormal columns, Q, and an upper triangular one, R.

    Args:
        A: of shape (…, m, n).
        mode: ``"reduced"``: Q has min(m, n) columns; ``"complete"``: Q is square; ``"r"``: Q is left empty.
        out: two tensors to write into.

    Returns:
        a named tuple (Q, R).

    Raises:
        RuntimeError: the mode is unknown, or A is no matrix of float32 or float64.

    Example:
        >>> A = tl.tensor([[0.0, 2.0], [1.0, 1.0]])
        >>> Q, R = tl.linalg.qr(A)
        >>> tl.allclose(Q @ R, A), R.tril(-1).abs().max()
        (True, tensor(0.))
    """
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode {mode!r} but expected one of 'reduced' (default), 'r', or "
            f"'complete'"
        )
    matrices = matrices_of("qr", A)
    if mode == "r":
        r = computed("qr", lambda x: np.linalg.qr(x, "r"), matrices)
        parts = as_result(np.empty(0, r.dtype), A), as_result(r, A)
        record_several(gradients.LinalgQrBackward0, parts, A, mode=mode)
        return return_types.linalg_qr(all_in("qr", parts, out))
    q, r = computed("qr", lambda x: np.linalg.qr(x, mode), matrices)
    parts = as_result(q, A), as_result(r, A)
    record_several(gradients.LinalgQrBackward0, parts, A, mode=mode)
    return return_types.linalg_qr(all_in("qr", parts, out))


@op(namespace="linalg")
def svd(A: Tensor, full_matrices: bool = True, *, out: Sequence[Tensor] | None = None) -> Any:
    """The singular value decomposition of each matrix: ``A = U @ diag(S) @ Vh``.

    Args:
        A: of shape (…, m, n).
        full_matrices: whether U is m × m and Vh is n × n; else they have min(m, n) columns and rows.
        out: three tensors to write into.

    Returns:
        a named tuple (U, S, Vh); the singular values S descend.

    Raises:
        RuntimeError: A is no matrix of float32 or float64.
        LinAlgError: an element is not finite.

    Example:
        >>> A = tl.tensor([[0.0, 2.0], [1.0, 0.0]])
        >>> U, S, Vh = tl.linalg.svd(A)
        >>> S, tl.allclose(U @ S.diag() @ Vh, A)
        (tensor([2., 1.]), True)
    """
    parts = computed("svd", lambda x: np.linalg.svd(x, full_matrices), matrices_of("svd", A))
    u, s, vh = parts
    results = as_result(u, A), as_result(s, A, matrices=False), as_result(vh, A)
    record_several(gradients.LinalgSvdBackward0, results, A)
    return return_types.linalg_svd(all_in("svd", results, out))


@op(namespace="linalg")
def svdvals(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The singular values of each matrix, descending: see `svd`.

    Example:
        >>> tl.linalg.svdvals(tl.tensor([[0.0, 2.0], [1.0, 0.0]]))
        tensor([2., 1.])
    """
    if out is not None:
        check_out("linalg.svdvals", out, A)
    elif current.grad and requires_grad(A):
        return svd(A, full_matrices=False)[1]
    values = computed("svd", lambda x: np.linalg.svd(x, compute_uv=False), matrices_of("svd", A))
    return as_result(values, A, out, matrices=False)


@op(namespace="linalg")
def eigh(A: Tensor, UPLO: str = "L", *, out: Sequence[Tensor] | None = None) -> Any:
    """The eigenvalues and eigenvectors of each symmetric matrix.

    Args:
        A: of shape (…, n, n).
        UPLO: which triangle is read, ``"L"`` or ``"U"``.
        out: two tensors to write into.

    Returns:
        a named tuple (eigenvalues, eigenvectors): the values ascend, and each has a column.

    Raises:
        RuntimeError: the matrices are not square, or not of float32 or float64.
        LinAlgError: the algorithm did not converge.

    Example:
        >>> values, vectors = tl.linalg.eigh(tl.tensor([[2.0, 0.0], [0.0, 1.0]]))
        >>> values
        tensor([1., 2.])
    """
    triangle = _triangle(UPLO)
    values, vectors = computed("eigh", lambda x: np.linalg.eigh(x, triangle), square_matrices("eigh", A))
    results = as_result(values, A, matrices=False), as_result(vectors, A)
    record_several(gradients.LinalgEighBackward0, results, A)
    return return_types.linalg_eigh(all_in("eigh", results, out))


@op(namespace="linalg")
def eigvalsh(A: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues of each symmetric matrix, ascending: see `eigh`.

    Example:
        >>> tl.linalg.eigvalsh(tl.tensor([[2.0, 1.0], [1.0, 2.0]]))
        tensor([1., 3.])
    """
    triangle = _triangle(UPLO)
    if out is not None:
        check_out("linalg.eigvalsh", out, A)
    elif current.grad and requires_grad(A):
        return eigh(A, UPLO)[0]
    values = computed("eigh", lambda x: np.linalg.eigvalsh(x, triangle), square_matrices("eigh", A))
    return as_result(values, A, out, matrices=False)


@op(namespace="linalg")
def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    """The solution X of ``A @ X = B`` for each square matrix A.

    Args:
        A: of shape (…, n, n).
        B: of shape (…, n, k), or of vectors: of shape (n), or of A's shape without its last dimension. The
            leading dimensions of matrices are broadcast.
        left: False to solve ``X @ A = B``, with B of shape (…, k, n).
        out: a tensor of the result's shape to write into.

    Raises:
        RuntimeError: the shapes or dtypes do not fit.
        LinAlgError: a matrix is singular.

    Example:
        >>> tl.linalg.solve(tl.tensor([[2.0, 0.0], [0.0, 4.0]]), tl.tensor([2.0, 2.0]))
        tensor([1.0000, 0.5000])
    """
    a = square_matrices("solve", A)
    need_one_device("linalg.solve", A, B)
    if A.dtype is not B.dtype:
        raise RuntimeError(
            f"linalg.solve: Expected A and B to have the same dtype, but found A of type {A.dtype.name} and "
            f"B of type {B.dtype.name} instead: convert first, B.to(tensorlab.{A.dtype.name})"
        )
    b = B._read_cells()
    vectors = B.ndim == 1 or (A.ndim - 1 == B.ndim and B.shape == A.shape[:-1])
    if vectors:
        b = b[..., None]
    elif not left:
        a, b = a.swapaxes(-1, -2), b.swapaxes(-1, -2)
    check_equation("solve", A, B, b.shape[-2], left)
    broadcasting.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x = computed("solve", np.linalg.solve, a, b)
    if out is not None:
        check_out("linalg.solve", out, A, B)
    if vectors:
        result = as_result(x[..., 0], A, out)
    elif left:
        result = as_result(x, A, out)
    else:
        result = as_result(x.swapaxes(-1, -2), A, out, matrices=False)
    return record(gradients.LinalgSolveExBackward0, result, A, B, left=left, vectors=vectors)


@op(namespace="linalg")
def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """The X of least norm that makes the norm of ``A @ X - B`` least.

    Args:
        A: of shape (…, m, n).
        B: of shape (…, m, k), or vectors: (…, m) with A's leading dimensions.
        rcond: singular values below this share of the largest count as 0; the dtype's epsilon times
            max(m, n).
        driver: ``"gelsy"`` (the default), ``"gelsd"``, ``"gelss"`` or ``"gels"``. All solve by singular
            values here; the last two named results are filled as PyTorch fills them for each.

    Returns:
        a named tuple (solution, residuals, rank, singular_values).

    Raises:
        RuntimeError: the shapes or dtypes do not fit, or the driver is unknown.

    Example:
        >>> A = tl.tensor([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
        >>> tl.linalg.lstsq(A, tl.tensor([[1.0], [3.0], [5.0]])).solution
        tensor([[1.],
                [2.]])
    """
    driver = driver or "gelsy"
    if driver not in ("gelsy", "gelsd", "gelss", "gels"):
        raise RuntimeError(
            f"linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), got {driver!r}"
        )
    a, b = matrices_of("lstsq", A), B._read_cells()
    need_one_device("linalg.lstsq", A, B)
    if A.dtype is not B.dtype:
        raise RuntimeError(
            f"linalg.lstsq: Expected input and other to have the same dtype, but got {A.dtype.name} and "
            f"{B.dtype.name}: convert first"
        )
    vectors = B.ndim == A.ndim - 1
    if vectors:
        b = b[..., None]
    m, n = a.shape[-2:]
    if b.ndim < 2 or b.shape[-2] != m or b.shape[:-2] != a.shape[:-2]:
        raise RuntimeError(
            f"linalg.lstsq: input.size(-2) should match other.size(-2), and the leading sizes each other: "
            f"got shapes {tuple(A.shape)} and {tuple(B.shape)}"
        )
    solution, residuals, rank, singular = _least_squares(a, b, rcond)
    full = bool(np.all(rank == n)) and m > n
    nothing = np.empty(0, a.dtype)
    if vectors:
        x = as_own(as_result(solution[..., 0], A, matrices=False).narrow(-1, 0, n))
    else:
        x = as_own(as_result(solution, A).narrow(-2, 0, n))
    squares = as_result(residuals if full and driver != "gelsy" else nothing, A, matrices=False)
    record_several(gradients.LinalgLstsqBackward0, (x, squares), A, B, pinv=_pseudo_inverse, vectors=vectors)
    return return_types.linalg_lstsq(
        (
            x,
            squares,
            as_result(rank if driver != "gels" else np.empty(0, np.int64), A, matrices=False),
            as_result(singular if driver in ("gelsd", "gelss") else nothing, A, matrices=False),
        )
    )


def _least_squares(a: np.ndarray, b: np.ndarray, rcond: float | None) -> tuple[np.ndarray, ...]:
    """For each pair of matrices the solution, the sums of squares that are left, the rank, and A's values."""
    (*batch, m, n), k = a.shape, b.shape[-1]
    solution = np.zeros((*batch, max(m, n), k), a.dtype)  # LAPACK overwrites B, which has m rows
    residuals = np.empty((*batch, k), a.dtype)
    rank, singular = np.empty(batch, np.int64), np.empty((*batch, min(m, n)), a.dtype)
    for index in np.ndindex(*batch):
        found = computed("lstsq", lambda x, y: np.linalg.lstsq(x, y, rcond), a[index], b[index])
        solution[index][:n], _, rank[index], singular[index] = found
        residuals[index] = np.sum((a[index] @ solution[index][:n] - b[index]) ** 2, axis=-2)
    return solution, residuals, rank, singular


def _pseudo_inverse(A: Any) -> Any:
    """The pseudo-inverse of matrices of any rank; recorded."""
    found = computed("pinv", np.linalg.pinv, matrices_of("pinv", A))
    return record(gradients.LinalgPinvBackward0, as_result(found, A), A)


def _triangle(uplo: str) -> Any:
    if uplo.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {uplo}")
    return uplo.upper()
