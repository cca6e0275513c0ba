"""Tensors and the memory that they read: figures that a reader makes of tensors of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from tensorlab.figures.anchors import Box, Cells
from tensorlab.figures.elements import Elements, numbers_of
from tensorlab.figures.figure import Figure
from tensorlab.figures.ink import memory
from tensorlab.figures.scene import Scene

if TYPE_CHECKING:
    from tensorlab.tensor import Tensor

__all__ = ["storage", "tensor"]


class Panel(NamedTuple):
    """Where a tensor was drawn: its left upper corner, its cells, and where its cells and facts end."""

    x: float
    y: float
    grid: Cells
    bottom: float


def storage(x: Tensor | Mapping[str, Tensor], caption: str = "", hand: int | None = None) -> Figure:
    """Return a figure of a storage, drawn once, with the tensors that read it around it.

    Each storage cell has a colour, from sand at the beginning to sea at the end, and keeps it wherever a
    tensor shows it. The arrows are strides, in cells. A dotted line leads from a tensor to its first cell,
    and a flag stands there if it is not cell 0.

    Args:
        x: a tensor, or name -> tensor for several that share one storage; of up to two dimensions.
        caption: what to see.
        hand: a storage cell to be ringed wherever it is shown.

    Raises:
        ValueError: the tensors do not share a storage, one has more than two dimensions, or the storage has
            more than 96 cells.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.arange(6).view(2, 3)
        >>> figure = storage({"x": x, "x.t()": x.t()}, "Two tensors, one line of memory.")
        >>> "x.t(): shape (3, 2), stride (1, 3), offset 0, cells 0 3 1 4 2 5" in figure._repr_html_()
        True
    """
    tensors = dict(x) if isinstance(x, Mapping) else {"": x}
    numbers = numbers_of(tensors)
    says = f"{len(numbers)} storage cells: {' '.join(numbers)}. " + "; ".join(
        _told(name, t) for name, t in tensors.items()
    )

    def draw(width: float) -> Scene:
        s = Scene(width, "A storage and the tensors that read it", says)
        above, below = _halves(s, tensors)
        y, panels = _row(s, 0, above, hand)
        line, end = _line(s, y + 72 + 7 * len(panels), numbers, hand)
        _links(s, line, above, panels, y + 12)
        if below:
            _, panels = _row(s, end + 60 + 7 * len(below), below, hand, hanging=True)
            _links(s, line, below, panels, end + 42, below=True)
        return s

    return Figure(draw, caption)


def tensor(x: Tensor | Mapping[str, Tensor], caption: str = "", hand: int | None = None) -> Figure:
    """Return a figure of tensors without their storage: cells in the colours of memory, strides as arrows.

    A tensor of three dimensions is drawn as its matrices, one beside the other.

    Args:
        x: a tensor, or name -> tensor; of up to three dimensions.
        caption: what to see.
        hand: a storage cell to be ringed wherever it is shown.

    Raises:
        ValueError: a tensor has more than three dimensions, or is too large to be drawn.

    Example:
        >>> import tensorlab as tl
        >>> figure = tensor(tl.arange(3).expand(2, 3), "The second row is the first, read again.")
        >>> "shape (2, 3), stride (0, 1), offset 0, cells 0 1 2 0 1 2" in figure._repr_html_()
        True
    """
    tensors = dict(x) if isinstance(x, Mapping) else {"": x}
    pages = {name: _pages(name, t) for name, t in tensors.items()}
    says = "; ".join(_told(name, t) for group in pages.values() for name, t in group.items())

    def draw(width: float) -> Scene:
        s = Scene(width, "A tensor in the colours of its memory", says)
        _row(s, 0, {name: t for group in pages.values() for name, t in group.items()}, hand)
        return s

    return Figure(draw, caption)


def _pages(name: str, t: Tensor) -> dict[str, Tensor]:
    """A tensor of three dimensions as its matrices."""
    if t.dim() < 3:
        return {name: t}
    return {f"{name}[{i}]": t[i] for i in range(t.shape[0])}


def _told(name: str, t: Tensor) -> str:
    shown = Elements(t)
    cells = " ".join(str(cell) for row in shown.rows for cell in row)
    facts = f"shape {shown.shape}, stride {shown.stride}, offset {shown.offset}, cells {cells}"
    return f"{name}: {facts}" if name else facts


def _size(s: Scene) -> float:
    return 32 if s.wide else 26


def _width(s: Scene, name: str, t: Tensor) -> float:
    """What a tensor with its steps and its facts needs."""
    facts = max(len(name) + 1, 7 + len(str(tuple(t.stride()))))
    grid = (t.shape[-1] if t.dim() else 1) * _size(s) + 30
    return grid + 14 + 7.9 * facts if s.wide else max(grid, 7.4 * facts)


def _rows(s: Scene, tensors: Mapping[str, Tensor]) -> list[dict[str, Tensor]]:
    """The tensors in rows that fit."""
    rows: list[dict[str, Tensor]] = [{}]
    for name, t in tensors.items():
        if (
            rows[-1]
            and sum(_width(s, *other) + 24 for other in [*rows[-1].items(), (name, t)]) > s.width + 24
        ):
            rows.append({})
        rows[-1][name] = t
    return rows


def _halves(s: Scene, tensors: Mapping[str, Tensor]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """What stands above the line, and what below it: below only if one row does not hold all."""
    if len(_rows(s, tensors)) == 1:
        return dict(tensors), {}
    names = list(tensors)
    half = ceil(len(names) / 2)
    return {name: tensors[name] for name in names[:half]}, {name: tensors[name] for name in names[half:]}


def _row(
    s: Scene, y: float, tensors: Mapping[str, Tensor], hand: int | None, *, hanging: bool = False
) -> tuple[float, dict[str, Panel]]:
    """Tensors beside each other in as many rows as they need; their grids end on one line, or begin on one.

    Returns where the last row ends, and where each tensor is.
    """
    facts, size = ("beside" if s.wide else "above"), _size(s)
    panels: dict[str, Panel] = {}
    for row in _rows(s, tensors):
        y += 22 if panels else 0
        # Facts beside a low tensor reach further down than its cells.
        heights = {name: max(_depth(t) * size, 68 if s.wide else 0) for name, t in row.items()}
        deepest, x, bottom = max(heights.values()), 0.0, y
        for name, t in row.items():
            top = y + (0 if hanging else deepest - heights[name])
            grid = s.tensor(x, top, t, name, size, facts=facts, hand=hand)
            panels[name] = Panel(x, top, grid, grid.y + heights[name])
            bottom = max(bottom, panels[name].bottom)
            x += max(_width(s, name, t) + 24, s.width / len(row) if len(row) > 1 else 0)
        y = bottom
    return y, panels


def _depth(t: Tensor) -> int:
    return t.shape[0] if t.dim() == 2 else 1


def _line(s: Scene, y: float, numbers: Sequence[str], hand: int | None) -> tuple[Cells, float]:
    """The storage: one line where it fits, else lines of the same length; and where they end."""
    lines = ceil(len(numbers) / (24 if s.wide else 12))
    each = ceil(len(numbers) / lines)
    size = min((s.width - 2) / each, 58 if s.wide else 44)
    counted = numbers != [str(cell) for cell in range(len(numbers))]  # else the number says its own place
    last = max(len(numbers) - 1, 1)
    rows, end = [], y
    for start in range(0, len(numbers), each):
        part = range(start, min(start + each, len(numbers)))
        fills = ["hand" if cell == hand else memory(cell / last) for cell in part]
        values = [numbers[cell] for cell in part]
        height, ruler = (38 if s.wide else 32), 17 * counted
        row = s.strip(1, y, values, fills, size, height, places=start if counted else None)
        # What attaches below begins under the places.
        rows.append([Box(box.x, box.y, box.width, box.height + ruler) for box in row.rows[0]])
        end = row.bottom + ruler
        y = end + 26
    return Cells(rows), end


def _links(
    s: Scene,
    line: Cells,
    tensors: Mapping[str, Tensor],
    panels: Mapping[str, Panel],
    level: float,
    *,
    below: bool = False,
) -> None:
    """Flags, dotted lines to what is next to the line, and the first tensor's strides."""
    each = len(line.rows[0])
    near = max(panel.bottom for panel in panels.values())
    for number, (name, panel) in enumerate(panels.items()):
        shown = Elements(tensors[name])
        row, first = divmod(shown.offset, each)
        cell, under = line[row, first], below and row == len(line.rows) - 1
        if shown.offset:
            s.flag(cell, below=under)
        up = 19 if shown.offset else 4
        turn = level + 7 * (number if below else len(panels) - 1 - number)
        if under:
            end = (panel.grid.x + 14, panel.grid.y - 22) if s.wide else (panel.x + 14, panel.y - 4)
            s.link((cell.x + 9, cell.bottom + up), end, turn)
        elif not below and row == 0 and panel.bottom > near - 20:
            s.link((panel.grid.x + 14, panel.grid.bottom + 4), (cell.x + 9, cell.y - up), turn)
        if number == 0 and (under or (not below and row == 0)):
            for stride, size in zip(shown.stride, shown.shape, strict=True):
                if size > 1 and 0 < stride < len(line.rows[row]) - first:
                    s.hop(cell, line[row, first + stride], f"{stride:+d}", below=under)
