"""What programs ask of whatever is faster than the CPU, as newer programs for PyTorch ask it: of the GPU.

The functions are those of `tensorlab.cuda` that hold for every kind of accelerator. Without a GPU they say
what is missing, and what can be answered is answered.
"""

from __future__ import annotations

from tensorlab import cuda
from tensorlab.core.devices import device
from tensorlab.cuda import current_device as current_device_index
from tensorlab.cuda import (
    current_stream,
    device_count,
    empty_cache,
    is_available,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    reset_peak_memory_stats,
    set_stream,
    synchronize,
)
from tensorlab.cuda import device as device_index
from tensorlab.cuda import mem_get_info as get_memory_info
from tensorlab.cuda import set_device as set_device_index

__all__ = [
    "current_accelerator",
    "current_device_index",
    "current_stream",
    "device_count",
    "device_index",
    "empty_cache",
    "get_memory_info",
    "is_available",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_peak_memory_stats",
    "set_device_index",
    "set_stream",
    "synchronize",
]


def current_accelerator(check_available: bool = False) -> device | None:
    """The one that tensors are made on, or None.

    Args:
        check_available: changes nothing: what is named is there.

    Example:
        >>> import tensorlab as tl
        >>> tl.accelerator.current_accelerator() or tl.device("cpu")
        device(type='cpu')
    """
    return device("cuda") if cuda.is_available() else None
