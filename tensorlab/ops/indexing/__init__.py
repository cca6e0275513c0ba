"""Indexing: square brackets, and the functions that read and write where an index or a mask says.

`basic` takes an index apart and makes views. `advanced` follows index tensors, `masks` follows masks.
`index_select` holds the functions whose index names slices, or elements counted through, and `gather_scatter`
those whose index names an element along a dimension for each element. All that follows an index tensor is one
walk, described in `index_plan`.
"""

from __future__ import annotations

from tensorlab.ops.indexing import advanced, gather_scatter, index_select, masks
from tensorlab.ops.indexing.basic import getitem, setitem

__all__ = ["advanced", "gather_scatter", "getitem", "index_select", "masks", "setitem"]
