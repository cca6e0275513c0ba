"""Reductions and scatters: which elements meet in which cell of the result."""

from __future__ import annotations

from collections.abc import Mapping

from tensorlab.figures.svg import CELL, Figure, arrow, cell, drawing, label
from tensorlab.tensor import Tensor

__all__ = ["folded_into", "read_and_added_back"]

_TITLE, _FACTS, _TOP = 16, 36, 50  # baselines of the two lines of text, top of the first cells
_GAP = 18  # between a table and its totals
_FALL = 58  # between two rows of cells that arrows join
_WIDEST = 180  # what title and facts need beside each other


def folded_into(x: Tensor, sums: Mapping[str, int], caption: str) -> Figure:
    """Return a figure: for each sum the table, its totals at its side, and the elements of one ringed.

    Args:
        x: a table, of two dimensions.
        sums: what stands above the drawing -> the dimension that is added along.
        caption: what to see.

    Raises:
        ValueError: `x` is no table.

    Example:
        >>> import tensorlab as tl
        >>> figure = folded_into(tl.ones(2, 3), {"x.sum(1)": 1}, "Three ones make a three.")
        >>> "x.sum(1): elements [0, 0], [0, 1], [0, 2] are added into element 0" in figure._repr_html_()
        True
    """
    if x.dim() != 2:
        raise ValueError(f"a table is drawn, of 2 dimensions; this tensor has {x.dim()}")
    return Figure([_sum_panel(name, x, dim) for name, dim in sums.items()], caption)


def _sum_panel(name: str, x: Tensor, dim: int) -> str:
    rows, columns = x.shape
    totals = _numbers(x.sum(dim))
    strides = (0, 1) if dim == 0 else (1, 0)
    parts = [
        label(0, _TITLE, name, size=15, bold=True),
        label(0, _FACTS, f"shape ({len(totals)},)", "shape"),
        label(80, _FACTS, f"strides {strides}", "stride"),
    ]
    ringed = []
    for i in range(rows):
        for j in range(columns):
            kind = "hand" if (j, i)[dim] == 0 else "reach"
            if kind == "hand":
                ringed.append(f"[{i}, {j}]")
            parts.append(cell(j * CELL, _TOP + i * CELL, f"{x[i, j].item():g}", kind))
    right, below = columns * CELL + _GAP, _TOP + rows * CELL + _GAP
    for number, total in enumerate(totals):
        left, top = (number * CELL, below) if dim == 0 else (right, _TOP + number * CELL)
        parts.append(cell(left, top, total, "hand" if number == 0 else "rest"))
    if dim == 0:
        parts.append(arrow(CELL / 2, below - _GAP + 1, CELL / 2, below - 1))
    else:
        parts.append(label(right - _GAP / 2, _TOP + CELL / 2 + 5, "→", "soft", anchor="middle"))
    says = f"{name}: elements {', '.join(ringed)} are added into element 0 of the result"
    return drawing(max(right + CELL, _WIDEST), below + CELL + 2, says, parts)


def read_and_added_back(x: Tensor, places: Tensor, values: Tensor, caption: str) -> Figure:
    """Return a figure with two drawings: `places` of `x` read, and `values` added into the same places.

    Args:
        x: one dimension.
        places: int64, one dimension, each 0 or more.
        values: as many as there are places.
        caption: what to see.

    Raises:
        ValueError: there are not as many values as places.

    Example:
        >>> import tensorlab as tl
        >>> figure = read_and_added_back(tl.ones(2), tl.tensor([1, 1]), tl.ones(2), "Both into cell 1.")
        >>> "values 1, 1 are added into cells 1, 1: 0, 2" in figure._repr_html_()
        True
    """
    if len(places) != len(values):
        raise ValueError(f"{len(places)} places and {len(values)} values do not go together")
    added = (x * 0).index_add_(0, places, values)
    cells = _numbers(x), _numbers(added)
    index = [int(place.item()) for place in places]
    read = [cells[0][place] for place in index]
    named, of_places = ", ".join(_numbers(values)), ", ".join(map(str, index))
    return Figure(
        [
            _paths(
                "x[places]",
                "x",
                cells[0],
                read,
                index,
                f"x[places]: cells {of_places} are read: {', '.join(read)}",
                down=True,
            ),
            _paths(
                "index_add_(0, places, y)",
                "back",
                cells[1],
                _numbers(values),
                index,
                f"values {named} are added into cells {of_places}: {', '.join(cells[1])}",
                down=False,
            ),
        ],
        caption,
    )


def _numbers(x: Tensor) -> list[str]:
    return [f"{number.item():g}" for number in x]


def _paths(
    title: str, name: str, cells: list[str], items: list[str], index: list[int], says: str, *, down: bool
) -> str:
    """Cells above, one item for each place below, and an arrow for each place, from where it is read."""
    parts = [label(0, _TITLE, title, size=15, bold=True)]
    above, below = _TITLE + 16, _TITLE + 16 + CELL + _FALL
    for number, text in enumerate(cells):
        twice = index.count(number) > 1
        parts.append(cell(number * CELL, above, text, "hand" if twice else "reach"))
    for number, (text, place) in enumerate(zip(items, index, strict=True)):
        parts.append(cell(number * CELL, below, text, "rest"))
        # Arrows that share a cell end a little apart, so that each can be followed.
        same = [other for other, target in enumerate(index) if target == place]
        spread = (same.index(number) + 1) / (len(same) + 1)
        ends = (place + spread) * CELL, above + CELL + 1, (number + 0.5) * CELL, below - 1
        parts.append(arrow(*ends) if down else arrow(*ends[2:], *ends[:2]))
    width = max(len(cells), len(items)) * CELL
    parts.append(label(width + 10, above + CELL / 2 + 4.5, name, "soft"))
    parts.append(label(width + 10, below + CELL / 2 + 4.5, "x[places]" if down else "y", "soft"))
    return drawing(max(width + 84, _WIDEST), below + CELL + 2, says, parts)
