"""Whether tensors can be made on something faster than the CPU, as newer programs for PyTorch ask it."""

from __future__ import annotations

from tensorlab.core.devices import device

__all__ = ["current_accelerator", "device_count", "is_available"]


def is_available() -> bool:
    """Whether there is one: no.

    Example:
        >>> import tensorlab as tl
        >>> tl.accelerator.current_accelerator() if tl.accelerator.is_available() else tl.device("cpu")
        device(type='cpu')
    """
    return False


def current_accelerator(check_available: bool = False) -> device | None:
    """The one that tensors are made on: None."""
    return None


def device_count() -> int:
    """How many there are: 0."""
    return 0
