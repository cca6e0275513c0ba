"""What is alive when: tensors as bars of time, and bytes as a line over a program."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorlab.figures.figure import Figure
from tensorlab.figures.plots import plot
from tensorlab.figures.scene import Scene

if TYPE_CHECKING:
    from tensorlab.autograd.profiling import profile
    from tensorlab.tensor import Tensor

__all__ = ["alive_when", "bytes_over_time", "watched"]


def alive_when(
    lives: Mapping[str, Sequence[bool]], forward: Sequence[str], backward: Sequence[str], caption: str = ""
) -> Figure:
    """Return a figure: for each tensor a bar over the moments at which it is alive.

    Args:
        lives: name -> for each moment, those of the forward pass first, whether the tensor is alive after it.
        forward, backward: the names of the moments.
        caption: what to see.

    Raises:
        ValueError: a tensor has not one entry a moment, or there is nothing to draw.

    Example:
        >>> figure = alive_when({"h": [True, True, False]}, ["exp", "sum"], ["back"], "h waits.")
        >>> "h is alive after exp, sum" in figure._repr_html_()
        True
    """
    moments = [*forward, *backward]
    if not lives or any(len(alive) != len(moments) for alive in lives.values()):
        raise ValueError(f"give at least one tensor, each with an entry for the {len(moments)} moments")
    says = "; ".join(
        f"{name} is alive after "
        + (", ".join(moment for moment, here in zip(moments, alive, strict=True) if here) or "no moment")
        for name, alive in lives.items()
    )

    def draw(width: float) -> Scene:
        s = Scene(width, "Tensors over the moments at which they are alive", says)
        left = 12 + 8.4 * max(map(len, lives))
        pitch = (width - left) / len(moments)
        middle = left + pitch * len(forward)
        if forward:
            s.brace(left, middle - 3, 30, "forward", "shape", above=True)
        if backward:
            s.brace(middle + 3, width, 30, "backward", "gradient", above=True)
        for number, moment in enumerate(moments):
            ink = "shape" if number < len(forward) else "gradient"
            if s.wide:
                s.text(left + pitch * (number + 0.5), 48, moment, ink, 12, "middle", mono=True)
            else:
                s.text(left + pitch * (number + 0.5), 48, number + 1, ink, 12, "middle", mono=True)
        for row, (name, alive) in enumerate(lives.items()):
            y = 60 + 30 * row
            s.text(0, y + 17, name, bold=True, mono=True)
            s.path(f"M{left:g} {y + 13:g}H{width:g}", "rule", bottom=y + 26)
            start = None
            for number, here in enumerate([*alive, False]):
                if here and start is None:
                    start = number
                elif not here and start is not None:
                    s.bar(left + pitch * start, y, pitch * (number - start), kind="forward")
                    start = None
        s.path(f"M{middle:g} 34V{60 + 30 * len(lives):g}", "gradient", 1.75, "4 4")
        return s

    return Figure(draw, caption)


def bytes_over_time(memories: Mapping[str, profile], caption: str = "", unit: int = 1000) -> Figure:
    """Return a figure: the bytes that live in some programs, change by change.

    Args:
        memories: name -> a meter that has measured a program; up to four.
        caption: what to see.
        unit: bytes that count as one on the axis; 1000 are a kB.

    Raises:
        ValueError: nothing was measured.

    Example:
        >>> import tensorlab as tl
        >>> with tl.autograd.profile() as memory:
        ...     x = tl.zeros(1000)
        ...     y = x + 1
        >>> "one: from (0, 0) to (2, 8)" in bytes_over_time({"one": memory})._repr_html_()
        True
    """
    names = {1: "bytes", 1000: "kB", 1_000_000: "MB"}
    lines = {
        name: _stairs([0.0, *(moment.live / unit for moment in memory.timeline)])
        for name, memory in memories.items()
    }
    return plot(lines, caption, x="change", y=names.get(unit, f"{unit} bytes"))


def _stairs(levels: Sequence[float]) -> tuple[list[float], list[float]]:
    """A line that stays at each level until the next change."""
    across, up = [0.0], [levels[0]]
    for number, level in enumerate(levels[1:], 1):
        across += [number, number]
        up += [up[-1], level]
    return across, up


def watched(
    steps: Sequence[tuple[str, Callable[[Any], Any]]], x: Tensor, segment: int = 0
) -> tuple[dict[str, list[bool]], list[str], list[str]]:
    """Run a chain of steps forward and backward, and see which results are alive after each of them.

    Each step takes the result of the one before, under one name, as ``h = step(h)``. The last one gives a
    tensor of one element.

    Args:
        steps: pairs of a name and a function.
        x: what the first step takes.
        segment: so many steps make a checkpoint; the last step is in none. 0 for no checkpoints.

    Returns:
        what `alive_when` takes: for each result but the last whether it is alive after each moment, the names
        of the moments of the forward pass, and of those of the backward pass. There are none of these where
        nothing was recorded.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.ones(4, requires_grad=True)
        >>> watched([("sin", tl.sin), ("exp", tl.exp), ("sum", tl.sum)], x)[0]
        {'sin': [True, False, False, False, False, False], 'exp': [False, True, True, True, False, False]}
    """
    names = [name for name, _ in steps[:-1]]
    made: dict[str, list[weakref.ref]] = {name: [] for name in names}
    moments: list[list[bool]] = []
    nodes: list[Any] = []

    def look() -> None:
        moments.append([any(ref() is not None for ref in made[name]) for name in names])

    def run(h: Any, part: Sequence[tuple[str, Callable[[Any], Any]]]) -> Any:
        again = len(moments) >= len(steps)
        for name, step in part:
            h = step(h)
            if name in made:
                made[name].append(weakref.ref(h.untyped_storage()))
            if not again:
                nodes.append(h.grad_fn)
                look()
        return h

    from tensorlab.utils.checkpoint import checkpoint  # figures are imported before the operations are

    h: Any = x
    for start in range(0, len(names), segment or len(steps)):
        part = steps[start : min(start + (segment or len(steps)), len(names))]
        h = checkpoint(run, h, part) if segment else run(h, part)
    h = steps[-1][1](h)
    nodes.append(h.grad_fn)
    look()
    if not h.requires_grad:
        return _by_name(names, moments), [name for name, _ in steps], []
    for node in nodes[:-1]:
        node.register_prehook(lambda gradients: look())
    del node
    nodes.clear()
    h.backward()
    look()
    return _by_name(names, moments), [name for name, _ in steps], [name for name, _ in reversed(steps)]


def _by_name(names: Sequence[str], moments: Sequence[Sequence[bool]]) -> dict[str, list[bool]]:
    return {name: [moment[place] for moment in moments] for place, name in enumerate(names)}
