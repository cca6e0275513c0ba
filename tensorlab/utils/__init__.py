"""Tools around the library: `checkpoint`, `accumulation` and `data`."""

from tensorlab.utils import accumulation, checkpoint, data

__all__ = ["accumulation", "checkpoint", "data"]
