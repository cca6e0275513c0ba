"""Positions: the elements of a tensor counted row by row, and whether two of them lie in one cell.

Pure functions of integers, like those of `tensorlab.core.layout`. A position says which element is meant, by
counting them in the order in which a tensor is printed; where that element lies is the layout's business.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.core import layout

__all__ = ["overlaps", "steps_clear", "unravel"]


def unravel(position: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The index of the element at a position, when the elements are counted row by row from 0.

    Args:
        position: from 0 to the number of elements, that one not included.
        shape: the sizes.

    Raises:
        IndexError: there is no such position.

    Example:
        >>> unravel(7, (2, 3, 4)), unravel(0, ())
        ((0, 1, 3), ())
        >>> unravel(6, (2, 3))
        Traceback (most recent call last):
            ...
        IndexError: position 6 is out of range for shape (2, 3), which has 6 elements
    """
    count = layout.numel(shape)
    if not 0 <= position < count:
        raise IndexError(
            f"position {position} is out of range for shape {tuple(shape)}, which has {count} elements"
        )
    index = []
    for size in reversed(shape):
        position, i = divmod(position, size)
        index.append(i)
    return tuple(reversed(index))


def steps_clear(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether every stride steps over all that the smaller ones reach: then no two elements share a cell.

    Where one does not, the steps may still miss each other: see `overlaps`.

    Example:
        >>> steps_clear((2, 3), (3, 1)), steps_clear((2, 3), (0, 1)), steps_clear((2, 3), (3, 2))
        (True, False, False)
    """
    reach = 0
    for stride, size in _steps(shape, strides):
        if stride <= reach:
            return False
        reach += (size - 1) * stride
    return True


def overlaps(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether two elements lie in one cell, so that a write into one shows in the other.

    Where `steps_clear` does not rule it out, only counting tells: the time is then that of a walk over all
    elements.

    Example:
        >>> overlaps((2, 3), (3, 1)), overlaps((2, 3), (0, 1)), overlaps((2, 3), (3, 2))
        (False, True, False)
    """
    if 0 in shape or steps_clear(shape, strides):
        return False
    cells = {0}
    for stride, size in _steps(shape, strides):
        cells = {cell + i * stride for cell in cells for i in range(size)}
    return len(cells) < layout.numel(shape)


def _steps(shape: Sequence[int], strides: Sequence[int]) -> list[tuple[int, int]]:
    """The strides that lead anywhere and their sizes, the smallest step first."""
    return sorted((abs(stride), size) for size, stride in zip(shape, strides, strict=True) if size > 1)
