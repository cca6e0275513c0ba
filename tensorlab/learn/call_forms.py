"""Calls of the library's functions, in the form in which an exercise asks for them.

Some functions of the library take more forms of a call than their exercises speak of:
``reshape(x, (2, 3))`` beside ``reshape(x, 2, 3)``, ``x[mask] = 1`` beside ``x[0] = 1``. A student's function
answers the forms of its exercise. Here stands, for each such exercise, what brings a call into that form, or
says that there is none.

A function that is not listed takes the calls that fit its exercise's first line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlab.ops.operands import Number
from tensorlab.tensor import Tensor

Arguments = tuple[Any, ...]


def reshape(input: Tensor, *sizes: Any, shape: Any = None) -> Arguments | None:
    """Separate ints, also where the call has them in one sequence."""
    if shape is not None:
        sizes = shape
    elif len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = tuple(sizes[0])
    return (input, *sizes) if all(type(size) is int for size in sizes) else None


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Arguments | None:
    """Two dimensions that exist and differ."""
    span = input.dim()
    if not all(type(number) is int for number in (offset, dim1, dim2)):
        return None
    exist = -span <= dim1 < span and -span <= dim2 < span
    return (input, offset, dim1, dim2) if exist and (dim1 - dim2) % span else None


def setitem(input: Tensor, index: Any, value: Any) -> Arguments | None:
    """An index of ints and slices; a number, or a tensor of the shape that the index shows."""
    items = index if type(index) is tuple else (index,)
    if not all(type(item) is int or type(item) is slice for item in items):
        return None
    if type(value) in (bool, int, float):
        return input, items, value
    fits = isinstance(value, Tensor) and value.shape == input[items].shape
    return (input, items, value) if fits else None


def result_type(*operands: Tensor | Number) -> Arguments | None:
    """Tensors and Python's numbers, not NumPy's."""
    known = all(isinstance(operand, (Tensor, bool, int, float)) for operand in operands)
    return operands if known and operands else None


def matmul(input: Any, other: Any, *, out: Tensor | None = None) -> Arguments | None:
    """Two tensors, and a new one for the product."""
    both = isinstance(input, Tensor) and isinstance(other, Tensor)
    return (input, other) if both and out is None else None


#: Exercise id -> what gives the arguments for the student's function, or None for a call that is not its.
FORMS: dict[str, Callable[..., Arguments | None]] = {
    "03.diagonal": diagonal,
    "03.setitem": setitem,
    "04.reshape": reshape,
    "05.result_type": result_type,
    "08.matmul": matmul,
}
