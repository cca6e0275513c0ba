"""Reductions and index writes: which elements end up in which cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tensorlab.figures.anchors import Box
from tensorlab.figures.elements import Elements
from tensorlab.figures.figure import Figure
from tensorlab.figures.scene import Scene

if TYPE_CHECKING:
    from tensorlab.tensor import Tensor

__all__ = ["folded_into", "picked_from", "read_and_added_back"]


def folded_into(x: Tensor, sums: Mapping[str, int], caption: str = "") -> Figure:
    """Return a figure of a table and its sums: an arrow from each row, or column, to the sum that it becomes.

    Args:
        x: a tensor of two dimensions.
        sums: name -> the dimension that goes.
        caption: what to see.

    Raises:
        ValueError: `x` has other than two dimensions.

    Example:
        >>> import tensorlab as tl
        >>> figure = folded_into(tl.ones(2, 3), {"x.sum(1)": 1}, "The dimension that you name goes.")
        >>> "x.sum(1): dimension 1 goes, shape (2,), with keepdim (2, 1)" in figure._repr_html_()
        True
    """
    if x.dim() != 2:
        raise ValueError(f"a table has 2 dimensions; this tensor has {x.dim()}")
    kept = {name: tuple(x.sum(dim, keepdim=True).shape) for name, dim in sums.items()}
    says = "; ".join(
        f"{name}: dimension {dim} goes, shape {tuple(x.sum(dim).shape)}, with keepdim {kept[name]}"
        for name, dim in sums.items()
    )

    def draw(width: float) -> Scene:
        s, left, y = Scene(width, "A table and its sums", says), 0.0, 0.0
        size = 40 if s.wide else 36
        for name, dim in sums.items():
            s.text(left, y + 14, name, size=15, bold=True, mono=True)
            table = s.tensor(left, y + 26, x, size=size, facts="")
            totals = Elements(x.sum(dim, keepdim=True))
            x0, y0 = (table.x, table.bottom + 30) if dim == 0 else (table.right + 36, table.y)
            result = s.grid(x0, y0, totals.values, "none", size)
            for k, total in enumerate(box for row in result.rows for box in row):
                last = table[x.shape[0] - 1, k] if dim == 0 else table[k, x.shape[1] - 1]
                ends = (last.s, total.n) if dim == 0 else (last.e, total.w)
                pad = (0, 4) if dim == 0 else (4, 0)
                (a, b), (c, d) = ends
                s.arrow((a + pad[0], b + pad[1]), (c - pad[0], d - pad[1]), "ink", width=2)
            words = result.bottom + 22
            s.text(table.x, words, f"shape {tuple(x.sum(dim).shape)}", "shape", 13, mono=True)
            s.text(table.x, words + 18, f"keepdim {kept[name]}", "shape", 13, mono=True)
            left, y = (left + width / 2, 0.0) if s.wide else (0.0, words + 46)
        return s

    return Figure(draw, caption)


def picked_from(x: Tensor, results: Mapping[str, Tensor], caption: str = "") -> Figure:
    """Return a figure of what an index takes: the table, coloured where it is taken from, and the result.

    A result that is a copy has the doubled frame of new memory.

    Args:
        x: a table whose numbers are all different, so that each can be told from the others.
        results: the index expression -> what it returns, of up to two dimensions.
        caption: what to see.

    Raises:
        ValueError: `x` is no table, or a number is in it twice.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.arange(6).view(2, 3)
        >>> figure = picked_from(x, {"x[[0, 1], [2, 0]]": x[[0, 1], [2, 0]]}, "Two of six.")
        >>> "x[[0, 1], [2, 0]]: a copy of shape (2,) with 2, 3" in figure._repr_html_()
        True
    """
    table = Elements(x)
    colours = {
        number: fill
        for row in zip(table.values, table.fills(), strict=True)
        for number, fill in zip(*row, strict=True)
    }
    if x.dim() != 2 or len(colours) < x.numel():
        raise ValueError("a table of 2 dimensions is drawn, whose numbers are all different")
    home = x.untyped_storage().data_ptr()
    shares = {name: result.untyped_storage().data_ptr() == home for name, result in results.items()}
    taken = {
        name: [number for row in Elements(result).values for number in row]
        for name, result in results.items()
    }
    says = "; ".join(
        f"{name}: {'a view' if shares[name] else 'a copy'} of shape {tuple(result.shape)} with "
        f"{', '.join(taken[name])}"
        for name, result in results.items()
    )

    def draw(width: float) -> Scene:
        s = Scene(width, "What an index takes", says)
        across = min(len(results), 3) if s.wide else 1
        pitch, y = width / across, 0.0
        size = min(32, pitch / (x.shape[1] + 3.4)) if s.wide else 30
        for number, (name, result) in enumerate(results.items()):
            left = number % across * pitch
            if number and left == 0:
                y = s.height + 14
            s.text(left, y + 14, name, size=13, bold=True, mono=True)
            fills = [[colours[v] if v in taken[name] else "rest" for v in row] for row in table.values]
            grid = s.grid(left, y + 28, table.values, fills, size)
            rows = Elements(result).values
            down = s.wide and len(rows[0]) * size > pitch - grid.width - 50
            x0, y0 = (left + 8, grid.bottom + 30) if down else (grid.right + 40, grid.y + 6)
            found = s.grid(x0, y0, rows, [[colours[v] for v in row] for row in rows], size)
            if not down:
                s.arrow((grid.right + 5, found.w[1]), (found.x - 10, found.w[1]))
            if not shares[name]:
                s.copied(found)
            words = max(grid.bottom, found.bottom) + 24
            kind = "view" if shares[name] else "copy"
            s.text(left, words, f"a {kind}", kind, 13, bold=True)
            s.text(left + 56, words, f"shape {tuple(result.shape)}", "shape", 13, mono=True)
        return s

    return Figure(draw, caption)


def read_and_added_back(x: Tensor, places: Tensor, values: Tensor, caption: str = "") -> Figure:
    """Return a figure of `places` of `x` that are read, and of `values` that are added into the same places.

    Args:
        x: one dimension.
        places: int64, one dimension, each 0 or more.
        values: one a place.
        caption: what to see.

    Raises:
        ValueError: there are not as many values as places.

    Example:
        >>> import tensorlab as tl
        >>> figure = read_and_added_back(tl.ones(2), tl.tensor([1, 1]), tl.ones(2), "Both into cell 1.")
        >>> "values 1, 1 are added into cells 1, 1: 0, 2" in figure._repr_html_()
        True
    """
    if len(places) != len(values):
        raise ValueError(f"{len(places)} places and {len(values)} values do not go together")
    cells, added, given = (Elements(t).values[0] for t in (x, (x * 0).index_add_(0, places, values), values))
    fills, index = Elements(x).fills()[0], [int(place.item()) for place in places]
    read = [cells[place] for place in index]
    of_places = ", ".join(map(str, index))
    says = (
        f"x[places]: cells {of_places} are read: {', '.join(read)}; "
        f"values {', '.join(given)} are added into cells {of_places}: {', '.join(added)}"
    )

    def draw(width: float) -> Scene:
        s, size = Scene(width, "Places that are read, and added into", says), 40
        ways = (
            ("x[places]", "reads", cells, read, True),
            ("index_add_(0, places, y)", "adds into", added, given, False),
        )
        for number, (name, verb, above, below, down) in enumerate(ways):
            left, y = (number * width / 2, 0) if s.wide else (0, number * 214)
            s.text(left, y + 14, name, size=14, bold=True, mono=True)
            line = s.strip(left + 1, y + 30, above, fills, size)
            row = s.strip(left + 1, y + 132, below, [fills[place] for place in index], size)
            for k, place in enumerate(index):
                (a, b), (c, d) = _apart(line[place], index, k), row[k].n
                ends = (a, b + 4), (c, d - 4)
                s.arrow(*(ends if down else ends[::-1]))
            for place in {place for place in index if index.count(place) > 1}:
                s.ring(line[place])
            s.text(left + 1, y + 192, f"{verb} cells {of_places}", "ink-soft", 13)
        return s

    return Figure(draw, caption)


def _apart(box: Box, index: list[int], number: int) -> tuple[float, float]:
    """Where the arrow of one place ends: arrows that share a cell end a little apart."""
    same = [other for other, place in enumerate(index) if place == index[number]]
    return box.x + box.width * (same.index(number) + 1) / (len(same) + 1), box.bottom
