"""The elements as Python's own numbers: all of them in nested lists, or the only one.

Python asks for the only one in many ways: ``if x``, ``int(x)``, ``range(x)``, ``f"{x:.2f}"``. What each way
raises for several elements, or for floats, is what PyTorch raises.
"""

from __future__ import annotations

from tensorlab import layout
from tensorlab.cells import decode
from tensorlab.dtypes import bfloat16, float16
from tensorlab.registry import op
from tensorlab.tensor import Tensor

__all__ = []


@op("method")
def tolist(input: Tensor) -> list | bool | int | float:
    """The elements as nested lists of Python numbers; one number for a tensor of 0 dimensions.

    Example:
        >>> import tensorlab as tl
        >>> tl.eye(2).tolist(), tl.tensor(3).tolist()
        ([[1.0, 0.0], [0.0, 1.0]], 3)
    """
    element_type = input._dtype
    if element_type is not float16 and element_type is not bfloat16:  # the cells are NumPy's numbers
        return input._cells_array().tolist()
    flat = decode(input._cells_array().reshape(-1), input._dtype)
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
        >>> import tensorlab as tl
        >>> tl.tensor([[2.5]]).item()
        2.5
    """
    cells = input._cells_array()
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
        >>> import tensorlab as tl
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
