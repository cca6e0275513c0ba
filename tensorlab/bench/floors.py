"""`tensorlab bench floors`: what must not get slower, with the least that PyTorch's time over ours may be.

The least times of both libraries are compared, from many short turns: other work on the machine makes a time
longer, never shorter. With one thread it is the processor's time, so that whoever else is given the processor
does not count; a loader with workers is timed by the clock on the wall.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from tensorlab.bench import autograd, ops, training
from tensorlab.bench.measure import OURS, Case, compare, using

__all__ = ["FLOORS", "TURNS", "Floor", "floors"]

TURNS = 60

#: What PyTorch's time over ours must reach, by the name of the comparison.
FLOORS = {
    "add, 4 elements": 1.0,
    "transpose": 1.0,
    "slice": 0.9,
    "sum, 1,000 elements": 0.7,
    "index by a number": 0.5,
    "multiply in place": 0.6,
    "cat": 0.2,
    "stack": 0.25,
    "chain of 100, by a number": 0.8,
    "chain of 100, by a leaf": 0.5,
    "add, float32, 1,000,000": 0.85,
    "exp, float32, 1,000,000": 1.8,
    "tanh, float32, 1,000,000": 3.0,
    "sum of all, float32, 1,000,000": 0.9,
    "sum over rows, float32, 1,000,000": 0.85,
    "sum over columns, float32, 1,000,000": 0.9,
    "softmax of rows, float32, 1,000,000": 1.5,
    "A + B transposed, float32, 1000 × 1000": 1.2,
    "MLP 64-128-10, batch 32": 0.95,
    "MLP 784-256-10, batch 64": 0.95,
    "CNN 8 × 8, batch 16": 0.9,
    "CNN 28 × 28, batch 16": 0.9,
    "GPT 2 × 64, context 64, batch 4": 1.0,
    "GPT 4 × 128, context 128, batch 16": 1.0,
    "GPT 6 × 384, context 64, batch 4": 1.0,
    "RNN 32-64, 64 steps, batch 16": 0.7,
    "LSTM 32-64, 64 steps, batch 16": 0.7,
    "GRU 32-64, 64 steps, batch 16": 0.7,
    "AdamW, 10 parameters of 1 M": 1.0,
    "SGD, 50 parameters of 100": 0.4,
    "Adam, 50 parameters of 100": 1.0,
    "DataLoader, 2 workers": 1.0,
}


class Floor(NamedTuple):
    """One comparison: the least seconds of a call in both libraries, and what their ratio must reach."""

    name: str
    ours: float
    torch: float
    floor: float

    @property
    def ratio(self) -> float:
        """PyTorch's time over ours."""
        return self.torch / self.ours


def floors(
    threads: int = 1,
    only: str = "",
    seconds: float = 0.5,
    watch: Callable[[Iterable[Case]], Iterable[Case]] = iter,
) -> list[Floor]:
    """Compare all that has a floor and `only` in its name with PyTorch.

    Args:
        threads: how many each library may use.
        only: part of the names.
        seconds: time for each comparison, if its turns do not take longer.
        watch: is given the cases, and passes them on: a progress display.

    Raises:
        OSError: PyTorch is not installed.
    """
    found = []
    with using(threads) as torch:
        if torch is None:
            raise OSError("PyTorch, which the floors are about, is not installed")
        for name, candidates in watch(_cases(torch, only)):
            pair = {key: candidates[key] for key in (OURS, "torch")}
            on_the_wall = threads > 1 or "workers" in name
            clock = time.perf_counter if on_the_wall else time.process_time
            least = compare(name, pair, seconds, TURNS, clock=clock).least
            found.append(Floor(name, least[OURS], least["torch"], FLOORS[name]))
    return found


def _cases(torch: Any, only: str) -> Iterator[Case]:
    for suite in (ops, autograd, training):
        yield from (case for case in suite.cases(torch, only) if case[0] in FLOORS)
