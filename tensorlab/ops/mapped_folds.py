"""Folds of a table that a scalar function would make, without the table.

A loss is a number for each element, and then their mean; a dot product is a product for each element, and
then their sum. Where the elements are many, one kernel does both (see `tensorlab.backends.cpu.mapped`).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any

from tensorlab import broadcasting, layout
from tensorlab.autograd.views import requires_grad
from tensorlab.backends import Backend, Launch
from tensorlab.folds import TABLE as FOLDS
from tensorlab.layout import Size
from tensorlab.modes import current
from tensorlab.ops.dispatch import Number, Operand, Primitive, Result, compute, types_of, widened
from tensorlab.ops.elementwise import operand_layouts
from tensorlab.ops.folding import as_dims, reduced_shape
from tensorlab.ops.operands import to_round
from tensorlab.scalars import Scalar
from tensorlab.tensor import Tensor

__all__ = ["LARGE", "many", "mapped_fold", "unrecorded_fold"]

# From so many elements on a kernel of its own is worth the time that it takes to be found: 256 KB of float32.
LARGE = 1 << 16


class MappedReduction(Primitive):
    """A fold of what a scalar function makes; `params`: the dimensions, `keepdim` and its number."""

    def __init__(self, name: str, row: Scalar) -> None:
        self.name, self.row = name, row

    def result(self, operands: Sequence[Operand], params: tuple) -> Result:
        """The shape that is left, row-major, of the dtype that the function makes."""
        dims, keepdim, _ = params
        _, made = types_of(self.row, operands)
        sizes = reduced_shape(_shape_of(operands), dims, keepdim)
        return Result(sizes, layout.default_strides(sizes), made)

    def launch(
        self,
        backend: Backend,
        result: Result,
        operands: Sequence[Operand],
        params: tuple,
        same: Sequence[bool],
    ) -> Launch:
        """See `Primitive.launch`."""
        dims, _, k = params
        compute, made = types_of(self.row, operands)
        shape = _shape_of(operands)
        inputs = operand_layouts(shape, operands)
        return backend.mapped_fold(self.row, widened(compute), made, FOLDS[self.name], shape, dims, inputs, k)


@functools.cache
def _primitive(name: str, row: Scalar) -> MappedReduction:
    return MappedReduction(name, row)


def _shape_of(operands: Sequence[Operand]) -> Size:
    return broadcasting.broadcast_shapes(*[t._shape for t in operands if isinstance(t, Tensor)])


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
    computed, made = types_of(row, operands)
    if to_round(row, operands, computed) or not (made.is_floating_point or FOLDS[name].truth):
        return None
    return compute(_primitive(name, row), *operands, params=(dims, keepdim, k))


def unrecorded_fold(
    name: str, row: Scalar, *operands: Tensor | Number, dim: Any = None, keepdim: bool = False, k: float = 0.0
) -> Tensor | None:
    """`mapped_fold`, and None as well where the function and the fold are to be recorded, each by itself."""
    if current.grad and any(isinstance(operand, Tensor) and requires_grad(operand) for operand in operands):
        return None
    return mapped_fold(name, row, *operands, dim=dim, keepdim=keepdim, k=k)
