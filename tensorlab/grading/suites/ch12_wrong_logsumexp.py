"""Chapter 12, logsumexp: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import math

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def finite(x):
    """The elements, with 0 in place of infinities; a nan stays."""
    return tl.where(x.isinf(), 0.0, x)


def greatest(input, dim):
    """The greatest along a dimension, which stays; 0 where there is none or where it is infinite."""
    if input.shape[dim] == 0:
        return input.sum(dim, keepdim=True)
    return finite(input.amax(dim, keepdim=True))


def shifted(input, dim, keepdim, c):
    """The logarithm of the sum of exp(input - c), plus c."""
    total = (input - c).exp().sum(dim, keepdim=True).log() + c
    return total if keepdim else total.squeeze(dim)


def by_the_greatest(input, dim, keepdim):
    """The same with the greatest as c, infinite or not."""
    if input.shape[dim] == 0:
        return shifted(input, dim, keepdim, 0.0)
    return shifted(input, dim, keepdim, input.amax(dim, keepdim=True))


@solutions.wrong(
    "12.logsumexp",
    belief="log(sum(exp(x))) is the definition, so it's what I write.",
    lesson="On paper. In float32 exp(89) is already inf, and exp(-104) is 0, whose logarithm is -inf. Take "
    "the greatest element out first.",
)
def writes_the_formula(input, dim, keepdim=False):
    return input.exp().sum(dim, keepdim=keepdim).log()


@solutions.wrong(
    "12.logsumexp",
    belief="In float64 exp has room enough.",
    lesson="It overflows at 710 instead of 89. Logits of 1000 overflow it all the same; shift them.",
)
def computes_in_float64(input, dim, keepdim=False):
    return input.to(tl.float64).exp().sum(dim, keepdim=keepdim).log().to(input.dtype)


@solutions.wrong(
    "12.logsumexp",
    belief="Any shift cancels, so the mean will do.",
    lesson="Any shift cancels on paper. Only after the greatest is taken out are all exponents at most 0: "
    "of 0 and 2000 the mean leaves exp(1000).",
)
def shifts_by_the_mean(input, dim, keepdim=False):
    if input.shape[dim] == 0:
        return shifted(input, dim, keepdim, 0.0)
    m = finite(input.mean(dim, keepdim=True))
    return shifted(input, dim, keepdim, tl.where(m.isnan() & ~input.isnan().any(dim, True), 0.0, m))


@solutions.wrong(
    "12.logsumexp",
    belief="One greatest element for the whole tensor keeps every exponent below 0.",
    lesson="Below 0, but how far? A row of -1000 beside a row of 1000 is shifted to -2000, its exponentials "
    "are all 0, and log(0) is -inf. Each row needs its own.",
)
def takes_one_greatest_for_all(input, dim, keepdim=False):
    m = greatest(input.reshape(-1), 0) if input.numel() else 0.0
    return shifted(input, dim, keepdim, m)


@solutions.wrong(
    "12.logsumexp",
    belief="Subtract the greatest and add it back: that's always safe.",
    lesson="Not where it is infinite: -inf - -inf and inf - inf are nan. Take out 0 there instead.",
)
def subtracts_infinities(input, dim, keepdim=False):
    return by_the_greatest(input, dim, keepdim)


@solutions.wrong(
    "12.logsumexp",
    belief="Only a row of -inf needs care.",
    lesson="A row with +inf does too: inf - inf is nan. Ask whether it is infinite, of either sign.",
)
def repairs_minus_infinity_alone(input, dim, keepdim=False):
    if input.shape[dim] == 0:
        return shifted(input, dim, keepdim, 0.0)
    m = input.amax(dim, keepdim=True)
    return shifted(input, dim, keepdim, tl.where(m == -math.inf, 0.0, m))


@solutions.wrong(
    "12.logsumexp",
    belief="A nan in the result can only come from -inf - -inf, so it stands for -inf.",
    lesson="It can also come from inf - inf, or from a nan in the input, which has to stay visible. Prevent "
    "the nan, don't repaint it.",
)
def repaints_nan(input, dim, keepdim=False):
    result = by_the_greatest(input, dim, keepdim)
    return tl.where(result.isnan(), -math.inf, result)


@solutions.wrong(
    "12.logsumexp",
    belief="Where exp would overflow, cut its argument off at 88.",
    lesson="Then 100 and 1000 count the same. The result is wrong by hundreds, and nothing says so.",
)
def clamps_the_input(input, dim, keepdim=False):
    return input.clamp(max=88.0).exp().sum(dim, keepdim=keepdim).log()


@solutions.wrong(
    "12.logsumexp",
    belief="The greatest was only there against the overflow; it cancels.",
    lesson="exp(x - m) is exp(x) / exp(m). The logarithm of the sum is too small by m: add it back.",
)
def forgets_to_add_it_back(input, dim, keepdim=False):
    total = (input - greatest(input, dim)).exp().sum(dim, keepdim=True).log()
    return total if keepdim else total.squeeze(dim)


@solutions.wrong(
    "12.logsumexp",
    belief="The sum has lost the dimension, and the greatest can be added as it is.",
    lesson="It was taken with keepdim: (n,) plus (n, 1) is a table of all pairs. Squeeze the dimension away "
    "at the end, or not at all.",
)
def adds_a_column_to_a_row(input, dim, keepdim=False):
    m = greatest(input, dim)
    return (input - m).exp().sum(dim, keepdim=keepdim).log() + m


@solutions.wrong(
    "12.logsumexp",
    belief="log(0) has to be avoided, so a tiny number is added to the sum.",
    lesson="The greatest contributes exp(0) = 1, so the sum is 0 only where the result is -inf. There the "
    "tiny number makes it -69.",
)
def adds_a_tiny_number(input, dim, keepdim=False):
    m = greatest(input, dim)
    total = ((input - m).exp().sum(dim, keepdim=True) + 1e-30).log() + m
    return total if keepdim else total.squeeze(dim)


@solutions.wrong(
    "12.logsumexp",
    belief="-inf is as good as a very large negative number.",
    lesson="Then the result of a row of -inf is a number, and a class that is ruled out isn't any more. "
    "exp(-inf) is 0, exactly, and needs no help.",
)
def replaces_minus_infinity(input, dim, keepdim=False):
    low = tl.where(input == -math.inf, -1e30, input)
    return shifted(low, dim, keepdim, greatest(low, dim))


@solutions.wrong(
    "12.logsumexp",
    belief="The dangerous element is the largest in size.",
    lesson="-1000 is no danger: exp(-1000) is 0. Shifted by 1000 a row of -1000 loses everything. It is the "
    "greatest that counts, with its sign.",
)
def takes_the_largest_in_size(input, dim, keepdim=False):
    if input.shape[dim] == 0:
        return shifted(input, dim, keepdim, 0.0)
    return shifted(input, dim, keepdim, finite(input.abs().amax(dim, keepdim=True)))


@solutions.wrong(
    "12.logsumexp",
    belief="The shift may be written into the input; it's added back later.",
    lesson="It's added to the result, not to the input, and the caller's numbers are changed.",
)
def shifts_in_place(input, dim, keepdim=False):
    m = greatest(input, dim)
    input -= m
    total = input.exp().sum(dim, keepdim=True).log() + m
    return total if keepdim else total.squeeze(dim)


@solutions.wrong(
    "12.logsumexp",
    belief="It is the rows that are added up, and a row is the last dimension.",
    lesson="dim says along which dimension, and it may be any.",
)
def always_takes_the_last_dimension(input, dim, keepdim=False):
    return shifted(input, -1, keepdim, greatest(input, -1))


@solutions.wrong(
    "12.logsumexp",
    belief="The greatest is so much larger than the rest that it is the answer.",
    lesson="Only when the others are far away. Of n equal elements it's the greatest plus log(n).",
)
def returns_the_greatest(input, dim, keepdim=False):
    if input.shape[dim] == 0:
        return shifted(input, dim, keepdim, 0.0)
    return input.amax(dim, keepdim=keepdim)
