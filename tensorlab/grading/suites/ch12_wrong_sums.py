"""Chapter 12, sums: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def in_order(elements, start):
    """One after the other."""
    total = start
    for element in elements:
        total = total + element
    return total


@solutions.wrong(
    "12.accurate_sum",
    belief="A sum is a loop with a plus.",
    lesson="Every plus is rounded to the dtype. Once the total is 16777216, adding 1 to it in float32 "
    "changes nothing, however often you do it.",
)
def adds_in_order(input):
    return in_order(input.reshape(-1), input.new_zeros(()))


@solutions.wrong(
    "12.accurate_sum",
    belief="The small ones first, and nothing gets lost.",
    lesson="It helps where one number is large. Equal numbers are in order already, and still the total "
    "outgrows them.",
)
def sorts_first(input):
    numbers = sorted(input.reshape(-1).tolist())
    return in_order(tl.tensor(numbers, dtype=input.dtype), input.new_zeros(()))


@solutions.wrong(
    "12.accurate_sum",
    belief="The large ones first, then the small ones only fine-tune.",
    lesson="The small ones are lost one by one as soon as they're smaller than half the gap at the total.",
)
def sorts_backwards(input):
    numbers = sorted(input.reshape(-1).tolist(), reverse=True)
    return in_order(tl.tensor(numbers, dtype=input.dtype), input.new_zeros(()))


@solutions.wrong(
    "12.accurate_sum",
    belief="In float64 everything is exact.",
    lesson="It has 29 bits more than float32, and the same problem: at 2^53 the gap is 2, and a 1 is lost.",
)
def adds_in_float64(input):
    total = 0.0
    for number in input.reshape(-1).tolist():
        total = total + number
    return tl.tensor(total, dtype=input.dtype)


@solutions.wrong(
    "12.accurate_sum",
    belief="Two halves, added apart, halve the error.",
    lesson="They do, and that's all: each half has a running total as before. Halve the halves, down to "
    "single numbers.",
)
def halves_once(input):
    line = input.reshape(-1)
    half = line.numel() // 2
    return in_order(line[:half], input.new_zeros(())) + in_order(line[half:], input.new_zeros(()))


@solutions.wrong(
    "12.accurate_sum",
    belief="Two halves are equally long.",
    lesson="Of an odd number of elements one is left over, and it counts.",
)
def loses_the_odd_one(input):
    line = input.reshape(-1)
    while line.numel() > 1:
        half = line.numel() // 2
        line = line[:half] + line[half : 2 * half]
    return line[0].clone() if line.numel() else input.new_zeros(())


@solutions.wrong(
    "12.accurate_sum",
    belief="The first half is where the sums go.",
    lesson="A slice is a view: the caller's numbers are overwritten. Add the halves into a new tensor.",
)
def adds_into_the_input(input):
    line = input.reshape(-1)
    while line.numel() > 1:
        half, rest = line.numel() // 2, line.numel() % 2
        line[:half] += line[half + rest :]
        line = line[: half + rest]
    return line[0].clone() if line.numel() else input.new_zeros(())


@solutions.wrong(
    "12.accurate_sum",
    belief="The loss is what was to be added, less what was added, with either sign.",
    lesson="element - (together - total) is what is missing. The other way round it is put back twice over.",
)
def turns_the_sign(input):
    total, lost = input.new_zeros(()), input.new_zeros(())
    for element in input.reshape(-1):
        together = total + element
        lost = lost + ((together - total) - element)
        total = together
    return total if bool(lost != lost) else total + lost


@solutions.wrong(
    "12.accurate_sum",
    belief="Losses are finite.",
    lesson="inf - inf is nan. When the total is infinite there's nothing to put back.",
)
def makes_nan_of_infinity(input):
    total, lost = input.new_zeros(()), input.new_zeros(())
    for element in input.reshape(-1):
        together = total + element
        added = together - total
        lost = lost + ((total - (together - added)) + (element - added))
        total = together
    return total + lost


@solutions.wrong(
    "12.accurate_sum",
    belief="Round the total to a few digits and the error is gone.",
    lesson="The lost ones don't come back by rounding; there may be thousands of them.",
)
def rounds_at_the_end(input):
    total = in_order(input.reshape(-1), input.new_zeros(()))
    return tl.tensor(float(f"{total.item():.6g}"), dtype=input.dtype)


@solutions.wrong(
    "12.accurate_sum",
    belief="A sum begins with its first element.",
    lesson="Without elements there is no first one. The sum of nothing is 0.",
)
def needs_a_first_element(input):
    line = input.reshape(-1)
    while line.numel() > 1:
        half, rest = line.numel() // 2, line.numel() % 2
        sums = line.clone()[: half + rest]
        sums[:half] += line[half + rest :]
        line = sums
    return line[0].clone()
