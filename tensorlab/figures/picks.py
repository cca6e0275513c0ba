"""Which elements of a table an index has taken."""

from __future__ import annotations

from collections.abc import Mapping

from tensorlab.figures.svg import CELL, Figure, cell, drawing, label
from tensorlab.tensor import Tensor

__all__ = ["picked_from"]

_TITLE, _FACTS, _TOP = 16, 36, 50  # baselines of the two lines of text, top of the first cells
_WIDEST = 190  # what name and facts need


def picked_from(x: Tensor, results: Mapping[str, Tensor], caption: str) -> Figure:
    """Return a figure: for each result the table, with the elements filled that the result holds.

    Args:
        x: a table whose numbers are all different, so that each can be told from the others.
        results: the expression that takes some of them -> what it gives.
        caption: what to see.

    Raises:
        ValueError: `x` is no table, or a number comes twice in it.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.arange(6).view(2, 3)
        >>> figure = picked_from(x, {"x[[0, 1], [2, 0]]": x[[0, 1], [2, 0]]}, "Two of six.")
        >>> "x[[0, 1], [2, 0]]: a copy of shape (2,) holds 2, 3" in figure._repr_html_()
        True
    """
    if x.dim() != 2 or len({number.item() for row in x for number in row}) < x.numel():
        raise ValueError("a table is drawn, of 2 dimensions and of numbers that are all different")
    return Figure([_panel(x, name, result) for name, result in results.items()], caption)


def _panel(x: Tensor, name: str, result: Tensor) -> str:
    taken = [number.item() for number in result.reshape(-1)]
    shares = result.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    kind, shape = "a view" if shares else "a copy", f"shape {tuple(result.shape)}"
    parts = [
        label(0, _TITLE, name, size=15, bold=True),
        label(0, _FACTS, kind, "soft"),
        label(56, _FACTS, shape, "shape"),
    ]
    for i, row in enumerate(x):
        for j, element in enumerate(row):
            number = element.item()
            fill = "reach" if number in taken else "rest"
            parts.append(cell(j * CELL, _TOP + i * CELL, f"{number:g}", fill))
    says = f"{name}: {kind} of {shape} holds {', '.join(f'{number:g}' for number in taken)}"
    return drawing(max(x.shape[1] * CELL, _WIDEST), _TOP + x.shape[0] * CELL + 2, says, parts)
