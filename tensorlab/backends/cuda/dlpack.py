"""DLPack for memory that NumPy cannot see: capsules are made and read by their fields.

The fields are those of ``dlpack.h``, see https://dmlc.github.io/dlpack/latest/c_api.html.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import default_strides

# Devices: a GPU's memory, and memory that GPUs and the host share.
CUDA, MANAGED = 2, 13

# The stream in which libraries work unless they are told otherwise.
LEGACY = 1

NAMES = b"dltensor", b"dltensor_versioned"

_KINDS = {
    dtypes.bool: (6, 8),
    dtypes.bfloat16: (4, 16),
    **{each: (0, 8 * each.itemsize) for each in (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)},
    **{each: (2, 8 * each.itemsize) for each in (dtypes.float16, dtypes.float32, dtypes.float64)},
    dtypes.uint8: (1, 8),
}
_TYPES = {kind: each for each, kind in _KINDS.items()}


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter))


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_uint32 * 2),
        ("context", ctypes.c_void_p),
        ("deleter", _Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


def _python(name: str, result: Any, *arguments: Any) -> Any:
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_new = _python("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_is_valid = _python("PyCapsule_IsValid", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_pointer = _python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
_rename = _python("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
# While a capsule is being freed it is known by its address alone.
_is_unused = _python("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_content = _python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)


# What has been handed over, by the address of its fields, until the taker needs it no more.
_held: dict[int, Any] = {}


def _forget(address: int, held: dict[int, Any] = _held) -> None:
    held.pop(address, None)


def _free(capsule: int, held: dict[int, Any] = _held) -> None:
    if _is_unused(capsule, NAMES[0]):
        held.pop(_content(capsule, NAMES[0]), None)


# Other libraries may call them until the process ends.
_deleter, _destructor = _Deleter(_forget), _Deleter(_free)
for _function in (_deleter, _destructor):
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_function))


class Shared(NamedTuple):
    """Memory of a tensor that another library has made.

    Attributes:
        device: its type and number.
        pointer: the address of the first element.
        strides: in elements.
        owner: what keeps the memory.
    """

    device: tuple[int, int]
    pointer: int
    element_type: dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    owner: object


class _Owner:
    """Tells a library that its memory is needed no more."""

    def __init__(self, managed: Any) -> None:
        self._managed = managed

    def __del__(self) -> None:
        if self._managed.deleter:
            self._managed.deleter(ctypes.addressof(self._managed))


def shared(
    device: tuple[int, int],
    pointer: int,
    element_type: dtype,
    shape: Sequence[int],
    strides: Sequence[int],
    owner: object,
) -> Any:
    """A capsule by which another library takes memory over; the arguments are the fields of `Shared`."""
    sizes, steps = ((ctypes.c_int64 * len(each))(*each) for each in (shape, strides))
    code, bits = _KINDS[element_type]
    tensor = _Tensor(pointer, device, len(shape), code, bits, 1, sizes, steps, 0)
    managed = _Managed(tensor, None, _deleter)
    address = ctypes.addressof(managed)
    _held[address] = managed, sizes, steps, owner
    return _new(address, NAMES[0], ctypes.cast(_destructor, ctypes.c_void_p))


def _fields(capsule: object) -> tuple[Any, bytes]:
    """What a capsule has, and the capsule's name.

    Raises:
        RuntimeError: it is none, or was used.
    """
    for name, layout in zip(NAMES, (_Managed, _Versioned), strict=True):
        if _is_valid(capsule, name):
            return layout.from_address(_pointer(capsule, name)), name
    raise RuntimeError("it is no capsule of DLPack, or was taken over before")


def device_of(capsule: object) -> tuple[int, int]:
    """The type and the number of the device that a capsule's memory lies on; zeros if it was used."""
    if not any(_is_valid(capsule, name) for name in NAMES):
        return 0, 0
    kind, number = _fields(capsule)[0].tensor.device
    return kind, number


def taken(capsule: object) -> Shared:
    """The memory of a capsule, which cannot be taken over again.

    Raises:
        RuntimeError: it is no capsule, or was used.
        BufferError: no dtype is of its elements' type.
    """
    managed, name = _fields(capsule)
    tensor = managed.tensor
    element_type = _TYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if element_type is None:
        raise BufferError(
            f"its elements are of DLPack's type code {tensor.code} with {tensor.bits} bits in {tensor.lanes} "
            f"lanes, which no dtype is"
        )
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else default_strides(shape)
    _rename(capsule, _USED[name])
    pointer = (tensor.data or 0) + tensor.byte_offset
    return Shared(tuple(tensor.device), pointer, element_type, shape, strides, _Owner(managed))


# A capsule does not copy its name.
_USED = {name: b"used_" + name for name in NAMES}
