"""Pointwise kernels: one scalar function applied to every element.

For each (scalar function, dtypes, pattern) that a program meets, one small kernel is generated from the
function's own source in `tensorlab.scalars` (see `tensorlab.backends.cpu.templates`, and print
`kernel_source(...)` to read one). The pattern says how each operand is walked along the innermost dimension:

``run``         neighbouring cells, so that whole vectors are loaded and stored
``one``         the same cell again and again: a broadcast operand or a number
``step``        cells some stride apart
``transposed``  neighbouring cells along the dimension before, read by blocks
``self``        the output itself, for an operation in place

When all operands are runs or single cells and one dimension is left, the kernel is one loop. Otherwise it
walks rows, or blocks of rows where an operand is transposed.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlab.backends.cpu import jit, threads
from tensorlab.backends.cpu.iterate import coalesce
from tensorlab.backends.cpu.pointwise_blocks import STRIP
from tensorlab.backends.cpu.pointwise_text import SELF, STEP, TRANSPOSED
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.cpu.templates import CHUNK, kernel_source
from tensorlab.backends.operands import ONE, RUN, Launch, OperandLayout, no_launch
from tensorlab.dtypes import dtype
from tensorlab.integers import ceil_div
from tensorlab.scalars import Scalar

__all__ = ["flat_kernel", "kernel_source", "pointwise", "short_kernel", "walk_pattern", "with_rows"]

_kernels: dict[tuple, Callable] = {}

# Of fewer rows, long ones are cut into as many pieces or less.
FEW_ROWS = 64

# A Python number, which a kernel takes as it is.
NUMBER = "number"


class _Way(NamedTuple):
    """How the operands of one operation are walked together.

    Attributes:
        form: ``"flat"``, ``"rows"`` or ``"blocks"``.
        pattern: of each operand how it is walked along the innermost dimension.
        kernel: the serial kernel.
        walk: the coalesced shape and each operand's strides; of the flat form nothing is left to say.
        tasks: how many rows, or blocks of rows, there are.
    """

    form: str
    pattern: tuple[str, ...]
    kernel: Callable
    walk: np.ndarray
    tasks: int


def _find_way(row: Scalar, compute: dtype, shape: Sequence[int], operands: Sequence[OperandLayout]) -> _Way:
    sizes, strides = coalesce(shape, [operand.strides for operand in operands])
    pattern = walk_pattern(operands, strides)
    if len(sizes) == 1 and STEP not in pattern:
        form = "flat"
    else:
        form = "blocks" if TRANSPOSED in pattern else "rows"
    kernel = _kernel(form, row, compute, tuple(operand.dtype for operand in operands), pattern, False)
    walk = np.array([sizes, *strides], np.int64)
    if form == "rows":
        if math.prod(sizes[:-1]) < FEW_ROWS:
            walk = _cut(walk)
        walk = with_rows(walk)
    tasks = math.prod(walk[0, :-1].tolist())
    if form == "blocks":
        tasks = tasks // sizes[-2] * ceil_div(sizes[-2], STRIP)
    return _Way(form, pattern, kernel, walk, tasks)


def _cut(walk: np.ndarray) -> np.ndarray:
    """The same walk with rows in pieces, which threads can share; as it is if no pieces of one length do.

    Example:
        >>> _cut(np.array([[30_000], [1], [2]])).tolist()
        [[6, 5000], [5000, 1], [10000, 2]]
    """
    length = int(walk[0, -1])
    for pieces in range(min(FEW_ROWS, length // CHUNK), 1, -1):
        if length % pieces == 0:
            size = length // pieces
            steps = walk[1:, -1:]
            cut = np.vstack([[[pieces, size]], np.hstack([steps * size, steps])])
            return np.hstack([walk[:, :-1], cut])
    return walk


def with_rows(walk: np.ndarray) -> np.ndarray:
    """The same walk of two dimensions or more, as kernels take it that go by rows.

    Example:
        >>> with_rows(np.array([[5], [1], [2]])).tolist()
        [[1, 5], [0, 1], [0, 2]]
    """
    if walk.shape[1] > 1:
        return walk
    return np.hstack([np.array([[1], *[[0]] * (len(walk) - 1)]), walk])


def pointwise(
    row: Scalar, compute: dtype, shape: Sequence[int], out: OperandLayout, inputs: Sequence[OperandLayout]
) -> Launch:
    """See `tensorlab.backends.protocol.Backend.pointwise`."""
    count = math.prod(shape)
    if count == 0:
        return no_launch
    operands = (out, *inputs)
    way = _find_way(row, compute, shape, operands)
    short = None if SELF in way.pattern else _short(row, count, operands, way)
    if short is not None:
        return _short_flat_launch(short, count) if way.form == "flat" else _short_walk_launch(short)
    work = count * row.cost
    if way.form != "flat":
        return _walk_launch(way, operands, work)
    is_scaled = way.pattern in _SCALED and not any(operand.is_number for operand in operands)
    if is_scaled and work < threads.WORTHWHILE:
        return _short_scaled_launch(way, count, operands)
    shared = functools.partial(_shared_kernel, row, compute, operands, way.pattern)
    return _flat_launch(way, operands, count, work, shared)


class _Passed(NamedTuple):
    """An operand that is passed to a kernel: its place among the buffers, and how it is passed."""

    position: int
    kind: str
    cell: np.dtype


def _passed(operands: Sequence[OperandLayout], pattern: tuple[str, ...]) -> list[_Passed]:
    return [
        _Passed(position, NUMBER if operand.is_number else kind, operand.dtype.cell)
        for position, (operand, kind) in enumerate(zip(operands, pattern, strict=True))
        if kind != SELF
    ]


def _short_flat_launch(short: Callable, count: int) -> Launch:
    """The launch of runs alone, too short for threads."""

    def launch(*buffers: Any) -> None:
        short(*[c if c.size == count else c[first : first + count] for c, first in buffers])

    return launch


def _short_walk_launch(short: Callable) -> Launch:
    """The launch of short tensors that are walked by rows or by blocks of rows."""

    def launch(*buffers: Any) -> None:
        short(*[cells[first:] if first else cells for cells, first in buffers])

    return launch


# A run and one number in a tensor, the most frequent of the small operations on two shapes.
_SCALED = ((RUN, RUN, ONE), (RUN, ONE, RUN))


def _short_scaled_launch(way: _Way, count: int, operands: Sequence[OperandLayout]) -> Launch:
    """The launch of a short run and one number in a tensor."""
    one, run = (1, 2) if way.pattern[1] == ONE else (2, 1)
    cells = [operand.dtype.cell for operand in operands]
    code = jit.entry(way.kernel, *[cell.type() if at == one else cell for at, cell in enumerate(cells)])

    def launch(*buffers: Any) -> None:
        (out, at), (cells, first), (single, place) = buffers[0], buffers[run], buffers[one]
        if out.size != count:
            out = out[at : at + count]
        if cells.size != count:
            cells = cells[first : first + count]
        if one == 2:
            code(out, cells, single[place])
        else:
            code(out, single[place], cells)

    return launch


def _flat_launch(
    way: _Way, operands: Sequence[OperandLayout], count: int, work: int, shared: Callable[[], Callable]
) -> Launch:
    """The launch of runs, single cells and numbers; `shared` gives the kernel for threads."""
    passed = _passed(operands, way.pattern)
    # Where Numba looks at every call: a number may be of another type in each.
    looks = any(kind is NUMBER for _, kind, _ in passed)
    kinds = [cell.type() if kind is ONE else cell for _, kind, cell in passed]
    code = functools.cache(lambda: way.kernel if looks else jit.entry(way.kernel, *kinds))
    light = work < threads.WORTHWHILE
    tasks = ceil_div(count, CHUNK)

    def launch(*buffers: Any) -> None:
        arguments = []
        for position, kind, _ in passed:
            item = buffers[position]
            if kind is not NUMBER:
                cells, offset = item
                if kind is ONE:
                    item = cells[offset]
                else:
                    item = cells if cells.size == count else cells[offset : offset + count]
            arguments.append(item)
        team = 1 if light else min(threads.team_for(work), tasks)
        if team == 1:
            code()(*arguments)
        else:
            share(shared(), team, tasks, *arguments)

    return launch


def _walk_launch(way: _Way, operands: Sequence[OperandLayout], work: int) -> Launch:
    """The launch of operands that are walked by rows or by blocks of rows."""
    passed = _passed(operands, way.pattern)
    walk, tasks = way.walk, way.tasks
    code = jit.entry(way.kernel, 0, tasks, walk, *[cell for _, _, cell in passed])
    light = work < threads.WORTHWHILE

    def launch(*buffers: Any) -> None:
        arguments = []
        for position, kind, cell in passed:
            item = buffers[position]
            if kind is NUMBER:
                item = np.array([item]).astype(cell)
            else:
                cells, offset = item
                item = cells[offset:] if offset else cells
            arguments.append(item)
        team = 1 if light else min(threads.team_for(work), tasks)
        if team == 1:
            code(0, tasks, walk, *arguments)
        else:
            share(way.kernel, team, tasks, walk, *arguments)

    return launch


def short_kernel(
    row: Scalar, compute: dtype, shape: Sequence[int], out: OperandLayout, inputs: Sequence[OperandLayout]
) -> Callable[..., None] | None:
    """See `tensorlab.backends.protocol.Backend.short_kernel`."""
    count, operands = math.prod(shape), (out, *inputs)
    return _short(row, count, operands, _find_way(row, compute, shape, operands)) if count else None


def _short(
    row: Scalar, count: int, operands: Sequence[OperandLayout], way: _Way
) -> Callable[..., None] | None:
    """The kernel of tensors alone that are too short for threads: the most frequent has the fewest steps."""
    if count * row.cost >= threads.WORTHWHILE or any(o.is_number for o in operands):
        return None
    cells = [o.dtype.cell for o, kind in zip(operands, way.pattern, strict=True) if kind != SELF]
    if way.form != "flat":
        known = 0, way.tasks, way.walk
        return functools.partial(jit.entry(way.kernel, *known, *cells), *known)
    return jit.entry(way.kernel, *cells) if ONE not in way.pattern else None


def flat_kernel(
    row: Scalar, compute: dtype, element_types: tuple[dtype, ...], kinds: tuple[str, ...]
) -> Callable:
    """See `tensorlab.backends.protocol.Backend.flat_kernel`."""
    kernel = _kernel("flat", row, compute, element_types, kinds, False)
    numbers = [0.0 if t.is_floating_point else 0 for t in element_types]
    types = zip(element_types, numbers, kinds, strict=True)
    return jit.entry(
        kernel, *[t.cell if kind == RUN else number for t, number, kind in types if kind != SELF]
    )


def walk_pattern(operands: Sequence[OperandLayout], strides: Sequence[Sequence[int]]) -> tuple[str, ...]:
    """How each operand is walked along the innermost dimension."""
    kinds = []
    for position, (operand, steps) in enumerate(zip(operands, strides, strict=True)):
        if operand.is_out and position:
            kinds.append(SELF)
        elif operand.is_number:
            kinds.append(ONE)
        elif steps[-1] == 1:
            kinds.append(RUN)
        elif steps[-1] == 0 and position:
            kinds.append(ONE)
        elif len(steps) > 1 and steps[-2] == 1 and position:
            kinds.append(TRANSPOSED)
        else:
            kinds.append(STEP)
    return tuple(kinds)


def _shared_kernel(
    row: Scalar, compute: dtype, operands: Sequence[OperandLayout], pattern: tuple[str, ...]
) -> Callable:
    return _kernel("flat", row, compute, tuple(operand.dtype for operand in operands), pattern, True)


def _kernel(
    form: str, row: Scalar, compute: dtype, element_types: tuple, pattern: tuple, shared: bool
) -> Callable:
    key = (form, row.name, compute, element_types, pattern, shared)
    found = _kernels.get(key)
    if found is None:
        types = "_".join(t.name for t in element_types)
        source = kernel_source(row, compute, element_types, pattern, form)
        module = jit.load(f"{row.name}_{form}_{types}", source)
        found = _kernels[key] = jit.quiet(module.shared_kernel if shared else module.kernel)
    return found
