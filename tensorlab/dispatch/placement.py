"""Devices of tensors: which backend an argument means, and copies from one device to another."""

from __future__ import annotations

from tensorlab.backends import HOST, Backend, backend
from tensorlab.core import layout
from tensorlab.core.devices import as_device, device
from tensorlab.core.memory_formats import preserve_format, preserved_strides
from tensorlab.dispatch.copies import COPY
from tensorlab.dispatch.primitive import compute
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, make_tensor

__all__ = ["backend_of", "copied_to"]


def backend_of(place: device | str | int) -> Backend:
    """The backend of the device that an argument means; a number counts GPUs.

    Raises:
        RuntimeError: no such device, or it is not there.
        TypeError: the argument names no device.
    """
    if isinstance(place, int) and not isinstance(place, bool):
        place = device("cuda", place)
    if not isinstance(place, (str, device)) or device(place).type == "cpu":
        as_device(place)
        return HOST
    found = backend(device(place).type)
    if device(place).index not in (None, found.device.index):
        raise RuntimeError(f"there is no {str(place)!r}: the one CUDA device is {str(found.device)!r}")
    return found


def copied_to(place: Backend, source: Tensor) -> Tensor:
    """The elements in new memory of a device, in the strides that a copy has."""
    stride = preserved_strides(source._shape, source._stride)
    dense = source
    if source._stride != stride:
        dense = compute(COPY, source, params=(source._dtype, preserve_format))
    count = layout.numel(dense._shape)
    cells, first = dense._at
    run = dense._storage.backend.download(cells[first : first + count])
    storage = UntypedStorage(place.upload(run), backend=place)
    return make_tensor(storage, dense._dtype, dense._shape, stride, 0)
