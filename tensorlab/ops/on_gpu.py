"""The elements on a GPU outside of tensors: memory shared with PyTorch, CuPy and Numba, without a copy.

All work of this library's tensors goes into one stream of the GPU. Who shares memory says in which stream it
works, and waits for the other.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from tensorlab.backends import backend_of
from tensorlab.backends.cuda import dlpack
from tensorlab.backends.cuda.memory import DeviceMemory
from tensorlab.core import dtypes, layout
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.registry import op
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, make_tensor

# No dtype of NumPy's: PyTorch writes bfloat16 so.
BFLOAT16 = "<V2"


@op("property", name="__cuda_array_interface__")
def interface(input: Tensor) -> dict[str, Any]:
    """The memory as CuPy, Numba and PyTorch take it over: ``cupy.asarray(x)`` asks for it.

    Raises:
        AttributeError: the tensor is not on a GPU.
        RuntimeError: it requires a gradient, which the other library's writes would pass by.
    """
    if input.device.type != "cuda":
        raise AttributeError(
            f"Can't get __cuda_array_interface__ on a tensor of {str(input.device)!r}: use x.numpy(), or "
            f"move it with x.cuda()"
        )
    if input.requires_grad:
        raise RuntimeError(
            "Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't "
            "required, use x.detach() to get a tensor that doesn't require grad."
        )
    own, size = input._dtype.numpy, input._dtype.itemsize
    return {
        "typestr": BFLOAT16 if own is None else own.str,
        "shape": tuple(input._shape),
        "strides": tuple(step * size for step in input._stride),
        "data": (input.data_ptr(), False),
        "version": 3,
        "stream": cast(Any, input._storage.backend).driver.stream,
    }


def from_interface(data: Any) -> Tensor:
    """A tensor over the memory of an object with ``__cuda_array_interface__``.

    Raises:
        RuntimeError: there is no GPU.
        TypeError: the type of its elements has no counterpart.
        ValueError: a stride is negative or no multiple of the element's size, or the memory must not be
            written.
    """
    fields = data.__cuda_array_interface__
    backend: Any = backend_of("cuda")
    kind = np.dtype(fields["typestr"])
    element_type = dtypes.bfloat16 if fields["typestr"] == BFLOAT16 else dtypes.from_numpy_dtype(kind)
    shape, steps = tuple(fields["shape"]), fields.get("strides")
    if steps is None:
        strides = layout.default_strides(shape)
    elif any(step % kind.itemsize for step in steps):
        raise ValueError(
            f"the strides {tuple(steps)} of the given {type(data).__name__} are no multiples of its "
            f"elements' size, {kind.itemsize} bytes: copy it first"
        )
    else:
        strides = tuple(step // kind.itemsize for step in steps)
    pointer, readonly = fields["data"]
    if readonly:
        raise ValueError(f"the given {type(data).__name__} must not be written: copy it first")
    stream = fields.get("stream", dlpack.LEGACY)
    if stream is not None:
        backend.driver.order(stream, backend.driver.stream)
    return _over(backend, pointer, element_type, shape, strides, data)


def from_dlpack(source: Any) -> Tensor | None:
    """A tensor over the memory of a GPU that a capsule, or an object with ``__dlpack__``, hands over.

    Returns:
        None if the memory is not a GPU's.

    Raises:
        RuntimeError: there is no such GPU.
        BufferError: the type of its elements has no counterpart.
        ValueError: a stride is negative.
    """
    if hasattr(source, "__dlpack__"):
        kind, number = source.__dlpack_device__()
    elif type(source).__name__ == "PyCapsule":
        kind, number = dlpack.device_of(source)
    else:
        return None
    if kind not in (dlpack.CUDA, dlpack.MANAGED):
        return None
    backend: Any = backend_of(number)
    if hasattr(source, "__dlpack__"):
        source = source.__dlpack__(stream=backend.driver.stream)
    found = dlpack.taken(source)
    return _over(backend, found.pointer, found.element_type, found.shape, found.strides, found.owner)


def to_dlpack(input: Tensor, stream: int | None, device: tuple[int, int] | None, copy: bool | None) -> Any:
    """The capsule by which another library takes over the memory: see `Tensor.__dlpack__`.

    Raises:
        BufferError: the tensor requires a gradient, or lies elsewhere than it is wanted and `copy` is False.
    """
    if input.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    own = (dlpack.CUDA, input.device.index or 0)
    if device is not None and tuple(device) != own:
        if copy is False:
            raise BufferError(f"a tensor on {str(input.device)!r} comes to device {device} by a copy alone")
        return input.cpu().__dlpack__(dl_device=device)
    given = input.clone() if copy else input
    driver = cast(Any, given._storage.backend).driver
    if stream != -1:
        driver.order(driver.stream, stream or dlpack.LEGACY)
    return dlpack.shared(own, given.data_ptr(), given._dtype, given._shape, given._stride, given._storage)


def _over(
    backend: Any,
    pointer: int,
    element_type: dtype,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    owner: object,
) -> Tensor:
    """The tensor over the memory that an owner keeps; its storage reaches to the last element."""
    if min(strides, default=0) < 0:
        raise ValueError(
            "At least one stride is negative, and tensors with negative strides are not supported: copy it "
            "first"
        )
    reached = layout.address_range(Size(shape), strides)
    size = 0 if reached is None else (reached[1] + 1) * element_type.itemsize
    cells = backend.driver.adopt(pointer or 0, size).view(element_type.cell)
    storage = UntypedStorage(cast(Any, DeviceMemory(cells, owner)), backend=backend)
    storage.lend()
    return make_tensor(storage, element_type, Size(shape), strides, 0)
