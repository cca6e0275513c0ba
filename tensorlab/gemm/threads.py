"""Rung 7: what `tensorlab.matmul` uses. The tiles of rung 6, for all layouts, shapes and threads."""

from __future__ import annotations

import functools

import numpy as np

from tensorlab.backends import HOST, Launch
from tensorlab.core import dtypes


def threaded(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """The product of the backend: read on in `tensorlab.backends.cpu.gemm`.

    Beside rung 6 it reads operands where they lie if a copy would not pay, has tiles for the edges, divides
    the result among threads, and leaves k whole, so that their number does not change a digit.

    Args:
        a, b, out: of shapes (m, k), (k, n) and (m, n); see `tensorlab.gemm`.
    """
    sizes = out.shape[0], out.shape[1], a.shape[1]
    launch = _prepared(out.dtype.name, sizes, _steps(out), _steps(a), _steps(b))
    launch(_buffer(out), _buffer(a), _buffer(b))


@functools.lru_cache
def _prepared(dtype: str, sizes: tuple[int, int, int], *strides: tuple[int, ...]) -> Launch:
    """What computes products of such layouts."""
    out, a, b = strides
    return HOST.gemm(dtypes.by_name(dtype), (), sizes, out, a, b)


def _steps(matrix: np.ndarray) -> tuple[int, ...]:
    """The strides, in cells."""
    return tuple(stride // matrix.itemsize for stride in matrix.strides)


def _buffer(matrix: np.ndarray) -> tuple[np.ndarray, int]:
    """The cells from the first element on, as a flat array."""
    cells = 1 + sum((size - 1) * step for size, step in zip(matrix.shape, _steps(matrix), strict=True))
    size = cells if matrix.size else 0
    return np.lib.stride_tricks.as_strided(matrix, (size,), (matrix.itemsize,)), 0
