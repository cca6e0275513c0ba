"""The one place where functions become methods and operators of `Tensor`."""

from __future__ import annotations

from collections.abc import Callable

from tensorlab import names
from tensorlab.autograd import methods as autograd_methods
from tensorlab.contracts import explained_methods
from tensorlab.ops import (
    activations,
    aliases,
    angles,
    arithmetic,
    blends,
    bounds,
    casts,
    channels,
    choice,
    contractions,
    conversion,
    covariance,
    creation,
    cumulative,
    cumulative_logs,
    diagonals,
    differences,
    dims,
    distances,
    extremes,
    factorizations,
    float_parts,
    from_data,
    histograms,
    indexing,
    joining,
    legacy,
    linalg,
    matmul,
    multinomial,
    norms,
    older_linalg,
    order_statistics,
    parts,
    pieces,
    pointwise,
    protocols,
    quantiles,
    questions,
    random,
    random_fills,
    random_integers,
    ranges,
    rearranging,
    reduction,
    resizing,
    restriding,
    search,
    shape,
    sharing,
    softmax,
    sorting,
    special,
    splitting,
    uniqueness,
    values,
    variance,
    written_parts,
)
from tensorlab.ops.dispatch import as_new, is_number
from tensorlab.ops.products import product
from tensorlab.ops.rows import operator_of
from tensorlab.tensor import Tensor, dense_cells

__all__ = ["bind"]

# Each module lists in METHODS those of its functions that are methods of a tensor too.
_MODULES = (
    aliases,
    angles,
    arithmetic,
    blends,
    bounds,
    casts,
    channels,
    choice,
    contractions,
    conversion,
    covariance,
    creation,
    diagonals,
    dims,
    distances,
    factorizations,
    float_parts,
    from_data,
    histograms,
    indexing,
    joining,
    legacy,
    linalg,
    matmul,
    multinomial,
    parts,
    pieces,
    pointwise,
    special,
    random,
    random_fills,
    random_integers,
    ranges,
    rearranging,
    reduction,
    restriding,
    shape,
    splitting,
    variance,
    cumulative,
    cumulative_logs,
    extremes,
    softmax,
    norms,
    older_linalg,
    histograms,
    sorting,
    order_statistics,
    uniqueness,
    search,
    differences,
    quantiles,
    questions,
    resizing,
    sharing,
    values,
    written_parts,
)

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
_IN_PLACE: dict[str, Callable] = {
    "iadd": pointwise.add_,
    "isub": pointwise.sub_,
    "imul": pointwise.mul_,
    "itruediv": pointwise.div_,
    "ifloordiv": arithmetic.floor_divide_,
    "imod": arithmetic.remainder_,
    "ipow": arithmetic.pow_,
    "iand": pointwise.bitwise_and_,
    "ior": pointwise.bitwise_or_,
    "ixor": pointwise.bitwise_xor_,
    "ilshift": pointwise.bitwise_left_shift_,
    "irshift": pointwise.bitwise_right_shift_,
}


def bind() -> None:
    """Give `Tensor` its methods, operators and properties. Called once, when `tensorlab.ops` loads."""
    for module in _MODULES:
        looks_itself = module in (arithmetic, blends, bounds, choice, pieces, pointwise, special)
        for function in module.METHODS if looks_itself else explained_methods(module.METHODS):
            setattr(Tensor, function.__name__, function)
    for name, row in (_ROWS | _COMPARISONS).items():
        setattr(Tensor, f"__{name}__", operator_of(row, f"__{name}__"))
    for name, function in (_OPERATORS | _IN_PLACE).items():
        setattr(Tensor, f"__{name}__", _operator(name, function))
    for name, function in (
        _OPERATORS | {name: getattr(pointwise, row) for name, row in _ROWS.items()}
    ).items():
        setattr(Tensor, f"__r{name}__", _reflected(name, function))
    for name, answer in _PROTOCOLS.items():
        setattr(Tensor, name, answer)
    for properties in (aliases.PROPERTIES, dims.PROPERTIES, questions.PROPERTIES):
        for name, accessors in properties.items():
            setattr(Tensor, name, accessors)
    autograd_methods.bind()
    element_by_element = (activations, arithmetic, blends, bounds, choice, pieces, pointwise, special)
    names.bind(name for module in element_by_element for name in module.__all__)


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
    if type(turned) is Tensor and turned._edge is None and not isinstance(other, Tensor):
        cells = dense_cells(turned)
        if cells is not False and cells.size and 1 not in turned._shape:  # the strides of 1 may change
            return as_new(pointwise.mul_(turned, other))  # nobody else sees it: no second tensor is needed
    return pointwise.mul(turned, other)


def _matmul(self: Tensor, other: object) -> object:
    """The matrix product ``self @ other``; see `tensorlab.matmul`."""
    if type(other) is not Tensor and not isinstance(other, Tensor):
        return NotImplemented
    result = product(self, other)
    return result if result._edge is None else matmul.as_matmul(result, self, other)


def _reflected_matmul(self: Tensor, other: object) -> object:
    """``other @ self``; see `tensorlab.matmul`."""
    return product(other, self) if isinstance(other, Tensor) else NotImplemented


# What Python and NumPy ask of an object; and what is bound under another name than its own.
_PROTOCOLS: dict[str, object] = {
    "__rtruediv__": _reflected_division,
    "__rdiv__": _reflected_division,  # the name that Python 2 had for it
    "__matmul__": _matmul,
    "__rmatmul__": _reflected_matmul,
    "__neg__": pointwise.neg,
    "__pos__": arithmetic.positive,
    "__abs__": pointwise.abs,
    "__invert__": protocols.invert,
    "__eq__": protocols.equality(pointwise.eq),
    "__ne__": protocols.equality(pointwise.ne),
    "__reversed__": protocols.reverse,
    "__delitem__": protocols.delete,
    "__getitem__": indexing.getitem,
    "__setitem__": indexing.setitem,
    "__contains__": protocols.contains,
    "__bool__": values.truth,
    "__int__": values.integer,
    "__float__": values.real,
    "__complex__": values.complex_number,
    "__index__": values.position,
    "__format__": values.formatted,
    "__array__": sharing.as_array,
    "__dlpack__": sharing.dlpack,
    "__dlpack_device__": sharing.dlpack_device,
    "__array_wrap__": sharing.array_wrap,
    "__new__": legacy.new,
    "where": choice.where_method,
    "polygamma": special.polygamma_method,
    "polygamma_": special.polygamma_in_place,
    "__array_priority__": 1000,  # NumPy's arrays leave their operators with a tensor to the tensor
}
