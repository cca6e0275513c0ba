"""Chapter 10, the way back of an index: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def added(grad, shape, indices):
    """The right gradient."""
    return tl.zeros(shape, dtype=grad.dtype).index_put_(indices, grad, accumulate=True)


def readings(grad, shape, indices):
    """Each place that was read, counted from the front, and its part of the gradient."""
    lists = [index.reshape(-1).tolist() for index in tl.broadcast_tensors(*indices)]
    places = list(zip(*lists, strict=True))
    parts = grad.reshape(len(places), *shape[len(indices) :])
    for k, place in enumerate(places):
        yield tuple(p % size for p, size in zip(place, shape, strict=False)), parts[k]


@solutions.wrong(
    "10.index_backward",
    belief="What was read from a place is written back to it.",
    lesson="A place that was read twice is written twice, and keeps the last. Both gradients count: add "
    "them.",
)
def assigns(grad, shape, indices):
    whole = tl.zeros(shape, dtype=grad.dtype)
    for place, part in readings(grad, shape, indices):
        whole[place] = part
    return whole


@solutions.wrong(
    "10.index_backward",
    belief="A place that comes up again is to be counted once.",
    lesson="Each reading has a gradient of its own, and x has taken part in all of them.",
)
def keeps_the_first(grad, shape, indices):
    whole, done = tl.zeros(shape, dtype=grad.dtype), set()
    for place, part in readings(grad, shape, indices):
        if place not in done:
            whole[place] = part
            done.add(place)
    return whole


@solutions.wrong(
    "10.index_backward",
    belief="A place that was read several times gets the mean of what arrives.",
    lesson="It gets the sum. Read a number twice and a step of 1 moves the result twice.",
)
def takes_the_mean(grad, shape, indices):
    counts = added(tl.ones(grad.shape, dtype=grad.dtype), shape, indices)
    return added(grad, shape, indices) / counts.clamp(min=1)


@solutions.wrong(
    "10.index_backward",
    belief="The gradient of reading is reading: take the gradient at the same places.",
    lesson="That is the way there. On the way back the places say where to add.",
)
def reads_again(grad, shape, indices):
    return grad[indices]


@solutions.wrong(
    "10.index_backward",
    belief="What comes back has the shape of what went in: that of the places.",
    lesson="It has the shape of x, one number for each number of x. Most of them may be 0.",
)
def keeps_the_shape_of_what_was_read(grad, shape, indices):
    return grad.clone()


@solutions.wrong(
    "10.index_backward",
    belief="Only whether a place was read counts: its gradient is how often.",
    lesson="That is the gradient if ones arrive, as after a sum. Here other numbers arrive; add those.",
)
def counts_the_readings(grad, shape, indices):
    return added(tl.ones(grad.shape, dtype=grad.dtype), shape, indices)


@solutions.wrong(
    "10.index_backward",
    belief="Elements that weren't read keep their gradient of 1.",
    lesson="What wasn't read doesn't move the result. Its gradient is 0, so the sums begin with zeros.",
)
def begins_with_ones(grad, shape, indices):
    return tl.ones(shape, dtype=grad.dtype).index_put_(indices, grad, accumulate=True)


@solutions.wrong(
    "10.index_backward",
    belief="One list of places is what an index is.",
    lesson="There is one for each dimension that was indexed, and they are read in pairs.",
)
def uses_the_first_list_only(grad, shape, indices):
    return added(grad, shape, indices[:1])


@solutions.wrong(
    "10.index_backward",
    belief="Two lists choose a block: every place of the first with every place of the second.",
    lesson="Slices choose a block. Lists are broadcast with each other and read in pairs.",
)
def adds_into_a_block(grad, shape, indices):
    if len(indices) == 1 or any(index.dim() != 1 for index in indices):
        return added(grad, shape, indices)
    rows, columns = indices
    whole = tl.zeros(shape, dtype=grad.dtype)
    for k, i in enumerate(rows.tolist()):
        for j in columns.tolist():
            whole[i, j] += grad[k]
    return whole


@solutions.wrong(
    "10.index_backward",
    belief="Gradients are float32.",
    lesson="A gradient has the dtype of the tensor that it belongs to, here that of grad: zeros need "
    "dtype=grad.dtype.",
)
def makes_float32(grad, shape, indices):
    return tl.zeros(shape).index_put_(indices, grad.to(tl.float32), accumulate=True)


@solutions.wrong(
    "10.index_backward",
    belief="Places are counted from 0, so compare each position with each place.",
    lesson="-1 is a place, too: the last. A comparison with 0, 1, 2, … never finds it.",
)
def does_not_find_negative_places(grad, shape, indices):
    kept = [(index >= 0) for index in tl.broadcast_tensors(*indices)]
    seen = kept[0]
    for one in kept[1:]:
        seen = seen & one
    rest = (1,) * (grad.dim() - seen.dim())
    return added(grad * seen.to(grad.dtype).reshape(*seen.shape, *rest), shape, indices)
