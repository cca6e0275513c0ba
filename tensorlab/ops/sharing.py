"""Tensors over memory that somebody else owns, and the way back.

Nothing is copied here. A tensor made from a NumPy array, from a buffer or through DLPack looks into the very
memory of its owner: writes show on both sides, and the owner is kept alive as long as a tensor needs it.
DLPack is the protocol by which array libraries hand memory to each other. NumPy speaks it, and speaks it for
us in both directions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlab import dtypes, layout
from tensorlab.devices import as_device, device
from tensorlab.dtypes import dtype
from tensorlab.layout import Size
from tensorlab.registry import op
from tensorlab.size import size_of_ints
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, make_tensor
from tensorlab.warned import warn_caller

__all__ = ["tensor_over"]


@op()
def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor over the memory of a NumPy array: writes show in both, and nothing is copied.

    Raises:
        TypeError: `array` is no NumPy array, or its type has no counterpart.
        ValueError: a stride is negative or no multiple of the item's size, or the bytes of an item are in the
            other order.

    Example:
        >>> import numpy as np
        >>> import tensorlab as tl
        >>> array = np.arange(6).reshape(2, 3)
        >>> x = tl.from_numpy(array[:, 1:])
        >>> x.stride(), len(x.storage())
        ((3, 1), 5)
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__}): for other data call tensor(data)")
    if not array.flags.writeable:
        _warn_read_only("NumPy array", "tensor(array)")
    return _lent(tensor_over(array))


@op()
def frombuffer(buffer: Any, *, dtype: dtype, count: int = -1, offset: int = 0) -> Tensor:
    r"""A one-dimensional tensor over the memory of an object with Python's buffer protocol.

    Args:
        buffer: bytes, a bytearray, an ``array.array``, a memoryview, …; its memory must be one run.
        dtype: how to read the bytes.
        count: how many elements; -1 for as many as there are.
        offset: how many bytes to skip at the start.

    Raises:
        ValueError: `buffer` has no such protocol, or `count` and `offset` do not fit its length.
        TypeError: `dtype` is no dtype.
        RuntimeError: the memory is not one run.

    Example:
        >>> import tensorlab as tl
        >>> memory = bytearray(b"\x01\x00\x02\x00")
        >>> x = tl.frombuffer(memory, dtype=tl.int16)
        >>> memory[0] = 9
        >>> x
        tensor([9, 2], dtype=tensorlab.int16)
    """
    if not isinstance(dtype, dtypes.dtype):
        raise TypeError(
            f"frombuffer(): dtype must be a tensorlab dtype such as tensorlab.uint8, not {dtype!r}"
        )
    try:
        view = memoryview(buffer)
    except TypeError:
        raise ValueError(
            f"object does not implement Python buffer protocol: {type(buffer).__name__} shares no memory"
        ) from None
    if not view.c_contiguous:
        raise RuntimeError(
            "could not retrieve buffer from object: its memory is not one run; share it with from_numpy"
        )
    size = dtype.itemsize
    if not view.nbytes or not count:
        raise ValueError(f"both buffer length ({view.nbytes}) and count ({count}) must not be 0")
    if not 0 <= offset < view.nbytes:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length "
            f"({view.nbytes} bytes) minus 1"
        )
    if count < 0:
        count, rest = divmod(view.nbytes - offset, size)
        if rest:
            raise ValueError(
                f"buffer length ({view.nbytes} bytes) after offset ({offset} bytes) must be a multiple of "
                f"element size ({size}): {rest} bytes would be left over; say how many elements with count"
            )
    elif offset + count * size > view.nbytes:
        raise ValueError(
            f"requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be "
            f"greater than actual buffer length ({view.nbytes} bytes)"
        )
    if view.readonly:
        _warn_read_only("buffer", "frombuffer(...).clone()")
    run = np.frombuffer(buffer, np.uint8, count * size, offset)
    storage = UntypedStorage(run, readonly=view.readonly)
    return _lent(make_tensor(storage, dtype, Size((count,)), (1,), 0))


@op()
def from_dlpack(ext_tensor: Any, *, device: device | str | None = None, copy: bool | None = None) -> Tensor:
    """A tensor over the memory of another library's array, handed over by DLPack.

    Args:
        ext_tensor: an object with ``__dlpack__`` (an array of NumPy, PyTorch, JAX, CuPy, …), or the capsule
            that such a method returned. A capsule can be taken over once.
        device: must be the CPU.
        copy: True for a copy in memory of its own.

    Raises:
        RuntimeError: `ext_tensor` cannot be handed over, is not on the CPU, or is of a type that NumPy does
            not have.
        BufferError: the owner refuses to hand its memory over.
        ValueError: a stride is negative.

    Example:
        >>> import numpy as np
        >>> import tensorlab as tl
        >>> array = np.zeros(3)
        >>> tl.from_dlpack(array)[1] = 7
        >>> array.tolist()
        [0.0, 7.0, 0.0]
    """
    as_device(device)
    source: Any = ext_tensor if hasattr(ext_tensor, "__dlpack__") else _Capsule(ext_tensor)
    try:
        array = np.from_dlpack(source)
    except BufferError as error:
        raise BufferError(
            f"{type(ext_tensor).__name__} cannot be handed over: {error} Copy it into an ordinary array first"
        ) from error
    except (RuntimeError, ValueError, TypeError) as error:
        raise RuntimeError(
            f"from_dlpack received {type(ext_tensor).__name__}, which cannot be handed over ({error}). It "
            f"takes an object with __dlpack__ whose memory is the CPU's, or a capsule that was not used yet, "
            f"and the types that NumPy has: share a bfloat16 tensor by the bits, as int16"
        ) from error
    return tensor_over(array.copy()) if copy else _lent(tensor_over(array))


@op("method", name="__dlpack__")
def dlpack(
    input: Tensor,
    *,
    stream: None = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """The capsule by which another library takes over the memory: ``numpy.from_dlpack(x)`` asks for it.

    The capsule keeps the storage alive. Memory that must not be written is handed only to those who know of
    DLPack 1.0 (`max_version`), which can say so.

    Raises:
        BufferError: the dtype has no counterpart, or the memory is read-only and the taker too old to know.
        RuntimeError: `stream` is not None; only GPUs have streams.
    """
    if input.dtype.numpy is None:
        raise BufferError(
            f"{input.dtype.name} cannot be handed over: NumPy, which speaks DLPack here, has no such type. "
            f"Hand over x.to(tensorlab.float32), or the bits, x.view(tensorlab.int16)"
        )
    # The stubs of NumPy's older versions do not know all arguments.
    exporter: Any = input.numpy()
    return exporter.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


@op("method", name="__dlpack_device__")
def dlpack_device(input: Tensor) -> tuple[int, int]:
    """The device in DLPack's numbers: (1, 0) is the CPU."""
    return (1, 0)


@op("method", name="__array_wrap__", names="keeps")
def array_wrap(
    input: Tensor, array: np.ndarray, context: object = None, return_scalar: bool = False
) -> Tensor:
    """The result of a NumPy function of tensors: ``numpy.sin(x)`` is a tensor again."""
    return tensor_over(np.asarray(array))


@op("method")
def numpy(input: Tensor, *, force: bool = False) -> np.ndarray:
    """The elements as a NumPy array over the same memory: writes show in both.

    Args:
        force: detach first, where the tensor requires a gradient.

    Raises:
        RuntimeError: the tensor requires a gradient, which the array's writes would pass by.
        TypeError: NumPy has no such type (bfloat16).

    Example:
        >>> import tensorlab as tl
        >>> x = tl.zeros(3)
        >>> x.numpy()[1] = 5
        >>> x
        tensor([0., 5., 0.])
    """
    if not force and input.requires_grad:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    if input._dtype.numpy is None:
        raise TypeError(f"NumPy has no type {input._dtype.name}: convert with .to(tensorlab.float32) first")
    array = input._cells_array()
    if array.dtype is not input._dtype.numpy:  # the halves, whose cells are integers
        array = array.view(input._dtype.numpy)
    if input._storage.readonly:
        array.flags.writeable = False
    input._storage.lend()
    return array


@op("method", name="__array__")
def as_array(input: Tensor, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
    """What ``numpy.asarray(input, dtype, copy=copy)`` asks for: the array of `numpy`, or a copy of it.

    Raises:
        ValueError: the array would have to be a copy, and `copy` is False.
    """
    array = input.numpy()
    if dtype is not None and dtype != array.dtype:
        if copy is False:
            raise ValueError(f"a NumPy array of type {dtype} cannot share memory with {input._dtype.name}")
        return array.astype(dtype)
    return array.copy() if copy else array


class _Capsule:
    """A bare DLPack capsule as NumPy wants it: an object that returns it."""

    def __init__(self, capsule: object) -> None:
        self.capsule = capsule

    def __dlpack__(self, **_: object) -> object:
        if type(self.capsule).__name__ != "PyCapsule":
            raise TypeError("it has no method __dlpack__")
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def _lent(tensor: Tensor) -> Tensor:
    """`tensor`, of whose storage is noted that another library has the memory too."""
    tensor._storage.lend()
    return tensor


def tensor_over(array: np.ndarray) -> Tensor:
    """The tensor over an array's memory; its storage reaches from the first element to the last."""
    element_type = dtypes.from_numpy_dtype(array.dtype)
    steps, size = array.strides, array.itemsize
    flags = array.flags
    sizes = array.shape
    if flags.c_contiguous and array.dtype is element_type.cell and min(sizes, default=2) > 1:
        storage = UntypedStorage(array.reshape(-1), readonly=not flags.writeable)
        return make_tensor(storage, element_type, size_of_ints(Size, sizes), layout.default_strides(sizes), 0)
    if steps and min(steps) < 0:
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are "
            "not supported: make a copy first, from_numpy(array.copy())"
        )
    stride = tuple([step // size for step in steps])
    if max([step % size for step in steps], default=0):
        raise ValueError(
            f"the strides {steps} of the given numpy array are not multiples of its itemsize "
            f"{size}: make a copy first, from_numpy(array.copy())"
        )
    shape = Size(sizes)
    if flags.c_contiguous:
        run = array.reshape(-1)
    else:
        reached = layout.address_range(shape, stride)
        cells = reached[1] + 1 if reached is not None else 0
        run = np.lib.stride_tricks.as_strided(
            array.reshape(-1)[:0] if not cells else array, (cells,), (size,)
        )
    if run.dtype is not element_type.cell:
        run = run.view(element_type.cell)
    storage = UntypedStorage(run, readonly=not flags.writeable)
    return make_tensor(storage, element_type, shape, stride, 0)


def _warn_read_only(what: str, copy: str) -> None:
    warn_caller(
        f"The given {what} is not writable. The tensor shares its memory and can be read; "
        f"writing into it raises an error. Make a copy to write: {copy}",
        UserWarning,
    )
