"""Other dtypes by their short names, and what can be asked about a dtype."""

from __future__ import annotations

from collections.abc import Callable

from tensorlab import dtypes
from tensorlab.dtypes import dtype
from tensorlab.memory_formats import memory_format, preserve_format
from tensorlab.ops import conversion
from tensorlab.registry import op
from tensorlab.tensor import Tensor


def _cast(name: str, element_type: dtype) -> Callable:
    def cast(input: Tensor, memory_format: memory_format = preserve_format) -> Tensor:
        if memory_format is preserve_format:
            return conversion.cast(input, element_type)
        return conversion.to(input, element_type, memory_format=memory_format)

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"""The elements as {element_type.name}; `input` itself if it has that dtype already.

    Args:
        input: any tensor.
        memory_format: the layout of the result, as in `to`.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([0.0, 1.0]).{name}().dtype
        {element_type}
    """
    return op("method", names="copies")(cast)


_CASTS = {
    "bool": dtypes.bool,
    "byte": dtypes.uint8,
    "char": dtypes.int8,
    "short": dtypes.int16,
    "int": dtypes.int32,
    "long": dtypes.int64,
    "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16,
    "float": dtypes.float32,
    "double": dtypes.float64,
}
for _name, _dtype in _CASTS.items():
    _cast(_name, _dtype)


@op("method", names="copies")
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """The elements in the dtype of another tensor; `input` itself if it has that dtype already.

    Args:
        input: any tensor.
        other: a tensor of the wanted dtype.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([1, 2]).type_as(tl.tensor(0.5))
        tensor([1., 2.])
    """
    return conversion.cast(input, other._dtype)


@op()
def is_tensor(obj: object) -> bool:
    """Whether an object is a tensor.

    Example:
        >>> import tensorlab as tl
        >>> tl.is_tensor(tl.zeros(1)), tl.is_tensor([0.0])
        (True, False)
    """
    return isinstance(obj, Tensor)


@op()
def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are floating-point numbers.

    Example:
        >>> import tensorlab as tl
        >>> tl.is_floating_point(tl.zeros(1)), tl.is_floating_point(tl.tensor([1]))
        (True, False)
    """
    return input.dtype.is_floating_point


@op()
def is_complex(input: Tensor) -> bool:
    """Whether the elements are complex numbers, which they never are here.

    Example:
        >>> import tensorlab as tl
        >>> tl.is_complex(tl.ones(2))
        False
    """
    return input.dtype.is_complex


@op()
def numel(input: Tensor) -> int:
    """The number of elements.

    Example:
        >>> import tensorlab as tl
        >>> tl.numel(tl.zeros(2, 3))
        6
    """
    return input.numel()
