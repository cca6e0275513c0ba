"""A whole backend: the memory and the core of a device, and what is fused, made of these by default."""

from __future__ import annotations

from tensorlab.backends.layers import LayerOperations
from tensorlab.backends.windows import WindowOperations


class Backend(LayerOperations, WindowOperations):
    """The memory and all operations of one device (see `tensorlab.backends.protocol`)."""
