"""What Python asks of a tensor in its own syntax, beyond what `tensorlab.tensor` answers by itself."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tensorlab.dispatch.operands import is_number
from tensorlab.ops.interop import array_wrap
from tensorlab.ops.pointwise import bitwise_not, eq
from tensorlab.ops.rearranging import flip
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op("method", name="__contains__")
def contains(input: Tensor, element: object) -> bool:
    """``element in input``: whether any element is equal. A tensor is broadcast and compared as ``==`` does.

    So ``tensor([1, 2]) in x`` does not ask whether x has that row, but whether any pair of numbers meets.

    Raises:
        RuntimeError: `element` is neither a number nor a tensor, or its shape cannot be broadcast.

    Example:
        >>> 3 in tl.arange(4), 3 in tl.arange(3)
        (True, False)
    """
    if isinstance(element, np.generic):
        element = element.item()
    if isinstance(element, complex):
        if element.imag:
            return False
        element = element.real
    if not isinstance(element, Tensor) and not is_number(element):
        raise RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}: "
            f"a tensor holds numbers"
        )
    return bool(eq(input, element).any())


@op("method", name="__reversed__", names="keeps")
def reverse(input: Tensor) -> Tensor:
    """``reversed(input)``: the items of the first dimension from the last to the first, as a copy.

    Example:
        >>> reversed(tl.arange(3))
        tensor([2, 1, 0])
    """
    return flip(input, 0) if input.ndim else input


@op("method", name="__invert__", names="keeps")
def invert(input: Tensor) -> Tensor:
    """``~input``: the opposite truths, or the opposite bits of integers.

    Raises:
        TypeError: the elements are floats.

    Example:
        >>> ~tl.tensor([True, False]), ~tl.tensor([0, 5])
        (tensor([False,  True]), tensor([-1, -6]))
    """
    if input.is_floating_point():
        raise TypeError(
            f"~ (operator.invert) is only implemented on integer and Boolean-type tensors, not on "
            f"{input.dtype.name}: the opposite of a number is -x, of a condition ~(x > 0)"
        )
    return bitwise_not(input)


@op("method", name="__delitem__")
def delete(input: Tensor, index: object) -> None:
    """``del input[index]`` is refused: a tensor has as many elements as its shape says.

    Raises:
        TypeError: always.
    """
    raise TypeError(
        "Tensor does not support deleting items: select the ones to keep, such as x[:2], or join the parts "
        "around it with cat"
    )


def equality(function: Callable) -> Callable:
    """``==`` or ``!=``: with tensors and numbers, and with NumPy arrays, element by element."""

    def operator(self: Tensor, other: object) -> object:
        if isinstance(other, np.ndarray):
            other = array_wrap(self, other)
        if isinstance(other, Tensor) or is_number(other):
            return function(self, other)
        return NotImplemented

    operator.__name__ = operator.__qualname__ = f"__{function.__name__}__"
    operator.__doc__ = function.__doc__
    return operator
