"""Nodes made of formulas: for each operand, how its gradient follows from the gradient of the result.

A formula is a function, and the names of its parameters say what it needs: ``grad``, the operands, the
result, and whatever the operation noted beside them. An operation keeps what the formulas name that will be
needed, and nothing else. So ``mul`` keeps the second operand only if the first requires a gradient, ``exp``
keeps its result, and ``add`` keeps nothing.

    MulBackward0 = formulas("MulBackward0", input=lambda grad, other: grad * other,
                            other=lambda grad, input: grad * input)
    ...
    return record(MulBackward0, result, input, other)

Formulas compute with operations that are recorded in turn when the gradient shall be differentiated.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any, ClassVar

from tensorlab.autograd import anomaly, keeping
from tensorlab.autograd.keeping import Packed, check_version, freed, packing, version_of, without_history
from tensorlab.autograd.node import Edge, Gradient, Leaf, Node, Output, births
from tensorlab.autograd.views import check_in_place, edge_of, mark_untracked, rebase, requires_grad
from tensorlab.modes import current
from tensorlab.storage import UNTRACKED
from tensorlab.tensor import Tensor

__all__ = [
    "Backward",
    "Write",
    "formulas",
    "in_place",
    "linear",
    "record",
    "record_row",
    "record_several",
    "record_view",
    "record_views",
    "view_formulas",
]

Formula = Callable[..., Gradient]


class Plan:
    """What a node keeps and computes when certain operands require a gradient.

    Attributes:
        names: of what is kept.
        places: where it is found: the position among the operands, or the name among the notes, or the
            number of a result as a one-tuple.
        steps: for each operand that has an edge the formula as it is computed, the formula as it is
            recorded, and the positions among what is kept of its arguments; None if it gets no gradient.
        owns: whether an operand is kept, be it a number, as PyTorch keeps it in a tensor.
        results: which of what is kept are results, and their numbers.
        formulas, kernels, live: see `tensorlab.ops.small_gradients`.
    """

    __slots__ = ("formulas", "kernels", "live", "names", "owns", "places", "results", "steps")

    def __init__(self, kind: type[Backward], mask: int) -> None:
        names: dict[str, int] = {}
        steps: list[tuple[Formula, Formula, tuple[int, ...]] | None] = []
        for position in kind.positions(mask):
            step = kind.step(position) if mask >> position & 1 else None
            if step is None:
                steps.append(None)
                continue
            computed, recorded, wanted = step
            for name in wanted:
                names.setdefault(name, len(names))
            steps.append((computed, recorded, tuple(names[name] for name in wanted)))
        # For one kernel of all gradients: the scalar formulas with the places of their arguments, where the
        # gradient itself comes first; and the operands that get one.
        self.formulas = kind.scalar_formulas(steps)
        self.kernels: dict[Any, Any] = {}
        self.live = tuple(position for position, step in enumerate(steps) if step is not None)
        self.names = tuple(names)
        self.steps = tuple(steps)
        self.places = tuple(kind.place(name) for name in names)
        self.owns = any(place.__class__ is int and place < kind.numbers for place in self.places)
        self.results = tuple(
            (index, place[0]) for index, place in enumerate(self.places) if isinstance(place, tuple)
        )


class Backward(Node):
    """A node whose gradients are given by formulas.

    Attributes:
        inputs: the names of the operands; none if there may be any number of them.
        formulas: for each operand its formula, None if the operation is constant in it.
        slots: the positions of the operands that have an edge; None if all have one.
        plan: what is kept, and what is to be computed.
        kept: the values that are kept, None when the node has let go of them.
        versions: of each kept tensor the version it had, None for other values.
        slices: of a write into a view, a weak reference to the node that the base got; else None.
    """

    __slots__ = ("kept", "plan", "slices", "versions")

    inputs: ClassVar[tuple[str, ...]] = ()
    formulas: ClassVar[tuple[Formula | None, ...]] = ()
    slots: ClassVar[tuple[int, ...] | None] = None
    plans: ClassVar[dict[int, Plan]]

    # So many of the first operands count as kept, too, where they are numbers.
    numbers: ClassVar[int] = 0
    # Notes hold tensors inside of them, such as the index tensors of an index.
    holds: ClassVar[bool] = False

    plan: Plan
    kept: tuple | None
    versions: tuple
    slices: weakref.ref | None

    @classmethod
    def step(cls, position: int) -> tuple[Formula, Formula, tuple[str, ...]] | None:
        """The formula of one operand: as it is computed, as it is recorded, and the names that it needs."""
        formula = cls.formulas[position] if position < len(cls.formulas) else None
        if formula is None:
            return None
        needed = [name for name in inspect.signature(formula).parameters if name != "grad"]
        return formula, formula, tuple(needed)

    @classmethod
    def scalar_formulas(cls, steps: Sequence[Any]) -> tuple[tuple[Callable | None, tuple[int, ...]], ...]:
        """The formulas of the steps as formulas of numbers, where the node is made of such."""
        return ()

    @classmethod
    def positions(cls, mask: int) -> Sequence[int]:
        """The positions of the operands that have an edge, for a mask as `plan_for` takes it."""
        if cls.slots is not None:
            return cls.slots
        return range(len(cls.inputs) or mask.bit_length() - 1)

    @classmethod
    def place(cls, name: str) -> Any:
        """Where a value of this name is found when an operation is recorded."""
        if name in cls.inputs:
            return cls.inputs.index(name)
        if name.startswith("result"):
            return (int(name[len("result") :] or 0),)
        return name

    @classmethod
    def plan_for(cls, mask: int) -> Plan:
        """The plan for certain operands, made once: bit `i` is set if operand `i` requires a gradient.

        Where there may be any number of operands, the bit behind the last one is set as well.
        """
        found = cls.plans.get(mask)
        if found is None:
            found = cls.plans[mask] = Plan(cls, mask)
        return found

    def values(self) -> list:
        """What was kept, as it was.

        Raises:
            RuntimeError: the node has let go of it, or a tensor was written since.
        """
        if self.kept is None:
            raise freed(self)
        values = list(self.kept)
        for index, version in enumerate(self.versions):
            if version is not None:
                value = values[index]
                if value.__class__ is Packed:
                    values[index] = value.unpacked()
                elif value._storage._version != version:
                    check_version(self, self.plan.names[index], value, version)
        return values

    def gradients(self, gradient: Any, differentiable: bool) -> tuple[Gradient, ...]:
        """The gradients of the operands, by the formulas."""
        values = self.values()
        if differentiable:
            for index, number in self.plan.results:
                values[index] = self.with_history(values[index], number)
            return tuple(
                None if step is None else step[1](gradient, *[values[at] for at in step[2]])
                for step in self.plan.steps
            )
        return tuple(
            [
                None if step is None else step[0](gradient, *[values[at] for at in step[2]])
                for step in self.plan.steps
            ]
        )

    def with_history(self, result: Tensor, number: int) -> Tensor:
        """A result that was kept, as a result of this node again."""
        alias = without_history(result)
        slices = None if self.slices is None else self.slices()
        if slices is not None:  # it was written into a view: seen from the base, like the view itself
            alias._edge = slices.edge_of_view(result)
            return alias
        several = self.outputs > 1
        alias._edge = Output(self, number, result._shape, result._dtype) if several else self
        return alias

    def release(self) -> None:
        """Let go of the tensors that were kept. A node that kept none can run again."""
        if self.plan.owns or self.holds or self.versions.count(None) < len(self.versions):
            self.kept = None

    def __getattr__(self, name: str) -> Any:
        # PyTorch shows what a node kept as attributes, with self for the first operand.
        if name.startswith("_saved_"):
            wanted = _OTHER_NAMES.get(name[7:], name[7:])
            if wanted in self.plan.names:
                return self.values()[self.plan.names.index(wanted)]
        raise AttributeError(f"{self.name()} has no attribute {name!r}")


_OTHER_NAMES = {"self": "input", "other": "y"}


class ViewBackward(Backward):
    """A node whose results are views of its first operand.

    Attributes:
        version: how often their storage was written when they were made. If it was written since, the
            view's history is out of date.
    """

    __slots__ = ("version",)
    is_view = True

    version: int


def formulas(name: str, /, *, base: type[Backward] = Backward, **by_operand: Formula | None) -> Any:
    """A kind of node.

    Args:
        name: what it is called, the operation's name and ``Backward0``.
        base: the class to build on.
        by_operand: for each operand, in order, its formula, or None.

    Returns:
        the class, for `record`.
    """
    slots = tuple(position for position, formula in enumerate(by_operand.values()) if formula is not None)
    own: dict[str, Any] = {
        "__slots__": (),
        "inputs": tuple(by_operand),
        "formulas": tuple(by_operand.values()),
        "slots": slots if len(slots) < len(by_operand) else None,
        "plans": {},
        "__module__": __name__,
    }
    return type(name, (base,), own)


def view_formulas(name: str, /, **by_operand: Formula | None) -> Any:
    """A kind of node for an operation whose result is a view of its first operand, for `record_view`."""
    return formulas(name, base=ViewBackward, **by_operand)


def record(kind: type[Backward], result: Tensor, /, *operands: Any, **notes: Any) -> Tensor:
    """Remember how a result was made, if an operand requires a gradient and recording is on.

    Args:
        kind: the kind of node, from `formulas`.
        result: what the operation made.
        operands: its operands, tensors or not, in the order of the formulas.
        notes: whatever else the formulas name.

    Returns:
        `result`.
    """
    node = _node(kind, (result,), operands, notes)
    if node is not None:
        node.shape = result._shape
        node.dtype = result._dtype
        result._edge = node
    return result


def record_several(
    kind: type[Backward], results: Sequence[Tensor], /, *operands: Any, **notes: Any
) -> Sequence[Tensor]:
    """`record` for an operation with several results.

    The formulas get a list of gradients as ``grad``, with None for those that did not arrive. A result that
    is no float requires no gradient.
    """
    node = _node(kind, results, operands, notes)
    if node is not None:
        node.outputs = len(results)
        for number, result in enumerate(results):
            if result._dtype.is_floating_point:
                result._edge = Output(node, number, result._shape, result._dtype)
    return results


def record_view(kind: type[ViewBackward], view: Tensor, source: Tensor, /, **notes: Any) -> Tensor:
    """`record` for a view of `source`."""
    if source._edge is None and source._base is None:
        return view
    node = _node(kind, (view,), (source,), notes)
    if node is not None:
        node.shape = view._shape
        node.dtype = view._dtype
        node.version = view._storage._version
        view._edge = node
    elif requires_grad(source):
        mark_untracked(view)
    return view


def record_views(
    kind: type[ViewBackward], views: Sequence[Tensor], source: Tensor, /, **notes: Any
) -> Sequence[Tensor]:
    """`record_several` for views of `source` that are made at once."""
    if not views or (source._edge is None and source._base is None):
        return views
    node = _node(kind, views, (source,), notes)
    for number, view in enumerate(views):
        if node is not None:
            node.outputs = len(views)
            version = node.version = view._storage._version
            view._edge = Output(node, number, view._shape, view._dtype, version)
        elif requires_grad(source):
            mark_untracked(view)
    return views


def record_row(kind: type[Backward], result: Tensor, first: Any, second: Any = None, /) -> Tensor:
    """`record` for small operations of one or two operands, where every look counts."""
    if not current.grad or not result._dtype.is_floating_point:
        return result
    mask = 0
    left = right = None
    if isinstance(first, Tensor):
        left = first._edge
        if left.__class__ is Leaf or first._base is not None:
            left = edge_of(first)
        if left is not None:
            mask = 1
    if isinstance(second, Tensor):
        right = second._edge
        if right.__class__ is Leaf or second._base is not None:
            right = edge_of(second)
        if right is not None:
            mask += 2
    if not mask:
        return result
    node = _new(kind)
    if kind.slots is None:
        node.edges = (left,) if second is None else (left, right)
    else:
        node.edges = tuple([right if position else left for position in kind.slots])
    node.outputs = 1
    node.sequence = next(births)
    node.hooks = None
    node.slices = None
    node.shape = result._shape
    node.dtype = result._dtype
    plan = kind.plans.get(mask)
    if plan is None:
        plan = kind.plan_for(mask)
    node.plan = plan
    places = plan.places
    if not places:
        node.kept = node.versions = ()
    else:
        place = places[0]
        value = first if place == 0 else second if place == 1 else without_history(result)
        version = value._storage._version if isinstance(value, Tensor) else None
        if len(places) == 1:
            node.kept = (value,)
            node.versions = (version,)
        elif len(places) == 2:
            place = places[1]
            other = first if place == 0 else second if place == 1 else without_history(result)
            node.kept = (value, other)
            node.versions = (version, other._storage._version if isinstance(other, Tensor) else None)
        else:
            operands = first, second
            node.kept = tuple(
                [operands[place] if place.__class__ is int else without_history(result) for place in places]
            )
            node.versions = tuple([t._storage._version if isinstance(t, Tensor) else None for t in node.kept])
        if keeping.packers or version is UNTRACKED:
            keep(node, list(node.kept))
    if anomaly.watching:
        anomaly.remember(node)
    result._edge = node
    return result


_new = object.__new__


def _node(kind: type[Backward], results: Sequence[Tensor], operands: tuple, notes: dict) -> Any:
    """The node of an operation, or None if there is nothing to record."""
    if not current.grad or not results[0]._dtype.is_floating_point:
        return None
    edges = []
    mask, bit = 0, 1
    for operand in operands:
        edge = None
        if isinstance(operand, Tensor):
            edge = edge_of(operand)
            if edge is not None:
                mask |= bit
        edges.append(edge)
        bit += bit
    if not mask:
        return None
    node = _born(kind, tuple(edges), mask)
    kept = []
    for place in node.plan.places:
        if place.__class__ is int:
            kept.append(operands[place])
        elif place.__class__ is str:
            kept.append(notes[place])
        else:
            kept.append(without_history(results[place[0]]))
    keep(node, kept)
    return node


def _born(kind: type[Backward], edges: tuple[Edge | None, ...], mask: int) -> Any:
    node = _new(kind)
    count = len(edges)
    if kind.slots is not None:
        node.edges = tuple([edges[position] if position < count else None for position in kind.slots])
    else:
        node.edges = edges + (None,) * (len(kind.inputs) - count)  # operands that were left out
    node.outputs = 1
    node.sequence = next(births)
    node.hooks = None
    node.slices = None
    node.plan = kind.plan_for(mask if kind.inputs else mask | 1 << count)
    if anomaly.watching:
        anomaly.remember(node)
    return node


UNRECORDED = nullcontext()


class Write:
    """The context of an operation that overwrites its first operand, and has to be recorded.

    At its beginning what the write destroys is kept; at its end the target gets its new history.
    """

    __slots__ = ("_kept", "_node", "_target", "_versions")

    def __init__(self, node: Backward, target: Tensor, operands: tuple, notes: dict) -> None:
        self._node = node
        self._target = target
        self._kept: list = []
        for place in node.plan.places:
            if place == 0 and place.__class__ is int:
                self._kept.append(target.clone())
            elif place.__class__ is int:
                # One that lies in the target's own storage is about to change: the backward pass will say so.
                self._kept.append(operands[place])
            elif place.__class__ is str:
                self._kept.append(notes[place])
            else:
                self._kept.append(None)
        self._versions = [version_of(v) if isinstance(v, Tensor) else None for v in self._kept]

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            return
        node = self._node
        for index, _ in node.plan.results:
            self._kept[index] = without_history(self._target)
            self._versions[index] = version_of(self._target)
        keep(node, self._kept, self._versions)
        if isinstance(node, ViewBackward):  # another layout of the same cells: nothing was overwritten
            target = self._target
            node.shape, node.dtype = target._shape, target._dtype
            node.version = target._storage._version
            target._edge = node
        else:
            rebase(self._target, node)


def in_place(
    kind: type[Backward] | None, target: Tensor, /, *operands: Any, **notes: Any
) -> AbstractContextManager[None]:
    """The context to write `target` in.

        with in_place(CopyBackwards, target, source):
            write(target, source)

    Args:
        kind: the kind of node, from `formulas`, with `target` as the first operand; None for an operation
            that has no gradient.
        target: what will be written.
        operands: the other operands.
        notes: whatever else the formulas name.

    Raises:
        RuntimeError: gradients could not follow the write (see `tensorlab.autograd.views.check_in_place`).
    """
    storage = target._storage
    storage._writer = storage._version, kind
    for operand in (target, *operands):
        if isinstance(operand, Tensor) and (
            operand._edge is not None or (operand._base is not None and operand._base._edge is not None)
        ):
            break
    else:
        return UNRECORDED
    if not current.grad:
        return UNRECORDED
    check_in_place(target)
    if kind is None or not target._dtype.is_floating_point:
        return UNRECORDED
    everything = (target, *operands)
    edges = tuple([edge_of(operand) if isinstance(operand, Tensor) else None for operand in everything])
    mask = sum(1 << position for position, edge in enumerate(edges) if edge is not None)
    if not mask:
        return UNRECORDED
    return Write(_born(kind, edges, mask), target, everything, notes)


def keep(node: Backward, kept: list, versions: list | None = None) -> None:
    """Let a node keep values, the tensors among them with their versions or packed by hooks."""
    if versions is None:
        versions = [version_of(value) if isinstance(value, Tensor) else None for value in kept]
    node.versions = tuple(versions)
    if keeping.packers and packing.hooks:
        kept = [Packed(value) if isinstance(value, Tensor) else value for value in kept]
    node.kept = tuple(kept)


Linear = formulas("Linear", input=lambda grad, adjoint: adjoint(grad))


def linear(result: Tensor, gradient: Tensor, adjoint: Callable[[Tensor], Tensor]) -> Tensor:
    """`record` for a result that depends on a gradient linearly, as the backward pass of a view does.

    Args:
        adjoint: what carries a gradient of the result back, made of operations that are recorded.
    """
    return record(Linear, result, gradient, adjoint=adjoint)
