"""The letters of an einsum: which dimensions stay, and which are summed over."""

from __future__ import annotations

from tensorlab.figures.anchors import Box
from tensorlab.figures.figure import Figure
from tensorlab.figures.ink import memory
from tensorlab.figures.scene import Scene

__all__ = ["einsum_letters"]

_TILE = 38.0


def einsum_letters(equation: str, caption: str = "") -> Figure:
    """Return a figure: the letters of the operands, and where each of them goes in the result.

    Args:
        equation: such as ``"ij,jk->ik"``, with an arrow.
        caption: what to see.

    Raises:
        ValueError: there is no arrow, or a letter of the result is in no operand.

    Example:
        >>> "Kept: i and k. Summed over: j." in einsum_letters("ij,jk->ik")._repr_html_()
        True
    """
    before, arrow, result = equation.replace(" ", "").partition("->")
    terms = before.split(",")
    letters = list(dict.fromkeys("".join(terms)))
    if not arrow or not set(result) <= set(letters):
        raise ValueError(f"{equation!r}: write the operands' letters, an arrow, and letters of the result")
    summed = [letter for letter in letters if letter not in result]
    says = f"Kept: {' and '.join(result) or 'nothing'}. Summed over: {' and '.join(summed) or 'nothing'}."
    colours = {letter: memory(place / max(len(letters) - 1, 1)) for place, letter in enumerate(letters)}

    def draw(width: float) -> Scene:
        s = Scene(width, f"The letters of {equation}", says)
        gap = 64.0 if s.wide else 30.0
        x, tiles = 8.0, []
        for number, term in enumerate(terms):
            s.text(x, 14, "abcdefg"[number % 7], size=14, bold=True, mono=True)
            tiles += [
                (letter, _tile(s, x + _TILE * place, 24, letter, colours[letter]))
                for place, letter in enumerate(term)
            ]
            x += _TILE * len(term) + gap
        y = 148.0
        kept = {
            letter: _tile(s, 8 + _TILE * place, y, letter, colours[letter])
            for place, letter in enumerate(result)
        }
        s.text(8, y + _TILE + 20, "the result", "shape", 13, bold=True)
        left = 8 + _TILE * max(len(result), 2) + gap
        gone = {
            letter: _tile(s, left + _TILE * place, y, letter, "again") for place, letter in enumerate(summed)
        }
        if gone:
            s.text(left, y + _TILE + 20, "Σ summed over", "stride", 13, bold=True)
        for letter, tile in tiles:
            goal = kept.get(letter) or gone[letter]
            s.arrow(
                (tile.s[0], tile.bottom + 3), (goal.n[0], goal.y - 3), "shape" if letter in kept else "stride"
            )
        return s

    return Figure(draw, caption)


def _tile(s: Scene, x: float, y: float, letter: str, fill: str) -> Box:
    return s.cell(x, y, letter, fill, _TILE, font=16)
