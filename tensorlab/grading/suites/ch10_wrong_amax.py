"""Chapter 10, the gradient of the largest: wrong solutions, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def named(dim, input):
    """The dimensions that go, counted from the front."""
    dims = range(input.dim()) if dim == () else (dim,) if isinstance(dim, int) else dim
    return [d % max(input.dim(), 1) for d in dims]


def put_back(small, input, dim):
    """Grad or result with the dimensions that went, of size 1."""
    gone = named(dim, input)
    return small.reshape([1 if d in gone else size for d, size in enumerate(input.shape)])


def equals(input, result, dim, dtype):
    """1 where an element is equal to its result, 0 elsewhere."""
    return (input == put_back(result, input, dim)).to(dtype)


@solutions.wrong(
    "10.amax_backward",
    belief="Every element that is the largest gets the gradient.",
    lesson="Then two equal ones send back twice what arrived. They share it.",
)
def gives_all_to_each(grad, input, result, dim, keepdim=False):
    return equals(input, result, dim, grad.dtype) * put_back(grad, input, dim)


@solutions.wrong(
    "10.amax_backward",
    belief="The largest element has one place, the one that argmax says.",
    lesson="max(dim) says a place, and sends the gradient there. amax says a value alone, so all that are "
    "equal share.",
)
def gives_all_to_the_first(grad, input, result, dim, keepdim=False):
    equal = equals(input, result, dim, grad.dtype)
    gone = named(dim, input)
    kept = [d for d in range(input.dim()) if d not in gone]
    rows = equal.permute([*kept, *gone]).reshape(*[input.shape[d] for d in kept], -1)
    first = (rows.cumsum(-1) == 1).to(grad.dtype) * rows
    sizes = [input.shape[d] for d in (*kept, *gone)]
    order = [*kept, *gone]
    alone = first.reshape(sizes).permute([order.index(d) for d in range(input.dim())])
    return alone * put_back(grad, input, dim)


@solutions.wrong(
    "10.amax_backward",
    belief="The gradient of a reduction is spread over all its elements.",
    lesson="That is so for a sum. A step of an element that isn't the largest changes nothing.",
)
def gives_it_to_all(grad, input, result, dim, keepdim=False):
    return put_back(grad, input, dim).expand(input.shape).clone()


@solutions.wrong(
    "10.amax_backward",
    belief="All elements share the gradient, as they do in a mean.",
    lesson="Only those that are equal to the result share it. Divide by how many these are.",
)
def shares_with_all(grad, input, result, dim, keepdim=False):
    equal = equals(input, result, dim, grad.dtype)
    return equal * put_back(grad, input, dim) / (input.numel() / max(grad.numel(), 1))


@solutions.wrong(
    "10.amax_backward",
    belief="Count how many elements are the largest, and divide by that.",
    lesson="Count them for each result. A tie in one row is no business of the others: keep the dimension "
    "in the sum.",
)
def counts_all_rows_together(grad, input, result, dim, keepdim=False):
    equal = equals(input, result, dim, grad.dtype)
    return equal * put_back(grad, input, dim) / (equal.sum() / max(grad.numel(), 1))


@solutions.wrong(
    "10.amax_backward",
    belief="result and grad broadcast against the input, so compare them as they are.",
    lesson="Without keepdim they are aligned with the last dimension. In a square table that runs, and is "
    "wrong.",
)
def does_not_put_the_dimension_back(grad, input, result, dim, keepdim=False):
    equal = (input == result).to(grad.dtype)
    count = equal.sum(dim, keepdim=True)
    return equal * grad / count.clamp(min=1)


@solutions.wrong(
    "10.amax_backward",
    belief="The largest is looked for along the last dimension.",
    lesson="dim says along which one, and it may be any.",
)
def takes_the_last_dimension(grad, input, result, dim, keepdim=False):
    largest = input.amax(-1, keepdim=True)
    equal = (input == largest).to(grad.dtype)
    back = (
        grad.reshape(largest.shape)
        if grad.numel() == largest.numel()
        else grad.sum().reshape((1,) * input.dim())
    )
    return equal / equal.sum(-1, keepdim=True) * back


@solutions.wrong(
    "10.amax_backward",
    belief="The gradient of the largest is 1 for it, and 0 for the others.",
    lesson="That is the slope. It is multiplied by the gradient that arrives for the result.",
)
def leaves_the_gradient_out(grad, input, result, dim, keepdim=False):
    equal = equals(input, result, dim, grad.dtype)
    gone = tuple(named(dim, input)) or ()
    return equal / (equal.sum(gone, keepdim=True) if gone else equal)


@solutions.wrong(
    "10.amax_backward",
    belief="The gradient goes to where the largest stands, and is that element.",
    lesson="How large it is doesn't matter: a step of 1 moves the result by 1. The gradient isn't "
    "multiplied by the "
    "element.",
)
def multiplies_by_the_element(grad, input, result, dim, keepdim=False):
    equal = equals(input, result, dim, grad.dtype)
    gone = tuple(named(dim, input))
    count = equal.sum(gone, keepdim=True) if gone else equal
    return equal * put_back(grad, input, dim) * input / count


@solutions.wrong(
    "10.amax_backward",
    belief="An element that is equal to some largest one is a largest one.",
    lesson="It has to be equal to the largest of its own row.",
)
def compares_with_any_result(grad, input, result, dim, keepdim=False):
    known = set(result.reshape(-1).tolist())
    flat = [1.0 if number in known else 0.0 for number in input.reshape(-1).tolist()]
    equal = tl.tensor(flat, dtype=grad.dtype).reshape(input.shape)
    gone = tuple(named(dim, input))
    count = equal.sum(gone, keepdim=True) if gone else equal
    return equal * put_back(grad, input, dim) / count


@solutions.wrong(
    "10.amax_backward",
    belief="dim is one number.",
    lesson="It may be a tuple, and the empty tuple names all dimensions. Count over all that went.",
)
def knows_one_dimension_only(grad, input, result, dim, keepdim=False):
    equal = equals(input, result, dim, grad.dtype)
    one = dim if isinstance(dim, int) else (dim[0] if dim else 0)
    count = equal.sum(one, keepdim=True) if input.dim() else equal
    return equal * put_back(grad, input, dim) / count.clamp(min=1)


@solutions.wrong(
    "10.amax_backward",
    belief="After a reduction the dimension is gone, so put it back.",
    lesson="With keepdim it has stayed. Put in once more, it is one too many.",
)
def puts_it_back_always(grad, input, result, dim, keepdim=False):
    if not isinstance(dim, int):
        grad, result = put_back(grad, input, dim), put_back(result, input, dim)
        equal = (input == result).to(grad.dtype)
        gone = tuple(named(dim, input))
        return equal * grad / (equal.sum(gone, keepdim=True) if gone else equal)
    equal = (input == result.unsqueeze(dim)).to(grad.dtype)
    return equal * grad.unsqueeze(dim) / equal.sum(dim, keepdim=True).clamp(min=1)
