"""Chapter 10, the way back of permute: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

from tensorlab.grading.suite import Solutions

solutions = Solutions()


def inverse_of(dims):
    """The order that undoes another one."""
    wrapped = [dim % len(dims) for dim in dims]
    return [wrapped.index(dim) for dim in range(len(dims))]


@solutions.wrong(
    "10.permute_backward",
    belief="A gradient goes through a shape operation the same way as the numbers did.",
    lesson="It goes the way back. For a swap the two are the same; rotate three dimensions and they differ.",
)
def permutes_the_same_way(grad, dims):
    return grad.permute(dims)


@solutions.wrong(
    "10.permute_backward",
    belief="The way back is the order read backward.",
    lesson="(1, 2, 0) read backward is (0, 2, 1), and undone it is (2, 0, 1). Ask where each dimension went.",
)
def reads_the_order_backward(grad, dims):
    return grad.permute(dims[::-1])


@solutions.wrong(
    "10.permute_backward",
    belief="The gradient must have the shape of x, so reshape it.",
    lesson="The shape is right then, and every number at a wrong place. reshape keeps the order of the "
    "elements; "
    "permute doesn't.",
)
def reshapes(grad, dims):
    return grad.reshape([grad.shape[place] for place in inverse_of(dims)])


@solutions.wrong(
    "10.permute_backward",
    belief="A permutation moves nothing, so its gradient is what arrives.",
    lesson="No cell moves, but dimension 0 of the gradient belongs to another dimension of x.",
)
def leaves_it_as_it_is(grad, dims):
    return grad


@solutions.wrong(
    "10.permute_backward",
    belief="Permuting once more with the same order goes on around the circle, and arrives.",
    lesson="A circle of three is closed after three steps, so two more undo one. A swap needs one, a circle "
    "of four "
    "needs three.",
)
def permutes_twice(grad, dims):
    return grad.permute(dims).permute(dims)


@solutions.wrong(
    "10.permute_backward",
    belief="dims holds numbers from 0 on, so look each of them up.",
    lesson="-1 is the last dimension, and a permutation is often written with it. Count from the front "
    "first.",
)
def does_not_know_negative_dimensions(grad, dims):
    return grad.permute([dims.index(dim) for dim in range(len(dims))])


@solutions.wrong(
    "10.permute_backward",
    belief="A gradient should lie in memory in order, so make it contiguous.",
    lesson="That is a copy, of every gradient that passes. The adjoint of a view is a view.",
)
def copies(grad, dims):
    return grad.permute(inverse_of(dims)).contiguous().clone()


@solutions.wrong(
    "10.permute_backward",
    belief="To permute back is to transpose what was transposed: exchange the first and the last dimension.",
    lesson="That undoes one permutation of many. Dimension i goes back to place dims[i].",
)
def exchanges_first_and_last(grad, dims):
    return grad.transpose(0, -1)


@solutions.wrong(
    "10.permute_backward",
    belief="Undo it with swaps: exchange dimension i and dimension dims[i], for every i.",
    lesson="Each swap moves what a later swap looks for. After the loop a swap has been done twice, and a "
    "circle isn't "
    "undone.",
)
def swaps_one_after_the_other(grad, dims):
    for place, dim in enumerate(dims):
        grad = grad.transpose(place, dim)
    return grad


@solutions.wrong(
    "10.permute_backward",
    belief="Where dims holds a negative number, that dimension stays where it is.",
    lesson="-1 names the last dimension, and it moves like all others.",
)
def lets_negative_dimensions_stay(grad, dims):
    order = [place if dim < 0 else dim for place, dim in enumerate(dims)]
    if sorted(order) != list(range(len(dims))):
        return grad
    return grad.permute([order.index(dim) for dim in range(len(dims))])
