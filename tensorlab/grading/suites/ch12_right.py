"""Chapter 12: solutions that are right and go another way than the library."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import math

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def in_order(elements, start):
    """One after the other."""
    total = start
    for element in elements:
        total = total + element
    return total


@solutions.right("12.logsumexp", idea="The greatest is taken out, or 0 where it is infinite.")
def takes_the_greatest_out(input, dim, keepdim=False):
    if input.shape[dim] == 0:
        return input.sum(dim, keepdim=keepdim).log()
    m = input.amax(dim, keepdim=True)
    m = tl.where(m.isinf(), 0.0, m)
    result = (input - m).exp().sum(dim, keepdim=True).log() + m
    return result if keepdim else result.squeeze(dim)


@solutions.right(
    "12.logsumexp", idea="Slice by slice, by the rule for two: the greater plus log(1 + exp(-distance))."
)
def joins_slice_by_slice(input, dim, keepdim=False):
    total = tl.full(input.sum(dim).shape, -math.inf, dtype=input.dtype)
    for k in range(input.shape[dim]):
        total = tl.logaddexp(total, input.select(dim, k))
    return total.unsqueeze(dim) if keepdim else total


@solutions.right("12.logsumexp", idea="Row by row in Python's floats.")
def works_in_python(input, dim, keepdim=False):
    def of_row(row):
        m = max(row, default=-math.inf)
        if any(number != number for number in row):
            return math.nan
        if math.isinf(m):
            return m
        return m + math.log(sum(math.exp(number - m) for number in row))

    rows = input.transpose(dim, -1)
    found = [of_row(row.tolist()) for row in rows.reshape(rows.shape[:-1].numel(), rows.shape[-1])]
    result = tl.tensor(found, dtype=input.dtype).view(*rows.shape[:-1], 1).transpose(dim, -1)
    return result if keepdim else result.squeeze(dim)


@solutions.right("12.log_softmax_backward", idea="The formula, which makes one table beside the answer.")
def multiplies_by_the_sum(grad, result, dim):
    return grad - result.exp() * grad.sum(dim, keepdim=True)


@solutions.right("12.log_softmax_backward", idea="One table, written in place.")
def works_in_place_on_a_table_of_its_own(grad, result, dim):
    out = result.exp()
    out *= grad.sum(dim, keepdim=True)
    return grad - out


@solutions.right("12.log_softmax_backward", idea="Class by class along the dimension.")
def goes_class_by_class(grad, result, dim):
    total = grad.sum(dim)
    out = tl.empty(grad.shape, dtype=grad.dtype)
    for k in range(grad.shape[dim]):
        out.select(dim, k).copy_(grad.select(dim, k) - result.select(dim, k).exp() * total)
    return out


@solutions.right(
    "12.cross_entropy",
    idea="The logsumexp of each row, less the logit of its target.",
    same={
        "The mean over the table of all pairs is the difference of the two means, too.": (
            "chosen = input.gather(1, target[:, None]).squeeze(1) -> "
            "chosen = input.gather(1, target[:, None]).squeeze(0)",
        )
    },
)
def subtracts_from_logsumexp(input, target):
    chosen = input.gather(1, target[:, None]).squeeze(1)
    return (input.logsumexp(1) - chosen).mean()


@solutions.right("12.cross_entropy", idea="log_softmax, read at two lists of places.")
def reads_two_lists(input, target):
    rows = tl.arange(input.shape[0])
    return -input.log_softmax(1)[rows, target].mean()


@solutions.right(
    "12.cross_entropy",
    idea="Row by row, and the mean of what is stacked.",
    same={
        "A row has one dimension, the first and the last.": (
            "losses.append(one.logsumexp(-1) - one[place]) -> losses.append(one.logsumexp(-0) - one[place])",
        )
    },
)
def stacks_the_rows(input, target):
    losses = []
    for one, place in zip(input, target.tolist(), strict=True):
        losses.append(one.logsumexp(-1) - one[place])
    return tl.stack(losses).mean()


@solutions.right("12.cross_entropy", idea="A where in place of the one-hot product.")
def chooses_by_a_mask(input, target):
    chosen = tl.where(tl.arange(input.shape[1]) == target[:, None], input.log_softmax(1), 0.0)
    return -chosen.sum() / input.shape[0]


@solutions.right(
    "12.accurate_sum",
    idea="By pairs: the halves are added as whole tensors until one number is left.",
    same={
        "Of one element the first is the last.": ("return line[0].clone() -> return line[-1].clone()",),
        "Any number of zeros may go first.": (
            "line = tl.cat([input.new_zeros(1), input.reshape(-1)]) -> "
            "line = tl.cat([input.new_zeros(2), input.reshape(-1)])",
        ),
    },
)
def adds_by_halves(input):
    line = tl.cat([input.new_zeros(1), input.reshape(-1)])
    for _ in range(line.numel().bit_length()):
        half = line.numel() // 2
        line = tl.cat([line[:half] + line[half : half * 2], line[half * 2 :]])
    return line[0].clone()


@solutions.right(
    "12.accurate_sum",
    idea="The halves by recursion, down to single numbers.",
    same={
        "Three numbers in order are as good as two.": (
            "if line.numel() < 3: -> if line.numel() <= 3:",
            "if line.numel() < 3: -> if line.numel() < 4:",
        ),
        "One number is as good as two.": ("if line.numel() < 3: -> if line.numel() < 2:",),
        "Parts of a third and two thirds come to an end a little later.": (
            "half = line.numel() // 2 -> half = line.numel() // 3",
        ),
    },
)
def recurses(input):
    def of(line):
        if line.numel() < 3:
            return in_order(line, input.new_zeros(()))
        half = line.numel() // 2
        return of(line[:half]) + of(line[half:])

    return of(input.reshape(-1))


@solutions.right(
    "12.accurate_sum",
    idea="Neighbours, level by level.",
    same={
        "Of one number the first is the last.": ("return numbers[0].clone() -> return numbers[-1].clone()",)
    },
)
def adds_neighbours(input):
    numbers = [input.new_zeros(()), *input.reshape(-1)]
    for _ in range(len(numbers).bit_length()):
        pairs = [a + b for a, b in zip(numbers[::2], numbers[1::2], strict=False)]
        numbers = pairs + numbers[2 * len(pairs) :]
    return numbers[0].clone()


@solutions.right(
    "12.accurate_sum", idea="Kahan's: what the last addition lost is taken off the next element."
)
def carries_the_loss_along(input):
    total, carried = input.new_zeros(()), input.new_zeros(())
    for element in input.reshape(-1):
        wanted = element - carried
        together = total + wanted
        loss = (together - total) - wanted
        carried = tl.where(loss.isfinite(), loss, 0.0)
        total = together
    return total


@solutions.right("12.safe_where", idea="Choose before the function, and choose again after it.")
def chooses_twice(condition, function, input, other, safe=1.0):
    inside = tl.where(condition, input, safe)
    return tl.where(condition, function(inside), other)


@solutions.right("12.safe_where", idea="The function gets the chosen elements alone, as a list.")
def computes_the_chosen(condition, function, input, other, safe=1.0):
    places = condition.nonzero(as_tuple=True)
    result = tl.zeros(input.shape, dtype=input.dtype) + other
    return result.index_put(places, function(input[places]))


@solutions.right("12.safe_where", idea="The masked elements are filled in a copy, before and after.")
def fills_twice(condition, function, input, other, safe=1.0):
    outside = ~condition
    result = function(input.masked_fill(outside, safe))
    return result.where(condition, other)
