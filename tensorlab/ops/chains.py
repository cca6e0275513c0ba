"""The product of a chain of matrices, in the order that takes the fewest multiplications."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tensorlab.ops.outputs import written
from tensorlab.ops.products import product
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op()
def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """The product of two or more matrices, multiplied in the order that takes the fewest multiplications.

    The first may be a row vector and the last a column vector: they have one dimension, and the result lacks
    it.

    Raises:
        RuntimeError: there are fewer than two, or the shapes do not fit.

    Example:
        >>> import tensorlab as tl
        >>> tl.chain_matmul(tl.ones(2, 3), tl.ones(3, 4), tl.ones(4, 5)).shape
        tensorlab.Size([2, 5])
    """
    if len(matrices) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(matrices)}")
    last = len(matrices) - 1
    for position, matrix in enumerate(matrices):
        if matrix.ndim != 2 and not (matrix.ndim == 1 and position in (0, last)):
            which = {0: "the first tensor must be 1D or 2D", last: "the last tensor must be 1D or 2D"}
            raise RuntimeError(
                f"multi_dot(): {which.get(position, f'tensor {position} must be 2D')} but got {matrix.ndim}D"
            )
    for position, (left, right) in enumerate(pairwise(matrices)):
        if left.shape[-1] != right.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {position} and {position + 1} with shapes {list(left.shape)} and "
                f"{list(right.shape)} cannot be multiplied"
            )
    sizes = [
        matrices[0].shape[0] if matrices[0].ndim == 2 else 1,
        *(matrix.shape[0] for matrix in matrices[1:]),
    ]
    sizes.append(matrices[-1].shape[1] if matrices[-1].ndim == 2 else 1)
    cuts = best_cuts(sizes)

    def multiplied(first: int, last: int) -> Tensor:
        if first == last:
            return matrices[first]
        cut = cuts[first, last]
        return product(multiplied(first, cut), multiplied(cut + 1, last))

    result = multiplied(0, last)
    return result if out is None else written(out, result, exact=True)


def best_cuts(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Where to cut each run of a chain of matrices, so that the fewest multiplications are needed.

    Args:
        sizes: matrix `i` is of shape (sizes[i], sizes[i + 1]).

    Returns:
        for each run of matrices `first` … `last` the last one of its left part.

    Example:
        >>> best_cuts([10, 1000, 2, 1000])  # (A B) C takes 40 000 multiplications, A (B C) 12 000 000
        {(0, 1): 0, (1, 2): 1, (0, 2): 1}
    """
    count = len(sizes) - 1
    costs = {(i, i): 0 for i in range(count)}
    cuts = {}
    for length in range(1, count):
        for first in range(count - length):
            last = first + length
            costs[first, last], cuts[first, last] = min(
                (
                    costs[first, cut]
                    + costs[cut + 1, last]
                    + sizes[first] * sizes[cut + 1] * sizes[last + 1],
                    cut,
                )
                for cut in range(first, last)
            )
    return cuts
