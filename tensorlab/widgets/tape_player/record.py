"""A tape: a graph and one backward pass over it as plain data, taken from the library's own engine."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from tensorlab import autograd
from tensorlab.autograd.graph import AccumulateGrad, Node
from tensorlab.autograd.inspection import Graph, GraphEdge, GraphNode
from tensorlab.core.layout import numel
from tensorlab.tensor import Tensor
from tensorlab.widgets.tape_player.program import MOST_ELEMENTS

__all__ = ["MOST_NODES", "record"]

MOST_NODES = 32  # operations and leaves that are drawn


def record(result: Tensor, names: Mapping[str, Tensor]) -> dict[str, Any]:
    """The graph of a result, and what one backward pass hands from node to node.

    The pass leaves the graph and every ``grad`` as they are.

    Args:
        result: one number that requires a gradient.
        names: what to call the leaves.

    Returns:
        nodes and edges in the order and with the numbers of `tensorlab.autograd.graph`. A node has its name,
        leaf, label, shape, value (None if nothing keeps it), the nodes of its operands, what it saves, and
        the gradient that arrived; an edge the gradient as it was given, and as it arrived.

    Raises:
        ValueError: the result is not one number with a graph, or the graph is too large to be shown.

    Example:
        >>> import tensorlab as tl
        >>> w = tl.tensor([2.0, 3.0], requires_grad=True)
        >>> tape = record((w * w).sum(), {"w": w})
        >>> [node["name"] for node in tape["nodes"]], tape["nodes"][2]["gradient"]
        (['SumBackward0', 'MulBackward0', 'AccumulateGrad'], [4.0, 6.0])
    """
    data = autograd.graph(result)
    _check(data, result)
    nodes = _nodes(result)
    given, arrived = _pass(nodes, result)
    called = {id(tensor): name for name, tensor in names.items()}
    taped = [_node(one, result, called, arrived[node]) for one, node in zip(data.nodes, nodes, strict=True)]
    for edge in data.edges:
        taped[edge.source]["inputs"].append(edge.target)
    edges = [_edge(edge, data, given[nodes[edge.source]]) for edge in data.edges]
    return {"nodes": taped, "edges": edges}


def _check(data: Graph, result: Tensor) -> None:
    if not data.nodes or data.nodes[0].leaf is not None:
        raise ValueError("nothing to go back to: no leaf that requires a gradient leads to the result")
    if result.numel() != 1:
        raise ValueError(
            f"grad can be implicitly created only for scalar outputs: the result has shape "
            f"{tuple(result.shape)}; end with .sum()"
        )
    if len(data.nodes) > MOST_NODES:
        raise ValueError(f"up to {MOST_NODES} nodes are shown; this graph has {len(data.nodes)}")
    for node in data.nodes:
        if node.shape is None:
            raise ValueError(f"{node.name} has several results; the player shows operations with one")
        if numel(node.shape) > MOST_ELEMENTS:
            raise ValueError(
                f"tensors of up to {MOST_ELEMENTS} elements are shown; {node.name} has one of shape "
                f"{tuple(node.shape)}"
            )


def _nodes(result: Tensor) -> list[Node]:
    """The nodes in the order in which the backward pass takes them."""
    found: dict[Node, None] = {}
    waiting = [result.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found[node] = None
            waiting += [way for way, _ in node.next_functions]
    return sorted(found, key=Node._sequence_nr, reverse=True)


def _pass(nodes: Sequence[Node], result: Tensor) -> tuple[dict[Node, Sequence], dict[Node, Any]]:
    """What each node hands on, one gradient an operand, and what arrives at it, all together."""
    given: dict[Node, Sequence] = dict.fromkeys(nodes, ())
    arrived: dict[Node, Any] = dict.fromkeys(nodes)

    def watch(node: Node, hooks: ExitStack) -> None:
        def before(gradients: tuple) -> None:
            arrived[node] = gradients[0]
            if not isinstance(node, AccumulateGrad):
                # Hooks after a node see gradients that were summed into the operands' shapes: these are not.
                given[node] = node.gradients(gradients[0] if node.direct_result else list(gradients), False)

        hooks.enter_context(node.register_prehook(before))

    with ExitStack() as hooks:
        for node in nodes:
            watch(node, hooks)
        leaves = [node.variable for node in nodes if isinstance(node, AccumulateGrad)]
        autograd.grad(result, leaves, retain_graph=True)
    return given, arrived


def _node(one: GraphNode, result: Tensor, called: Mapping[int, str], gradient: Any) -> dict[str, Any]:
    name = None if one.leaf is None else called.get(id(one.leaf), "leaf")
    value = result if one.id == 0 else one.leaf
    return {
        "name": one.name,
        "leaf": name,
        "label": name or _label(one.name),
        "shape": list(one.shape or ()),
        "value": None if value is None else _numbers(value),
        "inputs": [],
        "saved": [
            {
                "name": entry.name,
                "shape": list(entry.shape),
                "nbytes": entry.nbytes,
                "owner": entry.owner,
                "storage": entry.storage,
            }
            for entry in one.saved
        ],
        "gradient": None if gradient is None else _numbers(gradient),
    }


def _edge(edge: GraphEdge, data: Graph, given: Sequence) -> dict[str, Any]:
    gradient = given[edge.operand] if edge.operand < len(given) else None
    plain: dict[str, Any] = {
        "source": edge.source,
        "target": edge.target,
        "operand": edge.operand,
        "summed": list(edge.summed),
        "given": None,
        "arrived": None,
    }
    if gradient is None:
        return plain
    fitted = gradient
    if edge.summed:
        fitted = gradient.sum(edge.summed, True).reshape(data.nodes[edge.target].shape)
    given_plain = {"shape": list(gradient.shape), "data": _numbers(gradient)}
    return plain | {"given": given_plain, "arrived": _numbers(fitted)}


def _numbers(tensor: Tensor) -> list[float | str]:
    """The elements in reading order; what JSON has no number for as text, which JavaScript reads back."""
    numbers: Any = tensor.detach().reshape(-1).tolist()
    names = {math.inf: "Infinity", -math.inf: "-Infinity"}
    return [float(number) if math.isfinite(number) else names.get(number, "NaN") for number in numbers]


def _label(name: str) -> str:
    """What a node is called in the picture: ``MulBackward0`` is ``mul``."""
    plain = re.sub(r"Backward\d*$", "", name)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain).lower()
