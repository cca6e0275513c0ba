"""Points in the plane and straight lines that were fitted to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tensorlab.figures.svg import Figure, dot, drawing, label, segment

__all__ = ["lines_through_points"]

_WIDTH, _HEIGHT = 300, 200
_LEFT, _TOP = 34, 12
_WORDS = 156  # for the names of the lines, to the right
_DASHES = ("", "7 5", "2 4")


def lines_through_points(
    x: Sequence[float], y: Sequence[float], lines: Mapping[str, tuple[float, float]], caption: str
) -> Figure:
    """Return a figure: points, and lines y = w · x + b through them, each named at its right end.

    Args:
        x, y: the points, at least two different ones in x.
        lines: name -> (w, b); up to three, told apart by their dashes.
        caption: what to see.

    Raises:
        ValueError: the numbers of x and y differ, all x are equal, or there are more than three lines.

    Example:
        >>> figure = lines_through_points([0, 1, 2], [1, 3, 5], {"found": (2, 1)}, "A perfect fit.")
        >>> "3 points; line found: y = 2.00 x + 1.00" in figure._repr_html_()
        True
    """
    if len(x) != len(y) or len(set(x)) < 2 or len(lines) > len(_DASHES):
        raise ValueError(
            f"{len(x)} x and {len(y)} y with {len(lines)} lines: give as many y as x, two different x, "
            f"and up to {len(_DASHES)} lines"
        )
    ends = {name: [w * at + b for at in (min(x), max(x))] for name, (w, b) in lines.items()}
    heights = [*y, *(height for pair in ends.values() for height in pair)]
    low, high = min(heights), max(heights)

    def place(at: float, height: float) -> tuple[float, float]:
        across = (at - min(x)) / (max(x) - min(x))
        return _LEFT + across * _WIDTH, _TOP + _HEIGHT * (1 - (height - low) / ((high - low) or 1))

    parts = [
        segment(_LEFT, _TOP + _HEIGHT, _LEFT + _WIDTH, _TOP + _HEIGHT),
        segment(_LEFT, _TOP, _LEFT, _TOP + _HEIGHT),
        label(_LEFT - 5, _TOP + 9, f"{high:.3g}", "soft", size=11, anchor="end"),
        label(_LEFT - 5, _TOP + _HEIGHT, f"{low:.3g}", "soft", size=11, anchor="end"),
        label(_LEFT, _TOP + _HEIGHT + 15, f"{min(x):.3g}", "soft", size=11),
        label(_LEFT + _WIDTH, _TOP + _HEIGHT + 15, f"{max(x):.3g}", "soft", size=11, anchor="end"),
        *(dot(*place(*point)) for point in zip(x, y, strict=True)),
    ]
    for dashes, (name, (first, last)) in zip(_DASHES, ends.items(), strict=False):
        start, end = place(min(x), first), place(max(x), last)
        parts.append(segment(*start, *end, "stride", dashes=dashes, thick=True))
        parts.append(label(end[0] + 8, end[1] + 5, name, "stride", bold=True))
    told = "; ".join(f"line {name}: y = {w:.2f} x + {b:.2f}" for name, (w, b) in lines.items())
    return Figure(
        [drawing(_LEFT + _WIDTH + _WORDS, _TOP + _HEIGHT + 22, f"{len(x)} points; {told}", parts)], caption
    )
