"""The roofline of a machine: what its memory and its arithmetic allow, and what products reach below it.

Williams, Waterman, Patterson, "Roofline: an insightful visual performance model", 2009.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from typing import Any

from tensorlab.figures.figure import Figure
from tensorlab.figures.plots import Axis, axes, dot
from tensorlab.figures.scene import Scene

__all__ = ["roofline"]


def roofline(report: Mapping[str, Any], caption: str = "") -> Figure:
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
        >>> "float32, 64³: 80.0 GFLOP/s, 10.7 operations a byte" in figure._repr_html_()
        True
    """
    points: Sequence[Mapping[str, Any]] = report["points"]
    if not points:
        raise ValueError("a roofline needs at least one point: the benchmark compared no product")
    bandwidth: float = report["copy_bytes_per_second_one_thread"] / 1e9
    peaks = {name: peak / 1e9 for name, peak in report["peak_operations_per_second"].items()}
    reached = [(point["intensity"], point["operations_per_second"] / 1e9) for point in points]
    ridges = [peak / bandwidth for peak in peaks.values()]
    across = [10.0**power for power in _powers([*ridges, *(intensity for intensity, _ in reached)])]
    up = [10.0**power for power in _powers([*peaks.values(), *(rate for _, rate in reached)])]
    says = (
        f"{len(points)} products below the roofs of a machine that does "
        + " and ".join(f"{peak:.0f} GFLOP/s in {name}" for name, peak in peaks.items())
        + f" and copies {bandwidth:.0f} GB/s"
    )

    def draw(width: float) -> Scene:
        s = Scene(width, "Roofline of a machine", says)
        right, rise = Axis(across, 52, width - 12, log=True), Axis(up, 360, 40, log=True)
        axes(s, right, rise, "operations for each byte", "GFLOP/s")
        for name, peak in peaks.items():
            ridge, foot = peak / bandwidth, max(across[0], up[0] / bandwidth)
            slope = f"M{right(foot):.1f} {rise(foot * bandwidth):.1f}L{right(ridge):.1f} {rise(peak):.1f}"
            s.path(f"{slope}H{right.end}", "stride", 2)
            s.text(right.end, rise(peak) - 6, f"{name}: {peak:.0f} GFLOP/s", "stride", 13, "end", halo=True)
        for point, (intensity, rate) in zip(points, reached, strict=True):
            told = f"{point['name']}: {rate:.1f} GFLOP/s, {intensity:.1f} operations a byte"
            dot(s, right(intensity), rise(rate), "reach", told)
        return s

    return Figure(draw, caption)


def _powers(numbers: Sequence[float]) -> range:
    """The powers of ten around numbers."""
    return range(floor(log10(min(numbers))), ceil(log10(max(numbers) * 1.05)) + 1)
