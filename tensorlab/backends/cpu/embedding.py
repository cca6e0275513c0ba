"""Rows of a table by their numbers; and, on the way back, rows added to where they came from."""

from __future__ import annotations

from types import ModuleType

import numpy as np

from tensorlab.backends.cpu import jit
from tensorlab.backends.cpu.cell import Number, widen
from tensorlab.backends.cpu.levels import assemble
from tensorlab.backends.cpu.pointers import at
from tensorlab.backends.operands import Buffer
from tensorlab.core.dtypes import dtype

__all__ = ["add_rows", "take_rows"]


def copy_row(width, row, out):
    """One row, cell by cell."""
    for j in range(width):
        out[j] = row[j]


def add_row(width, row, factor, total):
    """One row, times a factor, added."""
    for j in range(width):
        total[j] += widen(row[j]) * factor


def take(width, table, start, step, size, numbers, out):
    """Rows one after the other. Returns the place of the first number that is no row, or -1."""
    for place in range(numbers.size):
        number_ = numbers[place]
        if number_ < 0 or number_ >= size:
            return place
        copy_row(width, at(table, start + number_ * step), at(out, place * width))
    return -1


def collect(width, rows, numbers, passed, counts, totals):
    """Rows added up by their numbers, but those numbered `passed`; divided by `counts` if there are any."""
    for place in range(numbers.size):
        number_ = numbers[place]
        if number_ != passed:
            factor = Number(1) / Number(counts[number_]) if counts.size else Number(1)
            add_row(width, at(rows, place * width), factor, at(totals, number_ * width))


_modules: dict[dtype, ModuleType] = {}


def _module(element_type: dtype) -> ModuleType:
    found = _modules.get(element_type)
    if found is None:
        text = assemble("rows of a table", element_type, blocks=[copy_row, add_row], kernels=[take, collect])
        found = _modules[element_type] = jit.load(f"embedding_{element_type.name}", text)
    return found


def take_rows(
    element_type: dtype, width: int, table: Buffer, step: int, size: int, numbers: np.ndarray
) -> tuple[np.ndarray, int]:
    """See `tensorlab.backends.layers.LayerOperations.take_rows`."""
    out = np.empty(numbers.size * width, element_type.cell)
    return out, _module(element_type).take(width, *table, step, size, numbers, out)


def add_rows(
    element_type: dtype,
    width: int,
    rows: np.ndarray,
    numbers: np.ndarray,
    passed: int,
    counts: np.ndarray,
    totals: np.ndarray,
) -> None:
    """See `tensorlab.backends.layers.LayerOperations.add_rows`."""
    _module(element_type).collect(width, rows, numbers, passed, counts, totals)
