"""What rests on singular values, large and small: pseudoinverses, ranks, condition numbers."""

from __future__ import annotations

from tensorlab.autograd.recording import record
from tensorlab.autograd.views import requires_grad
from tensorlab.core import dtypes
from tensorlab.core.modes import current, no_grad
from tensorlab.ops.arithmetic import div
from tensorlab.ops.creation import zeros
from tensorlab.ops.factorization_gradients import LinalgPinvBackward0
from tensorlab.ops.factorizations import eigh, eigvalsh, inv, svd, svdvals
from tensorlab.ops.norms import matrix_norm
from tensorlab.ops.outputs import written
from tensorlab.ops.pointwise import mul
from tensorlab.ops.products import product
from tensorlab.ops.where import where
from tensorlab.registry import op
from tensorlab.tensor import Tensor

# The distance from 1 to the next number: how large a singular value must be to be no rounding error.
_EPSILON = {dtypes.float32: 2.0**-23, dtypes.float64: 2.0**-52}


@op(namespace="linalg")
def pinv(
    A: Tensor,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
    hermitian: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The pseudoinverse of each matrix, made of its singular values.

    Args:
        A: of shape (…, m, n).
        atol, rtol: singular values up to ``max(atol, rtol * the largest)`` count as 0. Without both `rtol` is
            the dtype's epsilon times max(m, n).
        hermitian: the matrices are symmetric: eigenvalues are computed, and only the lower triangle is read.
        out: a tensor of shape (…, n, m) to write into.

    Example:
        >>> tl.linalg.pinv(tl.tensor([[2.0, 0.0], [0.0, 0.0]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.0000]])
    """
    if out is None and current.grad and requires_grad(A):
        with no_grad():
            result = pinv(A, atol=atol, rtol=rtol, hermitian=hermitian)
        return record(LinalgPinvBackward0, result, A)
    if hermitian and not A.numel():
        result = A.new_zeros((*A.shape[:-2], A.shape[-1], A.shape[-2]))
        return result if out is None else written(out, result)
    if hermitian:
        values, u = eigh(A)
        s, v = values.abs(), u * values.sign().unsqueeze(-2)
    else:
        u, s, vh = svd(A, full_matrices=False)
        v = vh.transpose(-2, -1)
    if not s.numel():
        result = A.new_zeros((*A.shape[:-2], A.shape[-1], A.shape[-2]))
    else:
        kept = s > _tolerance(A, s, atol, rtol)
        scaled = v * where(kept, s.reciprocal(), 0.0).unsqueeze(-2)
        result = product(scaled, u.transpose(-2, -1))
    return result if out is None else written(out, result)


@op(namespace="linalg")
def matrix_rank(
    A: Tensor,
    tol: float | Tensor | None = None,
    hermitian: bool = False,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The rank of each matrix: how many of its singular values count as more than 0.

    Args:
        A: of shape (…, m, n).
        tol: an older name of `atol`.
        hermitian: the matrices are symmetric: eigenvalues are computed, which takes less time.
        atol, rtol: see `pinv`.
        out: an int64 tensor of the leading dimensions to write into.

    Example:
        >>> tl.linalg.matrix_rank(tl.ones(3, 3))
        tensor(1)
    """
    values = eigvalsh(A).abs() if hermitian else svdvals(A)
    atol = tol if atol is None else atol
    if not values.numel():
        ranks = values.to(dtypes.int64).sum(-1)
    else:
        ranks = (values > _tolerance(A, values, atol, rtol)).sum(-1)
    return ranks if out is None else written(out, ranks)


@op(namespace="linalg")
def cond(A: Tensor, p: float | str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The condition number of each matrix: how much a relative error can grow when a system is solved.

    Args:
        A: of shape (…, m, n); square unless `p` is None, 2 or -2.
        p: the order of the norm (see `matrix_norm`); None stands for 2, the largest singular value over the
            smallest.
        out: a tensor of the result's shape to write into.

    Example:
        >>> tl.linalg.cond(tl.tensor([[8.0, 0.0], [0.0, 2.0]]))
        tensor(4.)
    """
    if p in (None, 2, -2):
        values = svdvals(A)
        if not values.shape[-1]:
            return zeros(values.shape[:-1], dtype=A.dtype, out=out)
        largest, smallest = values.select(-1, 0), values.select(-1, -1)
        return div(smallest, largest, out=out) if p == -2 else div(largest, smallest, out=out)
    assert p is not None
    return mul(matrix_norm(A, p), matrix_norm(inv(A), p), out=out)


def _tolerance(A: Tensor, values: Tensor, atol: float | Tensor | None, rtol: float | Tensor | None) -> Tensor:
    """Up to where the singular values of each matrix count as 0: of their shape, the last size 1."""
    largest = values.amax(-1, keepdim=True)
    if rtol is None:
        rtol = 0.0 if atol is not None else _EPSILON[A.dtype] * max(A.shape[-2:])
    relative = largest * (rtol.unsqueeze(-1) if isinstance(rtol, Tensor) else rtol)
    if atol is None:
        return relative
    if not isinstance(atol, Tensor):
        return where(relative > atol, relative, float(atol))
    return relative.maximum(atol.unsqueeze(-1))
