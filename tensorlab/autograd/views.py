"""Views and writes in place: how the history of a tensor follows what happens to its storage.

A view remembers its base, the tensor whose storage it looks into. When either is written in place, both have
another history: the base is the result of the write, and its views are views of that. The base is told at
once. A view finds out when it is asked for its edge: its storage was written more often than its node saw.
"""

from __future__ import annotations

import weakref
from collections.abc import Container, Sequence
from typing import Any

from tensorlab.autograd.formulas import Backward
from tensorlab.autograd.graph import (
    AccumulateGrad,
    Edge,
    Gradient,
    Leaf,
    Node,
    Output,
    node_of,
    sequence_numbers,
)
from tensorlab.autograd.saved_tensors import freed
from tensorlab.core.modes import current
from tensorlab.tensor import Tensor, make_tensor


def requires_grad(tensor: Tensor) -> bool:
    """Whether a gradient can reach a tensor; for a view also through what was written into its base."""
    return tensor._edge is not None or (tensor._base is not None and tensor._base._edge is not None)


def edge_of(tensor: Tensor) -> Edge | None:
    """Where a gradient that reaches a tensor goes on; None if it requires none."""
    edge = tensor._edge if tensor._base is None else _up_to_date(tensor)
    return edge.node(tensor) if edge.__class__ is Leaf else edge


def grad_fn(tensor: Tensor) -> Node | None:
    """The node of the operation that made a tensor; None for a leaf."""
    edge = tensor._edge if tensor._base is None else _up_to_date(tensor)
    return None if edge is None or isinstance(edge, Leaf) else node_of(edge)


def mark_untracked(view: Tensor) -> None:
    """Note that a view of a tensor that requires a gradient was made while nothing was recorded."""
    if view._base is not None and view._edge is None:
        view._edge = Leaf(untracked=True)


def _up_to_date(view: Tensor) -> Any:
    """The edge of a view, with a new history if its base was written in place since the view was made."""
    base: Any = view._base
    base_edge = base._edge
    edge = view._edge
    if edge is None:
        if base_edge is None or base_edge.__class__ is Leaf:
            if base_edge is not None:  # it came to require a gradient after the view was made
                view._edge = Leaf()
            return view._edge
    elif edge.__class__ is Leaf or base_edge is None:
        return edge
    else:
        if edge.__class__ is Output:
            if view._storage._version != edge.version:
                raise RuntimeError(_of_several(edge, "and its base or another view of its base has been"))
            return edge
        if edge.version == view._storage._version:
            return edge
        several = _of_which_several(edge)
        if several is not None:
            raise RuntimeError(_of_several(several, "and its base or another view of its base has been"))
    _renew(view)
    return view._edge


def _renew(view: Tensor) -> None:
    """Give a view the history of being cut out of its base as that is now."""
    recording = current.grad
    current.grad = True
    try:
        again: Any = view._base
        edge = again.as_strided(view._shape, view._stride, view._offset)._edge
    finally:
        current.grad = recording
    _hand_on_retained(view, edge)
    view._edge = edge


def check_in_place(target: Tensor) -> None:
    """Refuse a write that gradients could not follow. To be asked before any write in place.

    Raises:
        RuntimeError: the target is a leaf that requires a gradient, or a view of one; it is one of several
            views that were made at once; or recording was off when it was made a view, and is on now.
    """
    if not current.grad:
        return
    edge = target._edge if target._base is None else _up_to_date(target)
    if target._base is None:
        if edge.__class__ is Leaf:
            raise RuntimeError(
                "a leaf Variable that requires grad is being used in an in-place operation. Its gradient "
                "belongs to the value that it has now: write under tensorlab.no_grad(), as an optimizer "
                "does, or compute a new tensor"
            )
        return
    if (edge.__class__ is Leaf and edge.untracked) or getattr(target, "_untracked", False):
        raise RuntimeError(
            "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given "
            "that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by "
            "moving both the view and the inplace either both inside the no_grad block (if you don't want "
            "the inplace to be tracked) or both outside (if you want the inplace to be tracked)."
        )
    if target._base._edge.__class__ is Leaf or edge.__class__ is Leaf or _leads_to_leaf(edge):
        raise RuntimeError(
            "a view of a leaf Variable that requires grad is being used in an in-place operation. Write "
            "under tensorlab.no_grad(), or into a clone()"
        )
    several = _of_which_several(edge)
    if several is not None:
        raise RuntimeError(_of_several(several, "and is being"))


def _of_which_several(edge: Any) -> Output | None:
    """The one of several views that a view was made from, perhaps by way of others."""
    while edge is not None and edge.__class__ is not Output and edge.is_view:
        edge = edge.edges[0]
    return edge if isinstance(edge, Output) and edge.node.is_view else None


def _of_several(edge: Output, what: str) -> str:
    if edge.node.outputs == 1 and not isinstance(edge.node, Backward):  # a function of the user made it
        return (
            f"Output {edge.number} of {edge.node.name()} is a view {what} modified inplace. This view was "
            f"created inside a custom Function (or because an input was returned as-is), whose backward "
            f"knows nothing of the write. Return a clone() from the forward, or replace the inplace "
            f"operation by an out-of-place one."
        )
    return (
        f"Output {edge.number} of {edge.node.name()} is a view {what} modified inplace. This view is the "
        f"output of a function that returns multiple views. Such functions do not allow the output views to "
        f"be modified inplace. You should replace the inplace operation by an out-of-place one."
    )


def _leads_to_leaf(edge: Any) -> bool:
    """Whether a tensor is a view of a view … of a leaf."""
    node = None if edge is None else node_of(edge)
    while node is not None and node.is_view:
        node = None if node.edges[0] is None else node_of(node.edges[0])
    return isinstance(node, AccumulateGrad)


def rebase(target: Tensor, node: Any) -> None:
    """Make a node the history of a tensor that an operation has written in place.

    Args:
        target: the tensor that was written.
        node: the operation's; its first edge leads to what `target` was before.
    """
    node.shape = target._shape
    node.dtype = target._dtype
    base = target._base
    if base is None:
        _hand_on_retained(target, node)
        target._edge = node
        return
    slices = CopySlices(base, target, node)
    node.slices = weakref.ref(slices)
    _hand_on_retained(base, slices)
    base._edge = slices
    _renew(target)
    view: Any = target._edge
    slices.view = weakref.ref(view)


def _hand_on_retained(target: Tensor, node: Node) -> None:
    """A tensor that retains its gradient retains that of what is written into it."""
    edge = target._edge
    if edge is None or isinstance(edge, Leaf):
        return
    old, number = (edge.node, edge.number) if isinstance(edge, Output) else (edge, 0)
    if old.hooks is not None and number in old.hooks.retained:
        reference = old.hooks.retained[number]
        if reference() is target:
            del old.hooks.retained[number]
            node.own_hooks().retained[0] = reference


class CopySlices(Node):
    """A write into a view, seen from its base.

    The gradient of the cells that were written goes through the operation, and that of all others passes.

    Attributes:
        node: the operation's.
        view: a weak reference to the node that the view got.
    """

    __slots__ = ("_base_layout", "_view_layout", "node", "view")

    view: weakref.ref[Node]

    def __init__(self, base: Tensor, view: Tensor, node: Node) -> None:
        self.node: Node | None = node
        self.edges = (edge_of(base), *node.edges[1:])
        self.outputs = 1
        self.sequence = next(sequence_numbers)
        self.shape = base._shape
        self.dtype = base._dtype
        self.hooks = None
        self._base_layout = base._shape, base._stride
        self._view_layout = view._shape, view._stride, view._offset - base._offset

    def edge_of_view(self, view: Tensor) -> Edge:
        """The edge of the view that was written, as a view of what the base is after the write."""
        node = self.view()
        if node is not None:
            return node
        shape, stride = self._base_layout
        offset = view._offset - self._view_layout[2]
        base: Any = make_tensor(view._storage, view._dtype, shape, stride, offset)
        base._edge = self
        return base.as_strided(view._shape, view._stride, view._offset)._edge

    def gradients(
        self, gradient: Any, differentiable: bool, asked: Container[Node] | None = None
    ) -> Sequence[Gradient]:
        """The gradient of the base as it was, and those of the operation's other operands."""
        if self.node is None:
            raise freed(self)
        whole = gradient.new_empty_strided(*self._base_layout)
        whole.copy_(gradient)
        part = whole.as_strided(*self._view_layout)
        first, *others = self.node.gradients(part.clone(), differentiable)
        if first is None:
            part.zero_()
        else:
            part.copy_(first)
        return whole, *others

    def release(self) -> None:
        """Let go of the operation, and so of what it kept."""
        self.node = None
