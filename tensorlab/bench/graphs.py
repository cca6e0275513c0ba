"""`tensorlab bench graph`: what a long graph costs, and the memory of a training step.

The long graph is a chain of a million operations on one tensor. It is built, walked back, and let go; that
must not hold a program up, for it happens whenever a result of a training step is overwritten.

The step is that of a perceptron of twelve layers: forward, backward, and every weight moved. Its peak is
compared with that of the same program in PyTorch, each in a process of its own.
"""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import json
import sys
import time
from typing import Any, NamedTuple

import tensorlab as tl
from tensorlab.bench.memory import check_system, in_a_process, peak_of

__all__ = ["LAYERS", "Long", "Step", "long_graph", "step_memory"]

#: Layers of the perceptron, their width, and the rows of its input.
LAYERS, WIDTH, ROWS = 12, 512, 1024


class Long(NamedTuple):
    """Seconds of processor time for a chain of so many operations."""

    nodes: int
    build: float
    backward: float
    free: float


class Step(NamedTuple):
    """Bytes by which a process grows at the highest during a training step; None where PyTorch is missing."""

    ours: int
    torch: int | None


def long_graph(nodes: int = 1_000_000) -> Long:
    """Build a chain of operations, walk it back, and let it go."""
    x = tl.ones(1, requires_grad=True)
    times = [time.process_time()]
    y = x
    for _ in range(nodes):
        y = y + 1
    times.append(time.process_time())
    y.backward()
    times.append(time.process_time())
    del y
    times.append(time.process_time())
    build, backward, free = (after - before for before, after in itertools.pairwise(times))
    return Long(nodes, build, backward, free)


def step_memory() -> Step:
    """Measure the training step in both libraries.

    Raises:
        OSError: this system does not tell a process its peak.
    """
    check_system()
    other = importlib.util.find_spec("torch") is not None
    return Step(in_a_process(__name__, "tensorlab"), in_a_process(__name__, "torch") if other else None)


def _step_peak(library: Any) -> int:
    library.set_num_threads(1)
    weights = [library.full((WIDTH, WIDTH), 1 / WIDTH, requires_grad=True) for _ in range(LAYERS)]
    biases = [library.zeros(WIDTH, requires_grad=True) for _ in range(LAYERS)]
    rows = library.ones(ROWS, WIDTH)
    step = _stepper(library, [*weights, *biases], lambda: _loss(library, rows, weights, biases))
    step()  # loads the kernels, and makes the gradients
    return peak_of(step)[1]


def _loss(library: Any, rows: Any, weights: list, biases: list) -> Any:
    for weight, bias in zip(weights, biases, strict=True):
        rows = library.relu(library.addmm(bias, rows, weight))
    return rows.square().mean()


def _stepper(library: Any, parameters: list, loss: Any) -> Any:
    def step() -> None:
        for parameter in parameters:
            parameter.grad = None
        loss().backward()
        with library.no_grad():
            for parameter in parameters:
                parameter.sub_(parameter.grad, alpha=0.1)

    return step


if __name__ == "__main__":
    json.dump(_step_peak(importlib.import_module(sys.argv[1])), sys.stdout)
