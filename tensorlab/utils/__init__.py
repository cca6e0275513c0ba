"""Tools around the library: `tensorlab.utils.checkpoint`."""

from tensorlab.utils import checkpoint

__all__ = ["checkpoint"]
