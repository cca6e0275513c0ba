"""Memory formats: the dense layouts that are not row-major, and which one a result gets.

The format objects, and pure functions of integers like those of `tensorlab.core.layout`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from tensorlab.core.layout import default_strides, is_contiguous

__all__ = [
    "channels_last",
    "channels_last_3d",
    "channels_last_strides",
    "contiguous_format",
    "elementwise_strides",
    "format_strides",
    "is_channels_last",
    "is_in_format",
    "is_non_overlapping_and_dense",
    "looks_channels_last",
    "memory_format",
    "preserve_format",
    "preserved_strides",
    "strided",
    "suggested_format",
]


# How many answers of the rules that every copy asks are kept. One takes a few hundred bytes.
KEPT = 4096


class memory_format:
    """The order in which a dense tensor's dimensions lie in memory.

    There is one object per format: compare with ``is``.

    Attributes:
        name: PyTorch's name, ``"channels_last"``.
        ndim: the number of dimensions that a tensor of this format has; None for any.

    Example:
        >>> import tensorlab as tl
        >>> tl.empty(2, 3, 4, 5, memory_format=tl.channels_last).stride()
        (60, 1, 15, 3)
    """

    __slots__ = ("name", "ndim")

    def __init__(self, name: str, ndim: int | None = None) -> None:
        self.name = name
        self.ndim = ndim

    def __repr__(self) -> str:
        return f"tensorlab.{self.name}"

    def __reduce__(self) -> str:
        return self.name


contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last", 4)
channels_last_3d = memory_format("channels_last_3d", 5)


class _Strided:
    """The kind of layout that every tensor here has: cells reached by strides."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "tensorlab.strided"

    def __reduce__(self) -> str:
        return "strided"


strided = _Strided()


@functools.lru_cache(KEPT)
def format_strides(shape: tuple[int, ...], wanted: memory_format) -> tuple[int, ...]:
    """The strides of a dense tensor of this shape in a format.

    Raises:
        RuntimeError: the format is for another number of dimensions.
        TypeError: `wanted` is no memory format that a shape alone determines.

    Example:
        >>> format_strides((2, 3), contiguous_format)
        (3, 1)
        >>> format_strides((2, 3), channels_last)
        Traceback (most recent call last):
            ...
        RuntimeError: required rank 4 tensor to use channels_last format: the shape is (2, 3)
    """
    if wanted is contiguous_format:
        return default_strides(shape)
    if not isinstance(wanted, memory_format) or wanted.ndim is None:
        raise TypeError(
            f"memory_format must be contiguous_format, channels_last or channels_last_3d here, got {wanted!r}"
        )
    if len(shape) != wanted.ndim:
        raise RuntimeError(
            f"required rank {wanted.ndim} tensor to use {wanted.name} format: the shape is {tuple(shape)}"
        )
    return channels_last_strides(shape)


@functools.lru_cache(KEPT)
def is_in_format(shape: tuple[int, ...], strides: tuple[int, ...], wanted: memory_format) -> bool:
    """True when a layout is dense in a format. Any other number of dimensions than the format's is not.

    Example:
        >>> is_in_format((2, 3, 4, 5), (60, 1, 15, 3), channels_last)
        True
    """
    if wanted.ndim is None:
        return is_contiguous(shape, strides)
    return len(shape) == wanted.ndim and is_channels_last(shape, strides)


def looks_channels_last(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """True when a 4- or 5-dimensional layout, dense or not, has its dimensions in the order of channels last.

    Sizes of 1 leave the order open. PyTorch then calls a layout channels last only if its strides could not
    come from slicing a row-major tensor; this is its rule.

    Example:
        >>> looks_channels_last((2, 3, 2, 5), (60, 1, 30, 3)), looks_channels_last((2, 1, 1, 1), (1, 1, 1, 1))
        (True, False)
    """
    if strides[1] == 0:
        return False
    least = 0
    for dim in _channels_last_order(len(shape)):
        if shape[dim] == 0 or strides[dim] < least or (dim == 0 and least == strides[1]):
            return False
        least = strides[dim] * max(shape[dim], 1)
    return True


@functools.lru_cache(KEPT)
def suggested_format(shape: tuple[int, ...], strides: tuple[int, ...]) -> memory_format:
    """The format that a new tensor gets that should be laid out like this one.

    Example:
        >>> suggested_format((2, 3, 4, 5), (60, 1, 15, 3)), suggested_format((2, 3), (1, 2))
        (tensorlab.channels_last, tensorlab.contiguous_format)
    """
    for candidate in (channels_last, channels_last_3d):
        if len(shape) == candidate.ndim and looks_channels_last(shape, strides):
            return candidate
    return contiguous_format


def channels_last_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of a dense batch of images (N, C, H, W), or volumes (N, C, D, H, W), channels innermost.

    Example:
        >>> channels_last_strides((2, 3, 4, 5))
        (60, 1, 15, 3)
    """
    return _dense_strides(shape, _channels_last_order(len(shape)))


def _channels_last_order(ndim: int) -> tuple[int, ...]:
    """The dimensions of a batch of images or volumes from the fastest to the slowest, channels first."""
    return (1, *range(ndim - 1, 1, -1), 0)


def _dense_strides(shape: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """The strides of a tensor without gaps whose dimensions are, from the fastest to the slowest, `order`."""
    strides = [0] * len(shape)
    step = 1
    for dim in order:
        strides[dim] = step
        step *= shape[dim]  # PyTorch multiplies by 0 too, where row-major strides take 1 for it
    return tuple(strides)


def is_channels_last(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """True when a 4- or 5-dimensional layout is dense with its channels innermost.

    Example:
        >>> is_channels_last((2, 3, 4, 5), (60, 1, 15, 3)), is_channels_last((2, 3, 4, 5), (60, 20, 5, 1))
        (True, False)
    """
    expected = 1
    for dim in _channels_last_order(len(shape)):
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
    return _dense_in_order(shape, operands)


@functools.lru_cache(KEPT)
def preserved_strides(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a copy that keeps a layout: the same if it has no gaps, else dense in the same order.

    Example:
        >>> [preserved_strides((3, 2), strides) for strides in ((1, 3), (1, 6), (0, 1))]
        [(1, 3), (1, 3), (2, 1)]
    """
    if is_non_overlapping_and_dense(shape, strides):
        return tuple(strides)
    return _dense_in_order(shape, [strides])


def _dense_in_order(shape: Sequence[int], operands: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Dense strides with the dimensions sorted by the operands' strides, the first operand deciding."""
    ndim = len(shape)
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
    return _dense_strides(shape, order)


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
