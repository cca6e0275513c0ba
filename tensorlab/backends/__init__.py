"""The devices: kernels behind one small protocol.

The kernels of a backend are imported when the first operation needs them, because compilers take longer to
import than the whole rest of the library.
"""

from __future__ import annotations

from tensorlab.backends import cudnn, mps
from tensorlab.backends.choice import chosen
from tensorlab.backends.cuda import gpu
from tensorlab.backends.fused import Backend
from tensorlab.backends.layers import AttentionLayout, NormalGroups
from tensorlab.backends.operands import Buffer, Launch, OperandLayout, no_launch
from tensorlab.backends.protocol import IndexLayout, RandomLaunch, RandomState

__all__ = [
    "HOST",
    "AttentionLayout",
    "Backend",
    "Buffer",
    "IndexLayout",
    "Launch",
    "NormalGroups",
    "OperandLayout",
    "RandomLaunch",
    "RandomState",
    "backend",
    "cudnn",
    "mps",
    "no_launch",
]

# The backend of the memory that Python computes in; a storage that is not told otherwise lies there.
HOST: Backend = chosen()


def backend(device: str) -> Backend:
    """The backend of a device type.

    Raises:
        RuntimeError: there is none for that device.
    """
    if device == "cuda":
        return gpu("device 'cuda'")
    if device != "cpu":
        raise RuntimeError(f"no backend for device {device!r}; there is one for 'cpu' and one for 'cuda'")
    return HOST
