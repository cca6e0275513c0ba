"""The CPU backend: kernels compiled by Numba."""

from __future__ import annotations

from tensorlab.backends.cpu.gemm import gemm
from tensorlab.backends.cpu.pointwise import flat_kernel, pointwise

__all__ = ["BACKEND"]


class CPU:
    """The backend of the device ``"cpu"`` (see `tensorlab.backends.protocol`)."""

    flat_kernel = staticmethod(flat_kernel)
    gemm = staticmethod(gemm)
    pointwise = staticmethod(pointwise)


BACKEND = CPU()
