"""Chapter 4, tensors: solutions that are wrong, each from a belief that somebody holds."""

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


@solutions.wrong(
    "04.contiguous",
    belief="contiguous makes a copy that is contiguous.",
    lesson="Only where one is needed. For a tensor that is contiguous already, the tensor itself is the "
    "answer, and no "
    "byte moves.",
)
def always_copies(input):
    return in_rows(input)


@solutions.wrong(
    "04.contiguous",
    belief="Have the copy ready, and throw it away where none is needed.",
    lesson="While it lives, the memory holds both. Ask layout.is_contiguous first, then copy.",
)
def throws_a_copy_away(input):
    ready = in_rows(input)
    return input if layout.is_contiguous(input.shape, input.stride()) else ready


@solutions.wrong(
    "04.contiguous",
    belief="clone makes a new tensor, and a new tensor is contiguous.",
    lesson="clone keeps the strides when they leave no gaps: the copy of a transposed tensor is transposed. "
    "Fill an "
    "empty tensor instead.",
)
def clones(input):
    if layout.is_contiguous(input.shape, input.stride()):
        return input
    return input.clone()


@solutions.wrong(
    "04.contiguous",
    belief="contiguous gives the same storage strides in which the rows follow one another.",
    lesson="Other strides over the same cells show other numbers. The cells have to be written anew in "
    "another order.",
)
def changes_the_strides(input):
    if layout.is_contiguous(input.shape, input.stride()):
        return input
    return tl.as_strided(input, input.shape, layout.default_strides(input.shape), 0)


@solutions.wrong(
    "04.contiguous",
    belief="contiguous rearranges the numbers in the storage.",
    lesson="Other tensors look into that storage, and would see other numbers at once. The new order needs a "
    "storage of "
    "its own.",
)
def rearranges_in_place(input):
    if layout.is_contiguous(input.shape, input.stride()):
        return input
    rows = in_rows(input)
    place = tl.as_strided(input, input.shape, layout.default_strides(input.shape), input.storage_offset())
    place[...] = rows
    return place


@solutions.wrong(
    "04.contiguous",
    belief="All strides have to be those of a new tensor.",
    lesson="The stride of a dimension of size 1 is never used, and without elements none is. They may be "
    "anything.",
)
def compares_all_strides(input):
    if input.stride() == layout.default_strides(input.shape):
        return input
    return in_rows(input)


@solutions.wrong(
    "04.contiguous",
    belief="Strides that fall from left to right mean that the rows follow one another.",
    lesson="Falling is not enough: with a gap behind each row the strides fall too. Each has to be exactly "
    "the cells "
    "that lie inside it.",
)
def falling_strides_will_do(input):
    steps = [stride for size, stride in zip(input.shape, input.stride(), strict=True) if size > 1]
    if 0 in input.shape or (steps == sorted(steps, reverse=True) and 0 not in steps):
        return input
    return in_rows(input)


@solutions.wrong(
    "04.contiguous",
    belief="A contiguous tensor begins in cell 0 and fills its storage.",
    lesson="Contiguous is about the steps. Where it begins and what lies behind its end does not matter.",
)
def must_fill_its_storage(input):
    whole = input.numel() * input.element_size() == input.untyped_storage().nbytes()
    if whole and layout.is_contiguous(input.shape, input.stride()):
        return input
    return in_rows(input)


@solutions.wrong(
    "04.contiguous",
    belief="A new object for the caller is safer than the caller's own.",
    lesson="The promise is the input itself. Programs ask `y is x` to learn whether anything was copied.",
)
def returns_a_view_of_it(input):
    if layout.is_contiguous(input.shape, input.stride()):
        return tl.as_strided(input, input.shape, input.stride(), input.storage_offset())
    return in_rows(input)


@solutions.wrong(
    "04.contiguous",
    belief="Copy the storage, and what looks into it is copied.",
    lesson="The copied storage has the same order, and all the cells that this tensor does not even reach. "
    "Copy the "
    "elements.",
)
def copies_the_storage(input):
    if layout.is_contiguous(input.shape, input.stride()):
        return input
    cells = input.untyped_storage().nbytes() // input.element_size()
    line = in_rows(tl.as_strided(input, (cells,), (1,), 0))
    return tl.as_strided(line, input.shape, input.stride(), input.storage_offset())


@solutions.wrong(
    "04.contiguous",
    belief="A transposed tensor becomes contiguous by transposing it back.",
    lesson="Then its shape is another one, and its elements have other indices. The tensor should stay what "
    "it is.",
)
def transposes_back(input):
    if layout.is_contiguous(input.shape, input.stride()):
        return input
    order = sorted(range(input.dim()), key=lambda dim: -input.stride()[dim])
    return in_rows(input.permute(order))


@solutions.wrong(
    "04.contiguous",
    belief="A stride of 0 leaves no gap, so the tensor is contiguous.",
    lesson="It leaves no gap and repeats a cell. In a contiguous tensor each element has a cell of its own.",
)
def zeros_leave_no_gap(input):
    sizes = [size for size, stride in zip(input.shape, input.stride(), strict=True) if stride != 0]
    steps = [stride for stride in input.stride() if stride != 0]
    if layout.is_contiguous(sizes, steps):
        return input
    return in_rows(input)


@solutions.wrong(
    "04.reshape",
    belief="reshape is the function that copies, view the one that does not.",
    lesson="reshape copies only where no view exists. For a contiguous tensor there always is one.",
)
def always_copies_first(input, *sizes):
    return in_rows(input).view(sizes)


@solutions.wrong(
    "04.reshape",
    belief="A tensor that is not contiguous has no view, so it is copied.",
    lesson="(4, 3) with strides (1, 4) has a view of shape (2, 2, 3). Ask layout.view_strides, not "
    "layout.is_contiguous.",
)
def copies_what_is_not_contiguous(input, *sizes):
    return input.contiguous().view(sizes)


@solutions.wrong(
    "04.reshape",
    belief="Another shape is never more than other strides.",
    lesson="Where no strides lead to the elements in their order, they have to be copied.",
)
def only_views(input, *sizes):
    return input.view(sizes)


@solutions.wrong(
    "04.reshape",
    belief="The numbers are in the storage, so lay the new shape over it.",
    lesson="The storage's order is not the tensor's order when dimensions were exchanged. reshape keeps the "
    "order that "
    "the tensor shows.",
)
def lays_the_shape_over_the_storage(input, *sizes):
    shape = layout.infer_size(sizes, input.numel())
    strides = layout.default_strides(shape)
    try:
        return tl.as_strided(input, shape, strides, input.storage_offset())
    except RuntimeError:
        return in_rows(input).view(shape)


@solutions.wrong(
    "04.reshape",
    belief="A view begins in cell 0.",
    lesson="It begins where the tensor begins: its offset is the input's offset.",
)
def forgets_the_offset(input, *sizes):
    shape = layout.infer_size(sizes, input.numel())
    strides = layout.view_strides(input.shape, input.stride(), shape)
    if isinstance(strides, layout.Refusal):
        return in_rows(input).view(shape)
    return tl.as_strided(input, shape, strides, 0)


@solutions.wrong(
    "04.reshape",
    belief="The copy is wherever the view would have been.",
    lesson="The copy has a storage of its own and begins in its cell 0. The old offset says nothing there.",
)
def keeps_the_offset_for_the_copy(input, *sizes):
    shape, offset = layout.infer_size(sizes, input.numel()), input.storage_offset()
    strides = layout.view_strides(input.shape, input.stride(), shape)
    if isinstance(strides, layout.Refusal):
        input, strides = in_rows(input), layout.default_strides(shape)
    return tl.as_strided(input, shape, strides, offset)


@solutions.wrong(
    "04.reshape",
    belief="clone gives dense memory, and dense memory can be viewed.",
    lesson="clone keeps the order of the strides, so the clone of a transposed tensor refuses the same view. "
    "contiguous() writes row after row.",
)
def clones_and_views(input, *sizes):
    try:
        return input.view(sizes)
    except RuntimeError:
        return input.clone().view(sizes)


@solutions.wrong(
    "04.reshape",
    belief="Reshaping a table into its turned shape turns the table.",
    lesson="reshape keeps the order of the elements and moves no row to a column. That is what permute is "
    "for.",
)
def turns_the_table(input, *sizes):
    shape = layout.infer_size(sizes, input.numel())
    if tuple(shape) == tuple(input.shape)[::-1]:
        return input.permute(*reversed(range(input.dim())))
    strides = layout.view_strides(input.shape, input.stride(), shape)
    if isinstance(strides, layout.Refusal):
        return in_rows(input).view(shape)
    return tl.as_strided(input, shape, strides, input.storage_offset())


@solutions.wrong(
    "04.reshape",
    belief="The sizes are as many as the elements, whoever calls.",
    lesson="A caller may leave one size to you with -1, or make a mistake. layout.infer_size does both: it "
    "fills in "
    "and it refuses.",
)
def takes_sizes_as_they_are(input, *sizes):
    strides = layout.view_strides(input.shape, input.stride(), sizes)
    if isinstance(strides, layout.Refusal):
        return tl.as_strided(in_rows(input), sizes, layout.default_strides(sizes), 0)
    return tl.as_strided(input, sizes, strides, input.storage_offset())


@solutions.wrong(
    "04.reshape",
    belief="A copy more does no harm.",
    lesson="It costs the memory and the time of all elements once more. One copy is enough, and a view needs "
    "none.",
)
def copies_twice(input, *sizes):
    shape = layout.infer_size(sizes, input.numel())
    strides = layout.view_strides(input.shape, input.stride(), shape)
    if isinstance(strides, layout.Refusal):
        return tl.tensor(in_rows(input).tolist(), dtype=input.dtype).view(shape)
    return tl.as_strided(input, shape, strides, input.storage_offset())


@solutions.wrong(
    "04.reshape",
    belief="Have the copy ready; where there is a view, it is thrown away.",
    lesson="While it lives, the memory holds both, and to make it takes as long as to use it. Ask first, "
    "then copy.",
)
def has_a_copy_ready(input, *sizes):
    ready = in_rows(input)
    shape = layout.infer_size(sizes, input.numel())
    strides = layout.view_strides(input.shape, input.stride(), shape)
    if isinstance(strides, layout.Refusal):
        return ready.view(shape)
    return tl.as_strided(input, shape, strides, input.storage_offset())


def view_or_copy(input, sizes):
    shape = layout.infer_size(sizes, input.numel())
    strides = layout.view_strides(input.shape, input.stride(), shape)
    if isinstance(strides, layout.Refusal):
        return in_rows(input).view(shape)
    return tl.as_strided(input, shape, strides, input.storage_offset())


@solutions.wrong(
    "04.reshape",
    belief="Without sizes there is nothing to change.",
    lesson="No sizes are a shape like any other: (). One element has it, in a tensor without dimensions; for "
    "six elements it does not fit.",
)
def leaves_it_without_sizes(input, *sizes):
    if not sizes:
        return input
    return view_or_copy(input, sizes)


@solutions.wrong(
    "04.reshape",
    belief="Without sizes all elements stand in one row.",
    lesson="One row is what -1 asks for, or flatten. No sizes are the shape (), which has no row.",
)
def makes_a_row_without_sizes(input, *sizes):
    return view_or_copy(input, sizes or (-1,))


@solutions.wrong(
    "04.contiguous",
    belief="tl.tensor sees by itself which dtype the numbers have.",
    lesson="It sees Python numbers, and makes float32 or int64 of them. Hand the dtype over: "
    "dtype=input.dtype.",
)
def forgets_the_dtype(input):
    if layout.is_contiguous(input.shape, input.stride()):
        return input
    return tl.tensor(input.tolist())
