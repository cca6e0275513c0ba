"""Other dtypes by their short names, and what can be asked about a dtype."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tensorlab import dtypes
from tensorlab.dtypes import dtype
from tensorlab.memory_formats import memory_format, preserve_format
from tensorlab.ops.arguments import as_dtype
from tensorlab.ops.conversion import to
from tensorlab.tensor import Tensor

__all__ = ["can_cast", "finfo", "iinfo", "is_complex", "is_floating_point", "is_tensor", "numel"]


def _cast(name: str, element_type: dtype) -> Callable:
    def cast(input: Tensor, memory_format: memory_format = preserve_format) -> Tensor:
        return to(input, element_type, memory_format=memory_format)

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"The elements as {element_type.name}; `input` itself if it has that dtype already."
    return cast


_CASTS = (
    _cast("bool", dtypes.bool),
    _cast("byte", dtypes.uint8),
    _cast("char", dtypes.int8),
    _cast("short", dtypes.int16),
    _cast("int", dtypes.int32),
    _cast("long", dtypes.int64),
    _cast("half", dtypes.float16),
    _cast("bfloat16", dtypes.bfloat16),
    _cast("float", dtypes.float32),
    _cast("double", dtypes.float64),
)

# The names that tensors of a dtype went by before there were dtypes.
TYPE_NAMES = {
    dtypes.bool: "BoolTensor",
    dtypes.uint8: "ByteTensor",
    dtypes.int8: "CharTensor",
    dtypes.int16: "ShortTensor",
    dtypes.int32: "IntTensor",
    dtypes.int64: "LongTensor",
    dtypes.float16: "HalfTensor",
    dtypes.bfloat16: "BFloat16Tensor",
    dtypes.float32: "FloatTensor",
    dtypes.float64: "DoubleTensor",
}


def type(input: Tensor, dtype: dtype | str | None = None) -> str | Tensor:
    """The old name of a tensor's type, or the elements in another dtype.

    Raises:
        ValueError: no type has that name.

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros(2).type(), tl.zeros(2).type(tl.int8).dtype
        ('tensorlab.FloatTensor', tensorlab.int8)
    """
    if dtype is None:
        return f"tensorlab.{TYPE_NAMES[input.dtype]}"
    if isinstance(dtype, str):
        names = {f"tensorlab.{name}": element_type for element_type, name in TYPE_NAMES.items()}
        if dtype not in names:
            raise ValueError(f"invalid type: {dtype!r}; there are {', '.join(names)}")
        return to(input, names[dtype])
    return to(input, as_dtype(dtype))


def type_as(input: Tensor, other: Tensor) -> Tensor:
    """The elements in the dtype of another tensor."""
    return to(input, other.dtype)


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether a conversion keeps the kind of number: a float may not become an integer, nor a number a bool.

    Example:
        >>> can_cast(dtypes.float64, dtypes.float16), can_cast(dtypes.float16, dtypes.int64)
        (True, False)
    """
    return from_.category <= to.category


def is_tensor(obj: object) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are floating-point numbers."""
    return input.dtype.is_floating_point


def is_complex(input: Tensor) -> bool:
    """Whether the elements are complex numbers, which they never are here."""
    return input.dtype.is_complex


def numel(input: Tensor) -> int:
    """The number of elements."""
    return input.numel()


class finfo:
    """The limits of a floating dtype.

    Attributes:
        bits: the size of a number.
        eps: the distance from 1 to the next number.
        max, min: the greatest and the least finite number.
        tiny, smallest_normal: the smallest positive number of full precision.
        resolution: a power of ten of about `eps`.

    Raises:
        TypeError: the dtype is not floating.

    Example:
        >>> finfo(dtypes.bfloat16).eps, finfo(dtypes.float16).max
        (0.0078125, 65504.0)
    """

    def __init__(self, type: dtype | None = None) -> None:
        element_type = as_dtype(type) or dtypes.get_default_dtype()
        if not element_type.is_floating_point:
            raise TypeError(
                f"finfo() requires a floating point input type, got {element_type.name}: use iinfo"
            )
        if element_type is dtypes.bfloat16:
            self.eps, self.tiny, self.resolution = 2.0**-7, 2.0**-126, 0.01
        else:
            info = np.finfo(element_type.numpy)
            self.eps, self.tiny, self.resolution = float(info.eps), float(info.tiny), 10.0**-info.precision
        self.bits = 8 * element_type.itemsize
        self.max = dtypes.finfo_max(element_type)
        self.min = -self.max
        self.smallest_normal = self.tiny
        self.dtype = element_type.name

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo:
    """The limits of an integer dtype: `bits`, `min` and `max`.

    Raises:
        TypeError: the dtype is no integer.

    Example:
        >>> iinfo(dtypes.int8)
        iinfo(min=-128, max=127, dtype=int8)
    """

    def __init__(self, type: dtype) -> None:
        if type.category != dtypes.INTEGER:
            raise TypeError(f"iinfo() requires an integer input type, got {type.name}: use finfo")
        self.bits = 8 * type.itemsize
        self.min, self.max = dtypes.integer_range(type)
        self.dtype = type.name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


METHODS = (*_CASTS, type, type_as)
