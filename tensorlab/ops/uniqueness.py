"""Distinct elements, and how many there are of each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.backends import IndexLayout
from tensorlab.core import dtypes
from tensorlab.core.cells import from_float32
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size, as_int, default_strides
from tensorlab.ops import conversion, dims
from tensorlab.ops.aliases import as_own
from tensorlab.ops.argreduce import aminmax
from tensorlab.ops.arguments import need_tensor, numpy_names
from tensorlab.ops.from_data import tensor
from tensorlab.ops.indexing.index_plan import raw_type
from tensorlab.ops.kth import comparable
from tensorlab.ops.ranking import order
from tensorlab.ops.reduce import as_flag, as_one_dim
from tensorlab.ops.sorting import BATCH, sortable
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_dense


def _refusing(node: str, name: str) -> Any:
    """A kind of node that the backward pass cannot go through."""

    def refuse(grad: Tensor) -> Tensor:
        raise NotImplementedError(
            f"the derivative for '{name}' is not implemented. Which elements are distinct does not follow "
            f"smoothly from them: detach() them first"
        )

    return formulas(node, input=refuse)


Unique2Backward0 = _refusing("Unique2Backward0", "_unique2")
UniqueDimBackward0 = _refusing("UniqueDimBackward0", "unique_dim")
UniqueConsecutiveBackward0 = _refusing("UniqueConsecutiveBackward0", "unique_consecutive")


@op("function method")
@numpy_names
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct elements in order; with `dim`, the distinct slices along a dimension.

    NaN equals nothing: each stays.

    Args:
        input: a tensor of any shape.
        sorted: accepted as in PyTorch; the results are in order here in any case.
        return_inverse: return as well where each element of `input` stands among the results.
        return_counts: return as well how often each result occurs.
        dim: the dimension whose slices are compared; without it elements are.

    Returns:
        the distinct elements, or a tuple of them, the inverse if it is wanted, and the counts if they are.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: with `dim`, another dimension has no elements.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([3, 1, 2, 1])
        >>> x.unique()
        tensor([1, 2, 3])
        >>> tl.unique(x, return_inverse=True, return_counts=True)
        (tensor([1, 2, 3]), tensor([2, 0, 1, 0]), tensor([2, 1, 1]))
    """
    for name, flag in (
        ("sorted", sorted), ("return_inverse", return_inverse), ("return_counts", return_counts)
    ):  # fmt: skip
        as_flag("unique", flag, name)
    keys, shape, position = _slices("unique", input, dim)
    if position is None:
        parts = _distinct(input, keys, return_inverse, return_counts)
        if parts is not None:
            return _results(Unique2Backward0, input, *parts)
        taken = order(keys, dtypes.from_numpy_dtype(keys.dtype), False)
    else:
        taken = np.empty(len(keys), np.int64)
        input._storage.backend.order_rows(_rows(keys), taken)
    kind = Unique2Backward0 if position is None else UniqueDimBackward0
    return _runs(kind, input, keys, taken, shape, position, return_inverse, return_counts)


@op("function method")
@numpy_names
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The elements without those that equal the one before. The arguments are those of `unique`.

    Example:
        >>> import tensorlab as tl
        >>> tl.unique_consecutive(tl.tensor([1, 1, 2, 2, 1]))
        tensor([1, 2, 1])
    """
    keys, shape, position = _slices("unique_consecutive", input, dim)
    kind = UniqueConsecutiveBackward0
    if position is None:
        return _results(kind, input, *_taken(keys, input, return_inverse, return_counts))
    taken = np.arange(len(keys))
    return _runs(kind, input, keys, taken, shape, position, return_inverse, return_counts)


def _slices(name: str, input: Tensor, dim: int | None) -> tuple[np.ndarray, Size, int | None]:
    """What is compared, along the first dimension; the shape of the inverse; and the dimension."""
    need_tensor(name, input)
    if dim is None:
        return sortable(input).reshape(-1), input.shape, None
    position = as_one_dim(name, dim, input)
    if any(size == 0 for other, size in enumerate(input.shape) if other != position):
        raise RuntimeError(
            f"There are 0 sized dimensions, and they aren't selected, so {name} cannot be applied: the shape "
            f"is {tuple(input.shape)}, and the slices along dimension {position} have no elements"
        )
    keys = sortable(input).reshape(input.shape or (1,))
    return np.moveaxis(keys, position, 0), Size((keys.shape[position],)), position


# The distinct elements, as numbers that NumPy orders; where each element stands among them, and how often
# each occurs: None where nobody asks.
Parts = tuple[np.ndarray, np.ndarray | None, np.ndarray | None]


def _distinct(input: Tensor, keys: np.ndarray, return_inverse: bool, return_counts: bool) -> Parts | None:
    """The distinct elements in order; None where an order of places is needed for that."""
    if not return_inverse:
        zero = _first_zero(keys)
        ordered = np.array(keys)
        ordered.sort()
        values, _, counts = _taken(ordered, input, False, return_counts, into=ordered)
        if zero is not None:  # of equal elements the first one is taken, and the zeros may differ in sign
            values[np.searchsorted(values, 0)] = zero
        return values, None, counts
    if not keys.size:
        return keys, np.empty(input.shape, np.int64), np.empty(0, np.int64) if return_counts else None
    cells = np.ascontiguousarray(input._cells_array()).reshape(-1).view(raw_type(input._dtype))
    inverse = np.empty(cells.size, np.int64)
    found = input._storage.backend.distinct(cells, input._dtype, inverse, return_counts)
    if found is None:
        return None
    values, counts = found
    numbers = comparable(values.view(input._dtype.cell), input._dtype)
    return numbers, inverse.reshape(input.shape), counts if return_counts else None


def _first_zero(keys: np.ndarray) -> Any:
    """The first zero of a vector of floats, which has a sign; None if there is none."""
    if keys.dtype.kind == "f":
        for start in range(0, keys.size, BATCH):
            part = keys[start : start + BATCH]
            zeros = np.flatnonzero(part == 0)
            if zeros.size:
                return part[zeros[0]]
    return None


def _taken(
    keys: np.ndarray,
    input: Tensor,
    return_inverse: bool,
    return_counts: bool,
    into: np.ndarray | None = None,
) -> Parts:
    """The first of each run of equal elements as they stand; written over `into` if it is given."""
    found = input._storage.backend.count_runs(keys)
    values = np.empty(found, keys.dtype) if into is None else into
    counts = np.empty(found if return_counts else 0, np.int64)
    runs = np.empty(keys.size if return_inverse else 0, np.int64)
    if found:
        input._storage.backend.take_runs(keys, values, counts, runs)
    if into is not None:
        values.resize(found, refcheck=False)  # gives the rest of its memory back
    return values, runs.reshape(input.shape) if return_inverse else None, counts if return_counts else None


def _results(
    kind: Any,
    input: Tensor,
    values: np.ndarray,
    inverse: np.ndarray | None,
    counts: np.ndarray | None,
) -> Any:
    """What a call returns for the elements of a tensor."""
    results = [_tensor_of(values, input._dtype)]
    record(kind, results[0], input)
    results += [_tensor_of(part, dtypes.int64) for part in (inverse, counts) if part is not None]
    return tuple(results) if len(results) > 1 else results[0]


def _rows(keys: np.ndarray) -> np.ndarray:
    """Each slice as a row."""
    return keys.reshape(len(keys), math.prod(keys.shape[1:]))


def _runs(
    kind: Any,
    input: Tensor,
    keys: np.ndarray,
    taken: np.ndarray,
    shape: Size,
    dim: int | None,
    return_inverse: bool,
    return_counts: bool,
) -> Any:
    """The first of each run of equal slices, when they are taken in an order."""
    begins = np.empty(len(keys), bool)
    input._storage.backend.row_runs(_rows(keys), taken, begins)
    found = keys[taken[begins]]
    if dim and not found.size:  # PyTorch lays out what has no elements in row-major order
        found = np.moveaxis(found, 0, dim)
    results: list[Tensor] = [_tensor_of(found, input.dtype)]
    if dim and found.size:
        results[0] = as_own(dims.movedim(results[0], 0, dim))
    record(kind, results[0], input)
    if return_inverse:
        inverse = np.empty(len(keys), np.int64)
        inverse[taken] = np.cumsum(begins) - 1
        results.append(_tensor_of(inverse.reshape(shape), dtypes.int64))
    if return_counts:
        starts = np.append(np.flatnonzero(begins), len(keys))
        results.append(_tensor_of(np.diff(starts), dtypes.int64))
    return tuple(results) if len(results) > 1 else results[0]


def _tensor_of(values: np.ndarray, element_type: dtype) -> Tensor:
    if element_type in (dtypes.float16, dtypes.bfloat16):
        values = from_float32(values, element_type)
    cells = np.asarray(values, element_type.cell, order="C")
    return make_dense(cells.reshape(-1), element_type, Size(values.shape), default_strides(values.shape))


@op("function method")
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each of 0, 1, 2, … occurs; with `weights`, what the occurrences weigh together.

    Args:
        input: a tensor of one dimension, of integers that are not negative.
        weights: a tensor of `input`'s length.
        minlength: the least number of results.

    Returns:
        an int64 tensor as long as the greatest element asks for; of float32 or float64 with weights.

    Raises:
        NotImplementedError: the elements are no integers.
        RuntimeError: one is negative, or an argument does not fit.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([1, 1, 3]).bincount()
        tensor([0, 2, 0, 1])
        >>> tl.tensor([1, 1, 3]).bincount(tl.tensor([0.5, 1.0, 2.0]))
        tensor([0.0000, 1.5000, 0.0000, 2.0000])
    """
    minlength = as_int(minlength, "bincount(): minlength")
    if need_tensor("bincount", input).dtype.category != dtypes.INTEGER:
        raise NotImplementedError(f"bincount() is not implemented for {input.dtype.name}: it counts integers")
    if minlength < 0:
        raise RuntimeError(f"minlength should be >= 0, got {minlength}")
    numbers = input._cells_array()
    some = input.ndim == 1 and numbers.size
    least, greatest = (bound.item() for bound in aminmax(input)) if some else (0, -1)
    if input.ndim != 1 or least < 0:
        raise RuntimeError(
            f"bincount only supports 1-d non-negative integral inputs: the shape is {tuple(input.shape)}"
            + (f", the least element {least}" if some else "")
        )
    length = max(minlength, int(greatest) + 1)
    if weights is None:
        return _added(input, tensor(1), length)
    if weights.shape != input.shape:
        raise RuntimeError(
            f"weights should be 1-d and have the same length as input, which is {input.shape[0]}: "
            f"their shape is {tuple(weights.shape)}"
        )
    result = weights.dtype if weights.dtype is dtypes.float32 else dtypes.float64
    if numbers.size == 0:
        return _tensor_of(np.zeros(minlength), dtypes.int64 if not minlength else result)
    return conversion.to(_added(input, conversion.to(weights, dtypes.float64), length), result)


def _added(numbers: Tensor, weights: Tensor, length: int) -> Tensor:
    """What the occurrences of each of 0, 1, … weigh together; `weights` has one for each, or one for all."""
    backend = numbers._storage.backend
    sums = backend.allocate_zeros(length, weights._dtype.cell)
    step, index = weights._stride or (0,), IndexLayout(numbers._stride, length, 1)
    add = backend.indexed("add", tuple(numbers._shape), (0,), step, (index,))
    add((sums, 0), weights._buffer(), numbers._buffer())
    return make_dense(sums, weights._dtype, Size((length,)), (1,))
