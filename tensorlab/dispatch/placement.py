"""Copies of tensors from one device to another."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from tensorlab.backends import Backend, backend_of
from tensorlab.core import layout
from tensorlab.core.memory_formats import preserve_format, preserved_strides
from tensorlab.dispatch.copies import COPY
from tensorlab.dispatch.primitive import compute
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, make_tensor


def copied_to(place: Backend, source: Tensor, non_blocking: bool = False) -> Tensor:
    """The elements in new memory of a device, in the strides that a copy has.

    Args:
        place: the backend of the device.
        source: a tensor of another device.
        non_blocking: whether pinned memory may still be being read when this returns.
    """
    stride = preserved_strides(source._shape, source._stride)
    dense = source
    if source._stride != stride:
        dense = compute(COPY, source, params=(source._dtype, preserve_format))
    count = layout.numel(dense._shape)
    cells, first = dense._at
    run = dense._storage.backend.download(cells[first : first + count])
    storage = UntypedStorage(place.upload(run, non_blocking), backend=place)
    return make_tensor(storage, dense._dtype, dense._shape, stride, 0)


def pinned_like(source: Tensor) -> Tensor:
    """A tensor of the CPU in pinned memory, with the shape and the strides of a copy and arbitrary elements.

    Raises:
        RuntimeError: there is no GPU.
    """
    nbytes = layout.numel(source._shape) * source._dtype.itemsize
    pinned = cast(Any, backend_of("cuda")).host.allocate(nbytes)
    storage = UntypedStorage(np.asarray(pinned)[:nbytes].view(source._dtype.cell))
    stride = preserved_strides(source._shape, source._stride)
    return make_tensor(storage, source._dtype, source._shape, stride, 0)
