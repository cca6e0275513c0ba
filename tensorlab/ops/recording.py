"""Scalar functions as operations that are recorded: what a row of the table does to tensors, for users.

`tensorlab.ops.dispatch` computes. Here is what an operation does beside that: it follows names, and it
remembers itself for the backward pass, by the gradients that stand in the row.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, ClassVar

from tensorlab.autograd.formulas import Backward, Formula, Meeting, Plan
from tensorlab.autograd.in_place import in_place
from tensorlab.autograd.recording import record
from tensorlab.autograd.views import requires_grad
from tensorlab.autograd.writers import mark
from tensorlab.backends.operands import CELL, RUN
from tensorlab.dtypes import dtype, float64
from tensorlab.layout import Size
from tensorlab.modes import current
from tensorlab.names.following import follow
from tensorlab.names.rules import unifies
from tensorlab.names.tensor import CarriesNames
from tensorlab.ops.dispatch import PARAMETERS, Number, compute, compute_into, filled
from tensorlab.ops.operands import number_from
from tensorlab.ops.overwriting import learn, overwrites, overwritten
from tensorlab.ops.small_gradients import flow, flow_of
from tensorlab.scalars import GRAD, TABLE, TRUTH, UNKNOWN, ZERO, Scalar
from tensorlab.scalars.row import zero
from tensorlab.tensor import Tensor

__all__ = [
    "TENSOR_FUNCTIONS",
    "RowBackward",
    "apply",
    "apply_in_place",
    "check_out",
    "node_kind",
    "refuse_recorded",
    "tensor_form",
]


def apply(row: Scalar, *operands: Tensor | Number, out: Tensor | None = None) -> Tensor:
    """One scalar function applied to operands that are broadcast against each other.

    Args:
        row: the scalar function.
        operands: tensors, and numbers (see `result_type` for how they count); then the row's parameters,
            numbers or tensors without dimensions.
        out: a tensor of the result's shape to write into, instead of a new one.

    Raises:
        TypeError: an operand is neither a tensor nor, where the row allows it, a number.
        NotImplementedError: the function makes no sense for the dtype that the operands meet in.
        RuntimeError: the shapes do not meet, the function refuses bools, or the write into `out` is refused.
    """
    if out is not None:
        itself = operands[0] is out
        doing: Hashable = (row.name, "itself") if itself else row.name
        others = operands[1:] if itself else operands
        way = overwrites.get(doing)
        if way is not None and way(current.grad, out, *others) is not None:
            return out
    try:
        if out is not None:
            if row.gradients and row.result != TRUTH:
                check_out(row.name, out, *operands)
            elif isinstance(out, Tensor):  # truths are never recorded, whatever they are told of
                mark(out._storage, f"{row.name}(out=...)")
            known = overwritten(doing, out, others) if type(out) is Tensor else False
            if not known:
                compute_into(out, row, *operands, resizes=True)
            if known is None:
                learn(doing, row, f"{row.name}(out=...)", out, others, in_place=itself)
            return out
        result = compute(row, *operands)
    except CarriesNames:  # a tensor with names has no buffer of its own
        return follow(unifies, partial(apply, row), operands, {} if out is None else {"out": out})
    except TypeError:
        numbers = _with_numbers(row, operands)
        if numbers is None:
            raise
        return apply(row, *numbers, out=out)
    for operand in operands:
        if isinstance(operand, Tensor) and requires_grad(operand):
            kind = node_kind(row, _number_among(operands[: row.arity]) if row.number_nodes else None)
            return result if kind is None else record(kind, result, *operands)
    return result


def apply_in_place(
    row: Scalar, target: Tensor, *others: Tensor | Number, writer: Callable | None = None
) -> Tensor:
    """`target` overwritten with a scalar function of itself and the other operands.

    Raises:
        RuntimeError: the result would lose its kind in `target`'s dtype, the shapes do not fit, the write is
            refused by `guard_write`, or gradients could not follow it.
    """
    doing = writer or (row.name, row.node)
    if writer is None:  # who has a name of its own has looked
        way = overwrites.get(doing)
        if way is not None and way(current.grad, target, *others) is not None:
            return target
    try:
        if current.grad:
            for operand in (target, *others):
                if isinstance(operand, Tensor) and requires_grad(operand):
                    number = _number_among((target, *others)[: row.arity]) if row.number_nodes else None
                    with in_place(node_kind(row, number), target, *others):
                        compute_into(target, row, target, *others)
                    target._storage._writer = writer or row
                    return target
        known = overwritten(doing, target, others)
        if not known:
            compute_into(target, row, target, *others)
        if known is None:
            learn(doing, row, writer or row, target, others, in_place=True)
        target._storage._writer = writer or row
        return target
    except CarriesNames:
        return follow(unifies, partial(apply_in_place, row), (target, *others), {}, in_place=True)
    except TypeError:
        numbers = _with_numbers(row, (target, *others))
        if numbers is None:
            raise
        return apply_in_place(row, *numbers, writer=writer)


def _with_numbers(row: Scalar, operands: Sequence[Any]) -> list[Any] | None:
    """The operands, with numbers for tensors that are parameters; None if none of them can be one."""
    found = [*operands[: row.arity], *map(number_from, operands[row.arity :])]
    return None if all(a is b for a, b in zip(found, operands, strict=True)) else found


def _number_among(operands: Sequence[Tensor | Number]) -> int | None:
    """The position of the first operand that is a number."""
    for position, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            return position
    return None


def check_out(name: str, out: Tensor, *operands: Any) -> None:
    """Refuse ``out=`` where the operation would have to be recorded.

    Raises:
        RuntimeError: `out` or an operand requires a gradient, and recording is on.
    """
    if isinstance(out, Tensor):
        mark(out._storage, f"{name}(out=...)")
    refuse_recorded(f"{name}(): ", out, *operands)


def refuse_recorded(begin: str, *tensors: Any) -> None:
    """Refuse tensors of an operation with ``out=`` that require a gradient while recording is on.

    Args:
        begin: what the message begins with.
        tensors: `out`, and the operands or what was computed of them.

    Raises:
        RuntimeError: one of them does.
    """
    if current.grad and any(isinstance(t, Tensor) and requires_grad(t) for t in tensors):
        raise RuntimeError(
            f"{begin}functions with out=... arguments don't support automatic differentiation, but one of "
            f"the arguments requires grad: leave out= away, or compute under tensorlab.no_grad()"
        )


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

    @classmethod
    def scalar_formulas(cls, steps: Sequence[Any]) -> tuple[tuple[Callable | None, tuple[int, ...]], ...]:
        """The gradients of the operands that get one, as formulas of numbers, if one kernel can do them."""
        parts: list[tuple[Callable | None, tuple[int, ...]]] = []
        if UNKNOWN in cls.row.gradients or cls.row.outside is not None:
            return ()
        for position, step in zip(cls.slots or range(len(steps)), steps, strict=True):
            if step is not None:
                gradient: Any = cls.row.gradients[position]
                places = (0, *(place + 1 for place in step[2]))
                if gradient in (GRAD, ZERO):
                    gradient = None if gradient == GRAD else zero
                elif isinstance(gradient, tuple):
                    gradient = TABLE[gradient[0]].formula
                parts.append((gradient, places))
        return tuple(parts)

    flow = staticmethod(flow)

    @classmethod
    def flow_where(cls, plan: Plan, element_type: dtype, kinds: Sequence[str]) -> Callable[..., bool]:
        """See `tensorlab.autograd.formulas.Backward.flow_where`."""
        kept = tuple([kinds[place] if place.__class__ is int else RUN for place in plan.places])
        slots = cls.positions(plan.mask)
        folded = tuple([kinds[slots[place]] == CELL for place in plan.live])
        return flow_of(plan, Meeting(element_type, kept, folded))


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
        kind = type("NotImplemented" if UNKNOWN in row.gradients else name, (RowBackward,), own)
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
    tensor = operand if isinstance(operand, Tensor) else filled(Size(), (), float64, operand)
    return form(tensor, *parameters)


def _row_form(row: Scalar) -> Callable:
    """The operation of a row, by its fastest way."""
    return TENSOR_FUNCTIONS.get(row.name) or partial(apply, row)
