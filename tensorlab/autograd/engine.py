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
from tensorlab.autograd.accumulation import HELD_ONCE, add_to_grad
from tensorlab.autograd.graph import AccumulateGrad, Edge, Gradient, Node, Output, node_of
from tensorlab.autograd.hooks import run_accumulated, run_after, run_before
from tensorlab.autograd.unbroadcasting import unbroadcast
from tensorlab.core.modes import current
from tensorlab.tensor import Tensor


def run(
    roots: Sequence[tuple[Edge, Tensor]],
    retain_graph: bool = False,
    *,
    create_graph: bool = False,
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
    order = topological_order(edge for edge, _ in roots)
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
                    add_to_grad(node.variable, gradient, create_graph, unshared)
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


def topological_order(roots: Iterable[Edge]) -> list[Node]:
    """All nodes that can be reached from some, each once, before those that its edges lead to.

    The youngest comes first: whatever a node leads to was made before it.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor(2.0, requires_grad=True)
        >>> a = x * x
        >>> [node.name() for node in topological_order([(a + a.exp()).grad_fn])]
        ['AddBackward0', 'ExpBackward0', 'MulBackward0', 'AccumulateGrad']
    """
    order = list(dict.fromkeys(map(node_of, roots)))
    found = set(order)
    for node in order:  # grows on the way, until no edge is left
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
    """Add a gradient, fitted to the operand, to those that wait at the end of an edge.

    The first one waits as it is. It is never written into: its tensor may be waiting elsewhere too.

    Example:
        >>> import tensorlab as tl
        >>> node, pending = (tl.ones(2, requires_grad=True) * 2).grad_fn, {}
        >>> accumulate(pending, node, tl.tensor([1.0, 2.0]))
        >>> accumulate(pending, node, tl.tensor([10.0, 20.0]))
        >>> pending[node]
        tensor([11., 22.])
    """
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


def _of_edge(captured: Mapping[Node, Any], edge: Edge) -> Gradient:
    if isinstance(edge, Output):
        several = captured.get(edge.node)
        return None if several is None else several[edge.number]
    return captured.get(edge)
