"""PyTorch's `torch.linalg`: linear algebra on matrices and batches of matrices.

Example:
    >>> import tensorlab as tl
    >>> A = tl.tensor([[2.0, 1.0], [1.0, 3.0]])
    >>> tl.linalg.solve(A, tl.tensor([3.0, 4.0]))
    tensor([1., 1.])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlab.ops.exports import exported
from tensorlab.ops.lapack import LinAlgError

if TYPE_CHECKING:
    from tensorlab.stubs.linalg import *  # noqa: F403

_functions = exported("linalg")
globals().update(_functions)

__all__ = ["LinAlgError", *_functions]
