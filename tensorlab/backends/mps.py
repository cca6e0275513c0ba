"""Apple's GPUs, which programs for PyTorch ask for: there is no backend for them."""

from __future__ import annotations


def is_available() -> bool:
    """Whether tensors can be made there: no."""
    return False


def is_built() -> bool:
    """Whether the library has a backend for them: no."""
    return False
