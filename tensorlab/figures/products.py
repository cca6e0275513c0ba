"""Matrix products: which row and which column make an element, and which matrices of two batches meet."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from tensorlab.core import broadcasting, layout
from tensorlab.figures.svg import CELL, Figure, cell, drawing, label
from tensorlab.tensor import Tensor

__all__ = ["batches_that_meet", "row_meets_column"]

_TITLE = 20  # above a table
_GAP = 28  # between two tables
_PAIR = 52  # the width of a cell that names two matrices


def row_meets_column(a: Tensor, b: Tensor, at: tuple[int, int], caption: str) -> Figure:
    """Return a figure: `a` on the left, `b` above, ``a @ b`` where they cross, one element in hand.

    Args:
        a, b: matrices of shapes (m, k) and (k, n).
        at: the element of the product.
        caption: what to see.

    Example:
        >>> import tensorlab as tl
        >>> figure = row_meets_column(tl.ones(2, 3), tl.ones(3, 4), (1, 2), "One row, one column.")
        >>> "element [1, 2] of the product is 1 × 1 + 1 × 1 + 1 × 1 = 3" in figure._repr_html_()
        True
    """
    (m, k), n = a.shape, b.shape[1]
    i, j = at
    left, top = k * CELL + _GAP, k * CELL + _GAP + _TITLE
    parts = [
        label(0, top - 6, f"a  {tuple(a.shape)}", "shape"),
        label(left, 14, f"b  {tuple(b.shape)}", "shape"),
        label(left, top - 6, f"a @ b  {(m, n)}", "shape"),
    ]
    parts += _table(a, 0, top, lambda row, column: "reach" if row == i else "rest")
    parts += _table(b, left, _TITLE, lambda row, column: "reach" if column == j else "rest")
    parts += _table(a @ b, left, top, lambda row, column: "hand" if (row, column) == at else "rest")
    terms = " + ".join(f"{x.item():g} × {y.item():g}" for x, y in zip(a[i], b[:, j], strict=True))
    says = (
        f"a of shape {tuple(a.shape)}, b of shape {tuple(b.shape)}; "
        f"element {list(at)} of the product is {terms} = {(a @ b)[at].item():g}"
    )
    return Figure([drawing(left + max(n * CELL, 96), top + m * CELL + 2, says, parts)], caption)


def _table(x: Tensor, left: float, top: float, kind: Callable[[int, int], str]) -> list[str]:
    return [
        cell(left + column * CELL, top + row * CELL, f"{x[row, column].item():g}", kind(row, column))
        for row, column in itertools.product(*map(range, x.shape))
    ]


def batches_that_meet(a: tuple[int, ...], b: tuple[int, ...], caption: str) -> Figure:
    """Return a figure: for each matrix of the product, which matrix of `a` and which of `b` it is made of.

    Args:
        a, b: the batch shapes of the operands. Broadcast they have two dimensions.
        caption: what to see.

    Example:
        >>> figure = batches_that_meet((2, 1), (3,), "Every matrix is used more than once.")
        >>> "row 1: a1 @ b0, a1 @ b1, a1 @ b2" in figure._repr_html_()
        True
    """
    rows, columns = broadcasting.broadcast_shapes(a, b)
    steps = [broadcasting.broadcast_strides(x, layout.default_strides(x), (rows, columns)) for x in (a, b)]
    parts = [
        label(0, 14, f"a: batch {a}, strides {steps[0]}", "stride"),
        label(0, 32, f"b: batch {b}, strides {steps[1]}", "stride"),
    ]
    told = []
    for row, column in itertools.product(range(rows), range(columns)):
        first, second = (layout.flat_index((row, column), step) for step in steps)
        parts.append(cell(column * _PAIR, 42 + row * CELL, f"a{first} b{second}", "reach", _PAIR))
        told.append(f"a{first} @ b{second}")
    lines = [", ".join(told[row * columns : (row + 1) * columns]) for row in range(rows)]
    says = "; ".join(f"row {row}: {line}" for row, line in enumerate(lines))
    return Figure([drawing(max(columns * _PAIR, 220), 44 + rows * CELL, says, parts)], caption)
