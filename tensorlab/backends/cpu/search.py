"""Places in sorted sequences, by halving."""

from __future__ import annotations

from tensorlab.backends.cpu import jit

__all__ = ["search"]


@jit.kernel()
def search(  # type: ignore[no-untyped-def]
    places, numbers, sequences, order, length, several, after
):
    """For each number, how many elements of its sorted sequence come before it.

    Args:
        places: receives the results.
        numbers: what is looked for.
        sequences: the sorted elements, one sequence after another.
        order: where the sorted elements stand in `sequences`; empty if they stand in order.
        length: of one sequence.
        several: how many numbers are looked for in each sequence.
        after: whether equal elements come before the number too.
    """
    for i in range(numbers.size):
        start = i // several * length
        low, high = 0, length
        number = numbers[i]
        while low < high:
            middle = low + (high - low) // 2
            place = order[start + middle] if order.size else middle
            element = sequences[start + place]
            # Put as a negation, so that a NaN in the sequence comes before every number, as in PyTorch.
            if not (element > number if after else element >= number):
                low = middle + 1
            else:
                high = middle
        places[i] = low
