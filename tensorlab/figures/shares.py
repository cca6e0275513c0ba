"""Probabilities as bars, and what flows through an operation: forwards a value, backwards a gradient."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tensorlab.figures.figure import Figure
from tensorlab.figures.ink import memory
from tensorlab.figures.scene import Scene

__all__ = ["shares", "values_and_gradients"]


def shares(rows: Mapping[str, Sequence[float]], caption: str = "") -> Figure:
    """Return a figure: for each row one bar for each of its numbers, the whole width being 1.

    A number that isn't finite has no bar, and its name in red.

    Args:
        rows: name -> numbers from 0 to 1.
        caption: what to see.

    Raises:
        ValueError: there are no rows, or a finite number is not between 0 and 1.

    Example:
        >>> figure = shares({"softmax": [0.75, 0.25], "formula": [float("nan"), 0.0]})
        >>> "softmax: 0.750, 0.250; formula: nan, 0.000" in figure._repr_html_()
        True
    """
    every = [number for numbers in rows.values() for number in numbers]
    outside = [number for number in every if math.isfinite(number) and not 0 <= number <= 1 + 1e-6]
    if not every or outside:
        raise ValueError(f"shares are numbers from 0 to 1, got {outside or 'none'}")
    says = "; ".join(
        f"{name}: {', '.join(f'{number:.3f}' for number in numbers)}" for name, numbers in rows.items()
    )

    def draw(width: float) -> Scene:
        s = Scene(width, "Shares", says)
        left, y = 8.0, 0.0
        longest = width - left - 70
        for name, numbers in rows.items():
            s.text(0, y + 16, name, size=13, bold=True, mono=True)
            y += 26
            for place, number in enumerate(numbers):
                if not math.isfinite(number):
                    s.path(f"M{left:g} {y:g}v22", "wrong", 3)
                    s.text(left + 10, y + 16, f"{number:g}", "wrong", 13, bold=True, mono=True)
                else:
                    fill = memory(place / max(len(numbers) - 1, 1))
                    bar = s.bar(left, y, max(longest * number, 2), kind=fill, height=22)
                    s.text(bar.right + 8, y + 16, f"{number:.3f}", size=13, mono=True)
                y += 25
            y += 14
        return s

    return Figure(draw, caption)


def values_and_gradients(ways: Mapping[str, Sequence[tuple[str, float, float]]], caption: str = "") -> Figure:
    """Return a figure: chains of operations, above each its value and below it the gradient that arrives.

    Args:
        ways: name -> the steps from the input to the result, each its name, its value, and the gradient of
            the result with respect to it.
        caption: what to see.

    Raises:
        ValueError: a way has fewer than two steps.

    Example:
        >>> figure = values_and_gradients({"one where": [("x", 0.0, float("nan")), ("sqrt", 0.0, 0.0)]})
        >>> "one where: x 0 with gradient nan, sqrt 0 with gradient 0" in figure._repr_html_()
        True
    """
    if not ways or min(map(len, ways.values())) < 2:
        raise ValueError("a way has at least two steps")
    says = "; ".join(
        f"{name}: {', '.join(f'{step} {value:g} with gradient {g:g}' for step, value, g in steps)}"
        for name, steps in ways.items()
    )
    most = max(map(len, ways.values()))

    def draw(width: float) -> Scene:
        s = Scene(width, "Forwards and back", says)
        apart = min((width - 8) / most, 150.0)
        wide = apart - 26
        y = 0.0
        for name, steps in ways.items():
            s.text(0, y + 15, name, size=14, bold=True)
            y += 30
            for place, (step, value, g) in enumerate(steps):
                x = 4 + place * apart
                s.text(x + wide / 2, y + 11, f"{value:g}", "shape", 13, "middle", mono=True)
                s.cell(x, y + 18, step, "rest", wide, 34, font=12 if s.wide else 11)
                ink = "wrong" if math.isnan(g) else "gradient"
                s.text(x + wide / 2, y + 70, f"{g:g}", ink, 13, "middle", bold=math.isnan(g), mono=True)
                if place:
                    s.arrow((x - 25, y + 28), (x - 1, y + 28), "shape")
                    s.arrow((x - 1, y + 43), (x - 25, y + 43), "gradient")
            y += 92
        return s

    return Figure(draw, caption)
