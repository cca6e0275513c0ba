"""Operations that move numbers, and the ways back of their gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tensorlab.figures.elements import Elements
from tensorlab.figures.figure import Figure
from tensorlab.figures.ink import memory
from tensorlab.figures.scene import Scene

if TYPE_CHECKING:
    from tensorlab.tensor import Tensor

__all__ = ["there_and_back"]


def there_and_back(
    x: Tensor, operations: Mapping[str, Callable[[Tensor], Tensor]], caption: str = ""
) -> Figure:
    """Return a figure of operations, with what each makes of `x` above, and what comes back for `x` below.

    The gradients that set out are 1, 10, 100, …, so that the digits of what arrives say which were added.

    Args:
        x: floats, of up to two dimensions.
        operations: what is written over a panel -> the operation, which moves numbers or reads them again.
        caption: what to see.

    Example:
        >>> import tensorlab as tl
        >>> figure = there_and_back(tl.arange(3.0), {"x[[0, 0]]": lambda x: x[[0, 0]]}, "11 is 1 and 10.")
        >>> "x[[0, 0]]: 1, 10 set out, and 11, 0, 0 come back" in figure._repr_html_()
        True
    """
    import tensorlab as tl

    panels = {}
    for name, operation in operations.items():
        leaf = x.detach().clone().requires_grad_()
        made = operation(leaf)
        start = tl.tensor([10.0**k for k in range(made.numel())], dtype=x.dtype).reshape(made.shape)
        (back,) = tl.autograd.grad(made, [leaf], start)
        places = operation(tl.arange(float(x.numel())).reshape(x.shape))
        panels[name] = [Elements(t) for t in (leaf.detach(), made.detach(), back, start, places)]
    says = "; ".join(
        f"{name}: {_listed(start)} set out, and {_listed(back)} come back"
        for name, (_, _, back, start, _) in panels.items()
    )
    last = max(x.numel() - 1, 1)

    def draw(width: float) -> Scene:
        s, y, lowest = Scene(width, "There and back", says), 0.0, 0.0
        across = 2 if s.wide else 1
        for number, (name, (given, made, back, start, places)) in enumerate(panels.items()):
            if number % across == 0 and number:
                y = lowest + 34
            left = number % across * width / across
            s.text(left, y + 14, name, size=14, bold=True, mono=True)
            fills = [[memory(float(place) / last) for place in row] for row in places.values]
            top, size = y + 30, 38
            source = s.grid(left + 1, top, given.values, given.fills(), size)
            result = s.grid(source.right + 54, top, made.values, fills, size)
            s.arrow((source.right + 6, source.w[1]), (result.x - 6, source.w[1]), "reach")
            below = max(source.bottom, result.bottom) + 16
            arrived = s.grid(left + 1, below, back.values, "rest", size)
            sent = s.grid(result.x, below, start.values, "rest", size)
            s.arrow((sent.x - 6, arrived.w[1]), (arrived.right + 6, arrived.w[1]), "gradient")
            s.text(sent.right + 10, below + 24, "g", "gradient", 14, bold=True, mono=True)
            lowest = max(lowest, arrived.bottom, sent.bottom)
        return s

    return Figure(draw, caption)


def _listed(elements: Elements) -> str:
    return ", ".join(number for row in elements.values for number in row)
