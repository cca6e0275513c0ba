"""Normalisation: numbers brought to mean 0 and deviation 1, then weighted and shifted; and the way back.

``rows``      each row by its own mean and deviation, with a weight for each of its cells: layer and RMS norm
``runs``      groups of runs, with a weight for each run: group, instance and batch norm
``columns``   neighbouring columns side by side: batch norm where a channel's numbers lie apart
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tensorlab.backends.cpu import jit, sharing, threads
from tensorlab.backends.cpu.levels import assemble, compute_name
from tensorlab.backends.cpu.normalise import columns, rows, runs
from tensorlab.backends.cpu.pointers import LINE
from tensorlab.backends.layers import NormalGroups, Normalised
from tensorlab.dtypes import dtype
from tensorlab.integers import ceil_div
from tensorlab.memory import LARGE, aligned, beside

__all__ = ["normalise", "normalise_gradient"]

# Roughly how many additions one element is worth.
COST = 4

# Sums over rows are made in so many parts, whatever the number of threads: so their last digits are the same.
PARTS = 16
LEAST = 128  # rows of a part

# So many bytes of cells, and their results beside them, are more than the caches keep.
FAR = 1 << 23


def normalise(
    element_type: dtype,
    groups: NormalGroups,
    eps: float,
    x: np.ndarray,
    weights: np.ndarray,
    biases: np.ndarray,
    given: tuple[np.ndarray, np.ndarray] | None = None,
    centers: bool = True,
) -> Normalised:
    """See `tensorlab.backends.layers.LayerOperations.normalise`."""
    count, number = groups.number, compute_name(element_type)
    out, scales = beside(x, x.size, element_type.cell), np.empty(count, number)
    kernels = _module(element_type, groups.form, False, given is None, centers, x.size)
    if groups.form == "rows":
        means: np.ndarray = np.empty(count, number)
        _share(kernels, x.size, count, groups.length, eps, out, x, weights, biases, means, scales)
        return Normalised(out, means, None, scales)
    means, variances = given or (np.empty(count), np.empty(count))
    tasks, sizes = _tasks(groups)
    _share(kernels, x.size, tasks, *sizes, eps, out, x, weights, biases, means, variances, scales)
    return Normalised(out, means, variances, scales)


def normalise_gradient(
    element_type: dtype,
    groups: NormalGroups,
    x: np.ndarray,
    grad: np.ndarray,
    weights: np.ndarray,
    means: np.ndarray,
    scales: np.ndarray,
    training: bool = True,
    centers: bool = True,
    wants_weights: bool = True,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """See `tensorlab.backends.layers.LayerOperations.normalise_gradient`."""
    out = beside(x, x.size, element_type.cell)
    flag = wants_weights if groups.form == "rows" else training
    kernels = _module(element_type, groups.form, True, flag, centers, x.size)
    if groups.form == "rows":
        height, length = groups.number, groups.length
        parts = max(1, min(PARTS, height // LEAST)) if wants_weights else height
        sums = aligned(parts * 2 * length if wants_weights else 1, weights.dtype)
        sums.fill(0)
        if x.size >= LARGE:  # every row walks along the weights
            weights, given = aligned(length, weights.dtype), weights
            weights[:] = given
        wholes = np.zeros(sums.shape)
        _share(
            kernels, x.size, parts, height, parts, length, out, x, grad, weights, means, scales, sums, wholes
        )
        if not wants_weights:
            return out, wholes, wholes
        totals = wholes if parts == 1 else wholes.reshape(parts, -1).sum(0)
        return out, totals[:length], totals[length:]
    each = (groups.number, groups.runs) if groups.form == "runs" else weights.shape
    products, totals = np.empty(each), np.empty(each)
    tasks, sizes = _tasks(groups)
    _share(kernels, x.size, tasks, *sizes, out, x, grad, weights, means, scales, totals, products)
    return out, products, totals


def _tasks(groups: NormalGroups) -> tuple[int, tuple[Any, ...]]:
    """How many pieces the work has, and the sizes that the kernels take."""
    if groups.form == "columns":
        return ceil_div(groups.number, columns.STRIP), (groups.length, groups.number)
    return groups.number, (np.array(groups[2:], np.int64),)


def _share(kernels: ModuleType, cells: int, tasks: int, *arguments: Any) -> None:
    """Run all tasks, on as many threads as they deserve."""
    if cells:
        team = min(threads.team_for(COST * cells), tasks)
        sharing.share(jit.quiet(kernels.kernel), team, tasks, *arguments)


# The levels of each form: forward and backward.
_LEVELS: dict[tuple[str, bool], dict[str, Any]] = {
    ("rows", False): {
        "blocks": [rows.run_sum, rows.run_squares, rows.write_row],
        "inner": [rows.ask],
        "kernels": [rows.forward],
    },
    ("rows", True): {
        "blocks": [rows.row_sums, rows.write_gradient, rows.gather],
        "inner": [rows.ask, rows.write_far_gradient, rows.row_gradient],
        "kernels": [rows.backward],
    },
    ("runs", False): {
        "blocks": [rows.run_sum, rows.run_squares, rows.write_row, runs.scale_run],
        "inner": [runs.group_statistics],
        "kernels": [runs.forward],
    },
    ("runs", True): {
        "blocks": [runs.run_products, runs.cell_products, runs.run_gradient, rows.write_gradient],
        "kernels": [runs.backward],
    },
    ("columns", False): {
        "blocks": [columns.add_to, columns.add_squares, columns.scale_columns],
        "kernels": [columns.forward],
    },
    ("columns", True): {
        "blocks": [columns.add_products, columns.column_gradient],
        "kernels": [columns.backward],
    },
}
_SIZES = {"BLOCK": rows.BLOCK, "TOGETHER": rows.TOGETHER, "AHEAD": rows.AHEAD, "STRIP": columns.STRIP}
_modules: dict[tuple, ModuleType] = {}


def _module(
    element_type: dtype, form: str, backward: bool, flag: bool, centers: bool, cells: int
) -> ModuleType:
    """The kernels of one form; `flag`: whether it wants those of the weights, or whether it is training."""
    far = form == "rows" and cells * element_type.itemsize > FAR
    key = element_type, form, backward, flag, centers, far
    found = _modules.get(key)
    if found is None:
        way = "backward" if backward else "forward"
        sizes = {**_SIZES, "PIECE": rows.PIECE if far else rows.BLOCK, "LINE": LINE // element_type.itemsize}
        constants = {**sizes, "CENTERS": centers, "WANTS_WEIGHTS": flag, "TRAINING": flag, "FAR": far}
        text = assemble(
            f"normalisation of {form}, {way},", element_type, constants=constants, **_LEVELS[form, backward]
        )
        entries = f"\n\nkernel = {way}\n"
        found = _modules[key] = jit.load(f"normalise_{form}_{way}_{element_type.name}", text + entries)
    return found
