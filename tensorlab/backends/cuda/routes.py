"""Moves to and from where index tensors say, on the device ``"cuda"``: which kernel, with which arguments."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tensorlab.backends import determinism
from tensorlab.backends.cuda import indexing, products
from tensorlab.backends.cuda.intrinsics import WIDEST
from tensorlab.backends.operands import Buffer
from tensorlab.backends.protocol import IndexLayout
from tensorlab.core import dtypes

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

__all__ = ["counting", "indexed", "merged"]

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
    return {"quotient": indexing.whole_quotient, "remainder": indexing.whole_remainder}


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


def indexed(
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
    constants = {"IS_RUN": walk.inner > 1, "ACTION": indexing.ACTIONS.get(action, 0), **counting(count)}
    meanings = [f"index {{}} is out of bounds for a dimension with size {size}" for size in sizes]
    number, own_strides, own_steps = _owned(walk, sizes)
    runs = math.prod(walk.shape)
    is_claimed = action == "replace" and runs > 1
    combined = _combined(backend, walk, constants, indices) if action not in ("gather", "replace") else None
    moves = {
        is_wide: products.specialised(
            indexing.gather if action == "gather" else indexing.scatter,
            **constants, IS_WIDE=is_wide, IS_CLAIMED=is_claimed,
        )
        for is_wide in (False, True)
    }  # fmt: skip
    claim = products.specialised(indexing.claim, **counting(count))
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
                backend.each(claim, runs, runs, walk.shape, *owners[:2], *ends_of_claim)
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
    number = products.specialised(indexing.number, **counting(runs))
    combine = products.specialised(indexing.combine, **constants)
    # A GPU sees truths as bytes, whose sum would be no truth.
    joins = {**constants, "ACTION": indexing.GREATEST} if constants["ACTION"] == indexing.ADD else constants
    of_truths = products.specialised(indexing.combine, **joins)

    def launch(to: Buffer, source: Buffer, led: tuple[Any, ...], faults: Any, codes: Any) -> None:
        keys, order = backend.allocate(runs, kind.cell), backend.allocate(runs, dtypes.int64.cell)
        said = own_steps, lows, beyond, faults, codes
        backend.each(number, runs, runs, walk.shape, keys.cells, own_strides, *led, *said)
        sort((order, 0), (keys, 0))
        ends = _end(to, walk.target, walk.steps[0]), _end(source, walk.other, walk.steps[1])
        operands = runs, walk.inner, walk.shape, order.cells, keys.cells, beyond, *ends[0], *ends[1]
        kernel = of_truths if to[0].dtype == np.bool_ else combine
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
