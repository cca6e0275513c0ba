"""Chapter 10, a check of gradients: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import itertools

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def gradient_of(func, inputs, x, start):
    """What comes back to x when start is the gradient of the result."""
    (found,) = tl.autograd.grad(func(*inputs), [x], start, allow_unused=True)
    return tl.zeros(x.shape, dtype=x.dtype) if found is None else found


def places_of(x):
    """All places of a tensor, in order."""
    return itertools.product(*map(range, x.shape))


def unit(result, place):
    """Zeros, and a 1 at one place."""
    start = tl.zeros(result.shape, dtype=result.dtype)
    start[place] = 1
    return start


def slope(func, inputs, x, place, eps=1e-6):
    """The differences of all results for a step of one number to both sides."""
    with tl.no_grad():
        kept = x[place].item()
        x[place] = kept + eps
        above = func(*inputs).clone()
        x[place] = kept - eps
        below = func(*inputs).clone()
        x[place] = kept
    return (above - below) / (2 * eps)


def far(mine, theirs):
    """Whether two numbers differ by more than is allowed."""
    return not abs(mine - theirs) <= 1e-5 + 1e-3 * abs(theirs)


def compare(func, inputs, x, slope=slope, far=far):
    """Raise an error if a gradient of x and its differences disagree."""
    result = func(*inputs).detach()
    slopes = {place: slope(func, inputs, x, place) for place in places_of(x)}
    for out in places_of(result):
        found = gradient_of(func, inputs, x, unit(result, out))
        for place in places_of(x):
            if far(found[place].item(), slopes[place][out].item()):
                raise RuntimeError(f"mismatch at {place}")


@solutions.wrong(
    "10.gradcheck",
    belief="To get one gradient, make one number of the result: its sum.",
    lesson="A sum gives every number of the result the weight 1. A gradient that arrives at the wrong "
    "place, or that "
    "ignores what arrives, is not seen.",
)
def looks_at_the_sum(func, inputs):
    for x in inputs:
        if x.requires_grad:
            compare(lambda *all: func(*all).sum(), inputs, x)
    return True


@solutions.wrong(
    "10.gradcheck",
    belief="A check can be done in float32, like everything else.",
    lesson="float32 has about seven digits, and two nearby results agree in most of them. What is left is "
    "rounding: "
    "right gradients fail.",
)
def rebuilds_in_float32(func, inputs):
    small = [tl.tensor(x.tolist()).requires_grad_(x.requires_grad) for x in inputs]
    for x in small:
        if x.requires_grad:
            compare(func, small, x)
    return True


@solutions.wrong(
    "10.gradcheck",
    belief="One step is enough: (f(x + eps) - f(x)) / eps.",
    lesson="That is off by eps times half the curvature. Taken to both sides, the curvature cancels.",
)
def steps_to_one_side(func, inputs):
    def one_sided(func, inputs, x, place):
        with tl.no_grad():
            kept = x[place].item()
            before = func(*inputs).clone()
            x[place] = kept + 1e-6
            above = func(*inputs).clone()
            x[place] = kept
        return (above - before) / 1e-6

    for x in inputs:
        if x.requires_grad:
            compare(func, inputs, x, one_sided)
    return True


@solutions.wrong(
    "10.gradcheck",
    belief="A large step measures better than a small one.",
    lesson="It measures the curve instead of the slope: the error grows with the square of the step.",
)
def takes_large_steps(func, inputs):
    for x in inputs:
        if x.requires_grad:
            compare(func, inputs, x, lambda f, given, x, place: slope(f, given, x, place, 0.1))
    return True


@solutions.wrong(
    "10.gradcheck",
    belief="The smaller the step, the better: 1e-14.",
    lesson="Then the two results agree in nearly all digits, and their difference is rounding. About 1e-6 "
    "is best in "
    "float64.",
)
def takes_tiny_steps(func, inputs):
    for x in inputs:
        if x.requires_grad:
            compare(func, inputs, x, lambda f, given, x, place: slope(f, given, x, place, 1e-14))
    return True


@solutions.wrong(
    "10.gradcheck",
    belief="inputs has the input in it.",
    lesson="It may have several, and the wrong formula may be that of the second.",
)
def checks_the_first_only(func, inputs):
    compare(func, inputs, inputs[0])
    return True


@solutions.wrong(
    "10.gradcheck",
    belief="Every input is to be checked.",
    lesson="One that requires no gradient has none. Leave it out.",
)
def checks_all_inputs(func, inputs):
    wanting = [x.detach().clone().requires_grad_() for x in inputs]
    for x in wanting:
        compare(func, wanting, x)
    return True


@solutions.wrong(
    "10.gradcheck",
    belief="Number i of the input makes number i of the result, so compare these.",
    lesson="That is so elementwise. After a flip or a product every number may depend on every other: look "
    "at all "
    "pairs.",
)
def looks_at_the_diagonal(func, inputs):
    for x in inputs:
        if not x.requires_grad:
            continue
        result = func(*inputs).detach()
        if result.shape != x.shape:
            compare(func, inputs, x)
            continue
        for place in places_of(x):
            found = gradient_of(func, inputs, x, unit(result, place))[place].item()
            if far(found, slope(func, inputs, x, place)[place].item()):
                raise RuntimeError(f"mismatch at {place}")
    return True


@solutions.wrong(
    "10.gradcheck",
    belief="If the two sides have the same total, they agree.",
    lesson="Errors that cancel have the same total, and so has every gradient at a wrong place. Compare "
    "number by "
    "number.",
)
def compares_the_totals(func, inputs):
    for x in inputs:
        if x.requires_grad:
            result = func(*inputs).detach()
            total = sum(slope(func, inputs, x, place).sum().item() for place in places_of(x))
            found = gradient_of(func, inputs, x, tl.ones(result.shape, dtype=result.dtype))
            if far(found.sum().item(), total):
                raise RuntimeError("mismatch of the totals")
    return True


@solutions.wrong(
    "10.gradcheck",
    belief="A check answers True or False.",
    lesson="Here a wrong gradient raises an error, so that nobody can overlook it, and says where.",
)
def returns_false(func, inputs):
    try:
        for x in inputs:
            if x.requires_grad:
                compare(func, inputs, x)
    except RuntimeError:
        return False
    return True


@solutions.wrong(
    "10.gradcheck",
    belief="A step forward and the same step back end where they began.",
    lesson="0.1 + eps is rounded, and so is what is taken away. Keep the number, and write it back.",
)
def steps_back_by_subtracting(func, inputs):
    def stepped(func, inputs, x, place, eps=1e-6):
        with tl.no_grad():
            x[place] += eps
            above = func(*inputs).clone()
            x[place] -= 2 * eps
            below = func(*inputs).clone()
            x[place] += eps
        return (above - below) / (2 * eps)

    for x in inputs:
        if x.requires_grad:
            compare(func, inputs, x, stepped)
    return True


@solutions.wrong(
    "10.gradcheck",
    belief="backward() is there to get gradients.",
    lesson="It adds them to x.grad, where the next training step finds them. autograd.grad gives them to "
    "you alone.",
)
def leaves_gradients_behind(func, inputs):
    for x in inputs:
        if not x.requires_grad:
            continue
        result = func(*inputs).detach()
        for out in places_of(result):
            for each in inputs:
                each.grad = None
            func(*inputs).backward(unit(result, out))
            for place in places_of(x):
                found = 0.0 if x.grad is None else x.grad[place].item()
                if far(found, slope(func, inputs, x, place)[out].item()):
                    raise RuntimeError(f"mismatch at {place}")
    return True


@solutions.wrong(
    "10.gradcheck",
    belief="Move all numbers together, and compare with the sum of the gradients.",
    lesson="A wrong gradient at one number can be made good by a wrong one at another. Move one number at a "
    "time.",
)
def moves_all_at_once(func, inputs):
    for x in inputs:
        if x.requires_grad:
            result = func(*inputs).detach()
            with tl.no_grad():
                kept = x.clone()
                x.copy_(kept + 1e-6)
                above = func(*inputs).clone()
                x.copy_(kept - 1e-6)
                below = func(*inputs).clone()
                x.copy_(kept)
            slopes = (above - below) / 2e-6
            for out in places_of(result):
                total = gradient_of(func, inputs, x, unit(result, out)).sum().item()
                if far(total, slopes[out].item()):
                    raise RuntimeError(f"mismatch at {out}")
    return True


@solutions.wrong(
    "10.gradcheck",
    belief="A right gradient agrees with the difference to the last digit.",
    lesson="A difference is an approximation, with about eight right digits. Allow for it.",
)
def allows_nothing(func, inputs):
    for x in inputs:
        if x.requires_grad:
            compare(func, inputs, x, far=lambda mine, theirs: mine != theirs)
    return True


@solutions.wrong(
    "10.gradcheck",
    belief="func uses all its inputs.",
    lesson="It may leave one out. grad raises an error then, unless allow_unused=True, and gives None for "
    "it.",
)
def needs_all_inputs_used(func, inputs):
    for x in inputs:
        if x.requires_grad:
            result = func(*inputs)
            tl.autograd.grad(result, [x], tl.ones(result.shape, dtype=result.dtype))
            compare(func, inputs, x)
    return True
