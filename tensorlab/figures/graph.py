"""A graph of gradients as a drawing: the result at the bottom, and gradients that climb to the leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from zlib import crc32

from tensorlab.figures.figure import framed
from tensorlab.figures.layers import placed
from tensorlab.figures.scene import Scene

if TYPE_CHECKING:
    from tensorlab.autograd.inspection import Graph, GraphEdge, GraphNode, Saved
    from tensorlab.tensor import Tensor

__all__ = ["MOST_NODES", "graph_drawing", "graph_figure"]

MOST_NODES = 24

_LINE, _PAD = 17.0, 14.0  # between the baselines of a node, and its height without lines
_LETTER = 0.61  # of the size of a monospace letter: its width
_OWNERS = {"leaf": ("the leaf's own", "view"), "shared": ("shared", "view"), "graph": ("owned", "copy")}


@dataclass
class _Box:
    """A box of the drawing: lines of (text, ink, size), and how its border looks."""

    lines: list[tuple[str, str, float]]
    kind: str = "node"
    size: tuple[float, float] = field(init=False)

    def __post_init__(self) -> None:
        wide = max(len(text) * size * _LETTER for text, _, size in self.lines)
        self.size = (wide + 18, len(self.lines) * _LINE + _PAD)


def graph_figure(graph: Graph, names: Mapping[str, Tensor], most: int) -> str:
    """The drawing as HTML, with a caption that counts; a graph without nodes is the caption alone."""
    if not graph.nodes:
        return framed("", "No graph: the tensor requires no gradient.")
    leaves = sum(node.leaf is not None for node in graph.nodes)
    kept = sum(entry.nbytes for node in graph.nodes for entry in node.saved if entry.owner == "graph")
    caption = (
        f"{_plural(len(graph.nodes) - leaves, 'operation')} and {_plural(leaves, 'leaf', 'leaves')}; "
        f"kept by the graph alone: {kept:,} bytes."
    )
    if len(graph.nodes) > most:
        caption += f" The youngest {most} of {len(graph.nodes):,} nodes are drawn."
    svg = graph_drawing(graph, names, most, shrinks=False)
    # On a narrow page it is moved under the finger or with the arrow keys: shrunk, nobody could read it.
    frame = 'tabindex="0" role="group" aria-label="Graph of gradients" style="max-width:100%;overflow:auto"'
    return framed(f"<div {frame}>{svg}</div>", caption)


def graph_drawing(graph: Graph, names: Mapping[str, Tensor], most: int, shrinks: bool = True) -> str:
    """The drawing of a graph as an SVG element, see `Graph.svg`.

    Raises:
        ValueError: there is nothing to draw, or `most` is not positive.
    """
    if not graph.nodes:
        raise ValueError("there is no graph to draw: the tensor requires no gradient")
    if most < 1:
        raise ValueError(f"at least one node is drawn, got most={most}")
    drawn = graph.nodes[:most]
    waits = graph.waiting()
    boxes = [_box(node, waits[node.id], names) for node in drawn]
    rest = len(graph.nodes) - len(drawn)
    if rest:
        boxes.append(_Box([(f"{_plural(rest, 'older node')}, not drawn", "ink-soft", 12)], "rest"))
    ways: list[tuple[int, int]] = []
    for edge in graph.edges:
        if edge.source >= most or (edge.target >= most and (edge.source, most) in ways):
            continue
        target = min(edge.target, most)  # the box of what is not drawn comes behind the nodes
        if edge.summed:
            ways += [(edge.source, len(boxes)), (len(boxes), target)]
            boxes.append(_Box([(_summed(edge), "gradient", 12)], "sum"))
        else:
            ways.append((edge.source, target))
    place = placed([box.size for box in boxes], ways)
    sums = {number for number, box in enumerate(boxes) if box.kind == "sum"}
    says = "; ".join(_says(node, waits[node.id], graph.edges, names) for node in drawn)
    says += f"; {_plural(rest, 'older node')} not drawn" if rest else ""
    s = Scene(place.width + 4, "A graph of gradients", f"From the result to the leaves: {says}.")
    for way, route in zip(ways, place.routes, strict=True):
        _edge(s, [(2 + x, 2 + place.height - y) for x, y in route], headless=way[1] in sums)
    for number, box in enumerate(boxes):
        # The layout leads downward, the drawing upward: what was above is below.
        x, y = place.places[number].x, place.height - place.places[number].y - box.size[1]
        lines, inks, _ = zip(*box.lines, strict=True)
        ink, dashes = _BORDERS[box.kind]
        s.node(2 + x, 2 + y, lines, ink, box.size[0], inks=inks, dashes=dashes)
    return s.svg(f"g{crc32(''.join(s.parts).encode()):x}", shrinks=shrinks)


def _name(leaf: Tensor, names: Mapping[str, Tensor]) -> str:
    return next((name for name, tensor in names.items() if tensor is leaf), "leaf")


def _shape(shape: Sequence[int] | None) -> str:
    return "several results" if shape is None else f"{tuple(shape)}"


def _box(node: GraphNode, waits: int, names: Mapping[str, Tensor]) -> _Box:
    lines: list[tuple[str, str, float]] = [(f"{node.id} {node.name}", "ink", 13)]
    if node.leaf is None:
        lines.append((_shape(node.shape), "shape", 12))
    else:
        lines.append((f"{_name(node.leaf, names)} {_shape(node.shape)}", "shape", 13))
    if waits > 1:
        lines.append((f"adds {waits} gradients", "gradient", 12))
    for entry in node.saved:
        lines.append((f"keeps {_kept(entry)}", _OWNERS[entry.owner][1], 12))
    return _Box(lines, "node" if node.leaf is None else "leaf")


def _kept(entry: Saved) -> str:
    return f"{entry.name} {_shape(entry.shape)}, {entry.nbytes:,} B, {_OWNERS[entry.owner][0]}"


def _summed(edge: GraphEdge) -> str:
    return f"summed over {', '.join(map(str, edge.summed))}"


def _says(node: GraphNode, waits: int, edges: Sequence[GraphEdge], names: Mapping[str, Tensor]) -> str:
    """One node in words."""
    parts = [f"{node.id} {node.name}"]
    if node.leaf is not None:
        parts.append(_name(node.leaf, names))
    parts.append(f"shape {_shape(node.shape)}" if node.shape is not None else "several results")
    if waits > 1:
        parts.append(f"adds {waits} gradients")
    parts += [f"keeps {_kept(entry)}" for entry in node.saved]
    ways = [
        f"{edge.target}{f' {_summed(edge)}' if edge.summed else ''}"
        for edge in edges
        if edge.source == node.id
    ]
    if ways:
        parts.append(f"leads to {' and '.join(ways)}")
    return ", ".join(parts)


_BORDERS = {  # kind of node: its border, and the dashes of it
    "node": ("edge", ""),
    "leaf": ("reach-edge", ""),
    "rest": ("edge", "4 3"),
    "sum": ("gradient", ""),
}


def _edge(s: Scene, route: Sequence[tuple[float, float]], *, headless: bool) -> None:
    """The way of a gradient: a curve that climbs, with an arrow's head unless it ends at a sum."""
    (x, y), *others = route
    for number, (to_x, to_y) in enumerate(others, 1):
        head = number == len(others) and not headless
        end = to_y + 10 * head
        half = (y + end) / 2
        s.path(
            f"M{x:.1f} {y:.1f}C{x:.1f} {half:.1f} {to_x:.1f} {half:.1f} {to_x:.1f} {end:.1f}",
            "gradient",
            1.75,
        )
        if head:
            s.arrow((to_x, end), (to_x, to_y + 1), "gradient")
        x, y = to_x, to_y


def _plural(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"
