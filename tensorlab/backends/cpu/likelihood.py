"""The negative log-likelihood: the logarithm of one class's probability at each place; and the way back.

Nothing is computed. What counts is that each place reads one number of its many classes, and that the
gradient is zero but for one number a place.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from tensorlab.backends.cpu import jit
from tensorlab.backends.cpu.cell import narrow, widen
from tensorlab.backends.cpu.levels import assemble
from tensorlab.backends.layers import loss_factor
from tensorlab.backends.operands import Buffer, Launch
from tensorlab.core.cells import encode_one
from tensorlab.core.dtypes import dtype

__all__ = ["likelihood", "likelihood_gradient"]


def gather(walk, strides, x, start, target, weight, ignored, out, sums):
    """Read the numbers of the target classes.

    Args:
        walk: how many rows there are, classes, and places to a row.
        strides: the steps of `x` from row to row, class to class and place to place.
        x, start: the cells, and where they begin.
        target: the class of each place of each row.
        weight: of each class.
        ignored: a class whose places do not count.
        out: the weighted negative number of each place.
        sums: the sum of those, and of the weights.

    Returns:
        the first target that is no class, or -1.
    """
    total, weights = 0.0, 0.0
    for row in range(walk[0]):
        for place in range(walk[2]):
            here = row * walk[2] + place
            chosen = target[here]
            if chosen == ignored:
                out[here] = narrow(weight[0] * 0)
                continue
            if chosen < 0 or chosen >= walk[1]:
                return here
            cell = start + row * strides[0] + chosen * strides[1] + place * strides[2]
            value = -weight[chosen] * widen(x[cell])
            out[here] = narrow(value)
            total += value
            weights += weight[chosen]
    sums[0] = total
    sums[1] = weights
    return -1


def scatter(walk, target, weight, ignored, step, grad, factor, out):
    """Write the gradients of the target classes into zeros: row after row, class after class.

    `grad` is the gradient of each place, `step` cells apart, and is multiplied by `factor`.
    """
    for row in range(walk[0]):
        for place in range(walk[2]):
            here = row * walk[2] + place
            chosen = target[here]
            if chosen != ignored:
                value = -weight[chosen] * widen(grad[here * step]) * factor
                out[(row * walk[1] + chosen) * walk[2] + place] = narrow(value)


_modules: dict[dtype, ModuleType] = {}


def _module(element_type: dtype) -> ModuleType:
    found = _modules.get(element_type)
    if found is None:
        text = assemble("the negative log-likelihood", element_type, kernels=[gather, scatter])
        found = _modules[element_type] = jit.load(f"likelihood_{element_type.name}", text)
    return found


def likelihood(
    element_type: dtype,
    sizes: tuple[int, int, int],
    strides: tuple[int, int, int],
    ignored: int,
    reduction: str,
) -> Callable[..., int]:
    """See `tensorlab.backends.layers.LayerOperations.likelihood`."""
    walk, steps = np.array(sizes, np.int64), np.array(strides, np.int64)
    gather, count = _module(element_type).gather, sizes[0] * sizes[2]

    def launch(out: Buffer, sums: Buffer, x: Buffer, *others: Buffer) -> int:
        target, weight = (cells[start:] for cells, start in others)
        each = out[0] if reduction == "none" else np.empty(count, out[0].dtype)
        found: int = gather(walk, steps, *x, target, weight, ignored, each, sums[0])
        if reduction != "none":
            total, counted = sums[0]
            out[0][out[1]] = encode_one(total * loss_factor(reduction == "mean", counted), element_type)
        return found

    return launch


def likelihood_gradient(
    element_type: dtype, sizes: tuple[int, int, int], ignored: int, each: bool, mean: bool
) -> Launch:
    """See `tensorlab.backends.layers.LayerOperations.likelihood_gradient`."""
    walk, scatter = np.array(sizes, np.int64), _module(element_type).scatter

    def launch(out: Buffer, *others: Any) -> None:
        *buffers, (sums, first) = others
        grad, target, weight = (cells[start:] for cells, start in buffers)
        factor = loss_factor(mean, sums[first + 1])
        out[0][:] = 0
        scatter(walk, target, weight, ignored, int(each), grad, factor, out[0])

    return launch
