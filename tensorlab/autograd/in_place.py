"""Writing in place: what the write destroys is kept first, and the target gets its new history afterwards."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any

from tensorlab.autograd.formulas import Backward, ViewBackward
from tensorlab.autograd.keeping import noted_version, version_of
from tensorlab.autograd.recording import keep, new_node
from tensorlab.autograd.views import check_in_place, edge_of, rebase, requires_grad
from tensorlab.modes import current
from tensorlab.tensor import Tensor, without_history

__all__ = ["Write", "in_place"]

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
