"""Measurements as lines, and points with the straight lines that were fitted to them."""

from __future__ import annotations

import html
import itertools
from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

from tensorlab.figures.anchors import Point
from tensorlab.figures.figure import Figure
from tensorlab.figures.ink import colour
from tensorlab.figures.scene import Scene

__all__ = ["Axis", "axes", "dot", "lines_through_points", "plot"]

Curve = tuple[Sequence[float], Sequence[float]]
_INKS = (("shape", ""), ("stride", "7 5"), ("gradient", "2 5"), ("ink-soft", "12 4 2 4"))
_WIDTH = 7.2  # of a letter in a name, in pixels
_TOP, _FLOOR = 20, 250  # where the highest name stands, and the axis across


def plot(
    lines: Mapping[str, Curve],
    caption: str = "",
    *,
    x: str = "",
    y: str = "",
    points: Curve = ((), ()),
    log: bool = False,
) -> Figure:
    """Return a figure of lines over two axes, each named at its end, and of points.

    Args:
        lines: name -> its x and its y; up to four.
        caption: what to see.
        x, y: what stands at the axes.
        points: their x and their y.
        log: whether both axes are logarithmic; then all numbers have to be positive.

    Raises:
        ValueError: there is nothing to draw, x and y differ in number, there are more than four lines, or
            a logarithm is asked of a number that is not positive.

    Example:
        >>> figure = plot({"columns": ([1, 2, 4], [1, 2, 4])}, x="stride", y="ns", log=True)
        >>> "columns: from (1, 1) to (4, 4)" in figure._repr_html_()
        True
    """
    curves = [*lines.values(), points]
    across = [float(at) for xs, _ in curves for at in xs]
    up = [float(at) for _, ys in curves for at in ys]
    if not across or len(lines) > len(_INKS) or any(len(xs) != len(ys) for xs, ys in curves):
        raise ValueError(f"give one to {len(_INKS)} lines or some points, each with as many x as y")
    if log and min(*across, *up) <= 0:
        raise ValueError(f"logarithmic axes need positive numbers, got {min(*across, *up):g}")
    told = [
        f"{name}: from ({xs[0]:g}, {ys[0]:.4g}) to ({xs[-1]:g}, {ys[-1]:.4g})"
        for name, (xs, ys) in lines.items()
    ]
    says = "; ".join([*told, *([f"{len(points[0])} points"] if points[0] else [])])

    def draw(width: float) -> Scene:
        s = Scene(width, f"{y or 'y'} over {x or 'x'}", says)
        right = Axis(across, 52, width - 16, log)
        rise = Axis(up, _FLOOR, 36, log)
        axes(s, right, rise, x, y)
        for px, py in zip(*points, strict=True):
            dot(s, right(px), rise(py), "reach")
        marks = [(right(a), rise(b)) for a, b in zip(*points, strict=True)]
        ways = []
        for (ink, dashes), (xs, ys) in zip(_INKS, lines.values(), strict=False):
            places = [(right(a), rise(b)) for a, b in zip(xs, ys, strict=True)]
            s.path("M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in places), ink, 2.5, dashes)
            for a, b in places if len(places) <= 16 and not points[0] else ():
                dot(s, a, b, ink)
            ways.append(_followed(places))
        for (ink, _), name, way in zip(_INKS, lines, ways, strict=False):
            x_of_end, level = _room(name, way, [*marks, *itertools.chain(*ways)], right.start, width - 16)
            # The next name keeps clear of this one, too.
            marks += _followed([(x_of_end - _WIDTH * len(name), level - 4), (x_of_end, level - 4)])
            s.text(x_of_end, level, name, ink, 13, "end", bold=True, halo=True)
        return s

    return Figure(draw, caption)


def lines_through_points(
    x: Sequence[float], y: Sequence[float], lines: Mapping[str, tuple[float, float]], caption: str = ""
) -> Figure:
    """Return a figure of points, and of lines y = w · x + b through them.

    Args:
        x, y: the points, at least two different ones in x.
        lines: name -> (w, b); up to four, told apart by their dashes.
        caption: what to see.

    Example:
        >>> figure = lines_through_points([0, 1, 2], [1, 3, 5], {"found": (2, 1)}, "A perfect fit.")
        >>> "found: from (0, 1) to (2, 5); 3 points" in figure._repr_html_()
        True
    """
    ends = [min(x, default=0.0), max(x, default=0.0)]
    curves = {name: (ends, [w * at + b for at in ends]) for name, (w, b) in lines.items()}
    return plot(curves, caption, points=(x, y))


def _followed(places: Sequence[Point]) -> list[Point]:
    """Points along a line through places, at most 4 pixels apart."""
    found = list(places[:1])
    for (a, b), (c, d) in itertools.pairwise(places):
        steps = ceil(max(abs(c - a), abs(d - b)) / 4)
        found += [(a + (c - a) * k / steps, b + (d - b) * k / steps) for k in range(1, steps + 1)]
    return found


def _room(name: str, way: Sequence[Point], drawn: Sequence[Point], left: float, right: float) -> Point:
    """Where a line's name ends and its baseline: above or below the line, over as little as can be.

    Of the places that are over nothing the one furthest to the right is taken.
    """
    width, found = _WIDTH * len(name), []
    for end in range(round(right), round(left + width), -4):
        start = end - width
        below = [y for x, y in way if start - 3 <= x <= end + 3]
        for level in (min(below) - 9, max(below) + 19) if below else ():
            if _TOP <= level <= _FLOOR - 5:
                over = sum(start - 4 < x < end + 4 and level - 14 < y < level + 7 for x, y in drawn)
                found.append((over, -end, level))
    if not found:
        return right, max(way[-1][1] - 9, _TOP)
    _, end, level = min(found)
    return -end, level


class Axis:
    """Numbers as places between `start` and `end`; the axis across has `start` before `end`."""

    def __init__(self, numbers: Sequence[float], start: float, end: float, log: bool) -> None:
        self.start, self.end, self.log = start, end, log
        low, high = min(numbers), max(numbers)
        if low == high:
            low, high = (low / 2, high * 2) if log else (low - 1, high + 1)
        self.low, self.high = (log10(low), log10(high)) if log else (low, high)
        self.numbers = sorted(set(numbers))

    def __call__(self, number: float) -> float:
        """Return the place of a number."""
        at = log10(number) if self.log else number
        return self.start + (at - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round numbers on the axis; the numbers themselves where they are few."""
        if self.log and len(self.numbers) <= 8 and self.end > self.start:
            return self.numbers
        if self.log:
            parts = (1, 2, 5) if self.high - self.low < 2 else (1,)
            powers = range(floor(self.low), ceil(self.high) + 1)
            ticks = [part * 10.0**power for power in powers for part in parts]
            return [tick for tick in ticks if self.low - 1e-9 <= log10(tick) <= self.high + 1e-9]
        step = 10.0 ** floor(log10(self.high - self.low))
        step *= next(part for part in (2, 1, 0.5, 0.2) if (self.high - self.low) / (step * part) >= 2.5)
        return [k * step for k in range(ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9) + 1)]


def axes(s: Scene, right: Axis, rise: Axis, x: str, y: str) -> None:
    """Draw two axes with their ticks and what stands at them."""
    for tick in rise.ticks():
        s.path(f"M{right.start} {rise(tick):.1f}H{right.end}", "rule")
        s.text(right.start - 8, rise(tick) + 4, f"{tick:.4g}", "ink-soft", 11, "end", mono=True)
    before = -40.0
    for tick in right.ticks():
        words = f"{tick:.4g}"
        if right(tick) - before >= 7 * len(words) + 10:
            before = right(tick)
            s.path(f"M{before:.1f} {rise.start}v5", "edge")
            s.text(before, rise.start + 18, words, "ink-soft", 11, "middle", mono=True)
    s.path(f"M{right.start} {rise.end - 6}V{rise.start}H{right.end}", "edge", bottom=rise.start + 20)
    s.text(right.start, rise.end - 16, y, "ink-soft", 13)
    if x:
        s.text(right.end, rise.start + 38, x, "ink-soft", 13, "end")


def dot(s: Scene, x: float, y: float, ink: str, title: str = "") -> None:
    """Draw a point; its title is shown when it is pointed at."""
    style = f"fill:{colour(ink)};stroke:{colour('page')};stroke-width:1"
    told = f"<title>{html.escape(title)}</title>" if title else ""
    s.put(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" style="{style}">{told}</circle>', y + 4.5)
