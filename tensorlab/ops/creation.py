"""Tensors from nothing, from Python data, and from another tensor's storage."""

from __future__ import annotations

import array
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlab import dtypes, layout
from tensorlab.cells import encode
from tensorlab.devices import as_device, device
from tensorlab.dtypes import dtype
from tensorlab.layout import Size
from tensorlab.ops.dispatch import Number, allocate, is_number, write
from tensorlab.ops.sharing import from_dlpack, from_numpy, frombuffer
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, make_tensor

__all__ = [
    "arange",
    "as_strided",
    "as_tensor",
    "asarray",
    "empty",
    "full",
    "ones",
    "tensor",
    "zeros",
]


def tensor(data: object, *, dtype: dtype | None = None, device: device | str | None = None) -> Tensor:
    """A new tensor that holds a copy of `data`.

    Args:
        data: a number, nested sequences of numbers of equal lengths, a NumPy array, or a tensor.
        dtype: the element type. Without it: bool if all numbers are bool, int64 if all are ints, the default
            floating dtype if any is a float; NumPy arrays and tensors keep theirs.
        device: where to make it; the CPU.

    Raises:
        ValueError: the sequences are ragged, or hold text.
        TypeError: a number stands beside a sequence, or `data` is text.
        RuntimeError: something in `data` is no number, or does not fit into `dtype`.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([[1.0, 2], [3, 4]])
        tensor([[1., 2.],
                [3., 4.]])
        >>> tl.tensor([[1, 2], [3]])
        Traceback (most recent call last):
            ...
        ValueError: expected sequence of length 2 at dim 1 (got 1): all rows of a tensor are of one length
    """
    element_type = _checked_dtype(dtype)
    as_device(device)
    if isinstance(data, Tensor):
        out = allocate(data.shape, element_type or data.dtype)
        write(out, data)
        return out
    if isinstance(data, (np.ndarray, np.generic)):
        copied = np.asarray(data)
        shared = from_numpy(np.array(copied, copied.dtype.newbyteorder("=")))
        return shared if element_type in (None, shared.dtype) else tensor(shared, dtype=element_type)
    if isinstance(data, (str, bytes)):
        raise TypeError(
            f"new(): invalid data type {type(data).__name__!r}: a tensor holds numbers, got {data!r}"
        )
    shape = _nested_shape(data)
    flat: list[Number] = []
    _flatten(data, shape, 0, flat)
    if element_type is None:
        element_type = _inferred(flat)
    return _from_cells(encode(flat, element_type), element_type, shape)


def as_tensor(data: object, dtype: dtype | None = None, device: device | str | None = None) -> Tensor:
    """`data` as a tensor, without a copy where that is possible.

    A tensor of the right dtype is returned itself. A NumPy array of the right dtype shares its memory.
    Everything else is copied.

    Example:
        >>> import numpy as np
        >>> import tensorlab as tl
        >>> array = np.zeros(3)
        >>> tl.as_tensor(array)[0] = 7
        >>> array.tolist()
        [7.0, 0.0, 0.0]
    """
    element_type = _checked_dtype(dtype)
    as_device(device)
    if isinstance(data, Tensor):
        return data if element_type in (None, data.dtype) else tensor(data, dtype=element_type)
    if isinstance(data, np.ndarray) and all(stride >= 0 for stride in data.strides):
        shared = from_numpy(data)
        return shared if element_type in (None, shared.dtype) else tensor(shared, dtype=element_type)
    return tensor(data, dtype=element_type)


def asarray(
    obj: Any, *, dtype: dtype | None = None, device: device | str | None = None, copy: bool | None = None
) -> Tensor:
    """`obj` as a tensor, without a copy where that is possible, whatever `obj` is.

    Besides what `as_tensor` shares, this shares the memory of objects with DLPack and with Python's buffer
    protocol; a buffer's bytes are read as `dtype`, or as the default dtype.

    Args:
        obj: a tensor, a NumPy array, an object with DLPack, a buffer, a number or nested sequences.
        dtype: the element type.
        device: where to have it; the CPU.
        copy: True for a copy in any case, False for none in any case.

    Raises:
        ValueError: `copy` is False, and a copy is needed.

    Example:
        >>> import tensorlab as tl
        >>> memory = bytearray(4)
        >>> tl.asarray(memory, dtype=tl.uint8)[0] = 7
        >>> list(memory)
        [7, 0, 0, 0]
    """
    element_type = _checked_dtype(dtype)
    as_device(device)
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
        return tensor(shared) if copy else shared
    if copy is False:
        raise ValueError(
            f"can't alias tensor with dtype {shared.dtype.name!r} into dtype {element_type.name!r}: "
            f"another dtype needs a copy"
        )
    return tensor(shared, dtype=element_type)


def empty(
    *size: int | Sequence[int], dtype: dtype | None = None, device: device | str | None = None
) -> Tensor:
    """A tensor whose elements are whatever its memory held before: write before you read.

    Args:
        size: the sizes, as separate ints or as one sequence.
        dtype: the element type; the default floating dtype.
        device: where to make it; the CPU.

    Raises:
        TypeError: a size is not an integer.
        RuntimeError: a size is negative.
    """
    as_device(device)
    return allocate(sizes_from(size, "empty"), _checked_dtype(dtype) or dtypes.get_default_dtype())


def full(
    size: Sequence[int],
    fill_value: Number,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """A tensor with `fill_value` in every element, of the dtype that `tensor(fill_value)` would have.

    Example:
        >>> import tensorlab as tl
        >>> tl.full((2, 2), 7)
        tensor([[7, 7],
                [7, 7]])
    """
    if not is_number(fill_value):
        raise TypeError(f"full(): fill_value must be a number, got {fill_value!r}")
    as_device(device)
    out = allocate(sizes_from((size,), "full"), _checked_dtype(dtype) or _inferred([fill_value]))
    write(out, fill_value)
    return out


def zeros(
    *size: int | Sequence[int], dtype: dtype | None = None, device: device | str | None = None
) -> Tensor:
    """A tensor of zeros (see `empty` for the arguments).

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros(2, 3)
        tensor([[0., 0., 0.],
                [0., 0., 0.]])
    """
    as_device(device)
    shape = sizes_from(size, "zeros")
    element_type = _checked_dtype(dtype) or dtypes.get_default_dtype()
    # The operating system hands out zeroed pages, so large zeros cost nothing until they are touched.
    memory = np.zeros(layout.nbytes(shape, element_type), np.uint8)
    return make_tensor(UntypedStorage(memory), element_type, shape, layout.default_strides(shape), 0)


def ones(
    *size: int | Sequence[int], dtype: dtype | None = None, device: device | str | None = None
) -> Tensor:
    """A tensor of ones (see `empty` for the arguments).

    Example:
        >>> import tensorlab as tl
        >>> tl.ones(3, dtype=tl.int16)
        tensor([1, 1, 1], dtype=tensorlab.int16)
    """
    out = empty(*size, dtype=dtype, device=device)
    write(out, 1)
    return out


def arange(
    start: Number,
    end: Number | None = None,
    step: Number = 1,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """The numbers from `start` to `end`, `end` left out, `step` apart; ``arange(end)`` starts with 0.

    Args:
        start, end, step: numbers; if all are ints the dtype is int64, else the default floating dtype.
        dtype: another element type.
        device: where to make it; the CPU.

    Raises:
        RuntimeError: `step` is 0 or leads away from `end`, or a bound is not finite.

    Example:
        >>> import tensorlab as tl
        >>> tl.arange(5), tl.arange(0, 1, 0.25)
        (tensor([0, 1, 2, 3, 4]), tensor([0.0000, 0.2500, 0.5000, 0.7500]))
    """
    if end is None:
        start, end = 0, start
    for name, bound in (("start", start), ("end", end), ("step", step)):
        if not is_number(bound):
            raise TypeError(f"arange(): {name} must be a number, got {bound!r}")
        if not math.isfinite(bound):
            raise RuntimeError(f"arange(): {name} must be finite, got {bound}")
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError(
            f"upper bound and lower bound inconsistent with step sign: "
            f"a step of {step} never gets from {start} to {end}"
        )
    as_device(device)
    element_type = _checked_dtype(dtype) or _inferred(
        [b for b in (start, end, step) if not isinstance(b, bool)]
    )
    if all(isinstance(bound, int) for bound in (start, end, step)):
        values: np.ndarray = np.arange(int(start), int(end), int(step), dtype=np.int64)
    else:
        values = start + np.arange(math.ceil((end - start) / step), dtype=np.float64) * step
    if element_type.category == dtypes.INTEGER or element_type is dtypes.float64:
        return _from_cells(values.astype(element_type.cell), element_type, Size(values.shape))
    return _from_cells(encode(values.tolist(), element_type), element_type, Size(values.shape))


def as_strided(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    """Any layout over `input`'s storage, as a view. Every address is checked.

    Args:
        input: the tensor whose storage and dtype to use.
        size: the sizes.
        stride: one stride a dimension, in elements.
        storage_offset: the cell of the first element; `input`'s own offset if left out.

    Raises:
        RuntimeError: an element would lie outside the storage, a stride is negative, or the two lengths
            differ.

    Example:
        >>> import tensorlab as tl
        >>> tl.arange(5).as_strided((3, 3), (1, 1))
        tensor([[0, 1, 2],
                [1, 2, 3],
                [2, 3, 4]])
    """
    shape = sizes_from((size,), "as_strided")
    strides = tuple(layout.as_int(step, "every stride") for step in stride)
    offset = (
        input.storage_offset() if storage_offset is None else layout.as_int(storage_offset, "storage_offset")
    )
    checked = layout.check_bounds(shape, strides, offset, len(input.storage()))
    if isinstance(checked, layout.Refusal):
        raise RuntimeError(
            f"as_strided: size {tuple(shape)}, stride {strides} and storage_offset {offset} are refused: "
            f"{checked.reason}"
        )
    return make_tensor(input.untyped_storage(), input.dtype, shape, strides, offset)


def sizes_from(arguments: Sequence, function: str) -> Size:
    """The shape that a call means by ``f(2, 3)`` or by ``f((2, 3))``.

    Raises:
        TypeError: a size is not an integer.
        RuntimeError: a size is negative.
    """
    if len(arguments) == 1 and isinstance(arguments[0], Sequence) and not isinstance(arguments[0], str):
        arguments = arguments[0]
    shape = Size(layout.as_int(size, f"{function}(): every size") for size in arguments)
    if any(size < 0 for size in shape):
        raise RuntimeError(f"{function}(): sizes must not be negative, got {tuple(shape)}")
    return shape


def _checked_dtype(value: object) -> dtype | None:
    if value is None or isinstance(value, dtype):
        return value
    raise TypeError(f"dtype must be a tensorlab dtype such as tensorlab.float32, not {value!r}")


def _from_cells(cells: np.ndarray, element_type: dtype, shape: Size) -> Tensor:
    storage = UntypedStorage(np.ascontiguousarray(cells).reshape(-1).view(np.uint8))
    return make_tensor(storage, element_type, shape, layout.default_strides(shape), 0)


def _inferred(numbers: Sequence[Number]) -> dtype:
    if any(isinstance(number, float) for number in numbers) or not numbers:
        return dtypes.get_default_dtype()
    return dtypes.bool if all(isinstance(number, bool) for number in numbers) else dtypes.int64


def _is_sequence(value: object) -> bool:
    return isinstance(value, (Sequence, np.ndarray)) or (isinstance(value, Tensor) and value.ndim > 0)


def _nested_shape(data: object) -> Size:
    """The shape that nested sequences have if they are not ragged: the lengths of the first items."""
    shape = []
    while _is_sequence(data):
        if isinstance(data, (str, bytes)):
            raise ValueError(
                f"too many dimensions {type(data).__name__!r}: a tensor holds numbers, got {data!r}"
            )
        shape.append(len(data))  # type: ignore[arg-type]
        if not shape[-1]:
            break
        data = data[0]  # type: ignore[index]
    return Size(shape)


def _flatten(data: object, shape: Size, dim: int, flat: list[Number]) -> None:
    """Append the numbers of `data`, whose sequences must have the lengths of `shape`, to `flat`."""
    if dim == len(shape):
        if _is_sequence(data) and not isinstance(data, (str, bytes)):
            raise TypeError(
                f"expected a number at dim {dim}, got the sequence {data!r}: all rows nest equally deep"
            )
        flat.append(_number(data))
        return
    if not _is_sequence(data) or isinstance(data, (str, bytes)):
        raise TypeError(
            f"not a sequence: {data!r} stands where dim {dim} needs a sequence of length {shape[dim]}"
        )
    if len(data) != shape[dim]:  # type: ignore[arg-type]
        raise ValueError(
            f"expected sequence of length {shape[dim]} at dim {dim} (got {len(data)}): "  # type: ignore[arg-type]
            f"all rows of a tensor are of one length"
        )
    for item in data:  # type: ignore[attr-defined]
        _flatten(item, shape, dim + 1, flat)


def _number(value: object) -> Number:
    if isinstance(value, (Tensor, np.generic)):
        value = value.item()
    if isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ValueError(f"Overflow when unpacking long long: {value} does not fit into 64 bits")
        return value
    raise RuntimeError(
        f"Could not infer dtype of {type(value).__name__}: "
        f"a tensor holds numbers (bool, int, float), got {value!r}"
    )


METHODS = (as_strided,)
