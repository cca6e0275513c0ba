"""A complete backend in plain NumPy: memory and core. What is fused elsewhere is made of these.

It needs no compiler, and it is the one to read first. Its scalar functions and folds come from the same
tables as those of the other backends.
"""

from __future__ import annotations

from tensorlab.backends.fused import Backend
from tensorlab.backends.host import HostMemory
from tensorlab.backends.numpy import compute, drawing

__all__ = ["NumPy"]


class NumPy(HostMemory, Backend):
    """The backend of the device ``"cpu"`` where Numba is not installed, or is not wanted."""

    arg_reduce = staticmethod(compute.arg_reduce)
    compact = staticmethod(compute.compact)
    gemm = staticmethod(compute.gemm)
    indexed = staticmethod(compute.indexed)
    pointwise = staticmethod(compute.pointwise)
    random = staticmethod(drawing.random)
    reduce = staticmethod(compute.reduce)
    scan = staticmethod(compute.scan)
    sort = staticmethod(compute.sort)
    update = staticmethod(compute.update)
