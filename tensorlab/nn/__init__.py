"""Neural networks: the functions that layers are made of."""

from __future__ import annotations

from tensorlab.nn import functional

__all__ = ["functional"]
