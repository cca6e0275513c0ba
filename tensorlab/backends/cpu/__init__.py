"""The CPU backend: kernels compiled by Numba."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from tensorlab.backends.fused import Backend
from tensorlab.backends.host import HostMemory
from tensorlab.backends.interrupts import HeldBack

__all__ = ["CPU"]


class _Kernel:
    """A method that is imported from its module when it is first asked for."""

    def __init__(self, module: str, function: str) -> None:
        self.module, self.function = module, function

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, backend: object, owner: type) -> Callable[..., Any]:
        with HeldBack():  # a module that is half imported would stay so
            module = importlib.import_module(f"tensorlab.backends.cpu.{self.module}")
        found: Callable[..., Any] = getattr(module, self.function or self.name)
        setattr(owner, self.name, staticmethod(found))
        return found


def _kernel(module: str, function: str = "") -> Any:
    return _Kernel(module, function)


class CPU(HostMemory, Backend):
    """The backend of the device ``"cpu"`` (see `tensorlab.backends.protocol`): where each method stands."""

    attention = _kernel("attention")
    attention_gradient = _kernel("attention")
    compact = _kernel("masks")
    correlate = _kernel("convolution")
    correlate_weights = _kernel("convolution")
    arg_reduce = _kernel("reduce")
    gemm = _kernel("gemm")
    indexed = _kernel("index")
    likelihood = _kernel("likelihood")
    likelihood_gradient = _kernel("likelihood")
    normalise = _kernel("normalise")
    normalise_gradient = _kernel("normalise")
    pointwise = _kernel("elementwise")
    pool = _kernel("pooling")
    pool_gradient = _kernel("pooling")
    random = _kernel("random", "prepare")
    reduce = _kernel("reduce")
    scan = _kernel("scan")
    sort = _kernel("sort")
    softmax = _kernel("softmax")
    update = _kernel("update")
