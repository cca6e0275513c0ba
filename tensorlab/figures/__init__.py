"""Figures of the book: SVG made from real tensors, in the book's palette, readable in light and dark.

Example:
    >>> import tensorlab as tl
    >>> figure = over_one_storage({"table": tl.arange(6).view(2, 3)}, "Two rows, one line.")
    >>> "Two rows, one line." in figure._repr_html_()
    True
"""

from tensorlab.figures.bits import float32_bits
from tensorlab.figures.boxes import list_beside_storage
from tensorlab.figures.folding import folded_into, read_and_added_back
from tensorlab.figures.lines import fetched_lines
from tensorlab.figures.picks import picked_from
from tensorlab.figures.points import lines_through_points
from tensorlab.figures.products import batches_that_meet, row_meets_column
from tensorlab.figures.roofline import roofline
from tensorlab.figures.runs import in_reading_order
from tensorlab.figures.shapes import aligned_shapes
from tensorlab.figures.storage import over_one_storage
from tensorlab.figures.svg import Figure

__all__ = [
    "Figure",
    "aligned_shapes",
    "batches_that_meet",
    "fetched_lines",
    "float32_bits",
    "folded_into",
    "in_reading_order",
    "lines_through_points",
    "list_beside_storage",
    "over_one_storage",
    "picked_from",
    "read_and_added_back",
    "roofline",
    "row_meets_column",
]
