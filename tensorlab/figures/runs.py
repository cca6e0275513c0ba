"""The cells of a tensor in the order in which its elements are read, and where the step changes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from tensorlab.core import layout
from tensorlab.figures.svg import CELL, Figure, cell, drawing, label
from tensorlab.tensor import Tensor

__all__ = ["in_reading_order"]

_GAP = 12  # between two runs
_LINE = 12  # cells in one line of the drawing
_TOP = 46


def in_reading_order(tensors: Mapping[str, Tensor], caption: str) -> Figure:
    """Return a figure: for each tensor its storage cells, element after element, cut into runs.

    A run ends where the distance to the next cell is another one than before. Runs are drawn apart, with the
    distance written under the gap.

    Args:
        tensors: name -> tensor of at least one element.
        caption: what to see.

    Example:
        >>> import tensorlab as tl
        >>> figure = in_reading_order({"x": tl.arange(6).view(2, 3).t()}, "Six cells, three runs.")
        >>> "runs of cells 0 3, 1 4, 2 5" in figure._repr_html_()
        True
    """
    return Figure([_panel(name, x) for name, x in tensors.items()], caption)


def runs_of(x: Tensor) -> list[list[int]]:
    """The cells of `x` in order, cut wherever the distance to the next one changes within its shape."""
    indices = itertools.product(*map(range, x.shape))
    cells = [layout.flat_index(index, x.stride(), x.storage_offset()) for index in indices]
    sizes, _ = layout.merge_axes(x.shape, x.stride())
    length = sizes[-1] if sizes else 1
    return [cells[start : start + length] for start in range(0, len(cells), length)]


def _panel(name: str, x: Tensor) -> str:
    parts = [
        label(0, 16, name, size=15, bold=True),
        label(0, 36, f"shape {tuple(x.shape)}", "shape"),
        label(118, 36, f"stride {x.stride()}", "stride"),
    ]
    runs = runs_of(x)
    left, top, widest, before = 0.0, _TOP, 236.0, None
    for run in runs:
        if left + len(run) * CELL > _LINE * CELL + 3 * _GAP:
            left, top = 0.0, top + CELL + 26
        if before is not None and left:
            jump = f"{run[0] - before:+d}"
            parts.append(label(left - _GAP / 2, top + CELL + 13, jump, "stride", size=11, anchor="middle"))
        for address in run:
            parts.append(cell(left, top, str(address), "reach"))
            left += CELL
        if len(run) > 1:
            step = f"steps of {run[1] - run[0]}"
            middle = left - len(run) * CELL / 2
            parts.append(label(middle, top + CELL + 13, step, "soft", size=11, anchor="middle"))
        widest, left, before = max(widest, left), left + _GAP, run[-1]
    spelled = ", ".join(" ".join(map(str, run)) for run in runs)
    says = f"{name}: shape {tuple(x.shape)}, stride {x.stride()}; runs of cells {spelled}"
    return drawing(widest, top + CELL + 20, says, parts)
