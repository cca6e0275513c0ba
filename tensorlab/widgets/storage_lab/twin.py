"""A tensor and its storage as text: what the Storage Lab shows without JavaScript."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Sequence

import tensorlab as tl
from tensorlab.core import layout
from tensorlab.tensor import Tensor
from tensorlab.widgets.base import html_table

__all__ = ["cell_text", "layout_table"]

MOST_ROWS = 256  # elements, and storage cells, that are written out


def cell_text(value: bool | int | float) -> str:
    """A cell's value in few characters: four digits, and a point where it is a float, as in a tensor's repr.

    Example:
        >>> cell_text(7), cell_text(7.0), cell_text(-0.123456), cell_text(2.5e-7), cell_text(True)
        ('7', '7.', '-0.1235', '2.5e-07', 'True')
    """
    if not isinstance(value, float):
        return str(value)
    if value.is_integer() and abs(value) < 1e7:
        return f"{value:.0f}."
    text = f"{value:.4g}"
    return text if re.search(r"[.ein]", text) else f"{text}."


def layout_table(source: Tensor, shape: Sequence[int], stride: Sequence[int], offset: int) -> str:
    """The address of every element as an HTML table, and the storage as a list, up to 256 of each.

    Args:
        source: a tensor over the storage.
        shape, stride, offset: the layout to write out, which fits that storage.

    Example:
        >>> "0 + 1·4 + 2·1" in layout_table(tl.arange(12), (3, 4), (4, 1), 0)
        True
    """
    size, cells, count = source.dtype.itemsize, len(source.storage()), layout.numel(shape)

    def text(cell: int) -> str:
        return cell_text(tl.as_strided(source, (), (), cell).item())

    rows = []
    for index in itertools.islice(itertools.product(*map(range, shape)), MOST_ROWS):
        cell = layout.flat_index(index, stride, offset)
        terms = " + ".join([str(offset), *(f"{i}·{step}" for i, step in zip(index, stride, strict=True))])
        rows.append((list(index), text(cell), terms, cell, f"{cell} × {size} B = byte {cell * size}"))
    kind = "contiguous" if layout.is_contiguous(shape, stride) else "not contiguous"
    caption = (
        f"A tensor of shape {tuple(shape)}, strides {tuple(stride)}, offset {offset}, {source.dtype.name}: "
        f"{count} elements ({count * size} B) over a storage of {cells} cells ({cells * size} B), {kind}."
    )
    table = html_table(caption, ["index", "value", "sum", "storage cell", "byte"], rows)
    left = f"<p>The first {MOST_ROWS} of {count} elements.</p>" if count > MOST_ROWS else ""
    shown = ", ".join(text(cell) for cell in range(min(cells, MOST_ROWS)))
    more = f" … ({cells} in all)" if cells > MOST_ROWS else ""
    return f"{table}{left}<p>The storage, cell by cell: {html.escape(shown)}{more}</p>"
