"""Which new shapes a layout can be viewed in: runs, and the borders between them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from math import log2, prod
from typing import TYPE_CHECKING, Any

from tensorlab.core import layout
from tensorlab.figures.anchors import Box
from tensorlab.figures.elements import written
from tensorlab.figures.figure import Figure
from tensorlab.figures.ink import memory
from tensorlab.figures.scene import Scene

if TYPE_CHECKING:
    from tensorlab.tensor import Tensor

__all__ = ["filling_runs", "in_reading_order"]

_MOST = 48


def in_reading_order(tensors: Mapping[str, Tensor], caption: str = "") -> Figure:
    """Return a figure of the storage cells of each tensor in the order in which its elements are read.

    Cells that are evenly spaced are a run; runs are drawn apart, with the jump between them.

    Args:
        tensors: name -> tensor of 1 to 48 elements.
        caption: what to see.

    Example:
        >>> import tensorlab as tl
        >>> figure = in_reading_order({"x": tl.arange(6).view(2, 3).t()}, "Six cells, three runs.")
        >>> "x: runs of cells 0 3, 1 4, 2 5" in figure._repr_html_()
        True
    """
    runs = {name: runs_of(x) for name, x in tensors.items()}
    says = "; ".join(
        f"{name}: runs of cells {', '.join(' '.join(map(str, run)) for run in cells)}"
        for name, cells in runs.items()
    )

    def draw(width: float) -> Scene:
        s, y = Scene(width, "Storage cells in the order of reading", says), 0.0
        for name, x in tensors.items():
            s.facts(0, y + 14, name, tuple(x.shape), x.stride())
            y = _reading(s, 1, y + 84, x, runs[name]) + 30
        return s

    return Figure(draw, caption)


def runs_of(x: Tensor) -> list[list[int]]:
    """The cells of `x` in the order of reading, cut wherever the step to the next one changes."""
    if not 1 <= x.numel() <= _MOST:
        raise ValueError(f"1 to {_MOST} elements can be drawn one by one; the shape is {tuple(x.shape)}")
    cells = [
        x.storage_offset() + sum(i * step for i, step in zip(index, x.stride(), strict=True))
        for index in itertools.product(*map(range, x.shape))
    ]
    sizes, _ = layout.merge_axes(x.shape, x.stride())
    length = sizes[-1] if sizes else 1
    return [cells[start : start + length] for start in range(0, len(cells), length)]


def _reading(s: Scene, x: float, y: float, t: Tensor, runs: list[list[int]]) -> float:
    """The runs from `x` on, in as many lines as they need; returns where they end."""
    count, left, gap = t.untyped_storage().nbytes() // t.element_size(), x, 16
    numbers: Any = t.as_strided((count,), (1,), 0).tolist()
    room = s.width - x - 1 - gap * (len(runs) - 1)
    size = max(min(room / sum(map(len, runs)), 40), 17 if s.wide else 22)
    before: Box | None = None
    for number, run in enumerate(runs):
        if left + len(run) * size > s.width and left > x:
            left, y, before = x, y + 66, None
        fills = [memory(cell / max(count - 1, 1)) for cell in run]
        cells = s.strip(left, y, [written(numbers[cell]) for cell in run], fills, size, 32)
        if len(run) > 1 and number == 0:
            s.hop(cells[0], cells[1], f"{run[1] - run[0]:+d}")
        if before is not None:
            s.hop(before, cells[0], f"{run[0] - runs[number - 1][-1]:+d}", below=True)
        before, left = cells[len(run) - 1], cells.right + gap
    return y + 66


def filling_runs(x: Tensor, shapes: Sequence[tuple[int, ...]], caption: str = "", name: str = "x") -> Figure:
    """Return a figure of the borders in a layout, and of new shapes that fit between them or cross one.

    Dimensions that merge are one run; between two runs is a border, a red wall. Lengths are logarithms, so
    that factors lie end to end and a product of sizes is a sum of lengths.

    Args:
        x: a tensor of more than one element.
        shapes: new shapes with as many elements.
        caption: what to see.
        name: of the tensor.

    Raises:
        ValueError: a new shape has another number of elements.

    Example:
        >>> import tensorlab as tl
        >>> y = tl.arange(24).view(2, 3, 4).transpose(0, 1)
        >>> figure = filling_runs(y, [(3, 2, 2, 2), (6, 4)], "A size may end at a border, never cross it.")
        >>> "view(3, 2, 2, 2): a view; view(6, 4): no view" in figure._repr_html_()
        True
    """
    old, count = tuple(x.shape), x.numel()
    if count < 2 or any(prod(shape) != count for shape in shapes):
        raise ValueError(
            f"shapes of {count} elements are wanted, 2 or more, got {', '.join(map(str, shapes))}"
        )
    fits = [isinstance(layout.view_strides(old, x.stride(), shape), tuple) for shape in shapes]
    told = [f"view{shape}: {'a view' if fit else 'no view'}" for shape, fit in zip(shapes, fits, strict=True)]
    sizes, steps = layout.merge_axes(old, x.stride())
    walls = {prod(sizes[:k]): f"{steps[k - 1]} ≠ {sizes[k]}·{steps[k]}" for k in range(1, len(sizes))}

    def draw(width: float) -> Scene:
        s = Scene(width, "New shapes and the borders of a layout", "; ".join(told))
        left = 170.0 if s.wide else 1.0
        unit = (width - left - 2) / log2(count)
        first = _name(s, 20 if s.wide else 0, name, f"shape {old}", "shape") + (0 if s.wide else 34)
        rows = [first]
        tiles = _tiles(s, left, first, old, unit, (), 46)
        used = [step for size, step in zip(old, x.stride(), strict=True) if size > 1]
        for tile, step in zip(tiles, used, strict=True):
            words = f"stride {step}" if s.wide else step
            s.text(tile.n[0], tile.bottom + 17, words, "stride", 12, "middle", mono=True)
        for number, (wall, why) in enumerate(walls.items()):
            up = 10 if s.wide else 10 + 16 * (number % 2)
            s.text(left + log2(wall) * unit, first - up, why, "wrong", 12, "middle", mono=True)
        y = first + 84
        for shape, fit in zip(shapes, fits, strict=True):
            top = _name(s, y, f"view{shape}", "a view" if fit else "no view", "view" if fit else "wrong")
            _tiles(s, left, top, shape, unit, tuple(walls), 40)
            rows.append(top)
            y = top + 64
        for wall in walls:
            at = left + log2(wall) * unit
            for top in rows:
                s.wall(at, top - 5, top + (64 if s.wide and top != rows[-1] else 46))
        s.arrow((width - 2, y), (left + 2, y))
        s.text((left + width) / 2, y + 18, "fill from the right", "ink-soft", 13, "middle")
        return s

    return Figure(draw, caption)


def _name(s: Scene, y: float, name: str, note: str, ink: str) -> float:
    """A name and a note, left of what follows or above it; returns where that begins."""
    s.text(0, y + 18, name, size=14, bold=True, mono=True)
    if s.wide:
        s.text(0, y + 36, note, ink, 13)
    else:
        s.text(s.width - 2, y + 18, note, ink, 13, "end")
    return y if s.wide else y + 26


def _tiles(
    s: Scene, x: float, y: float, sizes: Sequence[int], unit: float, walls: Sequence[int], height: float
) -> list[Box]:
    """Sizes end to end; what crosses a wall is red. A size of 1 has no length."""
    tiles, before = [], 1
    for size in sizes:
        crosses = any(before < wall < before * size for wall in walls)
        if size > 1:
            fill = "copy" if crosses else "again" if height < 46 else "reach"
            words = "" if crosses else size  # a border may run through the middle
            tile = s.cell(x + log2(before) * unit, y, words, fill, log2(size) * unit, height, 17)
            if crosses:
                s.text(tile.x + 10, tile.middle[1] + 6, size, size=17, mono=True)
            tiles.append(tile)
        before *= size
    return tiles
