"""Chapter 12, cross-entropy: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import math

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def of_the_right_class(values, target):
    """The element of each row that its target names."""
    return values.gather(1, target[:, None]).squeeze(1)


def one_hot(input, target):
    """A table with a 1 in each row, at its target."""
    return (tl.arange(input.shape[1]) == target[:, None]).to(input.dtype)


@solutions.wrong(
    "12.cross_entropy",
    belief="Cross-entropy compares probabilities, so softmax comes first.",
    lesson="log_softmax is the softmax already. The second one presses all rows between 1 / n and e / n: the "
    "loss never gets near 0, and the gradient fades.",
)
def takes_softmax_twice(input, target):
    return -of_the_right_class(input.softmax(1).log_softmax(1), target).mean()


@solutions.wrong(
    "12.cross_entropy",
    belief="The input holds probabilities.",
    lesson="It holds logits: any numbers, also negative ones, whose logarithm is nan.",
)
def takes_logits_for_probabilities(input, target):
    return -of_the_right_class(input.log(), target).mean()


@solutions.wrong(
    "12.cross_entropy",
    belief="exp over the sum of exp, and the logarithm of that: that's the formula.",
    lesson="exp(1000) is inf, and inf / inf is nan.",
)
def writes_the_formula(input, target):
    shares = input.exp() / input.exp().sum(1, keepdim=True)
    return -of_the_right_class(shares.log(), target).mean()


@solutions.wrong(
    "12.cross_entropy",
    belief="softmax is computed safely, so its logarithm is safe.",
    lesson="A probability below 1e-45 is 0 in float32, and log(0) is -inf. The loss was 1000, which is a "
    "number. Stay in logarithms.",
)
def takes_the_logarithm_afterwards(input, target):
    return -of_the_right_class(input.softmax(1).log(), target).mean()


@solutions.wrong(
    "12.cross_entropy",
    belief="A tiny number inside the logarithm avoids log(0).",
    lesson="It also caps the loss: at 20.7 for 1e-9. Beyond that the gradient is 0, and the worst examples "
    "teach nothing.",
)
def adds_a_tiny_number(input, target):
    return -of_the_right_class((input.softmax(1) + 1e-9).log(), target).mean()


@solutions.wrong(
    "12.cross_entropy",
    belief="The losses of the rows add up.",
    lesson="The mean is asked for. With the sum, a larger batch takes larger steps.",
)
def adds_up_the_rows(input, target):
    return -of_the_right_class(input.log_softmax(1), target).sum()


@solutions.wrong(
    "12.cross_entropy",
    belief="A high probability of the right class is a high score.",
    lesson="A loss is minimised. -log p is 0 when the class is certain and grows as it gets unlikely.",
)
def forgets_the_minus(input, target):
    return of_the_right_class(input.log_softmax(1), target).mean()


@solutions.wrong(
    "12.cross_entropy",
    belief="input[:, target] picks for each row its target.",
    lesson="It picks all targets for every row: a table of N × N. Each row has one: use gather, or two lists "
    "of places.",
)
def picks_a_table(input, target):
    return -input.log_softmax(1)[:, target].mean()


@solutions.wrong(
    "12.cross_entropy",
    belief="The loss is the share of rows whose greatest logit isn't the target.",
    lesson="That's the error rate. argmax is flat: a small step of a logit changes nothing, so no gradient "
    "comes back.",
)
def counts_the_mistakes(input, target):
    return (input.argmax(1) != target).to(input.dtype).mean()


@solutions.wrong(
    "12.cross_entropy",
    belief="A loss is a number, so I compute with numbers.",
    lesson="item() leaves the graph. The value is right and nothing can be learnt from it: build the loss "
    "from operations on tensors.",
)
def leaves_the_graph(input, target):
    losses = []
    for row, place in zip(input.tolist(), target.tolist(), strict=True):
        m = max(row)
        total = sum(math.exp(number - m) if number > -math.inf else 0.0 for number in row)
        losses.append(m + math.log(total) - row[place])
    return tl.tensor(sum(losses) / len(losses), dtype=input.dtype)


@solutions.wrong(
    "12.cross_entropy",
    belief="An error is a squared difference, here between probabilities and 0 or 1.",
    lesson="Then a confident mistake has nearly no gradient: softmax is flat there. The log undoes that.",
)
def squares_the_differences(input, target):
    return ((input.softmax(1) - one_hot(input, target)) ** 2).sum(1).mean()


@solutions.wrong(
    "12.cross_entropy",
    belief="The first dimension is the one that adds up to 1.",
    lesson="That is the batch. The classes are dimension 1.",
)
def normalizes_the_batch(input, target):
    return -of_the_right_class(input.log_softmax(0), target).mean()


@solutions.wrong(
    "12.cross_entropy",
    belief="The one-hot table times the logarithms, and the mean of it.",
    lesson="The mean counts the zeros of all other classes: the loss is too small by the number of classes.",
)
def takes_the_mean_of_all(input, target):
    chosen = tl.where(one_hot(input, target) == 1, input.log_softmax(1), 0.0)
    return -chosen.mean()


@solutions.wrong(
    "12.cross_entropy",
    belief="Multiplying by 0 removes what isn't chosen.",
    lesson="0 times -inf is nan. A class that is ruled out has the logarithm -inf: choose, don't multiply.",
)
def multiplies_by_zero(input, target):
    return -(one_hot(input, target) * input.log_softmax(1)).sum(1).mean()


@solutions.wrong(
    "12.cross_entropy",
    belief="Entropy is counted in bits.",
    lesson="It can be. Here it is the natural logarithm, as in every library: 1 bit is 0.693.",
)
def counts_in_bits(input, target):
    return -of_the_right_class(input.log_softmax(1), target).mean() / math.log(2)
