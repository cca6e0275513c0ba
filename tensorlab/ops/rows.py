"""From a row of the scalar table to a public function of tensors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tensorlab.backends import backend
from tensorlab.dtypes import FLOATING, dtype, float64
from tensorlab.layout import Size
from tensorlab.ops.dispatch import Number, apply, apply_in_place, types_of, widened
from tensorlab.scalars import FLOAT, TABLE, TRUTH, Scalar
from tensorlab.tensor import Tensor, dense_cells, make_dense

__all__ = ["function_of", "in_place"]

# Below this many elements an operation on dense tensors of one dtype goes straight to its kernel. What is
# left then is the allocation and the call, which is what a small operation costs.
SMALL = 16_384


def _binary(row: Scalar) -> Callable:
    """The function of two operands that a row of the table stands for."""
    with_tensor: dict[dtype, tuple] = {}
    with_number: dict[dtype, tuple] = {}

    def function(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        if out is None and type(input) is Tensor:
            a = input._dense if input._dense is not None else dense_cells(input)
            if a is not False and a.size <= SMALL:
                element_type = input._dtype
                if type(other) is Tensor:
                    b = other._dense if other._dense is not None else dense_cells(other)
                    if b is not False and element_type is other._dtype and input._shape == other._shape:
                        if element_type not in with_tensor:
                            with_tensor[element_type] = _prepare(row, (element_type, element_type))
                        kernel, cell, out_type = with_tensor[element_type]
                        memory = np.empty(a.size, cell)
                        kernel(memory, a, b)
                        return make_dense(memory, out_type, input._shape, input._stride)
                elif type(other) is float and element_type.category == FLOATING:
                    if element_type not in with_number:
                        with_number[element_type] = _prepare(row, (element_type, float64), number=True)
                    kernel, cell, out_type = with_number[element_type]
                    memory = np.empty(a.size, cell)
                    kernel(memory, a, other)
                    return make_dense(memory, out_type, input._shape, input._stride)
        return apply(row, input, other, out=out)

    return function


def _unary(row: Scalar) -> Callable:
    """The function of one tensor that a row of the table stands for."""
    prepared: dict[dtype, tuple] = {}

    def function(input: Tensor, *, out: Tensor | None = None) -> Tensor:
        if out is None and type(input) is Tensor:
            a = input._dense if input._dense is not None else dense_cells(input)
            if a is not False and a.size <= SMALL:
                if input._dtype not in prepared:
                    prepared[input._dtype] = _prepare(row, (input._dtype,))
                kernel, cell, out_type = prepared[input._dtype]
                memory = np.empty(a.size, cell)
                kernel(memory, a)
                return make_dense(memory, out_type, input._shape, input._stride)
        return apply(row, input, out=out)

    return function


def _in_place(row: Scalar) -> Callable:
    """The function that overwrites its first operand."""
    prepared: dict[dtype, tuple] = {}

    def function(input: Tensor, *others: Tensor | Number) -> Tensor:
        a = input._dense if input._dense is not None else dense_cells(input)
        if a is not False and a.size <= SMALL and len(others) == 1 and type(others[0]) is Tensor:
            other, storage, element_type = others[0], input._storage, input._dtype
            b = other._dense if other._dense is not None else dense_cells(other)
            if (
                b is not False
                and element_type is other._dtype
                and input._shape == other._shape
                and storage is not other._storage
                and not storage.readonly
            ):
                if element_type not in prepared:
                    prepared[element_type] = _prepare(row, (element_type, element_type), itself=True)
                kernel, _, out_type = prepared[element_type]
                if out_type is element_type:
                    kernel(a, b)
                    storage._version += 1
                    return input
        return apply_in_place(row, input, *others)

    return function


def _prepare(
    row: Scalar, element_types: tuple[dtype, ...], number: bool = False, itself: bool = False
) -> tuple[Callable, np.dtype, dtype]:
    """The one-loop kernel for dense operands of these dtypes, and the cell type and dtype of its result.

    With `number` the second operand is a Python float; with `itself` the first is the output.
    """
    stand_ins: list[Tensor | Number] = [
        make_dense(np.empty(1, t.cell), t, Size((1,)), (1,)) for t in element_types
    ]
    if number:
        stand_ins[1] = 1.0
    compute, out_type = types_of(row, stand_ins)
    kinds = ("run", "self" if itself else "run", "one" if number else "run")[: row.arity + 1]
    kernel = backend("cpu").flat_kernel(row, widened(compute), (out_type, *element_types), kinds)
    return kernel, out_type.cell, out_type


def function_of(name: str) -> Callable:
    """The public function of one row, named and documented."""
    row = TABLE[name]
    function = {1: _unary, 2: _binary}[row.arity](row)
    function.__name__ = function.__qualname__ = name
    function.__module__ = "tensorlab.ops.pointwise"
    function.__doc__ = _documentation(row)
    return function


def in_place(name: str) -> Callable:
    """The function that overwrites its first operand: ``x.add_(y)``."""
    row = TABLE[name]

    function = _in_place(row)
    function.__name__ = function.__qualname__ = f"{name}_"
    function.__module__ = "tensorlab.ops.pointwise"
    function.__doc__ = (
        f"{row.summary} In place: `input` is overwritten, and every tensor over its storage sees it.\n\n"
        "    Raises:\n"
        "        RuntimeError: the result does not fit into `input`'s dtype or shape, "
        "or its elements share cells."
    )
    return function


def _documentation(row: Scalar) -> str:
    """Summary, arguments, result, errors and example, in the order of every docstring here."""
    lines = [row.summary, "", "Args:", "    input: a tensor of any shape."]
    if row.arity == 2:
        lines[-1] = "    input: a tensor, or a number if `other` is a tensor."
        lines.append("    other: a tensor whose shape can be broadcast with `input`'s, or a number.")
    lines.append("    out: a tensor of the result's shape to write into.")
    shape = "the broadcast shape" if row.arity == 2 else "`input`'s shape"
    kind = {TRUTH: "dtype bool", FLOAT: "a floating dtype"}.get(row.result, "the promoted dtype")
    lines += ["", "Returns:", f"    a new tensor of {shape} and {kind}; or `out`."]
    if row.arity == 2 or row.refuses_bool:
        reason = " or ".join(
            ["the shapes cannot be broadcast"] * (row.arity == 2)
            + ["an operand is bool"] * bool(row.refuses_bool)
        )
        lines += ["", "Raises:", f"    RuntimeError: {reason}."]
    if row.example:
        lines += ["", "Example:", "    >>> import tensorlab as tl"]
        lines += [f"    {line}" for line in row.example.split("\n")]
    return "\n".join([lines[0], *(f"    {line}" if line else "" for line in lines[1:])])
