"""Chapter 10: right solutions that go other ways than the library. They must keep every point."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import itertools

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.right("10.unbroadcast", idea="Name all dimensions that were stretched, and sum over them at once.")
def sums_over_all_at_once(gradient, shape):
    lead = gradient.dim() - len(shape)
    if lead < 0 or any(
        size not in (1, wide) for size, wide in zip(shape, gradient.shape[lead:], strict=True)
    ):
        raise RuntimeError(f"{tuple(shape)} does not broadcast to {tuple(gradient.shape)}")
    inner = [lead + d for d, size in enumerate(shape) if size != gradient.shape[lead + d]]
    dims = [*range(lead), *inner]
    return gradient.sum(dims, keepdim=True).reshape(shape) if dims else gradient


@solutions.right(
    "10.unbroadcast", idea="First sum away what was missing, then sum the sizes of 1, one by one."
)
def sums_step_by_step(gradient, shape):
    try:
        fits = tl.broadcast_shapes(shape, gradient.shape) == gradient.shape
    except RuntimeError:
        fits = False
    if not fits:
        raise RuntimeError(f"{tuple(shape)} does not broadcast to {tuple(gradient.shape)}")
    while gradient.dim() > len(shape):
        gradient = gradient.sum(0)
    for dim, size in enumerate(shape):
        if size != gradient.shape[dim]:
            gradient = gradient.sum(dim, keepdim=True)
    return gradient


@solutions.right("10.permute_backward", idea="Dimension i goes to place dims[i].")
def fills_in_the_inverse(grad, dims):
    inverse = list(dims)
    for place, dim in enumerate(dims):
        inverse[dim] = place
    return grad.permute(inverse)


@solutions.right("10.permute_backward", idea="Look for each dimension in the order.")
def looks_for_each_dimension(grad, dims):
    wrapped = [dim % len(dims) for dim in dims]
    return grad.permute([wrapped.index(dim) for dim in range(len(dims))])


@solutions.right("10.permute_backward", idea="The order that sorts dims.")
def sorts_the_order(grad, dims):
    return grad.permute(sorted(range(len(dims)), key=lambda place: dims[place] % len(dims)))


@solutions.right("10.index_backward", idea="Zeros, and an index_put_ that adds.")
def adds_into_zeros(grad, shape, indices):
    return tl.zeros(shape, dtype=grad.dtype).index_put_(indices, grad, accumulate=True)


@solutions.right(
    "10.index_backward",
    idea="Index the positions in the same way, and add at the positions.",
    same={
        "A line has one dimension, by either name.": (
            "return whole.view(-1).index_add_(0, positions.reshape(-1), grad.reshape(-1)).view(shape) -> "
            "return whole.view(-1).index_add_(-1, positions.reshape(-1), grad.reshape(-1)).view(shape)",
        )
    },
)
def indexes_the_positions(grad, shape, indices):
    whole = tl.zeros(shape, dtype=grad.dtype)
    positions = tl.arange(whole.numel()).view(shape)[indices]
    return whole.view(-1).index_add_(0, positions.reshape(-1), grad.reshape(-1)).view(shape)


@solutions.right("10.index_backward", idea="Place by place, as a loop over the lists.")
def goes_place_by_place(grad, shape, indices):
    whole = tl.zeros(shape, dtype=grad.dtype)
    lists = [index.reshape(-1).tolist() for index in tl.broadcast_tensors(*indices)]
    places = list(zip(*lists, strict=True))
    parts = grad.reshape(len(places), *shape[len(indices) :])
    for place, part in zip(places, parts, strict=True):
        whole[place] += part
    return whole


@solutions.right(
    "10.amax_backward", idea="Put the dimension back, compare, and divide by how many are equal."
)
def counts_the_equals(grad, input, result, dim, keepdim=False):
    largest = input.amax(dim, keepdim=True)
    equal = (input == largest).to(grad.dtype)
    return equal / equal.sum(dim, keepdim=True) * grad.reshape(largest.shape)


@solutions.right(
    "10.amax_backward",
    idea="For each result the places that lead to it, and a share for each.",
    same={
        "Index -1 of a dimension of size 1 is index 0.": (
            "cell = tuple((0 if d in gone else i for d, i in enumerate(index))) -> "
            "cell = tuple((-1 if d in gone else i for d, i in enumerate(index)))",
        )
    },
)
def shares_among_the_places(grad, input, result, dim, keepdim=False):
    dims = range(input.dim()) if dim == () else (dim,) if isinstance(dim, int) else dim
    gone = [d % input.dim() for d in dims]
    winners = {}
    for index in itertools.product(*map(range, input.shape)):
        cell = tuple(0 if d in gone else i for d, i in enumerate(index))
        if not keepdim:
            cell = tuple(i for d, i in enumerate(cell) if d not in gone)
        if input[index].item() == result[cell].item():
            winners.setdefault(cell, []).append(index)
    shared = tl.zeros(input.shape, dtype=grad.dtype)
    for cell, places in winners.items():
        for place in places:
            shared[place] = grad[cell].item() / len(places)
    return shared


def summed_into(gradient, shape):
    """The gradient summed over what was stretched."""
    gradient = (
        gradient.sum(tuple(range(gradient.dim() - len(shape)))) if gradient.dim() > len(shape) else gradient
    )
    for dim, size in enumerate(shape):
        if size != gradient.shape[dim]:
            gradient = gradient.sum(dim, keepdim=True)
    return gradient


@solutions.right(
    "10.matmul_backward", idea="Make matrices of the vectors first, and vectors of the gradients last."
)
def makes_matrices_first(grad, a, b):
    left = a[None] if a.dim() == 1 else a
    right = b[:, None] if b.dim() == 1 else b
    if b.dim() == 1:
        grad = grad[..., None]
    if a.dim() == 1:
        grad = grad[..., None, :]
    of_left = summed_into(grad @ right.mT, left.shape)
    of_right = summed_into(left.mT @ grad, right.shape)
    return of_left.reshape(a.shape), of_right.reshape(b.shape)


@solutions.right(
    "10.matmul_backward",
    idea="The gradient of the right factor is that of a left one, turned around.",
    same={
        "A vector with a dimension in front is a row, by either way to write it.": (
            "of_a, of_b = matmul_backward(grad[..., None, :] if b.dim() > 1 else grad[None], a[None], b) -> "
            "of_a, of_b = matmul_backward(grad[..., None, :] if b.dim() > 2 else grad[None], a[None], b)",
        )
    },
)
def turns_the_product_around(grad, a, b):
    if a.dim() == 1:
        of_a, of_b = turns_the_product_around(grad[..., None, :] if b.dim() > 1 else grad[None], a[None], b)
        return of_a.reshape(a.shape), of_b
    if b.dim() == 1:
        of_a, of_b = turns_the_product_around(grad[..., None], a, b[:, None])
        return of_a, of_b.reshape(b.shape)

    def of_the_left(grad, a, b):
        return summed_into(grad @ b.transpose(-1, -2), a.shape)

    return of_the_left(grad, a, b), of_the_left(grad.mT, b.mT, a.mT).mT


@solutions.right(
    "10.gradcheck",
    idea="Row by row: one number of the input is moved, and all results are looked at.",
    same={
        "No difference is exactly as far as is allowed.": (
            "if not abs(given - slope) <= 1e-05 + 0.001 * abs(slope): -> "
            "if not abs(given - slope) < 1e-05 + 0.001 * abs(slope):",
        )
    },
)
def moves_one_number_at_a_time(func, inputs):
    for x in inputs:
        if not x.requires_grad:
            continue
        result, gradients = func(*inputs), []
        for out in itertools.product(*map(range, result.shape)):
            start = tl.zeros(result.shape, dtype=result.dtype)
            start[out] = 1
            (found,) = tl.autograd.grad(func(*inputs), [x], start, allow_unused=True)
            gradients.append(tl.zeros(x.shape, dtype=x.dtype) if found is None else found)
        for place in itertools.product(*map(range, x.shape)):
            with tl.no_grad():
                kept = x[place].item()
                x[place] = kept + 1e-6
                above = func(*inputs).flatten().tolist()
                x[place] = kept - 1e-6
                below = func(*inputs).flatten().tolist()
                x[place] = kept
            for up, down, gradient in zip(above, below, gradients, strict=True):
                slope, given = (up - down) / 2e-6, gradient[place].item()
                if not abs(given - slope) <= 1e-5 + 1e-3 * abs(slope):
                    raise RuntimeError(f"mismatch at {place}: gradient {given}, difference {slope}")
    return True


@solutions.right(
    "10.gradcheck",
    idea="With a weight of its own for each result, one backward pass sees them all.",
    same={
        "No difference is exactly as far as is allowed.": (
            "if not abs(gradient - slope) <= 1e-05 + 0.001 * abs(slope): -> "
            "if not abs(gradient - slope) < 1e-05 + 0.001 * abs(slope):",
        )
    },
)
def weighs_the_results(func, inputs):
    result = func(*inputs).detach()
    weights = tl.arange(1, result.numel() + 1, dtype=tl.float64).sqrt().reshape(result.shape)
    for number, x in enumerate(inputs):
        if not x.requires_grad:
            continue
        (found,) = tl.autograd.grad(func(*inputs), [x], weights, allow_unused=True)
        given = [0.0] * x.numel() if found is None else found.flatten().tolist()
        for place, gradient in enumerate(given):
            values = []
            for eps in (1e-6, -1e-6):
                moved = x.detach().flatten().clone()
                moved[place] += eps
                others = [*inputs[:number], moved.reshape(x.shape), *inputs[number + 1 :]]
                values.append((func(*others).detach() * weights).sum().item())
            slope = (values[0] - values[1]) / 2e-6
            if not abs(gradient - slope) <= 1e-5 + 1e-3 * abs(slope):
                raise RuntimeError(f"mismatch at number {place}: gradient {gradient}, difference {slope}")
    return True
