"""Elements that move from or to where index tensors say.

A thread moves a cell, or 16 bytes, of a run of cells that the same indices lead to; where there are no runs,
a run is one cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tensorlab.backends import determinism
from tensorlab.backends.cuda.constants import specialised
from tensorlab.backends.cuda.intrinsics import (
    WIDEST,
    atomic_add,
    atomic_max,
    load4,
    quotient,
    remainder,
    store4,
)
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.backends.operands import Buffer
from tensorlab.backends.protocol import IndexLayout
from tensorlab.core import dtypes

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

__all__ = [
    "cell_of",
    "claim",
    "combine",
    "counting",
    "gather",
    "merged",
    "number_runs",
    "prepare_indexed",
    "scatter",
    "tell",
]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

REPLACE, ADD, MULTIPLY, GREATEST, LEAST = range(5)
ACTIONS = {"replace": REPLACE, "add": ADD, "mul": MULTIPLY, "max": GREATEST, "min": LEAST}
ACTION = REPLACE

# Whether a run has several cells; whether 16 bytes move at a time; whether positions may lead to one cell.
IS_RUN, IS_WIDE, IS_CLAIMED = False, False, True

# A fault is a number: which it was, times a span, and the index, put into the span.
SPAN, HALF = 1 << 40, 1 << 39


def tell(faults: Any, code: Any, index: Any) -> None:
    """Let the host know, when it next waits, that an index has led out of a tensor."""
    atomic_max(faults, 0, code * SPAN + HALF + min(max(index, -HALF), HALF - 1))


def whole_quotient(a: Any, b: Any) -> Any:
    """`quotient` of numbers that do not fit into 32 bits."""
    return a // b


def whole_remainder(a: Any, b: Any) -> Any:
    """`remainder` of such numbers."""
    return a % b


def cell_of(row, shape, first, strides):
    """The cell of an operand at a position of the walk."""
    for dim in range(len(shape) - 1, 0, -1):
        first += remainder(row, shape[dim]) * strides[dim]
        row = quotient(row, shape[dim])
    return first + row * strides[0]


def reached(row, shape, indices, index_firsts, index_strides, sizes, steps, lows, faults, codes):
    """By how many cells the indices lead further at a position of the walk; -1 if one leads out."""
    total = 0
    for each in range(len(sizes)):
        index = indices[each][cell_of(row, shape, index_firsts[each], index_strides[each])]
        if index < lows[each] or index >= sizes[each]:
            tell(faults, codes[each], index)
            return -1
        total += (index + sizes[each] if index < 0 else index) * steps[each]
    return total


def gather(
    count, inner, shape, out, out_first, out_strides, out_step, x, x_first, x_strides, x_step,
    indices, index_firsts, index_strides, sizes, steps, lows, faults, codes,
):  # fmt: skip
    """Read each element where the indices say."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        row, column = i, 0
        if IS_RUN:
            row, column = quotient(i, inner), remainder(i, inner)
        further = reached(row, shape, indices, index_firsts, index_strides, sizes, steps, lows, faults, codes)
        if further >= 0:
            out_cell = cell_of(row, shape, out_first, out_strides) + column * out_step
            x_cell = cell_of(row, shape, x_first, x_strides) + column * x_step + further
            if IS_WIDE:
                store4(out, out_cell, load4(x, x_cell))
            else:
                out[out_cell] = x[x_cell]


def claim(
    count, shape, owners, own_strides, indices, index_firsts, index_strides, sizes, own_steps, lows,
    faults, codes,
):  # fmt: skip
    """Find out for each run of the target which position is the last that leads there."""
    for row in range(cuda.grid(1), count, cuda.gridsize(1)):
        own = reached(row, shape, indices, index_firsts, index_strides, sizes, own_steps, lows, faults, codes)
        if own >= 0:
            atomic_max(owners, cell_of(row, shape, own, own_strides), row)


def scatter(
    count, inner, shape, target, target_first, target_strides, target_step, x, x_first, x_strides, x_step,
    owners, own_strides, own_steps, indices, index_firsts, index_strides, sizes, steps, lows, faults, codes,
):  # fmt: skip
    """Add each element to the one that the indices lead to, or overwrite that with the last one."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        row, column = i, 0
        if IS_RUN:
            row, column = quotient(i, inner), remainder(i, inner)
        further = reached(row, shape, indices, index_firsts, index_strides, sizes, steps, lows, faults, codes)
        if further >= 0 and IS_CLAIMED:
            own = reached(
                row, shape, indices, index_firsts, index_strides, sizes, own_steps, lows, faults, codes
            )
            if owners[cell_of(row, shape, own, own_strides)] != row:
                further = -1
        if further >= 0:
            cell = cell_of(row, shape, target_first, target_strides) + column * target_step + further
            x_cell = cell_of(row, shape, x_first, x_strides) + column * x_step
            if ACTION == ADD:
                atomic_add(target, cell, x[x_cell])
            elif IS_WIDE:
                store4(target, cell, load4(x, x_cell))
            else:
                target[cell] = x[x_cell]


def number_runs(
    count, shape, keys, own_strides, indices, index_firsts, index_strides, sizes, own_steps, lows, beyond,
    faults, codes,
):  # fmt: skip
    """Find out for each position the number of the target's run that it leads to; `beyond` where none is."""
    for row in range(cuda.grid(1), count, cuda.gridsize(1)):
        own = reached(row, shape, indices, index_firsts, index_strides, sizes, own_steps, lows, faults, codes)
        keys[row] = beyond if own < 0 else cell_of(row, shape, own, own_strides)


def combine(
    rows, inner, shape, order, keys, beyond, target, target_first, target_strides, target_step,
    x, x_first, x_strides, x_step, indices, index_firsts, index_strides, sizes, steps, lows, faults, codes,
):  # fmt: skip
    """Combine each cell with all elements that lead to it, in row-major order of their positions.

    The positions stand in the order of their `keys`, so that those that lead to one run are neighbours. The
    thread that meets the first of them takes all of them, for one cell of the run.
    """
    for i in range(cuda.grid(1), rows * inner, cuda.gridsize(1)):
        place, column = i, 0
        if IS_RUN:
            place, column = quotient(i, inner), remainder(i, inner)
        row = order[place]
        key = keys[row]
        if key != beyond and (place == 0 or keys[order[place - 1]] != key):
            further = reached(
                row, shape, indices, index_firsts, index_strides, sizes, steps, lows, faults, codes
            )
            cell = cell_of(row, shape, target_first, target_strides) + column * target_step + further
            held = target[cell]
            while place < rows and keys[order[place]] == key:
                value = x[cell_of(order[place], shape, x_first, x_strides) + column * x_step]
                if ACTION == ADD:
                    held = held + value
                elif ACTION == MULTIPLY:
                    held = held * value
                elif value != value or (value > held if ACTION == GREATEST else value < held):
                    held = value
                place += 1
            target[cell] = held


# --- which kernel runs --------------------------------------------------------------------------------------

WORD = np.dtype(np.uint32)

# The cells that a GPU adds to without a look at them.
ADDED = tuple(np.dtype(kind) for kind in (np.float32, np.float64, np.int32, np.int64))


class _Walk(NamedTuple):
    """The positions of a move: of runs, and how many elements a run has."""

    shape: tuple[int, ...]
    inner: int
    target: tuple[int, ...]
    other: tuple[int, ...]
    indices: tuple[tuple[int, ...], ...]
    steps: tuple[int, int]


def counting(count: int) -> dict[str, Any]:
    """The constants of kernels that count so many elements: how they divide."""
    if count < 1 << 32:
        return {}
    return {"quotient": whole_quotient, "remainder": whole_remainder}


def merged(shape: Sequence[int], *operands: Sequence[int]) -> tuple[list[int], list[list[int]]]:
    """A shape and strides over it with as few dimensions as lead to the same cells, in the same order."""
    sizes, strides = [1], [[0] for _ in operands]
    for dim, size in enumerate(shape):
        if size == 1:
            continue
        steps = [each[dim] for each in operands]
        if all(line[-1] == step * size for line, step in zip(strides, steps, strict=True)):
            sizes[-1] *= size
            for line, step in zip(strides, steps, strict=True):
                line[-1] = step
        else:
            sizes.append(size)
            for line, step in zip(strides, steps, strict=True):
                line.append(step)
    if sizes[0] == 1 and len(sizes) > 1:
        return sizes[1:], [line[1:] for line in strides]
    return sizes, strides


def prepare_indexed(
    backend: Cuda,
    action: str,
    shape: tuple[int, ...],
    target: tuple[int, ...],
    other: tuple[int, ...],
    indices: tuple[IndexLayout, ...],
) -> Callable[..., bool]:
    """See `tensorlab.backends.protocol.Core.indexed`."""
    count, walk = math.prod(shape), _walk(shape, target, other, indices)
    sizes, lows = tuple(each.size for each in indices), tuple(each.low for each in indices)
    steps = tuple(each.step for each in indices)
    constants = {"IS_RUN": walk.inner > 1, "ACTION": ACTIONS.get(action, 0), **counting(count)}
    meanings = [f"index {{}} is out of bounds for a dimension with size {size}" for size in sizes]
    number, own_strides, own_steps = _owned(walk, sizes)
    runs = math.prod(walk.shape)
    is_claimed = action == "replace" and runs > 1
    combined = _combined(backend, walk, constants, indices) if action not in ("gather", "replace") else None
    moves = {
        is_wide: specialised(
            gather if action == "gather" else scatter,
            **constants, IS_WIDE=is_wide, IS_CLAIMED=is_claimed,
        )
        for is_wide in (False, True)
    }  # fmt: skip
    claiming = specialised(claim, **counting(count))
    owner: Any = np.int32 if count < 1 << 31 else np.int64

    def launch(to: Buffer, source: Buffer, *index_buffers: Buffer) -> bool:
        faults, codes = backend.listen(meanings)
        cells = tuple(memory.cells for memory, _ in index_buffers)
        firsts = tuple(first for _, first in index_buffers)
        led = cells, firsts, walk.indices, sizes
        if combined is not None and not (action == "add" and _adds_at_once(to[0].dtype)):
            combined(to, source, led, faults, codes)
            return False
        width = 1 if action == "add" else _width(walk, to, source, steps)
        ends = (
            _end(to, walk.target, walk.steps[0], width),
            _end(source, walk.other, walk.steps[1], width),
        )
        # By how many cells, or words, an index leads further.
        further = tuple(step // width * 4 if width > 1 else step for step in steps)
        inner = walk.inner // width
        owners: tuple[Any, ...] = ()
        if action != "gather":
            owners = faults, walk.target, steps  # looked at by nobody
            if is_claimed:
                held = backend.allocate(number, np.dtype(owner))
                backend.fill((held, 0), number, owner(-1))
                owners = held.cells, own_strides, own_steps
                ends_of_claim = *led, own_steps, lows, faults, codes
                backend.each(claiming, runs, runs, walk.shape, *owners[:2], *ends_of_claim)
        kernel = moves[width > 1]
        operands = runs * inner, inner, walk.shape, *ends[0], *ends[1], *owners, *led, further, lows
        backend.each(kernel, runs * inner, *operands, faults, codes)
        return False

    return launch


def _adds_at_once(cell: np.dtype) -> bool:
    """Whether threads add to cells of a type in any order: floats then depend on it in their last bits."""
    return cell in ADDED and not (cell.kind == "f" and determinism.chosen.mode)


def _combined(
    backend: Cuda, walk: _Walk, constants: dict[str, Any], indices: Sequence[IndexLayout]
) -> Callable[..., None]:
    """Prepare to combine cells with what leads to them, in order: positions are sorted by where they lead."""
    sizes, lows = tuple(each.size for each in indices), tuple(each.low for each in indices)
    steps, runs = tuple(each.step for each in indices), math.prod(walk.shape)
    beyond, own_strides, own_steps = _owned(walk, sizes)
    kind = dtypes.int32 if beyond < 1 << 31 else dtypes.int64
    sort = backend.sort(kind, 1, runs, (0, runs), False)
    numbering = specialised(number_runs, **counting(runs))
    combining = specialised(combine, **constants)
    # A GPU sees truths as bytes, whose sum would be no truth.
    joins = {**constants, "ACTION": GREATEST} if constants["ACTION"] == ADD else constants
    of_truths = specialised(combine, **joins)

    def launch(to: Buffer, source: Buffer, led: tuple[Any, ...], faults: Any, codes: Any) -> None:
        keys, order = backend.allocate(runs, kind.cell), backend.allocate(runs, dtypes.int64.cell)
        said = own_steps, lows, beyond, faults, codes
        backend.each(numbering, runs, runs, walk.shape, keys.cells, own_strides, *led, *said)
        sort((order, 0), (keys, 0))
        ends = _end(to, walk.target, walk.steps[0]), _end(source, walk.other, walk.steps[1])
        operands = runs, walk.inner, walk.shape, order.cells, keys.cells, beyond, *ends[0], *ends[1]
        kernel = of_truths if to[0].dtype == np.bool_ else combining
        backend.each(kernel, runs * walk.inner, *operands, *led, steps, lows, faults, codes)

    return launch


def _walk(
    shape: Sequence[int], target: Sequence[int], other: Sequence[int], indices: Sequence[IndexLayout]
) -> _Walk:
    sizes, (to, source, *led) = merged(shape, target, other, *(each.strides for each in indices))
    inner, steps = 1, (0, 0)
    if not any(strides[-1] for strides in led) and (to[-1] or sizes[-1] == 1):
        inner, steps = sizes.pop(), (to.pop(), source.pop())
        for strides in led:
            strides.pop()
    if not sizes:
        sizes, to, source, led = [1], [0], [0], [[0] for _ in led]
    return _Walk(tuple(sizes), inner, tuple(to), tuple(source), tuple(map(tuple, led)), steps)


def _owned(walk: _Walk, sizes: Sequence[int]) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """How many runs positions can lead to, and the steps in which these are counted.

    They are counted along the dimensions of the walk that the target has, and then along the indices'.
    """
    number = 1
    strides: list[int] = []
    steps: list[int] = []
    for size in reversed(sizes):
        steps.insert(0, number)
        number *= size
    for size, step in zip(reversed(walk.shape), reversed(walk.target), strict=True):
        strides.insert(0, number if step else 0)
        number *= size if step else 1
    return number, tuple(strides), tuple(steps)


def _width(walk: _Walk, to: Buffer, source: Buffer, steps: Sequence[int]) -> int:
    """How many cells of a run move at a time: as many as 16 bytes hold, if runs begin at multiples."""
    size = to[0].dtype.itemsize
    width = WIDEST // size
    offsets = *walk.target, *walk.other, *steps, walk.inner
    if walk.steps != (1, 1) or any(each % width for each in offsets):
        return 1
    for memory, first in (to, source):
        if (memory.pointer + first * size) % WIDEST or memory.nbytes % WORD.itemsize:
            return 1
    return width


def _end(buffer: Buffer, strides: Sequence[int], step: int, width: int = 1) -> tuple[Any, ...]:
    """An operand as kernels take it: its cells, or words where several cells move at a time."""
    memory, first = buffer
    if width == 1:
        return memory.cells, first, tuple(strides), step
    words = memory.view(WORD).cells
    return words, first * 4 // width, tuple(each // width * 4 for each in strides), 4
