"""The elements outside of tensors: memory shared with NumPy, buffers and DLPack, and Python's own numbers.

Python asks for the only element in many ways: ``if x``, ``int(x)``, ``range(x)``, ``f"{x:.2f}"``. What each
raises for several elements, or for floats, is what PyTorch raises.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlab.backends import backend_of
from tensorlab.core import dtypes, layout
from tensorlab.core.cells import decode
from tensorlab.core.devices import device
from tensorlab.core.dtypes import bfloat16, dtype, float16
from tensorlab.core.layout import Size
from tensorlab.core.size import size_of_ints
from tensorlab.core.warned import warn_caller
from tensorlab.dispatch.placement import copied_to
from tensorlab.ops import on_gpu
from tensorlab.registry import op
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, make_tensor


@op()
def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor over the memory of a NumPy array: writes show in both, and nothing is copied.

    Raises:
        TypeError: `array` is no NumPy array, or its type has no counterpart.
        ValueError: a stride is negative or no multiple of the item's size, or the bytes of an item are in the
            other order.

    Example:
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
        device: where to have the elements, if not where they are.
        copy: True for a copy in memory of its own.

    Raises:
        RuntimeError: `ext_tensor` cannot be handed over, is on another device than the CPU and the GPU, or is
            on the CPU and of a type that NumPy does not have.
        BufferError: the owner refuses to hand its memory over.
        ValueError: a stride is negative, or `copy` is False and another device needs a copy.

    Example:
        >>> array = np.zeros(3)
        >>> tl.from_dlpack(array)[1] = 7
        >>> array.tolist()
        [0.0, 7.0, 0.0]
    """
    place = None if device is None else backend_of(device)
    found = on_gpu.from_dlpack(ext_tensor)
    if found is None:
        found = _on_cpu(ext_tensor)
    if place in (None, found._storage.backend):
        return found.clone() if copy else found
    if copy is False:
        raise ValueError(f"from_dlpack(): a tensor on {str(found.device)!r} comes to {device!r} by a copy")
    return copied_to(place, found)


def _on_cpu(ext_tensor: Any) -> Tensor:
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
    return _lent(tensor_over(array))


LEFT_OUT: Any = object()  # instead of a stream, by a taker that knows of none


@op("method", name="__dlpack__")
def dlpack(
    input: Tensor,
    *,
    stream: int | None = LEFT_OUT,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """The capsule by which another library takes over the memory: ``numpy.from_dlpack(x)`` asks for it.

    The capsule keeps the storage alive. Memory that must not be written is handed only to those who know of
    DLPack 1.0 (`max_version`), which can say so.

    Args:
        stream: of a tensor on a GPU, the stream in which the taker works: it will wait for what was told
            before. None is the legacy stream, -1 none. Left out, too, it is the legacy stream.
        max_version, dl_device, copy: what the taker understands, where it wants the elements, and whether
            they must, or must not, be copied.

    Raises:
        BufferError: the dtype has no counterpart, the memory is read-only and the taker too old to know, or
            it is a GPU's and the taker, as NumPy does, knows of DLPack 1.0 and names no stream.
        RuntimeError: `stream` is not None; only GPUs have streams.

    Example:
        >>> import numpy as np
        >>> np.from_dlpack(tl.arange(3))
        array([0, 1, 2])
    """
    if input.device.type != "cpu":
        if stream is LEFT_OUT and max_version is not None and dl_device is None:
            raise BufferError(
                f"Unsupported device: the tensor lies on {str(input.device)!r}, and whoever takes it over "
                f"names no stream of a GPU, as NumPy, which reads memory of the host alone. Hand over x.cpu()"
            )
        return on_gpu.to_dlpack(input, None if stream is LEFT_OUT else stream, dl_device, copy)
    if input.dtype.numpy is None:
        raise BufferError(
            f"{input.dtype.name} cannot be handed over: NumPy, which speaks DLPack here, has no such type. "
            f"Hand over x.to(tensorlab.float32), or the bits, x.view(tensorlab.int16)"
        )
    # The stubs of NumPy's older versions do not know all arguments.
    exporter: Any = input.numpy()
    stream = None if stream is LEFT_OUT else stream
    return exporter.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


@op("method", name="__dlpack_device__")
def dlpack_device(input: Tensor) -> tuple[int, int]:
    """The device in DLPack's numbers: (1, 0) is the CPU, (2, 0) the first GPU."""
    return (1, 0) if input.device.type == "cpu" else (2, input.device.index or 0)


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
        force: detach first, where the tensor requires a gradient, and copy from a GPU.

    Raises:
        RuntimeError: the tensor requires a gradient, which the array's writes would pass by.
        TypeError: NumPy has no such type (bfloat16), or the tensor lies on a GPU.

    Example:
        >>> x = tl.zeros(3)
        >>> x.numpy()[1] = 5
        >>> x
        tensor([0., 5., 0.])
    """
    if force:
        input = input.detach().cpu()
    if input.requires_grad:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    if input.device.type != "cpu":
        raise TypeError(
            f"can't convert {input.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor "
            f"to host memory first."
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


# --- Python's own numbers -----------------------------------------------------------------------------


@op("method")
def tolist(input: Tensor) -> list | bool | int | float:
    """The elements as nested lists of Python numbers; one number for a tensor of 0 dimensions.

    Example:
        >>> tl.eye(2).tolist(), tl.tensor(3).tolist()
        ([[1.0, 0.0], [0.0, 1.0]], 3)
    """
    element_type = input._dtype
    if element_type is not float16 and element_type is not bfloat16:  # the cells are NumPy's numbers
        return input._read_cells().tolist()
    flat = decode(input._read_cells().reshape(-1), input._dtype)
    shape = input._shape
    if not shape:
        return flat[0]
    for dim in range(len(shape) - 1, 0, -1):  # group the innermost dimension, then the next
        size = shape[dim]
        groups = layout.numel(shape[:dim])
        flat = [flat[group * size : (group + 1) * size] for group in range(groups)]
    return flat


@op("method")
def item(input: Tensor) -> bool | int | float:
    """The only element as a Python number, whatever the number of dimensions.

    Raises:
        RuntimeError: the tensor has no element, or several.

    Example:
        >>> tl.tensor([[2.5]]).item()
        2.5
    """
    cells = input._read_cells()
    if cells.size != 1:
        raise RuntimeError(
            f"a Tensor with {input.numel()} elements cannot be converted to Scalar: "
            f"item() needs exactly one element, and the shape is {tuple(input._shape)}"
        )
    if input._dtype is not float16 and input._dtype is not bfloat16:  # the cell is NumPy's number
        return cells.item()
    return decode(cells.reshape(-1), input._dtype)[0]


@op("method", name="__bool__")
def truth(input: Tensor) -> bool:
    """``bool(input)``: whether the only element is another number than 0.

    Raises:
        RuntimeError: the tensor has no element, or several.
    """
    try:
        return bool(input.item())
    except RuntimeError:
        which = "no values" if input.numel() == 0 else "more than one value"
        raise RuntimeError(
            f"Boolean value of Tensor with {which} is ambiguous: its shape is {tuple(input._shape)}, "
            f"and only a tensor of one element is true or false"
        ) from None


@op("method", name="__int__")
def integer(input: Tensor) -> int:
    """``int(input)``: the only element, without what stands behind the point.

    Raises:
        ValueError: the tensor has no element, or several.
    """
    return int(_scalar(input))


@op("method", name="__float__")
def real(input: Tensor) -> float:
    """``float(input)``: the only element.

    Raises:
        ValueError: the tensor has no element, or several.
    """
    return float(_scalar(input))


@op("method", name="__complex__")
def complex_number(input: Tensor) -> complex:
    """``complex(input)``: the only element.

    Raises:
        ValueError: the tensor has no element, or several.
    """
    return complex(_scalar(input))


def _scalar(input: Tensor) -> bool | int | float:
    try:
        return input.item()
    except RuntimeError:
        raise ValueError(
            f"only one element tensors can be converted to Python scalars: "
            f"this one has {input.numel()}, its shape is {tuple(input._shape)}"
        ) from None


@op("method", name="__index__")
def position(input: Tensor) -> int:
    """``operator.index(input)``, which ``range(input)`` and ``items[input]`` ask for: the only element.

    Raises:
        TypeError: the elements are floats, or there is not exactly one.
    """
    if input._dtype.is_floating_point or input.numel() != 1:
        raise TypeError(
            f"only integer tensors of a single element can be converted to an index: "
            f"this one is of {input._dtype.name} and has shape {tuple(input._shape)}"
        )
    return int(input.item())


@op("method", name="__format__")
def formatted(input: Tensor, spec: str) -> str:
    """``format(input, spec)``: a tensor of 0 dimensions as its number, any other one as ``str`` writes it.

    Raises:
        TypeError: the tensor has dimensions, and `spec` is not empty.

    Example:
        >>> f"{tl.tensor(0.125):.2f}"
        '0.12'
    """
    if not input._shape:
        return format(input.item(), spec)
    if spec:
        raise TypeError(
            f"unsupported format string passed to Tensor.__format__: {spec!r} formats one number, and "
            f"this tensor has shape {tuple(input._shape)}: format x.item(), or see set_printoptions"
        )
    return str(input)
