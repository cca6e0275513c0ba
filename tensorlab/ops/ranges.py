"""New tensors by a rule: evenly spaced numbers, the identity, and the indices of triangles."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tensorlab.core import dtypes
from tensorlab.core.cells import encode, from_float32, to_float32
from tensorlab.core.devices import device
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size, as_int
from tensorlab.core.size import size_of_ints
from tensorlab.dispatch.copies import fill
from tensorlab.dispatch.memory import counted, next_version
from tensorlab.dispatch.operands import Number, is_number
from tensorlab.ops.arguments import as_dtype, tensor_options
from tensorlab.ops.creation import zeros
from tensorlab.ops.from_data import from_cells, inferred_dtype
from tensorlab.ops.outputs import written
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_dense

# Numbers that are made at a time: with all that is between, they take half a megabyte of float64.
BLOCK = 8192


@op()
@tensor_options
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
    if (
        type(start) is int
        and type(end) is int
        and type(step) is int
        and dtype is None
        and out is None
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
    return _delivered(_made_of(*_counted(first, last, by, element_type), element_type), out)


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


def _counted(
    first: Number, last: Number, by: Number, element_type: dtype
) -> tuple[Callable[[int, int], np.ndarray], int]:
    """The numbers of `arange`, as a function of where to begin and to end, and how many there are.

    Fractions lose themselves before they are counted in int64, and afterwards in narrower integers.
    """
    if type(first) is type(last) is type(by) is int:
        count = len(range(first, last, by))

        def numbers(begin: int, end: int) -> np.ndarray:
            stop = last if end == count else first + end * by
            return np.arange(first + begin * by, stop, by, dtype=np.int64)

    else:
        count = math.ceil((last - first) / by)
        kind = int if element_type.category == dtypes.INTEGER else float
        first, by = kind(first), kind(by)

        def numbers(begin: int, end: int) -> np.ndarray:
            return first + np.arange(begin, end, dtype=kind) * by

    return numbers, count


@op()
@tensor_options
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

    def numbers(begin: int, end: int) -> np.ndarray:
        return _spaced(*bounds, count, element_type, begin, end)

    return _delivered(_made_of(numbers, count, element_type), out)


@op()
@tensor_options
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

    def numbers(first: int, last: int) -> np.ndarray:
        with np.errstate(invalid="ignore", over="ignore"):
            return np.float64(base) ** _spaced(*bounds, count, dtypes.float64, first, last)

    return _delivered(_made_of(numbers, count, element_type), out)


def _spaced(start: Number, end: Number, steps: int, element_type: dtype, begin: int, stop: int) -> np.ndarray:
    """Numbers `begin` to `stop` of evenly spaced ones, rounded where PyTorch rounds them for this dtype."""
    if element_type.category == dtypes.INTEGER:
        start, end = int(start), int(end)
    if steps < 2:
        return np.full(steps, start, np.float64)
    position = np.arange(begin, stop, dtype=np.float64)
    if element_type.itemsize == 2:  # every single operation is rounded
        first, last = _rounded(start, element_type), _rounded(end, element_type)
        step = _rounded(_rounded(last - first, element_type) / (steps - 1), element_type)
        upwards = first + _rounded(step * _rounded(position, element_type), element_type)
        downwards = last - _rounded(step * _rounded(steps - 1 - position, element_type), element_type)
    elif element_type is dtypes.float32:  # in float64 a product of two float32 numbers is exact
        first, last = _rounded(start, element_type), _rounded(end, element_type)
        step = _rounded(_rounded(last - first, element_type) / (steps - 1), element_type)
        upwards, downwards = first + step * position, last - step * (steps - 1 - position)
    else:
        gap = np.float64((end - start) / (steps - 1))
        upwards = _multiply_add(gap, position, np.float64(start))
        downwards = _multiply_add(-gap, steps - 1 - position, np.float64(end))
    return np.where(position < steps // 2, upwards, downwards)


def _rounded(values: np.ndarray | Number, element_type: dtype) -> np.ndarray:
    """float64 numbers rounded to what a floating dtype can hold."""
    single = np.asarray(values, np.float32)
    if element_type is not dtypes.float32:
        single = to_float32(from_float32(single.reshape(-1), element_type), element_type).reshape(
            single.shape
        )
    return single.astype(np.float64)


def _multiply_add(a: np.float64, b: np.ndarray, c: np.float64) -> np.ndarray:
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
@tensor_options
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
@tensor_options
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
    return _triangle_indices(True, row, col, offset, dtype)


@op()
@tensor_options
def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: dtype | None = None, device: device | str | None = None
) -> Tensor:
    """The indices of the upper triangle of a matrix: one row of row numbers, one of column numbers.

    Example:
        >>> tl.triu_indices(2, 2)
        tensor([[0, 0, 1],
                [0, 1, 1]])
    """
    return _triangle_indices(False, row, col, offset, dtype)


def _triangle_indices(lower: bool, row: int, col: int, offset: int, wanted: dtype | None) -> Tensor:
    for name, size in (("row", row), ("col", col)):
        if as_int(size, name) < 0:
            raise RuntimeError(f"{name} must be non-negative, got {size}")
    element_type, offset = as_dtype(wanted) or dtypes.int64, as_int(offset, "offset")
    diagonal = np.clip(np.arange(row, dtype=np.int64) + offset + lower, 0, col)
    spans = (
        [(0, end) for end in diagonal.tolist()] if lower else [(begin, col) for begin in diagonal.tolist()]
    )
    found = np.empty((2, sum(end - begin for begin, end in spans)), element_type.cell)
    last = 0
    for number, (begin, end) in enumerate(spans):
        first, last = last, last + end - begin
        found[0, first:last] = encode([number], element_type)
        found[1, first:last] = _cells(np.arange(begin, end), element_type)
    return from_cells(found, element_type, Size(found.shape))


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


def _made_of(numbers: Callable[[int, int], np.ndarray], count: int, element_type: dtype) -> Tensor:
    """A tensor of `count` float64 or int64 numbers as another dtype; ``numbers(begin, end)`` makes some."""
    if count <= BLOCK:
        cells = _cells(numbers(0, count), element_type)
    else:
        cells = np.empty(count, element_type.cell)
        for begin in range(0, count, BLOCK):
            end = min(begin + BLOCK, count)
            cells[begin:end] = _cells(numbers(begin, end), element_type)
    return from_cells(cells, element_type, Size((count,)))


def _cells(values: np.ndarray, element_type: dtype) -> np.ndarray:
    """The cells of another dtype that hold float64 or int64 numbers."""
    if element_type.category == dtypes.FLOATING and element_type.itemsize == 2:
        return encode(values.tolist(), element_type)
    return values.astype(element_type.cell, copy=False)


def _delivered(result: Tensor, out: Tensor | None) -> Tensor:
    return result if out is None else written(out, result.to(out.device))
