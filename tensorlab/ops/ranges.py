"""Tensors of evenly spaced numbers, of positions, and of ones on a diagonal."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tensorlab import dtypes
from tensorlab.cells import encode
from tensorlab.devices import as_device, device
from tensorlab.dtypes import dtype
from tensorlab.layout import Size, as_int
from tensorlab.ops.arguments import as_dtype
from tensorlab.ops.creation import zeros
from tensorlab.ops.dispatch import Number, fill, is_number, number_dtype
from tensorlab.ops.from_data import from_cells
from tensorlab.ops.parts import diagonal
from tensorlab.tensor import Tensor

__all__ = ["arange", "eye", "linspace", "logspace", "tril_indices", "triu_indices"]


def arange(
    start: Number,
    end: Number | None = None,
    step: Number = 1,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """The numbers from `start` to `end`, `end` left out, `step` apart; ``arange(end)`` starts with 0.

    Args:
        start, end, step: numbers; if all are ints the dtype is int64, else the default floating dtype.
        dtype: another element type.
        device: where to make it; the CPU.

    Raises:
        RuntimeError: `step` is 0 or leads away from `end`, or a bound is not finite.

    Example:
        >>> import tensorlab as tl
        >>> tl.arange(5), tl.arange(0, 1, 0.25)
        (tensor([0, 1, 2, 3, 4]), tensor([0.0000, 0.2500, 0.5000, 0.7500]))
    """
    if end is None:
        start, end = 0, start
    for name, bound in (("start", start), ("end", end), ("step", step)):
        if not is_number(bound):
            raise TypeError(f"arange(): {name} must be a number, got {bound!r}")
        if not math.isfinite(bound):
            raise RuntimeError(f"arange(): {name} must be finite, got {bound}")
    if step == 0:
        raise RuntimeError(f"step must be nonzero: a step of 0 never gets from {start} to {end}")
    if (end - start) * step < 0:
        raise RuntimeError(
            f"upper bound and lower bound inconsistent with step sign: "
            f"a step of {step} never gets from {start} to {end}"
        )
    as_device(device)
    whole = all(number_dtype(bound).category != dtypes.FLOATING for bound in (start, end, step))
    element_type = as_dtype(dtype) or (dtypes.int64 if whole else dtypes.get_default_dtype())
    if whole:
        values: np.ndarray = np.arange(int(start), int(end), int(step), dtype=np.int64)
    else:
        values = start + np.arange(math.ceil((end - start) / step), dtype=np.float64) * step
    if element_type.category == dtypes.INTEGER or element_type is dtypes.float64:
        return from_cells(values.astype(element_type.cell), element_type, Size(values.shape))
    return from_cells(encode(values.tolist(), element_type), element_type, Size(values.shape))


def linspace(
    start: Number,
    end: Number,
    steps: int,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """`steps` numbers evenly spaced from `start` to `end`, both of them included.

    The first half is counted from `start` and the second half from `end`, so that both ends are exact.

    Raises:
        RuntimeError: `steps` is negative.

    Example:
        >>> import tensorlab as tl
        >>> tl.linspace(0, 1, 5)
        tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    as_device(device)
    element_type = as_dtype(dtype) or dtypes.get_default_dtype()
    return _converted(_spaced(start, end, steps, "linspace"), element_type)


def logspace(
    start: Number,
    end: Number,
    steps: int,
    base: float = 10.0,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """`base` to the power of `steps` numbers evenly spaced from `start` to `end`.

    Raises:
        RuntimeError: `steps` is negative.

    Example:
        >>> import tensorlab as tl
        >>> tl.logspace(0, 3, 4)
        tensor([   1.,   10.,  100., 1000.])
    """
    as_device(device)
    element_type = as_dtype(dtype) or dtypes.get_default_dtype()
    return _converted(base ** _spaced(start, end, steps, "logspace"), element_type)


def _spaced(start: Number, end: Number, steps: int, function: str) -> np.ndarray:
    count = as_int(steps, f"{function}(): steps")
    if count < 0:
        raise RuntimeError(f"{function}(): number of steps must be non-negative, got {count}")
    if count < 2:
        return np.full(count, float(start))
    step = (end - start) / (count - 1)
    position = np.arange(count, dtype=np.float64)
    return np.where(position < count // 2, start + step * position, end - step * (count - 1 - position))


def _converted(values: np.ndarray, element_type: dtype) -> Tensor:
    if element_type.category == dtypes.INTEGER:
        return from_cells(values.astype(element_type.cell), element_type, Size(values.shape))
    return from_cells(encode(values.tolist(), element_type), element_type, Size(values.shape))


def eye(
    n: int, m: int | None = None, *, dtype: dtype | None = None, device: device | str | None = None
) -> Tensor:
    """A matrix with ones on its diagonal and zeros elsewhere.

    Args:
        n: how many rows.
        m: how many columns; as many as rows if left out.
        dtype: the element type; the default floating dtype.
        device: where to make it; the CPU.

    Raises:
        RuntimeError: a size is negative.

    Example:
        >>> import tensorlab as tl
        >>> tl.eye(2, 3, dtype=tl.int64)
        tensor([[1, 0, 0],
                [0, 1, 0]])
    """
    out = zeros(n, n if m is None else m, dtype=dtype, device=device)
    fill(diagonal(out), 1)
    return out


def tril_indices(row: int, col: int, offset: int = 0) -> Tensor:
    """The positions on and below a diagonal of a matrix: one row of row indices, one of column indices.

    Example:
        >>> import tensorlab as tl
        >>> tl.tril_indices(2, 2)
        tensor([[0, 1, 1],
                [0, 0, 1]])
    """
    return _indices(np.tril_indices(row, offset, col))


def triu_indices(row: int, col: int, offset: int = 0) -> Tensor:
    """The positions on and above a diagonal of a matrix (see `tril_indices`)."""
    return _indices(np.triu_indices(row, offset, col))


def _indices(pair: tuple[np.ndarray, np.ndarray]) -> Tensor:
    positions = np.stack(pair).astype(np.int64)
    return from_cells(positions, dtypes.int64, Size(positions.shape))


METHODS: tuple[Callable, ...] = ()
