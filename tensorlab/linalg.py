"""PyTorch's `torch.linalg`: linear algebra on matrices and batches of matrices.

Example:
    >>> import tensorlab as tl
    >>> A = tl.tensor([[2.0, 1.0], [1.0, 3.0]])
    >>> tl.linalg.solve(A, tl.tensor([3.0, 4.0]))
    tensor([1., 1.])
"""

from __future__ import annotations

from tensorlab.contracts import explained_all, found_in
from tensorlab.ops.factorizations import (
    LinAlgError,
    cholesky,
    det,
    eigh,
    eigvalsh,
    inv,
    lstsq,
    qr,
    slogdet,
    solve,
    svd,
    svdvals,
)
from tensorlab.ops.linalg import diagonal, matrix_power, multi_dot, vecdot
from tensorlab.ops.linalg import linalg_cross as cross
from tensorlab.ops.matmul import matmul
from tensorlab.ops.norms import matrix_norm, vector_norm
from tensorlab.ops.norms import matrix_or_vector_norm as norm
from tensorlab.ops.older_linalg import linalg_vander as vander
from tensorlab.ops.older_linalg import matrix_exp, tensorinv, tensorsolve
from tensorlab.ops.ranks import cond, matrix_rank, pinv
from tensorlab.ops.triangular import solve_triangular

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]

# A call with an argument of the wrong kind is told so.
globals().update(explained_all({name: globals()[name] for name in __all__}))
found_in(__name__, {name: globals()[name] for name in __all__})
