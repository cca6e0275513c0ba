"""Images of other places: each number of the result is made of numbers of the image, dimension by dimension.

Padding takes numbers from inside of an image, and interpolation weighs neighbours. Both are told, for each
dimension by itself, where the numbers come from. A line of the result comes from one line of the image, or
from several that are blended into one; then its numbers are picked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.cell import Number, narrow, widen
from tensorlab.backends.cpu.levels import assemble, compute_name
from tensorlab.backends.cpu.pointers import advance, at
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.operands import Launch
from tensorlab.backends.windows import Along
from tensorlab.dtypes import dtype, float32

__all__ = ["resample"]

# What picking one number costs, in additions of one float32.
COST = 2


def pick(count, run, places, line, out):
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


def add_back(count, run, places, part, line):
    """Numbers added to where `pick` finds them."""
    for j in range(run[0]):
        line[places[j]] += part[j]
    add(run[1] - run[0], advance(part, run[0]), advance(line, places[run[0]]))
    for j in range(run[1], count):
        line[places[j]] += part[j]


def add(count, part, line):
    """Neighbours added to neighbours."""
    for j in range(count):
        line[j] += part[j]


def clear(count, sums):
    """Zeros."""
    for j in range(count):
        sums[j] = Number(0)


def blend(count, weight, line, sums):
    """A line, weighted, added to others."""
    for j in range(count):
        sums[j] += weight * widen(line[j])


def pick_weighted(count, places, weights, line, totals):
    """Numbers of a line, each with its weight, added to others."""
    for j in range(count):
        totals[j] += weights[j] * line[places[j]]


def add_back_weighted(count, places, weights, part, line):
    """Numbers, weighted, added to where `pick_weighted` finds them."""
    for j in range(count):
        line[places[j]] += weights[j] * part[j]


def write(count, totals, out):
    """Numbers as cells."""
    for j in range(count):
        out[j] = narrow(totals[j])


# fmt: off
def take(first, last, extents, sizes, run, out, image, z_places, y_places, x_places):
    # fmt: on
    """Lines `first` … `last` - 1 of the result; an image has `extents`, a result `sizes`."""
    places = at(x_places, 0)
    for line in range(first, last):
        y, plane = line % sizes[1], line // sizes[1]
        z, plane = plane % sizes[0], plane // sizes[0]
        source = (plane * extents[0] + z_places[z]) * extents[1] + y_places[y]
        pick(sizes[2], run, places, at(image, source * extents[2]), at(out, line * sizes[2]))


def give(first, last, extents, sizes, run, part, image, z_places, y_places, x_places):
    """The way back for images `first` … `last` - 1: the image grows by the parts of a result."""
    places = at(x_places, 0)
    for plane in range(first, last):
        for z in range(sizes[0]):
            for y in range(sizes[1]):
                line = (plane * sizes[0] + z) * sizes[1] + y
                target = (plane * extents[0] + z_places[z]) * extents[1] + y_places[y]
                add_back(sizes[2], run, places, at(part, line * sizes[2]), at(image, target * extents[2]))


# fmt: off
def take_weighted(
    first, last, extents, sizes, neighbours, out, image,
    z_places, y_places, x_places, z_weights, y_weights, x_weights,
):
    # fmt: on
    """`take` where each dimension has several `neighbours` to a place, with weights: one after the other."""
    blended, totals = np.empty(extents[2], Number), np.empty(sizes[2], Number)
    for line in range(first, last):
        y, plane = line % sizes[1], line // sizes[1]
        z, plane = plane % sizes[0], plane // sizes[0]
        clear(extents[2], at(blended, 0))
        for a in range(z, neighbours[0] * sizes[0], sizes[0]):
            for b in range(y, neighbours[1] * sizes[1], sizes[1]):
                source = (plane * extents[0] + z_places[a]) * extents[1] + y_places[b]
                weight = z_weights[a] * y_weights[b]
                blend(extents[2], weight, at(image, source * extents[2]), at(blended, 0))
        clear(sizes[2], at(totals, 0))
        for c in range(0, neighbours[2] * sizes[2], sizes[2]):
            pick_weighted(sizes[2], at(x_places, c), at(x_weights, c), at(blended, 0), at(totals, 0))
        write(sizes[2], at(totals, 0), at(out, line * sizes[2]))


# fmt: off
def give_weighted(
    first, last, extents, sizes, neighbours, part, image,
    z_places, y_places, x_places, z_weights, y_weights, x_weights,
):
    # fmt: on
    """The way back of `take_weighted` for images `first` … `last` - 1."""
    blended = np.empty(extents[2], Number)
    for plane in range(first, last):
        for z in range(sizes[0]):
            for y in range(sizes[1]):
                line = (plane * sizes[0] + z) * sizes[1] + y
                clear(extents[2], at(blended, 0))
                for c in range(0, neighbours[2] * sizes[2], sizes[2]):
                    add_back_weighted(
                        sizes[2], at(x_places, c), at(x_weights, c), at(part, line * sizes[2]), at(blended, 0)
                    )
                for a in range(z, neighbours[0] * sizes[0], sizes[0]):
                    for b in range(y, neighbours[1] * sizes[1], sizes[1]):
                        target = (plane * extents[0] + z_places[a]) * extents[1] + y_places[b]
                        weight = z_weights[a] * y_weights[b]
                        blend(extents[2], weight, at(blended, 0), at(image, target * extents[2]))


def resample(
    element_type: dtype, planes: int, along: Sequence[Along], back: bool = False
) -> Launch:
    """See `tensorlab.backends.windows.WindowOperations.resample`."""
    weighted = any(each.weights is not None for each in along)
    kernel = _kernel(element_type, weighted, back)
    number = compute_name(element_type)
    sizes = tuple(each.places.shape[1] for each in along)
    options: tuple[Any, ...] = (tuple(each.extent for each in along), sizes)
    places = [np.ascontiguousarray(each.places).reshape(-1) for each in along]
    if weighted:
        options = (*options, tuple(len(each.places) for each in along))
        weights = [np.ones(each.places.shape) if each.weights is None else each.weights for each in along]
        places += [np.ascontiguousarray(each, number).reshape(-1) for each in weights]
    else:
        options = (*options, _run(places[2]))
    tasks = planes if back else planes * sizes[0] * sizes[1]
    work = COST * planes * int(np.prod([each.places.size for each in along]))
    # What is only moved need not be known: all types of one width share a kernel.
    cell = element_type.cell if weighted or back else np.dtype(f"u{element_type.itemsize}")

    def launch(out: tuple, image: tuple) -> None:
        operands = [cells[offset:].view(cell) for cells, offset in (out, image)]
        team = min(threads.team_for(work), tasks)
        if team == 1:
            kernel(0, tasks, *options, *operands, *places)
        else:
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


# The levels of a kernel, by whether it weighs and whether it is the way back.
_LEVELS: dict[tuple[bool, bool], tuple[list[Callable], Callable]] = {
    (False, False): ([copy, pick], take),
    (False, True): ([add, add_back], give),
    (True, False): ([clear, blend, pick_weighted, write], take_weighted),
    (True, True): ([clear, blend, add_back_weighted], give_weighted),
}
_modules: dict[tuple, ModuleType] = {}


def _kernel(element_type: dtype, weighted: bool, back: bool) -> Callable[..., None]:
    # What does not weigh is the same text for all dtypes.
    key = element_type if weighted else float32, weighted, back
    blocks, entry = _LEVELS[weighted, back]
    found = _modules.get(key)
    if found is None:
        text = assemble("images of other places", key[0], blocks=blocks, kernels=[entry])
        found = _modules[key] = jit.load(f"resample_{entry.__name__}_{key[0].name}", text)
    kernel: Callable[..., None] = jit.quiet(getattr(found, entry.__name__))
    return kernel
