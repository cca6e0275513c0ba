"""Chapter 12, the safe where: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.wrong(
    "12.safe_where",
    belief="where throws the bad values away, and their gradients with them.",
    lesson="It sends a 0 back to them. sqrt has an infinite slope at 0, and 0 times infinity is nan. The "
    "function must never see them.",
)
def masks_after(condition, function, input, other, safe=1.0):
    return tl.where(condition, function(input), other)


@solutions.wrong(
    "12.safe_where",
    belief="If the function only sees good values, the job is done.",
    lesson="Then the masked places hold function(safe). They should hold other: choose once more.",
)
def masks_before(condition, function, input, other, safe=1.0):
    return function(tl.where(condition, input, safe))


@solutions.wrong(
    "12.safe_where",
    belief="other is the value of the masked places, so it's what the function gets there.",
    lesson="With other = 0 the square root is taken at 0 again. What goes in and what comes out are two "
    "numbers: safe and other.",
)
def gives_other_to_the_function(condition, function, input, other, safe=1.0):
    return tl.where(condition, function(tl.where(condition, input, other)), other)


@solutions.wrong(
    "12.safe_where",
    belief="1 is safe for every function.",
    lesson="log, sqrt and 1 / x are fine at 1; others aren't defined there. The caller says what is safe.",
)
def always_takes_one(condition, function, input, other, safe=1.0):
    return tl.where(condition, function(tl.where(condition, input, 1.0)), other)


@solutions.wrong(
    "12.safe_where",
    belief="0 is the neutral number.",
    lesson="0 is where sqrt, log and 1 / x are least safe. The function must see nothing outside its domain.",
)
def takes_zero(condition, function, input, other, safe=1.0):
    return tl.where(condition, function(tl.where(condition, input, 0.0)), other)


@solutions.wrong(
    "12.safe_where",
    belief="A tiny number added to the input keeps it away from 0.",
    lesson="It changes every value, and at -1 it doesn't help at all. And the slope of sqrt at 1e-12 is "
    "500,000.",
)
def adds_a_tiny_number(condition, function, input, other, safe=1.0):
    return tl.where(condition, function(input + 1e-12), other)


@solutions.wrong(
    "12.safe_where",
    belief="clamp keeps the input in the domain.",
    lesson="In one domain, and small good values are lifted as well: their gradient becomes 0.",
)
def clamps_the_input(condition, function, input, other, safe=1.0):
    return tl.where(condition, function(input.clamp(min=1e-3)), other)


@solutions.wrong(
    "12.safe_where",
    belief="A nan can be repaired afterwards.",
    lesson="In the values, yes. The nan of the gradient comes into being on the way back, after your repair.",
)
def repairs_afterwards(condition, function, input, other, safe=1.0):
    result = function(input)
    return tl.where(condition & ~result.isnan(), result, other)


@solutions.wrong(
    "12.safe_where",
    belief="Times the mask is as good as where.",
    lesson="0 times inf is nan, forwards and backwards.",
)
def multiplies_by_the_mask(condition, function, input, other, safe=1.0):
    mask = condition.to(input.dtype)
    return function(input) * mask + other * (1 - mask)


@solutions.wrong(
    "12.safe_where",
    belief="Masked places need no gradient, so the input is detached.",
    lesson="detach cuts all places off. The good ones need theirs.",
)
def detaches_the_input(condition, function, input, other, safe=1.0):
    return tl.where(condition, function(tl.where(condition, input.detach(), safe)), other)


@solutions.wrong(
    "12.safe_where",
    belief="The bad elements can be overwritten before the function is called.",
    lesson="They're the caller's. In place on a leaf raises an error, and elsewhere it changes his numbers.",
)
def overwrites_the_input(condition, function, input, other, safe=1.0):
    input[~condition] = safe
    return tl.where(condition, function(input), other)


@solutions.wrong(
    "12.safe_where",
    belief="If any element is good, its value is safe for the others.",
    lesson="Only if there is one. A mask may be false everywhere.",
)
def borrows_a_good_one(condition, function, input, other, safe=1.0):
    return tl.where(condition, function(tl.where(condition, input, input[condition][0])), other)


@solutions.wrong(
    "12.safe_where",
    belief="Only the function matters for the gradient; other is a constant.",
    lesson="It may be a tensor that learns, too. where passes its gradient on; a number that was read out "
    "of it can't.",
)
def reads_other_as_a_number(condition, function, input, other, safe=1.0):
    if isinstance(other, tl.Tensor):
        other = other.detach()
    return tl.where(condition, function(tl.where(condition, input, safe)), other)


@solutions.wrong(
    "12.safe_where",
    belief="True marks what is to be masked.",
    lesson="The condition of where says what is taken: true is the first choice.",
)
def turns_the_condition(condition, function, input, other, safe=1.0):
    return tl.where(condition, other, function(tl.where(condition, safe, input)))
