"""How a kernel walks: the fewest dimensions, and the walk that the memory likes.

A pointwise kernel may visit elements in any order. So dimensions of size 1 go, the rest are sorted so that
the output's smallest step is innermost, and neighbours that are adjacent in every operand become one.
"""

from __future__ import annotations

from collections.abc import Sequence


def coalesce(
    shape: Sequence[int], strides: Sequence[Sequence[int]], keep_order: bool = False
) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """The same set of visits with as few dimensions as possible.

    Args:
        shape: the operation's shape, every size at least 1.
        strides: for each operand one stride a dimension; the first operand's walk is the smoothest.
        keep_order: visit the elements in row-major order of `shape`, for a kernel to which order matters.

    Returns:
        the shorter shape (at least one dimension) and the strides that go with it.

    Example:
        >>> coalesce((2, 3, 4), [(12, 4, 1), (12, 4, 1)])
        ((24,), [(1,), (1,)])
        >>> coalesce((3, 4), [(1, 3), (0, 1)])  # the output is transposed: walk its columns
        ((4, 3), [(3, 1), (1, 0)])
        >>> coalesce((3, 4), [(1, 3), (0, 1)], keep_order=True)
        ((3, 4), [(1, 3), (0, 1)])
    """
    dims = [dim for dim, size in enumerate(shape) if size != 1]
    if not keep_order:
        dims.sort(key=lambda dim: [operand[dim] for operand in strides], reverse=True)
    sizes: list[int] = []
    steps: list[list[int]] = []
    for dim in dims:
        step = [operand[dim] for operand in strides]
        adjacent = bool(steps) and all(
            outer == inner * shape[dim] for outer, inner in zip(steps[-1], step, strict=True)
        )
        if adjacent:
            sizes[-1] *= shape[dim]
            steps[-1] = step
        else:
            sizes.append(shape[dim])
            steps.append(step)
    if not sizes:
        return (1,), [(1,)] * len(strides)
    return tuple(sizes), [tuple(step[i] for step in steps) for i in range(len(strides))]
