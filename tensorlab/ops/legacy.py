"""PyTorch's older way to speak of types: ``FloatTensor``, ``x.type()``, and ``Tensor(...)`` itself.

A legacy type is a dtype under the name of a tensor. It can be called to make a tensor, and asked whether a
tensor is of it. New programs say ``tensor(data, dtype=...)``, ``x.dtype`` and ``x.to(dtype)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlab.core import dtypes
from tensorlab.core.devices import as_device, device
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.ops.aliases import detach
from tensorlab.ops.conversion import to
from tensorlab.ops.creation import empty
from tensorlab.ops.from_data import tensor
from tensorlab.registry import op
from tensorlab.tensor import Tensor


class LegacyType:
    """A dtype under the name of a tensor: `name`, as in ``"FloatTensor"``, and its `dtype`.

    Example:
        >>> import tensorlab as tl
        >>> tl.LongTensor([1, 2]).dtype, isinstance(tl.zeros(2), tl.LongTensor)
        (tensorlab.int64, False)
    """

    __slots__ = ("dtype", "name")

    def __init__(self, name: str, element_type: dtype) -> None:
        self.name = name
        self.dtype = element_type

    def __call__(self, *arguments: object, device: device | str | None = None) -> Tensor:
        """A tensor of this type; see `new` for the arguments."""
        return _construct(self.dtype, arguments, device)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is self.dtype and not instance.is_cuda

    def __repr__(self) -> str:
        return f"<class 'tensorlab.{self.name}'>"

    def __reduce__(self) -> str:
        return self.name


BoolTensor = LegacyType("BoolTensor", dtypes.bool)
ByteTensor = LegacyType("ByteTensor", dtypes.uint8)
CharTensor = LegacyType("CharTensor", dtypes.int8)
ShortTensor = LegacyType("ShortTensor", dtypes.int16)
IntTensor = LegacyType("IntTensor", dtypes.int32)
LongTensor = LegacyType("LongTensor", dtypes.int64)
HalfTensor = LegacyType("HalfTensor", dtypes.float16)
BFloat16Tensor = LegacyType("BFloat16Tensor", dtypes.bfloat16)
FloatTensor = LegacyType("FloatTensor", dtypes.float32)
DoubleTensor = LegacyType("DoubleTensor", dtypes.float64)

_TYPES = (
    BoolTensor,
    ByteTensor,
    CharTensor,
    ShortTensor,
    IntTensor,
    LongTensor,
    HalfTensor,
    BFloat16Tensor,
    FloatTensor,
    DoubleTensor,
)
for _type_of_dtype in _TYPES:
    op(name=_type_of_dtype.name)(_type_of_dtype)
# How the names of types begin on each kind of device.
_PLACES = {"cpu": "", "cuda": "cuda."}
_NAME_OF = {
    (legacy.dtype, place): f"tensorlab.{of}{legacy.name}"
    for legacy in _TYPES
    for place, of in _PLACES.items()
}
_NAMED = {
    name.replace("tensorlab", module): named
    for named, name in _NAME_OF.items()
    for module in ("tensorlab", "torch")
}


@op("method", name="__new__")
def new(cls: type[Tensor], *arguments: object, device: device | str | None = None) -> Tensor:
    """``Tensor(...)``: a tensor of the default floating dtype.

    ``Tensor(3, 4)`` has these sizes and holds whatever its memory held; ``Tensor([3, 4])`` holds these
    numbers; ``Tensor(x)`` is another object over the storage of `x`. To make a tensor from data,
    `tensorlab.tensor` is the better choice: it takes a dtype, and finds one by itself.

    Raises:
        TypeError: the arguments are none of these.

    Example:
        >>> tl.Tensor([1, 2]), tl.Tensor(2, 3).shape
        (tensor([1., 2.]), tensorlab.Size([2, 3]))
    """
    return _construct(None, arguments, device)


def _construct(element_type: dtype | None, arguments: tuple, device: device | str | None) -> Tensor:
    as_device(device)
    wanted = element_type or dtypes.get_default_dtype()
    if not arguments:
        return empty(0, dtype=wanted)
    first = arguments[0]
    if len(arguments) > 1 or isinstance(first, Size) or (hasattr(first, "__index__") and not _is_data(first)):
        return empty(*arguments, dtype=wanted)
    if isinstance(first, Tensor):
        if element_type is not None and first.dtype is not element_type:
            raise TypeError(
                f"expected a tensor of {element_type.name}, got one of {first.dtype.name}: "
                f"convert it, x.to(tensorlab.{element_type.name})"
            )
        return detach(first)
    if not _is_data(first):
        raise TypeError(f"new(): data must be a sequence (got {type(first).__name__})")
    return tensor(first, dtype=wanted)


def _is_data(value: object) -> bool:
    return isinstance(value, (Tensor, np.ndarray, str)) or hasattr(value, "__len__")


@op("method", name="type", names="copies")
def _type(input: Tensor, dtype: Any = None, non_blocking: bool = False) -> str | Tensor:
    """The name of `input`'s type, ``'tensorlab.FloatTensor'``; or its elements converted to another type.

    On a GPU it is ``'tensorlab.cuda.FloatTensor'``, and a type names where the elements go, which a dtype
    does not.

    Args:
        input: any tensor.
        dtype: a dtype, a type such as ``tensorlab.LongTensor``, or the name of one. PyTorch's own names,
            which begin with ``torch.``, are understood too.
        non_blocking: see `to`.

    Raises:
        ValueError: there is no such type.

    Example:
        >>> x = tl.tensor([1.5])
        >>> x.type(), x.type("tensorlab.LongTensor")
        ('tensorlab.FloatTensor', tensor([1]))
    """
    if dtype is None:
        return _NAME_OF[input._dtype, input.device.type]
    if dtype is Tensor:
        return to(input, dtypes.get_default_dtype())
    if isinstance(dtype, LegacyType):
        return to(input, "cpu", dtype.dtype, non_blocking)
    if isinstance(dtype, dtypes.dtype):
        return to(input, dtype)
    if dtype not in _NAMED:
        raise ValueError(f"invalid type: {dtype!r}: give a dtype, or a name such as 'tensorlab.FloatTensor'")
    element_type, place = _NAMED[dtype]
    return to(input, place, element_type, non_blocking)


_type.__name__ = _type.__qualname__ = "type"
