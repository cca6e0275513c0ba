"""Matrix products: which row and column make an element, and which matrices of two batches are multiplied."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tensorlab.core import broadcasting, layout
from tensorlab.figures.anchors import Cells
from tensorlab.figures.elements import Elements
from tensorlab.figures.figure import Figure
from tensorlab.figures.ink import colour, memory
from tensorlab.figures.scene import Scene

if TYPE_CHECKING:
    from tensorlab.tensor import Tensor

__all__ = ["batched", "batches_that_meet", "row_meets_column"]


def row_meets_column(a: Tensor, b: Tensor, at: tuple[int, int], caption: str = "") -> Figure:
    """Return a figure of one element of a product: `a` at the left, `b` above, ``a @ b`` where they cross.

    Args:
        a, b: matrices of shapes (m, k) and (k, n).
        at: the element of the product.
        caption: what to see.

    Example:
        >>> import tensorlab as tl
        >>> figure = row_meets_column(tl.ones(2, 3), tl.ones(3, 4), (1, 2), "One row, one column.")
        >>> "element [1, 2] of the product is 1·1 + 1·1 + 1·1 = 3" in figure._repr_html_()
        True
    """
    (m, k), n, (i, j) = a.shape, b.shape[1], at
    left, above, both = (Elements(t).values for t in (a, b, a @ b))
    terms = " + ".join(f"{left[i][inner]}·{above[inner][j]}" for inner in range(k))
    says = f"element {list(at)} of the product is {terms} = {both[i][j]}"
    row = [memory(inner / max(k - 1, 1)) for inner in range(k)]

    def draw(width: float) -> Scene:
        s = Scene(width, "One element of a product", says)
        size = min(38, (width - 40) / (k + n)) if s.wide else min(34, (width - 28) / (k + n))
        x, y = k * size + 28, 24 + k * size + 34
        s.text(x, 14, f"b {tuple(b.shape)}", "shape", 13, mono=True)
        b_fills = [[row[inner] if column == j else "rest" for column in range(n)] for inner in range(k)]
        a_fills = [[row[inner] if line == i else "rest" for inner in range(k)] for line in range(m)]
        top = s.grid(x, 24, above, b_fills, size)
        side = s.grid(0, y, left, a_fills, size)
        hand = [["hand" if (line, column) == at else "none" for column in range(n)] for line in range(m)]
        product = s.grid(x, y, both, hand, size)
        s.text(0, y - 10, f"a {tuple(a.shape)}", "shape", 13, mono=True)
        s.text(x, product.bottom + 20, f"a @ b {(m, n)}", "shape", 13, mono=True)
        cell = product[i, j]
        s.arrow((side.right + 3, cell.middle[1]), (product.x - 3, cell.middle[1]), "hand-edge")
        s.arrow((cell.middle[0], top.bottom + 3), (cell.middle[0], product.y - 3), "hand-edge")
        s.text(
            0, product.bottom + 50, f"{terms} = {both[i][j]}", size=15 if s.wide else 13, bold=True, mono=True
        )
        return s

    return Figure(draw, caption)


def batches_that_meet(a: tuple[int, ...], b: tuple[int, ...], caption: str = "") -> Figure:
    """Return a figure of the matrices of a batched product: which of `a` is multiplied by which of `b`.

    Args:
        a, b: the batch shapes of the operands, which broadcast to two dimensions.
        caption: what to see.

    Example:
        >>> figure = batches_that_meet((2, 1), (3,), "Every matrix is used more than once.")
        >>> "row 1: a1 @ b0, a1 @ b1, a1 @ b2" in figure._repr_html_()
        True
    """
    rows, columns = broadcasting.broadcast_shapes(a, b)
    steps = [broadcasting.broadcast_strides(x, layout.default_strides(x), (rows, columns)) for x in (a, b)]
    pairs = [
        [[row * down + column * right for down, right in steps] for column in range(columns)]
        for row in range(rows)
    ]
    lines = [", ".join(f"a{first} @ b{second}" for first, second in line) for line in pairs]
    says = "; ".join(f"row {row}: {line}" for row, line in enumerate(lines))
    ends = [max(pair[k] for line in pairs for pair in line) for k in (0, 1)]

    def draw(width: float) -> Scene:
        s = Scene(width, "The matrices of a batched product", says)
        size = min(56, (width - 8) / columns / 2 - 8)
        s.text(0, 14, f"a: batch {a}, stride {steps[0]}", "stride", 13, mono=True)
        s.text(0, 34, f"b: batch {b}, stride {steps[1]}", "stride", 13, mono=True)
        for (row, line), column in itertools.product(enumerate(pairs), range(columns)):
            x, y = 1 + column * (width - 8) / columns, 52 + row * 50
            for k, name in enumerate("ab"):
                seen = any(pair[k] == line[column][k] for before in pairs[:row] for pair in before)
                seen = seen or any(pair[k] == line[column][k] for pair in line[:column])
                share = line[column][k] / max(ends[k], 1)
                fill = "again" if seen else memory(0.5 * share + 0.5 * k)
                s.cell(x + k * size, y, f"{name}{line[column][k]}", fill, size, 34, 13 if size > 24 else 11)
        return s

    return Figure(draw, caption)


def batched(a: Tensor, b: Tensor, caption: str = "") -> Figure:
    """Return a figure of a batched product: sheets behind each other; a sheet that is read again is dashed.

    Args:
        a, b: shapes (batch, m, k) and (batch, k, n); a batch of size 1 is read for every product.
        caption: what to see.

    Raises:
        ValueError: an operand has other than three dimensions, or they can't be multiplied.

    Example:
        >>> import tensorlab as tl
        >>> figure = batched(tl.ones(3, 2, 4), tl.ones(1, 4, 3), "b is read three times.")
        >>> "3 products (2, 4) @ (4, 3); b is one matrix, read again" in figure._repr_html_()
        True
    """
    if a.dim() != 3 or b.dim() != 3 or a.shape[2] != b.shape[1] or len({1, a.shape[0], b.shape[0]}) > 2:
        raise ValueError(
            f"two batches of matrices to be multiplied are wanted, got {tuple(a.shape)} and {tuple(b.shape)}"
        )
    (_, m, k), n, count = a.shape, b.shape[2], max(a.shape[0], b.shape[0])
    again = [f"{name} is one matrix, read again" for name, t in (("a", a), ("b", b)) if t.shape[0] < count]
    says = "; ".join([f"{count} products {(m, k)} @ {(k, n)}", *again])

    def draw(width: float) -> Scene:
        s = Scene(width, "A batch of products", says)
        size = min(34 if s.wide else 24, (width - 150) / (k + n) if s.wide else (width - 84) / (k + n))
        shift = size * 0.55
        back = (count - 1) * shift
        x, y = k * size + back + 36, 30 + back + k * size + 16 + back
        fills = [memory(0.2 + 0.6 * page / max(count - 1, 1)) for page in range(count)]
        top = _sheets(s, x, y - back - 16 - k * size, (k, n), size, fills, b.shape[0] < count)
        side = _sheets(s, 1, y, (m, k), size, fills, a.shape[0] < count)
        product = _sheets(s, x, y, (m, n), size, ["rest"] * count, False)
        for box in [*side.rows[m - 1], *(line[n - 1] for line in top.rows)]:
            s.cell(box.x, box.y, "", colour("hand"), size)
        last = product[m - 1, n - 1]
        s.cell(last.x, last.y, "", "hand", size)
        way = f"M{side.right + 3} {last.w[1]}H{last.x - 4}M{last.n[0]} {top.bottom + 3}V{last.y - 4}"
        s.path(way, "hand-edge", 2, "2 4")
        for t, name, box in ((a, "a", side), (a @ b, "a @ b", product)):
            s.text(box.x, box.bottom + 22, name, size=15, bold=True, mono=True)
            s.text(box.x, box.bottom + 40, tuple(t.shape), "shape", 13, mono=True)
        stride = broadcasting.broadcast_strides(b.shape, b.stride(), (count, k, n))
        s.text(1, 14, "b", size=15, bold=True, mono=True)
        s.text(22, 14, tuple(b.shape), "shape", 13, mono=True)
        s.text(1, 34, f"stride {stride}", "stride", 13, bold=True, mono=True)
        return s

    return Figure(draw, caption)


def _sheets(
    s: Scene, x: float, y: float, shape: tuple[int, int], size: float, fills: Sequence[str], again: bool
) -> Cells:
    """Matrices behind each other, the first in front; returns the front one."""
    for page in reversed(range(len(fills))):
        shift = page * size * 0.55
        front = s.sheet(x + shift, y - shift, shape, size, "again" if again and page else fills[page])
    return front
