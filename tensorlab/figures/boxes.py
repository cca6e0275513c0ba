"""A Python list of numbers beside a tensor's storage with the same numbers."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tensorlab.core.dtypes import dtype
from tensorlab.figures.svg import CELL, Figure, arrow, cell, drawing, label

__all__ = ["list_beside_storage"]

_SLOT = 64
_PLACES = (2, 0, 3, 1)  # where the objects of the drawing happen to lie: in no order, as in memory


def list_beside_storage(numbers: Sequence[float], element_type: dtype, caption: str) -> Figure:
    """Return a figure: four numbers as objects that a list points to, and as neighbours in a storage.

    The sizes in the drawing are those of this Python and of `element_type`.

    Raises:
        ValueError: there are not exactly four numbers.
    """
    if len(numbers) != len(_PLACES):
        raise ValueError(f"the drawing has room for {len(_PLACES)} numbers, got {len(numbers)}")
    return Figure([_list(numbers), _storage(numbers, element_type)], caption)


def _list(numbers: Sequence[float]) -> str:
    slot = sys.getsizeof([0.0]) - sys.getsizeof([])
    box = sys.getsizeof(numbers[0])
    parts = [label(0, 16, "a list", size=15, bold=True)]
    parts.append(label(0, 36, f"{slot} bytes for each address, {box} for each float object", "soft"))
    for place, (number, home) in enumerate(zip(numbers, _PLACES, strict=True)):
        low = 138 + 34 * (home % 2)
        parts.append(arrow(place * _SLOT + _SLOT / 2, 70, home * 84 + 40, low))
        parts.append(cell(home * 84, low, f"float {number:g}", width=80))
        parts.append(cell(place * _SLOT, 48, "•", width=_SLOT))
    says = f"a list: {len(numbers)} addresses in a row, each leading to a float object elsewhere in memory"
    return drawing(336, 204, says, parts)


def _storage(numbers: Sequence[float], element_type: dtype) -> str:
    parts = [label(0, 16, "a storage", size=15, bold=True)]
    parts.append(label(0, 36, f"{element_type.itemsize} bytes for each number, nothing between", "soft"))
    wide = CELL * 1.5
    parts += [cell(place * wide, 48, f"{number:g}", "reach", wide) for place, number in enumerate(numbers)]
    says = f"a storage: {len(numbers)} numbers of {element_type.itemsize} bytes each, side by side"
    return drawing(300, 84, says, parts)
