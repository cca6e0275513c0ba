"""New tensors by a rule: evenly spaced numbers, the identity, and the indices of triangles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlab.backends import HOST, Backend
from tensorlab.core import dtypes
from tensorlab.core.cells import encode, from_float32, to_float32
from tensorlab.core.devices import device
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size, as_int
from tensorlab.core.size import size_of_ints
from tensorlab.dispatch.copies import fill
from tensorlab.dispatch.memory import allocate, as_new, counted, next_version
from tensorlab.dispatch.operands import Number, is_number
from tensorlab.ops.arguments import as_dtype, place_of, placing
from tensorlab.ops.creation import ones, zeros
from tensorlab.ops.from_data import from_cells, inferred_dtype
from tensorlab.ops.outputs import written
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_dense

# Numbers that are made at a time: with all that is between, they take half a megabyte of float64.
BLOCK = 8192

# Numbers by their positions: an array of the host, or a tensor of another device.
Positions = Any


@op()
@placing
def arange(
    start: Number | Tensor | None = None,
    end: Number | Tensor | None = None,
    step: Number | Tensor = 1,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """The numbers from `start` to `end`, `end` left out, `step` apart; ``arange(end)`` starts with 0.

    Args:
        start, end, step: numbers; if all are ints the dtype is int64, else the default floating dtype.
        out: a tensor of the result's shape to write into.
        dtype: another element type. An integer dtype drops the fractions of the three numbers first.
        device: where to make it; the default device.

    Raises:
        RuntimeError: `step` is 0 or leads away from `end`, or a bound is not finite.
        ValueError: `step` becomes 0 in an integer dtype.
        TypeError: a bound is no number.
        NotImplementedError: the dtype is bool.

    Example:
        >>> tl.arange(5), tl.arange(0, 1, 0.25)
        (tensor([0, 1, 2, 3, 4]), tensor([0.0000, 0.2500, 0.5000, 0.7500]))
    """
    if start is None or end is None:
        start, end = 0, start if end is None else end
    place = place_of(device, out)
    if (
        type(start) is int
        and type(end) is int
        and type(step) is int
        and dtype is None
        and out is None
        and place is HOST
        and step > 0
        and -(2**63) <= start <= end < 2**63
    ):
        cells = np.arange(start, end, step, dtype=np.int64)
        return make_dense(cells, dtypes.int64, size_of_ints(Size, (cells.size,)), (1,))
    bounds = _finite_bounds(start, end, step)
    element_type = as_dtype(dtype) or (out.dtype if out is not None else inferred_dtype([+b for b in bounds]))
    if element_type.category == dtypes.BOOL:
        raise NotImplementedError("arange() cannot count in bools: ask for an integer dtype")
    if element_type is dtypes.int64:
        bounds = [int(bound) for bound in bounds]
    first, last, by = bounds
    if by == 0:
        raise (ValueError if step else RuntimeError)(
            f"step must be nonzero: a step of {by} never gets from {first} to {last}"
        )
    if (last - first) * by < 0:
        raise RuntimeError(
            f"upper bound and lower bound inconsistent with step sign: "
            f"a step of {by} never gets from {first} to {last}"
        )
    return _delivered(_counted(first, last, by, element_type, place), out)


def _finite_bounds(start: object, end: object, step: object) -> list[Number]:
    """The three numbers of `arange`."""
    named = {"start": start, "end": end, "step": step}
    for name, value in named.items():
        if isinstance(value, Tensor) and value.ndim:
            raise TypeError(f"arange(): argument {name!r} must be Number, not a Tensor with dimensions")
    bounds = {name: _number(value, "arange", name) for name, value in named.items()}
    for name, bound in bounds.items():
        if not math.isfinite(bound):
            raise RuntimeError(f"arange(): {name} must be finite, got {bound}")
    return list(bounds.values())


def _counted(first: Number, last: Number, by: Number, element_type: dtype, place: Backend) -> Tensor:
    """The numbers of `arange`.

    Fractions lose themselves before they are counted in int64, and afterwards in narrower integers.
    """
    is_whole = element_type.category == dtypes.INTEGER
    if type(first) is type(last) is type(by) is int:
        count, is_whole = len(range(first, last, by)), True
    else:
        count = math.ceil((last - first) / by)
    if is_whole:
        return _made_of(_as_they_are, count, element_type, place, dtypes.int64, int(first), int(by))
    begin, step = float(first), float(by)
    return _made_of(lambda position: begin + position * step, count, element_type, place)


def _as_they_are(positions: Positions) -> Positions:
    return positions


@op()
@placing
def linspace(
    start: Number | Tensor,
    end: Number | Tensor,
    steps: int,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """`steps` evenly spaced numbers from `start` to `end`, both included.

    The first half is counted from `start` and the second half from `end`, so that both come out exactly and
    the numbers are symmetric.

    Args:
        start, end: numbers.
        steps: how many; one is `start` alone.
        out: a tensor of the result's shape to write into.
        dtype: the element type; the default floating dtype.
        device: where to make it; the default device.

    Raises:
        RuntimeError: `steps` is negative.
        TypeError: a bound is no number, or `steps` no integer.

    Example:
        >>> tl.linspace(0, 1, 5)
        tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    element_type = as_dtype(dtype) or (out.dtype if out is not None else dtypes.get_default_dtype())
    bounds = _number(start, "linspace", "start"), _number(end, "linspace", "end")
    count = _count(steps, "linspace", element_type)

    def numbers(position: Positions) -> Positions:
        return _spaced(*bounds, count, element_type, position)

    return _delivered(_made_of(numbers, count, element_type, place_of(device, out)), out)


@op()
@placing
def logspace(
    start: Number | Tensor,
    end: Number | Tensor,
    steps: int,
    base: float = 10.0,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """`base` to the power of `steps` evenly spaced numbers from `start` to `end`, both included.

    Args:
        start, end: the first and the last exponent.
        steps: how many; one is ``base ** start`` alone.
        base: the base.
        out: a tensor of the result's shape to write into.
        dtype: the element type; the default floating dtype.
        device: where to make it; the default device.

    Raises:
        RuntimeError: `steps` is negative.
        TypeError: a bound is no number, or `steps` no integer.

    Example:
        >>> tl.logspace(0, 2, 3)
        tensor([  1.,  10., 100.])
    """
    element_type = as_dtype(dtype) or (out.dtype if out is not None else dtypes.get_default_dtype())
    bounds = _number(start, "logspace", "start"), _number(end, "logspace", "end")
    if element_type.category == dtypes.INTEGER and steps > 1:  # exponents lose their fractions first
        bounds = int(bounds[0]), int(bounds[1])
    count = _count(steps, "logspace", element_type)

    def numbers(position: Positions) -> Positions:
        with np.errstate(invalid="ignore", over="ignore"):
            return float(base) ** _spaced(*bounds, count, dtypes.float64, position)

    return _delivered(_made_of(numbers, count, element_type, place_of(device, out)), out)


def _spaced(start: Number, end: Number, steps: int, element_type: dtype, position: Positions) -> Positions:
    """Evenly spaced numbers by their positions, rounded where PyTorch rounds them for this dtype."""
    if element_type.category == dtypes.INTEGER:
        start, end = int(start), int(end)
    if steps < 2:
        return position + start
    if element_type in (dtypes.float16, dtypes.bfloat16):  # every single operation is rounded
        first, last, by = _single(start, end, steps, element_type)
        upwards = first + _rounded(by * _rounded(position, element_type), element_type)
        downwards = last - _rounded(by * _rounded(steps - 1 - position, element_type), element_type)
    elif element_type is dtypes.float32:  # in float64 a product of two float32 numbers is exact
        first, last, by = _single(start, end, steps, element_type)
        upwards, downwards = first + by * position, last - by * (steps - 1 - position)
    else:
        gap = float((end - start) / (steps - 1))
        upwards = _multiply_add(gap, position, float(start))
        downwards = _multiply_add(-gap, steps - 1 - position, float(end))
    is_first_half = position < steps // 2
    if isinstance(position, Tensor):
        return upwards.where(is_first_half, downwards)
    return np.where(is_first_half, upwards, downwards)


def _single(start: Number, end: Number, steps: int, element_type: dtype) -> tuple[float, float, float]:
    """Both ends and the step between neighbours, as the dtype rounds them."""
    first, last = float(_rounded(start, element_type)), float(_rounded(end, element_type))
    gap = _rounded(last - first, element_type) / (steps - 1)
    return first, last, float(_rounded(gap, element_type))


def _rounded(values: Any, element_type: dtype) -> Any:
    """float64 numbers rounded to what a floating dtype can hold."""
    if isinstance(values, Tensor):
        return values.to(element_type).to(dtypes.float64)
    single = np.asarray(values, np.float32)
    if element_type is not dtypes.float32:
        single = to_float32(from_float32(single.reshape(-1), element_type), element_type).reshape(
            single.shape
        )
    return single.astype(np.float64)


def _multiply_add(a: float, b: Positions, c: float) -> Positions:
    """``a * b + c`` in float64, rounded once, as the processor's fused instruction does.

    Dekker's and Knuth's error-free products and sums: the rounding errors of the product and of the sum are
    computed exactly and added at the end.
    """
    product = a * b
    split = 2.0**27 + 1
    a_high, b_high = a * split - (a * split - a), b * split - (b * split - b)
    a_low, b_low = a - a_high, b - b_high
    product_error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
    total = product + c
    shadow = total - product
    sum_error = (product - (total - shadow)) + (c - shadow)
    return total + (product_error + sum_error)


@op()
@placing
def eye(
    n: int,
    m: int | None = None,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """A matrix of `n` rows and `m` (or `n`) columns with ones on the diagonal and zeros elsewhere.

    Raises:
        RuntimeError: a size is negative.
        TypeError: a size is no integer.

    Example:
        >>> tl.eye(2, 3, dtype=tl.int64)
        tensor([[1, 0, 0],
                [0, 1, 0]])
    """
    sizes = [as_int(n, "eye(): n"), as_int(n if m is None else m, "eye(): m")]
    for name, size in zip("nm", sizes, strict=True):
        if size < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {size}")
    version = next_version(out)
    result = zeros(sizes, out=out, dtype=dtype, device=device)
    fill(result.diagonal(), 1)
    return counted(result, version)


@op()
@placing
def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: dtype | None = None, device: device | str | None = None
) -> Tensor:
    """The indices of the lower triangle of a matrix: one row of row numbers, one of column numbers.

    Args:
        row, col: the matrix's sizes.
        offset: up to which diagonal: 0 the main one, positive ones above it, negative ones below.
        dtype: the element type; int64.
        device: where to make it; the default device.

    Raises:
        RuntimeError: a size is negative.

    Example:
        >>> tl.tril_indices(2, 2)
        tensor([[0, 1, 1],
                [0, 0, 1]])
    """
    return _triangle_indices(True, row, col, offset, dtype, device)


@op()
@placing
def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: dtype | None = None, device: device | str | None = None
) -> Tensor:
    """The indices of the upper triangle of a matrix: one row of row numbers, one of column numbers.

    Example:
        >>> tl.triu_indices(2, 2)
        tensor([[0, 0, 1],
                [0, 1, 1]])
    """
    return _triangle_indices(False, row, col, offset, dtype, device)


def _triangle_indices(
    lower: bool, row: int, col: int, offset: int, wanted: dtype | None, device: device | str | None
) -> Tensor:
    for name, size in (("row", row), ("col", col)):
        if as_int(size, name) < 0:
            raise RuntimeError(f"{name} must be non-negative, got {size}")
    cells = ones((row, col), dtype=dtypes.bool, device=device)
    diagonal = as_int(offset, "offset")
    side = cells.tril(diagonal) if lower else cells.triu(diagonal)
    found = side.argwhere()
    # Where there is none, a view of one line has a new tensor's strides, and a transpose has not.
    return found.t().flatten().view(2, found.shape[0]).to(as_dtype(wanted) or dtypes.int64)


def _number(value: object, function: str, name: str) -> Number:
    if type(value) is int or type(value) is float:
        return value
    if isinstance(value, (Tensor, np.generic)):
        if value.ndim:
            raise RuntimeError(
                f"{function} only supports 0-dimensional tensors, "
                f"but got {name} with {value.ndim} dimension(s)."
            )
        return value.item()
    if is_number(value):
        return value
    raise TypeError(f"{function}(): {name} must be a number, got {value!r}")


def _count(steps: int, function: str, element_type: dtype) -> int:
    count = as_int(steps, "steps")
    if count < 0:
        raise RuntimeError(f"number of steps must be non-negative, got {count}")
    if count > 1 and element_type is dtypes.bool:
        raise NotImplementedError(f'"{function}" not implemented for bool: ask for another dtype')
    return count


def _made_of(
    numbers: Callable[[Positions], Positions],
    count: int,
    element_type: dtype,
    place: Backend,
    numbered: dtype = dtypes.float64,
    first: int = 0,
    by: int = 1,
) -> Tensor:
    """A tensor of the numbers that a formula makes of their positions.

    Args:
        numbers: what makes numbers of positions in float64 or int64: of an array, or of a tensor.
        count: how many there are.
        element_type: the dtype of the tensor.
        place: where to make it. The host makes some at a time, and a device all.
        numbered: the dtype of the positions.
        first, by: the first position, and how far they are apart.
    """
    if place is not HOST:
        positions = allocate(Size((count,)), numbered, place)
        place.fill(positions._buffer(), count, numbered.cell.type(first), by)
        return as_new(numbers(positions).to(element_type))

    def made(begin: int, end: int) -> np.ndarray:
        if by == 0:  # a step that lost its fraction
            return _cells(np.full(end - begin, first, numbered.cell), element_type)
        # The bound that is left out must fit into the dtype as well.
        stop = first + (end - 1) * by + (1 if by > 0 else -1)
        positions = np.arange(first + begin * by, stop, by, dtype=numbered.cell)
        return _cells(numbers(positions), element_type)

    if count <= BLOCK:
        cells = made(0, count)
    else:
        cells = np.empty(count, element_type.cell)
        for begin in range(0, count, BLOCK):
            end = min(begin + BLOCK, count)
            cells[begin:end] = made(begin, end)
    return from_cells(cells, element_type, Size((count,)))


def _cells(values: np.ndarray, element_type: dtype) -> np.ndarray:
    """The cells of another dtype that hold float64 or int64 numbers."""
    if element_type.category == dtypes.FLOATING and element_type.itemsize == 2:
        return encode(values.tolist(), element_type)
    return values.astype(element_type.cell, copy=False)


def _delivered(result: Tensor, out: Tensor | None) -> Tensor:
    return result if out is None else written(out, result)
