"""The backward pass: gradients from the results to the leaves, each node once.

A node runs when all gradients of its result have arrived. Nodes are older than those that lead to them, so it
is enough to run them from the youngest to the oldest: that is a topological order (see
`tensorlab.autograd.graph`). There is no recursion: a chain of a million operations is walked in a loop.

What arrives at an operand is fitted to it in one place, `accumulate`: a gradient of the shape that the
operand was broadcast to is summed into the operand's own shape (un-broadcast), and one of another dtype is
converted.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from sys import getrefcount
from typing import Any

from tensorlab.autograd import anomaly
from tensorlab.autograd.graph import AccumulateGrad, Edge, Gradient, Node, Output, node_of
from tensorlab.autograd.hooks import run_accumulated, run_after, run_before
from tensorlab.autograd.unbroadcasting import unbroadcast
from tensorlab.core.layout import default_strides
from tensorlab.core.memory_formats import contiguous_format, is_non_overlapping_and_dense
from tensorlab.core.modes import current
from tensorlab.tensor import Tensor

__all__ = ["accumulate", "run"]


def run(
    roots: Sequence[tuple[Edge, Tensor]],
    *,
    retain_graph: bool,
    create_graph: bool,
    wanted: Sequence[Edge] | None = None,
    to_leaves: bool = True,
) -> list[Gradient]:
    """Carry gradients from the roots back through the graph.

    Args:
        roots: where to begin, and the gradient there.
        retain_graph: keep the saved tensors for another pass.
        create_graph: record the pass itself, so that its results can be differentiated.
        wanted: only gradients for these edges; without it, for all leaves.
        to_leaves: add to the ``grad`` of leaves; if not, only return what is wanted.

    Returns:
        the gradients of the wanted edges, None for those that none reached.
    """
    order = _topological_order(edge for edge, _ in roots)
    targets: set[Node] = set()
    asked: set[Node] | None = None
    if wanted is not None:
        targets.update(map(node_of, wanted))
        order = _leading_to(targets, order)
        asked = set(order)
    pending: dict[Node, Any] = {}
    captured: dict[Node, Any] = {}
    gradient: Any
    results: Any
    result: Any
    before, outer = current.grad, current.running
    current.grad, current.running = create_graph, order
    try:
        for edge, gradient in roots:
            accumulate(pending, edge, gradient)
        for node in order:
            gradient = pending.pop(node, None)
            if gradient is None:
                continue
            if node.hooks is not None:
                gradient = run_before(node.hooks, gradient)
                if gradient is None:  # a hook has taken it away
                    continue
            if node in targets:
                captured[node] = gradient
            if node.__class__ is AccumulateGrad:
                if to_leaves:
                    unshared = getrefcount(gradient) == HELD_ONCE
                    _add_to_grad(node.variable, gradient, create_graph, unshared)
                    if node.hooks is not None and node.variable._edge is not None:
                        run_accumulated(node.hooks, node.variable)
                        run_after(node.hooks, (), gradient)
                continue
            if anomaly.watching:
                results = anomaly.watched(node, gradient, create_graph, asked)
            else:
                results = node.gradients(gradient, create_graph, asked)
            if node.hooks is not None and len(node.hooks.after):
                results = run_after(node.hooks, _all_fitted(node, results), gradient)
            if not retain_graph:
                node.release()
            for edge, result in zip(node.edges, results, strict=False):  # the last may be left out
                if edge is not None and result is not None:
                    accumulate(pending, edge, result)
            gradient = results = result = None  # hold nothing: a leaf takes over what nobody else holds
    finally:
        current.grad, current.running = before, outer
    return [] if wanted is None else [_of_edge(captured, edge) for edge in wanted]


def _topological_order(roots: Iterable[Edge]) -> list[Node]:
    """All nodes that can be reached, the youngest first."""
    order = list(dict.fromkeys(map(node_of, roots)))
    found = set(order)
    for node in order:  # it grows on the way: whatever is found is asked for its own edges later
        for edge in node.edges:
            if edge is not None and edge not in found:
                target = edge.node if edge.__class__ is Output else edge
                if target not in found:
                    found.add(target)
                    order.append(target)
    order.sort(key=attrgetter("sequence"), reverse=True)
    return order


def _leading_to(targets: set[Node], order: list[Node]) -> list[Node]:
    """Of these nodes the targets, and those from which a target can be reached."""
    needed = set(targets)
    for node in reversed(order):
        if any(edge is not None and node_of(edge) in needed for edge in node.edges):
            needed.add(node)
    return [node for node in order if node in needed]


def accumulate(pending: dict[Node, Any], edge: Edge, gradient: Tensor) -> None:
    """Add a gradient, fitted to the operand, to those that wait at the end of an edge."""
    if gradient._shape != edge.shape:
        gradient = unbroadcast(gradient, edge.shape)
    if gradient._dtype is not edge.dtype:
        gradient = gradient.to(edge.dtype)
    if edge.__class__ is Output:
        several = pending.get(edge.node)
        if several is None:
            several = pending[edge.node] = [None] * edge.node.outputs
        waiting = several[edge.number]
        several[edge.number] = gradient if waiting is None else waiting + gradient
    else:
        waiting = pending.get(edge)
        pending[edge] = gradient if waiting is None else waiting + gradient


def _all_fitted(node: Node, results: Sequence[Gradient]) -> list[Gradient]:
    """What leaves a node as its hooks see it: for each operand a gradient that fits it, or None."""
    fitted: list[Gradient] = []
    for edge, gradient in itertools.zip_longest(node.edges, results):
        if edge is None or gradient is None:
            fitted.append(None)
            continue
        gradient = gradient if gradient._shape == edge.shape else unbroadcast(gradient, edge.shape)
        fitted.append(gradient if gradient._dtype is edge.dtype else gradient.to(edge.dtype))
    return fitted


def _add_to_grad(variable: Tensor, gradient: Tensor, differentiable: bool, unshared: bool) -> None:
    """Add a gradient to a leaf's ``grad``. The first one is taken over if nobody else holds it, else copied.

    A leaf without gaps gets a gradient of its own strides, any other a row-major one.
    """
    if variable._edge is None:  # it was frozen, or detached, since the graph was made
        return
    held = variable._grad
    if held is not None:
        if differentiable:
            variable._grad = held + gradient
        else:
            held.add_(gradient)
        return
    row_major = default_strides(variable._shape)
    dense = is_non_overlapping_and_dense(variable._shape, variable._stride)
    strides = variable._stride if dense else row_major
    if unshared and not differentiable and gradient._stride == strides and _has_storage_to_itself(gradient):
        gradient._base = None
        variable._grad = gradient
    elif dense and (differentiable or strides != row_major):
        copy = gradient.new_empty_strided(variable._shape, strides)
        variable._grad = copy.copy_(gradient)
    else:
        variable._grad = gradient.clone(memory_format=contiguous_format)


def _has_storage_to_itself(gradient: Tensor) -> bool:
    """Whether no other tensor that anybody holds looks into a gradient's storage."""
    held = getrefcount(gradient._storage)
    base = gradient._base
    if base is None:
        return held == HELD_BY_A_SLOT
    # A base that only this view holds goes when the view lets go of it.
    return held == HELD_BY_A_SLOT + 1 and getrefcount(base) == HELD_ONCE + 1


def _of_edge(captured: Mapping[Node, Any], edge: Edge) -> Gradient:
    if isinstance(edge, Output):
        several = captured.get(edge.node)
        return None if several is None else several[edge.number]
    return captured.get(edge)


class _Holder:
    __slots__ = ("held",)

    held: object


def _references() -> tuple[int, int]:
    """What `getrefcount` says of an object that one variable holds, and of one that one slot holds."""
    holder = _Holder()
    holder.held = object()
    fresh = object()
    return getrefcount(fresh), getrefcount(holder.held)


HELD_ONCE, HELD_BY_A_SLOT = _references()
