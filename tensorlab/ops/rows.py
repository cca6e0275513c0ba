"""From a row of the scalar table to a public function of tensors."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

from tensorlab.dispatch.operands import Number, is_number
from tensorlab.dispatch.primitive import binary, unary
from tensorlab.ops.documentation import documentation, in_place_documentation
from tensorlab.ops.elementwise import TENSOR_FUNCTIONS, apply, apply_in_place, elementwise
from tensorlab.registry import op, with_imports
from tensorlab.scalars import TABLE, Scalar
from tensorlab.tensor import Tensor


def public_functions(row: Scalar) -> dict[str, Callable]:
    """The functions that a row stands for by itself, each registered as an operator; by name."""
    variants = row.variants.split()
    of_new = " ".join(variant for variant in variants if variant in ("function", "method"))
    of_input = "function method" if "in_place_function" in variants else "method"
    made: dict[str, Callable] = {}
    for called in (row.name, *row.aliases.split()) if variants else ():
        namespace, _, name = called.rpartition(".")
        if name not in made:
            made[name] = function_of(row, name)
        if namespace:
            op(namespace=namespace, names="unifies")(made[name])
            continue
        op(of_new, namespace=row.namespace, names="unifies")(made[name])
        if "in_place" in variants:
            made[f"{name}_"] = op(of_input)(in_place(row.name, name))
    return made


def function_of(row: str | Scalar, name: str | None = None) -> Callable:
    """The public function of one row, named and documented.

    Args:
        row: its name in the table; or a row of the table that leaves another node in the graph.
        name: the function's name, where it is another.
    """
    row = TABLE[row] if isinstance(row, str) else row
    function = {1: _of_one, 2: _of_two}[row.arity](row)
    TENSOR_FUNCTIONS.setdefault(row.name, function)
    return _named(function, name or row.name, row, documentation(row, out=row.out))


def _of_one(row: Scalar) -> Callable:
    primitive = elementwise(row)

    def function(input: Tensor, *, out: Tensor | None = None) -> Tensor:
        return unary(primitive, input) if out is None else apply(row, input, out=out)

    def without_out(input: Tensor) -> Tensor:
        return unary(primitive, input)

    return function if row.out else without_out


def _of_two(row: Scalar) -> Callable:
    primitive = elementwise(row)

    def function(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        return binary(primitive, input, other) if out is None else apply(row, input, other, out=out)

    return function


def operator_of(row_name: str, name: str) -> Callable:
    """The operator of two operands that a row stands for, such as ``__add__``.

    It answers `NotImplemented` to what is neither a tensor nor a number.
    """
    primitive = elementwise(TABLE[row_name])

    def operator(self: Tensor, other: Any) -> Any:
        if isinstance(other, Tensor) or is_number(other):
            return binary(primitive, self, other)
        return NotImplemented

    operands = [
        Parameter("self", Parameter.POSITIONAL_OR_KEYWORD, annotation="Tensor"),
        Parameter("other", Parameter.POSITIONAL_OR_KEYWORD, annotation="object"),
    ]
    signature = Signature(operands, return_annotation="object")
    return _named(operator, name, TABLE[row_name], documentation(TABLE[row_name]), signature)


def in_place(row_name: str, name: str | None = None) -> Callable:
    """The function that overwrites its first operand: ``x.add_(y)``."""
    row = TABLE[row_name]
    called = f"{name or row.name}_"
    count = row.arity + row.parameters

    def function(input: Tensor, *others: Tensor | Number) -> Tensor:
        if len(others) != count - 1:
            raise TypeError(f"{called}() takes {count} operands, and {len(others) + 1} were given")
        return apply_in_place(row, input, *others, writer=called)

    # What editors and the reference show: as many operands as the row has.
    operands = [Parameter("input", Parameter.POSITIONAL_ONLY, annotation="Tensor")]
    for operand in ("other", "another")[: count - 1]:
        operands.append(Parameter(operand, Parameter.POSITIONAL_ONLY, annotation="Tensor | Number"))
    signature = Signature(operands, return_annotation="Tensor")
    return _named(function, called, row, in_place_documentation(documentation(row), called), signature)


def _named(
    function: Callable, name: str, row: Scalar, text: str, signature: Signature | None = None
) -> Callable:
    named: Any = function
    named.__name__ = named.__qualname__ = name
    named.__module__ = "tensorlab.ops.pointwise"
    named.__doc__ = with_imports(text)
    named.__signature__ = signature or inspect.signature(function)
    named.__wrapped__ = row.formula  # the source that `tl.exp??` shows, and the place that an editor goes to
    return named
