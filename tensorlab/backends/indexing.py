"""What a backend does where index tensors and masks say.

It is a part of `tensorlab.backends.core.Core`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlab.backends.operands import Buffer, Launch

__all__ = ["IndexLayout", "IndexOperations", "Walk"]


class IndexLayout(NamedTuple):
    """What a backend must know of one index tensor, which says where along one dimension to go.

    Attributes:
        strides: one a dimension of the operation's shape, in cells; 0 where the index is broadcast.
        size: the size of the dimension that it indexes; a negative index counts from there.
        step: the stride of that dimension.
    """

    strides: tuple[int, ...]
    size: int
    step: int


class Walk(NamedTuple):
    """Operands to be walked together, in row-major order of the shape.

    Attributes:
        shape: the operation's shape, every size at least 1.
        strides: for each operand one stride a dimension.
        buffers: for each operand its cells, and the cell of its first element.
    """

    shape: Sequence[int]
    strides: Sequence[Sequence[int]]
    buffers: Sequence[tuple[np.ndarray, int]]


class IndexOperations:
    """The operations with index tensors and masks on one device."""

    def indexed(
        self,
        action: str,
        shape: tuple[int, ...],
        target: tuple[int, ...],
        other: tuple[int, ...],
        indices: tuple[IndexLayout, ...],
    ) -> Launch:
        """Prepare a move of elements from or to where index tensors say.

        `target` and `other` are strides over `shape`. The action ``"gather"`` reads `other` where the indices
        say and stores the element in `target`. The actions ``"replace"``, ``"add"``, ``"mul"``, ``"max"`` and
        ``"min"`` combine an element of `other` with the element of `target` where the indices say. Positions
        that lead to one cell act in row-major order of `shape`.

        The launch is called with the buffers of target, other and each index. The caller has checked every
        index; no size is 0.
        """
        raise NotImplementedError

    def outside(
        self, shape: tuple[int, ...], strides: tuple[int, ...], low: int, high: int
    ) -> Callable[[Buffer], int]:
        """Prepare to count the elements of an integer tensor that are below `low`, or not below `high`."""
        raise NotImplementedError

    def compact(self, action: str, walk: Walk, line: Any = None) -> int:
        """Do something where the first operand of a walk, a mask, is not 0, in row-major order.

        Args:
            action: ``"count"`` gives how many there are. ``"positions"`` writes where: row `d` of `line` gets
                the index of dimension d. ``"select"`` writes the second operand's elements there into `line`,
                one after the other; ``"scatter"`` overwrites them with what `line` holds, and ``"fill"`` with
                one cell, which then stands in its place.
            walk: the operands.
            line: cells; of positions an array with a row a dimension.
        """
        raise NotImplementedError
