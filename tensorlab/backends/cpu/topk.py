"""The greatest or least k of a row, chosen so that equal elements come out in PyTorch's order.

Which of several equal elements is chosen, and in which order they stand, is left open by every definition of
"the greatest k"; it follows from the steps of the algorithm alone. PyTorch on the CPU takes the algorithms of
the C++ standard library that it is built with, so these are the same steps: a heap for few elements of many,
and else a partition around a median of three, again and again (introselect), then introsort (Musser,
"Introspective sorting and selection algorithms", 1997).

A row is two arrays that move together: the keys, and the place that each key had.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlab.backends.cpu import jit

__all__ = ["choose", "first_k"]

# mypy: disable-error-code="no-untyped-def"

# Runs of at most this length are left to one insertion sort at the end.
SHORT = 16

# A heap takes the first k of a row that is so many times as long, or longer. PyTorch draws the line here, and
# on which side of it a row lies decides which of equal elements are chosen.
HEAP = 64

# The first place, as a number. To Numba a constant is a type, for which it compiles a function once more.
START: Any = np.int64(0)


def first_k(keys: np.ndarray, k: int, largest: bool) -> np.ndarray:
    """The places of the first k elements of each row, the greatest (or least) first.

    Args:
        keys: (rows, columns), of any numeric type; it is left in disorder. NaN counts as the greatest.
        k: how many of each row, from 1 to the number of columns.
        largest: False for the least.

    Returns:
        int64, of shape (rows, k).

    Example:
        >>> first_k(np.array([[3, 9, 4, 9]]), 3, True).tolist()
        [[1, 3, 2]]
    """
    places = np.empty(keys.shape, np.int64)
    places[:] = np.arange(keys.shape[1])
    choose(keys, places, k, largest)
    return places[:, :k]


@jit.helper
def before(a: Any, b: Any, largest: bool) -> Any:
    """Whether key a must stand before key b."""
    if largest:
        return a > b or (a != a and b == b)
    return a < b or (a == a and b != b)


@jit.helper
def swap(keys: np.ndarray, places: np.ndarray, i: int, j: int) -> None:
    """Exchange two elements."""
    keys[i], keys[j] = keys[j], keys[i]
    places[i], places[j] = places[j], places[i]


@jit.helper
def sift(
    keys: np.ndarray, places: np.ndarray, hole: int, size: int, key: Any, place: int, largest: bool
) -> None:
    """Put an element into the heap of the first `size` ones, whose cell `hole` is free.

    The later children move up until the hole is at the bottom; from there the element climbs.
    """
    top = hole
    child = 2 * hole + 2
    while child < size:
        if before(keys[child], keys[child - 1], largest):
            child -= 1
        keys[hole], places[hole] = keys[child], places[child]
        hole = child
        child = 2 * hole + 2
    if child == size:  # the last parent has one child
        keys[hole], places[hole] = keys[child - 1], places[child - 1]
        hole = child - 1
    while hole > top:
        parent = (hole - 1) // 2
        if not before(keys[parent], key, largest):
            break
        keys[hole], places[hole] = keys[parent], places[parent]
        hole = parent
    keys[hole], places[hole] = key, place


@jit.helper
def heap_select(keys: np.ndarray, places: np.ndarray, k: int, largest: bool) -> None:
    """Bring the first k elements of the order to the front, as a heap with the last of them on top."""
    for parent in range(k // 2 - 1, -1, -1):
        sift(keys, places, parent, k, keys[parent], places[parent], largest)
    for i in range(k, keys.size):
        if before(keys[i], keys[0], largest):
            key, place = keys[i], places[i]
            keys[i], places[i] = keys[0], places[0]
            sift(keys, places, START, k, key, place, largest)


@jit.helper
def heap_sort(keys: np.ndarray, places: np.ndarray, k: int, largest: bool) -> None:
    """Sort the first k elements, which are a heap."""
    for last in range(k - 1, 0, -1):
        key, place = keys[last], places[last]
        keys[last], places[last] = keys[0], places[0]
        sift(keys, places, START, last, key, place, largest)


@jit.helper
def median_of(keys: np.ndarray, a: int, b: int, c: int, largest: bool) -> int:
    """Which of three elements stands between the other two."""
    if before(keys[a], keys[b], largest):
        if before(keys[b], keys[c], largest):
            return b
        return c if before(keys[a], keys[c], largest) else a
    if before(keys[a], keys[c], largest):
        return a
    return c if before(keys[b], keys[c], largest) else b


@jit.helper
def partition(keys: np.ndarray, places: np.ndarray, first: int, last: int, largest: bool) -> int:
    """Part the run first … last - 1 around a median of three, and return where its second part begins."""
    a, b, c = first + 1, first + (last - first) // 2, last - 1
    swap(keys, places, first, median_of(keys, a, b, c, largest))
    pivot = keys[first]
    left, right = first + 1, last
    while True:
        while before(keys[left], pivot, largest):
            left += 1
        right -= 1
        while before(pivot, keys[right], largest):
            right -= 1
        if left >= right:
            return left
        swap(keys, places, left, right)
        left += 1


@jit.helper
def insertion_sort(keys: np.ndarray, places: np.ndarray, first: int, last: int, largest: bool) -> None:
    """Sort the run first … last - 1; equal elements keep their order."""
    for i in range(first + 1, last):
        key, place = keys[i], places[i]
        j = i
        while j > first and before(key, keys[j - 1], largest):
            keys[j], places[j] = keys[j - 1], places[j - 1]
            j -= 1
        keys[j], places[j] = key, place


@jit.helper
def depth_limit(size: int) -> int:
    """How many partitions in a row are allowed before a heap takes over: twice the logarithm."""
    limit = 0
    while size > 1:
        size //= 2
        limit += 2
    return limit


@jit.helper
def introselect(keys: np.ndarray, places: np.ndarray, k: int, largest: bool) -> None:
    """Bring the first k elements of the order to the front, the k-th in its place."""
    first, last, depth = START, keys.size, depth_limit(keys.size)
    while last - first > 3:
        if depth == 0:
            heap_select(keys[first:last], places[first:last], k - first, largest)
            swap(keys, places, first, k - 1)
            return
        depth -= 1
        cut = partition(keys, places, first, last, largest)
        if cut <= k - 1:
            first = cut
        else:
            last = cut
    insertion_sort(keys, places, first, last, largest)


@jit.helper
def introsort(keys: np.ndarray, places: np.ndarray, largest: bool) -> None:
    """Sort a row. Parts that wait for their turn stand on a stack: begin, end, partitions left."""
    # A part that waits has one partition less left than what it was cut from, and a row has at most 2 * 63.
    stack = np.empty((2 * 63 + 2, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, keys.size, depth_limit(keys.size)
    waiting = 1
    while waiting:
        waiting -= 1
        first, last, depth = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        while last - first > SHORT:
            if depth == 0:
                size = last - first
                heap_select(keys[first:last], places[first:last], size, largest)
                heap_sort(keys[first:last], places[first:last], size, largest)
                break
            depth -= 1
            cut = partition(keys, places, first, last, largest)
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = cut, last, depth
            waiting += 1
            last = cut
    insertion_sort(keys, places, START, keys.size, largest)


@jit.kernel()
def choose(keys: np.ndarray, places: np.ndarray, k: int, largest: bool) -> None:
    """Bring the first k elements of each row to its front, in order."""
    columns = keys.shape[1]
    for row in range(keys.shape[0]):
        own_keys, own_places = keys[row], places[row]
        if k * HEAP <= columns:
            heap_select(own_keys, own_places, k, largest)
            heap_sort(own_keys, own_places, k, largest)
        else:
            introselect(own_keys, own_places, k, largest)
            introsort(own_keys[: k - 1], own_places[: k - 1], largest)
