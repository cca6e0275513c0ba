"""Tensors drawn over the storage that they share."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from tensorlab.core import layout
from tensorlab.figures.svg import CELL, Figure, cell, drawing, label
from tensorlab.tensor import Tensor

__all__ = ["over_one_storage"]

_TITLE, _FACTS, _TOP = 16, 36, 48  # baselines of the two lines of text, top of the tensor's cells
_FACTS_WIDTH = 276  # what shape, stride and offset need beside each other


def over_one_storage(tensors: Mapping[str, Tensor], caption: str, hand: int | None = None) -> Figure:
    """Return a figure with one drawing a tensor: the tensor above, all cells of the storage below.

    The cells that the tensor reaches are filled; storage cell `hand` is ringed in the storage and wherever a
    tensor shows it.

    Args:
        tensors: name -> tensor of one or two dimensions, all over one storage and of one dtype.
        caption: what to see.
        hand: a storage cell.

    Raises:
        ValueError: a tensor has other than one or two dimensions, or does not share the others' storage.
    """
    first = next(iter(tensors.values()))
    for name, x in tensors.items():
        if x.dim() not in (1, 2):
            raise ValueError(f"{name} has {x.dim()} dimensions; a drawing shows 1 or 2")
        if x.untyped_storage().data_ptr() != first.untyped_storage().data_ptr() or x.dtype != first.dtype:
            raise ValueError(f"{name} and {next(iter(tensors))} do not look into one storage with one dtype")
    deepest = max(_rows(x) for x in tensors.values())
    return Figure([_panel(name, x, deepest, hand) for name, x in tensors.items()], caption)


def _rows(x: Tensor) -> int:
    return x.shape[0] if x.dim() == 2 else 1


def _panel(name: str, x: Tensor, deepest: int, hand: int | None) -> str:
    """One tensor over its storage; `deepest` rows are left for the tensor, so that neighbours line up."""
    shape, strides, offset = tuple(x.shape), x.stride(), x.storage_offset()
    cells = x.storage().tolist()
    below = _TOP + deepest * CELL + 40
    where = {i: layout.flat_index(i, strides, offset) for i in itertools.product(*map(range, shape))}
    reached = set(where.values())

    def kind(address: int) -> str:
        return "hand" if address == hand else "reach" if address in reached else "rest"

    parts = [
        label(0, _TITLE, name, size=15, bold=True),
        label(0, _FACTS, f"shape {shape}", "shape"),
        label(104, _FACTS, f"stride {strides}", "stride"),
        label(210, _FACTS, f"offset {offset}", "offset"),
    ]
    for index, address in where.items():
        row, column = index if len(index) == 2 else (0, index[0])
        parts.append(cell(column * CELL, _TOP + row * CELL, f"{cells[address]:g}", kind(address)))
    parts.append(label(0, below - 22, "its storage", "soft"))
    parts.append(_flag(offset * CELL + CELL / 2, below))
    for address, value in enumerate(cells):
        left = address * CELL
        parts.append(cell(left, below, f"{value:g}", kind(address)))
        parts.append(
            label(left + CELL / 2, below + CELL + 14, f"{address}", "soft", size=11, anchor="middle")
        )
    reads = f"it reaches storage cells {sorted(reached)}"
    says = f"{name}: shape {shape}, stride {strides}, offset {offset}; {reads}"
    width = max(len(cells) * CELL, shape[-1] * CELL, _FACTS_WIDTH)
    return drawing(width, below + CELL + 20, says, parts)


def _flag(x: float, y: float) -> str:
    """The offset's mark: a small flag on the first cell."""
    return (
        f'<path d="M{x:g} {y:g} V{y - 14:g} L{x + 10:g} {y - 10:g} L{x:g} {y - 6:g}" stroke-width="1.5" '
        f'style="stroke:var(--tl-offset, #2f7d4a);fill:var(--tl-offset, #2f7d4a)"/>'
    )
