"""What was counted and what was measured, side by side."""

from __future__ import annotations

from collections.abc import Mapping

from tensorlab.figures.figure import Figure
from tensorlab.figures.ink import memory
from tensorlab.figures.scene import Scene

__all__ = ["measured_bars"]


def measured_bars(measures: Mapping[str, Mapping[str, float]], caption: str = "") -> Figure:
    """Return a figure: for each measure one bar for each thing, as long as its number.

    Args:
        measures: what was measured -> (name -> number); the same names everywhere, no number negative.
        caption: what to see.

    Raises:
        ValueError: the names differ, or no number of a measure is positive.

    Example:
        >>> figure = measured_bars({"bytes": {"a": 100, "b": 50}, "ms": {"a": 2.0, "b": 1.0}})
        >>> "bytes: a 100, b 50; ms: a 2, b 1" in figure._repr_html_()
        True
    """
    names = list(next(iter(measures.values()), {}))
    for measure, numbers in measures.items():
        if list(numbers) != names or max(numbers.values(), default=0) <= 0 or min(numbers.values()) < 0:
            raise ValueError(
                f"{measure}: one number for each of {names} is drawn, none negative, one positive"
            )
    told = {
        measure: {name: _short(number) for name, number in numbers.items()}
        for measure, numbers in measures.items()
    }
    says = "; ".join(
        f"{measure}: {', '.join(f'{name} {number}' for name, number in numbers.items())}"
        for measure, numbers in told.items()
    )

    def draw(width: float) -> Scene:
        s = Scene(width, "Counted and measured", says)
        left = 8.2 * max(map(len, names)) + 16
        longest = width - left - 84
        y = 0.0
        for measure, numbers in measures.items():
            s.text(0, y + 16, measure, size=14, bold=True)
            y += 26
            for place, (name, number) in enumerate(numbers.items()):
                s.text(left - 10, y + 17, name, size=13, anchor="end", mono=True)
                share = number / max(numbers.values())
                bar = s.bar(left, y, max(longest * share, 3), kind=memory(place / max(len(names) - 1, 1)))
                s.text(bar.right + 8, y + 17, told[measure][name], size=13, mono=True)
                y += 30
            y += 12
        return s

    return Figure(draw, caption)


def _short(number: float) -> str:
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.3g}"
