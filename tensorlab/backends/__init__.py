"""The devices: kernels behind one small protocol.

The kernels of a backend are imported when the first operation needs them, because compilers take longer to
import than the whole rest of the library.
"""

from __future__ import annotations

from tensorlab.backends import cudnn, determinism, mps
from tensorlab.backends.choice import chosen
from tensorlab.backends.cuda import gpu
from tensorlab.backends.fused import Backend
from tensorlab.backends.layers import AttentionLayout, NormalGroups
from tensorlab.backends.operands import Buffer, Launch, OperandLayout, no_launch
from tensorlab.backends.protocol import IndexLayout, RandomLaunch, RandomState
from tensorlab.core.devices import as_device, device

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
    "backend_of",
    "cudnn",
    "determinism",
    "mps",
    "no_launch",
]

# The backend of the memory that Python computes in; a storage that is not told otherwise lies there.
HOST: Backend = chosen()


def backend_of(place: device | str | int) -> Backend:
    """The backend of the device that an argument means; a number counts GPUs.

    Raises:
        RuntimeError: no such device, or it is not there.
        TypeError: the argument names no device.
    """
    if isinstance(place, int) and not isinstance(place, bool):
        place = device("cuda", place)
    if not isinstance(place, (str, device)) or device(place).type == "cpu":
        as_device(place)
        return HOST
    found = gpu(f"device {str(place)!r}")
    if device(place).index not in (None, found.device.index):
        raise RuntimeError(f"there is no {str(place)!r}: the one CUDA device is {str(found.device)!r}")
    return found
