"""Names, and the memory behind each of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tensorlab.figures.anchors import Box
from tensorlab.figures.elements import numbers_of
from tensorlab.figures.figure import Figure
from tensorlab.figures.ink import memory
from tensorlab.figures.scene import Scene

if TYPE_CHECKING:
    from tensorlab.tensor import Tensor

__all__ = ["names"]


def names(tensors: Mapping[str, Tensor], caption: str = "") -> Figure:
    """Return a figure of names at the left and the storages that they lead to at the right, each drawn once.

    The first storage has the colours of memory. The others have the doubled frame of a copy and say how many
    bytes they are; where they hold the same numbers in another order, each keeps its colour.

    Args:
        tensors: name -> tensor; each over a short storage.
        caption: what to see.

    Raises:
        ValueError: a storage has more cells than can be drawn.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.arange(4.0)
        >>> figure = names({"x": x, "x[1:]": x[1:], "x + 0": x + 0}, "Two names, one memory; and a third.")
        >>> "x and x[1:] lead to 0 1 2 3; x + 0 leads to 0 1 2 3, a copy" in figure._repr_html_()
        True
    """
    groups: dict[int, list[str]] = {}
    for name, t in tensors.items():
        groups.setdefault(t.untyped_storage().data_ptr(), []).append(name)
    lines = {home: numbers_of({group[0]: tensors[group[0]]}) for home, group in groups.items()}
    says = "; ".join(
        f"{' and '.join(group)} {'lead' if len(group) > 1 else 'leads'} to {' '.join(lines[home])}"
        + (", a copy" if number else "")
        for number, (home, group) in enumerate(groups.items())
    )
    first = next(iter(lines.values()))
    places = {value: memory(i / max(len(first) - 1, 1)) for i, value in enumerate(first)}

    def draw(room: float) -> Scene:
        s, y = Scene(room, "Names and the memory behind them", says), 4.0
        widest = max(map(len, tensors)) * 7.9 + 20
        for number, (home, group) in enumerate(groups.items()):
            numbers = lines[home]
            moved = len(places) == len(first) and sorted(numbers) == sorted(first)
            fills = [places[value] if moved or not number else "rest" for value in numbers]
            tags = [Box(2, y + 34 * i, widest, 27) for i in range(len(group))]
            if not s.wide:
                tags = [Box(2, y + 23 * i, widest, 23) for i in range(len(group))]
            left, top = (
                (widest + 72, (tags[0].y + tags[-1].bottom) / 2 - 16) if s.wide else (5, tags[-1].bottom + 30)
            )
            line = s.strip(left, top, numbers, fills, min((room - left - 6) / len(numbers), 46), 32)
            for name, tag in zip(group, tags, strict=True):
                s.frame(tag, "edge")
                s.text(tag.x + 10, tag.middle[1] + 4.5, name, size=13, bold=True, mono=True)
                if s.wide:
                    s.arrow(tag.e, (line.x - 6, line.middle[1]), "view")
            if not s.wide:
                s.arrow((20, tags[-1].bottom + 2), (20, line.y - 5), "view")
            if number:
                s.copied(line, 2)
                s.text(
                    line.x,
                    line.bottom + 22,
                    f"a copy, {tensors[group[0]].untyped_storage().nbytes()} bytes",
                    "copy",
                    13,
                )
            y = max(line.bottom + (30 if number else 8), tags[-1].bottom) + 20
        return s

    return Figure(draw, caption)
