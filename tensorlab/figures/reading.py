"""The way through memory from element to element."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tensorlab.core import layout
from tensorlab.figures.elements import numbers_of
from tensorlab.figures.figure import Figure
from tensorlab.figures.ink import memory
from tensorlab.figures.scene import Scene

if TYPE_CHECKING:
    from tensorlab.tensor import Tensor

__all__ = ["reading_order"]


def reading_order(tensors: Mapping[str, Tensor], caption: str = "") -> Figure:
    """Return a figure of tensors' walks: for each its line of memory, and the way from element to element.

    Where a step is not the one to the next cell, it says at its first arc how long it is. Cells that the walk
    leaves out are hatched.

    Args:
        tensors: name -> tensor over a short storage.
        caption: what to see.

    Example:
        >>> import tensorlab as tl
        >>> line = tl.arange(8)
        >>> figure = reading_order({"gaps": tl.as_strided(line, (2, 3), (4, 1))}, "A cell is left out.")
        >>> "gaps: cells 0 1 2 4 5 6" in figure._repr_html_()
        True
    """
    walks = {name: _cells_of(t) for name, t in tensors.items()}
    says = "; ".join(f"{name}: cells {' '.join(map(str, cells))}" for name, cells in walks.items())

    def draw(room: float) -> Scene:
        s, y = Scene(room, "The way from element to element", says), 0.0
        for name, t in tensors.items():
            y = _walk(s, y, name, t, walks[name]) + 34
        return s

    return Figure(draw, caption)


def _walk(s: Scene, y: float, name: str, t: Tensor, walk: list[int]) -> float:
    """One tensor's line and its walk; returns where it ends."""
    cells = numbers_of({name: t})
    fills = [memory(cell / max(len(cells) - 1, 1)) for cell in range(len(cells))]
    for cell in set(range(min(walk), max(walk))) - set(walk):
        fills[cell] = "waste"
    s.text(1, y + 13, name, size=14, bold=True, mono=True)
    left = 1 + 8.6 * len(name) + 14
    s.text(left, y + 13, f"shape {tuple(t.shape)}  stride {tuple(t.stride())}", "ink-soft", 12, mono=True)
    steps = [b - a for a, b in itertools.pairwise(walk)]
    size = min((s.width - 2) / len(cells), 58)
    rise, fall = (min(12 + max(0, far) * size * 0.16, 42) + 12 for far in (max(steps), -min(steps)))
    line = s.strip(1, y + 22 + rise, cells, fills, size, 32)
    told = {1}
    for (a, b), step in zip(itertools.pairwise(walk), steps, strict=True):
        s.hop(line[a], line[b], "" if step in told else f"{step:+d}", below=step < 0)
        told.add(step)
    return line.bottom + (fall if min(steps) < 0 else 0)


def _cells_of(t: Tensor) -> list[int]:
    indices = itertools.product(*map(range, t.shape))
    return [layout.flat_index(index, t.stride(), t.storage_offset()) for index in indices]
