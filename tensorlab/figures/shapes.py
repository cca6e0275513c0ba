"""Shapes aligned from the right, as broadcasting compares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tensorlab.figures.figure import Figure
from tensorlab.figures.scene import Scene

__all__ = ["aligned_shapes"]


def aligned_shapes(panels: Sequence[Mapping[str, Sequence[int]]], caption: str = "") -> Figure:
    """Return a figure of shapes under each other, aligned from the right, with the shape of the result.

    A size of 1 that is stretched is dashed and leads to its new size, as is a dimension that was missing.
    Sizes that are not broadcastable are red.

    Args:
        panels: for each drawing, name -> shape.
        caption: what to see.

    Raises:
        ValueError: a panel is empty, or its shapes have no dimensions.

    Example:
        >>> figure = aligned_shapes([{"a": (3, 1), "b": (4,)}], "Both are stretched.")
        >>> "a (3, 1), b (4,): result (3, 4)" in figure._repr_html_()
        True
    """
    for panel in panels:
        if not max((len(shape) for shape in panel.values()), default=0):
            raise ValueError(f"there is nothing to align in {dict(panel)}: give a shape with dimensions")
    says = "; ".join(
        f"{', '.join(f'{name} {tuple(shape)}' for name, shape in panel.items())}: {_result(panel)}"
        for panel in panels
    )

    def draw(width: float) -> Scene:
        s, x, y = Scene(width, "Shapes aligned from the right", says), 0.0, 0.0
        for panel in panels:
            name_room = 14 + 8.5 * max(len(name) for name in (*panel, "result"))
            room = name_room + 60 * max(map(len, panel.values()))
            if x and (not s.wide or x + room > width):
                x, y = 0.0, s.height + 22
            _panel(s, x, y, panel, name_room)
            x += room + 34
        return s

    return Figure(draw, caption)


def _columns(panel: Mapping[str, Sequence[int]]) -> list[int | None]:
    """The size of each dimension of the result; None where there is none."""
    ndim = max(map(len, panel.values()))
    found: list[int | None] = []
    for dim in range(-ndim, 0):
        sizes = {shape[dim] for shape in panel.values() if len(shape) >= -dim} - {1}
        found.append(None if len(sizes) > 1 else next(iter(sizes), 1))
    return found


def _result(panel: Mapping[str, Sequence[int]]) -> str:
    sizes = _columns(panel)
    if None not in sizes:
        return f"result {tuple(size for size in sizes if size is not None)}"
    dim = sizes.index(None) - len(sizes)
    clash = dict.fromkeys(shape[dim] for shape in panel.values() if len(shape) >= -dim and shape[dim] != 1)
    return f"not broadcastable: {' and '.join(map(str, clash))}"


def _panel(s: Scene, x: float, y: float, panel: Mapping[str, Sequence[int]], name_room: float) -> None:
    sizes = _columns(panel)
    for row, (name, shape) in enumerate(panel.items()):
        top, missing = y + 40 * row, len(sizes) - len(shape)
        s.text(x, top + 20, name, bold=True, mono=True)
        for dim, to in enumerate(sizes):
            size = 1 if dim < missing else shape[dim - missing]
            fill = "copy" if to is None and size != 1 else "again" if size == 1 != to else "reach"
            words = f"{size if dim >= missing else ''}→{to}" if fill == "again" and to is not None else size
            s.cell(x + name_room + 60 * dim, top, words, fill, 54, 30, 15)
    top = y + 40 * len(panel)
    s.path(f"M{x:g} {top - 2:g}H{x + name_room + 60 * len(sizes) - 6:g}", "edge", bottom=top)
    if None in sizes:
        s.text(x, top + 22, _result(panel), "wrong", 13, bold=True)
        return
    s.text(x, top + 24, "result", "ink-soft", 13)
    for dim, to in enumerate(sizes):
        s.text(x + name_room + 60 * dim + 27, top + 25, to, "shape", 16, "middle", bold=True, mono=True)
