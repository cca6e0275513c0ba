"""Joining the cells of two tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from tensorlab.backends.cpu import jit

__all__ = ["join_pair"]

# Cells are copied as they are, whatever they mean.
CELLS = {1: np.dtype(np.uint8), 2: np.dtype(np.uint16), 4: np.dtype(np.uint32), 8: np.dtype(np.uint64)}


@functools.cache
def join_pair(itemsize: int) -> Callable[..., None]:
    """See `tensorlab.backends.protocol.Backend.join_pair`."""
    cell = CELLS[itemsize]
    return jit.entry(_join_pair, cell, cell, cell, 1)


@jit.kernel()
def _join_pair(out, a, b, turns):  # type: ignore[no-untyped-def]  # compiled
    ours, theirs = a.size // turns, b.size // turns
    at = 0
    for turn in range(turns):
        for i in range(ours):
            out[at + i] = a[turn * ours + i]
        at += ours
        for i in range(theirs):
            out[at + i] = b[turn * theirs + i]
        at += theirs
