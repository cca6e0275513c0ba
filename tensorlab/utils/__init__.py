"""Tools around the library: `tensorlab.utils.checkpoint` and `tensorlab.utils.data`."""

from tensorlab.utils import checkpoint, data

__all__ = ["checkpoint", "data"]
