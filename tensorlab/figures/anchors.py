"""What a shape returns: a box with the points where arrows, braces and labels attach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Box", "Cells", "Point", "around"]

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A rectangle on a scene: its left upper corner, its width and its height.

    Example:
        >>> box = Box(10, 20, 30, 40)
        >>> box.s, box.right
        ((25.0, 60), 40)
    """

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The x of its right side."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The y of its lower side."""
        return self.y + self.height

    @property
    def middle(self) -> Point:
        """The point at its centre."""
        return self.x + self.width / 2, self.y + self.height / 2

    @property
    def n(self) -> Point:
        """The middle of its upper side."""
        return self.middle[0], self.y

    @property
    def s(self) -> Point:
        """The middle of its lower side."""
        return self.middle[0], self.bottom

    @property
    def e(self) -> Point:
        """The middle of its right side."""
        return self.right, self.middle[1]

    @property
    def w(self) -> Point:
        """The middle of its left side."""
        return self.x, self.middle[1]


def around(boxes: Sequence[Box]) -> Box:
    """Return the smallest box that holds all of these.

    Example:
        >>> around([Box(0, 0, 10, 10), Box(20, 5, 10, 10)])
        Box(x=0, y=0, width=30, height=15)
    """
    x, y = min(box.x for box in boxes), min(box.y for box in boxes)
    return Box(x, y, max(box.right for box in boxes) - x, max(box.bottom for box in boxes) - y)


class Cells(Box):
    """A box of cells: `cells[i]` of a strip, `cells[i, j]` of a grid.

    Example:
        >>> row = Cells([[Box(0, 0, 10, 10), Box(10, 0, 10, 10)]])
        >>> row[1] == row[0, 1], row.width
        (True, 20)
    """

    rows: Sequence[Sequence[Box]]

    def __init__(self, rows: Sequence[Sequence[Box]]) -> None:
        whole = around([box for row in rows for box in row])
        super().__init__(whole.x, whole.y, whole.width, whole.height)
        object.__setattr__(self, "rows", rows)

    def __getitem__(self, at: int | tuple[int, int]) -> Box:
        if isinstance(at, tuple):
            return self.rows[at[0]][at[1]]
        return [box for row in self.rows for box in row][at]
