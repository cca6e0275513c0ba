"""The running image: a lighthouse of 24 × 24 brightnesses, and tensors painted as pictures."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tensorlab.figures.figure import Figure
from tensorlab.figures.scene import Scene

if TYPE_CHECKING:
    from tensorlab.tensor import Tensor

__all__ = ["lighthouse", "picture"]

_SIDE = 24
_STARS = {(1, 8), (3, 20), (6, 22), (2, 12), (9, 21), (14, 3), (11, 10), (13, 23)}
_PAINT = (  # brightness and its colour: night, deep water, sea, aqua, sand, lamp
    (0, (11, 19, 43)),
    (60, (30, 58, 110)),
    (120, (67, 122, 201)),
    (185, (134, 208, 192)),
    (235, (251, 240, 192)),
    (255, (255, 206, 92)),
)


def lighthouse() -> Tensor:
    """Return the book's running image: float32 of shape (24, 24), brightnesses from 0, dark, to 255.

    The numbers are whole, so that ``lighthouse().to(tl.uint8)`` is the same picture. Each call makes a
    new one.

    Example:
        >>> x = lighthouse()
        >>> x.shape, x.stride(), x.max().item()
        (tensorlab.Size([24, 24]), (24, 1), 255.0)
    """
    import tensorlab as tl

    rows = [[float(_brightness(row, column)) for column in range(_SIDE)] for row in range(_SIDE)]
    return tl.tensor(rows)


def _brightness(row: int, column: int) -> int:
    """One point of the picture: what is nearest to the eye comes first."""
    aside = abs(column - 17)  # from the middle of the tower
    if (row in (1, 2) and aside == 0) or (row == 3 and aside <= 2) or (row == 7 and aside <= 3):
        return 18  # the roof and the gallery
    if 4 <= row <= 6 and aside <= 1:
        return 255  # the lamp
    if 8 <= row <= 18 and aside <= 1 + row // 13:
        light, dark = 236 - 14 * (column - 15), 84 - 9 * (column - 15)
        return light if (row - 8) // 3 % 2 == 0 else dark
    if row >= 18 and aside <= row - 15:
        return 12 + 9 * ((row + column) % 2)  # the rock
    if row >= 19:
        return 104 - 9 * (row - 19) + 30 * ((column + 3 * row) % 7 < 2)  # the sea, and its waves
    if column < 16 and abs(row - 5) <= (16 - column) * 0.26:
        return 236 - 9 * (16 - column)  # the beam
    return 200 if (row, column) in _STARS else 24 + 4 * row  # the sky grows lighter towards the sea


def picture(
    x: Tensor | Mapping[str, Tensor], caption: str = "", most: float = 255.0, *, facts: bool = True
) -> Figure:
    """Return a figure of tensors painted as pictures, with their shapes and strides.

    A number from 0 to `most` becomes a brightness: dark water, sea, aqua, sand, lamp. A tensor of shape
    (height, width, 3) is painted as red, green and blue. What does not share the first picture's memory
    has the doubled frame of a copy.

    Args:
        x: a tensor, or name -> tensor; of shape (height, width) or (height, width, 3).
        caption: what to see.
        most: the number that is brightest; above it and below 0 nothing changes any more.
        facts: whether strides and the frames of copies are shown; a figure that asks leaves them out.

    Raises:
        ValueError: a tensor is no picture, or has no elements.

    Example:
        >>> x = lighthouse()
        >>> figure = picture({"x": x, "x.t()": x.t(), "x.flip(1)": x.flip(1)}, "The third is new memory.")
        >>> "x.flip(1): shape (24, 24), stride (24, 1), a copy" in figure._repr_html_()
        True
    """
    tensors = dict(x) if isinstance(x, Mapping) else {"": x}
    for name, t in tensors.items():
        if not (t.dim() == 2 or (t.dim() == 3 and t.shape[2] == 3)) or t.numel() == 0:
            raise ValueError(
                f"a picture has the shape (height, width) or (height, width, 3); {name or 'this one'} has "
                f"{tuple(t.shape)}"
            )
    home = next(iter(tensors.values())).untyped_storage().data_ptr()
    copies = {name for name, t in tensors.items() if t.untyped_storage().data_ptr() != home}
    says = "; ".join(
        f"{name}: shape {tuple(t.shape)}"
        + (
            f", stride {tuple(t.stride())}, {'a copy' if name in copies else 'a view of the same memory'}"
            if facts
            else ""
        )
        for name, t in tensors.items()
    )

    def draw(width: float) -> Scene:
        s = Scene(width, "Tensors painted as pictures", says)
        across = min(len(tensors), 4 if s.wide else 2)
        pitch = width / across
        side = min(pitch - 16, 216 if s.wide else 168)
        sizes = {name: min(side / t.shape[0], side / t.shape[1]) for name, t in tensors.items()}
        names, y = list(tensors), 8.0
        for start in range(0, len(names), across):
            row = names[start : start + across]
            y += max(sizes[name] * tensors[name].shape[0] for name in row)  # the pictures end on one line
            for number, name in enumerate(row):
                t, size, middle = tensors[name], sizes[name], (number + 0.5) * pitch
                left, top = middle - size * t.shape[1] / 2, y - size * t.shape[0]
                box = s.pixels(left, top, _painted(t, most), size)
                s.text(middle, y + 24, name, size=13, anchor="middle", bold=True, mono=True)
                if facts:
                    told = ("a copy", "copy") if name in copies else (f"stride {tuple(t.stride())}", "stride")
                    s.text(middle, y + 42, *told, 12, "middle", mono=True)
                if facts and name in copies:
                    s.copied(box, 1.5)
            y += 66 if facts else 48
        return s

    return Figure(draw, caption)


def _painted(t: Tensor, most: float) -> list[list[tuple[int, int, int]]]:
    rows: Any = t.tolist()
    if t.dim() == 2:
        return [[_paint(255 * float(number) / most) for number in row] for row in rows]
    return [[_clamped([255 * part / most for part in pixel]) for pixel in row] for row in rows]


def _clamped(parts: list[float]) -> tuple[int, int, int]:
    red, green, blue = (min(max(round(part), 0), 255) for part in parts)
    return red, green, blue


def _paint(brightness: float) -> tuple[int, int, int]:
    level = min(max(brightness, 0.0), 255.0)
    for (low, start), (high, end) in itertools.pairwise(_PAINT):
        if level <= high:
            share = (level - low) / (high - low)
            return _clamped([a + (b - a) * share for a, b in zip(start, end, strict=True)])
    raise AssertionError("a brightness is at most 255")
