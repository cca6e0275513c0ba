"""Writes into tensors of dtypes and layouts met before: what to do is known, and is done in one step.

The first write of a kind goes the long way, with every check (`tensorlab.ops.dispatch.compute_into`). If that
found nothing to refuse, then the next one of the same dtypes and layouts can only be refused for what
machine code looks at: where the tensors lie, whether they are recorded, and whether the memory may be
written. Where it finds anything of that, the write goes the long way again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Literal

from tensorlab.backends import OperandLayout, backend
from tensorlab.layout import default_strides
from tensorlab.modes import current
from tensorlab.ops import results
from tensorlab.ops.elementwise import operand_layouts
from tensorlab.ops.operands import Number, to_round, types_of, widened
from tensorlab.ops.plans import remember
from tensorlab.ops.straight import flat_kernel, most_straight
from tensorlab.scalars import FLOAT, TABLE, Scalar
from tensorlab.tensor import Tensor, dense_cells

__all__ = ["Way", "learn", "overwrites", "overwritten", "row_major_copy", "way_of_copy"]

Way = Callable[..., Tensor | None]

# Of each kind of write the way of the last one, which the next one tries first: way(recording, target,
# *operands) gives the target, or None if it has written nothing.
overwrites: dict[Hashable, Way] = {}

# The ways of all layouts met before, False where there is none.
_ways: dict[tuple, Way | Literal[False]] = {}
# The layouts that were met once, and whose way was not looked for.
_met: dict[tuple, bool] = {}
# Those for row-major tensors of one shape, whichever that is.
_of_runs: dict[tuple, Way | Literal[False]] = {}
# What makes row-major copies of tensors of these dtypes and layouts, False where nothing does in one step.
_copies: dict[tuple, Callable[[Tensor], Tensor | None] | Literal[False]] = {}


def overwritten(kind: Hashable, target: Tensor, operands: Sequence[Tensor | Number]) -> bool | None:
    """Whether a write was done by a way that is known for its layouts; None if none was looked for yet.

    Args:
        kind: what is done: an operation, in place or not.
        target: what is written.
        operands: the other operands.
    """
    key = _key(kind, target, operands)
    way = _ways.get(key)
    if way is None:
        return None
    for operand in (target, *operands):
        if type(operand) is Tensor and operand._dense is None:
            dense_cells(operand)  # machine code does not ask a new view
    if way is False or way(current.grad, target, *operands) is None:
        return False
    overwrites[kind] = way
    return True


def learn(
    kind: Hashable,
    row: Scalar,
    writer: object,
    target: Tensor,
    operands: Sequence[Tensor | Number],
    in_place: bool,
) -> None:
    """Keep the way of a write that was done the long way, for the next one of the same dtypes and layouts.

    Args:
        kind, target, operands: as `overwritten` was asked.
        row: the scalar function.
        writer: what is noted on the storage (see `tensorlab.autograd.writers`).
        in_place: whether the target is the first operand of the function too.
    """
    key = _key(kind, target, operands)
    way: Way | None = None
    if _may_be_known(row, target, operands, in_place):
        if _are_runs(row, target, operands):
            types = (kind, target._dtype, *[t._dtype if isinstance(t, Tensor) else type(t) for t in operands])
            known = _of_runs.get(types)
            if known is None:
                known = _way_of_runs(row, writer, target, operands, in_place) or False
                remember(_of_runs, types, known)
            way = known or None
        if way is None and all(isinstance(operand, Tensor) for operand in operands):
            if key not in _met:  # a way costs many writes: those that came twice get one
                remember(_met, key, True)
                return
            way = _way_of_layouts(row, writer, target, operands, in_place)
    remember(_ways, key, way or False)
    if way is not None:
        overwrites[kind] = way


def row_major_copy(input: Tensor) -> Tensor | None:
    """A row-major copy of a short tensor, made in one step; None where it is recorded, or there is no way."""
    key = input._dtype, input._shape, input._stride
    make = _copies.get(key)
    if make is None:
        make = remember(_copies, key, _way_of_copies(input) or False)
    return make(input) if make else None


def way_of_copy(writer: object, target: Tensor, source: Tensor) -> Way | None:
    """What copies tensors like `source` into such as `target`, of one dtype and shape; None if nothing does.

    Args:
        writer: what is noted on the storage.
        target, source: the tensors.
    """
    row = TABLE["copy"]
    if target.numel() > most_straight(row):
        return None
    find = _way_of_runs if _are_runs(row, target, (source,)) else _way_of_layouts
    return find(row, writer, target, (source,), in_place=False)


def _way_of_copies(input: Tensor) -> Callable[[Tensor], Tensor | None] | None:
    shape, stride = input._shape, default_strides(input._shape)
    layouts = [OperandLayout(input._dtype, input._stride)]
    out = OperandLayout(input._dtype, stride)
    kernel = backend("cpu").short_kernel(TABLE["copy"], widened(input._dtype), shape, out, layouts)
    if kernel is None:
        return None
    return results.meeting(kernel, (input,), input._dtype, input.numel(), shape, stride)


def _key(kind: Hashable, target: Tensor, operands: Sequence[Tensor | Number]) -> tuple:
    key: list[object] = [kind, target._dtype, target._shape, target._stride]
    for operand in operands:
        if type(operand) is Tensor:
            key += operand._dtype, operand._shape, operand._stride
        else:
            key.append(type(operand))
    return tuple(key)


def _may_be_known(row: Scalar, target: Tensor, operands: Sequence[Tensor | Number], in_place: bool) -> bool:
    """Whether dtypes and layouts decide, not the default dtype, and all are what machine code knows."""
    if type(target) is not Tensor or any(type(t) not in (Tensor, float, int) for t in operands):
        return False
    read = (target, *operands) if in_place else operands
    if any(isinstance(t, Tensor) and t._dtype.is_floating_point for t in read):
        return True
    return row.result != FLOAT and not any(isinstance(t, float) for t in read)


def _are_runs(row: Scalar, target: Tensor, operands: Sequence[Tensor | Number]) -> bool:
    if not 0 < target.numel() <= most_straight(row) or dense_cells(target) is False:
        return False
    tensors = [operand for operand in operands if isinstance(operand, Tensor)]
    return all(t._shape == target._shape and dense_cells(t) is not False for t in tensors)


def _way_of_runs(
    row: Scalar, writer: object, target: Tensor, operands: Sequence[Tensor | Number], in_place: bool
) -> Way | None:
    everything = [target, *operands] if in_place else operands
    kinds = [t._dtype if isinstance(t, Tensor) else t for t in everything]
    found = flat_kernel(row, *kinds, itself=in_place)
    if not found or found[1] is not target._dtype:
        return None
    facts = [t._dtype if isinstance(t, Tensor) else type(t) for t in (target, *operands)]
    return results.overwriting(found[0], facts, writer, most_straight(row))


def _way_of_layouts(
    row: Scalar, writer: object, target: Tensor, operands: Sequence[Tensor | Number], in_place: bool
) -> Way | None:
    everything = [target, *operands] if in_place else operands
    compute_type, out_type = types_of(row, everything)
    if to_round(row, everything, compute_type) or (out_type is not target._dtype and row.name != "copy"):
        return None
    same = [in_place and position == 0 for position in range(len(everything))]
    layouts = operand_layouts(target._shape, everything, same)
    out = OperandLayout(target._dtype, target._stride)
    kernel = backend("cpu").short_kernel(row, widened(compute_type), target._shape, out, layouts)
    if kernel is None:
        return None
    facts = [(t._dtype, t._shape, t._stride) for t in (target, *operands) if isinstance(t, Tensor)]
    return results.overwriting(kernel, facts, writer, target.numel())
