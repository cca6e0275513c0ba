"""How often each of 0, 1, 2, … occurs, counted where the numbers lie."""

from __future__ import annotations

from tensorlab.backends.cpu import jit

__all__ = ["bounds_of_numbers", "count_numbers", "weigh_numbers"]


@jit.kernel()
def bounds_of_numbers(numbers):  # type: ignore[no-untyped-def]
    """See `tensorlab.backends.ordering.OrderOperations.bounds_of_numbers`."""
    least = greatest = numbers[0]
    for i in range(numbers.size):
        least, greatest = min(least, numbers[i]), max(greatest, numbers[i])
    return least, greatest


@jit.kernel()
def count_numbers(numbers, counts):  # type: ignore[no-untyped-def]
    """See `tensorlab.backends.ordering.OrderOperations.count_numbers`."""
    for i in range(numbers.size):
        counts[numbers[i]] += 1


@jit.kernel()
def weigh_numbers(numbers, weights, sums):  # type: ignore[no-untyped-def]
    """See `tensorlab.backends.ordering.OrderOperations.weigh_numbers`."""
    for i in range(numbers.size):
        sums[numbers[i]] += weights[i]
