"""Whether tensors can be made on something faster than the CPU, as newer programs for PyTorch ask it."""

from __future__ import annotations

from tensorlab import cuda
from tensorlab.core.devices import device

__all__ = ["current_accelerator", "device_count", "is_available"]


def is_available() -> bool:
    """Whether there is one: a GPU, see `tensorlab.cuda.is_available`.

    Example:
        >>> import tensorlab as tl
        >>> tl.accelerator.current_accelerator() if tl.accelerator.is_available() else tl.device("cpu")
        device(type='cpu')
    """
    return cuda.is_available()


def current_accelerator(check_available: bool = False) -> device | None:
    """The one that tensors are made on, or None."""
    return device("cuda") if cuda.is_available() else None


def device_count() -> int:
    """How many there are."""
    return cuda.device_count()
