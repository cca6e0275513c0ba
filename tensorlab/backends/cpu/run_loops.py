"""Loops over runs of numbers that the kernels of several operations have in common."""

from __future__ import annotations

from tensorlab.backends.cpu.cell import Number


def zero_run(count, run):
    """Zeros."""
    for i in range(count):
        run[i] = Number(0)
