"""Kernels that follow one index into one run of cells, and look at each position on the way.

The general kernels of `tensorlab.backends.cpu.index` walk any layout, and positions are looked at before.
Most indices are vectors into vectors: there one loop does both.
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.sharing import share

__all__ = ["add_run", "take_run"]

# What it costs to take one cell, in additions of one float32.
COST = 4


def take_run(out: np.ndarray, cells: np.ndarray, index: np.ndarray) -> int:
    """See `tensorlab.backends.indexing.IndexOperations.take_run`."""
    team = threads.team_for(out.size * COST)
    if team == 1:
        return _take(out, cells, index)
    outside = np.empty(team, np.int64)
    share(_take_parts, team, team, team, out, cells, index, outside)
    return int(outside.sum())


def add_run(target: np.ndarray, index: np.ndarray, values: np.ndarray) -> int:
    """See `tensorlab.backends.indexing.IndexOperations.add_run`."""
    return _add(target, index, values)


@jit.kernel()
def _take(out, cells, index):  # type: ignore[no-untyped-def]
    size, outside = np.uint64(cells.size), 0
    for j in range(out.size):
        i = np.uint64(np.int64(index[j]))  # what is negative becomes greater than every size
        if i < size:
            out[j] = cells[i]
        else:
            outside += 1
    return outside


@jit.kernel()
def _take_parts(first, last, parts, out, cells, index, outside):  # type: ignore[no-untyped-def]
    for part in range(first, last):
        begin, end = part * out.size // parts, (part + 1) * out.size // parts
        outside[part] = _take(out[begin:end], cells, index[begin:end])


@jit.kernel()
def _add(target, index, values):  # type: ignore[no-untyped-def]
    size, outside = np.uint64(target.size), 0
    for j in range(index.size):
        outside += int(np.uint64(np.int64(index[j])) >= size)
    if outside == 0:
        for j in range(index.size):
            target[np.uint64(np.int64(index[j]))] += values[j]
    return outside
