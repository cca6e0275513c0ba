"""Tensors put together in every way: pairs, choices, powers, and blocks along a diagonal."""

from __future__ import annotations

import numpy as np

from tensorlab.core import dtypes
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.creation import ones_like, zeros
from tensorlab.ops.interop import from_numpy
from tensorlab.ops.joining import cat, stack
from tensorlab.ops.padding import constant_pad_nd
from tensorlab.ops.rearranging import meshgrid
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op()
def block_diag(*tensors: Tensor) -> Tensor:
    """A matrix with the given ones along its diagonal, and zeros elsewhere.

    Args:
        tensors: of up to two dimensions. A vector is a row, and a number a matrix of one element.

    Returns:
        a matrix of the promoted dtype, with as many rows and columns as all of them have together.

    Raises:
        RuntimeError: a tensor has more than two dimensions.

    Example:
        >>> tl.block_diag(tl.tensor([[1, 2], [3, 4]]), tl.tensor([5, 6]))
        tensor([[1, 2, 0, 0],
                [3, 4, 0, 0],
                [0, 0, 5, 6]])
    """
    blocks = []
    for place, tensor in enumerate(tensors):
        if need_tensor("block_diag", tensor, f"tensors[{place}]").ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {place} has "
                f"{tensor.ndim} dimensions"
            )
        blocks.append(tensor if tensor.ndim == 2 else tensor.reshape((1, tensor.numel())))
    if not blocks:
        return zeros(1, 0)
    width = sum(block.shape[1] for block in blocks)
    rows, left = [], 0
    for block in blocks:
        rows.append(constant_pad_nd(block, (left, width - left - block.shape[1])))
        left += block.shape[1]
    return cat(rows, 0)


@op()
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Every way to take one element of each vector; the last one's elements change fastest.

    Args:
        tensors: vectors of one dtype.

    Returns:
        one row a choice, one column a vector. Of one vector, that vector.

    Raises:
        RuntimeError: there are no tensors, one is no vector, or the dtypes differ.

    Example:
        >>> tl.cartesian_prod(tl.tensor([1, 2]), tl.tensor([7, 8, 9])).tolist()
        [[1, 7], [1, 8], [1, 9], [2, 7], [2, 8], [2, 9]]
    """
    for tensor in tensors:
        _need_vector("cartesian_prod", tensor)
    if len(tensors) == 1:
        return tensors[0]
    return stack([grid.flatten() for grid in meshgrid(*tensors, indexing="ij")], 1)


@op()
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Every choice of `r` elements of a vector, in the order in which they stand there.

    Args:
        input: a vector.
        r: how many elements to choose.
        with_replacement: whether an element may be chosen more than once.

    Returns:
        one row a choice, `r` columns; for an `r` of 0, a vector without elements.

    Raises:
        RuntimeError: `input` is no vector, or `r` is negative.

    Example:
        >>> tl.combinations(tl.tensor([5, 6, 7])).tolist()
        [[5, 6], [5, 7], [6, 7]]
        >>> tl.combinations(tl.tensor([5, 6]), with_replacement=True).tolist()
        [[5, 5], [5, 6], [6, 6]]
    """
    _need_vector("combinations", input)
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}: it is how many elements to choose")
    if r == 0:
        return input.new_empty(0)
    places = _choices(input.shape[0], r, 0 if with_replacement else 1)
    return stack([input.index_select(0, from_numpy(column).to(input.device)) for column in places], 1)


def _choices(count: int, r: int, step: int) -> list[np.ndarray]:
    """For each of `r` columns the places that are chosen, each at least `step` behind the one before."""
    columns = [np.arange(count)]
    for _ in range(r - 1):
        first = columns[-1] + step
        follow = np.maximum(count - first, 0)  # how many places can come next
        ends = np.cumsum(follow)
        rows = np.repeat(np.arange(len(first)), follow)
        beyond = np.arange(len(rows)) - np.repeat(ends - follow, follow)
        columns = [column[rows] for column in columns] + [first[rows] + beyond]
    return columns


def _need_vector(name: str, tensor: Tensor) -> None:
    if tensor.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(tensor.shape)}")


@op()
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of each element, a row each: a Vandermonde matrix.

    Args:
        x: a vector.
        N: how many powers, from 0 on; as many as `x` has elements without it.
        increasing: begin with the power 0; without it the powers fall from left to right.

    Returns:
        a matrix of N columns; of integers and bools, int64.

    Raises:
        RuntimeError: `x` is no vector, or `N` is negative.

    Example:
        >>> tl.vander(tl.tensor([1, 2, 3]), increasing=True)
        tensor([[1, 1, 1],
                [1, 2, 4],
                [1, 3, 9]])
    """
    if x.ndim != 1:
        raise RuntimeError(f"x must be a one-dimensional tensor, got shape {tuple(x.shape)}")
    count = x.shape[0] if N is None else N
    if count < 0:
        raise RuntimeError(f"N must be non-negative, got {N}")
    result = powers(x, count)
    return result if increasing else result.flip((1,))


def powers(x: Tensor, count: int) -> Tensor:
    """The powers of each element from 0 on, along a new last dimension."""
    column = (x if x._dtype.is_floating_point else x.to(dtypes.int64)).unsqueeze(-1)
    if count == 0:
        return column.new_empty((*x.shape, 0))
    repeated = column.expand((*x.shape, count - 1))
    return cat([ones_like(column), repeated.cumprod(-1)], -1)
