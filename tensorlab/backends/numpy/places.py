"""What depends on places: index tensors, masks, and elements in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tensorlab.backends.numpy.cells import converted, elements
from tensorlab.backends.numpy.compute import quiet
from tensorlab.backends.operands import Buffer, Launch
from tensorlab.backends.protocol import IndexLayout
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
    def compact(action: str, shape: Sequence[int], mask: Sequence[int], other: Sequence[int] = ()) -> Launch:
        """See `tensorlab.backends.protocol.Core.compact`."""

        def launch(line: Buffer, at: Buffer, cells: Buffer | None, count: int) -> None:
            found = elements(at, shape, mask) != 0
            if cells is None:
                elements(line, (len(shape), count), (count, 1))[...] = np.nonzero(found)
            elif action == "select":
                elements(line, (count,), (1,))[...] = elements(cells, shape, other)[found]
            else:
                elements(cells, shape, other)[found] = elements(line, (count,), (1,))

        return launch


class Ordering:
    """The methods of `tensorlab.backends.protocol.Core`."""

    @staticmethod
    def sort(
        element_type: dtype,
        rows: int,
        size: int,
        wanted: tuple[int, int],
        descending: bool,
        stable: bool = True,
    ) -> Launch:
        """See `tensorlab.backends.protocol.Core.sort`."""
        first, end = wanted

        def launch(places: Buffer, source: Buffer) -> None:
            keys = converted(elements(source, (rows, size), (size, 1)), element_type)
            found = _order(keys, descending)[:, first:end]
            elements(places, found.shape, (end - first, 1))[...] = found

        return launch


def _numbered(shape: Sequence[int], strides: Sequence[int]) -> np.ndarray:
    """How far from the first element's cell each element's cell lies."""
    found = np.zeros(tuple(shape), np.int64)
    for dim, (size, stride) in enumerate(zip(shape, strides, strict=True)):
        found += (np.arange(size) * stride).reshape([-1 if d == dim else 1 for d in range(len(shape))])
    return found


def _order(rows: np.ndarray, backwards: bool) -> np.ndarray:
    """The places of each row's elements in order; equal ones stay as they stand, and NaN is the greatest."""
    if not backwards:
        return np.argsort(rows, axis=-1, kind="stable")
    # Sorted backwards and read backwards, equal elements stand in their order again.
    return rows.shape[-1] - 1 - np.argsort(rows[..., ::-1], axis=-1, kind="stable")[..., ::-1]
