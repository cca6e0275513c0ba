"""Recording: how a result remembers the operation that made it.

An operation computes its result first, and then says `record`: if an operand requires a gradient and
recording is on, the result gets a node of a kind that `tensorlab.autograd.formulas` made, and the node keeps
what the formulas will need.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any

from tensorlab.autograd import anomaly, saved_tensors
from tensorlab.autograd.formulas import Backward, ViewBackward, formulas
from tensorlab.autograd.graph import Edge, Leaf, Output, sequence_numbers
from tensorlab.autograd.saved_tensors import (
    KeptTensors,
    Packed,
    noted_version,
    packing,
    version_of,
)
from tensorlab.autograd.views import check_in_place, edge_of, mark_untracked, rebase, requires_grad
from tensorlab.core.modes import current
from tensorlab.storage import UNTRACKED
from tensorlab.tensor import Tensor, without_history


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
    """`record` for a view of `source`.

    The adjoint of a view needs no elements: the notes are numbers and layouts.
    """
    edge, base = source._edge, source._base
    if edge is None and (base is None or base._edge is None):
        return view
    if not current.grad or not view._dtype.is_floating_point:
        if requires_grad(source):
            mark_untracked(view)
        return view
    if edge.__class__ is Leaf or base is not None:
        edge = edge_of(source)
    if edge is None:
        return view
    node = new_node(kind, (edge,), 1)
    node.kept = tuple([notes[name] for name in node.plan.places])
    node.versions = ()
    node.shape = view._shape
    node.dtype = view._dtype
    node.version = view._storage._version
    view._edge = node
    return view


def record_views(
    kind: type[ViewBackward], views: Sequence[Tensor], source: Tensor, /, **notes: Any
) -> Sequence[Tensor]:
    """`record_several` for views of `source` that are made at once."""
    if not views or not requires_grad(source):
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


_new = object.__new__


def _node(kind: type[Backward], results: Sequence[Tensor], operands: tuple, notes: dict) -> Any:
    """The node of an operation, or None if there is nothing to record."""
    if not current.grad or not results[0]._dtype.is_floating_point:
        return None
    edges = []
    mask, bit = 0, 1
    for operand in operands:
        edge = None
        if operand.__class__ is Tensor or isinstance(operand, Tensor):
            edge = operand._edge
            if edge.__class__ is Leaf or operand._base is not None:
                edge = edge_of(operand)
            if edge is not None:
                mask |= bit
        edges.append(edge)
        bit += bit
    if not mask:
        return None
    node = new_node(kind, edges, mask)
    places = node.plan.places
    if not places:
        node.kept = node.versions = ()
        return node
    kept = []
    versions: list[int | None] = []
    for place in places:
        if place.__class__ is int:
            value = operands[place]
        elif place.__class__ is str:
            value = notes[place]
        else:
            value = without_history(results[place[0]])
        kept.append(value)
        if value.__class__ is Tensor or isinstance(value, Tensor):
            version = value._storage._version
            versions.append(version_of(value) if version is UNTRACKED else version)
        else:
            versions.append(None if value.__class__ is not KeptTensors else value.note())
    if saved_tensors.packers:
        keep(node, kept, versions)
    else:
        node.kept = tuple(kept)
        node.versions = tuple(versions)
    return node


def new_node(kind: type[Backward], edges: Sequence[Edge | None], mask: int) -> Any:
    """A new node of this kind that keeps nothing yet; `mask` is that of `Backward.plan_for`."""
    node = _new(kind)
    count, inputs = len(edges), kind.inputs
    if kind.slots is not None:
        node.edges = tuple([edges[position] if position < count else None for position in kind.slots])
    elif count < len(inputs):
        node.edges = (*edges, *(None,) * (len(inputs) - count))  # operands that were left out
    else:
        node.edges = tuple(edges)
    node.outputs = 1
    node.sequence = next(sequence_numbers)
    node.hooks = None
    node.slices = None
    if not inputs:
        mask |= 1 << count
    node.plan = kind.plans.get(mask) or kind.plan_for(mask)
    if anomaly.watching:
        anomaly.remember(node)
    return node


def keep(node: Backward, kept: list, versions: list | None = None) -> None:
    """Let a node keep values, the tensors among them with their versions or packed by hooks."""
    if versions is None:
        versions = [noted_version(value) for value in kept]
    node.versions = tuple(versions)
    if saved_tensors.packers and packing.hooks:
        kept = [Packed(value) if isinstance(value, Tensor) else value for value in kept]
    node.kept = tuple(kept)


Linear = formulas("Linear", input=lambda grad, adjoint: adjoint(grad))


def linear(result: Tensor, gradient: Tensor, adjoint: Callable[[Tensor], Tensor]) -> Tensor:
    """`record` for a result that depends on a gradient linearly, as the backward pass of a view does.

    Args:
        adjoint: what carries a gradient of the result back, made of operations that are recorded.
    """
    return record(Linear, result, gradient, adjoint=adjoint)


# --- writing in place --------------------------------------------------------------------------------------

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
        self._versions = [noted_version(value) for value in self._kept]

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
        if isinstance(operand, Tensor) and requires_grad(operand):
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
    return Write(new_node(kind, edges, mask), target, everything, notes)
