"""Chapter 6, views and writes: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import itertools

import tensorlab as tl
from tensorlab.core import broadcasting, layout
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def wanted(input, sizes):
    """The sizes with every -1 replaced, all of them checked."""
    front = len(sizes) - input.dim()
    if front < 0:
        raise RuntimeError("must be greater or equal to the number of dimensions")
    if -1 in sizes[:front]:
        raise RuntimeError("-1 in a leading, non-existing dimension")
    own = (1,) * front + tuple(input.shape)
    shape = tuple(size if new == -1 else new for size, new in zip(own, sizes, strict=True))
    for size, new in zip(own, shape, strict=True):
        if size not in (1, new):
            raise RuntimeError(f"{new} must match the existing size {size}")
    return shape


def steps(input, shape):
    """The strides with which the input is read."""
    return broadcasting.broadcast_strides(input.shape, input.stride(), shape)


@solutions.wrong(
    "06.expand",
    belief="expand repeats the numbers until the shape is full.",
    lesson="It repeats the reading. The answer is a view with strides of 0, and no byte is copied.",
)
def repeats_the_numbers(input, *sizes):
    shape = wanted(input, sizes)
    return tl.as_strided(input, shape, steps(input, shape), input.storage_offset()).contiguous()


@solutions.wrong(
    "06.expand",
    belief="A clone is safer than a view.",
    lesson="It is another storage: a write into the original would not show. A view was asked for.",
)
def clones_the_cells(input, *sizes):
    shape = wanted(input, sizes)
    own = input.clone()
    return tl.as_strided(own, shape, steps(own, shape), 0)


@solutions.wrong(
    "06.expand",
    belief="To look at a copy costs nothing if the answer is a view.",
    lesson="While the copy lives, the memory holds both. Shape, strides and offset stand beside the storage.",
)
def looks_at_a_copy(input, *sizes):
    spare = input.clone()
    shape = wanted(spare, sizes)
    return tl.as_strided(input, shape, steps(input, shape), input.storage_offset())


@solutions.wrong(
    "06.expand",
    belief="Let an addition find the shape. Its result is thrown away.",
    lesson="It is written first, element by element. For as long as that takes, it needs all the memory that "
    "the view saves.",
)
def adds_to_find_the_shape(input, *sizes):
    sum_ = tl.zeros(wanted(input, sizes), dtype=input.dtype) + input
    return tl.as_strided(input, sum_.shape, steps(input, sum_.shape), input.storage_offset())


@solutions.wrong(
    "06.expand",
    belief="The view has the strides of a new tensor of its shape.",
    lesson="Those lead beyond the cells that there are. Along a stretched dimension the stride is 0.",
)
def strides_of_a_new_tensor(input, *sizes):
    shape = wanted(input, sizes)
    return tl.as_strided(input, shape, layout.default_strides(shape), input.storage_offset())


@solutions.wrong(
    "06.expand",
    belief="A view begins in cell 0.",
    lesson="It begins where the input begins: its offset is the input's offset.",
)
def forgets_the_offset(input, *sizes):
    shape = wanted(input, sizes)
    return tl.as_strided(input, shape, steps(input, shape), 0)


@solutions.wrong(
    "06.expand",
    belief="The strides of a tensor follow from its shape.",
    lesson="Those of a new tensor do. A slice or a transposed tensor has others: ask it with stride().",
)
def own_strides_from_the_shape(input, *sizes):
    shape = wanted(input, sizes)
    strides = broadcasting.broadcast_strides(input.shape, layout.default_strides(input.shape), shape)
    return tl.as_strided(input, shape, strides, input.storage_offset())


@solutions.wrong(
    "06.expand",
    belief="A size of -1 is computed from the others, as in view.",
    lesson="In view the number of elements is known, so one size can be computed. Here -1 means: leave this "
    "dimension as it is.",
)
def infers_the_unknown(input, *sizes):
    count = layout.numel(tuple(size for size in sizes if size != -1))
    sizes = tuple(max(1, input.numel() // max(1, count)) if size == -1 else size for size in sizes)
    shape = wanted(input, sizes)
    return tl.as_strided(input, shape, steps(input, shape), input.storage_offset())


@solutions.wrong(
    "06.expand",
    belief="Sizes are 0 or more, so -1 needs no thought.",
    lesson="-1 keeps the size that a dimension has. Callers use it so that they need not know all sizes.",
)
def passes_minus_one_on(input, *sizes):
    wanted(input, sizes)
    front = len(sizes) - input.dim()
    own = (1,) * front + tuple(input.shape)
    strides = (0,) * front + tuple(input.stride())
    strides = [stride if size == new else 0 for size, new, stride in zip(own, sizes, strides, strict=True)]
    return tl.as_strided(input, sizes, strides, input.storage_offset())


@solutions.wrong(
    "06.expand",
    belief="A leading -1 means one more dimension, of size 1.",
    lesson="-1 keeps an existing size, and a new dimension has none. Write the 1 if you mean it.",
)
def minus_one_in_front_is_one(input, *sizes):
    front = len(sizes) - input.dim()
    sizes = tuple(1 if size == -1 and dim < front else size for dim, size in enumerate(sizes))
    shape = wanted(input, sizes)
    return tl.as_strided(input, shape, steps(input, shape), input.storage_offset())


@solutions.wrong(
    "06.expand",
    belief="New dimensions come last.",
    lesson="Shapes are aligned on the right, so new dimensions come first.",
)
def puts_dimensions_behind(input, *sizes):
    if len(sizes) < input.dim():
        return input.reshape(()).view(sizes)
    own = tuple(input.shape) + (1,) * (len(sizes) - input.dim())
    shape = tuple(size if new == -1 else new for size, new in zip(own, sizes, strict=True))
    for size, new in zip(own, shape, strict=True):
        if size not in (1, new):
            raise RuntimeError(f"{new} must match the existing size {size}")
    behind = tuple(input.stride()) + (0,) * (len(sizes) - input.dim())
    strides = [stride if size == new else 0 for size, new, stride in zip(own, shape, behind, strict=True)]
    return tl.as_strided(input, shape, strides, input.storage_offset())


@solutions.wrong(
    "06.expand",
    belief="Whatever size is wanted, a stride of 0 gives it.",
    lesson="Of a dimension of 3 it would show the first element only, and silently drop the others. "
    "Only a 1 stretches.",
)
def stretches_anything(input, *sizes):
    front = len(sizes) - input.dim()
    if front < 0:
        raise RuntimeError("must be greater or equal to the number of dimensions")
    if -1 in sizes[:front]:
        raise RuntimeError("-1 in a leading, non-existing dimension")
    own = (1,) * front + tuple(input.shape)
    shape = tuple(size if new == -1 else new for size, new in zip(own, sizes, strict=True))
    strides = (0,) * front + tuple(input.stride())
    strides = [stride if size == new else 0 for size, new, stride in zip(own, shape, strides, strict=True)]
    return tl.as_strided(input, shape, strides, input.storage_offset())


@solutions.wrong(
    "06.expand",
    belief="A tensor with too many dimensions loses the first ones.",
    lesson="A view neither drops nor adds an element without being told. Fewer sizes than dimensions are "
    "refused.",
)
def drops_dimensions_in_front(input, *sizes):
    while input.dim() > len(sizes):
        input = input[0]
    shape = wanted(input, sizes)
    return tl.as_strided(input, shape, steps(input, shape), input.storage_offset())


@solutions.wrong(
    "06.expand",
    belief="Wrong sizes are wrong values, so they raise ValueError.",
    lesson="The contract says RuntimeError, as PyTorch does.",
)
def raises_value_errors(input, *sizes):
    try:
        shape = wanted(input, sizes)
    except RuntimeError as error:
        raise ValueError(str(error)) from None
    return tl.as_strided(input, shape, steps(input, shape), input.storage_offset())


def complain(dim):
    raise RuntimeError(f"more than one element in one cell: dimension {dim} has stride 0")


@solutions.wrong(
    "06.guard_layout",
    belief="A write into a stretched tensor does no harm.",
    lesson="Several values go into one cell, and which of them stays depends on the order of the writes. It "
    "has to be refused.",
)
def lets_everything_pass(target):
    return None


@solutions.wrong(
    "06.guard_layout",
    belief="A stride of 0 is always a stretched dimension.",
    lesson="A dimension of size 1 takes no step, so its stride may be 0, or anything. Nothing is shared "
    "there.",
)
def refuses_every_zero(target):
    if target.numel() == 0:
        return
    for dim, stride in enumerate(target.stride()):
        if stride == 0:
            complain(dim)


@solutions.wrong(
    "06.guard_layout",
    belief="A stretched dimension is stretched, whatever the others are.",
    lesson="With a size of 0 somewhere there is no element, and nothing to write. Such a call is let pass.",
)
def forgets_empty_tensors(target):
    for dim, (size, stride) in enumerate(zip(target.shape, target.stride(), strict=True)):
        if stride == 0 and size > 1:
            complain(dim)


@solutions.wrong(
    "06.guard_layout",
    belief="Only new dimensions are stretched.",
    lesson="Missing ones are. A size of 1 may be stretched anywhere: look at every stride.",
)
def looks_at_the_first_only(target):
    if target.numel() and target.dim() and target.shape[0] > 1 and target.stride()[0] == 0:
        complain(0)


@solutions.wrong(
    "06.guard_layout",
    belief="It is the last dimension that is stretched.",
    lesson="It may be any: look at every stride.",
)
def looks_at_the_last_only(target):
    if target.numel() and target.dim() and target.shape[-1] > 1 and target.stride()[-1] == 0:
        complain(target.dim() - 1)


@solutions.wrong(
    "06.guard_layout",
    belief="Only a contiguous tensor may be written.",
    lesson="A transposed tensor and a slice have a cell for each element, and writing into them is what "
    "views are for.",
)
def refuses_what_is_not_contiguous(target):
    if not target.is_contiguous():
        strides = [0, *target.stride()] if target.dim() == 0 else list(target.stride())
        complain(strides.index(0) if 0 in strides else 0)


@solutions.wrong(
    "06.guard_layout",
    belief="Every overlap is an error.",
    lesson="It would be safer. But to find all overlaps can take as long as the write, so only strides of 0 "
    "are looked for; windows may be written.",
)
def refuses_every_overlap(target):
    pairs = list(zip(target.shape, target.stride(), strict=True))
    indices = itertools.product(*map(range, target.shape))
    cells = [layout.flat_index(index, target.stride()) for index in indices]
    if len(set(cells)) < len(cells):
        stretched = [dim for dim, (size, stride) in enumerate(pairs) if size > 1 and stride == 0]
        complain(stretched[0] if stretched else 0)


@solutions.wrong(
    "06.guard_layout",
    belief="More elements than cells in the storage: that is what stretched means.",
    lesson="A storage may have room to spare, and the tensor may still read one cell again and again. Look "
    "at the strides.",
)
def compares_with_the_storage(target):
    cells = target.untyped_storage().nbytes() // target.element_size()
    if target.numel() > cells:
        stretched = [dim for dim, stride in enumerate(target.stride()) if stride == 0]
        sizes = [dim for dim in stretched if target.shape[dim] > 1]
        complain((sizes or [0])[0])


@solutions.wrong(
    "06.guard_layout",
    belief="A guard answers True or False.",
    lesson="Then every caller would have to look at the answer. A check like this stops the "
    "program: it raises.",
)
def answers_instead_of_raising(target):
    pairs = zip(target.shape, target.stride(), strict=True)
    return target.numel() > 0 and any(size > 1 and stride == 0 for size, stride in pairs)


@solutions.wrong(
    "06.guard_layout",
    belief="A wrong tensor is a wrong value, so it raises ValueError.",
    lesson="The contract says RuntimeError, as PyTorch does.",
)
def raises_a_value_error(target):
    for dim, (size, stride) in enumerate(zip(target.shape, target.stride(), strict=True)):
        if stride == 0 and size > 1 and target.numel():
            raise ValueError(f"more than one element: dimension {dim}")


@solutions.wrong(
    "06.guard_layout",
    belief="Any of the stretched dimensions may be named.",
    lesson="The first one is asked for, so that everybody gets the same message for the same tensor.",
)
def names_the_last_one(target):
    if target.numel() == 0:
        return
    pairs = list(zip(target.shape, target.stride(), strict=True))
    stretched = [dim for dim, (size, stride) in enumerate(pairs) if stride == 0 and size > 1]
    if stretched:
        complain(stretched[-1])
