"""Whose memory a tensor looks into, proven: the grader writes what nobody can foresee, and reads again.

A box tells of a storage by its number, and code in the box can make it tell anything. So new numbers go into
the memory of the arguments, drawn outside: a view shows them, and nothing else does.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from typing import Any

from tensorlab.grading.inside.strided import Strided, layout_of
from tensorlab.grading.inside.values import same


def tensors(value: Any) -> Iterator[Strided]:
    """The tensors in a decoded value, from left to right."""
    if isinstance(value, Strided):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from tensors(item)


def redrawn(args: Sequence[Any]) -> list[Strided]:
    """The storages among the arguments of a call, with other numbers in all of their cells.

    Example:
        >>> from tensorlab.grading.inside.strided import strided
        >>> (line,) = redrawn((strided((2, 3)), 1))
        >>> line.shape, any(map(float.__eq__, line.cells, strided((2, 3)).cells))
        ((6,), False)
    """
    storages = {told.storage: told for told in tensors(tuple(args))}
    return [
        Strided(told.dtype, (len(told.cells),), (1,), 0, _others(told.cells), told.storage)
        for told in storages.values()
    ]


def _others(cells: Sequence[Any]) -> tuple[Any, ...]:
    """Numbers of the same types that are not these, and that every dtype holds exactly."""
    return tuple(map(_another, cells, secrets.token_bytes(len(cells))))


def _another(cell: Any, byte: int) -> Any:
    if isinstance(cell, bool):
        return not cell
    drawn = byte % 119 + 1
    return type(cell)(drawn if drawn != cell else 120)


def is_proven(before: Any, after: Any, written: Sequence[Strided]) -> bool:
    """Whether all tensors of an answer show what was written into the storages that they look into.

    Args:
        before, after: the answer, decoded, as it was told before and after the writing.
        written: what `redrawn` gave. Of a storage that is told in another dtype, or with another number of
            cells, nothing is said.
    """
    lines = {line.storage: line for line in written}
    old, new = list(tensors(before)), list(tensors(after))
    return len(old) == len(new) and all(map(lambda x, y: _shows(x, y, lines), old, new))


def _shows(old: Strided, new: Strided, lines: dict[int, Strided]) -> bool:
    line = lines.get(old.storage)
    if line and (line.dtype is not old.dtype or len(line.cells) != len(old.cells)):
        return True
    cells = line.cells if line else old.cells
    return layout_of(old) == layout_of(new) and same(new.cells, cells)
