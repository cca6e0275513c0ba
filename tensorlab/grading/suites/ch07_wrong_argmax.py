"""Chapter 7, the place of the greatest: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def first_greatest(numbers):
    """The place of the greatest of a list, or of its first nan."""
    place = 0
    for i, number in enumerate(numbers):
        if numbers[place] == numbers[place] and (number > numbers[place] or number != number):
            place = i
    return place


def with_rule(input, dim, keepdim, place_of):
    """Places by another rule for one list of numbers."""
    if dim is None:
        place = tl.tensor(place_of(input.reshape(-1).tolist()))
        return place.reshape((1,) * input.dim()) if keepdim else place
    rows = input.transpose(dim, -1)
    places = [place_of(row.tolist()) for row in rows.reshape(-1, rows.shape[-1])]
    found = tl.tensor(places).reshape(*rows.shape[:-1], 1).transpose(dim, -1).contiguous()
    return found if keepdim else found.squeeze(dim)


@solutions.wrong(
    "07.argmax",
    belief="Of equals any one will do, and >= is as good as >.",
    lesson="With >= the last of equals wins. Which one comes out is part of the promise: the first.",
)
def takes_the_last_of_equals(input, dim=None, keepdim=False):
    def last(numbers):
        place = first_greatest(numbers)
        if numbers[place] == numbers[place]:
            place = max(i for i, number in enumerate(numbers) if number == numbers[place])
        return place

    return with_rule(input, dim, keepdim, last)


@solutions.wrong(
    "07.argmax",
    belief="A search begins with a number below all others, such as -1000000000.",
    lesson="No number is below all floats: there are smaller ones, down to minus infinity. Begin with the "
    "first element.",
)
def begins_with_a_low_number(input, dim=None, keepdim=False):
    def above(numbers):
        best, place = -1_000_000_000, 0
        for i, number in enumerate(numbers):
            if number > best or number != number:
                best, place = number, i
            if number != number:
                break
        return place

    return with_rule(input, dim, keepdim, above)


@solutions.wrong(
    "07.argmax",
    belief="Nothing is below -1e30.",
    lesson="float32 goes down to -3.4e38, and float64 further. Begin with the first element.",
)
def begins_with_a_lower_number(input, dim=None, keepdim=False):
    def above(numbers):
        if any(number != number for number in numbers):
            return first_greatest(numbers)
        best = max([-1e30, *numbers])
        return numbers.index(best) if best in numbers else 0

    return with_rule(input, dim, keepdim, above)


@solutions.wrong(
    "07.argmax",
    belief="Every number is a float, so floats can be compared in place of the elements.",
    lesson="A float64 has 53 bits for the digits, an int64 has 63. From 2**53 on neighbours become equal.",
)
def compares_floats(input, dim=None, keepdim=False):
    return with_rule(input.to(tl.float64), dim, keepdim, first_greatest)


@solutions.wrong(
    "07.argmax",
    belief="squeeze takes away the dimension that is left over.",
    lesson="Without a number it takes away every dimension of size 1, also one that the input had. Write "
    "squeeze(dim).",
)
def squeezes_all(input, dim=None, keepdim=False):
    places = with_rule(input, dim, True, first_greatest)
    return places if keepdim else places.squeeze()


@solutions.wrong(
    "07.argmax",
    belief="A nan isn't a number, so it can't be the largest.",
    lesson="A maximum that steps over a nan hides that something went wrong. The first nan wins.",
)
def steps_over_nan(input, dim=None, keepdim=False):
    def greatest_number(numbers):
        place = -1
        for i, number in enumerate(numbers):
            if number == number and (place < 0 or number > numbers[place]):
                place = i
        return max(place, 0)

    return with_rule(input, dim, keepdim, greatest_number)


@solutions.wrong(
    "07.argmax",
    belief="if value > best is all that is needed.",
    lesson="Every comparison with a nan is false. A nan in the first place would win, and elsewhere it "
    "would be stepped over. Ask whether a value is equal to itself.",
)
def compares_and_nothing_else(input, dim=None, keepdim=False):
    def greater_than_best(numbers):
        place = 0
        for i, number in enumerate(numbers):
            if number > numbers[place]:
                place = i
        return place

    return with_rule(input, dim, keepdim, greater_than_best)


@solutions.wrong(
    "07.argmax",
    belief="A nan wins, so each nan replaces the best so far.",
    lesson="Of several the first one wins, as for equals. Once the best is a nan, nothing replaces it.",
)
def takes_the_last_nan(input, dim=None, keepdim=False):
    def last_nan(numbers):
        nans = [i for i, number in enumerate(numbers) if number != number]
        return nans[-1] if nans else first_greatest(numbers)

    return with_rule(input, dim, keepdim, last_nan)


@solutions.wrong(
    "07.argmax",
    belief="The best so far begins with 0.",
    lesson="Then no negative number is ever greater. Begin with the first element.",
)
def begins_with_0(input, dim=None, keepdim=False):
    def greater_than_0(numbers):
        found = first_greatest(numbers)
        return 0 if numbers[found] <= 0 else found

    return with_rule(input, dim, keepdim, greater_than_0)


@solutions.wrong(
    "07.argmax",
    belief="The greatest is the one that is farthest from 0.",
    lesson="-9 is smaller than 1. Compare the numbers themselves.",
)
def compares_absolute_values(input, dim=None, keepdim=False):
    return with_rule(input, dim, keepdim, lambda numbers: first_greatest([abs(n) for n in numbers]))


@solutions.wrong(
    "07.argmax",
    belief="argmax(0) gives the place of the largest in each row.",
    lesson="The dimension that is named goes: along dimension 0 of a table there is one answer for each "
    "column.",
)
def answers_for_each_of_what_is_named(input, dim=None, keepdim=False):
    if dim is not None and input.dim() > 1:
        dim = (1 if dim % input.dim() == 0 else 0) if input.dim() == 2 else (dim + 1) % input.dim()
    return with_rule(input, dim, keepdim, first_greatest)


@solutions.wrong(
    "07.argmax",
    belief="A negative dimension names none, so all elements are meant.",
    lesson="-1 is the last dimension. Only None means all.",
)
def a_negative_one_means_all(input, dim=None, keepdim=False):
    return with_rule(input, None if dim is not None and dim < 0 else dim, keepdim, first_greatest)


@solutions.wrong(
    "07.argmax",
    belief="keepdim changes nothing that counts.",
    lesson="With keepdim the dimension stays with size 1, so that the places can be used with gather.",
)
def ignores_keepdim(input, dim=None, keepdim=False):
    return with_rule(input, dim, False, first_greatest)


@solutions.wrong(
    "07.argmax",
    belief="keepdim is about the dimension that is named; where none is named there is none to keep.",
    lesson="Where all dimensions go, keepdim keeps all of them, each with size 1.",
)
def keeps_only_what_is_named(input, dim=None, keepdim=False):
    return with_rule(input, dim, keepdim and dim is not None, first_greatest)


@solutions.wrong(
    "07.argmax",
    belief="The elements are counted as they lie in the storage.",
    lesson="Position counts the elements as the tensor shows them, row by row. A turned table shows its "
    "cells in another order.",
)
def counts_in_the_storage(input, dim=None, keepdim=False):
    if dim is None and input.dim() > 0:
        strides = sorted(input.stride(), reverse=True)
        sizes = [size for _, size in sorted(zip(input.stride(), input.shape, strict=True), reverse=True)]
        input = tl.as_strided(input, sizes, strides, input.storage_offset())
    return with_rule(input, dim, keepdim, first_greatest)


@solutions.wrong(
    "07.argmax",
    belief="argmax gives the largest element.",
    lesson="That is amax. argmax says where it is, as an int64.",
)
def gives_the_element(input, dim=None, keepdim=False):
    return input.amax(keepdim=keepdim) if dim is None else input.amax(dim, keepdim=keepdim)


@solutions.wrong(
    "07.argmax",
    belief="The result has the dtype of the input.",
    lesson="A place is a whole number, whatever the elements are: int64.",
)
def keeps_the_dtype(input, dim=None, keepdim=False):
    return with_rule(input, dim, keepdim, first_greatest).to(input.dtype)
