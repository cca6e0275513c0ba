"""What a backend is: the few things that every device must be able to do.

Memory and the core must be there (`tensorlab.backends.core`). What is fused (`layers`, `windows`) is made of
the core where a backend has no kernel for it: a new device computes everything as soon as it has the core.
"""

from __future__ import annotations

from tensorlab.backends.layers import LayerOperations
from tensorlab.backends.windows import WindowOperations

__all__ = ["Backend"]


class Backend(LayerOperations, WindowOperations):
    """The memory and all operations of one device."""
