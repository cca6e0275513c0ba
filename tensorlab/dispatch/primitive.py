"""The door: the one place that every operation passes on its way from tensors to a kernel.

An operation is a `Primitive`. Of the dtypes, shapes and strides of its operands it says what it makes
(`Primitive.result`), which kernel makes it (`Primitive.launch`), and which node it leaves in the graph
(`Primitive.node`). All else happens here, once for all operations: what was found out is kept as a `Plan`,
memory is allocated, the kernel is launched, ``out=`` and the first operand are overwritten, the result is
recorded.

    call           a new tensor, or ``out``; recorded
    call_several   several new tensors; recorded
    call_in_place  the first operand is overwritten; recorded
    unary, binary  `call` for one and two operands, in the fewest steps; `binary_in_place` and
                   `update_in_place` like these
    compute        a new tensor; nothing is recorded
    compute_into   a tensor that is there; nothing is recorded

An operation may be interrupted anywhere, by Ctrl-C or by an error. What is guaranteed then:

- A new tensor is handed out when all of its elements are there, so nobody holds a part of one.
- A tensor that is overwritten has its version counted *before* the first cell changes. So if the version is
  what it was, the elements are what they were. If it moved, they may be the old ones, the new ones, or, where
  a write takes several steps, some of each: write them again.

A compiled kernel runs to its end before Python looks for an interruption.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from tensorlab.autograd.formulas import Backward
from tensorlab.autograd.last_writer import mark
from tensorlab.autograd.recording import in_place, record, record_several
from tensorlab.autograd.views import requires_grad
from tensorlab.backends import HOST, Backend, Launch
from tensorlab.core import dtypes, layout
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import is_non_overlapping_and_dense
from tensorlab.core.modes import current
from tensorlab.dispatch.guards import guard_layout, guard_memory, guard_readonly, same_place
from tensorlab.dispatch.operands import Number, check_64_bits
from tensorlab.dispatch.resizing import resize_output
from tensorlab.names.following import Rule, follow
from tensorlab.names.tensor import CarriesNames
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, make_dense, make_tensor

Operand = Tensor | Number
# The ``out`` of a call that overwrites its first operand, where gradients can follow: `call_in_place`.
IN_PLACE: Any = object()
# The kind of node that an operation leaves in the graph, None for none, and the notes that it needs.
Recorded = tuple[type[Backward] | None, dict[str, Any]]


class Result(NamedTuple):
    """The shape, the strides and the dtype of what an operation makes.

    Attributes:
        overwritten: the positions of the operands that are the very tensor that is written.
        further: what an operation with several results makes beside the first.
    """

    shape: Size
    stride: tuple[int, ...]
    dtype: dtype
    overwritten: tuple[int, ...] = ()
    further: Sequence[Result] = ()


class Primitive:
    """One operation: what it makes of its operands, and how.

    Attributes:
        name: what errors call it.
        differentiable: whether gradients may follow it; then it takes no ``out=`` while it would be recorded.
        names: the rule by which the result gets names of dimensions, see `tensorlab.names`; or None.
        into_expanded: whether it may overwrite elements that share cells, one after the other.
        saved: of an operation with several results, the names by which formulas of the backward pass ask for
            the last ones, which no gradient follows.

    `params` below are the values beside the operands that decide what is made, such as the dimensions of a
    sum. They are part of a plan's key. Operands that are numbers are not: of them the type alone counts.
    """

    name: str
    differentiable = False
    into_expanded = False
    saved: tuple[str, ...] = ()
    names: Rule | None = None

    def result(self, operands: Sequence[Operand], params: tuple) -> Result:
        """What a call makes. Here operands that make no sense are refused."""
        raise NotImplementedError

    def launch(self, backend: Backend, result: Result, operands: Sequence[Operand], params: tuple) -> Launch:
        """What fills a result of this layout, called with the buffers of the results and of the operands.

        Args:
            backend: the device's kernels.
            result: the layout to write; its dtype may be one that the operation's own is converted to.
            operands: tensors and numbers of the dtypes and layouts that the launch is for.
            params: those of the call.
        """
        raise NotImplementedError

    def check_elements(
        self, backend: Backend, operands: Sequence[Operand], params: tuple, is_new: bool
    ) -> Callable[..., None] | None:
        """What refuses elements: called with the operands' buffers before a cell is written.

        A primitive that has it is called by `call` and its like, not by `unary` or `binary`. With `is_new`
        a new tensor is written, which nobody holds if the launch raises: it may look at elements itself.
        """
        return None

    def node(self, operands: Sequence[Operand], params: tuple) -> Recorded:
        """What a call leaves in the graph."""
        return None, {}

    def converted(self, operands: Sequence[Operand]) -> Sequence[Operand] | None:
        """The operands, some of them converted to another dtype first; None if none has to be."""
        return None

    def check_out(self, out: Tensor, result: Result, operands: Sequence[Operand], brought: bool) -> None:
        """Refuse an `out` of a dtype that the result cannot be written into.

        Args:
            out: the tensor to write.
            result: what the operation makes.
            operands: its operands.
            brought: the caller brought it as ``out=``; else the operation is done in place.

        Raises:
            RuntimeError: the result would lose its kind: floats in integers, integers in bools.
        """
        if not dtypes.can_cast(result.dtype, out._dtype):
            raise RuntimeError(
                f"result type {result.dtype.name} can't be cast to the desired output type "
                f"{out._dtype.name}: what is written keeps its dtype; use the form that makes a new tensor, "
                f"or convert first"
            )


@dataclass(slots=True)
class Plan:
    """All that follows from the layouts and dtypes of the operands alone; a plan holds no tensor."""

    backend: Backend
    launch: Launch
    shape: Size
    stride: tuple[int, ...]
    dtype: dtype
    cells: int
    row_major: bool
    node: type[Backward] | None
    notes: dict[str, Any]
    further: Sequence[Plan] = ()
    check: Callable[..., None] | None = None

    def new(self) -> Tensor:
        """A tensor for the result, over memory that holds whatever it held before."""
        backend = self.backend
        memory = backend.allocate(self.cells, self.dtype.cell)
        if self.row_major:
            return make_dense(memory, self.dtype, self.shape, self.stride, backend)
        storage = UntypedStorage(memory, backend=backend)
        return make_tensor(storage, self.dtype, self.shape, self.stride, 0)

    def new_results(self) -> list[Tensor]:
        """Tensors for all results."""
        return [self.new(), *[plan.new() for plan in self.further]]


# The plans of all operations. Programs use few layouts, so a plan is seldom thrown away; a program that meets
# ever new ones, as a loop over growing sequences does, must not keep all. One takes a few hundred bytes.
_plans: dict[tuple, Plan] = {}
MOST_PLANS = 1 << 15


# --- a new tensor, recorded ---------------------------------------------------------------------------


def call(primitive: Primitive, *operands: Operand, params: tuple = (), out: Tensor | None = None) -> Tensor:
    """Carry an operation out, and remember how its result was made.

    Args:
        primitive: the operation.
        operands: tensors and numbers.
        params: what decides beside them what is made.
        out: a tensor to write into, instead of a new one; or `IN_PLACE`.

    Raises:
        RuntimeError: the operands do not fit together, or the write into `out` is refused.
        TypeError, NotImplementedError: the operation is not for operands of these types.
    """
    try:
        if out is IN_PLACE:
            return call_in_place(primitive, *cast(Any, operands), params=params)
        if out is not None:
            if primitive.differentiable:
                refuse_recorded(f"{primitive.name}(): ", out, *operands)
            if isinstance(out, Tensor):
                mark(out._storage, f"{primitive.name}(out=...)")
            return compute_into(out, primitive, operands, params, resizes=True)
        plan, result = _computed(primitive, operands, params)
    except SeveralDevices as error:
        return call(primitive, *_together(operands, error, out), params=params, out=out)
    except CarriesNames:  # a tensor with names has no buffer of its own
        if primitive.names is None:
            raise
        keywords = {} if out is None else {"out": out}
        return follow(primitive.names, partial(call, primitive, params=params), operands, keywords)
    return result if plan.node is None else record(plan.node, result, *operands, **plan.notes)


def unary(primitive: Primitive, a: Tensor, params: tuple = ()) -> Tensor:
    """`call` for one operand."""
    if a.__class__ is Tensor:
        key = primitive, dtypes.default_dtype, params, a._dtype, a._shape, a._stride, a._storage.backend
        plan = _plans.get(key)
        if plan is not None:
            result = plan.new()
            plan.launch(result._at, a._at)
            if plan.node is None or (a._edge is None and a._base is None):
                return result
            return record(plan.node, result, a, **plan.notes)
    return call(primitive, a, params=params)


def binary(primitive: Primitive, a: Operand, b: Operand) -> Tensor:
    """`call` for two operands."""
    key: tuple
    if a.__class__ is Tensor and b.__class__ is Tensor:
        key = (
            primitive, dtypes.default_dtype, (), a._dtype, a._shape, a._stride, a._storage.backend,
            b._dtype, b._shape, b._stride, b._storage.backend,
        )  # fmt: skip
        plan = _plans.get(key)
        if plan is not None:
            result = plan.new()
            plan.launch(result._at, a._at, b._at)
            if (
                plan.node is None
                or (a._edge is None and b._edge is None and a._base is None and b._base is None)
                or not current.grad
            ):
                return result
            return record(plan.node, result, a, b)
    elif a.__class__ is Tensor and (b.__class__ is float or (b.__class__ is int and -(2**63) <= b < 2**63)):
        key = primitive, dtypes.default_dtype, (), a._dtype, a._shape, a._stride, a._storage.backend, type(b)
        plan = _plans.get(key)
        if plan is not None:
            result = plan.new()
            plan.launch(result._at, a._at, b)
            if plan.node is None or (a._edge is None and a._base is None):
                return result
            return record(plan.node, result, a, b)
    return call(primitive, a, b)


def call_several(primitive: Primitive, *operands: Operand | None, params: tuple = ()) -> Sequence[Tensor]:
    """`call` for an operation with several results.

    Returns:
        all of them. No gradient follows those in `Primitive.saved`.
    """
    plan, results = _computed_several(primitive, operands, params)
    if plan.node is not None:
        count = len(results) - len(primitive.saved)
        notes = {**plan.notes, **dict(zip(primitive.saved, results[count:], strict=True))}
        if count == 1:
            record(plan.node, results[0], *operands, **notes)
        else:
            record_several(plan.node, results[:count], *operands, **notes)
    return results


def compute(primitive: Primitive, *operands: Operand, params: tuple = ()) -> Tensor:
    """`call` of which nothing is recorded."""
    return _computed(primitive, operands, params)[1]


def compute_several(primitive: Primitive, *operands: Operand | None, params: tuple = ()) -> Sequence[Tensor]:
    """All results of an operation; nothing is recorded."""
    return _computed_several(primitive, operands, params)[1]


def _computed_several(
    primitive: Primitive, operands: Sequence[Any], params: tuple
) -> tuple[Plan, list[Tensor]]:
    key, buffers = _taken(primitive, operands, params)
    plan = _plans.get(key) or _prepare(primitive, key, operands, params)
    results = plan.new_results()
    plan.launch(*[result._at for result in results], *buffers)
    return plan, results


def _computed(primitive: Primitive, operands: Sequence[Operand], params: tuple) -> tuple[Plan, Tensor]:
    key, buffers = _taken(primitive, operands, params)
    plan = _plans.get(key)
    if plan is None:
        converted = primitive.converted(operands)
        if converted is not None:
            node, notes = primitive.node(operands, params)
            of_converted, result = _computed(primitive, converted, params)
            return replace(of_converted, node=node, notes=notes), result
        plan = _prepare(primitive, key, operands, params)
    if plan.check is not None:
        plan.check(*buffers)
    result = plan.new()
    plan.launch(result._at, *buffers)
    return plan, result


def _prepare(
    primitive: Primitive,
    key: tuple,
    operands: Sequence[Any],
    params: tuple,
    out: Tensor | None = None,
    overwritten: tuple[int, ...] = (),
) -> Plan:
    """The plan of an operation that is met for the first time with such operands, or with such an `out`.

    Raises:
        TypeError: all operands are numbers.
        SeveralDevices: they do not lie on one.
    """
    if out is None:
        made = primitive.result(operands, params)
    else:
        made = Result(out._shape, out._stride, out._dtype, overwritten)
    tensors = [each for each in (out, *operands) if isinstance(each, Tensor)]
    if not tensors:
        raise TypeError(
            f"{primitive.name}(): one of the arguments must be a Tensor: Python has numbers of its own"
        )
    need_one_device(primitive.name, *tensors)
    backend = tensors[0]._storage.backend
    launch = primitive.launch(backend, made, operands, params)
    check = primitive.check_elements(backend, operands, params, is_new=out is None)
    records = out is None and made.dtype.is_floating_point
    node, notes = primitive.node(operands, params) if records else (None, {})
    if len(_plans) >= MOST_PLANS:
        _plans.clear()
    plan, *further = [
        Plan(backend, launch, shape, stride, kind, layout.numel(shape), is_row_major, node, notes)
        for shape, stride, kind, *_ in (made, *made.further)
        for is_row_major in [stride == layout.default_strides(shape)]
    ]
    plan.further, plan.check = further, check
    _plans[key] = plan
    return plan


class SeveralDevices(RuntimeError):
    """The operands lie on several devices. Nothing was written, and no plan is kept."""


def need_one_device(name: str, *tensors: Tensor) -> None:
    """Refuse tensors of an operation that lie on several devices.

    Raises:
        SeveralDevices: they do.
    """
    if any(each._storage.backend is not tensors[0]._storage.backend for each in tensors):
        raise _on_several_devices(name, tensors)


def _on_several_devices(name: str, tensors: Sequence[Tensor]) -> SeveralDevices:
    """The error that names the first two tensors that lie apart, and what brings them together."""
    first = tensors[0]
    second = next(each for each in tensors if each._storage.backend is not first._storage.backend)
    to = str((first if first.device.type != "cpu" else second).device)
    return SeveralDevices(
        f"{name}(): Expected all tensors to be on the same device, but found at least two devices, "
        f"{first.device} and {second.device}: a tensor of shape {tuple(first.shape)} lies on "
        f"{str(first.device)!r}, and one of shape {tuple(second.shape)} on {str(second.device)!r}. Move "
        f"tensors with x.to({to!r}), and the parameters of a module with module.to({to!r})"
    )


def _together(operands: Sequence[Operand], error: SeveralDevices, out: Tensor | None) -> list[Operand]:
    """The operands, 0-dimensional ones of the CPU brought to the device of all others; that is recorded.

    Raises:
        SeveralDevices: the error given, if they still lie on several, or `out` would have to be brought.
    """
    tensors = [each for each in (out, *operands) if isinstance(each, Tensor)]
    apart = [each for each in tensors if not each._shape and each._storage.backend is HOST]
    places = {each._storage.backend: each.device for each in tensors if all(each is not t for t in apart)}
    if len(places) != 1 or any(each is out for each in apart):
        raise error
    (place,) = places.values()
    return [
        each.to(place) if isinstance(each, Tensor) and any(each is t for t in apart) else each
        for each in operands
    ]


def _taken(primitive: Primitive, operands: Sequence[Operand | None], params: tuple) -> tuple[tuple, list]:
    """What a plan depends on, and the buffers that it is launched with.

    Raises:
        CarriesNames: an operand has names.
    """
    key: list[object] = [primitive, dtypes.default_dtype, params]
    buffers: list[object] = []
    for operand in operands:
        if isinstance(operand, Tensor):
            key += operand._dtype, operand._shape, operand._stride, operand._storage.backend
            buffers.append(operand._at)
        else:
            key.append(type(operand))
            wide = type(operand) is int and not -(2**63) <= operand < 2**63
            buffers.append(_with_64_bits(operand) if wide else operand)
    return tuple(key), buffers


def _with_64_bits(number: Any) -> np.uint64:
    """An int that needs a 64th bit: integer tensors wrap it, and floating tensors round it."""
    check_64_bits(number)
    return np.uint64(number)


# --- into a tensor that is there -----------------------------------------------------------------------


def call_in_place(
    primitive: Primitive, target: Tensor, *others: Operand, params: tuple = (), writer: str = ""
) -> Tensor:
    """Overwrite `target` with the result of an operation on itself and the other operands.

    Args:
        primitive: the operation.
        target: its first operand, and its result.
        others, params: those of `call`.
        writer: the name that errors about this write give; that of the operation if left out.

    Raises:
        RuntimeError: the result would lose its kind in `target`'s dtype, the shapes do not fit, the write is
            refused by `guard_write`, or gradients could not follow it.
    """
    operands = (target, *others)
    try:
        if current.grad and any(isinstance(t, Tensor) and requires_grad(t) for t in operands):
            node, notes = primitive.node(operands, params)
            with in_place(node, target, *others, **notes):
                compute_into(target, primitive, operands, params)
        else:
            compute_into(target, primitive, operands, params)
    except SeveralDevices as error:
        _, *brought = _together(operands, error, target)
        return call_in_place(primitive, target, *brought, params=params, writer=writer)
    except CarriesNames:
        if primitive.names is None:
            raise
        inner = partial(call_in_place, primitive, params=params, writer=writer)
        return follow(primitive.names, inner, operands, {}, in_place=True)
    target._storage._writer = writer or f"{primitive.name}_"
    return target


def binary_in_place(primitive: Primitive, target: Tensor, other: Operand, writer: str = "") -> Tensor:
    """`call_in_place` with one other operand."""
    if (
        target.__class__ is Tensor
        and other.__class__ is Tensor
        and (
            (target._edge is None and other._edge is None and target._base is None and other._base is None)
            or not current.grad
        )
    ):
        storage, source = target._storage, other._storage
        if storage._memory is not source._memory and not storage.readonly and storage._version >= 0:
            key = (
                primitive, dtypes.default_dtype, (),
                target._dtype, target._shape, target._stride, storage.backend,
                other._dtype, other._shape, other._stride, source.backend,
                target._dtype, target._shape, target._stride, True, False,
            )  # fmt: skip
            plan = _plans.get(key)
            if plan is not None:
                storage._version += 1
                plan.launch(target._at, target._at, other._at)
                storage._writer = writer or f"{primitive.name}_"
                return target
    return call_in_place(primitive, target, other, writer=writer)


def update_in_place(
    primitive: Primitive, tensors: Sequence[Tensor], numbers: Sequence[Any], writer: str
) -> bool:
    """Overwrite tensors of one dense layout, all but the second, by an operation on them and on numbers.

    Nothing is recorded. The launch is called with the buffers and the numbers alone.

    Returns:
        whether it was done. If not, the layouts or dtypes differ, have gaps, or share the first one's memory.

    Raises:
        RuntimeError: the first tensor may not be written.
    """
    first, *others = tensors
    shape, stride, element_type, storage = first._shape, first._stride, first._dtype, first._storage
    for other in others:
        if (
            other._stride != stride
            or other._shape != shape
            or other._dtype is not element_type
            or other._storage._memory is storage._memory
        ):
            return False
    guard_readonly(first)
    key = primitive, element_type, shape, stride, storage.backend
    plan = _plans.get(key)
    if plan is None:
        if not is_non_overlapping_and_dense(shape, stride):
            return False
        plan = _prepare(primitive, key, tensors, (), first)
    storage._version += 1
    for memory in others[1:]:
        memory._storage._version += 1
    plan.launch(*[tensor._at for tensor in tensors], *numbers)
    storage._writer = writer
    return True


def compute_into(
    out: Tensor,
    primitive: Primitive,
    operands: Sequence[Operand],
    params: tuple = (),
    resizes: bool = False,
) -> Tensor:
    """Write the result of an operation into a tensor, which may be one of the operands. Nothing is recorded.

    With `resizes` a tensor that is no operand takes the result's shape (see `resize_output`).

    Raises:
        TypeError, NotImplementedError: as `call`.
        RuntimeError: the result would lose its kind in `out`'s dtype, the shapes do not fit, or the write is
            refused by `guard_write`.
    """
    if not isinstance(out, Tensor):
        raise TypeError(f"{primitive.name}(): argument 'out' must be a Tensor, not {type(out).__name__}")
    guard_memory(out, operands)
    same = [isinstance(operand, Tensor) and same_place(operand, out) for operand in operands]
    key, buffers = _taken(primitive, operands, params)
    key = (*key, out._dtype, out._shape, out._stride, *same)
    plan = _plans.get(key)
    if plan is None:
        if not primitive.into_expanded:
            guard_layout(out)
        converted = primitive.converted(operands)
        if converted is not None:
            return compute_into(out, primitive, converted, params, resizes)
        made = primitive.result(operands, params)
        primitive.check_out(out, made, operands, brought=resizes)
        if made.shape != out.shape:
            if resizes and not any(operand is out for operand in operands):
                resize_output(out, made.shape, made.stride)
                return compute_into(out, primitive, operands, params)
            raise RuntimeError(
                f"output with shape {list(out.shape)} doesn't match the broadcast shape {list(made.shape)}: "
                f"a tensor that is written keeps its shape"
            )
        overwritten = tuple([position for position, is_out in enumerate(same) if is_out])
        plan = _prepare(primitive, key, operands, params, out, overwritten)
    if plan.check is not None:
        plan.check(*buffers)
    out._storage._version += 1
    plan.launch(out._at, *buffers)
    return out


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
