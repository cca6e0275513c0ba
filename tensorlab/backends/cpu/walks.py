"""Walks over several operands, cut into parts that threads go through.

A part has a row of `states` to itself: the cell of each operand that it stands at, then for each dimension
how many steps it has gone there. A kernel steps through it with `next_run`, and leaves it as it was. Between
two rows there is more than a line of the cache, so that no thread waits for what another one writes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensorlab.backends.cpu.pointers import LINE

__all__ = ["cut", "next_run"]


def cut(
    shape: Sequence[int], strides: np.ndarray, offsets: Sequence[int], dim: int, parts: int
) -> tuple[np.ndarray, np.ndarray]:
    """The shapes and the states of as many parts of a walk, which is cut along one dimension.

    Args:
        shape: of the whole walk.
        strides: a row for each operand.
        offsets: the cell of each operand that the walk starts with.
        dim: the dimension that is cut; its size is at least `parts`.
        parts: how many.

    Example:
        >>> shapes, states = cut((5, 2), np.array([[2, 1]]), [7], 0, 2)
        >>> shapes.tolist(), states[:, :3].tolist()
        ([[2, 2], [3, 2]], [[7, 0, 0], [11, 0, 0]])
    """
    shapes = np.empty((parts, len(shape)), np.int64)
    shapes[:] = shape
    states = np.zeros((parts, len(offsets) + len(shape) + LINE // 8), np.int64)
    states[:, : len(offsets)] = offsets
    if parts > 1:
        bounds = np.arange(parts + 1) * shape[dim] // parts
        shapes[:, dim] = np.diff(bounds)
        states[:, : len(offsets)] += bounds[:-1, None] * strides[:, dim]
    return shapes, states


def next_run(shapes, strides, states, part, inner):  # type: ignore[no-untyped-def]
    """Step to where the `inner` last dimensions come next; False when the part is back at its beginning."""
    operands = strides.shape[0]
    dim, more = shapes.shape[1] - inner - 1, False
    while dim >= 0 and not more:
        steps = states[part, operands + dim] + 1
        more = steps < shapes[part, dim]
        # After the last step of a dimension, all of its steps are taken back.
        way = 1 if more else 1 - steps
        for k in range(operands):
            states[part, k] += way * strides[k, dim]
        states[part, operands + dim] = steps if more else 0
        dim -= 1
    return more
