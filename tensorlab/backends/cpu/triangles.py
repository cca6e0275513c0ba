"""Zeros on one side of a diagonal: half of a matrix is written, and nothing is read."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from tensorlab.backends.cpu import jit

__all__ = ["clear_triangle"]


def clear_triangle(
    cells: np.ndarray, start: int, shape: Sequence[int], strides: Sequence[int], diagonal: int, above: bool
) -> None:
    """See `tensorlab.backends.protocol.Backend.clear_triangle`."""
    sizes, steps, turned = _walk(tuple(shape), tuple(strides))
    # No diagonal lies further out than the sides are long.
    furthest = sum(shape[-2:])
    diagonal = max(-furthest, min(furthest, diagonal))
    if turned:
        diagonal, above = -diagonal, not above
    _clear(cells, start, sizes, steps, diagonal, above)


@functools.lru_cache(1024)
def _walk(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, bool]:
    """Shape and strides with that dimension of the matrices last whose elements lie closer together."""
    dims = list(range(len(shape)))
    turned = strides[-1] > strides[-2]
    if turned:
        dims[-2:] = dims[:-3:-1]
    return (
        np.array([shape[d] for d in dims], np.int64),
        np.array([strides[d] for d in dims], np.int64),
        turned,
    )


@jit.kernel()
def _clear(cells, start, shape, strides, diagonal, above):  # type: ignore[no-untyped-def]
    last = shape.size - 1
    rows, columns = shape[last - 1], shape[last]
    matrices = 1
    for dim in range(last - 1):
        matrices *= shape[dim]
    for matrix in range(matrices):
        corner, number = start, matrix
        for dim in range(last - 2, -1, -1):
            corner += number % shape[dim] * strides[dim]
            number //= shape[dim]
        for row in range(rows):
            on = min(max(row + diagonal, -1), columns)
            first, end = (on + 1, columns) if above else (0, max(on, 0))
            at = corner + row * strides[last - 1]
            if strides[last] == 1:
                cells[at + first : at + end] = 0
            else:
                for column in range(first, end):
                    cells[at + column * strides[last]] = 0
