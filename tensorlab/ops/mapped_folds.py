"""Folds of a table that a scalar function would make, without the table.

A loss is a number for each element, and then their mean; a dot product is a product for each element, and
then their sum. Where the elements are many, one kernel does both (see `tensorlab.backends.cpu.mapped`).
"""

from __future__ import annotations

import itertools
import math
from typing import Any

from tensorlab import broadcasting, layout
from tensorlab.autograd.views import requires_grad
from tensorlab.backends import backend
from tensorlab.folds import TABLE as FOLDS
from tensorlab.layout import Size
from tensorlab.modes import current
from tensorlab.ops.dispatch import Number, Plan, layouts_of, plan_of, taken, types_of, widened
from tensorlab.ops.folding import as_dims, reduced_shape
from tensorlab.ops.operands import to_round
from tensorlab.ops.plans import remember
from tensorlab.scalars import Scalar
from tensorlab.tensor import Tensor

__all__ = ["LARGE", "many", "mapped_fold", "unrecorded_fold"]

# From so many elements on a kernel of its own is worth the time that it takes to be found: 256 KB of float32.
LARGE = 1 << 16

_plans: dict[tuple, Plan | None] = {}


def many(first: Tensor, second: Tensor) -> bool:
    """Whether a table of two operands may be large enough for `mapped_fold`: the first thing to ask."""
    count = math.prod(first._shape)
    return (count if first._shape == second._shape else count * math.prod(second._shape)) >= LARGE


def mapped_fold(
    name: str, row: Scalar, *operands: Tensor | Number, dim: Any = None, keepdim: bool = False, k: float = 0.0
) -> Tensor | None:
    """A fold of what a scalar function makes of operands that are broadcast against each other.

    Nothing is recorded.

    Args:
        name: a row of `tensorlab.folds.TABLE` without a center.
        row: the scalar function.
        operands: those of `compute`.
        dim, keepdim: which dimensions are folded away, as `sum` takes them.
        k: the number that the fold's formulas use.

    Returns:
        the result, of the dtype that the function makes; None where the table is best made: it is small, or
        it is not of floats, nor of truths that are only asked whether all are true.
    """
    shapes = [operand._shape for operand in operands if isinstance(operand, Tensor)]
    shape = shapes[0]
    if shapes.count(shape) == len(shapes):
        if math.prod(shape) < LARGE:
            return None
    elif math.prod(itertools.chain(*shapes)) < LARGE:  # no more elements than that meet
        return None
    else:
        shape = broadcasting.broadcast_shapes(*shapes)
        if math.prod(shape) < LARGE:
            return None
    dims = as_dims(dim, len(shape), name)
    key, buffers = taken(row.name, operands)
    key = (*key, name, dims, keepdim, k)
    if key in _plans:
        plan = _plans[key]
    else:
        plan = remember(_plans, key, _new_plan(name, row, operands, shape, dims, keepdim, k))
    return None if plan is None else plan.run(*buffers)


def unrecorded_fold(
    name: str, row: Scalar, *operands: Tensor | Number, dim: Any = None, keepdim: bool = False, k: float = 0.0
) -> Tensor | None:
    """`mapped_fold`, and None as well where the function and the fold are to be recorded, each by itself."""
    if current.grad and any(isinstance(operand, Tensor) and requires_grad(operand) for operand in operands):
        return None
    return mapped_fold(name, row, *operands, dim=dim, keepdim=keepdim, k=k)


def _new_plan(
    name: str,
    row: Scalar,
    operands: tuple[Tensor | Number, ...],
    shape: Size,
    dims: tuple[int, ...],
    keepdim: bool,
    k: float,
) -> Plan | None:
    compute, made = types_of(row, operands)
    if to_round(row, operands, compute) or not (made.is_floating_point or FOLDS[name].truth):
        return None
    launch = backend("cpu").mapped_fold(
        row, widened(compute), made, FOLDS[name], shape, dims, layouts_of(shape, operands), k
    )
    sizes = reduced_shape(shape, dims, keepdim)
    return plan_of(launch, sizes, layout.default_strides(sizes), made)
