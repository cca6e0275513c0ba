"""Shapes under one another, aligned from the right, as broadcasting compares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tensorlab.core.layout import numel
from tensorlab.figures.svg import CELL, Figure, cell, drawing, label

__all__ = ["aligned_shapes"]

_NAME = 112  # what the names on the left need
_COLUMN = 74  # from one dimension to the next: a size, an arrow, the size that it is stretched to
_ROW = CELL + 12


def aligned_shapes(panels: Sequence[Mapping[str, Sequence[int]]], caption: str) -> Figure:
    """Return a figure: in each panel some shapes under one another, and under a line what they meet in.

    A size that is stretched has an arrow to its new size; a 1 that was put in front is pale. Where a column
    does not fit, its sizes are ringed, and the line below says which ones they are.

    Args:
        panels: for each drawing, name -> shape.
        caption: what to see.

    Raises:
        ValueError: a panel is empty, or its shapes have no dimensions.

    Example:
        >>> figure = aligned_shapes([{"a": (3, 1), "b": (4,)}], "Both are stretched.")
        >>> "a (3, 1), read as (3, 4); b (4,), read as (3, 4); they meet in (3, 4)" in figure._repr_html_()
        True
    """
    return Figure([_panel(panel) for panel in panels], caption)


def _panel(shapes: Mapping[str, Sequence[int]]) -> str:
    ndim = max(map(len, shapes.values()), default=0)
    if not ndim:
        raise ValueError(f"there is nothing to align in {dict(shapes)}: give a shape with dimensions")
    padded = {name: [1] * (ndim - len(shape)) + list(shape) for name, shape in shapes.items()}
    met = [_meet(column) for column in zip(*padded.values(), strict=True)]
    parts: list[str] = []
    for row, (name, sizes) in enumerate(padded.items()):
        top = row * _ROW
        parts.append(label(0, top + CELL / 2 + 5, name, bold=True))
        missing = ndim - len(shapes[name])
        for dim, (size, to) in enumerate(zip(sizes, met, strict=True)):
            parts += _size(_NAME + dim * _COLUMN, top, size, to, missing=dim < missing)
    return drawing(
        _NAME + ndim * _COLUMN,
        (len(padded) + 1) * _ROW + 6,
        _spelled(shapes, met),
        [*parts, *_result(padded, met, len(padded) * _ROW + 6)],
    )


def _meet(column: Sequence[int]) -> int | None:
    """The size in which one column meets; None where it does not."""
    others = {size for size in column if size != 1}
    return others.pop() if len(others) == 1 else None if others else 1


def _size(left: float, top: float, size: int, to: int | None, missing: bool) -> list[str]:
    kind = "hand" if to is None and size != 1 else "rest" if missing else "reach"
    drawn = [cell(left, top, str(size), kind)]
    if to not in (None, size):
        drawn.append(label(left + CELL + 5, top + CELL / 2 + 5, f"→ {to}", "stride"))
    return drawn


def _result(padded: Mapping[str, Sequence[int]], met: Sequence[int | None], top: float) -> list[str]:
    baseline = top + CELL / 2 + 5
    for column, to in zip(zip(*padded.values(), strict=True), met, strict=True):
        if to is None:
            sizes = " and ".join(str(size) for size in dict.fromkeys(column) if size != 1)
            return [label(0, baseline, f"{sizes} differ, and neither is 1: refused", "refused", bold=True)]
    met_in = [
        label(_NAME + dim * _COLUMN + CELL / 2, baseline, str(to), "shape", anchor="middle", bold=True)
        for dim, to in enumerate(met)
    ]
    return [label(0, baseline, "they meet in", "soft"), *met_in]


def _spelled(shapes: Mapping[str, Sequence[int]], met: Sequence[int | None]) -> str:
    if None in met:
        named = "; ".join(f"{name} {tuple(shape)}" for name, shape in shapes.items())
        return f"{named}; they do not meet in dimension {met.index(None)}"
    whole = tuple(size for size in met if size is not None)
    named = "; ".join(
        f"{name} {tuple(shape)}" + (f", read as {whole}" if tuple(shape) != whole else "")
        for name, shape in shapes.items()
    )
    return f"{named}; they meet in {whole}, {numel(whole)} elements"
