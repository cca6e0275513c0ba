"""The roofline of a machine: what its memory and its arithmetic allow, and what products reach below it.

Williams, Waterman, Patterson, "Roofline: an insightful visual performance model", 2009.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any

from tensorlab.figures.svg import Figure, drawing, label

__all__ = ["roofline"]

_WIDTH, _HEIGHT = 560, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 12, 26, 48


def roofline(report: Mapping[str, Any], caption: str) -> Figure:
    """Return the plot of `tensorlab.bench.gemm.roofline`: operations a second over operations a byte.

    Both axes are logarithmic. The slanted roof is what the memory's bandwidth allows, and each level one is
    the most arithmetic that one dtype allows; a dot is a product.

    Args:
        report: the peaks, the bandwidth and the points.
        caption: what to see.

    Raises:
        ValueError: there is no point to draw.

    Example:
        >>> report = {
        ...     "threads": 1,
        ...     "peak_operations_per_second": {"float32": 1e11},
        ...     "copy_bytes_per_second_one_thread": 1e10,
        ...     "points": [{"name": "float32, 64³", "intensity": 10.7, "operations_per_second": 8e10}],
        ... }
        >>> figure = roofline(report, "One product.")
        >>> "float32, 64³: 80.0 GFLOP/s, 10.7 operations a byte" in figure.drawings[0]
        True
    """
    points: Sequence[Mapping[str, Any]] = report["points"]
    if not points:
        raise ValueError("a roofline needs at least one point: the benchmark compared no product")
    bandwidth: float = report["copy_bytes_per_second_one_thread"]
    peaks: Mapping[str, float] = report["peak_operations_per_second"]
    reached = [point["operations_per_second"] for point in points]
    intensities = [point["intensity"] for point in points]
    highest = max([*peaks.values(), *reached])
    ridges = [peak / bandwidth for peak in peaks.values()]
    across = _Axis(min(intensities), max([*intensities, *ridges]), _LEFT, _WIDTH - _RIGHT)
    up = _Axis(min(reached), highest, _HEIGHT - _BOTTOM, _TOP)
    parts = [*_grid(across, up)]
    for name, peak in peaks.items():
        parts += _roof(across, up, peak, bandwidth, name)
    parts += [_dot(across, up, point) for point in points]
    says = (
        f"{len(points)} products below the roofs of a machine that does "
        + " and ".join(f"{peak / 1e9:.0f} GFLOP/s in {name}" for name, peak in peaks.items())
        + f" and copies {bandwidth / 1e9:.0f} GB/s"
    )
    return Figure([drawing(_WIDTH, _HEIGHT, says, parts)], caption)


class _Axis:
    """A logarithmic axis: whole powers of ten around the numbers that it has to show."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.first, self.last = math.floor(math.log10(low)), math.ceil(math.log10(high * 1.05))
        self.start, self.end = start, end

    def __call__(self, value: float) -> float:
        share = (math.log10(value) - self.first) / (self.last - self.first)
        return self.start + share * (self.end - self.start)

    @property
    def limits(self) -> tuple[float, float]:
        return 10.0**self.first, 10.0**self.last

    @property
    def ticks(self) -> list[float]:
        return [10.0**power for power in range(self.first, self.last + 1)]


def _line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f} L{x2:.1f} {y2:.1f}" fill="none" style="{style}"/>'


def _grid(across: _Axis, up: _Axis) -> list[str]:
    soft = "stroke:var(--tl-cell-edge, #7d8798);stroke-width:1;opacity:0.35"
    parts = []
    for tick in across.ticks:
        x = across(tick)
        parts.append(_line(x, up.start, x, up.end, soft))
        parts.append(label(x, up.start + 18, f"{tick:g}", "soft", anchor="middle", size=15))
    for tick in up.ticks:
        y = up(tick)
        parts.append(_line(across.start, y, across.end, y, soft))
        parts.append(label(across.start - 6, y + 4.5, f"{tick / 1e9:g}", "soft", anchor="end", size=15))
    parts.append(label(across.end, up.start + 36, "operations for each byte", "soft", anchor="end", size=15))
    parts.append(label(2, 14, "GFLOP/s", "soft", size=15))
    return parts


def _roof(across: _Axis, up: _Axis, peak: float, bandwidth: float, name: str) -> list[str]:
    """The two limits of one dtype: the slanted one ends where the level one begins."""
    low, high = across.limits
    ridge = min(max(peak / bandwidth, low), high)
    foot = max(low, up.limits[0] / bandwidth)
    style = "stroke:var(--tl-stride, #9a580a);stroke-width:2"
    parts = [_line(across(ridge), up(peak), across.end, up(peak), style)]
    if foot < ridge:
        parts.append(_line(across(foot), up(foot * bandwidth), across(ridge), up(ridge * bandwidth), style))
    parts.append(
        label(across.end, up(peak) - 6, f"{name}: {peak / 1e9:.0f} GFLOP/s", "stride", anchor="end", size=15)
    )
    return parts


def _dot(across: _Axis, up: _Axis, point: Mapping[str, Any]) -> str:
    rate, intensity = point["operations_per_second"], point["intensity"]
    says = f"{point['name']}: {rate / 1e9:.1f} GFLOP/s, {intensity:.1f} operations a byte"
    return (
        f'<circle cx="{across(intensity):.1f}" cy="{up(rate):.1f}" r="4.5" '
        f'style="fill:var(--tl-reach, #5b8def);stroke:var(--tl-reach-edge, #2f5fc4)">'
        f"<title>{html.escape(says)}</title></circle>"
    )
