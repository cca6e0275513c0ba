"""Matrix products of any rank, without the numbers: what shape comes out, and what it costs.

The last two dimensions of an operand are a matrix, the ones before it are a batch, and batches are broadcast.
A vector is a matrix for the time of the product. Like `tensorlab.core.layout`, pure functions of integers.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.core import broadcasting, layout
from tensorlab.core.layout import Size

__all__ = ["matmul_cost", "matmul_shape"]


def matmul_shape(a: Sequence[int], b: Sequence[int]) -> Size:
    """The shape of the product of tensors of the shapes `a` and `b`.

    Two vectors give no dimension. A vector on the left is a row, one on the right a column, and that
    dimension is not in the result.

    Raises:
        RuntimeError: the inner sizes differ, the leading sizes cannot be broadcast, or a shape is ().

    Example:
        >>> matmul_shape((2, 1, 3, 4), (5, 4, 6)), matmul_shape((3,), (2, 3, 4))
        (tensorlab.Size([2, 5, 3, 6]), tensorlab.Size([2, 4]))
    """
    if not a or not b:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {len(a)}D and {len(b)}D: "
            f"to scale a tensor write a * b"
        )
    _check_inner(a, b)
    batch = broadcasting.broadcast_shapes(a[:-2], b[:-2])
    return Size((*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ())))


def matmul_cost(a: Sequence[int], b: Sequence[int], itemsize: int) -> tuple[int, int]:
    """What a product of tensors of the shapes `a` and `b` takes at the least.

    Each element of the result is a sum of as many products as the inner size says. A matrix that is broadcast
    takes part in several products, and is one matrix in memory.

    Args:
        itemsize: the bytes of one element.

    Returns:
        the multiplications and additions, counted as two for each pair of elements that is multiplied; and
        the bytes, when each operand is read once and the result is written once.

    Raises:
        RuntimeError: there is no such product; see `matmul_shape`.

    Example:
        >>> matmul_cost((10, 2, 3), (3, 4), 4)
        (480, 608)
    """
    elements = layout.numel(matmul_shape(a, b))
    return 2 * elements * a[-1], itemsize * (layout.numel(a) + layout.numel(b) + elements)


def _check_inner(a: Sequence[int], b: Sequence[int]) -> None:
    k = a[-1]
    if len(b) == 1:
        if k == b[0]:
            return
        if len(a) == 1:
            raise RuntimeError(
                f"inconsistent tensor size, expected tensor [{k}] and src [{b[0]}] to have the same "
                f"number of elements, but got {k} and {b[0]} elements respectively: the length of the first "
                f"must equal that of the second"
            )
        raise RuntimeError(
            f"size mismatch, got input ({a[-2]}), mat ({a[-2]}x{k}), vec ({b[0]}): the last size of the "
            f"matrix, {k}, must equal the length of the vector, {b[0]}"
        )
    if k != b[-2]:
        m = a[-2] if len(a) > 1 else 1
        shapes = "" if len(a) == len(b) == 2 else f"; the shapes are {tuple(a)} and {tuple(b)}"
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({m}x{k} and {b[-2]}x{b[-1]}): the last "
            f"size of the first, {k}, must equal the second-to-last size of the second, {b[-2]}{shapes}"
        )
