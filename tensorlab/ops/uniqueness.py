"""Distinct elements, and how many there are of each."""

from __future__ import annotations

import math
from typing import Any

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.core import dtypes
from tensorlab.core.layout import as_int
from tensorlab.ops.aliases import as_own
from tensorlab.ops.creation import ones
from tensorlab.ops.joining import cat
from tensorlab.ops.ranges import arange
from tensorlab.ops.reduce import as_flag, as_one_dim
from tensorlab.registry import op
from tensorlab.tensor import Tensor


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
    slices = _slices("unique", input, dim)
    ordered, order = _in_order(slices)
    kind = Unique2Backward0 if dim is None else UniqueDimBackward0
    return _runs(kind, input, ordered, order, dim, return_inverse, return_counts)


@op("function method")
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The elements without those that equal the one before. The arguments are those of `unique`.

    Example:
        >>> tl.unique_consecutive(tl.tensor([1, 1, 2, 2, 1]))
        tensor([1, 2, 1])
    """
    slices = _slices("unique_consecutive", input, dim)
    return _runs(UniqueConsecutiveBackward0, input, slices, None, dim, return_inverse, return_counts)


def _slices(name: str, input: Tensor, dim: int | None) -> Tensor:
    """What is compared: all elements as a vector, or the slices along a dimension as rows of a matrix."""
    input = input.detach()
    if dim is None:
        return input.reshape((-1,))
    position = as_one_dim(name, dim, input)
    if any(size == 0 for other, size in enumerate(input.shape) if other != position):
        raise RuntimeError(
            f"There are 0 sized dimensions, and they aren't selected, so {name} cannot be applied: the shape "
            f"is {tuple(input.shape)}, and the slices along dimension {position} have no elements"
        )
    slices = input.movedim(position, 0) if input.ndim else input.reshape((1,))
    return slices.reshape((slices.shape[0], math.prod(slices.shape[1:])))


def _in_order(slices: Tensor) -> tuple[Tensor, Tensor]:
    """Elements or rows in order, and where each stood. The first elements in which rows differ decide."""
    if slices.ndim == 1:
        values, order = slices.sort(stable=True)
        return values, order
    order = arange(slices.shape[0], device=slices.device)
    for column in reversed(slices.unbind(1)):  # an order by a column keeps what the later columns say
        order = order[column[order].argsort(stable=True)]
    return slices[order], order


def _runs(
    kind: Any,
    input: Tensor,
    slices: Tensor,
    order: Tensor | None,
    dim: int | None,
    return_inverse: bool,
    return_counts: bool,
) -> Any:
    """The first of each run of equal slices. `order` says where each of them stood, if not as they stand."""
    count = slices.shape[0]
    begins = ones(count, dtype=dtypes.bool, device=slices.device)
    if count > 1:
        differ = slices[1:] != slices[:-1]
        begins[1:] = differ if differ.ndim == 1 else differ.any(1)
    result = slices[begins]
    if dim is not None and input.ndim:
        position = dim % input.ndim
        others = [size for other, size in enumerate(input.shape) if other != position]
        result = result.reshape((result.shape[0], *others)).movedim(0, position)
        if not result.numel():  # PyTorch lays out what has no elements in row-major order
            result = input.new_zeros(result.shape)
    results = [as_own(result)]
    record(kind, results[0], input)
    if return_inverse:
        inverse = begins.cumsum(0) - 1
        if order is not None:
            inverse = inverse.scatter(0, order, inverse)
        results.append(as_own(inverse.reshape(input.shape if dim is None else (count,))))
    if return_counts:
        starts = arange(count, device=slices.device).masked_select(begins)
        results.append(cat([starts[1:], starts.new_full((min(count, 1),), count)]) - starts)
    return tuple(results) if len(results) > 1 else results[0]


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
        >>> tl.tensor([1, 1, 3]).bincount()
        tensor([0, 2, 0, 1])
        >>> tl.tensor([1, 1, 3]).bincount(tl.tensor([0.5, 1.0, 2.0]))
        tensor([0.0000, 1.5000, 0.0000, 2.0000])
    """
    minlength = as_int(minlength, "bincount(): minlength")
    if input.dtype.category != dtypes.INTEGER:
        raise NotImplementedError(f"bincount() is not implemented for {input.dtype.name}: it counts integers")
    if minlength < 0:
        raise RuntimeError(f"minlength should be >= 0, got {minlength}")
    some = input.ndim == 1 and input.numel()
    least, greatest = (bound.item() for bound in input.aminmax()) if some else (0, -1)
    if input.ndim != 1 or least < 0:
        raise RuntimeError(
            f"bincount only supports 1-d non-negative integral inputs: the shape is {tuple(input.shape)}"
            + (f", the least element {least}" if some else "")
        )
    length = max(minlength, int(greatest) + 1)
    if weights is None:
        return _added(input, input.new_ones((), dtype=dtypes.int64), length)
    if weights.shape != input.shape:
        raise RuntimeError(
            f"weights should be 1-d and have the same length as input, which is {input.shape[0]}: "
            f"their shape is {tuple(weights.shape)}"
        )
    result = weights.dtype if weights.dtype is dtypes.float32 else dtypes.float64
    if not input.numel():
        return weights.new_zeros(minlength, dtype=dtypes.int64 if not minlength else result)
    return _added(input, weights.to(dtypes.float64), length).to(result)


def _added(numbers: Tensor, weights: Tensor, length: int) -> Tensor:
    """What the occurrences of each of 0, 1, … weigh together; `weights` has one for each, or one for all."""
    index = numbers.to(dtypes.int64)
    return weights.new_zeros(length).index_add_(0, index, weights.expand(index.shape))
