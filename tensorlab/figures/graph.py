"""A graph of gradients as a drawing: the result at the bottom, and gradients that climb to the leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tensorlab.figures.layers import Placed, placed
from tensorlab.figures.svg import Figure, drawing, label

if TYPE_CHECKING:
    from tensorlab.autograd.inspection import Graph, GraphEdge, GraphNode, Saved
    from tensorlab.tensor import Tensor

__all__ = ["MOST_NODES", "graph_drawing", "graph_figure"]

MOST_NODES = 24

_LINE, _PAD = 17.0, 9.0  # between the baselines of a box, and from its edge to its words
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
        self.size = (wide + 2 * _PAD, len(self.lines) * _LINE + _PAD)


def graph_figure(graph: Graph, names: Mapping[str, Tensor], most: int) -> Figure:
    """The drawing with a caption that counts; a graph without nodes is the caption alone."""
    if not graph.nodes:
        return Figure([], "No graph: the tensor requires no gradient.")
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
    return Figure([f"<div {frame}>{svg}</div>"], caption)


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
        boxes.append(_Box([(f"{_plural(rest, 'older node')}, not drawn", "soft", 12)], "rest"))
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
    parts = [_edge(route, place, way[1] in sums) for way, route in zip(ways, place.routes, strict=True)]
    parts += [_drawn(box, number, place) for number, box in enumerate(boxes)]
    says = "; ".join(_says(node, waits[node.id], graph.edges, names) for node in drawn)
    says += f"; {_plural(rest, 'older node')} not drawn" if rest else ""
    inner = "".join(parts)
    return drawing(
        place.width + 4,
        place.height + 4,
        f"A graph of gradients, from the result to the leaves. {says}.",
        [f'<g transform="translate(2 2)">{inner}</g>'],
        shrinks,
    )


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


_BORDERS = {
    "node": "fill:var(--tl-surface, none);stroke:var(--tl-edge, #7d8798);stroke-width:1",
    "leaf": "fill:var(--tl-surface, none);stroke:var(--tl-reach-edge, #2f5fc4);stroke-width:2",
    "rest": "fill:none;stroke:var(--tl-edge, #7d8798);stroke-width:1;stroke-dasharray:4 3",
    "sum": "fill:var(--tl-surface, none);stroke:var(--tl-gradient, #7a4fb5);stroke-width:1",
}


def _drawn(box: _Box, number: int, place: Placed) -> str:
    """A box with its words. The layout leads downward, the drawing upward: what was above is below."""
    width, height = box.size
    x, y = place.places[number].x, place.height - place.places[number].y - height
    corner = {"node": 4.0, "rest": 4.0}.get(box.kind, height / 2 if box.kind == "sum" else 12.0)
    parts = [
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{corner:g}" '
        f'style="{_BORDERS[box.kind]}"/>'
    ]
    for row, (text, ink, size) in enumerate(box.lines):
        bold = row == 0 and box.kind in ("node", "leaf")
        baseline = round(y + _PAD / 2 + _LINE * (row + 0.75), 1)
        parts.append(
            label(
                round(x + width / 2, 1), baseline, text, ink, size=size, anchor="middle", bold=bold, mono=True
            )
        )
    return "".join(parts)


def _edge(route: Sequence[tuple[float, float]], place: Placed, headless: bool) -> str:
    """The way of a gradient: a curve that climbs, with an arrow's head unless it ends at a sum."""
    points = [(x, place.height - y) for x, y in route]
    x, y = points[0]
    steps = [f"M{x:.1f} {y:.1f}"]
    for number, (to_x, to_y) in enumerate(points[1:], 1):
        last = number == len(points) - 1
        end = to_y + (5 if last and not headless else 0)
        half = (y + end) / 2
        steps.append(f"C{x:.1f} {half:.1f} {to_x:.1f} {half:.1f} {to_x:.1f} {end:.1f}")
        x, y = to_x, to_y
    head = f"{x:.1f},{y:.1f} {x - 4:.1f},{y + 8:.1f} {x + 4:.1f},{y + 8:.1f}"
    ink = "var(--tl-gradient, #7a4fb5)"
    line = f'<path d="{"".join(steps)}" fill="none" stroke-width="1.5" style="stroke:{ink}"/>'
    return line if headless else f'{line}<polygon points="{head}" style="fill:{ink}"/>'


def _plural(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"
