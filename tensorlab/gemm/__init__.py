"""The matrix product as a ladder: seven functions that compute the same, each a step from the one before it.

====  ====================  ======================================================
rung  function              what is new
====  ====================  ======================================================
1     `naive`               the definition: three loops
2     `reordered`           the innermost loop runs along rows
3     `blocked`             a piece of B at a time stays in the cache
4     `packed`              that piece is copied, so that its rows are runs
5     `tiled`               sixteen numbers of A stay in registers
6     `vectorised`          a tile of the result stays in vector registers
7     `threaded`            every layout, every core: what `tensorlab.matmul` uses
====  ====================  ======================================================

A step pays from some size on. Blocks and their copies take time of their own, and save some where B is larger
than the cache; threads need work to share.

All have one signature: ``rung(a, b, out)``, where `a` is m × k, `b` is k × n and `out` m × n, NumPy arrays of
one dtype, float32 or float64. `out` is row-major and shares no memory with the operands, which may have any
strides. Its old values are not read. No size may be 0 but k.

Example:
    >>> import numpy as np
    >>> a, b = np.eye(3), np.arange(6.0).reshape(3, 2)
    >>> for rung in RUNGS:
    ...     out = np.empty((3, 2))
    ...     rung(a, b, out)
    ...     assert (out == b).all()

To see how much each step brings, let them take turns:
    >>> from functools import partial
    >>> from tensorlab.bench import compare
    >>> a, b = np.ones((2, 64, 64), np.float32)
    >>> candidates = {rung.__name__: partial(rung, a, b, np.empty_like(a)) for rung in RUNGS}
    >>> found = compare("64 × 64", {"tensorlab": candidates["threaded"], **candidates}, seconds=0.1)
    >>> sorted(found.ratios) == sorted(candidates)
    True
"""

from __future__ import annotations

from tensorlab.gemm.cache_blocks import blocked
from tensorlab.gemm.definition import naive
from tensorlab.gemm.loop_order import reordered
from tensorlab.gemm.packing import packed
from tensorlab.gemm.register_tile import tiled
from tensorlab.gemm.simd import vectorised
from tensorlab.gemm.threads import threaded

__all__ = ["RUNGS", "blocked", "naive", "packed", "reordered", "threaded", "tiled", "vectorised"]

# From the ground up.
RUNGS = (naive, reordered, blocked, packed, tiled, vectorised, threaded)
