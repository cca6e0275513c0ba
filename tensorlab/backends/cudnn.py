"""The switches of cuDNN that programs for PyTorch set when they ask for the same numbers every time.

There is no cuDNN here, and nothing reads the switches: a program that is run again with the same seed and as
many threads gives the same numbers whatever they say.
"""

from __future__ import annotations

__all__ = ["benchmark", "deterministic", "enabled", "is_available"]

benchmark = False
deterministic = False
enabled = True


def is_available() -> bool:
    """Whether cuDNN is there: no."""
    return False
