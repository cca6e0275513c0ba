"""Padding and interpolation as gathers and sums of the core, and their gradients: what they have in common.

One dimension is done after the other. Along each, a new place has one or several old neighbours, each with a
weight: the neighbours are gathered, and added up with their weights. Where there are no weights the neighbour
is all there is. The gradient goes the same way back: what arrived is added to where it was gathered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tensorlab.backends import Backend, Buffer, Launch, OperandLayout, no_launch
from tensorlab.backends.array import of_host
from tensorlab.backends.protocol import IndexLayout
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size, default_strides
from tensorlab.core.memory_formats import (
    channels_last,
    contiguous_format,
    format_strides,
    memory_format,
    suggested_format,
)
from tensorlab.dispatch.copies import reader, writer
from tensorlab.dispatch.operands import widened
from tensorlab.dispatch.primitive import Primitive, Result, compute
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Along:
    """Where the numbers of a result come from along one dimension.

    It is compared and hashed by identity, so that plans can be kept by it: make it once, and keep it.

    Attributes:
        extent: the size of the image.
        places: for each neighbour and each result the place in the image.
        weights: for each neighbour and each result a weight; None for 1.
    """

    extent: int
    places: Sequence[Sequence[int]]
    weights: Sequence[Sequence[float]] | None = None

    @property
    def size(self) -> int:
        """How many results there are."""
        return len(self.places[0])

    @property
    def is_identity(self) -> bool:
        """Whether each result is the number at its own place."""
        return not self.weights and list(self.places[0]) == list(range(self.extent))


class Resample(Primitive):
    """A tensor whose last dimensions are made of others' places, or the gradient of what it is made of.

    `params` are, for each of the last dimensions, where its numbers come from; and the format of the result,
    None for that of the operand.
    """

    def __init__(self, name: str, gradient: bool) -> None:
        self.name, self.gradient = name, gradient

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """See `Primitive.result`."""
        (input,), (along, _) = operands, params
        sizes = [each.extent if self.gradient else each.size for each in along]
        shape = Size((*input._shape[: input.ndim - len(along)], *sizes))
        return Result(shape, format_strides(shape, _wanted(input, params)), input._dtype)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """The steps work on row-major cells: of channels that lie last these are one dimension more."""
        (input,), (along, _) = operands, params
        shape, element_type = result.shape, result.dtype
        if 0 in shape:
            return no_launch
        last = _wanted(input, params) is channels_last and len(along) == 2
        order = channels_last if last else contiguous_format
        lead, behind = list(shape[: len(shape) - len(along)]), []
        if last:
            lead, behind = lead[:1], lead[1:]
        stride, out = format_strides(shape, order), OperandLayout(element_type, result.stride)
        read = reader(backend, input, format_strides(input._shape, order))
        write = writer(backend, shape, out, stride)
        fill = _steps(backend, element_type, math.prod(lead), along, math.prod(behind), self.gradient)
        return lambda out, source: write(out, lambda made: fill(made, read(source)))


def _wanted(input: Tensor, params: tuple) -> memory_format:
    return params[1] or suggested_format(input._shape, input._stride)


# --- one dimension after the other --------------------------------------------------------------------


def _steps(
    backend: Backend, element_type: dtype, lead: int, along: Sequence[Along], behind: int, gradient: bool
) -> Launch:
    """What leads, one dimension after the other, from an image to the result, or from its gradient back.

    Args:
        backend: the device's kernels.
        element_type: the dtype of both; of a gradient float32 or float64.
        lead: how many images there are.
        along: where the numbers along each dimension of an image come from.
        behind: how many neighbouring cells each place has.
        gradient: whether the way is that back.
    """
    number, kind = widened(element_type), element_type
    sizes = [lead, *[one.size if gradient else one.extent for one in along], behind]
    dims = [(dim, one) for dim, one in enumerate(along, 1) if not one.is_identity]
    steps: list[tuple[Launch, int, dtype]] = []
    for dim, one in reversed(dims) if gradient else dims:
        before, sizes = sizes, list(sizes)
        sizes[dim] = one.extent if gradient else one.size
        if gradient:
            step = _scattered(backend, number, before, sizes, dim, one)
        else:
            made = number if one.weights else kind
            step = _gathered(backend, kind, made, before, sizes, dim, one)
            kind = made
        steps.append((step, math.prod(sizes), kind))
    if kind is not element_type or not steps:
        dense = default_strides(sizes)
        out, source = OperandLayout(element_type, dense), OperandLayout(kind, dense)
        steps.append((backend.pointwise(TABLE["copy"], number, sizes, out, [source]), 0, element_type))
    *first, (last, _, _) = steps

    def fill(to: Buffer, cells: Buffer) -> None:
        for step, count, kind in first:
            made = backend.allocate(count, kind.cell), 0
            step(made, cells)
            cells = made
        last(to, cells)

    return fill


def _gathered(
    backend: Backend,
    kind: dtype,
    made: dtype,
    before: Sequence[int],
    sizes: Sequence[int],
    dim: int,
    one: Along,
) -> Launch:
    """The step along a dimension of cells of one dtype, with weights to cells of another."""
    index, neighbours = _neighbours(backend, made, before, dim, one)
    dense, source = default_strides(sizes), _without(default_strides(before), dim)
    gather = backend.indexed("gather", tuple(sizes), dense, source, (index,))
    if not one.weights:

        def take(to: Buffer, cells: Buffer) -> None:
            gather(to, cells, neighbours[0][0])

        return take
    out, near = OperandLayout(made, dense), OperandLayout(kind, dense)
    weight = OperandLayout(made, index.strides)
    value = OperandLayout(dtypes.float64, (0,) * len(dense), is_number=True)
    multiply = backend.pointwise(TABLE["mul"], made, sizes, out, [near, weight])
    add = backend.pointwise(TABLE["addcmul"], made, sizes, out, [out, near, weight, value])

    def step(to: Buffer, cells: Buffer) -> None:
        near = backend.allocate(math.prod(sizes), kind.cell), 0
        for position, (places, weights) in enumerate(neighbours):
            gather(near, cells, places)
            if position:
                add(to, to, near, weights, 1.0)
            else:
                multiply(to, near, weights)

    return step


def _scattered(
    backend: Backend, kind: dtype, before: Sequence[int], sizes: Sequence[int], dim: int, one: Along
) -> Launch:
    """The step back along a dimension: what was gathered is added to where it came from."""
    index, neighbours = _neighbours(backend, kind, sizes, dim, one)
    dense, target = default_strides(before), _without(default_strides(sizes), dim)
    if 0 in before:  # nothing arrives
        neighbours = []
    else:
        add = backend.indexed("add", tuple(before), target, dense, (index,))
    out, weight = OperandLayout(kind, dense), OperandLayout(kind, index.strides)
    multiply = backend.pointwise(TABLE["mul"], kind, before, out, [out, weight])

    def step(to: Buffer, cells: Buffer) -> None:
        backend.fill(to, math.prod(sizes), kind.cell.type(0))
        for places, weights in neighbours:
            parts = cells
            if weights is not None:
                parts = backend.allocate(math.prod(before), kind.cell), 0
                multiply(parts, cells, weights)
            add(to, parts, places)

    return step


def _neighbours(
    backend: Backend, kind: dtype, image: Sequence[int], dim: int, one: Along
) -> tuple[IndexLayout, list[tuple[Buffer, Buffer | None]]]:
    """The index along a dimension of an image, and each neighbour's places and weights, uploaded."""
    strides = tuple(int(other == dim) for other in range(len(image)))
    places = [of_host(backend, row).buffer for row in one.places]
    weights: Sequence[Buffer | None] = [of_host(backend, row, kind).buffer for row in one.weights or ()]
    index = IndexLayout(strides, one.extent, default_strides(image)[dim])
    return index, list(zip(places, weights or [None] * len(places), strict=True))


def _without(strides: Sequence[int], dim: int) -> tuple[int, ...]:
    """Strides with 0 along a dimension that an index leads along."""
    return (*strides[:dim], 0, *strides[dim + 1 :])


RESAMPLE, RESAMPLE_GRADIENT = Resample("resample", False), Resample("resample_gradient", True)


def resampled(input: Tensor, along: Sequence[Along], wanted: memory_format | None = None) -> Tensor:
    """A tensor whose last dimensions are made of others' places; nothing is recorded.

    Args:
        input: of a floating dtype where there are weights.
        along: for each of the last dimensions where its numbers come from.
        wanted: the format of the result; that of `input` if left out.
    """
    return compute(RESAMPLE, input, params=(tuple(along), wanted))


def resampled_gradient(gradient: Tensor, along: Sequence[Along]) -> Tensor:
    """What a result's parts, float32 or float64, add to the numbers that `resampled` made them of."""
    return compute(RESAMPLE_GRADIENT, gradient, params=(tuple(along), None))
