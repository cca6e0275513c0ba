"""Every number of a column with every number of a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorlab.figures.elements import Elements
from tensorlab.figures.figure import Figure
from tensorlab.figures.scene import Scene

if TYPE_CHECKING:
    from tensorlab.tensor import Tensor

__all__ = ["broadcast_grid"]


def broadcast_grid(
    column: Tensor,
    row: Tensor,
    table: Tensor,
    sign: str,
    caption: str = "",
    hand: Callable[[int, int], bool] | None = None,
) -> Figure:
    """Return a figure: a column at the left, a row above, and where they cross the table that they make.

    Args:
        column: of shape (m, 1).
        row: of shape (n,).
        table: of shape (m, n), what was computed.
        sign: how an element of the table was computed, such as "a − b".
        caption: what to see.
        hand: says for an index (i, j) of the table whether its cell is in hand.

    Raises:
        ValueError: the shapes don't belong together.

    Example:
        >>> import tensorlab as tl
        >>> a, b = tl.tensor([[1], [2]]), tl.tensor([1, 2, 3])
        >>> "row 1: 0, -1, -2; row 2: 1, 0, -1" in broadcast_grid(a, b, a - b, "a − b")._repr_html_()
        True
    """
    m, n = column.shape[0], row.shape[0]
    if tuple(column.shape) != (m, 1) or tuple(row.shape) != (n,) or tuple(table.shape) != (m, n):
        raise ValueError(
            f"a column (m, 1), a row (n,) and a table (m, n) are drawn; got {tuple(column.shape)}, "
            f"{tuple(row.shape)}, {tuple(table.shape)}"
        )
    a, b, numbers = Elements(column), Elements(row), Elements(table).values
    rows = "; ".join(f"row {i}: {', '.join(line)}" for i, line in enumerate(numbers, 1))
    says = f"A column of {m} and a row of {n} make a table, {sign}. {rows}."

    def draw(width: float) -> Scene:
        s = Scene(width, "A column and a row make a table", says)
        size = 46.0
        left, top = 96.0, 84.0
        s.text(left, 14, f"b  {tuple(row.shape)}", "shape", 13, bold=True, mono=True)
        s.text(left + 92, 14, "stride (0, 1)", "stride", 12, mono=True)
        across = s.grid(left, 26, b.values, b.fills(), size, 36)
        down = s.grid(8, top, a.values, a.fills(), size, 36)
        s.text(8, top - 26, f"a  {tuple(column.shape)}", "shape", 13, bold=True, mono=True)
        s.text(8, top - 8, "(1, 0)", "stride", 12, mono=True)
        kinds = [["hand" if hand and hand(i, j) else "rest" for j in range(n)] for i in range(m)]
        made = s.grid(left, top, numbers, kinds, size, 36)
        s.arrow(
            (down.right + 6, made[0, 0].middle[1]), (left - 6, made[0, 0].middle[1]), "view", dashes="4 4"
        )
        s.arrow((across[0].s[0], across.bottom + 3), (across[0].s[0], top - 3), "view", dashes="4 4")
        x, y = (made.right + 28, top + 22) if s.wide else (left, made.bottom + 26)
        s.text(x, y, f"{sign}  {tuple(table.shape)}", "shape", 13, bold=True, mono=True)
        s.text(x, y + 22, f"{m} + {n} numbers in, {m * n} out", "ink-soft", 13)
        return s

    return Figure(draw, caption)
