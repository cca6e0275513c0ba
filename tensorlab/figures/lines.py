"""The cache lines that a walk fetches, and how much of each it uses."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from tensorlab.core import layout
from tensorlab.core.integers import ceil_div
from tensorlab.figures.svg import CELL, Figure, cell, drawing, label
from tensorlab.tensor import Tensor

__all__ = ["fetched_lines"]

_TITLE, _COUNT, _TOP = 16, 36, 50  # baselines of the two lines of text, top of the storage
_MARK = 62  # room beside a line for the word that says that it was fetched


def fetched_lines(walks: Mapping[str, Tensor], per_line: int, caption: str) -> Figure:
    """Return a figure with one drawing a walk: the storage, one cache line a row, and the cells used.

    Args:
        walks: name -> tensor whose elements are the walk.
        per_line: cells in a cache line; line 0 begins with cell 0.
        caption: what to see.

    Raises:
        ValueError: a line has no cells.

    Example:
        >>> import tensorlab as tl
        >>> figure = fetched_lines({"one row": tl.arange(8)[4:]}, 4, "One line.")
        >>> "1 of 2 lines fetched, 4 of 4 numbers used" in figure.drawings[0]
        True
    """
    if per_line < 1:
        raise ValueError(f"a cache line has at least one cell, got per_line={per_line}")
    return Figure([_panel(name, walk, per_line) for name, walk in walks.items()], caption)


def _panel(name: str, walk: Tensor, per_line: int) -> str:
    cells = walk.storage().tolist()
    indices = itertools.product(*map(range, walk.shape))
    used = {layout.flat_index(index, walk.stride(), walk.storage_offset()) for index in indices}
    fetched = {address // per_line for address in used}
    lines = ceil_div(len(cells), per_line)
    count = f"{len(fetched)} of {lines} lines fetched, {len(used)} of {len(fetched) * per_line} numbers used"
    parts = [label(0, _TITLE, name, size=15, bold=True), label(0, _COUNT, count, "soft")]
    for address, value in enumerate(cells):
        line, place = divmod(address, per_line)
        kind = "reach" if address in used else "rest"
        parts.append(cell(place * CELL, _TOP + line * CELL, f"{value:g}", kind))
    for line in sorted(fetched):
        parts.append(_mark(per_line * CELL, _TOP + line * CELL))
    return drawing(per_line * CELL + _MARK, _TOP + lines * CELL + 4, f"{name}: {count}", parts)


def _mark(x: float, y: float) -> str:
    """A frame around a fetched line, and the word beside it."""
    frame = (
        f'<rect x="1" y="{y + 1:g}" width="{x - 2:g}" height="{CELL - 2:g}" rx="2" '
        f'style="fill:none;stroke:var(--tl-stride, #9a580a);stroke-width:2"/>'
    )
    return frame + label(x + 8, y + CELL / 2 + 4.5, "fetched", "stride")
