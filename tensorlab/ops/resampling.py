"""Padding and interpolation on the backend, and their gradients: what they have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorlab.backends import Backend, Buffer, Launch, OperandLayout, no_launch
from tensorlab.backends.windows import Along
from tensorlab.core.layout import Size
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

__all__ = ["resampled", "resampled_gradient"]


class Resample(Primitive):
    """A tensor whose last dimensions are made of others' places, or the gradient of what it is made of.

    `params` are, for each of the last dimensions, at most three, where its numbers come from; and the format
    of the result, None for that of the operand.
    """

    def __init__(self, name: str, gradient: bool) -> None:
        self.name, self.gradient = name, gradient

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """See `Primitive.result`."""
        (input,), (along, _) = operands, params
        sizes = [each.extent if self.gradient else each.size for each in along]
        shape = Size((*input._shape[: input.ndim - len(along)], *sizes))
        return Result(shape, format_strides(shape, _wanted(input, params)), input._dtype)

    def launch(
        self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple, same: Sequence[bool]
    ) -> Launch:
        """Of channels that lie last the kernels see one dimension more; other formats are copied for them."""
        (input,), (along, _) = operands, params
        shape, element_type = result.shape, result.dtype
        if 0 in shape:
            return no_launch
        kept = list(shape[: len(shape) - len(along)])
        order = contiguous_format
        if _wanted(input, params) is channels_last and len(along) == 2:
            order = channels_last
            kept, along = kept[:1], (*along, Along(kept[1], [range(kept[1])]))
        alone = Along(1, [[0]])
        along = (*[alone] * (3 - len(along)), *along)
        resample = backend.resample(element_type, math.prod(kept), along, self.gradient)
        stride, out = format_strides(shape, order), OperandLayout(element_type, result.stride)
        read = reader(backend, input, format_strides(input._shape, order))
        write = writer(backend, shape, out, stride)
        if not self.gradient:
            return lambda out, source: write(out, lambda made: resample(made, read(source)))
        zero = OperandLayout(element_type, (0,) * len(shape), is_number=True)
        clear = backend.pointwise(
            TABLE["copy"], widened(element_type), shape, OperandLayout(element_type, stride), [zero]
        )

        def add(made: Buffer, gradient: Buffer) -> None:
            clear(made, 0)
            if input.numel():
                resample(read(gradient), made)

        return lambda out, gradient: write(out, lambda made: add(made, gradient))


def _wanted(input: Tensor, params: tuple) -> memory_format:
    return params[1] or suggested_format(input._shape, input._stride)


RESAMPLE, RESAMPLE_GRADIENT = Resample("resample", False), Resample("resample_gradient", True)


def resampled(input: Tensor, along: Sequence[Along], wanted: memory_format | None = None) -> Tensor:
    """A tensor whose last dimensions are made of others' places; nothing is recorded.

    Args:
        input: of a floating dtype where there are weights.
        along: for each of the last dimensions, at most three, where its numbers come from.
        wanted: the format of the result; that of `input` if left out.
    """
    return compute(RESAMPLE, input, params=(tuple(along), wanted))


def resampled_gradient(gradient: Tensor, along: Sequence[Along]) -> Tensor:
    """What a result's parts add to the numbers that `resampled` made them of; nothing is recorded."""
    return compute(RESAMPLE_GRADIENT, gradient, params=(tuple(along), None))
