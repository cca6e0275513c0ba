"""The devices: kernels behind one small protocol.

A backend is imported when the first tensor operation needs it, because compilers take longer to import than
the whole rest of the library.
"""

from __future__ import annotations

import importlib

from tensorlab.backends import cudnn, mps
from tensorlab.backends.drawing import RandomLaunch, RandomState
from tensorlab.backends.indexing import IndexLayout, Walk
from tensorlab.backends.interrupts import HeldBack
from tensorlab.backends.layers import AttentionLayout, NormalGroups, Normalised
from tensorlab.backends.operands import Buffer, Launch, OperandLayout
from tensorlab.backends.protocol import Backend

__all__ = [
    "AttentionLayout",
    "Backend",
    "Buffer",
    "IndexLayout",
    "Launch",
    "NormalGroups",
    "Normalised",
    "OperandLayout",
    "RandomLaunch",
    "RandomState",
    "Walk",
    "backend",
    "cudnn",
    "mps",
]

_MODULES = {"cpu": "tensorlab.backends.cpu"}
_loaded: dict[str, Backend] = {}


def backend(device: str) -> Backend:
    """The backend of a device type, imported on first use.

    Raises:
        RuntimeError: there is none for that device.
    """
    found = _loaded.get(device)
    if found is None:
        if device not in _MODULES:
            raise RuntimeError(f"no backend for device {device!r}; there is {', '.join(_MODULES)}")
        with HeldBack():  # a module that is half imported would stay so
            found = _loaded[device] = importlib.import_module(_MODULES[device]).BACKEND
    return found
