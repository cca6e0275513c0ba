"""From a row of the scalar table to a public function of tensors."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, Literal

import numpy as np

from tensorlab.autograd.recorders import recorder
from tensorlab.autograd.views import requires_grad
from tensorlab.backends.operands import CELL, ONE, RUN
from tensorlab.dtypes import dtype
from tensorlab.layout import numel
from tensorlab.modes import current
from tensorlab.ops.dispatch import Plan, planned
from tensorlab.ops.documentation import documentation, in_place_documentation
from tensorlab.ops.operands import Number, is_number
from tensorlab.ops.plans import remember
from tensorlab.ops.recording import TENSOR_FUNCTIONS, apply, apply_in_place, node_kind
from tensorlab.ops.small_gradients import FOLDED
from tensorlab.ops.straight import flat_kernel
from tensorlab.scalars import TABLE, Scalar
from tensorlab.storage import UNTRACKED, UntypedStorage
from tensorlab.tensor import Tensor, dense_cells, make_dense, make_tensor

__all__ = ["function_of", "in_place", "operator_of", "test_of"]

# Below this many elements an operation on dense tensors of one dtype goes straight to its kernel. What is
# left then is the allocation and the call, which is what a small operation costs.
SMALL = 16_384

# A kernel for dense operands, the cell type and dtype of its result, and what records it, None if it has no
# gradient; False where there is no short way.
Prepared = tuple[Callable, np.dtype, dtype, Callable[..., Tensor] | None] | Literal[False]
# What to do with operands in other layouts, and what records it.
Planned = tuple[Plan, Callable[..., Tensor] | None] | Literal[False]


def _unary(row: Scalar) -> Callable:
    """The function of one tensor that a row of the table stands for."""
    prepared: dict[dtype, Prepared] = {}

    def function(input: Tensor, *, out: Tensor | None = None) -> Tensor:
        if out is None and type(input) is Tensor:
            a = input._dense if input._dense is not None else dense_cells(input)
            if a is not False and a.size <= SMALL:
                element_type = input._dtype
                short = prepared.get(element_type)
                if short is None:
                    short = prepared[element_type] = _prepare(row, element_type)
                if short:
                    kernel, cell, out_type, record = short
                    memory = np.empty(a.size, cell)
                    kernel(memory, a)
                    result = make_dense(memory, out_type, input._shape, input._stride)
                    if input._edge is None and (input._base is None or input._base._edge is None):
                        return result
                    return result if record is None else record(result, input)
        return apply(row, input, out=out)

    return function


def _binary(row: Scalar, is_operator: bool = False) -> Callable:
    """The function of two operands that a row of the table stands for, or the operator."""
    with_tensor: dict[dtype, Prepared] = {}
    with_float: dict[dtype, Prepared] = {}
    with_int: dict[dtype, Prepared] = {}
    from_float: dict[dtype, Prepared] = {}
    from_int: dict[dtype, Prepared] = {}
    layouts: dict[tuple, Planned] = {}

    def function(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        if out is None:
            if type(input) is Tensor:
                element_type = input._dtype
                if type(other) is Tensor:
                    if element_type is not other._dtype or input._shape != other._shape:
                        return _of_layouts(row, layouts, input, other)
                    a = input._dense if input._dense is not None else dense_cells(input)
                    b = other._dense if other._dense is not None else dense_cells(other)
                    if a is False or b is False or a.size > SMALL:
                        return _of_layouts(row, layouts, input, other)
                    short = with_tensor.get(element_type)
                    if short is None:
                        short = with_tensor[element_type] = _prepare(row, element_type, element_type)
                    if short:
                        kernel, cell, out_type, record = short
                        memory = np.empty(a.size, cell)
                        kernel(memory, a, b)
                        result = make_dense(memory, out_type, input._shape, input._stride)
                        if (
                            input._edge is None
                            and other._edge is None
                            and (input._base is None or input._base._edge is None)
                            and (other._base is None or other._base._edge is None)
                        ):
                            return result
                        return result if record is None else record(result, input, other)
                elif type(other) is float or (type(other) is int and other.bit_length() < 64):
                    a = input._dense if input._dense is not None else dense_cells(input)
                    if a is not False and 0 < a.size <= SMALL:
                        known = with_float if type(other) is float else with_int
                        short = known.get(element_type)
                        if short is None:
                            short = known[element_type] = _prepare(row, element_type, other)
                        if short:
                            kernel, cell, out_type, record = short
                            memory = np.empty(a.size, cell)
                            kernel(memory, a, other)
                            result = make_dense(memory, out_type, input._shape, input._stride)
                            if input._edge is None and (input._base is None or input._base._edge is None):
                                return result
                            return result if record is None else record(result, input, other)
            elif type(other) is Tensor and (
                type(input) is float or (type(input) is int and input.bit_length() < 64)
            ):
                b = other._dense if other._dense is not None else dense_cells(other)
                if b is not False and 0 < b.size <= SMALL:
                    known = from_float if type(input) is float else from_int
                    short = known.get(other._dtype)
                    if short is None:
                        short = known[other._dtype] = _prepare(row, input, other._dtype)
                    if short:
                        kernel, cell, out_type, record = short
                        memory = np.empty(b.size, cell)
                        kernel(memory, input, b)
                        result = make_dense(memory, out_type, other._shape, other._stride)
                        if other._edge is None and (other._base is None or other._base._edge is None):
                            return result
                        return result if record is None else record(result, input, other)
        if is_operator and not isinstance(other, Tensor) and not is_number(other):
            return NotImplemented
        return apply(row, input, other, out=out)

    return function


def _of_layouts(row: Scalar, known: dict[tuple, Planned], input: Tensor, other: Tensor) -> Tensor:
    """The function of two tensors in any layouts; `known` remembers what to do for those of earlier calls."""
    key = input._dtype, input._shape, input._stride, other._dtype, other._shape, other._stride
    found = known.get(key)
    if not found:
        result = apply(row, input, other)
        if found is None and (input._dtype.is_floating_point or other._dtype.is_floating_point):
            plan = planned(row, input, other)
            remember(known, key, plan is not None and (plan, _recorder(row, plan, input, other)))
        return result
    (launch, shape, stride, element_type, size, dense), record = found
    memory = np.empty(size, element_type.cell)
    a, b = input._dense, other._dense
    launch(
        (memory, 0),
        input._buffer() if a is None or a is False else (a, 0),
        other._buffer() if b is None or b is False else (b, 0),
    )
    if dense:
        result = make_dense(memory, element_type, shape, stride)
    else:
        result = make_tensor(UntypedStorage(memory), element_type, shape, stride, 0)
    if (
        input._edge is None
        and other._edge is None
        and (input._base is None or input._base._edge is None)
        and (other._base is None or other._base._edge is None)
    ):
        return result
    return result if record is None else record(result, input, other)


def _in_place(row: Scalar) -> Callable:
    """The function that overwrites its first operand."""
    prepared: dict[Any, Prepared] = {}

    def function(input: Tensor, *others: Tensor | Number) -> Tensor:
        a = input._dense if input._dense is not None else dense_cells(input)
        recording = current.grad
        if (
            a is not False
            and a.size <= SMALL
            and len(others) == 1
            and row.arity == 2
            and not (recording and requires_grad(input))
        ):
            other, storage, element_type = others[0], input._storage, input._dtype
            if not storage.readonly and storage._version is not UNTRACKED:
                b: Any = None
                key: Any = None
                if type(other) is Tensor:
                    if (
                        element_type is other._dtype
                        and input._shape == other._shape
                        and storage._memory is not other._storage._memory
                        and not (recording and requires_grad(other))
                    ):
                        b = other._dense if other._dense is not None else dense_cells(other)
                        key = element_type
                elif type(other) is float or (type(other) is int and other.bit_length() < 64):
                    b, key = other, (element_type, type(other))
                if b is not None and b is not False:
                    short = prepared.get(key)
                    if short is None:
                        kind = element_type if isinstance(other, Tensor) else other
                        short = prepared[key] = _prepare(row, element_type, kind, itself=True)
                    if short and short[2] is element_type:
                        storage._version += 1
                        storage._writer = function
                        short[0](a, b)
                        return input
        if len(others) != row.arity + row.parameters - 1:
            count = row.arity + row.parameters
            raise TypeError(f"{function.__name__}() takes {count} operands, and {len(others) + 1} were given")
        return apply_in_place(row, input, *others, writer=function)

    return function


def _prepare(row: Scalar, *operands: dtype | Number, itself: bool = False) -> Prepared:
    """The kernel, the cell type and dtype of its result, and the node that it leaves; False for none."""
    found = flat_kernel(row, *operands, itself=itself)
    if not found:
        return False
    kernel, out_type = found
    record = None
    if out_type.is_floating_point and not itself:
        number = next((index for index, t in enumerate(operands) if not isinstance(t, dtype)), None)
        kind = node_kind(row, number)
        if kind is not None:
            kinds = tuple([RUN if isinstance(t, dtype) else ONE for t in operands])
            tensors = tuple([index for index, t in enumerate(kinds) if t == RUN])
            record = recorder(kind, tensors, met=(out_type, kinds))
    return kernel, out_type.cell, out_type, record


def _recorder(row: Scalar, plan: Plan, *operands: Tensor) -> Callable[..., Tensor] | None:
    """What records the function of tensors in any layouts; None if it has no gradient."""
    kind = node_kind(row) if plan.dtype.is_floating_point else None
    if kind is None:
        return None
    kinds = []
    for operand in operands:
        if operand._dtype is not plan.dtype or dense_cells(operand) is False or not 0 < plan.cells <= FOLDED:
            return recorder(kind, (0, 1))
        if operand._shape != plan.shape and numel(operand._shape) != 1:
            return recorder(kind, (0, 1))
        kinds.append(RUN if operand._shape == plan.shape else CELL)
    return recorder(kind, (0, 1), met=(plan.dtype, tuple(kinds)))


def function_of(row: str | Scalar, name: str | None = None) -> Callable:
    """The public function of one row, named and documented.

    Args:
        row: its name in the table; or a row of the table that leaves another node in the graph.
        name: the function's name, where it is another.
    """
    row = TABLE[row] if isinstance(row, str) else row
    function = {1: _unary, 2: _binary}[row.arity](row)
    TENSOR_FUNCTIONS.setdefault(row.name, function)
    return _named(function, name or row.name, documentation(row))


def operator_of(row_name: str, name: str) -> Callable:
    """The operator of two operands that a row stands for, such as ``__add__``.

    It answers `NotImplemented` to what is neither a tensor nor a number. The function is made once more for
    it, because one that called the other would cost a small operation a twelfth of its time.
    """
    row = TABLE[row_name]
    operator: Any = _named(_binary(row, is_operator=True), name, documentation(row))
    operands = [
        Parameter("self", Parameter.POSITIONAL_OR_KEYWORD, annotation="Tensor"),
        Parameter("other", Parameter.POSITIONAL_OR_KEYWORD, annotation="object"),
    ]
    operator.__signature__ = Signature(operands, return_annotation="object")
    return operator


def test_of(row_name: str) -> Callable:
    """The public function of one row that tests each element, and has no `out` in PyTorch."""
    row = TABLE[row_name]
    inner = _unary(row)

    def function(input: Tensor) -> Tensor:
        return inner(input)

    return _named(function, row.name, documentation(row, out=False))


def in_place(row_name: str, name: str | None = None) -> Callable:
    """The function that overwrites its first operand: ``x.add_(y)``."""
    row = TABLE[row_name]
    function: Any = _named(_in_place(row), f"{name or row.name}_", in_place_documentation(row))
    # What editors and the reference show: as many operands as the row has.
    operands = [Parameter("input", Parameter.POSITIONAL_ONLY, annotation="Tensor")]
    for operand in ("other", "another")[: row.arity + row.parameters - 1]:
        operands.append(Parameter(operand, Parameter.POSITIONAL_ONLY, annotation="Tensor | Number"))
    function.__signature__ = Signature(operands, return_annotation="Tensor")
    return function


def _named(function: Callable, name: str, text: str) -> Callable:
    function.__name__ = function.__qualname__ = name
    function.__module__ = "tensorlab.ops.pointwise"
    function.__doc__ = text
    return function
