"""Chapter 4, flattening: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.core import layout
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def in_rows(x):
    """A contiguous copy."""
    copy = tl.empty(x.shape, dtype=x.dtype)
    copy[...] = x
    return copy


def checked_dims(x, start_dim, end_dim):
    first, last = layout.wrap_dim(start_dim, x.dim()), layout.wrap_dim(end_dim, x.dim())
    if first > last:
        raise RuntimeError("start_dim comes after end_dim")
    return first, last


def flattened(x, first, last):
    return x.reshape(*x.shape[:first], layout.numel(x.shape[first : last + 1]), *x.shape[last + 1 :])


@solutions.wrong(
    "04.flatten",
    belief="flatten is reshape(1, -1) and then squeeze.",
    lesson="squeeze drops every size of 1, also the one that is the answer: of one element it leaves shape "
    "(), and it "
    "should be (1,).",
)
def reshapes_and_squeezes(input, start_dim=0, end_dim=-1):
    first, last = checked_dims(input, start_dim, end_dim)
    if first == last and input.dim() > 0:
        return input
    if first == 0 and last == max(input.dim() - 1, 0):
        return input.reshape(1, -1).squeeze()
    return flattened(input, first, last)


@solutions.wrong(
    "04.flatten",
    belief="flatten makes one dimension of all.",
    lesson="Of those from start_dim to end_dim. The others stay: a batch of pictures becomes a batch of "
    "rows.",
)
def flattens_all(input, start_dim=0, end_dim=-1):
    first, last = checked_dims(input, start_dim, end_dim)
    if first == last and input.dim() > 0:
        return input
    return input.reshape(input.numel())


@solutions.wrong(
    "04.flatten",
    belief="end_dim is where it ends, as in a slice: that dimension is not included.",
    lesson="Here it is included. flatten(0, 1) joins dimensions 0 and 1, and the default end of -1 is the "
    "last one.",
)
def end_is_not_included(input, start_dim=0, end_dim=-1):
    first, last = checked_dims(input, start_dim, end_dim)
    if first == last and input.dim() > 0:
        return input
    if end_dim != -1:
        last -= 1
    return flattened(input, first, last)


@solutions.wrong(
    "04.flatten",
    belief="Dimensions are counted from the front.",
    lesson="-1 is the last dimension, as everywhere. layout.wrap_dim turns it into a place from the front.",
)
def no_negative_dims(input, start_dim=0, end_dim=-1):
    end = input.dim() - 1 if end_dim == -1 else end_dim
    if start_dim < 0 or end < min(input.dim() - 1, 0) or max(start_dim, end) >= max(input.dim(), 1):
        raise IndexError("Dimension out of range")
    if start_dim > max(end, 0):
        raise RuntimeError("start_dim comes after end_dim")
    if start_dim == end:
        return input
    return flattened(input, start_dim, max(end, 0))


@solutions.wrong(
    "04.flatten",
    belief="A flat tensor is a new one, so that nobody's data changes.",
    lesson="reshape shares where it can, and flatten with it: flattening a contiguous tensor moves no byte.",
)
def copies_always(input, start_dim=0, end_dim=-1):
    first, last = checked_dims(input, start_dim, end_dim)
    return flattened(in_rows(input), first, last)


@solutions.wrong(
    "04.flatten",
    belief="Flattening never copies, it is a view.",
    lesson="A transposed table has no view as one row. There a copy is due, and reshape makes it.",
)
def views_only(input, start_dim=0, end_dim=-1):
    first, last = checked_dims(input, start_dim, end_dim)
    if first == last and input.dim() > 0:
        return input
    sizes = (*input.shape[:first], layout.numel(input.shape[first : last + 1]), *input.shape[last + 1 :])
    return input.view(sizes)


@solutions.wrong(
    "04.flatten",
    belief="A flat tensor shows the numbers in the order in which they lie in memory.",
    lesson="It shows them in the tensor's own order, row by row as it prints. For a transposed tensor that "
    "is another "
    "one.",
)
def reads_the_storage(input, start_dim=0, end_dim=-1):
    first, last = checked_dims(input, start_dim, end_dim)
    if first == last and input.dim() > 0:
        return input
    shape = (*input.shape[:first], layout.numel(input.shape[first : last + 1]), *input.shape[last + 1 :])
    strides = layout.default_strides(shape)
    if 0 not in shape and layout.numel(shape) > input.untyped_storage().nbytes() // input.element_size():
        return flattened(input, first, last)
    return tl.as_strided(input, shape, strides, input.storage_offset())


@solutions.wrong(
    "04.flatten",
    belief="A number without dimensions cannot be flattened.",
    lesson="It has one element, and one dimension can hold it: the answer has shape (1,).",
)
def refuses_no_dimensions(input, start_dim=0, end_dim=-1):
    if input.dim() == 0:
        raise RuntimeError("there is no dimension to flatten")
    first, last = checked_dims(input, start_dim, end_dim)
    return input if first == last else flattened(input, first, last)


@solutions.wrong(
    "04.flatten",
    belief="A number without dimensions is flat already.",
    lesson="Flat means one dimension. This one has none, and gets one: shape (1,).",
)
def leaves_no_dimensions(input, start_dim=0, end_dim=-1):
    first, last = checked_dims(input, start_dim, end_dim)
    return input if first == last else flattened(input, first, last)


@solutions.wrong(
    "04.flatten",
    belief="A new view is as good as the tensor itself.",
    lesson="When there is nothing to flatten, PyTorch returns the input, the very object, and so should you.",
)
def returns_a_new_view(input, start_dim=0, end_dim=-1):
    first, last = checked_dims(input, start_dim, end_dim)
    if first == last and input.dim() > 0:
        return tl.as_strided(input, input.shape, input.stride(), input.storage_offset())
    return flattened(input, first, last)


@solutions.wrong(
    "04.flatten",
    belief="The larger of the two dimensions is the end, whichever came first.",
    lesson="A start after the end is most likely a slip. PyTorch says so with a RuntimeError.",
)
def swaps_the_ends(input, start_dim=0, end_dim=-1):
    first, last = layout.wrap_dim(start_dim, input.dim()), layout.wrap_dim(end_dim, input.dim())
    first, last = min(first, last), max(first, last)
    if first == last and input.dim() > 0:
        return input
    return flattened(input, first, last)


@solutions.wrong(
    "04.flatten",
    belief="A dimension that is too large means the last one, as in a slice.",
    lesson="Slices clamp. A dimension has to exist, or it is an IndexError.",
)
def clamps(input, start_dim=0, end_dim=-1):
    last_dim = max(input.dim() - 1, 0)
    first, last = (
        min(max(dim + last_dim + 1 if dim < 0 else dim, 0), last_dim) for dim in (start_dim, end_dim)
    )
    if first > last:
        raise RuntimeError("start_dim comes after end_dim")
    if first == last and input.dim() > 0:
        return input
    return flattened(input, first, last)


@solutions.wrong(
    "04.flatten",
    belief="The joined size is what is left over, so -1 stands for it.",
    lesson="Beside a size of 0 every size is left over, and -1 is refused. Multiply the joined sizes.",
)
def leaves_the_size_open(input, start_dim=0, end_dim=-1):
    first, last = checked_dims(input, start_dim, end_dim)
    if input.dim() == 0:
        return input.reshape(1)
    if first == last:
        return input
    return input.reshape(*input.shape[:first], -1, *input.shape[last + 1 :])


@solutions.wrong(
    "04.flatten",
    belief="A tensor must be contiguous before its dimensions are joined.",
    lesson="Only the joined dimensions have to be one run. Every second block of a tensor is not contiguous, "
    "and inside the blocks nothing has to be copied. reshape looks for you.",
)
def makes_it_contiguous_first(input, start_dim=0, end_dim=-1):
    first, last = checked_dims(input, start_dim, end_dim)
    if input.dim() == 0:
        return input.reshape(1)
    if first == last:
        return input
    return flattened(input.contiguous(), first, last)


@solutions.wrong(
    "04.flatten",
    belief="To flatten is to get rid of sizes of 1 too.",
    lesson="That is squeeze. The dimensions that are not joined stay, whatever their size is.",
)
def drops_the_ones_outside(input, start_dim=0, end_dim=-1):
    first, last = checked_dims(input, start_dim, end_dim)
    if input.dim() == 0:
        return input.reshape(1)
    if first == last:
        return input
    flat = flattened(input, first, last)
    return flat.reshape([size for size in flat.shape if size != 1] or [1])


@solutions.wrong(
    "04.flatten",
    belief="A tensor without dimensions has nothing to check.",
    lesson="It takes the dimensions 0 and -1 and no others. layout.wrap_dim knows: ask it before you look at "
    "the shape.",
)
def checks_nothing_without_dimensions(input, start_dim=0, end_dim=-1):
    if input.dim() == 0:
        return input.reshape(1)
    first, last = checked_dims(input, start_dim, end_dim)
    return input if first == last else flattened(input, first, last)
