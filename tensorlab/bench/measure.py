"""Timing that holds on a busy machine: candidates take turns, ratios are taken within a turn."""

from __future__ import annotations

import contextlib
import importlib
import platform
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np

from tensorlab.backends.cpu import threads as ours

__all__ = ["OURS", "Case", "Comparison", "compare", "machine", "noise", "using"]

OURS = "tensorlab"

# What is computed, and the functions of no arguments that compute it, by the name of the candidate.
Case = tuple[str, dict[str, Callable[[], object]]]


@dataclass(frozen=True)
class Comparison:
    """What one comparison found.

    Attributes:
        name: what was computed.
        seconds: for each candidate, the median time of one call.
        least: for each candidate, that of its fastest turn.
        ratios: for each other candidate, its time over ours in each turn: above 1 we are faster.
    """

    name: str
    seconds: dict[str, float]
    least: dict[str, float]
    ratios: dict[str, list[float]]

    def ratio(self, candidate: str) -> float:
        """The median ratio: how many times as long the candidate takes."""
        return statistics.median(self.ratios[candidate])

    def spread(self, candidate: str) -> tuple[float, float]:
        """The quartiles of the ratio."""
        low, _, high = statistics.quantiles(self.ratios[candidate], n=4)
        return low, high

    def as_dict(self) -> dict[str, object]:
        """The comparison as plain values, for JSON."""
        return {
            "name": self.name,
            "seconds": self.seconds,
            "ratio": {candidate: self.ratio(candidate) for candidate in self.ratios},
            "quartiles": {candidate: self.spread(candidate) for candidate in self.ratios},
        }


def compare(
    name: str,
    candidates: Mapping[str, Callable[[], object]],
    seconds: float = 0.5,
    turns: int = 15,
    rest: float = 0.0,
    clock: Callable[[], float] = time.perf_counter,
) -> Comparison:
    """Time candidates in turns.

    Args:
        name: what is computed.
        candidates: functions of no arguments that compute it; ``"tensorlab"`` is the one that the others
            are compared with. A candidate that is timed elsewhere has a method `seconds(count)`.
        seconds: roughly how long the whole comparison may take.
        turns: how many turns; each candidate is called several times in a turn if it is fast.
        rest: seconds to wait before each candidate's part of a turn, after which it is called once without
            being timed: for candidates with threads, which go on waiting for work when theirs is done.
        clock: what the time is read from.

    Example:
        >>> found = compare("nothing", {"tensorlab": lambda: None, "other": lambda: None}, seconds=0.01)
        >>> sorted(found.seconds), len(found.ratios["other"])
        (['other', 'tensorlab'], 15)
    """
    calls = {}
    for candidate, function in candidates.items():
        function()  # the first call may compile or allocate
        once = min(_time(function, 1, clock) for _ in range(3))
        calls[candidate] = max(1, int(seconds / len(candidates) / turns / max(once, 1e-7)))
    times: dict[str, list[float]] = {candidate: [] for candidate in candidates}
    for turn in range(turns):
        order = list(candidates.items())
        for candidate, function in order if turn % 2 else reversed(order):
            if rest:
                time.sleep(rest)
                function()
            times[candidate].append(_time(function, calls[candidate], clock) / calls[candidate])
    ratios = {
        candidate: [theirs / ours for theirs, ours in zip(found, times[OURS], strict=True)]
        for candidate, found in times.items()
        if candidate != OURS
    }
    medians = {candidate: statistics.median(found) for candidate, found in times.items()}
    return Comparison(name, medians, {candidate: min(found) for candidate, found in times.items()}, ratios)


def _time(
    function: Callable[[], object], count: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    elsewhere = getattr(function, "seconds", None)
    if elsewhere is not None:
        return elsewhere(count)
    began = clock()
    for _ in range(count):
        function()
    return clock() - began


def noise(turns: int = 20) -> float:
    """How much the time of one piece of work varies: its slowest quarter over its fastest; 1 is calm."""
    work = np.random.default_rng(0).random(200_000)
    times = [_time(work.sum, 20) for _ in range(turns)]
    low, _, high = statistics.quantiles(times, n=4)
    return high / low


@contextlib.contextmanager
def using(threads: int) -> Iterator[Any]:
    """Have each library use so many threads; the context is PyTorch, or None where it is not installed."""
    before = ours.get_num_threads()
    ours.set_num_threads(threads)
    try:
        torch: Any = importlib.import_module("torch")
        torch.set_num_threads(threads)
    except ModuleNotFoundError:
        torch = None
    try:
        yield torch
    finally:
        ours.set_num_threads(before)


def machine() -> dict[str, object]:
    """The processor and the versions that a figure depends on."""
    return {
        "processor": _processor(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
