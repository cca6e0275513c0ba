"""The graph as a drawing: every node, edge and kept tensor is in it, boxes stand apart, edges climb."""

from __future__ import annotations

import itertools
import random
import re
from xml.etree import ElementTree

import pytest

import tensorlab as tl
from tensorlab.figures.layers import crossings, placed

SVG = "{http://www.w3.org/2000/svg}"


def leaves():
    x = tl.arange(6, dtype=tl.float32).view(2, 3).clone().requires_grad_()
    return x, tl.ones(3, requires_grad=True), tl.tensor(0.5, requires_grad=True)


def texts(svg):
    return [node.text for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def rectangles(svg):
    sides = ("x", "y", "width", "height")
    return [
        tuple(float(one.get(side)) for side in sides)
        for one in ElementTree.fromstring(svg).iter(f"{SVG}rect")
    ]


def test_nodes_leaves_and_what_is_kept_are_named():
    x, w, b = leaves()
    graph = tl.autograd.graph((x * w + b).tanh().sum())
    words = texts(graph.svg({"x": x, "w": w, "b": b}))
    for node in graph.nodes:
        assert f"{node.id} {node.name}" in words
    assert {"x (2, 3)", "w (3,)", "b ()"} <= set(words)
    assert "keeps y (3,), 12 B, the leaf's own" in words
    assert "keeps result (2, 3), 24 B, owned" in words
    assert {"summed over 0", "summed over 0, 1"} <= set(words)


def test_a_leaf_without_a_name_is_called_a_leaf():
    x, _, _ = leaves()
    assert "leaf (2, 3)" in texts(tl.autograd.graph(x.sum()).svg())


def test_sums_of_stretched_operands_are_edges_as_data():
    x, w, b = leaves()

    def summed(y):
        return sorted(edge.summed for edge in tl.autograd.graph(y).edges)

    assert summed(x * w + b) == [(), (), (0,), (0, 1)]
    assert summed(x * x) == [(), ()]
    assert summed(x @ w) == [(), ()]
    assert summed(tl.ones(2, 1, requires_grad=True) @ tl.ones(1, requires_grad=True)) == [(), ()]
    assert summed(w.expand(4, 3)) == [(0,)]
    assert summed(tl.maximum(tl.ones(1, 3, requires_grad=True), x)) == [(), (0,)]
    assert summed(x.sum(0)) == [()]


def test_what_is_said_to_be_summed_is_what_the_engine_sums():
    x, w, b = leaves()
    y = (x * w).where(x > 2, b).sum()
    graph = tl.autograd.graph(y)
    seen = {}
    nodes = {}
    waiting = [y.grad_fn]
    while waiting:
        node = waiting.pop()
        if node not in nodes:
            nodes[node] = node.name()
            waiting += [way for way, _ in node.next_functions if way is not None]
            if node.next_functions:
                node.register_prehook(
                    lambda came, node=node: seen.update({node: node.gradients(*came, False)})
                )
    tl.autograd.grad(y, (x, w, b))
    for node, left in seen.items():
        (number,) = (one.id for one in graph.nodes if one.name == node.name())
        for edge in graph.edges:
            if edge.source == number:
                assert (left[edge.operand].shape != graph.nodes[edge.target].shape) == bool(edge.summed)


def test_a_fan_in_says_how_many_gradients_it_adds():
    x, _, _ = leaves()
    h = x.exp()
    words = texts(tl.autograd.graph((h * h + h).sum()).svg())
    assert words.count("adds 3 gradients") == 1


def test_the_drawing_says_in_words_what_it_shows():
    x, w, b = leaves()
    svg = tl.autograd.graph((x * w + b).sum()).svg({"w": w})
    label = ElementTree.fromstring(svg).find(f"{SVG}desc").text
    assert "1 AddBackward0, shape (2, 3), leads to 3 and 2 summed over 0, 1" in label
    assert re.search(r"\d AccumulateGrad, w, shape \(3,\)", label)


def test_a_notebook_shows_the_drawing_with_a_caption():
    x, w, b = leaves()
    graph = tl.autograd.graph((x * w + b).tanh().sum())
    shown = graph._repr_html_()
    assert "4 operations and 3 leaves; kept by the graph alone: 24 bytes." in shown
    assert graph._repr_svg_() == graph.svg()
    assert "No graph" in tl.autograd.graph(tl.ones(2))._repr_html_()


def test_a_large_graph_is_drawn_in_part_and_says_so():
    y = tl.ones(2, requires_grad=True)
    for _ in range(500):
        y = y * 1.01
    graph = tl.autograd.graph(y)
    assert "The youngest 24 of 501 nodes are drawn." in graph._repr_html_()
    words = texts(graph.svg(most=3))
    assert "498 older nodes, not drawn" in words
    assert sum("MulBackward0" in word for word in words) == 3
    with pytest.raises(ValueError, match="at least one node is drawn, got most=0"):
        graph.svg(most=0)
    with pytest.raises(ValueError, match="no graph to draw"):
        tl.autograd.graph(tl.ones(2)).svg()


def test_names_are_escaped():
    x, _, _ = leaves()
    assert "a<b (2, 3)" in texts(tl.autograd.graph(x.sum()).svg({"a<b": x}))


# ---- the layout


def circuits():
    """Random graphs whose edges lead from a lower number to a higher one."""
    for seed in range(60):
        dice = random.Random(seed)
        count = dice.randrange(1, 14)
        pairs = [(a, b) for a, b in itertools.combinations(range(count), 2) if dice.random() < 0.25]
        yield [(dice.uniform(20, 120), dice.uniform(20, 60)) for _ in range(count)], pairs


def apart(one, other, gap):
    (x, y, width, height), (left, top, wide, high) = one, other
    return (
        x + width + gap <= left + 1e-6
        or left + wide + gap <= x + 1e-6
        or y + height <= top + 1e-6
        or top + high <= y + 1e-6
    )


def test_boxes_stand_apart_and_edges_lead_down():
    for sizes, edges in circuits():
        drawing = placed(sizes, edges, gap=(20, 30))
        boxes = [(place.x, place.y, *size) for place, size in zip(drawing.places, sizes, strict=True)]
        for one, other in itertools.combinations(boxes, 2):
            assert apart(one, other, 20)
        for place, (width, height) in zip(drawing.places, sizes, strict=True):
            assert -1e-6 <= place.x <= drawing.width - width + 1e-6
            assert 0 <= place.y <= drawing.height - height + 1e-6
        for (source, target), route in zip(edges, drawing.routes, strict=True):
            assert [y for _, y in route] == sorted(y for _, y in route)
            assert drawing.places[source].layer < drawing.places[target].layer
            assert route[0][1] == pytest.approx(drawing.places[source].y + sizes[source][1])
            assert route[-1][1] == drawing.places[target].y


def test_edges_pass_beside_the_boxes():
    for sizes, edges in circuits():
        drawing = placed(sizes, edges, gap=(20, 30))
        for route in drawing.routes:
            for (x, top), (_, bottom) in itertools.pairwise(route[1:-1]):
                for place, (width, height) in zip(drawing.places, sizes, strict=True):
                    inside = top < place.y + height and place.y < bottom
                    assert not inside or x <= place.x or place.x + width <= x


def test_crossings_are_counted_and_avoided():
    assert crossings([[0, 1], [2, 3]], [(0, 3), (1, 2)]) == 1
    assert crossings([[0, 1], [2, 3]], [(0, 2), (1, 3)]) == 0
    assert crossings([[0, 1], [2, 3]], [(0, 2), (0, 3), (1, 2), (1, 3)]) == 1
    crossed = placed([(40, 20)] * 6, [(0, 5), (1, 4), (2, 3)])
    order = sorted(range(6), key=lambda box: (crossed.places[box].layer, crossed.places[box].x))
    assert [{0: 5, 1: 4, 2: 3}[box] for box in order[:3]] == order[3:]


def test_a_circle_is_refused():
    with pytest.raises(ValueError, match="lead in a circle: 2 of 3 boxes"):
        placed([(1, 1)] * 3, [(0, 1), (1, 2), (2, 1)])
    assert placed([], []).height == 0


def test_boxes_of_a_drawing_stand_apart():
    x, w, b = leaves()
    svg = tl.autograd.graph(((x * w + b).tanh() * (x - w)).sum()).svg()
    for one, other in itertools.combinations(rectangles(svg), 2):
        assert apart(one, other, 0)
