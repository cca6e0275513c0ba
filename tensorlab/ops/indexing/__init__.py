"""Indexing: square brackets, and the functions that read and write where an index or a mask says.

`basic` takes an index apart and makes views. `advanced` follows index tensors, `masks` follows masks.
`slices`, `along` and `flat` hold the functions whose index names slices, elements along a dimension, and
elements counted through; `scatter_reduction` joins several that go to one place. All that follows an index
tensor is one walk, described in `places`.
"""

from __future__ import annotations

from tensorlab.ops.indexing import advanced, along, flat, masks, scatter_reduction, slices
from tensorlab.ops.indexing.basic import getitem, setitem

__all__ = [
    "advanced",
    "along",
    "flat",
    "getitem",
    "masks",
    "scatter_reduction",
    "setitem",
    "slices",
]
