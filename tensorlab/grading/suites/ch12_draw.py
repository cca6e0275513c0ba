"""Tensors for the questions of chapter 12, and what counts as the same answer up to rounding."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from tensorlab.core import dtypes, layout
from tensorlab.grading.inside.strided import Strided, same_tensor, strided
from tensorlab.grading.inside.values import same

INF, NAN = math.inf, math.nan
FLOAT, DOUBLE = dtypes.float32, dtypes.float64
Shape = tuple[int, ...]


def table(*rows: tuple[float, ...], dtype: dtypes.dtype = FLOAT, storage: int = 1) -> Strided:
    """A tensor of two dimensions."""
    cells = [number for row in rows for number in row]
    return strided((len(rows), len(rows[0])), cells=cells, dtype=dtype, storage=storage)


def vector(*numbers: float, dtype: dtypes.dtype = FLOAT, storage: int = 1) -> Strided:
    """A tensor of one dimension."""
    return strided((len(numbers),), cells=numbers, dtype=dtype, storage=storage)


def turned(told: Strided) -> Strided:
    """The same elements in a transposed layout: as a view of a storage whose columns are whole."""
    rows, columns = told.shape
    cells = [told.elements[i * columns + j] for j in range(columns) for i in range(rows)]
    return strided((rows, columns), (1, rows), cells=cells, dtype=told.dtype, storage=told.storage)


def logits(source: Random, count: int, most: int = 6) -> list[float]:
    """Halves from -most to most, of which none comes twice where there are so many."""
    steps = range(-2 * most, 2 * most + 1)
    return [step / 2 for step in (source.sample if count < len(steps) else source.choices)(steps, k=count)]


def some(source: Random, shape: Shape, dtype: dtypes.dtype = FLOAT, storage: int = 1) -> Strided:
    """A tensor of such numbers."""
    return strided(shape, cells=logits(source, layout.numel(shape)), dtype=dtype, storage=storage)


def near(got: Any, want: Any) -> bool:
    """The answer that was wanted, up to rounding. How a new tensor lies in memory is left open."""
    if isinstance(got, Strided) and isinstance(want, Strided):
        return same_tensor(_in_rows(got), _in_rows(want), near)
    if isinstance(got, float) and isinstance(want, float):
        return same(got, want) or (math.isfinite(want) and abs(got - want) <= 1e-5 * max(1.0, abs(want)))
    if isinstance(want, tuple) and type(got) is tuple:
        return len(got) == len(want) and all(map(near, got, want))
    return same(got, want)


def _in_rows(told: Strided) -> Strided:
    return strided(told.shape, cells=told.elements, dtype=told.dtype, storage=told.storage)
