"""What the Storage Lab accepts: from Python, and from a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import traitlets

from tensorlab.core import layout

__all__ = ["Ints", "IntsOrNone", "check_layout", "first_hand"]


class Ints(traitlets.TraitType):
    """A tuple of ints; the page sends lists."""

    info_text = "a sequence of integers"

    def validate(self, obj: Any, value: Any) -> tuple[int, ...] | None:
        """`value` as a tuple of ints.

        Raises:
            TypeError: it is not a sequence, or one of its members is not an integer.
        """
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise TypeError(f"{self.name} must be a sequence of integers, got {value!r}")
        return tuple(layout.as_int(number, f"every number of {self.name}") for number in value)


class IntsOrNone(Ints):
    """As `Ints`, or None.

    It does not use `allow_none`, by which None would pass the checks of the class that has the trait.
    """

    def validate(self, obj: Any, value: Any) -> tuple[int, ...] | None:
        """`value` as a tuple of ints, or None."""
        return None if value is None else super().validate(obj, value)


def check_layout(shape: Sequence[int], stride: Sequence[int], offset: int, cells: int) -> None:
    """Refuse a layout with an element outside the storage.

    Raises:
        RuntimeError: says which element would lie where, and how long the storage is.
        ValueError: `cells` is negative.

    Example:
        >>> check_layout((2, 2), (4, 1), 8, 12)
        Traceback (most recent call last):
            ...
        RuntimeError: element (1, 1) would lie in cell 8 + 1·4 + 1·1 = 13, and the storage has cells 0 … 11
    """
    if cells < 0:
        raise ValueError(f"a storage of {cells} cells cannot be; it has 0 or more")
    checked = layout.check_bounds(shape, stride, offset, cells)
    if isinstance(checked, layout.Refusal):
        raise RuntimeError(checked.reason)


def first_hand(hand: Sequence[int] | None, shape: Sequence[int]) -> tuple[int, ...] | None:
    """The index in hand at the beginning: the one asked for, checked, or the first there is.

    Example:
        >>> first_hand((-1, 0), (3, 4)), first_hand(None, (3, 4)), first_hand(None, (0,))
        ((2, 0), (0, 0), None)
    """
    if hand is not None:
        return layout.check_index(hand, shape)
    return None if 0 in shape else (0,) * len(shape)
