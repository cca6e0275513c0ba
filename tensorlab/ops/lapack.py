"""NumPy's LAPACK for tensors: what it takes, how it fails, and how its results lie in memory.

The host computes for every device: matrices come to it, and results go back. As in PyTorch the matrices of a
result lie in memory column after column, which is how LAPACK writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlab.core import dtypes, layout
from tensorlab.core.layout import Size
from tensorlab.ops.outputs import need_outs, written
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, make_tensor


class LinAlgError(RuntimeError):
    """A computation of linear algebra that has no result, such as the inverse of a singular matrix."""


def matrices_of(name: str, A: Tensor) -> np.ndarray:
    """The cells of a batch of matrices of float32 or float64.

    Raises:
        TypeError: `A` is no tensor.
        RuntimeError: it has fewer than two dimensions, or another dtype.
        NotImplementedError: it has another dtype, and eigenvalues are asked for.
    """
    if not isinstance(A, Tensor):
        raise TypeError(f"linalg.{name}(): A must be a tensor, got {type(A).__name__}")
    if A.ndim < 2:
        raise RuntimeError(
            f"linalg.{name}: The input tensor A must have at least 2 dimensions: its shape is "
            f"{tuple(A.shape)}"
        )
    # PyTorch asks its eigenvalue solver first, which tells by this type that it lacks the dtype.
    refusal = NotImplementedError if name == "eigh" else RuntimeError
    if not A.dtype.is_floating_point:
        raise refusal(
            f"linalg.{name}: Expected a floating point tensor as input. Got {A.dtype.name}: convert first, "
            f"A.to(tensorlab.float32)"
        )
    if A.dtype.itemsize == 2:
        raise refusal(
            f"linalg.{name}: Low precision dtypes not supported. Got {A.dtype.name}: convert first, "
            f"A.to(tensorlab.float32)"
        )
    return A._read_cells()


def square_matrices(name: str, A: Tensor) -> np.ndarray:
    """`matrices_of` that have as many rows as columns.

    Raises:
        RuntimeError: they have not.
    """
    matrices = matrices_of(name, A)
    if A.shape[-2] != A.shape[-1]:
        raise RuntimeError(
            f"linalg.{name}: A must be batches of square matrices, but they are {A.shape[-2]} by "
            f"{A.shape[-1]} matrices"
        )
    return matrices


def check_equation(name: str, A: Tensor, B: Tensor, rows: int, left: bool = True) -> None:
    """Refuse an equation whose sides do not fit.

    Args:
        name: the function's.
        A, B: the sides, `A` square.
        rows: the rows of `B`, where its matrices or vectors begin; of ``XA = B`` its columns.
        left: the equation is ``AX = B``, and not ``XA = B``.

    Raises:
        RuntimeError: `A` has another size.
    """
    if A.shape[-1] != rows:
        equation, side = ("AX = B", "rows") if left else ("XA = B", "columns")
        raise RuntimeError(
            f"linalg.{name}: Incompatible shapes of A and B for the equation {equation}: A of shape "
            f"{tuple(A.shape)} takes {A.shape[-1]} {side}, and B of shape {tuple(B.shape)} has {rows}"
        )


_FAILURES = {
    "inv": "The inversion could not be completed because the input matrix is singular",
    "solve": "The solver failed because the input matrix is singular",
    "cholesky": "The factorization could not be completed because the input is not positive-definite",
}


def computed(name: str, function: Callable[..., Any], *arrays: np.ndarray) -> Any:
    """What NumPy computes, its failure as an error that names the function.

    Raises:
        LinAlgError: NumPy's function found no result.
    """
    try:
        with np.errstate(all="ignore"):
            return function(*arrays)
    except np.linalg.LinAlgError as error:
        reason = _FAILURES.get(name, "The algorithm failed to converge because the input is not finite")
        raise LinAlgError(f"linalg.{name}: {reason} ({error})") from None


def all_in(name: str, results: tuple[Tensor, ...], out: Sequence[Tensor] | None) -> tuple[Tensor, ...]:
    """Several results of a function; or the tensors of `out`, with the results written into them."""
    if out is None:
        return results
    targets = need_outs(name, out, len(results))
    pairs = zip(targets, results, strict=True)
    return tuple(written(target, result, result._stride, exact=True) for target, result in pairs)


def as_result(array: np.ndarray, like: Tensor, out: Tensor | None = None, matrices: bool = True) -> Tensor:
    """An array as a tensor on the device of another: its matrices column after column, or row-major."""
    shape = Size(array.shape)
    stride = layout.default_strides(shape)
    if matrices and len(shape) > 1:
        array = array.swapaxes(-1, -2)
        *outer, column, row = layout.default_strides(array.shape)
        stride = (*outer, row, column)
    backend, element_type = like._storage.backend, dtypes.from_numpy_dtype(array.dtype)
    storage = UntypedStorage(backend.upload(np.ascontiguousarray(array).reshape(-1).data), backend=backend)
    result = make_tensor(storage, element_type, shape, stride, 0)
    return result if out is None else written(out, result, result._stride, exact=True)
