"""Elementwise operations: one scalar function for every element, operands broadcast against each other.

`Elementwise` is the primitive that a row of the scalar table becomes: the dtype in which it computes, the
shape and the strides of its result, its kernel, and its node with the gradients that stand in the row.

A row gives each gradient as a formula of numbers. In the backward pass a kernel computes it, like any other
scalar function. Where the gradient is to be differentiated in turn, the same formula is called with tensors
(`tensor_form`), so that its operations are recorded.
"""

from __future__ import annotations

import functools
import inspect
import re
import types
from collections.abc import Callable, Container, Sequence
from functools import partial
from typing import Any, ClassVar, cast

from tensorlab.autograd.formulas import Backward, Formula
from tensorlab.autograd.graph import Gradient, Node
from tensorlab.backends import HOST, Backend, Buffer, Launch, OperandLayout
from tensorlab.core import broadcasting, dtypes, layout, memory_formats
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.dispatch import primitive as door
from tensorlab.dispatch.copies import converted
from tensorlab.dispatch.memory import filled
from tensorlab.dispatch.operands import Number, number_dtype, number_from, types_of, widened
from tensorlab.dispatch.primitive import (
    IN_PLACE,
    Operand,
    Primitive,
    Recorded,
    Result,
    binary_in_place,
    call,
    call_in_place,
)
from tensorlab.names.rules import unifies
from tensorlab.scalars import GRAD, TABLE, TRUTH, UNKNOWN, ZERO, Scalar
from tensorlab.tensor import Tensor

# Numbers that PyTorch takes for parameters of a function of the tensors, by their positions. Any other number
# beside a tensor counts as a tensor of no dimensions, which is broadcast.
PARAMETERS = {"clamp": (1, 2), "clamp_min": (1,), "clamp_max": (1,), "pow": (1,), "lerp": (2,)}


class Elementwise(Primitive):
    """A row of the scalar table as an operation on tensors.

    Attributes:
        row: the row.
        writer: what the operation is called where it overwrites its first operand.
    """

    names = staticmethod(unifies)

    def __init__(self, row: Scalar) -> None:
        self.row = row
        self.name = row.name
        self.differentiable = bool(row.gradients) and row.result != TRUTH
        node = re.sub(r"Backwards?\d*$", "", row.node or row.name)
        self.writer = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", node).lower() + "_"

    def result(self, operands: Sequence[Operand], params: tuple) -> Result:
        """The broadcast shape, strides as PyTorch has them, and the promoted dtype.

        Raises:
            TypeError: an operand is neither a tensor nor, where the row allows it, a number.
            NotImplementedError: the function makes no sense for the promoted dtype.
            RuntimeError: the shapes cannot be broadcast, or the function refuses bools.
        """
        compute, out_type = types_of(self.row, operands)
        return Result(*self._layout(operands, compute), out_type)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Operand], params: tuple) -> Launch:
        """A narrow result wraps or rounds in its own dtype before it is converted to a wider one."""
        compute, own = types_of(self.row, operands)
        row, shape = self.row, result.shape
        out = OperandLayout(result.dtype, result.stride)
        if own is out.dtype or row.result == TRUTH or own.itemsize > out.dtype.itemsize:
            inputs = operand_layouts(shape, operands, result.overwritten)
            return backend.pointwise(row, widened(compute), shape, out, inputs)
        narrow = OperandLayout(own, layout.default_strides(shape))
        make = backend.pointwise(row, widened(compute), shape, narrow, operand_layouts(shape, operands))
        convert = backend.pointwise(TABLE["copy"], widened(own), shape, out, [narrow])

        def launch(out: Buffer, *buffers: Buffer | Number) -> None:
            made = backend.allocate(layout.numel(shape), own.cell), 0
            make(made, *buffers)
            convert(out, made)

        return launch

    def node(self, operands: Sequence[Operand], params: tuple) -> Recorded:
        """See `Primitive.node`."""
        number = _number_among(operands[: self.row.arity]) if self.row.number_nodes else None
        return node_kind(self.row, number), {}

    def converted(self, operands: Sequence[Operand]) -> Sequence[Operand] | None:
        """Operands beside sixteen-bit floats are rounded to these first.

        A number or 0-dimensional tensor that comes second takes part in a product or quotient as it is, as in
        PyTorch.
        """
        row, (compute, _) = self.row, types_of(self.row, operands)
        if not (compute.is_floating_point and compute.itemsize == 2):
            return None
        positions = [
            position
            for position, operand in enumerate(operands[: row.arity])
            if not (isinstance(operand, Tensor) and operand._dtype is compute)
            and not (
                position == 1 and row.exact_numbers and not (isinstance(operand, Tensor) and operand._shape)
            )
        ]
        if not positions:
            return None
        places = [each._storage.backend for each in operands if isinstance(each, Tensor)]
        place = next((each for each in places if each is not HOST), HOST)
        return [converted(one, compute, place) if at in positions else one for at, one in enumerate(operands)]

    def check_out(self, out: Tensor, result: Result, operands: Sequence[Operand], brought: bool) -> None:
        """See `Primitive.check_out`; some rows write into their result's dtype alone."""
        super().check_out(out, result, operands, brought)
        exact = self.row.exact_out and not any(isinstance(operand, Tensor) for operand in operands[1:])
        if brought and exact and result.dtype is not out.dtype:
            raise RuntimeError(
                f"{self.name}(): found dtype {out.dtype.name} but expected {result.dtype.name}: "
                f"bring an out of dtype {result.dtype.name}"
            )

    def _layout(self, operands: Sequence[Operand], compute: dtype) -> tuple[Size, tuple[int, ...]]:
        """The shape and the strides of a new tensor for a result, as PyTorch has them."""
        row = self.row
        tensors = [operand for operand in operands if isinstance(operand, Tensor)]
        shape = broadcasting.broadcast_shapes(*[tensor._shape for tensor in tensors])
        first = operands[0]
        if row.name == "logsigmoid" or (row.name == "pow" and not isinstance(first, Tensor)):
            return shape, layout.default_strides(shape)
        if isinstance(first, Tensor) and (
            row.name in ("hardtanh", "nan_to_num")
            or (row.name in ("isfinite", "isinf") and not first._dtype.is_floating_point)
        ):
            return shape, memory_formats.preserved_strides(shape, first._stride)
        # PyTorch looks at the strides of a copy where a dtype is converted first.
        as_they_are = row.name in ("where", "copy") or row.name.startswith("logical")
        strides = [
            t._stride
            if as_they_are or t._dtype is compute
            else memory_formats.preserved_strides(t._shape, t._stride)
            for t in tensors
        ]
        strides = [
            broadcasting.broadcast_strides(t._shape, own, shape)
            for t, own in zip(tensors, strides, strict=True)
        ]
        if row.name == "div" and not isinstance(first, Tensor):  # a reciprocal, multiplied
            strides = [memory_formats.elementwise_strides(shape, strides)]
        numbers = [p for p, o in enumerate(operands[: row.arity]) if not isinstance(o, Tensor)]
        beside = bool(shape) and not set(numbers).issubset(PARAMETERS.get(row.name, ()))
        broadcast = beside or any(tensor._shape != shape for tensor in tensors)
        return shape, memory_formats.elementwise_strides(shape, strides, broadcast)


@functools.cache
def elementwise(row: Scalar) -> Elementwise:
    """The primitive of a row, made once."""
    return Elementwise(row)


def operand_layouts(
    shape: Size, operands: Sequence[Operand], overwritten: Sequence[int] = ()
) -> list[OperandLayout]:
    """What the backend must know of each operand, which is broadcast to `shape`; see `Result`."""
    found = []
    for position, operand in enumerate(operands):
        if isinstance(operand, Tensor):
            strides = broadcasting.broadcast_strides(operand._shape, operand._stride, shape)
            found.append(OperandLayout(operand._dtype, strides, is_out=position in overwritten))
        else:
            number_type = number_dtype(operand)
            number_type = dtypes.float64 if number_type.is_floating_point else number_type
            found.append(OperandLayout(number_type, (0,) * len(shape), is_number=True))
    return found


# --- rows, called ---------------------------------------------------------------------------------------


def apply(row: Scalar, *operands: Operand, out: Tensor | None = None) -> Tensor:
    """One scalar function applied to operands that are broadcast against each other.

    Args:
        row: the scalar function.
        operands: tensors, and numbers (see `result_type` for how they count); then the row's parameters,
            numbers or tensors without dimensions.
        out: a tensor of the result's shape to write into, instead of a new one.

    Raises:
        TypeError: an operand is neither a tensor nor, where the row allows it, a number.
        NotImplementedError: the function makes no sense for the promoted dtype.
        RuntimeError: the shapes cannot be broadcast, the function refuses bools, or the write into `out` is
            refused.
    """
    if out is IN_PLACE:
        return apply_in_place(row, *cast(Any, operands))
    try:
        return call(elementwise(row), *operands, out=out)
    except TypeError:
        numbers = _with_numbers(row, operands)
        if numbers is None:
            raise
        return call(elementwise(row), *numbers, out=out)


def apply_in_place(row: Scalar, target: Tensor, *others: Operand, writer: str = "") -> Tensor:
    """`target` overwritten with a scalar function of itself and the other operands.

    Raises:
        RuntimeError: the result would lose its kind in `target`'s dtype, the shapes do not fit, the write is
            refused by `guard_write`, or gradients could not follow it.
    """
    primitive = elementwise(row)
    writer = writer or primitive.writer
    try:
        if len(others) == 1:
            return binary_in_place(primitive, target, others[0], writer)
        return call_in_place(primitive, target, *others, writer=writer)
    except TypeError:
        numbers = _with_numbers(row, (target, *others))
        if numbers is None:
            raise
        return call_in_place(primitive, *numbers, writer=writer)


def compute(row: Scalar, *operands: Operand) -> Tensor:
    """`apply` of which nothing is recorded."""
    return door.compute(elementwise(row), *operands)


def compute_into(out: Tensor, row: Scalar, *operands: Operand, resizes: bool = False) -> Tensor:
    """`compute` into a tensor that is there, which may be one of the operands."""
    return door.compute_into(out, elementwise(row), operands, resizes=resizes)


def _with_numbers(row: Scalar, operands: Sequence[Any]) -> list[Any] | None:
    """The operands, with numbers for tensors that are parameters; None if none of them can be one."""
    found = [*operands[: row.arity], *map(number_from, operands[row.arity :])]
    return None if all(a is b for a, b in zip(found, operands, strict=True)) else found


def _number_among(operands: Sequence[Operand]) -> int | None:
    """The position of the first operand that is a number."""
    for position, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            return position
    return None


# --- gradients ------------------------------------------------------------------------------------------


class RowBackward(Backward):
    """A node made from the gradients in a row of the table.

    They are computed by kernels, and recorded as operations.
    """

    __slots__ = ()
    stretches = True

    row: ClassVar[Scalar]
    special_forms: ClassVar[dict[tuple[str, ...], Formula]]

    @classmethod
    def step(cls, position: int) -> tuple[Formula, Formula, tuple[str, ...]] | None:
        """The formula of one operand: as it is computed, as it is recorded, and what it needs."""
        gradients = cls.row.gradients
        gradient = gradients[position] if position < len(gradients) else None
        if gradient is None:
            return None
        if isinstance(gradient, tuple):
            if len(gradient) == 1:
                form = cls.special_forms[gradient]
                return form, form, ()
            form = _row_form(TABLE[gradient[0]])
            return form, form, gradient[2:]
        names = tuple(inspect.signature(gradient).parameters)
        if cls.row.outside is not None:  # a kernel of the whole formula would not know when it does not hold
            form = tensor_form(gradient)
            return form, form, names[1:]
        parameters = list(inspect.signature(cls.row.formula).parameters)[cls.row.arity :]
        arity = sum(name not in parameters for name in names)
        own = Scalar(
            gradient.__name__,
            gradient,
            arity,
            "",
            numbers=tuple(range(arity)),
            parameters=len(names) - arity,
            cost=cls.row.cost,
        )
        return partial(compute, own), tensor_form(gradient), names[1:]


class VjpBackward(RowBackward):
    """A node whose gradients one function gives, if each operand wants one (see `_VJPS`)."""

    __slots__ = ()

    vjp: ClassVar[Callable[..., Sequence[Gradient]]]

    def gradients(
        self, gradient: Any, differentiable: bool, asked: Container[Node] | None = None
    ) -> Sequence[Gradient]:
        """The gradients of the operands; where not all are wanted, by the formulas."""
        if differentiable or asked is not None or len(self.versions) < self.row.arity:
            return super().gradients(gradient, differentiable, asked)
        return self.vjp(gradient, *self.values())


#: What `VjpBackward.vjp` is, by row: a function of the gradient and of what the formulas keep, in order.
_VJPS: dict[str, Callable[..., Sequence[Gradient]]] = {
    "exp": lambda grad, result: (exp_backward(grad, result),),
    "mul": lambda grad, y, x: mul_backward(grad, x, y),
}


def _itself(grad: Tensor) -> Tensor:
    return grad


def _zeros(grad: Tensor) -> Tensor:
    return grad.new_zeros(grad._shape)


_kinds: dict[tuple, type[RowBackward] | None] = {}


def node_kind(row: Scalar, number: int | None = None) -> type[RowBackward] | None:
    """The kind of node that a row's operation leaves; None if it has no gradient.

    Args:
        row: the row.
        number: the position of an operand that is a number, if there is one.
    """
    key = row.name, row.node, number
    try:
        return _kinds[key]
    except KeyError:
        pass
    kind = None
    if row.gradients:
        name = row.node or "".join(word.capitalize() for word in row.name.split("_")) + "Backward0"
        if number is not None and number < len(row.number_nodes):
            name = row.number_nodes[number] or name
        inputs = tuple(inspect.signature(row.formula).parameters)
        own = {
            "__slots__": (),
            "__module__": __name__,
            "row": row,
            "inputs": inputs,
            "slots": _slots(row, number, len(inputs)),
            "numbers": min(PARAMETERS.get(row.name, (row.arity,))),
            "special_forms": {GRAD: _itself, ZERO: _zeros, UNKNOWN: partial(_refuse, row.name)},
            "plans": {},
        }
        vjp = _VJPS.get(row.name)
        if vjp is not None:
            own["vjp"] = staticmethod(vjp)
        base = RowBackward if vjp is None else VjpBackward
        kind = type("NotImplemented" if UNKNOWN in row.gradients else name, (base,), own)
    return _kinds.setdefault(key, kind)


def _slots(row: Scalar, number: int | None, count: int) -> tuple[int, ...] | None:
    """The operands that have an edge; None if all have one.

    A mask and a parameter have none; nor has a number, where it makes another operation of it in PyTorch.
    """
    slots = [position for position, gradient in enumerate(row.gradients) if gradient is not None]
    if number is not None and row.number_nodes and row.number_nodes[number]:
        slots = [at for at in slots if row.number_nodes[at] != row.number_nodes[number]]
    return tuple(slots) if len(slots) < count else None


def _refuse(name: str, grad: Tensor) -> Tensor:
    raise RuntimeError(
        f"derivative for aten::{name} is not implemented: detach() the result, or compute it under no_grad()"
    )


# --- formulas of numbers as formulas of tensors -------------------------------------------------------

# What the names in a formula mean when it is called with tensors; `tensorlab.ops` adds `where`.
TENSOR_FUNCTIONS: dict[str, Callable] = {}


def tensor_form(formula: Callable) -> Callable:
    """The same formula, computing with tensors: each name in it means the operation instead of the number.

    Args:
        formula: a function of the scalar table's kind. Instead of a conditional expression it has `choose`.
    """
    found = _forms.get(formula)
    if found is None:
        names: dict[str, Any] = dict(formula.__globals__)
        for name in formula.__code__.co_names:
            value = names.get(name)
            row = _rows_by_formula().get(value) if isinstance(value, types.FunctionType) else None
            if row is not None and row.arity == 1:
                names[name] = partial(_of_tensor, _row_form(row))
            elif name in TENSOR_FUNCTIONS:
                names[name] = TENSOR_FUNCTIONS[name]
            elif isinstance(value, types.FunctionType):
                names[name] = tensor_form(value) if row is None else _row_form(row)
        found = types.FunctionType(formula.__code__, names, formula.__name__, formula.__defaults__)
        _forms[formula] = found
    return found


_forms: dict[Callable, Callable] = {}
_by_formula: dict[Callable, Scalar] = {}


def _rows_by_formula() -> dict[Callable, Scalar]:
    if not _by_formula:
        _by_formula.update({row.formula: row for row in TABLE.values()})
    return _by_formula


def _of_tensor(form: Callable, operand: Tensor | Number, *parameters: Number) -> Tensor:
    """A function of one tensor, here perhaps of a number, which is a tensor of no dimensions then."""
    tensor = operand if isinstance(operand, Tensor) else filled(Size(), (), dtypes.float64, operand)
    return form(tensor, *parameters)


def _row_form(row: Scalar) -> Callable:
    """The operation of a row, by its fastest way."""
    return TENSOR_FUNCTIONS.get(row.name) or partial(apply, row)


# --- products with vectors, written down ----------------------------------------------------------------


def mul_backward(grad: Tensor, input: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of both factors of ``input * other``: what arrives, times the other factor.

    Example:
        >>> import tensorlab as tl
        >>> mul_backward(tl.tensor(10.0), tl.tensor(2.0), tl.tensor(3.0))
        (tensor(30.), tensor(20.))
    """
    return grad * other, grad * input


def exp_backward(grad: Tensor, result: Tensor) -> Tensor:
    """The gradient of ``input`` in ``result = exp(input)``: what arrives, times the result, its own slope.

    Example:
        >>> import tensorlab as tl
        >>> exp_backward(tl.tensor(10.0), tl.tensor([0.0]).exp())
        tensor([10.])
    """
    return grad * result
