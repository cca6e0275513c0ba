"""What fits into a number: the circle of an integer dtype, and the gaps between floats."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

from tensorlab.figures.figure import Figure
from tensorlab.figures.scene import Scene

__all__ = ["float_steps", "integer_circle"]

_INNER, _OUTER = 46, 112  # radius of the walk at its start and at its end


def integer_circle(number: int, caption: str = "", bits: int = 8) -> Figure:
    """Return a figure: counting from 0 up to `number` on the circle of the signed integers of so many bits.

    Args:
        number: where the count ends; not negative, and less than eight times round.
        caption: what to see.
        bits: of the integer, from 2 to 64.

    Raises:
        ValueError: `number` is negative or goes round too often to be seen.

    Example:
        >>> figure = integer_circle(1000, "Almost four times round.")
        >>> "ends at -24 after crossing the seam 4 times" in figure._repr_html_()
        True
    """
    size = 2**bits
    if not 0 <= number < 8 * size:
        raise ValueError(f"number={number}: a walk from 0 to {8 * size - 1} can be drawn with {bits} bits")
    end = (number + size // 2) % size - size // 2
    crossed = (number + size // 2) // size
    says = (
        f"A circle of {size} values, from {-size // 2} to {size // 2 - 1}. Counting from 0 to {number} goes "
        f"round it, and ends at {end} after crossing the seam {crossed} times."
    )

    def draw(width: float) -> Scene:
        s = Scene(width, f"{number} as an integer of {bits} bits", says)
        x, y = (min(width / 2, 190), 158.0)

        def at(value: float, radius: float) -> tuple[float, float]:
            return x + radius * sin(2 * pi * value / size), y - radius * cos(2 * pi * value / size)

        ring = [at(size * part / 90, _OUTER + 14) for part in range(91)]
        s.path("M" + "L".join(f"{a:.4g} {b:.4g}" for a, b in ring), "edge", 1, bottom=y + _OUTER + 14)
        for value, anchor, dx, dy in (
            (0, "middle", 0, -8),
            (size // 4, "start", 8, 5),
            (size // 2 - 1, "start", 6, 20),
            (-size // 2, "end", -6, 20),
            (-size // 4, "end", -8, 5),
        ):
            left, top = at(value, _OUTER + 14)
            s.text(left + dx, top + dy, value, "ink-soft", 13, anchor, mono=True)
        count = max(int(90 * number / size), 1)
        walk = [
            at(number * part / count, _INNER + (_OUTER - _INNER) * part / count) for part in range(count + 1)
        ]
        s.path("M" + "L".join(f"{a:.4g} {b:.4g}" for a, b in walk[:-1]), "stride", 2)
        s.arrow(walk[-2], walk[-1], "stride", width=2)
        s.wall(x, y + _INNER - 6, y + _OUTER + 20)
        s.text(x, y + 5, f"0 … {number}", "stride", 13, "middle", bold=True, mono=True)
        left, top = (x + _OUTER + 80, y - 40) if s.wide else (16, y + _OUTER + 68)
        rounds, rest = divmod(number, size)
        lines = [f"{number} = {rounds} × {size} + {rest}"]
        lines += [f"{rest} − {size} = {end}"] if rest != end else []
        for line, words in enumerate([*lines, f"int{bits} shows {end}"]):
            s.text(left, top + 26 * line, words, size=15, bold=line == len(lines), mono=True)
        return s

    return Figure(draw, caption)


def float_steps(caption: str = "") -> Figure:
    """Return a figure: all numbers of a float with three digits, from 0 to 8 and next to zero.

    They are the `float16` whose last eight bits are 0.

    Args:
        caption: what to see.

    Example:
        >>> "0.25 from 1 to 2, 0.5 from 2 to 4, 1 from 4 to 8" in float_steps()._repr_html_()
        True
    """
    import tensorlab as tl

    values: Any = (tl.arange(80, dtype=tl.int16) * 256).view(tl.float16).tolist()
    least = values[1]
    above = [value for value in values if value <= 8]
    small = [value / least for value in values[:17] if value <= 16 * least]
    gaps = {low: next(value for value in above if value > low) - low for low in (1.0, 2.0, 4.0)}
    told = ", ".join(f"{gap:g} from {low:g} to {2 * low:g}" for low, gap in gaps.items())
    says = (
        f"A float with three binary digits. Its numbers are {told} apart. "
        "Next to zero the first eight are evenly spaced."
    )

    def draw(width: float) -> Scene:
        s = Scene(width, "The numbers that a float can hold", says)
        left, right = 14.0, width - 14

        def ruler(y: float, numbers: list[float], named: dict[float, str]) -> None:
            def place(value: float) -> float:
                return left + (right - left) * value / max(numbers)

            s.path(f"M{left:g} {y:g}H{right:g}", "edge", 1, bottom=y)
            for value in numbers:
                tall = 16 if value in named else 11
                s.path(f"M{place(value):.5g} {y - tall:g}V{y:g}", "stride" if tall == 16 else "shape", 1.75)
            for value, name in named.items():
                anchor = "start" if value == 0 else "end" if value == max(numbers) else "middle"
                s.text(place(value), y + 18, name, "ink", 13, anchor, mono=True)

        powers = {0.0: "0", 1.0: "1", 2.0: "2", 4.0: "4", 8.0: "8"}
        s.text(left, 14, "from 0 to 8", size=14, bold=True)
        ruler(84, above, powers)
        for low, gap in gaps.items():
            near, far = (left + (right - left) * value / 8 for value in (low, 2 * low))
            s.brace(near + 2, far - 2, 62, f"{gap:g}" if low < 2 else f"gap {gap:g}", "stride", above=True)
        s.text(left, 146, "next to zero, in units of the smallest", size=14, bold=True)
        ruler(188, small, {0.0: "0", 4.0: "4", 8.0: "8", 16.0: "16"})
        middle = left + (right - left) / 8
        s.text(middle, 226, "subnormal", "ink-soft", 13, "middle")
        s.arrow((middle, 212), (middle, 192), "ink-soft")
        return s

    return Figure(draw, caption)
