"""The switches of cuDNN that programs for PyTorch set when they ask for the same numbers every time.

There is no cuDNN here, and nothing reads the switches: a convolution gives the same numbers every time,
whatever they say. `tensorlab.use_deterministic_algorithms` is for the operations that might not.
"""

from __future__ import annotations

benchmark = False
deterministic = False
enabled = True


def is_available() -> bool:
    """Whether cuDNN is there: no."""
    return False


def version() -> None:
    """The version of cuDNN: None, for there is none."""
