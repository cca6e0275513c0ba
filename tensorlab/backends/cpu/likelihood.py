"""The negative log-likelihood: the logarithm of one class's probability at each place; and the way back.

Nothing is computed. What counts is that each place reads one number of its many classes, and that the
gradient is zero but for one number a place.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np

from tensorlab.backends.cpu import jit
from tensorlab.backends.cpu.cell import narrow, widen
from tensorlab.backends.cpu.levels import assemble
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
    walk: np.ndarray,
    strides: np.ndarray,
    x: tuple[np.ndarray, int],
    target: np.ndarray,
    weight: np.ndarray,
    ignored: int,
) -> tuple[np.ndarray, np.ndarray, int]:
    """See `tensorlab.backends.layers.LayerOperations.likelihood`."""
    out, sums = np.empty(target.size, element_type.cell), np.zeros(2)
    wrong = _module(element_type).gather(walk, strides, *x, target, weight, ignored, out, sums)
    return out, sums, wrong


def likelihood_gradient(
    element_type: dtype,
    walk: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    ignored: int,
    grad: np.ndarray,
    factor: float,
    cells: int,
) -> np.ndarray:
    """See `tensorlab.backends.layers.LayerOperations.likelihood_gradient`."""
    out = np.zeros(cells, element_type.cell)
    step = 0 if grad.size == 1 else 1
    _module(element_type).scatter(walk, target, weight, ignored, step, grad, factor, out)
    return out
