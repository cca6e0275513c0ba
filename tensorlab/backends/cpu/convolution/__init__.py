"""Convolution, and the gradient of its weights, on the tiles of the matrix product.

The files of this folder are the levels of the algorithm, outermost first:

``__init__``   which kernel, how many threads
``geometry``   where each tap finds its numbers, and the sizes of blocks
``loops``      the loops over blocks
``copies``     a padded part of the image, weights, gradients and results
``tile``       one tile of the result, over channels and taps; ``depthwise`` what stands for it where a tile
               would be almost empty
``registers``  a step whose numbers lie anywhere; ``text`` what differs between dtypes

The gradient of the image is a convolution, too: of the gradient of the result, with the taps in the opposite
direction (see `tensorlab.ops.convolution`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlab.backends.cpu import jit, machine, threads
from tensorlab.backends.cpu.convolution.geometry import for_gradient, for_result
from tensorlab.backends.cpu.convolution.text import kernel_source
from tensorlab.backends.cpu.gemm import workspace
from tensorlab.backends.cpu.gemm.blocks import blocks
from tensorlab.backends.cpu.levels import compute_name
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.windows import Correlation
from tensorlab.core.dtypes import dtype

__all__ = ["correlate", "correlate_weights"]

# The parts of a second-level cache that hold a copy, sums and weights: one each, and two if all weights stay.
PARTS = 4

# The multiply-adds that take, with what is copied for them, as long as one addition of `threads.team_for`.
MULTIPLY_ADDS = 16

# With so few results in a group a tile of the result would stand almost empty.
FEW = 2


def correlate(element_type: dtype, problem: Correlation, bias: Sequence[int] | None) -> Callable[..., None]:
    """See `tensorlab.backends.windows.WindowOperations.correlate`."""
    run = _prepared(element_type, problem, bias)

    def launch(out: tuple, image: tuple, weight: tuple, bias: tuple | None = None) -> None:
        run(out, image, weight, bias)

    return launch


def correlate_weights(element_type: dtype, problem: Correlation) -> Callable[..., None]:
    """See `tensorlab.backends.windows.WindowOperations.correlate_weights`."""
    run = _prepared(element_type, problem, None, gradient=True)

    def launch(weight: tuple, out: tuple, image: tuple) -> None:
        run(out, image, weight, None)

    return launch


def _prepared(
    element_type: dtype, problem: Correlation, bias: Sequence[int] | None, gradient: bool = False
) -> Callable[..., None]:
    """The run of one kernel, over (out, image, weight, bias)."""
    number = np.dtype(compute_name(element_type))
    z, y, x = problem.windows
    work = problem.images * problem.groups * problem.results * problem.channels
    work *= z.size * y.size * x.size * len(problem.taps) // MULTIPLY_ADDS
    depthwise = problem.results <= FEW
    form = ("weight_gradient" if gradient else "convolve") + "_depthwise" * depthwise
    strides = np.zeros((4, 6), np.int64)
    strides[0], strides[1] = problem.out, problem.image
    group, result, channel = problem.weight
    strides[2, :3] = result, group, channel
    strides[3, 1:3] = bias or (0, 0)
    fixed = (
        (problem.images, problem.groups, problem.results, problem.channels),
        (z.size, y.size, x.size),
        (z.extent, y.extent, x.extent),
        (z.step, y.step, x.step),
    )
    taps = np.array(problem.taps, np.int64)
    no_bias = np.zeros(0, element_type.cell)
    plans: dict[int, tuple] = {}
    kernel = _kernel(element_type, form)

    def plan(team: int) -> tuple:
        sizes = blocks(number.itemsize)
        if depthwise:
            sizes = sizes._replace(rows=1)
        part = machine.caches().second // PARTS // number.itemsize
        block, copy = (for_gradient if gradient else for_result)(problem, sizes, part, team)
        places = np.add.outer(np.arange(block.channels) * copy.plane, copy.places).reshape(-1)
        places = np.concatenate([places, np.repeat(places[-1:], sizes.rows)]).astype(np.int64)
        return (
            block.tasks(problem, not gradient), block.cells,
            (*fixed, tuple(block[:-1]), strides, copy.lines, copy.starts, places, taps),
        )  # fmt: skip

    def run(*buffers: tuple | None) -> None:
        team = threads.team_for(work)
        tasks, cells, options = plans.get(team) or plans.setdefault(team, plan(team))
        operands = [no_bias if buffer is None else buffer[0][buffer[1] :] for buffer in buffers]
        team = min(team, tasks)
        space = workspace(number, team * cells).reshape(team, cells)
        share(kernel, team, tasks, *options, *operands, space, workspaces=True)

    return run


_kernels: dict[tuple, Callable] = {}


def _kernel(element_type: dtype, form: str) -> Callable[..., Any]:
    found = _kernels.get((element_type, form))
    if found is None:
        module = jit.load(f"{form}_{element_type.name}", kernel_source(element_type, form))
        found = _kernels[element_type, form] = jit.quiet(getattr(module, form.removesuffix("_depthwise")))
    return found
