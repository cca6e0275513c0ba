"""The one place where functions become methods and operators of `Tensor`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tensorlab import names, registry
from tensorlab.autograd.views import requires_grad
from tensorlab.contracts import explained, takes_dims
from tensorlab.dispatch.memory import as_new
from tensorlab.dispatch.operands import is_number
from tensorlab.ops import arithmetic, in_place, matmul, pointwise, protocols
from tensorlab.ops.products import product
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
        _register(name, protocols.equality(function))
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
    turned = pointwise.reciprocal(self)
    is_alone = type(turned) is Tensor and not requires_grad(turned) and not isinstance(other, Tensor)
    if is_alone and 1 not in turned._shape:  # of such a size the product may have another stride
        return as_new(pointwise.mul_(turned, other))  # nobody else sees it: no second tensor is needed
    return pointwise.mul(turned, other)


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
