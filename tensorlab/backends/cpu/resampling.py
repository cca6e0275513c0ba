"""Images of other places: each number of the result is made of numbers of the image, dimension by dimension.

Padding gathers numbers from inside of an image, and interpolation adds up neighbours, each with a weight.
Both are told, for each dimension by itself, where the numbers come from. A line of the result comes from one
line of the image, or from several that are blended into one; then its numbers are gathered.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.cell import Number, narrow, widen
from tensorlab.backends.cpu.levels import assemble, compute_name
from tensorlab.backends.cpu.pointers import advance, at
from tensorlab.backends.cpu.run_loops import zero_run
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.operands import Launch
from tensorlab.backends.windows import Along
from tensorlab.core.dtypes import dtype, float32

__all__ = ["resample"]

# What picking one number costs, in additions of one float32.
COST = 2


def gather(count, run, places, line, out):
    """Numbers of a line, wherever they stand; those of the `run` stand side by side there, too."""
    for j in range(run[0]):
        out[j] = line[places[j]]
    copy(run[1] - run[0], advance(line, places[run[0]]), advance(out, run[0]))
    for j in range(run[1], count):
        out[j] = line[places[j]]


def copy(count, line, out):
    """Neighbours."""
    for j in range(count):
        out[j] = line[j]


def scatter_add(count, run, places, part, line):
    """Numbers added to where `gather` finds them."""
    for j in range(run[0]):
        line[places[j]] += part[j]
    add(run[1] - run[0], advance(part, run[0]), advance(line, places[run[0]]))
    for j in range(run[1], count):
        line[places[j]] += part[j]


def add(count, part, line):
    """Neighbours added to neighbours."""
    for j in range(count):
        line[j] += part[j]


def add_weighted(count, weight, line, sums):
    """A line, weighted, added to others."""
    for j in range(count):
        sums[j] += weight * widen(line[j])


def gather_weighted(count, places, weights, line, totals):
    """Numbers of a line, each with its weight, added to others."""
    for j in range(count):
        totals[j] += weights[j] * line[places[j]]


def scatter_add_weighted(count, places, weights, part, line):
    """Numbers, weighted, added to where `gather_weighted` finds them."""
    for j in range(count):
        line[places[j]] += weights[j] * part[j]


def write(count, totals, out):
    """Numbers as cells."""
    for j in range(count):
        out[j] = narrow(totals[j])


# fmt: off
def gather_lines(first, last, extents, sizes, run, out, image, z_places, y_places, x_places):
    # fmt: on
    """Lines `first` … `last` - 1 of the result; an image has `extents`, a result `sizes`."""
    places = at(x_places, 0)
    for line in range(first, last):
        y, plane = line % sizes[1], line // sizes[1]
        z, plane = plane % sizes[0], plane // sizes[0]
        source = (plane * extents[0] + z_places[z]) * extents[1] + y_places[y]
        gather(sizes[2], run, places, at(image, source * extents[2]), at(out, line * sizes[2]))


def gather_lines_gradient(first, last, extents, sizes, run, part, image, z_places, y_places, x_places):
    """The gradient of `gather_lines` for images `first` … `last` - 1, which grow by the parts of a result."""
    places = at(x_places, 0)
    for plane in range(first, last):
        for z in range(sizes[0]):
            for y in range(sizes[1]):
                line = (plane * sizes[0] + z) * sizes[1] + y
                target = (plane * extents[0] + z_places[z]) * extents[1] + y_places[y]
                scatter_add(sizes[2], run, places, at(part, line * sizes[2]), at(image, target * extents[2]))


# fmt: off
def blend_lines(
    first, last, extents, sizes, neighbours, out, image,
    z_places, y_places, x_places, z_weights, y_weights, x_weights,
):
    # fmt: on
    """`gather_lines` where each dimension has several `neighbours` to a place, with weights."""
    blended, totals = np.empty(extents[2], Number), np.empty(sizes[2], Number)
    for line in range(first, last):
        y, plane = line % sizes[1], line // sizes[1]
        z, plane = plane % sizes[0], plane // sizes[0]
        zero_run(extents[2], at(blended, 0))
        for a in range(z, neighbours[0] * sizes[0], sizes[0]):
            for b in range(y, neighbours[1] * sizes[1], sizes[1]):
                source = (plane * extents[0] + z_places[a]) * extents[1] + y_places[b]
                weight = z_weights[a] * y_weights[b]
                add_weighted(extents[2], weight, at(image, source * extents[2]), at(blended, 0))
        zero_run(sizes[2], at(totals, 0))
        for c in range(0, neighbours[2] * sizes[2], sizes[2]):
            gather_weighted(sizes[2], at(x_places, c), at(x_weights, c), at(blended, 0), at(totals, 0))
        write(sizes[2], at(totals, 0), at(out, line * sizes[2]))


# fmt: off
def blend_lines_gradient(
    first, last, extents, sizes, neighbours, part, image,
    z_places, y_places, x_places, z_weights, y_weights, x_weights,
):
    # fmt: on
    """The gradient of `blend_lines` for images `first` … `last` - 1."""
    blended = np.empty(extents[2], Number)
    for plane in range(first, last):
        for z in range(sizes[0]):
            for y in range(sizes[1]):
                line = (plane * sizes[0] + z) * sizes[1] + y
                zero_run(extents[2], at(blended, 0))
                for c in range(0, neighbours[2] * sizes[2], sizes[2]):
                    scatter_add_weighted(
                        sizes[2], at(x_places, c), at(x_weights, c), at(part, line * sizes[2]), at(blended, 0)
                    )
                for a in range(z, neighbours[0] * sizes[0], sizes[0]):
                    for b in range(y, neighbours[1] * sizes[1], sizes[1]):
                        target = (plane * extents[0] + z_places[a]) * extents[1] + y_places[b]
                        weight = z_weights[a] * y_weights[b]
                        add_weighted(extents[2], weight, at(blended, 0), at(image, target * extents[2]))


def resample(
    element_type: dtype, planes: int, along: Sequence[Along], gradient: bool = False
) -> Launch:
    """See `tensorlab.backends.windows.WindowOperations.resample`."""
    weighted = any(each.weights is not None for each in along)
    kernel = _kernel(element_type, weighted, gradient)
    number = compute_name(element_type)
    sizes = tuple(each.size for each in along)
    options: tuple[Any, ...] = (tuple(each.extent for each in along), sizes)
    places = [np.array(each.places, np.int64).reshape(-1) for each in along]
    if weighted:
        options = (*options, tuple(len(each.places) for each in along))
        weights = [each.weights or np.ones((len(each.places), each.size)) for each in along]
        places += [np.array(each, number).reshape(-1) for each in weights]
    else:
        options = (*options, _run(places[2]))
    tasks = planes if gradient else planes * sizes[0] * sizes[1]
    work = COST * planes * math.prod(len(each.places) * each.size for each in along)
    # What is only moved need not be known: all types of one width share a kernel.
    cell = element_type.cell if weighted or gradient else np.dtype(f"u{element_type.itemsize}")

    def launch(out: tuple, image: tuple) -> None:
        operands = [cells[offset:].view(cell) for cells, offset in (out, image)]
        team = min(threads.team_for(work), tasks)
        share(kernel, team, tasks, *options, *operands, *places)

    return launch


def _run(places: np.ndarray) -> tuple[int, int]:
    """The first longest run of results whose places are neighbours, and where it ends.

    Example:
        >>> _run(np.array([2, 1, 0, 1, 2, 3, 2]))
        (2, 6)
    """
    borders = np.flatnonzero(np.diff(places) != 1) + 1
    begins, ends = np.append(0, borders), np.append(borders, len(places))
    longest = int(np.argmax(ends - begins))
    return int(begins[longest]), int(ends[longest])


# The levels of a kernel, by whether there are weights and whether it is the gradient.
_LEVELS: dict[tuple[bool, bool], tuple[list[Callable], Callable]] = {
    (False, False): ([copy, gather], gather_lines),
    (False, True): ([add, scatter_add], gather_lines_gradient),
    (True, False): ([zero_run, add_weighted, gather_weighted, write], blend_lines),
    (True, True): ([zero_run, add_weighted, scatter_add_weighted], blend_lines_gradient),
}
_modules: dict[tuple, ModuleType] = {}


def _kernel(element_type: dtype, weighted: bool, gradient: bool) -> Callable[..., None]:
    # Without weights it is the same text for all dtypes.
    key = element_type if weighted else float32, weighted, gradient
    blocks, entry = _LEVELS[weighted, gradient]
    found = _modules.get(key)
    if found is None:
        text = assemble("images of other places", key[0], blocks=blocks, kernels=[entry])
        found = _modules[key] = jit.load(f"resample_{entry.__name__}_{key[0].name}", text)
    kernel: Callable[..., None] = jit.quiet(getattr(found, entry.__name__))
    return kernel
