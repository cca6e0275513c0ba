"""Operands as kernels take them: cells and the first one's number, and whether several move at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlab.backends.cuda.intrinsics import WIDEST
from tensorlab.backends.operands import Buffer, Memory

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

# How many blocks a grid has at most along y and z.
MOST = 65535


def raw(buffer: Buffer) -> tuple[Any, int]:
    """A buffer as a kernel is given it."""
    memory, first = buffer
    return memory.cells, first


def chosen(numbers: Sequence[int], dims: Sequence[int]) -> tuple[int, ...]:
    """The sizes, or strides, of some dimensions."""
    return tuple(numbers[dim] for dim in dims)


def fits(strides: Sequence[int], dim: int, size: int, count: int = 4) -> bool:
    """Whether a matrix can be read `count` neighbours along a dimension at a time, if its first cell can."""
    others = [step for each, step in enumerate(strides) if each != dim % len(strides)]
    return strides[dim] == 1 and size % count == 0 and not any(step % count for step in others)


def is_aligned(buffer: Buffer) -> bool:
    """Whether the first cell lies where reads of several neighbours may begin."""
    memory, first = buffer
    cells = memory.cells
    return (cells.pointer + first * cells.dtype.itemsize) % WIDEST == 0


def parts(
    sizes: tuple[int, ...], strides: Sequence[tuple[int, ...]], most: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Parts of at most so many elements: their sizes, and where they begin in each operand.

    Example:
        >>> list(parts((2, 5), [(5, 1), (0, 2)], 5))
        [((2, 2), (0, 0)), ((2, 1), (2, 4)), ((2, 2), (3, 6))]
    """
    if math.prod(sizes) <= most:
        yield sizes, (0,) * len(strides)
        return
    dim = sizes.index(max(sizes))
    half = sizes[dim] // 2
    for begin, size in (0, half), (half, sizes[dim] - half):
        for part, firsts in parts((*sizes[:dim], size, *sizes[dim + 1 :]), strides, most):
            moved = (first + begin * each[dim] for first, each in zip(firsts, strides, strict=True))
            yield part, tuple(moved)


def uploaded(backend: Cuda, *numbers: Any) -> Memory:
    """Runs of whole numbers, one behind the other, for kernels to look up."""
    return backend.upload(np.concatenate([np.asarray(each, np.int64) for each in numbers]).data)
