"""Memory formats: the dense layouts that are not row-major, and which one a result gets.

Like `tensorlab.layout`, pure functions of integers.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.layout import default_strides, is_contiguous

__all__ = ["channels_last_strides", "elementwise_strides", "is_channels_last", "is_non_overlapping_and_dense"]


def channels_last_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of a dense batch of images (N, C, H, W), or volumes (N, C, D, H, W), channels innermost.

    Example:
        >>> channels_last_strides((2, 3, 4, 5))
        (60, 1, 15, 3)
    """
    order = (1, *range(len(shape) - 1, 1, -1), 0)
    strides = [0] * len(shape)
    step = 1
    for dim in order:
        strides[dim] = step
        step *= max(shape[dim], 1)
    return tuple(strides)


def is_channels_last(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """True when a 4- or 5-dimensional layout is dense with its channels innermost.

    Example:
        >>> is_channels_last((2, 3, 4, 5), (60, 1, 15, 3)), is_channels_last((2, 3, 4, 5), (60, 20, 5, 1))
        (True, False)
    """
    expected = 1
    for dim in (1, *range(len(shape) - 1, 1, -1), 0):
        if shape[dim] != 1:
            if strides[dim] != expected:
                return False
            expected *= shape[dim]
    return True


def is_non_overlapping_and_dense(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """True when the elements fill a run of cells without gaps, each cell once, in whatever order.

    Example:
        >>> is_non_overlapping_and_dense((3, 2), (1, 3)), is_non_overlapping_and_dense((3, 2), (4, 1))
        (True, False)
    """
    expected = 1
    for stride, size in sorted(
        (stride, size) for size, stride in zip(shape, strides, strict=True) if size != 1
    ):
        if size == 0:
            return True
        if stride != expected:
            return 0 in shape
        expected *= size
    return True


def elementwise_strides(
    shape: Sequence[int], operands: Sequence[Sequence[int]], broadcast: bool = False
) -> tuple[int, ...]:
    """The strides of a new dense tensor for the result of an elementwise operation.

    The result is laid out like its operands, so that the walk suits them: the dimensions are sorted by the
    operands' strides, the first operand deciding, and made dense in that order. Row-major operands give a
    row-major result, transposed ones a transposed one. Dimensions along which an operand is broadcast
    (stride 0) are left to the other operands. This is PyTorch's rule, down to ties.

    Args:
        shape: the result's shape.
        operands: the strides of each operand, broadcast to `shape`.
        broadcast: whether an operand's own shape is another.

    Example:
        >>> elementwise_strides((3, 4), [(1, 3), (1, 3)]), elementwise_strides((3, 4), [(1, 3), (4, 1)])
        ((1, 3), (1, 3))
    """
    ndim = len(shape)
    if not broadcast:
        if all(is_contiguous(shape, strides) for strides in operands):
            return default_strides(shape)
        if ndim == 4 and all(is_channels_last(shape, strides) for strides in operands):
            return channels_last_strides(shape)
        first = tuple(operands[0])
        if all(tuple(strides) == first for strides in operands) and is_non_overlapping_and_dense(
            shape, first
        ):
            return first
    order = list(range(ndim - 1, -1, -1))  # dimensions from the fastest to the slowest
    for unsorted in range(1, ndim):
        position = unsorted
        for other in range(unsorted - 1, -1, -1):
            comparison = _compare_dims(shape, operands, order[other], order[position])
            if comparison > 0:
                order[other], order[position] = order[position], order[other]
                position = other
            elif comparison < 0:
                break
    if order == list(range(ndim - 1, -1, -1)):
        return default_strides(shape)
    result = [0] * ndim
    step = 1
    for dim in order:
        result[dim] = step
        step *= shape[dim]
    return tuple(result)


def _compare_dims(shape: Sequence[int], operands: Sequence[Sequence[int]], first: int, second: int) -> int:
    """Negative if `first` should be the faster dimension, positive if `second` should, 0 if undecided."""
    for strides in operands:
        a, b = strides[first], strides[second]
        if a == 0 or b == 0:
            continue
        if a != b:
            return a - b
        if shape[first] > shape[second]:
            return 1
    return 0
