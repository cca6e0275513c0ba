"""What a backend does where index tensors and masks say.

It is a part of `tensorlab.backends.core.Core`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

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

    def mask_count(self, walk: Walk) -> int:
        """How many elements of the one operand are not 0."""
        raise NotImplementedError

    def mask_positions(self, walk: Walk, out: np.ndarray) -> None:
        """Where the elements of the one operand are not 0: row `d` of `out` gets the index of dimension d."""
        raise NotImplementedError

    def mask_select(self, walk: Walk, out: np.ndarray) -> None:
        """The elements of the second operand where the first, a mask, is true, one after the other."""
        raise NotImplementedError

    def mask_scatter(self, walk: Walk, values: np.ndarray) -> None:
        """The elements of the second operand where the first, a mask, is true, overwritten with `values`."""
        raise NotImplementedError

    def mask_fill(self, walk: Walk, value: np.generic) -> None:
        """The elements of the second operand where the first, a mask, is true, overwritten with one value."""
        raise NotImplementedError
