"""A tensor's elements as a drawing needs them: rows of numbers, and the storage cells that they are in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tensorlab.figures.ink import memory

if TYPE_CHECKING:
    from tensorlab.tensor import Tensor

__all__ = ["Elements", "numbers_of", "written"]

_MOST = 96  # cells of a storage that are drawn


class Elements:
    """A tensor's elements as rows of up to two dimensions: their numbers, and the storage cells they are in.

    Raises:
        ValueError: the tensor has no elements, more than two dimensions, or too many elements to be drawn.
    """

    def __init__(self, t: Tensor) -> None:
        self.shape, self.stride = tuple(t.shape), tuple(t.stride())
        self.offset = t.storage_offset()
        if len(self.shape) > 2 or not 0 < t.numel() <= 600 or max((1, *self.shape)) > 48:
            raise ValueError(
                f"a drawing shows a tensor of 0 to 2 dimensions with up to 48 rows and columns; this one has "
                f"the shape {self.shape}: draw a part of it, such as x[0] or x[:8, :8]"
            )
        self.count = t.untyped_storage().nbytes() // t.element_size()
        (rows, columns), (down, right) = ((1, 1, *self.shape)[-2:], (0, 0, *self.stride)[-2:])
        self.rows = [[self.offset + i * down + j * right for j in range(columns)] for i in range(rows)]
        numbers: Any = t.tolist()
        for _ in range(2 - len(self.shape)):
            numbers = [numbers]
        self.values = [[written(number) for number in row] for row in numbers]
        self._again = [
            [(down == 0 and i > 0) or (right == 0 and j > 0) for j in range(columns)] for i in range(rows)
        ]

    def fills(self, hand: int | None = None) -> list[list[str]]:
        """Return the fill of each element: its cell's colour, 'again' or 'hand'."""
        last = max(self.count - 1, 1)

        def fill(cell: int, again: bool) -> str:
            return "hand" if cell == hand else "again" if again else memory(cell / last)

        return [
            [fill(*pair) for pair in zip(*rows, strict=True)]
            for rows in zip(self.rows, self._again, strict=True)
        ]


def written(number: object) -> str:
    """How a number stands in a cell."""
    return {True: "T", False: "F"}[number] if isinstance(number, bool) else f"{number:g}"


def numbers_of(tensors: Mapping[str, Tensor]) -> list[str]:
    """The numbers of the storage that all share."""
    (first, x), *others = tensors.items()
    for name, other in others:
        if other.untyped_storage().data_ptr() != x.untyped_storage().data_ptr() or other.dtype != x.dtype:
            raise ValueError(
                f"{name} and {first} do not share one storage with one dtype: draw them in two figures"
            )
    cells = x.untyped_storage().nbytes() // x.element_size()
    if not 0 < cells <= _MOST:
        raise ValueError(
            f"a storage of 1 to {_MOST} cells can be drawn; this one has {cells}: clone() a part of it"
        )
    numbers: Any = x.as_strided((cells,), (1,), 0).tolist()
    return [written(number) for number in numbers]
