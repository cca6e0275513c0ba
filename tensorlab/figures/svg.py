"""The few shapes that the figures are made of, and the frame around a figure.

Colours are the names of the book's style sheet, each with its light value for pages that do not load it.
All lengths are in SVG units, which are CSS pixels as long as the figure is not wider than the page.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["CELL", "Figure", "arrow", "cell", "dot", "drawing", "label", "segment"]

CELL = 26
"""The side of one cell."""

_FILLS = {
    "rest": ("--tl-cell, #e5e9f0", "--tl-cell-edge, #7d8798", "--tl-cell-ink, #1b2430"),
    "reach": ("--tl-reach, #5b8def", "--tl-reach-edge, #2f5fc4", "--tl-reach-ink, #101828"),
    "hand": ("--tl-hand, #f2a33a", "--tl-hand-edge, #9a580a", "--tl-hand-ink, #101828"),
}
_INKS = {
    "ink": "--tl-ink, currentColor",
    "soft": "--tl-ink-soft, currentColor",
    "shape": "--tl-shape, #3867b5",
    "stride": "--tl-stride, #9a580a",
    "offset": "--tl-offset, #2f7d4a",
    "view": "--tl-view, #17756f",
    "copy": "--tl-copy, #c0453f",
    "gradient": "--tl-gradient, #7a4fb5",
    "refused": "--tl-wrong, #c0453f",
}
_MONO = "var(--tl-font-mono, ui-monospace, Menlo, Consolas, monospace)"
_UI = "var(--tl-font-ui, system-ui, sans-serif)"
_CAPTION = f"margin:0.75rem 0 0;text-align:start;font:400 0.95rem {_UI};color:var(--tl-ink-soft, inherit)"


@dataclass(frozen=True)
class Figure:
    """Drawings side by side where there is room, and one caption that says what to see."""

    drawings: Sequence[str]
    caption: str

    def _repr_html_(self) -> str:
        row = "display:flex;flex-wrap:wrap;gap:1.5rem;align-items:flex-start"
        return (
            f'<figure class="tl-figure" style="margin:1rem 0">'
            f'<div style="{row}">{"".join(self.drawings)}</div>'
            f'<figcaption style="{_CAPTION}">{html.escape(self.caption)}</figcaption></figure>'
        )


def drawing(width: float, height: float, says: str, parts: Sequence[str], shrinks: bool = True) -> str:
    """Return one SVG; `says` is what a screen reader reads instead of it.

    It shrinks on a narrow page, unless it stands where it can be moved.
    """
    name = html.escape(says, quote=True)
    widest = "100%" if shrinks else "none"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{name}" '
        f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'style="max-width:{widest};height:auto">{"".join(parts)}</svg>'
    )


def cell(x: float, y: float, text: str, kind: str = "rest", width: float = CELL) -> str:
    """Return one cell with its number; `kind` is 'rest', 'reach' or 'hand', which has a ring inside."""
    fill, edge, ink = _FILLS[kind]
    frame = _rect(x, y, width, 0.5, f"fill:var({fill});stroke:var({edge});stroke-width:1")
    ring = _rect(x, y, width, 3, f"fill:none;stroke:var({ink});stroke-width:2") if kind == "hand" else ""
    weight = ' font-weight="700"' if kind == "hand" else ""
    return (
        f'{frame}{ring}<text x="{x + width / 2:g}" y="{y + CELL / 2 + 4.5:g}" text-anchor="middle" '
        f'font-size="13"{weight} style="fill:var({ink});font-family:{_MONO}">{html.escape(text)}</text>'
    )


def _rect(x: float, y: float, width: float, inset: float, style: str) -> str:
    place = f'x="{x + inset:g}" y="{y + inset:g}"'
    size = f'width="{width - 2 * inset:g}" height="{CELL - 2 * inset:g}"'
    return f'<rect {place} {size} rx="2" style="{style}"/>'


def label(
    x: float,
    y: float,
    text: str,
    ink: str = "ink",
    *,
    size: float = 13,
    anchor: str = "start",
    bold: bool = False,
    mono: bool = False,
) -> str:
    """Return words whose baseline starts, ends or is centred at `x`, `y`."""
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size:g}"{weight} '
        f'style="fill:var({_INKS[ink]});font-family:{_MONO if mono else _UI}">{html.escape(text)}</text>'
    )


def arrow(x1: float, y1: float, x2: float, y2: float, ink: str = "soft") -> str:
    """Return an arrow from the first point to the second, which is at its tip and below or above."""
    down = 1 if y2 > y1 else -1
    half, neck = (y1 + y2) / 2, y2 - 6 * down
    head = f"{x2:g},{y2:g} {x2 - 4:g},{y2 - 7 * down:g} {x2 + 4:g},{y2 - 7 * down:g}"
    return (
        f'<path d="M{x1:g} {y1:g} C{x1:g} {half:g} {x2:g} {half:g} {x2:g} {neck:g}" '
        f'fill="none" stroke-width="1.5" style="stroke:var({_INKS[ink]})"/>'
        f'<polygon points="{head}" style="fill:var({_INKS[ink]})"/>'
    )


def segment(
    x1: float, y1: float, x2: float, y2: float, ink: str = "soft", *, dashes: str = "", thick: bool = False
) -> str:
    """Return a straight line; `dashes` are the lengths of its strokes and gaps, such as ``"7 5"``."""
    pattern = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<path d="M{x1:g} {y1:g} L{x2:g} {y2:g}" fill="none" stroke-width="{2.5 if thick else 1}"{pattern} '
        f'style="stroke:var({_INKS[ink]})"/>'
    )


def dot(x: float, y: float) -> str:
    """Return a point, in the colour of a cell that is reached."""
    fill, edge, _ = _FILLS["reach"]
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="4.5" style="fill:var({fill});stroke:var({edge});stroke-width:1"/>'
    )
