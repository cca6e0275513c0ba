"""The one place where functions become methods and operators of `Tensor`, and Python's protocols."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlab import names, registry
from tensorlab.contracts import explained, takes_dims
from tensorlab.dispatch.operands import is_number
from tensorlab.ops import arithmetic, in_place, matmul, methods, pointwise
from tensorlab.ops.interop import array_wrap
from tensorlab.ops.pointwise import bitwise_not, eq
from tensorlab.ops.products import product
from tensorlab.ops.rearranging import flip
from tensorlab.ops.rows import operator_of
from tensorlab.registry import Op, op
from tensorlab.tensor import Tensor

# Operators by the row of the table that each stands for, and those that ask more of their operands.
_ROWS: dict[str, str] = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}
_COMPARISONS: dict[str, str] = {"lt": "lt", "le": "le", "gt": "gt", "ge": "ge"}
_OPERATORS: dict[str, Callable] = {
    "floordiv": arithmetic.floor_divide,
    "mod": arithmetic.remainder,
    "pow": arithmetic.pow,
}


def bind() -> None:
    """Give `Tensor` its methods, operators and properties. Called once, when `tensorlab.ops` loads."""
    in_place.make_forms()
    for name, row in (_ROWS | _COMPARISONS).items():
        _register(name, operator_of(row, f"__{name}__"))
    for name, row in _ROWS.items():
        _register(f"i{name}", _operator(f"i{name}", getattr(pointwise, f"{row}_")))
    for name, function in _OPERATORS.items():
        _register(name, _operator(name, function))
        written: Any = registry.members()[f"{function.__name__}_"].function
        _register(f"i{name}", _operator(f"i{name}", written))
    for name, function in (
        _OPERATORS | {name: getattr(pointwise, row) for name, row in _ROWS.items()}
    ).items():
        _register(f"r{name}", _reflected_division if name == "truediv" else _reflected(name, function))
    op("method", name="__rdiv__", names="unifies")(_reflected_division)  # the name that Python 2 had for it
    for name, function in (("eq", pointwise.eq), ("ne", pointwise.ne)):
        _register(name, methods.equality(function))
    for name, function in (("neg", pointwise.neg), ("pos", arithmetic.positive), ("abs", pointwise.abs)):
        _register(name, function)
    for name, member in registry.members().items():
        setattr(Tensor, name, _bound(member))
    namespace: Any = Tensor
    namespace.__array_priority__ = 1000  # NumPy's arrays leave their operators with a tensor to the tensor
    names.bind()


def _register(name: str, function: Callable) -> None:
    op("method", name=f"__{name}__", names="unifies")(function)


def _bound(member: Op) -> Callable | property:
    """An operator as an attribute of `Tensor`; calls with dimensions or another tensor are explained."""
    function = member.function
    if isinstance(function, property):
        return function
    if "property" in member.variants:
        return property(function)
    kinds = list(inspect.signature(function).parameters.values())[1:2]
    asks = takes_dims(function) or (kinds and kinds[0].annotation == "Tensor")
    return explained(function) if asks else function


def _operator(name: str, function: Callable) -> Callable:
    """An operator that answers `NotImplemented` to what is neither a tensor nor a number."""

    def operator(self: Tensor, other: object) -> object:
        if isinstance(other, Tensor) or is_number(other):
            return function(self, other)
        return NotImplemented

    operator.__name__ = operator.__qualname__ = f"__{name}__"
    operator.__doc__ = function.__doc__
    return operator


def _reflected(name: str, function: Callable) -> Callable:
    """The operator with its operands exchanged: ``2 - x``."""
    if name in ("add", "mul"):  # the order does not matter
        return _operator(f"r{name}", function)

    def operator(self: Tensor, other: object) -> object:
        if isinstance(other, Tensor) or is_number(other):
            return function(other, self)
        return NotImplemented

    operator.__name__ = operator.__qualname__ = f"__r{name}__"
    return operator


def _reflected_division(self: Tensor, other: object) -> object:
    """``3 / x``, which PyTorch computes as ``x.reciprocal() * 3``: two roundings, and two nodes."""
    if not (isinstance(other, Tensor) or is_number(other)):
        return NotImplemented
    return pointwise.mul(pointwise.reciprocal(self), other)


@op("method", name="__matmul__", names="contracts")
def _matmul(self: Tensor, other: object) -> object:
    """The matrix product ``self @ other``; see `tensorlab.matmul`."""
    if type(other) is not Tensor and not isinstance(other, Tensor):
        return NotImplemented
    result = product(self, other)
    return result if result._edge is None else matmul.as_matmul(result, self, other)


@op("method", name="__rmatmul__")
def _reflected_matmul(self: Tensor, other: object) -> object:
    """``other @ self``; see `tensorlab.matmul`."""
    return product(other, self) if isinstance(other, Tensor) else NotImplemented


# --- protocols of Python --------------------------------------------------------------------------------


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
