"""What a network owns: its modules as a tree, with the shapes of their parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tensorlab.figures.figure import Figure
from tensorlab.figures.scene import Scene

if TYPE_CHECKING:
    from tensorlab.nn import Module

__all__ = ["module_tree"]


def module_tree(model: Module, caption: str = "") -> Figure:
    """Return a figure of a module and the modules in it, a line each, with the parameters that they own.

    A parameter that stands in several places is one object: it is teal from its second place on, and says
    under which name it is found.

    Args:
        model: the module.
        caption: what to see.

    Example:
        >>> import tensorlab as tl
        >>> figure = module_tree(tl.nn.Sequential(tl.nn.Linear(2, 3), tl.nn.ReLU()), "One layer has weights.")
        >>> "0 Linear: 0.weight (3, 2), 0.bias (3,)" in figure._repr_html_()
        True
    """
    rows = list(_rows(model, "", 0, {}))
    says = "; ".join(
        f"{name or 'the whole'} {kind}"
        + (": " + ", ".join(told for _, told, _ in parameters) if parameters else "")
        for name, kind, _, parameters in rows
    )

    def draw(width: float) -> Scene:
        s, y = Scene(width, "A network and what it owns", says), 0.0
        indent = 34 if s.wide else 16
        for name, kind, depth, parameters in rows:
            x = 6 + depth * indent
            words = name.rpartition(".")[2] or "model"
            if depth:
                s.path(f"M{x - indent + 8:g} {y + 16:g}H{x - 4:g}", "edge")
            box = s.node(x, y, [f"{words}: {kind}"], "edge", 24 + 8.1 * (len(words) + len(kind) + 2))
            left, level = (box.right + 14, y) if s.wide else (x + 14, box.bottom + 4)
            for label, _, first in parameters:
                room = 22 + 7.4 * len(label)
                if left + room > width:
                    left, level = (box.right + 14 if s.wide else x + 14), level + 34
                ribbon = s.saved(left, level + 3, label, shared=not first)
                left = ribbon.right + 8
            y = max(box.bottom, level + 30 if parameters else 0) + 10
        s.path("", "rule", bottom=y - 6)
        return s

    return Figure(draw, caption)


def _rows(
    module: Module, path: str, depth: int, first_names: dict[int, str]
) -> Iterator[tuple[str, str, int, list[tuple[str, str, bool]]]]:
    """Each module: its name, class, depth, and of each parameter a label, its words, and if it is new."""
    parameters = []
    for name, parameter in module._parameters.items():
        if parameter is None:
            continue
        full = f"{path}.{name}" if path else name
        new = id(parameter) not in first_names
        known = first_names.setdefault(id(parameter), full)
        shape: Any = tuple(parameter.shape)
        label = f"{name} {shape}" if new else f"is {known}"
        parameters.append((label, f"{full} {shape}" if new else f"{full} is {known}", new))
    yield path, type(module).__name__, depth, parameters
    for name, child in module._modules.items():
        if child is not None:
            yield from _rows(child, f"{path}.{name}" if path else name, depth + 1, first_names)
