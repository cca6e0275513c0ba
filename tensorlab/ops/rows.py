"""From a row of the scalar table to a public function of tensors."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, Literal

from tensorlab.autograd.recorders import recorder
from tensorlab.autograd.views import requires_grad
from tensorlab.backends.operands import CELL, ONE, RUN
from tensorlab.dtypes import dtype
from tensorlab.layout import Size, numel
from tensorlab.modes import current
from tensorlab.ops.dispatch import Plan, planned
from tensorlab.ops.documentation import documentation, in_place_documentation
from tensorlab.ops.operands import Number, is_number
from tensorlab.ops.overwriting import overwrites
from tensorlab.ops.plans import remember
from tensorlab.ops.recording import TENSOR_FUNCTIONS, apply, apply_in_place, node_kind
from tensorlab.ops.results import computing, mapping, meeting, never, overwriting
from tensorlab.ops.small_gradients import FOLDED
from tensorlab.ops.straight import flat_kernel, most_straight
from tensorlab.scalars import TABLE, Scalar
from tensorlab.storage import UNTRACKED
from tensorlab.tensor import Tensor, dense_cells

__all__ = ["function_of", "in_place", "operator_of", "test_of"]

# What computes the result of dense operands (see `tensorlab.ops.results`), and what records it, None if it
# has no gradient; and for tensors alone, what does all of it for most of them. False where there is no short
# way.
Prepared = tuple[Callable[..., Any], Callable[..., Tensor] | None, Callable | None] | Literal[False]
# The kernel of dense operands that overwrites the first, and what does all of it for most tensors.
PreparedInPlace = tuple[Callable[..., None], Callable[..., Tensor | None] | None] | Literal[False]
# What to do with two tensors of known layouts: what computes their result of them, or else of their buffers,
# and which of them it is; the result's number of elements, shape and strides; what records it; and what does
# all of it for most tensors of one shape, or of these layouts.
Way = tuple[
    Callable[..., Any], bool, int, Size, tuple[int, ...], Callable[..., Tensor] | None, Callable | None,
    Callable | None,
]  # fmt: skip


def _unary(row: Scalar) -> Callable:
    """The function of one tensor that a row of the table stands for."""
    prepared: dict[dtype, Prepared] = {}
    limit = most_straight(row)
    # Those of the dtype of the last call that came here; `ready` for most of its tensors, in one step.
    ready: Callable[[Tensor], Tensor | None] | None = None

    def prepare(element_type: dtype) -> Prepared:
        found = prepared.get(element_type)
        if found is None:
            found = prepared[element_type] = _prepare(row, element_type)
        return found

    def function(input: Tensor, *, out: Tensor | None = None) -> Tensor:
        nonlocal ready
        if out is None and type(input) is Tensor:
            if ready is not None:
                result = ready(input)
                if result is not None:
                    return result
            a = input._dense if input._dense is not None else dense_cells(input)
            if a is not False and a.size <= limit:
                short = prepare(input._dtype)
                if short:
                    compute, record, ready = short
                    result = compute(a.size, input._shape, input._stride, a)
                    if input._edge is None and (input._base is None or input._base._edge is None):
                        return result
                    return result if record is None else record(result, input)
        return apply(row, input, out=out)

    return function


def _binary(row: Scalar, is_operator: bool = False) -> Callable:
    """The function of two operands that a row of the table stands for, without `out`; or the operator."""
    limit = most_straight(row)
    ways: dict[tuple, Way | Literal[False]] = {}
    with_tensor: dict[dtype, Prepared] = {}
    with_float: dict[dtype, Prepared] = {}
    with_int: dict[dtype, Prepared] = {}
    from_float: dict[dtype, Prepared] = {}
    from_int: dict[dtype, Prepared] = {}
    # That of the two tensors of one shape that came last, and does all of it for most of their dtype.
    ready: Callable[..., Tensor | None] = never
    # The same for the layouts of the last two others, where they came twice in a row.
    again: Callable[..., Tensor | None] | None = None
    latest: Way | None = None

    def function(input: Tensor | Number, other: Tensor | Number) -> Tensor:
        nonlocal again, latest, ready
        if type(input) is Tensor:
            if type(other) is Tensor:
                if other._dense is not None:
                    result = ready(input, other)
                    if result is not None:
                        return result
                if again is not None:
                    result = again(input, other)
                    if result is not None:
                        return result
                    again = None
                way = ways.get(
                    (input._dtype, input._shape, input._stride, other._dtype, other._shape, other._stride)
                )
                if not way:
                    if way is None and _find_straight_way(row, ways, with_tensor, input, other):
                        return function(input, other)
                    return _find_way(row, ways, input, other)
                run, of_tensors, size, shape, stride, record, of_one_shape, of_layouts = way
                if of_one_shape is not None:
                    ready = of_one_shape
                elif way is latest:
                    again = of_layouts
                latest = way
                if of_tensors:
                    result = run(size, shape, stride, input, other)
                    if result is None:
                        return apply(row, input, other)
                else:
                    result = run(input._buffer(), other._buffer())
                if (
                    input._edge is None
                    and other._edge is None
                    and (input._base is None or input._base._edge is None)
                    and (other._base is None or other._base._edge is None)
                ):
                    return result
                return result if record is None else record(result, input, other)
            if type(other) is float or (type(other) is int and other.bit_length() < 64):
                a = input._dense if input._dense is not None else dense_cells(input)
                if a is not False and 0 < a.size <= limit:
                    known = with_float if type(other) is float else with_int
                    short = known.get(input._dtype)
                    if short is None:
                        short = known[input._dtype] = _prepare(row, input._dtype, other)
                    if short:
                        compute, record, _ = short
                        result = compute(a.size, input._shape, input._stride, a, other)
                        if input._edge is None and (input._base is None or input._base._edge is None):
                            return result
                        return result if record is None else record(result, input, other)
        elif type(other) is Tensor and (
            type(input) is float or (type(input) is int and input.bit_length() < 64)
        ):
            b = other._dense if other._dense is not None else dense_cells(other)
            if b is not False and 0 < b.size <= limit:
                known = from_float if type(input) is float else from_int
                short = known.get(other._dtype)
                if short is None:
                    short = known[other._dtype] = _prepare(row, input, other._dtype)
                if short:
                    compute, record, _ = short
                    result = compute(b.size, other._shape, other._stride, input, b)
                    if other._edge is None and (other._base is None or other._base._edge is None):
                        return result
                    return result if record is None else record(result, input, other)
        if is_operator and not isinstance(other, Tensor) and not is_number(other):
            return NotImplemented
        return apply(row, input, other)

    return function


def _with_out(row: Scalar) -> Callable:
    """The function of two operands that a row of the table stands for."""
    new = _binary(row)

    def function(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        return new(input, other) if out is None else apply(row, input, other, out=out)

    return function


def _key(input: Tensor, other: Tensor) -> tuple:
    return input._dtype, input._shape, input._stride, other._dtype, other._shape, other._stride


def _find_straight_way(
    row: Scalar, ways: dict, known: dict[dtype, Prepared], input: Tensor, other: Tensor
) -> bool:
    """Whether two tensors are short runs of one shape and dtype that have a kernel, which is remembered."""
    if input._dtype is not other._dtype or input._shape != other._shape:
        return False
    cells = dense_cells(input)
    if cells is False or cells.size > most_straight(row) or dense_cells(other) is False:
        return False
    short = known.get(input._dtype)
    if short is None:
        short = known[input._dtype] = _prepare(row, input._dtype, input._dtype, of_tensors=True)
    if not short:
        return False
    compute, record, ready = short
    way = compute, True, cells.size, input._shape, input._stride, record, ready, None
    remember(ways, _key(input, other), way)
    return True


def _find_way(row: Scalar, ways: dict, input: Tensor, other: Tensor) -> Tensor:
    """The function of two tensors whose way is not known yet, or which have none."""
    result = apply(row, input, other)
    key = _key(input, other)
    # That of integers may hang on the default dtype.
    if key not in ways and (input._dtype.is_floating_point or other._dtype.is_floating_point):
        found = planned(row, input, other)
        if found is None:
            remember(ways, key, False)
        else:
            plan, kernel = found
            of_tensors, run, of_layouts = kernel is not None and plan.dense, plan.run, None
            made = plan.cells, plan.shape, plan.stride
            if kernel is not None and plan.dense:
                run = computing(kernel, plan.dtype, (input._dtype, other._dtype))
                of_layouts = meeting(kernel, (input, other), plan.dtype, *made)
            record = _recorder(row, plan, input, other)
            remember(ways, key, (run, of_tensors, *made, record, None, of_layouts))
    return result


def _in_place(row: Scalar) -> Callable:
    """The function that overwrites its first operand."""
    prepared: dict[Any, PreparedInPlace] = {}
    limit = most_straight(row)

    def function(input: Tensor, *others: Tensor | Number) -> Tensor:
        way = overwrites.get(function)
        if way is not None and way(current.grad, input, *others) is not None:
            return input
        a = input._dense if input._dense is not None else dense_cells(input)
        recording = current.grad
        if (
            a is not False
            and a.size <= limit
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
                        short = prepared[key] = _prepare_in_place(row, function, element_type, kind)
                    if short:
                        kernel, way = short
                        if way is not None:
                            overwrites[function] = way
                        storage._version += 1
                        storage._writer = function
                        kernel(a, b)
                        return input
        if len(others) != row.arity + row.parameters - 1:
            count = row.arity + row.parameters
            raise TypeError(f"{function.__name__}() takes {count} operands, and {len(others) + 1} were given")
        return apply_in_place(row, input, *others, writer=function)

    return function


def _prepare_in_place(
    row: Scalar, writer: Callable, element_type: dtype, other: dtype | Number
) -> PreparedInPlace:
    """What overwrites dense tensors with a function of them and another operand; False for none."""
    found = flat_kernel(row, element_type, other, itself=True)
    if not found or found[1] is not element_type:
        return False
    types = (element_type, other if isinstance(other, dtype) else type(other))
    return found[0], overwriting(found[0], types, writer, most_straight(row))


def _prepare(row: Scalar, *operands: dtype | Number, of_tensors: bool = False) -> Prepared:
    """What computes the result of dense operands, and what records it; False for none.

    What computes is called with tensors if `of_tensors` says so, or else with their cells.
    """
    found = flat_kernel(row, *operands)
    if not found:
        return False
    kernel, out_type = found
    record = None
    if out_type.is_floating_point:
        number = next((index for index, t in enumerate(operands) if not isinstance(t, dtype)), None)
        kind = node_kind(row, number)
        if kind is not None:
            kinds = tuple([RUN if isinstance(t, dtype) else ONE for t in operands])
            tensors = tuple([index for index, t in enumerate(kinds) if t == RUN])
            record = recorder(kind, tensors, met=(out_type, kinds))
    types = tuple([t for t in operands if isinstance(t, dtype)])
    ready = (
        mapping(kernel, types[0], out_type, most_straight(row)) if of_tensors or len(operands) == 1 else None
    )
    return computing(kernel, out_type, types if of_tensors else None), record, ready


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
    function = {1: _unary, 2: _with_out}[row.arity](row)
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
    called = f"{name or row.name}_"
    function: Any = _named(_in_place(row), called, in_place_documentation(row, called))
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
