"""Looking into the graph: its nodes and edges as data, and what each node keeps.

The graph is there to be read. `graph` lists nodes and edges, `saved` the tensors that wait for the backward
pass and their bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tensorlab.autograd.edges import (
    GradientEdge,
    get_gradient_edge,
    increment_version,
    register_multi_grad_hook,
)
from tensorlab.autograd.formulas import Backward
from tensorlab.autograd.function import FunctionCtx
from tensorlab.autograd.graph import AccumulateGrad, Edge, Node, edge_number, node_of, walk
from tensorlab.autograd.saved_tensors import (
    KeptTensors,
    Packed,
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)
from tensorlab.autograd.views import CopySlices, edge_of
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.figures.graph import MOST_NODES, graph_drawing, graph_figure
from tensorlab.tensor import Tensor


class Saved(NamedTuple):
    """One tensor that a node keeps.

    Attributes:
        node: the name of the node.
        name: what its formulas call the tensor.
        shape, dtype: the tensor's.
        nbytes: the bytes of the storage that it keeps alive.
        owner: ``"leaf"`` if the storage is that of a leaf, which lives on anyway; ``"shared"`` if an entry
            before keeps the same storage; ``"graph"`` if this entry keeps it.
        storage: the number of the storage, from 0: entries of one graph with the same number share it.
    """

    node: str
    name: str
    shape: Size
    dtype: dtype
    nbytes: int
    owner: str
    storage: int


class SavedList(tuple[Saved, ...]):
    """What a graph keeps, the youngest node first.

    Attributes:
        nbytes: the bytes that would be freed with the graph, each storage counted once.
    """

    __slots__ = ()

    @property
    def nbytes(self) -> int:
        """The bytes of all storages that only the graph needs."""
        return sum(entry.nbytes for entry in self if entry.owner == "graph")

    def __repr__(self) -> str:
        rows = [
            (e.node, e.name, str(list(e.shape)), e.dtype.name, f"{e.nbytes} bytes", e.owner) for e in self
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(map("{:{}{}}".format, row, "<<<<><", widths)).rstrip()  # numbers end below each other
            for row in rows
        ]
        return "\n".join([*lines, f"kept by the graph alone: {self.nbytes} bytes"])


def saved(tensor: Tensor) -> SavedList:
    """The tensors that the graph of a tensor keeps for the backward pass.

    Args:
        tensor: a result of recorded operations.

    Returns:
        one entry for each kept tensor. After a backward pass that did not retain the graph there are none.

    Example:
        >>> import tensorlab as tl
        >>> w = tl.ones(2, 3, requires_grad=True)
        >>> y = (w * 2).exp() + w
        >>> tl.autograd.saved(y)
        ExpBackward0  result  [2, 3]  float32  24 bytes  graph
        kept by the graph alone: 24 bytes
    """
    nodes = _youngest_first((tensor,))
    return SavedList(entry for entries in _saved_by(nodes) for entry in entries)


def _youngest_first(tensors: Sequence[Tensor]) -> list[Node]:
    """The nodes of the graph of some tensors."""
    found: set[Node] = set()
    for tensor in tensors:
        edge = edge_of(tensor)
        if edge is not None:
            found.update(walk(node_of(edge)))
    return sorted(found, key=lambda node: node.sequence, reverse=True)


def _saved_by(nodes: Sequence[Node]) -> Iterator[tuple[Saved, ...]]:
    """What each node keeps."""
    leaves = {id(node.variable._storage) for node in nodes if isinstance(node, AccumulateGrad)}
    seen: dict[int, int] = {}
    for node in nodes:
        entries = []
        for name, kept in _kept(node):
            storage = kept._storage
            owner = "leaf" if id(storage) in leaves else "shared" if id(storage) in seen else "graph"
            number = seen.setdefault(id(storage), len(seen))
            entry = Saved(node.name(), name, kept._shape, kept._dtype, storage.nbytes(), owner, number)
            entries.append(entry)
        yield tuple(entries)


def _kept(node: Node) -> Iterator[tuple[str, Tensor]]:
    """The tensors that a node keeps in the open, with their names; what hooks have packed is not known."""
    if isinstance(node, CopySlices):
        if node.node is not None:
            yield from _kept(node.node)
    elif isinstance(node, Backward):
        for name, value in zip(node.plan.names, node.kept or (), strict=False):
            if isinstance(value, Tensor):
                yield name, value
            elif isinstance(value, KeptTensors):
                yield from ((f"{name}[{dim}]", tensor) for dim, tensor in value.items())
    elif isinstance(node, FunctionCtx):
        for position, (value, _, _) in enumerate(node._saved or ()):
            if value is not None and not isinstance(value, Packed):
                yield f"saved_tensors[{position}]", value


class GraphNode(NamedTuple):
    """A node as data.

    Attributes:
        id: its number in the graph; a node has a lower number than those that it leads to.
        name: its kind.
        shape: that of the result, None where there are several.
        saved: the tensors that it keeps.
        leaf: for the end of the graph at a leaf, the leaf; else None.
    """

    id: int
    name: str
    shape: Size | None
    saved: tuple[Saved, ...]
    leaf: Tensor | None


class GraphEdge(NamedTuple):
    """The way of a gradient.

    Attributes:
        source: the node that computes it.
        target: the node that it goes to.
        operand: which operand's gradient it is.
        number: which result of the target it belongs to.
        summed: the dimensions over which the gradient is summed before it arrives, because the operand was
            broadcast in the forward pass.
    """

    source: int
    target: int
    operand: int
    number: int
    summed: tuple[int, ...]


@dataclass(frozen=True)
class Graph:
    """A graph as data.

    Attributes:
        nodes: the youngest first, as the backward pass takes them.
        edges: those of the youngest node first.
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...] = field(repr=False)

    def waiting(self) -> dict[int, int]:
        """How many gradients each node waits for before it runs."""
        counts = dict.fromkeys((node.id for node in self.nodes), 0)
        for edge in self.edges:
            counts[edge.target] += 1
        return counts

    def __str__(self) -> str:
        lines = []
        for node in self.nodes:
            ways = [f"{edge.target}" for edge in self.edges if edge.source == node.id]
            keeps = f" keeps {', '.join(entry.name for entry in node.saved)}" if node.saved else ""
            lines.append(f"{node.id}: {node.name}{keeps}" + (f" -> {', '.join(ways)}" if ways else ""))
        return "\n".join(lines)

    def svg(self, names: Mapping[str, Tensor] | None = None, most: int = MOST_NODES) -> str:
        """The graph as a drawing: the result at the bottom, gradients climb to the leaves.

        Each box is a node: its number in the order of the backward pass, the shape of its result, and what
        it keeps, which is the leaf's own, shared with another entry, or kept by the graph alone. A pill on an
        edge says over which dimensions a gradient is summed. The drawing has the colours of the page's
        light or dark theme, and says in words what it shows.

        Args:
            names: what to call the leaves.
            most: of a larger graph the youngest nodes are drawn, and the others counted.

        Returns:
            one ``<svg>`` element, which needs nothing else.

        Raises:
            ValueError: there is nothing to draw, or `most` is not positive.

        Example:
            >>> import tensorlab as tl
            >>> w = tl.ones(3, requires_grad=True)
            >>> drawing = tl.autograd.graph((tl.ones(2, 3) * w).sum()).svg(names={"w": w})
            >>> "summed over 0" in drawing
            True
        """
        return graph_drawing(self, names or {}, most)

    def _repr_html_(self) -> str:
        return graph_figure(self, {}, MOST_NODES)

    def _repr_svg_(self) -> str:
        return self.svg()


def graph(tensor: Tensor | Sequence[Tensor]) -> Graph:
    """The graph of one or several tensors as data.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.ones(2, requires_grad=True)
        >>> print(tl.autograd.graph(x * x + x))
        0: AddBackward0 -> 1, 2
        1: MulBackward0 keeps y, x -> 2, 2
        2: AccumulateGrad
    """
    order = _youngest_first((tensor,) if isinstance(tensor, Tensor) else tuple(tensor))
    numbers = {node: number for number, node in enumerate(order)}
    nodes = tuple(
        GraphNode(
            numbers[node],
            node.name(),
            node.shape if node.direct_result else None,
            entries,
            node.variable if isinstance(node, AccumulateGrad) else None,
        )
        for node, entries in zip(order, _saved_by(order), strict=True)
    )
    edges = tuple(
        GraphEdge(numbers[node], numbers[node_of(edge)], operand, edge_number(edge), _summed(node, edge))
        for node in order
        for operand, edge in enumerate(node.edges)
        if edge is not None
    )
    return Graph(nodes, edges)


def _summed(node: Node, edge: Edge) -> tuple[int, ...]:
    """The dimensions of the result that an operand was stretched along."""
    if not node.stretches:
        return ()
    lead = len(node.shape) - len(edge.shape)
    return tuple(
        dim
        for dim, size in enumerate(node.shape)
        if dim < lead or (edge.shape[dim - lead] == 1 and size != 1)
    )


# PyTorch keeps these in a module of this name.
_namespace: Any = graph
_namespace.Node = Node
_namespace.saved_tensors_hooks = saved_tensors_hooks
_namespace.save_on_cpu = save_on_cpu
_namespace.disable_saved_tensors_hooks = disable_saved_tensors_hooks
_namespace.GradientEdge = GradientEdge
_namespace.allow_mutation_on_saved_tensors = allow_mutation_on_saved_tensors
_namespace.get_gradient_edge = get_gradient_edge
_namespace.increment_version = increment_version
_namespace.register_multi_grad_hook = register_multi_grad_hook
