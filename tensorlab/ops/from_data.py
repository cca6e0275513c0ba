"""Tensors from Python data, from NumPy arrays, and from whatever shares its memory."""

from __future__ import annotations

import array
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlab.core import dtypes
from tensorlab.core.cells import encode
from tensorlab.core.devices import device
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import contiguous_format, format_strides
from tensorlab.dispatch.operands import Number
from tensorlab.names.functions import with_given_names
from tensorlab.ops import on_gpu
from tensorlab.ops.aliases import detach
from tensorlab.ops.arguments import as_dtype, tensor_options
from tensorlab.ops.conversion import clone, to
from tensorlab.ops.interop import from_dlpack, from_numpy, frombuffer, tensor_over
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_dense


@op()
@tensor_options
def tensor(
    data: object,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    names: Sequence[str | None] | None = None,
) -> Tensor:
    """A new tensor that holds a copy of `data`.

    Args:
        data: a number, nested sequences of numbers of equal lengths, a NumPy array, an array of a GPU with
            ``__cuda_array_interface__``, or a tensor. In a sequence a tensor of one element is a number,
            whatever its shape, and a larger one is a sequence.
        dtype: the element type. Without it: bool if all numbers are bool, int64 if all are ints, the default
            floating dtype if any is a float. NumPy arrays, NumPy's numbers and tensors bring their own dtype.
        device: where to make it; the default device.
        names: a name for every dimension, None for one without (see `tensorlab.names`).

    Raises:
        ValueError: the sequences are ragged, or hold text.
        TypeError: a number stands beside a sequence or beside text, or `data` is text.
        RuntimeError: something in `data` is no number, or does not fit into `dtype`; with `dtype` given, a
            TypeError says that it is no number.

    Example:
        >>> tl.tensor([[1.0, 2], [3, 4]])
        tensor([[1., 2.],
                [3., 4.]])
        >>> tl.tensor([[1, 2], [3]])
        Traceback (most recent call last):
            ...
        ValueError: expected sequence of length 2 at dim 1 (got 1): all rows of a tensor are of one length
    """
    element_type = as_dtype(dtype)
    if names is not None:
        return with_given_names(tensor(data, dtype=dtype), names)
    if isinstance(data, Tensor):
        return to(detach(data), element_type or data.dtype, copy=True)
    if isinstance(data, (np.ndarray, np.generic)):
        copied = np.asarray(data)
        shared = tensor_over(np.array(copied, copied.dtype.newbyteorder("=")))
        return shared if element_type in (None, shared.dtype) else tensor(shared, dtype=element_type)
    if hasattr(data, "__cuda_array_interface__"):
        return tensor(on_gpu.from_interface(data), dtype=element_type)
    if isinstance(data, (str, bytes)):
        raise TypeError(
            f"new(): invalid data type {type(data).__name__!r}: a tensor holds numbers, got {data!r}"
        )
    shape = _nested_shape(data)
    flat: list[Any] = []
    try:
        _flatten(data, shape, 0, flat)
    except _NoNumberError as error:
        wrong = (
            RuntimeError if element_type is None and not isinstance(error.value, (str, bytes)) else TypeError
        )
        raise wrong(str(error)) from None
    if element_type is None:
        element_type = inferred_dtype(flat)
    if not PLAIN.issuperset(map(type, flat)):
        flat = [item.item() if isinstance(item, (Tensor, np.generic)) else item for item in flat]
    if element_type.category == dtypes.INTEGER:
        for number in flat:
            if isinstance(number, int) and not -(2**63) <= number < 2**63:
                raise ValueError(f"Overflow when unpacking long long: {number} does not fit into 64 bits")
    return from_cells(encode(flat, element_type), element_type, shape)


@op()
def as_tensor(data: object, dtype: dtype | None = None, device: device | str | None = None) -> Tensor:
    """`data` as a tensor, without a copy where that is possible.

    A tensor of the right dtype is returned itself. A NumPy array of the right dtype shares its memory, and so
    does an object of a GPU with ``__cuda_array_interface__``. Everything else is copied.

    Example:
        >>> array = np.zeros(3)
        >>> tl.as_tensor(array)[0] = 7
        >>> array.tolist()
        [7.0, 0.0, 0.0]
    """
    element_type = as_dtype(dtype)
    if device is not None:
        return to(as_tensor(data, dtype), device=device)
    if isinstance(data, Tensor):
        return to(data, element_type or data.dtype)
    if hasattr(data, "__cuda_array_interface__"):
        shared = on_gpu.from_interface(data)
        return to(shared, element_type or shared.dtype)
    if isinstance(data, np.ndarray) and all(stride >= 0 for stride in data.strides):
        shared = from_numpy(data)
        return shared if element_type in (None, shared.dtype) else tensor(shared, dtype=element_type)
    return tensor(data, dtype=element_type)


@op()
def asarray(
    obj: Any, *, dtype: dtype | None = None, device: device | str | None = None, copy: bool | None = None
) -> Tensor:
    """`obj` as a tensor, without a copy where that is possible, whatever `obj` is.

    Besides what `as_tensor` shares, this shares the memory of objects with DLPack and with Python's buffer
    protocol; a buffer's bytes are read as `dtype`, or as the default dtype.

    Args:
        obj: a tensor, a NumPy array, an object with DLPack, a buffer, a number or nested sequences.
        dtype: the element type.
        device: where to have it; the default device, or where `obj` lies.
        copy: True for a copy in any case, False for none in any case.

    Raises:
        ValueError: `copy` is False, and a copy is needed.

    Example:
        >>> memory = bytearray(4)
        >>> tl.asarray(memory, dtype=tl.uint8)[0] = 7
        >>> list(memory)
        [7, 0, 0, 0]
    """
    element_type = as_dtype(dtype)
    if device is not None:
        return _moved(asarray(obj, dtype=dtype, copy=copy), device, copy)
    single = isinstance(obj, (np.ndarray, np.generic)) and not obj.ndim  # PyTorch copies a single number
    if isinstance(obj, Tensor):
        shared = obj
    elif isinstance(obj, np.ndarray) and not single:
        shared = from_numpy(obj)
    elif hasattr(obj, "__dlpack__") and not single:
        shared = from_dlpack(obj)
    elif isinstance(obj, (bytes, bytearray, memoryview, array.array)):
        shared = frombuffer(obj, dtype=element_type or dtypes.get_default_dtype())
    elif copy is False:
        raise ValueError(f"can't alias arbitrary sequence into a tensor: {type(obj).__name__} must be copied")
    else:
        return tensor(obj, dtype=element_type)
    if element_type in (None, shared.dtype):
        return clone(shared) if copy else shared
    if copy is False:
        raise ValueError(
            f"can't alias tensor with dtype {shared.dtype.name!r} into dtype {element_type.name!r}: "
            f"another dtype needs a copy"
        )
    return to(shared, element_type)


def _moved(made: Tensor, place: device | str, copy: bool | None) -> Tensor:
    """The result of `asarray` on a device."""
    moved = to(made, device=place)
    if copy is False and moved is not made:
        raise ValueError(
            f"can't alias tensor with device {str(made.device)!r} into device {str(moved.device)!r}: "
            f"another device needs a copy"
        )
    return moved


def from_cells(cells: np.ndarray, element_type: dtype, shape: Size) -> Tensor:
    """A row-major tensor over memory of its own that holds these cells, in order."""
    memory = np.ascontiguousarray(cells).reshape(-1)
    return make_dense(memory, element_type, shape, format_strides(shape, contiguous_format))


def inferred_dtype(numbers: Sequence[Number | np.generic | Tensor]) -> dtype:
    """The dtype that numbers promote to, or the default dtype if there are none.

    A bool is of dtype bool, an int of int64, a float of the default dtype. A number of NumPy's and a tensor
    are of their own.
    """
    default = dtypes.get_default_dtype()
    plain = set(map(type, numbers))
    if plain and plain <= PLAIN:
        return default if float in plain else dtypes.int64 if int in plain else dtypes.bool
    own = {number.dtype for number in numbers if isinstance(number, (Tensor, np.generic))}
    met = [t if isinstance(t, dtype) else dtypes.from_numpy_dtype(t) for t in own]
    plain = {type(number) for number in numbers if not isinstance(number, (Tensor, np.generic))}
    met += [dtypes.bool if t is bool else dtypes.int64 if issubclass(t, int) else default for t in plain]
    return functools.reduce(dtypes.promote_types, met) if met else default


# The types of Python's own numbers, of which data mostly consists.
PLAIN = frozenset((bool, int, float))


def _is_sequence(value: object) -> bool:
    if type(value) in PLAIN:
        return False
    if type(value) in (list, tuple):
        return True
    return isinstance(value, (Sequence, np.ndarray)) or (isinstance(value, Tensor) and value.numel() != 1)


def _nested_shape(data: Any) -> Size:
    """The shape that nested sequences have if they are not ragged: the lengths of the first items."""
    shape = []
    while _is_sequence(data):
        if isinstance(data, (str, bytes)):
            raise ValueError(
                f"too many dimensions {type(data).__name__!r}: a tensor holds numbers, got {data!r}"
            )
        shape.append(len(data))
        if not shape[-1]:
            break
        data = data[0]
    return Size(shape)


def _flatten(data: Any, shape: Size, dim: int, flat: list[Any]) -> None:
    """Append the numbers of `data`, whose sequences must have the lengths of `shape`, to `flat`."""
    if dim == len(shape):
        if _is_sequence(data) and not isinstance(data, (str, bytes)):
            raise TypeError(
                f"expected a number at dim {dim}, got the sequence {data!r}: all rows nest equally deep"
            )
        flat.append(_checked_number(data))
        return
    if not _is_sequence(data) or isinstance(data, (str, bytes)):
        raise TypeError(
            f"not a sequence: {data!r} stands where dim {dim} needs a sequence of length {shape[dim]}"
        )
    if len(data) != shape[dim]:
        raise ValueError(
            f"expected sequence of length {shape[dim]} at dim {dim} (got {len(data)}): "
            f"all rows of a tensor are of one length"
        )
    if dim == len(shape) - 1 and type(data) in (list, tuple) and PLAIN.issuperset(map(type, data)):
        flat += data
        return
    for item in data:
        _flatten(item, shape, dim + 1, flat)


class _NoNumberError(Exception):
    """A value in nested sequences that is neither a number nor a sequence."""

    def __init__(self, value: object) -> None:
        super().__init__(
            f"Could not infer dtype of {type(value).__name__}: "
            f"a tensor holds numbers (bool, int, float), got {value!r}"
        )
        self.value = value


def _checked_number(value: object) -> object:
    if isinstance(value, (Tensor, np.generic)):
        _checked_number(value.item())
        return value
    if isinstance(value, (bool, int, float)):
        return value
    raise _NoNumberError(value)


@op("method")
@tensor_options
def new_tensor(
    input: Tensor, data: object, *, dtype: dtype | None = None, device: device | str | None = None
) -> Tensor:
    """`tensor`, with the dtype and device of `input` unless others are named.

    Example:
        >>> tl.tensor([1.0]).new_tensor([2, 3])
        tensor([2., 3.])
    """
    return tensor(data, dtype=dtype or input._dtype, device=device or input.device)
