"""The bits of a float32, field by field."""

from __future__ import annotations

from collections.abc import Mapping

from tensorlab.figures.figure import Figure
from tensorlab.figures.ink import memory
from tensorlab.figures.scene import Scene

__all__ = ["float32_bits"]

_FIELDS = (("sign", 0, 1), ("exponent", 1, 9), ("fraction", 9, 32))


def float32_bits(patterns: Mapping[str, int], caption: str = "") -> Figure:
    """Return a figure of the bits of float32 numbers in their three fields: sign, exponent, fraction.

    Args:
        patterns: what stands above -> the 32 bits as an integer.
        caption: what to see.

    Raises:
        ValueError: an integer is not made of 32 bits.

    Example:
        >>> "1.0: sign 0, exponent 01111111, fraction 00" in float32_bits({"1.0": 0x3F800000})._repr_html_()
        True
    """
    for name, pattern in patterns.items():
        if not 0 <= pattern < 1 << 32:
            raise ValueError(f"{name} is {pattern:#x}, which is no pattern of 32 bits")
    bits = {name: f"{pattern:032b}" for name, pattern in patterns.items()}
    says = "; ".join(
        f"{name}: " + ", ".join(f"{field} {digits[a:b]}" for field, a, b in _FIELDS)
        for name, digits in bits.items()
    )

    def draw(width: float) -> Scene:
        s, y = Scene(width, "The bits of float32", says), 0.0
        size = 19.0 if s.wide else 14.8
        for number, (name, digits) in enumerate(bits.items()):
            s.text(0, y + 20, name, size=15, bold=True, mono=True)
            x, top = (62.0, y + 2) if s.wide else (80.0, y)
            for field, (word, a, b) in enumerate(_FIELDS):
                if word == "fraction" and not s.wide:
                    x, top = 0.0, top + 44
                fills = [memory(field / 2) if digit == "1" else "none" for digit in digits[a:b]]
                cells = s.strip(x, top, list(digits[a:b]), fills, size, 26)
                if number == 0:
                    end = cells.x if field else cells.right
                    s.text(end, cells.bottom + 15, word, "ink-soft", 12, "start" if field else "end")
                x = cells.right + (12 if s.wide else 16)
            y = cells.bottom + (26 if number == 0 else 12) + (0 if s.wide else 8)
        return s

    return Figure(draw, caption)
