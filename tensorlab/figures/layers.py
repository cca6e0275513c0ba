"""Where the boxes of a layered drawing stand: layers, the order in each, and the way of every edge.

An edge leads from one layer into a later one. Where it passes a layer between, it has a place of its own
there, so that no edge runs through a box. Pure functions of numbers; the page's own drawings
(widgets/tape_player/layers.js) follow the same steps.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Place", "Placed", "crossings", "placed"]

_SWEEPS = 12
_LANE = 14.0  # the width that an edge needs where it passes a layer
_STRAIGHT = 8  # how much more two lanes of one edge want to stand above each other than boxes do


@dataclass(frozen=True)
class Place:
    """Where a box stands: its left upper corner, and its layer, 0 for the first."""

    x: float
    y: float
    layer: int


@dataclass(frozen=True)
class Placed:
    """A drawing's boxes and edges.

    Attributes:
        places: one a box.
        routes: for each edge the points that it passes, from box to box.
        width, height: of the whole.
    """

    places: list[Place]
    routes: list[list[tuple[float, float]]]
    width: float
    height: float


def placed(
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[tuple[int, int]],
    gap: tuple[float, float] = (22.0, 40.0),
) -> Placed:
    """Lay out boxes so that every edge leads downward, with few crossings.

    Args:
        sizes: width and height of each box.
        edges: from one box to another, as positions in `sizes`; they must have no circle.
        gap: the room between neighbours of a layer, and between layers.

    Raises:
        ValueError: the edges lead in a circle.

    Example:
        >>> drawing = placed([(40, 20), (40, 20), (40, 20)], [(0, 1), (0, 2)], gap=(20, 30))
        >>> [(place.x, place.y) for place in drawing.places]
        [(30.0, 0.0), (0.0, 50.0), (60.0, 50.0)]
    """
    levels = _levels(len(sizes), edges)
    widths = [width for width, _ in sizes]
    chains: list[list[int]] = []  # each edge as the boxes and lanes that it passes
    for source, target in edges:
        lanes = range(len(widths), len(widths) + levels[target] - levels[source] - 1)
        levels += range(levels[source] + 1, levels[target])
        widths += [_LANE] * len(lanes)
        chains.append([source, *lanes, target])
    links = [link for chain in chains for link in itertools.pairwise(chain)]
    layers = _ordered(levels, links)
    centres = _centres(layers, links, widths, gap[0], len(sizes))
    left = min((centre - width / 2 for centre, width in zip(centres, widths, strict=True)), default=0.0)
    centres = [centre - left for centre in centres]
    tops, bottoms, y = [], [], 0.0
    for layer in layers:
        tops.append(y)
        y += max(sizes[box][1] if box < len(sizes) else 0.0 for box in layer)
        bottoms.append(y)
        y += gap[1]
    places = [
        Place(centres[box] - width / 2, tops[levels[box]], levels[box])
        for box, (width, _) in enumerate(sizes)
    ]
    routes = _routes(chains, centres, places, sizes, levels, tops, bottoms)
    right = max((centre + width / 2 for centre, width in zip(centres, widths, strict=True)), default=0.0)
    return Placed(places, routes, right, max(y - gap[1], 0.0))


def _levels(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """The layer of each box: one more than the deepest of those that lead to it."""
    waits = [0] * count
    for _, target in edges:
        waits[target] += 1
    levels = [0] * count
    ready = [box for box in range(count) if waits[box] == 0]
    done = 0
    while ready:
        box = ready.pop()
        done += 1
        for source, target in edges:
            if source == box:
                levels[target] = max(levels[target], levels[box] + 1)
                waits[target] -= 1
                if waits[target] == 0:
                    ready.append(target)
    if done < count:
        raise ValueError(f"the edges lead in a circle: {count - done} of {count} boxes have no layer")
    return levels


def _ordered(levels: Sequence[int], links: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The boxes and lanes of each layer from left to right: the order with the fewest crossings found."""
    layers: list[list[int]] = [[] for _ in range(max(levels, default=-1) + 1)]
    for box, level in enumerate(levels):
        layers[level].append(box)
    best, fewest = [list(layer) for layer in layers], crossings(layers, links)
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for layer in layers[1:] if down else layers[-2::-1]:
            _sort_by_neighbours(layer, layers, links, down)
        found = crossings(layers, links)
        if found < fewest:
            best, fewest = [list(layer) for layer in layers], found
    return best


def _sort_by_neighbours(
    layer: list[int], layers: Sequence[Sequence[int]], links: Sequence[tuple[int, int]], down: bool
) -> None:
    place = {box: position for one in layers for position, box in enumerate(one)}
    means: dict[int, float] = {}
    for box in layer:
        near = [
            place[source if down else target] for source, target in links if (source, target)[down] == box
        ]
        means[box] = sum(near) / len(near) if near else place[box]
    layer.sort(key=means.__getitem__)


def crossings(layers: Iterable[Sequence[int]], links: Sequence[tuple[int, int]]) -> int:
    """How many pairs of links between neighbouring layers cross."""
    place = {
        box: (number, position) for number, layer in enumerate(layers) for position, box in enumerate(layer)
    }
    ends = [(*place[source], place[target][1]) for source, target in links]
    return sum(
        one[0] == other[0] and (one[1] - other[1]) * (one[2] - other[2]) < 0
        for one, other in itertools.combinations(ends, 2)
    )


def _centres(
    layers: Sequence[Sequence[int]],
    links: Sequence[tuple[int, int]],
    widths: Sequence[float],
    gap: float,
    boxes: int,
) -> list[float]:
    """The centre of each box and lane: near its neighbours, and as far from those beside it as must be."""
    near: list[list[int]] = [[] for _ in widths]
    for source, target in links:
        times = _STRAIGHT if min(source, target) >= boxes else 1
        near[source] += [target] * times
        near[target] += [source] * times
    offsets = {}  # from the first of the layer, if all stand as close as they may
    for layer in layers:
        at = 0.0
        for before, box in zip([None, *layer], layer, strict=False):
            at += 0.0 if before is None else (widths[before] + widths[box]) / 2 + gap
            offsets[box] = at
    centres = [0.0] * len(widths)
    for layer in layers:
        for box in layer:
            centres[box] = offsets[box] - offsets[layer[-1]] / 2
    for sweep in range(2 * _SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            wished = [
                _mean([centres[other] for other in near[box]]) if near[box] else centres[box] for box in layer
            ]
            shifts = _rising([wish - offsets[box] for wish, box in zip(wished, layer, strict=True)])
            for shift, box in zip(shifts, layer, strict=True):
                centres[box] = shift + offsets[box]
    return centres


def _mean(numbers: Sequence[float]) -> float:
    """The mean as JavaScript computes it: from Python 3.12 on, `sum` compensates for rounding."""
    return functools.reduce(operator.add, numbers) / len(numbers)


def _rising(wishes: Sequence[float]) -> list[float]:
    """The numbers that never fall and lie nearest to the wishes: where wishes fall, their mean."""
    pools: list[tuple[float, int]] = []
    for wish in wishes:
        total, count = wish, 1
        while pools and pools[-1][0] / pools[-1][1] >= total / count:
            before, many = pools.pop()
            total, count = total + before, count + many
        pools.append((total, count))
    return [total / count for total, count in pools for _ in range(count)]


def _routes(
    chains: Sequence[Sequence[int]],
    centres: Sequence[float],
    places: Sequence[Place],
    sizes: Sequence[tuple[float, float]],
    levels: Sequence[int],
    tops: Sequence[float],
    bottoms: Sequence[float],
) -> list[list[tuple[float, float]]]:
    """The points of each edge: from its own place on a box, straight through its lanes, to the other."""
    leaving: dict[int, list[int]] = {}
    arriving: dict[int, list[int]] = {}
    for number, chain in enumerate(chains):
        leaving.setdefault(chain[0], []).append(number)
        arriving.setdefault(chain[-1], []).append(number)
    for found, step in ((leaving, 1), (arriving, -2)):
        for numbers in found.values():
            numbers.sort(key=lambda number, step=step: centres[chains[number][step]])  # type: ignore[misc]

    def port(box: int, number: int, found: dict[int, list[int]]) -> float:
        numbers = found[box]
        width = sizes[box][0]
        spread = min(width * 0.6 / len(numbers), 28.0)
        return places[box].x + width / 2 + (numbers.index(number) - (len(numbers) - 1) / 2) * spread

    routes = []
    for number, chain in enumerate(chains):
        source, *lanes, target = chain
        points = [(port(source, number, leaving), places[source].y + sizes[source][1])]
        for lane in lanes:
            points += [(centres[lane], tops[levels[lane]]), (centres[lane], bottoms[levels[lane]])]
        points.append((port(target, number, arriving), places[target].y))
        routes.append(points)
    return routes
