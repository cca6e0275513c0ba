"""`tensorlab bench agreement`: whether training goes as in PyTorch, and in how much memory.

The networks of `tensorlab bench training` begin with the same weights in both libraries, for the same seed
gives them the same. The losses of their first steps are compared, in float32 and in float64. Then the memory
is: weights, what the optimizer remembers, and the peak of a step, each library in a process of its own.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

import tensorlab as tl
from tensorlab.bench.memory import check_system, in_a_process, peak_of
from tensorlab.bench.training import NETWORKS

__all__ = ["STEPS", "Agreement", "agreement", "difference"]

#: How many steps are compared.
STEPS = 50


class Agreement(NamedTuple):
    """How training one network compares with PyTorch.

    Attributes:
        name: the network.
        float32, float64: the greatest relative difference of a loss.
        ours, torch: bytes by which a process grows at the highest when it makes the network and trains it.
    """

    name: str
    float32: float
    float64: float
    ours: int
    torch: int


def agreement(only: str = "", threads: int = 1) -> Iterable[Agreement]:
    """Compare the networks whose name has `only` in it.

    Raises:
        OSError: PyTorch is not installed, or this system does not tell a process its peak.
    """
    check_system()
    try:
        torch = importlib.import_module("torch")
    except ImportError as error:
        raise OSError("PyTorch, to compare with, is not installed") from error
    return _agreements(torch, only, threads)


def _agreements(torch: Any, only: str, threads: int) -> Iterator[Agreement]:
    for library in (tl, torch):
        library.set_num_threads(threads)
    for name in (name for name in NETWORKS if only in name):
        single, double = (difference(torch, name, dtype) for dtype in ("float32", "float64"))
        ours, theirs = (in_a_process(__name__, each, name, str(threads)) for each in ("tensorlab", "torch"))
        yield Agreement(name, single, double, ours, theirs)


def difference(torch: Any, name: str, dtype: str) -> float:
    """The greatest relative difference between the losses of the first steps of both libraries."""
    ours, theirs = (np.array(_losses(library, name, dtype)) for library in (tl, torch))
    return float(np.max(np.abs(ours - theirs) / np.abs(theirs)))  # of NaNs, which no comparison finds, NaN


def _losses(library: Any, name: str, dtype: str) -> list[float]:
    before = library.get_default_dtype()
    library.set_default_dtype(getattr(library, dtype))
    try:
        step = NETWORKS[name](library)
    finally:
        library.set_default_dtype(before)
    return [step().item() for _ in range(STEPS)]


def _peak(library: Any, name: str, threads: int) -> int:
    library.set_num_threads(threads)

    def train() -> None:
        step = NETWORKS[name](library)
        for _ in range(3):
            step()

    train()  # loads the kernels
    return peak_of(train)[1]


if __name__ == "__main__":
    json.dump(_peak(importlib.import_module(sys.argv[1]), sys.argv[2], int(sys.argv[3])), sys.stdout)
