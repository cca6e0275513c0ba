"""What depends on places: index tensors, masks, and elements in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlab.backends.numpy.cells import converted, elements
from tensorlab.backends.numpy.compute import quiet
from tensorlab.backends.operands import Buffer
from tensorlab.backends.protocol import IndexLayout, Walk
from tensorlab.core.dtypes import dtype

__all__ = ["Indexing", "Ordering"]

_AT = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


class Indexing:
    """The methods of `tensorlab.backends.protocol.Core`."""

    @staticmethod
    def indexed(
        action: str,
        shape: tuple[int, ...],
        target: tuple[int, ...],
        other: tuple[int, ...],
        indices: tuple[IndexLayout, ...],
    ) -> Callable[..., bool]:
        """See `tensorlab.backends.protocol.Core.indexed`."""

        def launch(to: Buffer, source: Buffer, *index_buffers: Buffer) -> bool:
            gathers = action == "gather"
            cells, first = source if gathers else to
            led = first + _numbered(shape, other if gathers else target)
            outside = np.zeros(shape, bool)
            for layout, buffer in zip(indices, index_buffers, strict=True):
                index = elements(buffer, shape, layout.strides).astype(np.int64)
                outside |= (index < layout.low) | (index >= layout.size)
                led = led + np.where(index < 0, index + layout.size, index) * layout.step
            if gathers:
                elements(to, shape, target)[~outside] = cells[led[~outside]]
                return bool(outside.any())
            led, values = led.reshape(-1), elements(source, shape, other).reshape(-1)
            if action == "replace":
                cells[led] = values
            else:
                _AT[action].at(cells, led, values)
            return False

        return quiet(launch)

    @staticmethod
    def outside(
        shape: tuple[int, ...], strides: tuple[int, ...], low: int, high: int
    ) -> Callable[[Buffer], int]:
        """See `tensorlab.backends.protocol.Core.outside`."""

        def count(buffer: Buffer) -> int:
            index = elements(buffer, shape, strides).astype(np.int64)
            return int(np.count_nonzero((index < low) | (index >= high)))

        return count

    @staticmethod
    def compact(action: str, walk: Walk, line: Any = None) -> int:
        """See `tensorlab.backends.protocol.Core.compact`."""
        found = _operand(walk, 0) != 0
        if action == "positions":
            line[...] = np.nonzero(found)
        elif action == "select":
            line[...] = _operand(walk, 1)[found]
        elif action != "count":
            _operand(walk, 1)[found] = line
        return int(np.count_nonzero(found))


class Ordering:
    """The methods of `tensorlab.backends.protocol.Core`."""

    @staticmethod
    def search(
        places: np.ndarray,
        numbers: np.ndarray,
        sequences: np.ndarray,
        order: np.ndarray,
        length: int,
        several: int,
        after: bool,
    ) -> None:
        """See `tensorlab.backends.protocol.Core.search`."""
        start = np.arange(numbers.size) // max(several, 1) * length
        low, high = np.zeros(numbers.size, np.int64), np.full(numbers.size, length)
        while (open_ := np.flatnonzero(low < high)).size:
            middle = (low[open_] + high[open_]) // 2
            place = start[open_] + middle
            place = start[open_] + order[place] if order.size else place
            element, number = sequences[place], numbers[open_]
            # Put as a negation, so that a NaN in the sequence comes before every number, as in PyTorch.
            more = ~(element > number if after else element >= number)
            low[open_] = np.where(more, middle + 1, low[open_])
            high[open_] = np.where(more, high[open_], middle)
        places[...] = low

    @staticmethod
    def rank(
        cells: np.ndarray,
        element_type: dtype,
        size: int,
        backwards: bool,
        values: np.ndarray,
        places: np.ndarray,
        stable: bool = True,
    ) -> bool:
        """See `tensorlab.backends.protocol.Core.rank`."""
        rows = cells.reshape(-1, size)
        count = places.size // len(rows)
        found = _order(converted(rows.view(element_type.cell), element_type), backwards)[:, :count]
        places[...] = found.reshape(-1)
        if values.size:
            values[...] = np.take_along_axis(rows, found, -1).reshape(-1)
        return True

    @staticmethod
    def kth_cell(
        cells: np.ndarray,
        start: int,
        shape: Sequence[int],
        strides: Sequence[int],
        element_type: dtype,
        rule: str,
        k: int = 0,
        bounds: tuple[int, int] | None = None,
    ) -> int:
        """See `tensorlab.backends.protocol.Core.kth_cell`."""
        numbered = (start + _numbered(shape, strides)).reshape(-1)
        x = converted(cells[numbered].view(element_type.cell), element_type)
        known = int(np.count_nonzero(x == x))
        if rule == "median":
            k = (x.size - 1) // 2 if known == x.size else known
        elif rule == "nanmedian":
            k = max(known - 1, 0) // 2
        return int(numbered[np.argsort(x, kind="stable")[k]])


def _numbered(shape: Sequence[int], strides: Sequence[int]) -> np.ndarray:
    """How far from the first element's cell each element's cell lies."""
    found = np.zeros(tuple(shape), np.int64)
    for dim, (size, stride) in enumerate(zip(shape, strides, strict=True)):
        found += (np.arange(size) * stride).reshape([-1 if d == dim else 1 for d in range(len(shape))])
    return found


def _operand(walk: Walk, position: int) -> np.ndarray:
    return elements(walk.buffers[position], walk.shape, walk.strides[position])


def _order(rows: np.ndarray, backwards: bool) -> np.ndarray:
    """The places of each row's elements in order; equal ones stay as they stand, and NaN is the greatest."""
    if not backwards:
        return np.argsort(rows, axis=-1, kind="stable")
    # Sorted backwards and read backwards, equal elements stand in their order again.
    return rows.shape[-1] - 1 - np.argsort(rows[..., ::-1], axis=-1, kind="stable")[..., ::-1]
