"""Figures of the book: SVG made from real tensors, in the book's palette, readable in light and dark.

`storage(x)` draws a tensor over its memory, `tensor(x)` without it, `picture(x)` as an image. What they are
made of is there for drawings of your own: a `Scene` and its shapes, which return boxes, and a `Figure`, which
draws a scene for a wide page and for a narrow one.

Example:
    >>> import tensorlab as tl
    >>> x = tl.arange(6).view(2, 3)
    >>> figure = tl.figures.storage({"x": x, "x.t()": x.t()}, "Two rows, one line.")
    >>> "Two rows, one line." in figure._repr_html_()
    True
"""

from tensorlab.figures.adjoints import there_and_back
from tensorlab.figures.anchors import Box, Cells
from tensorlab.figures.bits import float32_bits
from tensorlab.figures.descent import descent
from tensorlab.figures.figure import Figure
from tensorlab.figures.folding import folded_into, picked_from, read_and_added_back
from tensorlab.figures.image import lighthouse, picture
from tensorlab.figures.ink import colour, memory
from tensorlab.figures.letters import einsum_letters
from tensorlab.figures.lifetimes import alive_when, bytes_over_time
from tensorlab.figures.measures import measured_bars
from tensorlab.figures.names import names
from tensorlab.figures.networks import module_tree
from tensorlab.figures.numbers import float_steps, integer_circle
from tensorlab.figures.pairs import broadcast_grid
from tensorlab.figures.plots import lines_through_points, plot
from tensorlab.figures.products import batched, batches_that_meet, row_meets_column
from tensorlab.figures.reading import reading_order
from tensorlab.figures.roofline import roofline
from tensorlab.figures.runs import filling_runs, in_reading_order
from tensorlab.figures.scene import Scene
from tensorlab.figures.shapes import aligned_shapes
from tensorlab.figures.shares import shares, values_and_gradients
from tensorlab.figures.streams import counter_blocks
from tensorlab.figures.tensors import storage, tensor
from tensorlab.figures.walks import (
    bytes_of,
    fetched_lines,
    kept,
    list_beside_storage,
    reach,
    rows_over_line,
    steps_of,
    way_to,
)
from tensorlab.figures.warps import kernel_profile, lanes_and_banks, lanes_and_sectors, lanes_of_lines

__all__ = [
    "Box",
    "Cells",
    "Figure",
    "Scene",
    "aligned_shapes",
    "alive_when",
    "batched",
    "batches_that_meet",
    "broadcast_grid",
    "bytes_of",
    "bytes_over_time",
    "colour",
    "counter_blocks",
    "descent",
    "einsum_letters",
    "fetched_lines",
    "filling_runs",
    "float32_bits",
    "float_steps",
    "folded_into",
    "in_reading_order",
    "integer_circle",
    "kept",
    "kernel_profile",
    "lanes_and_banks",
    "lanes_and_sectors",
    "lanes_of_lines",
    "lighthouse",
    "lines_through_points",
    "list_beside_storage",
    "measured_bars",
    "memory",
    "module_tree",
    "names",
    "picked_from",
    "picture",
    "plot",
    "reach",
    "read_and_added_back",
    "reading_order",
    "roofline",
    "row_meets_column",
    "rows_over_line",
    "shares",
    "steps_of",
    "storage",
    "tensor",
    "there_and_back",
    "values_and_gradients",
    "way_to",
]
