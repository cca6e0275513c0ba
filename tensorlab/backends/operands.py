"""The operands of a backend's operations: their cells, their layouts, and what is called with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tensorlab.core.dtypes import dtype

# Cells of one type, side by side: whatever a backend's `allocate` returns. Only that backend looks inside.
# Others ask for its `nbytes`, a `view` of another type, and a slice ``[:count]``, as of a NumPy array.
Memory = Any

# Memory, and the cell of the first element.
Buffer = tuple[Memory, int]

# Called with one item an operand, the output first: a pair (cells, offset), or the number itself.
Launch = Callable[..., None]


def no_launch(*_: object) -> None:
    """The launch of an operation whose result has no elements."""


# What an operand is to a kernel of flat ones: a run of cells, a number, or one cell that all elements meet.
RUN, ONE, CELL = "run", "one", "cell"


# Work, in additions of one float32, from which a second thread pays. One thread adds some eight numbers in a
# nanosecond, if they come from a cache; a team costs some 15 microseconds before its threads are at work.
WORTHWHILE = 200_000


class OperandLayout(NamedTuple):
    """What a backend must know of one operand to prepare a launch.

    Attributes:
        dtype: what the cells mean; of a number, the dtype that Python's type corresponds to.
        strides: one a dimension of the operation's shape, in cells; 0 where the operand is broadcast.
        is_number: the operand is a Python number and is passed as such.
        is_out: the operand is the very tensor that is written.
    """

    dtype: dtype
    strides: tuple[int, ...]
    is_number: bool = False
    is_out: bool = False
