"""Distinct elements: the first of each run of equal ones, in a sorted copy or in the order of numbers.

Where it is asked to which run each element belongs, the memory of the answer holds the numbers of
`tensorlab.backends.cpu.ranking` first: sorted, they say which element stands where. Four bytes an element
keep the places while the answer is written over the numbers. To move each number along the cycles of the
permutation would need nothing beside, and takes several times as long.
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu import jit
from tensorlab.backends.cpu.intrinsics import lesser
from tensorlab.backends.cpu.ranking import BITS, MOST_KEY, number, numbering
from tensorlab.dtypes import dtype

__all__ = ["count_runs", "distinct", "order_rows", "row_runs", "take_runs"]

# Marks the place of an element that begins a run: no place has this bit.
BEGINS = np.uint32(1 << 31)


@jit.kernel()
def count_runs(cells):  # type: ignore[no-untyped-def]
    """See `tensorlab.backends.ordering.OrderOperations.count_runs`."""
    runs = min(1, cells.size)
    for i in range(1, cells.size):
        runs += int(cells[i] != cells[i - 1])
    return runs


@jit.kernel()
def take_runs(cells, values, counts, runs):  # type: ignore[no-untyped-def]
    """See `tensorlab.backends.ordering.OrderOperations.take_runs`."""
    run, start, first = 0, 0, cells[0]
    values[0] = first
    for i in range(cells.size):
        cell = cells[i]
        if i and cell != first:
            if counts.size:
                counts[run] = i - start
            run, start, first = run + 1, i, cell
            values[run] = cell
        if runs.size:
            runs[i] = run
    if counts.size:
        counts[run] = cells.size - start


def distinct(
    cells: np.ndarray, element_type: dtype, runs: np.ndarray, counted: bool
) -> tuple[np.ndarray, np.ndarray] | None:
    """See `tensorlab.backends.ordering.OrderOperations.distinct`."""
    kind = numbering(cells, element_type, cells.size, backwards=False) if cells.size < BEGINS else None
    if kind is None:
        return None
    keys = runs.view(np.uint64)
    number(cells, keys, cells.size, *kind)
    keys.sort()
    # What orders NaN is never the same; integers have no such number.
    unordered = MOST_KEY if BITS[element_type][1] else np.uint64(1 << 32)
    found = int(_count_numbers(keys, unordered))
    values, counts = np.empty(found, cells.dtype), np.empty(found if counted else 0, np.int64)
    places = np.empty(cells.size, np.uint32)
    _take_numbers(keys, unordered, cells, values, counts, places)
    _tell(places, runs)
    return values, counts


@jit.kernel()
def _count_numbers(keys, unordered):  # type: ignore[no-untyped-def]
    """How many runs there are among sorted numbers whose upper halves are compared."""
    runs = min(1, keys.size)
    for i in range(1, keys.size):
        key = keys[i] >> np.uint64(32)
        runs += int((key != keys[i - 1] >> np.uint64(32)) | (key == unordered))
    return runs


@jit.kernel()
def _take_numbers(keys, unordered, cells, values, counts, places):  # type: ignore[no-untyped-def]
    """The first cell of each run and its length; and all places in order, marked where a run begins."""
    run, start, first = -1, 0, np.uint64(0)
    for i in range(keys.size):
        key, place = keys[i] >> np.uint64(32), np.uint32(keys[i] & MOST_KEY)
        begins = run < 0 or key != first or key == unordered
        places[i] = place | BEGINS if begins else place
        if begins:
            if counts.size and run >= 0:
                counts[run] = i - start
            run, start, first = run + 1, i, key
            values[run] = cells[place]
    if counts.size:
        counts[run] = keys.size - start


@jit.kernel()
def _tell(places, runs):  # type: ignore[no-untyped-def]
    """To which run each element belongs."""
    run = -1
    for i in range(places.size):
        run += int(places[i] >= BEGINS)
        runs[places[i] & ~BEGINS] = run


@jit.helper
def _comes_before(rows: np.ndarray, a: int, b: int) -> bool:
    """Whether row a stands before row b: the first elements that differ decide, and NaN is the greatest."""
    for j in range(rows.shape[1]):
        x, y = rows[a, j], rows[b, j]
        if x < y or (x == x and y != y):
            return True
        if x > y or (x != x and y == y):
            return False
    return False


def order_rows(rows: np.ndarray, places: np.ndarray) -> None:
    """See `tensorlab.backends.ordering.OrderOperations.order_rows`."""
    _order_rows(rows, places, np.empty_like(places))


@jit.kernel()
def _order_rows(rows, places, merged):  # type: ignore[no-untyped-def]
    """Order rows by merging sorted runs of them. `merged` is room for as many places."""
    n, length = places.size, 1
    for i in range(n):
        places[i] = i
    while length < n:
        start = 0
        while start < n:
            middle, end = lesser(start + length, n), lesser(start + 2 * length, n)
            i, j = start, middle
            for to in range(start, end):
                if i < middle and (j == end or not _comes_before(rows, places[j], places[i])):
                    merged[to] = places[i]
                    i += 1
                else:
                    merged[to] = places[j]
                    j += 1
            start = end
        for i in range(n):
            places[i] = merged[i]
        length *= 2


@jit.kernel()
def row_runs(rows, places, begins):  # type: ignore[no-untyped-def]
    """See `tensorlab.backends.ordering.OrderOperations.row_runs`."""
    for i in range(begins.size):
        begins[i] = i == 0
        for j in range(rows.shape[1]):
            if begins[i]:
                break
            begins[i] = rows[places[i], j] != rows[places[i - 1], j]
