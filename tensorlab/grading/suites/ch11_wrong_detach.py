"""Chapter 11, detaching: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions
from tensorlab.tensor import make_tensor

solutions = Solutions()


@solutions.wrong(
    "11.detach",
    belief="Detached means independent: a copy of the numbers.",
    lesson="Detaching cuts off the history, not the memory. It allocates nothing, and a write is seen on "
    "both sides.",
)
def copies(input):
    with tl.no_grad():
        return input.clone()


@solutions.wrong(
    "11.detach",
    belief="A clone is a new tensor, so it has no history.",
    lesson="clone() is an operation like any other: it is recorded, and gradients go through it. And it "
    "copies.",
)
def clones(input):
    return input.clone()


@solutions.wrong(
    "11.detach",
    belief="input.data is detach() in fewer letters.",
    lesson="Its writes are not counted. A write that destroys what the backward pass needs goes "
    "unnoticed, and the gradients are wrong.",
)
def takes_data(input):
    return input.data


@solutions.wrong(
    "11.detach",
    belief="What is made under no_grad has no history, so a view made there will do.",
    lesson="A view stays tied to its base, also when it was made under no_grad: it still requires a "
    "gradient.",
)
def views_under_no_grad(input):
    with tl.no_grad():
        return input.as_strided(input.shape, input.stride(), input.storage_offset())


@solutions.wrong(
    "11.detach",
    belief="To detach means to switch requires_grad off.",
    lesson="That changes the very tensor that was given, if it is a leaf; of a result it is not possible "
    "at all. detach() makes another tensor and leaves this one alone.",
)
def switches_it_off(input):
    return input.requires_grad_(False)


@solutions.wrong(
    "11.detach",
    belief="A tensor that requires no gradient is detached already.",
    lesson="The answer is always another object. Otherwise requires_grad_() on the answer would reach the "
    "input.",
)
def returns_the_input_itself(input):
    if not input.requires_grad:
        return input
    return make_tensor(
        input.untyped_storage(), input.dtype, input.shape, input.stride(), input.storage_offset()
    )


@solutions.wrong(
    "11.detach",
    belief="Storage and shape say all about a tensor.",
    lesson="A transpose has the same storage and other strides. The layout is shape, strides and offset.",
)
def forgets_the_strides(input):
    cells = make_tensor(
        input.untyped_storage(),
        input.dtype,
        tl.Size([len(input.untyped_storage()) // input.element_size()]),
        (1,),
        0,
    )
    start = input.storage_offset()
    enough = start + input.numel() <= cells.numel()
    return cells[start : start + input.numel()].view(input.shape) if enough else cells


@solutions.wrong(
    "11.detach",
    belief="A storage begins where its tensor begins.",
    lesson="A slice begins inside. Without the offset the new tensor shows the first cells of the storage.",
)
def forgets_the_offset(input):
    return make_tensor(input.untyped_storage(), input.dtype, input.shape, input.stride(), 0)


@solutions.wrong(
    "11.detach",
    belief="A detached tensor keeps its settings, requires_grad among them.",
    lesson="A tensor that requires a gradient is a leaf of a new graph, and every operation on it is "
    "recorded again. A detached tensor is a constant.",
)
def keeps_requires_grad(input):
    made = make_tensor(
        input.untyped_storage(), input.dtype, input.shape, input.stride(), input.storage_offset()
    )
    return made.requires_grad_(input.requires_grad)


@solutions.wrong(
    "11.detach",
    belief="The way out of the graph goes through numbers of Python.",
    lesson="tolist() copies every number, and tensor() copies it back into new memory.",
)
def goes_through_lists(input):
    return tl.tensor(input.tolist(), dtype=input.dtype)


@solutions.wrong(
    "11.detach",
    belief="An operation that does nothing gives a new tensor over the same cells.",
    lesson="x + 0 is an addition: it allocates, computes and, outside of no_grad, is recorded. Only a view "
    "allocates nothing.",
)
def adds_zero(input):
    return input + 0
