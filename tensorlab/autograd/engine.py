"""The backward pass: gradients from the results to the leaves, each node once.

A node runs when all gradients of its result have arrived. Nodes are older than those that lead to them, so it
is enough to run them from the youngest to the oldest (see `tensorlab.autograd.graph`). There is no recursion:
a chain of a million operations is walked in a loop.

What arrives at an operand is fitted to it in one place, here: a gradient of the shape that the operand was
broadcast to is summed into the operand's own shape, and one of another dtype is converted.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from sys import getrefcount
from typing import Any

from tensorlab import layout
from tensorlab.autograd import anomaly
from tensorlab.autograd.graph import AccumulateGrad, Edge, Gradient, Node, Output
from tensorlab.autograd.hooks import run_accumulated, run_after, run_before
from tensorlab.layout import Size
from tensorlab.memory_formats import contiguous_format, is_non_overlapping_and_dense
from tensorlab.modes import current
from tensorlab.tensor import Tensor

__all__ = ["deliver", "run"]

_by_sequence = attrgetter("sequence")


def run(
    roots: Sequence[tuple[Edge, Tensor]],
    *,
    retain_graph: bool,
    create_graph: bool,
    wanted: Sequence[Edge] | None = None,
    accumulate: bool = True,
) -> list[Gradient]:
    """Carry gradients from the roots back through the graph.

    Args:
        roots: where to begin, and the gradient there.
        retain_graph: keep what the nodes kept for another pass.
        create_graph: record the pass itself, so that its results can be differentiated.
        wanted: only gradients for these edges; without it, for all leaves.
        accumulate: add to the ``grad`` of leaves; if not, only return what is wanted.

    Returns:
        the gradients of the wanted edges, None for those that none reached.
    """
    pending: dict[Node, Any] = {}
    order = _order(root for root, _ in roots)
    if wanted is not None:
        order = _on_the_way(order, wanted)
    asked = None if wanted is None else set(order)
    captured: dict[Node, Any] = {}
    gradient: Any
    results: Any
    result: Any
    places = () if wanted is None else {edge.node if isinstance(edge, Output) else edge for edge in wanted}
    before, outer = current.grad, current.running
    current.grad, current.running = create_graph, order
    try:
        for edge, gradient in roots:
            deliver(pending, edge, gradient, create_graph)
        for node in order:
            gradient = pending.pop(node, None)
            if gradient is None:
                continue
            if node.hooks is not None:
                gradient = run_before(node.hooks, gradient)
                if gradient is None:  # a hook has taken it away
                    continue
            if node in places:
                captured[node] = gradient
                if node.__class__ is AccumulateGrad and not accumulate:
                    continue
            if node.__class__ is AccumulateGrad:
                if node.variable._edge is None:  # it was frozen, or detached, since the graph was made
                    continue
                alone = getrefcount(gradient) == ALONE
                _accumulate(node.variable, gradient, create_graph, alone)
                if node.hooks is not None:
                    run_accumulated(node.hooks, node.variable)
                    run_after(node.hooks, (), gradient)
                continue
            if anomaly.watching:
                results = anomaly.watched(node, gradient, create_graph, asked)
            else:
                results = node.gradients(gradient, create_graph, asked)
            if node.hooks is not None and len(node.hooks.after):
                results = run_after(node.hooks, _fitted(node, results), gradient)
            if not retain_graph:
                node.release()
            gradient = None
            # operands behind the last one that gets a gradient may be left out of the results
            for edge, result in zip(node.edges, results, strict=False):
                if edge is not None and result is not None:
                    deliver(pending, edge, result, create_graph)
            results = result = None
    finally:
        current.grad, current.running = before, outer
    return [] if wanted is None else [_of_edge(captured, edge) for edge in wanted]


def _order(roots: Iterable[Edge]) -> list[Node]:
    """All nodes that can be reached, the youngest first."""
    order = list({root.node if isinstance(root, Output) else root: None for root in roots})
    found = set(order)
    for node in order:  # it grows on the way: whatever is found is asked for its own edges later
        for target in node.edges:
            if target is not None and target not in found:
                if target.__class__ is Output:
                    target = target.node
                    if target in found:
                        continue
                found.add(target)
                order.append(target)
    order.sort(key=_by_sequence, reverse=True)
    return order


def _on_the_way(order: list[Node], wanted: Sequence[Edge]) -> list[Node]:
    """Of these nodes those from which a wanted edge can be reached, and the wanted ones."""
    needed = {edge.node if isinstance(edge, Output) else edge for edge in wanted}
    for node in reversed(order):
        if node not in needed:
            for edge in node.edges:
                if edge is not None and (edge.node if isinstance(edge, Output) else edge) in needed:
                    needed.add(node)
                    break
    return [node for node in order if node in needed]


def deliver(pending: dict[Node, Any], edge: Edge, gradient: Tensor, differentiable: bool) -> None:
    """Add a gradient to those that wait at the end of an edge."""
    if gradient._shape != edge.shape:
        gradient = _fit(gradient, edge)
    if gradient._dtype is not edge.dtype:
        gradient = gradient.to(edge.dtype)
    if edge.__class__ is Output:
        node, number = edge.node, edge.number
        several = pending.get(node)
        if several is None:
            several = pending[node] = [None] * node.outputs
        waiting = several[number]
        several[number] = gradient if waiting is None else _sum(waiting, gradient, differentiable, False)
    else:
        waiting = pending.pop(edge, None)
        if waiting is not None:
            alone = getrefcount(waiting) == ALONE  # on a line of its own: a call's arguments hold it as well
            gradient = _sum(waiting, gradient, differentiable, alone)
        pending[edge] = gradient


def _fitted(node: Node, results: Sequence[Gradient]) -> list[Gradient]:
    """What leaves a node as its hooks see it: for each operand a gradient that fits it, or None."""
    given = [*results, *[None] * (len(node.edges) - len(results))]
    fitted: list[Any] = []
    for edge, gradient in zip(node.edges, given, strict=True):
        if edge is None or gradient is None:
            fitted.append(None)
            continue
        gradient = gradient if gradient._shape == edge.shape else _fit(gradient, edge)
        fitted.append(gradient if gradient._dtype is edge.dtype else gradient.to(edge.dtype))
    return fitted


def _fit(gradient: Tensor, edge: Edge) -> Tensor:
    """A gradient of the shape that an operand was broadcast to, summed into the operand's shape.

    Raises:
        RuntimeError: the shapes are not related in this way; a formula is wrong.
    """
    shape, given = edge.shape, gradient._shape
    if not shape:
        return gradient.sum()
    dims = _stretched(shape, given)
    lead = len(given) - len(shape)
    if lead == 1 and dims == (0,):
        return gradient.sum(0)
    summed = gradient.sum(dims, True) if dims else gradient
    return summed.reshape(shape) if lead else summed


@functools.lru_cache(maxsize=4096)
def _stretched(shape: Size, given: Size) -> tuple[int, ...]:
    """The dimensions of `given` that `shape` had not, or had of size 1, before it was broadcast."""
    lead = len(given) - len(shape)
    if lead < 0 or any(size not in (1, wide) for size, wide in zip(shape, given[lead:], strict=True)):
        raise RuntimeError(
            f"Function returned an invalid gradient: it has shape {list(given)}, and the operand has shape "
            f"{list(shape)}, which does not broadcast to it"
        )
    return tuple(
        [dim for dim, size in enumerate(given) if dim < lead or (shape[dim - lead] == 1 and size != 1)]
    )


def _sum(waiting: Tensor, gradient: Tensor, differentiable: bool, alone: bool) -> Tensor:
    """Two gradients of one result. The first is written over if nobody else holds it."""
    if (
        alone
        and not differentiable
        and getrefcount(waiting._storage) == ALONE_INSIDE
        and is_non_overlapping_and_dense(waiting._shape, waiting._stride)
    ):
        return waiting.add_(gradient)
    return waiting + gradient


def _accumulate(variable: Tensor, gradient: Tensor, differentiable: bool, alone: bool) -> None:
    """Add a gradient to a leaf's. The first one is taken over if nobody else holds it, else copied.

    A leaf without gaps gets a gradient of its own strides, any other a row-major one.
    """
    held = variable._grad
    if held is not None:
        if differentiable:
            variable._grad = held + gradient
        else:
            held.add_(gradient)
        return
    row_major = variable._stride == layout.default_strides(variable._shape)
    dense = row_major or is_non_overlapping_and_dense(variable._shape, variable._stride)
    if row_major:
        fits = gradient._stride == variable._stride
    else:
        fits = gradient._stride == variable._stride if dense else gradient.is_contiguous()
    if fits and alone and not differentiable and _has_storage_alone(gradient):
        gradient._base = None
        variable._grad = gradient
    elif dense and (differentiable or not row_major):
        copy = gradient.new_empty_strided(variable._shape, variable._stride)
        variable._grad = copy.copy_(gradient)
    else:
        variable._grad = gradient.clone(memory_format=contiguous_format)


def _has_storage_alone(gradient: Tensor) -> bool:
    """Whether no other tensor that anybody holds looks into a gradient's storage."""
    held = getrefcount(gradient._storage)
    base = gradient._base
    if base is None:
        return held == ALONE_INSIDE
    # A base that only this view holds goes when the view lets go of it.
    return held == ALONE_INSIDE + 1 and getrefcount(base) == ALONE + 1


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


ALONE, ALONE_INSIDE = _references()
