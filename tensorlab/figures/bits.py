"""The bits of a float32, field by field."""

from __future__ import annotations

from collections.abc import Mapping

from tensorlab.figures.svg import CELL, Figure, cell, drawing, label

__all__ = ["float32_bits"]

_BIT = 8.5
_GAP = 6
_FIELDS = (("sign", 1), ("exponent", 8), ("fraction", 23))


def float32_bits(numbers: Mapping[str, int], caption: str) -> Figure:
    """Return a figure: for each number its 32 bits, cut into sign, exponent and fraction, with what they say.

    Args:
        numbers: what the number is called -> its bits as an int from 0 to 2^32 - 1.
        caption: what to see.

    Example:
        >>> figure = float32_bits({"1.5": 0x3FC00000}, "One half more than 1.")
        >>> "exponent 01111111, fraction 1000000" in figure._repr_html_()
        True
    """
    return Figure([_panel(name, bits) for name, bits in numbers.items()], caption)


def _panel(name: str, bits: int) -> str:
    text = f"{bits:032b}"
    parts = [label(0, 16, name, size=15, bold=True)]
    left, start, says = 0.0, 0, []
    for field, width in _FIELDS:
        digits = text[start : start + width]
        says.append(f"{field} {digits}")
        room = max(width * _BIT + 5, 30)
        parts.append(cell(left, 26, "", "rest", room))
        for place, digit in enumerate(digits):
            x = left + (room - width * _BIT) / 2 + (place + 0.5) * _BIT
            ink = "ink" if digit == "1" else "soft"
            parts.append(
                label(x, 26 + CELL / 2 + 4.5, digit, ink, size=12, anchor="middle", bold=digit == "1")
            )
        parts.append(label(left + room / 2, 26 + CELL + 14, field, "soft", size=11, anchor="middle"))
        left, start = left + room + _GAP, start + width
    return drawing(left - _GAP, 26 + CELL + 20, f"{name}: {', '.join(says)}", parts)
