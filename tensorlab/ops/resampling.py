"""Padding and interpolation on the backend, and their gradients: what they have in common."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from tensorlab.backends import Backend, Launch
from tensorlab.backends.windows import Along
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import (
    channels_last,
    contiguous_format,
    format_strides,
    memory_format,
    suggested_format,
)
from tensorlab.dispatch.memory import allocate_strided, filled
from tensorlab.ops.conversion import contiguous, dense_in
from tensorlab.tensor import Tensor

__all__ = ["resampled", "resampled_gradient"]


def resampled(input: Tensor, along: Sequence[Along], wanted: memory_format | None = None) -> Tensor:
    """A tensor whose last dimensions are made of others' places; nothing is recorded.

    Args:
        input: of a floating dtype where there are weights.
        along: for each of the last dimensions, at most three, where its numbers come from.
        wanted: the format of the result; that of `input` if left out.
    """
    kept = input._shape[: input.ndim - len(along)]
    shape = Size((*kept, *(each.places.shape[1] for each in along)))
    wanted = wanted or suggested_format(input._shape, input._stride)
    order = _order(wanted, along)
    result = allocate_strided(shape, format_strides(shape, order), input._dtype)
    if result.numel():
        launch = _launch(input._storage.backend, input._dtype, input._shape, tuple(along), order, False)
        launch(result._buffer(), (dense_in(input, order), 0))
    return result if order is wanted else contiguous(result, wanted)


def resampled_gradient(gradient: Tensor, along: Sequence[Along]) -> Tensor:
    """What a result's parts add to the numbers that `resampled` made them of; nothing is recorded."""
    wanted = suggested_format(gradient._shape, gradient._stride)
    order = _order(wanted, along)
    kept = gradient._shape[: gradient.ndim - len(along)]
    shape = Size((*kept, *(each.extent for each in along)))
    result = filled(shape, format_strides(shape, order), gradient._dtype, 0)
    if gradient.numel():
        launch = _launch(gradient._storage.backend, gradient._dtype, shape, tuple(along), order, True)
        launch((dense_in(gradient, order), 0), result._buffer())
    return result if order is wanted else contiguous(result, wanted)


def _order(wanted: memory_format, along: Sequence[Along]) -> memory_format:
    """The format that the kernels work in: of channels that lie last they see one dimension more."""
    return channels_last if wanted is channels_last and len(along) == 2 else contiguous_format


@functools.lru_cache(maxsize=1024)
def _launch(
    backend: Backend,
    element_type: dtype,
    shape: Size,
    along: tuple[Along, ...],
    order: memory_format,
    gradient: bool,
) -> Launch:
    """The launch for images of this shape."""
    kept = shape[: len(shape) - len(along)]
    if order is channels_last:
        kept, along = kept[:1], (*along, Along(kept[1], np.arange(kept[1])[None]))
    alone = Along(1, np.zeros((1, 1), np.int64))
    return backend.resample(element_type, math.prod(kept), (*[alone] * (3 - len(along)), *along), gradient)
