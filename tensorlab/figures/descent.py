"""Ways down a valley: what optimizers make of one slope."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tensorlab.figures.figure import Figure
from tensorlab.figures.plots import dot
from tensorlab.figures.scene import Scene

__all__ = ["descent"]

_INKS = (("stride", ""), ("shape", ""), ("gradient", ""))
_RINGS = (0.02, 0.08, 0.2, 0.4, 0.7, 1.0)  # heights of the contours, as shares of the start's


def descent(
    ways: Mapping[str, Sequence[tuple[float, float]]], curvatures: tuple[float, float], caption: str = ""
) -> Figure:
    """Return a figure of ways down the valley ½(a·x² + b·y²), each over the valley's lines of equal height.

    Args:
        ways: name -> the points of the way, from its start; up to three.
        curvatures: a and b, both positive.
        caption: what to see.

    Raises:
        ValueError: there is no way, there are more than three, or one has less than two points.

    Example:
        >>> figure = descent({"SGD": [(2.0, 1.0), (1.0, -0.5)]}, (1.0, 4.0), "One step.")
        >>> "SGD: 1 step from (2, 1) to (1, -0.5)" in figure._repr_html_()
        True
    """
    if not 0 < len(ways) <= len(_INKS) or any(len(way) < 2 for way in ways.values()):
        raise ValueError(f"give one to {len(_INKS)} ways of at least two points each")
    a, b = curvatures
    points = [point for way in ways.values() for point in way]
    reach = 1.12 * max(abs(x) for x, _ in points), 1.2 * max(abs(y) for _, y in points)
    top = max(a * x * x + b * y * y for x, y in (way[0] for way in ways.values()))
    says = "; ".join(
        f"{name}: {len(way) - 1} step{'s' * (len(way) > 2)} from ({way[0][0]:.3g}, {way[0][1]:.3g}) to "
        f"({way[-1][0]:.3g}, {way[-1][1]:.3g})"
        for name, way in ways.items()
    )

    def draw(width: float) -> Scene:
        s = Scene(width, "Ways down a valley", says)
        height, y = (132 if s.wide else 104), 0.0
        for (ink, _), (name, way) in zip(_INKS, ways.items(), strict=False):
            middle = width / 2, y + 26 + height / 2
            scale = (width / 2 - 8) / reach[0], height / 2 / reach[1]
            s.text(8, y + 16, name, ink, 13, bold=True)
            steps = f"{len(way) - 1} step{'s' * (len(way) > 2)}"
            s.text(width - 8, y + 16, steps, "ink-soft", 12, "end", mono=True)
            for share in _RINGS:
                rx, ry = math.sqrt(share * top / a) * scale[0], math.sqrt(share * top / b) * scale[1]
                if rx < width / 2 and ry < height / 2:
                    s.path(_ellipse(*middle, rx, ry), "rule", 1)
            places = [(middle[0] + x * scale[0], middle[1] - z * scale[1]) for x, z in way]
            s.path("M" + "L".join(f"{px:.1f} {pz:.1f}" for px, pz in places), ink, 1.75)
            for px, pz in places if len(places) <= 60 else places[::4]:
                dot(s, px, pz, ink)
            y += height + 40
            s.path("", "rule", bottom=y - 6)
        return s

    return Figure(draw, caption)


def _ellipse(x: float, y: float, rx: float, ry: float) -> str:
    arc = f"a{rx:.1f} {ry:.1f} 0 1 0"
    return f"M{x - rx:.1f} {y:.1f}{arc} {2 * rx:.1f} 0{arc} {-2 * rx:.1f} 0"
