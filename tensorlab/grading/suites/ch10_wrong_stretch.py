"""Chapter 10, back from broadcasting: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def fits(gradient, shape):
    """Whether a tensor of this shape broadcasts to the gradient's shape."""
    lead = gradient.dim() - len(shape)
    return lead >= 0 and all(size in (1, gradient.shape[lead + d]) for d, size in enumerate(shape))


def checked(gradient, shape):
    """Raise an error where the two don't belong together."""
    if not fits(gradient, shape):
        raise RuntimeError(f"{tuple(shape)} does not broadcast to {tuple(gradient.shape)}")


@solutions.wrong(
    "10.unbroadcast",
    belief="Broadcasting adds dimensions in front. Sum these away, and the gradient fits.",
    lesson="It also stretches sizes of 1, which stay dimensions. (3, 1) came to (2, 3, 4) by both.",
)
def sums_once(gradient, shape):
    checked(gradient, shape)
    while gradient.dim() > len(shape):
        gradient = gradient.sum(0)
    return gradient


@solutions.wrong(
    "10.unbroadcast",
    belief="Broadcasting stretches the sizes of 1. Sum over these.",
    lesson="Dimensions that were missing are stretched as well. They have to go, all of them.",
)
def sums_the_ones_only(gradient, shape):
    checked(gradient, shape)
    if gradient.dim() > len(shape):
        return gradient
    dims = [d for d, size in enumerate(shape) if size != gradient.shape[d]]
    return gradient.sum(dims, keepdim=True) if dims else gradient


@solutions.wrong(
    "10.unbroadcast",
    belief="A gradient has the shape of the result that it comes from.",
    lesson="It has the shape of the operand whose gradient it is: one number for each number of the operand.",
)
def leaves_the_broadcast_shape(gradient, shape):
    checked(gradient, shape)
    return gradient


@solutions.wrong(
    "10.unbroadcast",
    belief="All the repetitions are the same number, so one of them is enough.",
    lesson="The operand's numbers are the same at every place. Their gradients aren't, and they add up.",
)
def takes_the_first_of_them(gradient, shape):
    checked(gradient, shape)
    while gradient.dim() > len(shape):
        gradient = gradient[0]
    for dim, size in enumerate(shape):
        if size != gradient.shape[dim]:
            gradient = gradient.narrow(dim, 0, 1)
    return gradient


@solutions.wrong(
    "10.unbroadcast",
    belief="An element that is used at many places gets the mean of their gradients.",
    lesson="Each use changes the result by itself, so the changes add up. A mean divides them again.",
)
def takes_the_mean(gradient, shape):
    checked(gradient, shape)
    lead = gradient.dim() - len(shape)
    inner = [lead + d for d, size in enumerate(shape) if size != gradient.shape[lead + d]]
    dims = [*range(lead), *inner]
    return gradient.mean(dims, keepdim=True).reshape(shape) if dims else gradient


@solutions.wrong(
    "10.unbroadcast",
    belief="What was stretched is summed over, and a sum takes the dimension away.",
    lesson="A size of 1 is a size that the operand has. Keep it: keepdim=True.",
)
def drops_the_ones(gradient, shape):
    checked(gradient, shape)
    lead = gradient.dim() - len(shape)
    inner = [lead + d for d, size in enumerate(shape) if size != gradient.shape[lead + d]]
    dims = [*range(lead), *inner]
    return gradient.sum(dims) if dims else gradient


@solutions.wrong(
    "10.unbroadcast",
    belief="Dimension d of the operand is dimension d of the gradient.",
    lesson="Shapes are aligned on the right. With two dimensions missing, it is dimension d + 2.",
)
def aligns_on_the_left(gradient, shape):
    checked(gradient, shape)
    last = list(range(len(shape), gradient.dim()))
    inner = [d for d, size in enumerate(shape) if size == 1 != gradient.shape[d]]
    summed = gradient.sum(inner, keepdim=True) if inner else gradient
    return summed.sum(last) if last else summed


@solutions.wrong(
    "10.unbroadcast",
    belief="The dimensions that were stretched are those whose size the operand doesn't have.",
    lesson="(2, 2) summed into (2,) has lost a dimension of a size that the operand does have. The place "
    "counts.",
)
def matches_by_size(gradient, shape):
    checked(gradient, shape)
    dims = [d for d, size in enumerate(gradient.shape) if size not in shape]
    return (gradient.sum(dims, keepdim=True) if dims else gradient).reshape(shape)


@solutions.wrong(
    "10.unbroadcast",
    belief="sum over the list of stretched dimensions works for every list, the empty one too.",
    lesson="sum(()) sums over all dimensions, here and in PyTorch. Where nothing was stretched, don't sum.",
)
def sums_over_no_dimensions(gradient, shape):
    checked(gradient, shape)
    lead = gradient.dim() - len(shape)
    inner = [lead + d for d, size in enumerate(shape) if size != gradient.shape[lead + d]]
    summed = gradient.sum((*range(lead), *inner), keepdim=True)
    return summed.expand((1,) * lead + tuple(shape)).reshape(shape)


@solutions.wrong(
    "10.unbroadcast",
    belief="Cut the gradient into pieces of the operand's shape, and add the pieces.",
    lesson="Pieces of consecutive numbers are right where dimensions were missing in front. A size of 1 "
    "inside was "
    "stretched across the pieces.",
)
def adds_consecutive_pieces(gradient, shape):
    checked(gradient, shape)
    if gradient.shape == tuple(shape):
        return gradient
    if not gradient.numel():
        return tl.zeros(shape, dtype=gradient.dtype)
    return gradient.reshape(-1, *shape).sum(0)


@solutions.wrong(
    "10.unbroadcast",
    belief="Everything that arrives adds up, so it is one number for all elements.",
    lesson="It adds up for each element of the operand by itself, from the places where that element was "
    "read.",
)
def adds_everything(gradient, shape):
    checked(gradient, shape)
    return gradient if gradient.shape == tuple(shape) else gradient.sum().expand(shape).clone()


@solutions.wrong(
    "10.unbroadcast",
    belief="Who calls it knows what he does. A gradient that doesn't fit needs no check.",
    lesson="A formula that forgets a dimension gives a gradient of another shape. Summed into place it "
    "looks right, "
    "and nobody ever finds it.",
)
def checks_nothing(gradient, shape):
    while gradient.dim() > len(shape):
        gradient = gradient.sum(0)
    for dim, size in enumerate(shape):
        if size != gradient.shape[dim]:
            gradient = gradient.sum(dim, keepdim=True)
    return gradient


@solutions.wrong(
    "10.unbroadcast",
    belief="A gradient is a tensor of its own, so it is copied before it is handed on.",
    lesson="A copy costs as many bytes again, at every operation of a network. Nothing was stretched: hand "
    "it on.",
)
def copies_what_fits(gradient, shape):
    checked(gradient, shape)
    lead = gradient.dim() - len(shape)
    inner = [lead + d for d, size in enumerate(shape) if size != gradient.shape[lead + d]]
    dims = [*range(lead), *inner]
    return (gradient.sum(dims, keepdim=True) if dims else gradient.clone()).reshape(shape)
