"""Chapter 7, where each element goes: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

from tensorlab.core import layout
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def named(shape, dims):
    """The dimensions that go, from the front, each once."""
    gone = [layout.wrap_dim(dim, len(shape)) for dim in dims]
    if len(set(gone)) < len(gone):
        raise RuntimeError("a dimension appears multiple times in the list of dims")
    return gone


def result_of(shape, gone, keepdim):
    """Shape and strides for dimensions that have been looked at."""
    kept = tuple(size for dim, size in enumerate(shape) if dim not in gone)
    steps = list(layout.default_strides(kept))
    strides = tuple(0 if dim in gone else steps.pop(0) for dim in range(len(shape)))
    if keepdim:
        kept = tuple(1 if dim in gone else size for dim, size in enumerate(shape))
    return kept, strides


@solutions.wrong(
    "07.fold_layout",
    belief="sum(0) gives one total for each row, so dimension 0 is the one that stays.",
    lesson="The dimension that is named goes. (3, 4) added along 0 leaves (4,), one total for each column.",
)
def keeps_what_is_named(shape, dims, keepdim=False):
    stays = named(shape, dims)
    return result_of(shape, [dim for dim in range(len(shape)) if dim not in stays], keepdim)


@solutions.wrong(
    "07.fold_layout",
    belief="Several dimensions are taken away one after the other.",
    lesson="When dimension 0 has gone, all others have moved by one. Find out first which ones go, or begin "
    "with the last.",
)
def takes_one_after_the_other(shape, dims, keepdim=False):
    named(shape, dims)
    left, where = list(shape), list(range(len(shape)))
    gone = []
    for dim in dims:
        dim %= max(len(left), 1)
        gone.append(where[dim])
        if not keepdim:
            left.pop(dim)
            where.pop(dim)
    return result_of(shape, gone, keepdim)


@solutions.wrong(
    "07.fold_layout",
    belief="The strides are those of the input, with a 0 where a dimension goes.",
    lesson="The strides lead to cells of the result, which is smaller: a step over a row of it skips fewer "
    "cells. Take those of a new tensor of the result's shape.",
)
def keeps_the_strides_of_the_input(shape, dims, keepdim=False):
    gone = named(shape, dims)
    left, _ = result_of(shape, gone, keepdim)
    steps = layout.default_strides(shape)
    return left, tuple(0 if dim in gone else step for dim, step in enumerate(steps))


@solutions.wrong(
    "07.fold_layout",
    belief="A stride belongs to a size, so the strides of what is left can be looked up by size.",
    lesson="Two dimensions may have one size and different strides. Go through the dimensions in order.",
)
def looks_strides_up_by_size(shape, dims, keepdim=False):
    gone = named(shape, dims)
    left = [size for dim, size in enumerate(shape) if dim not in gone]
    by_size = dict(zip(left, layout.default_strides(left), strict=True))
    strides = tuple(0 if dim in gone else by_size[size] for dim, size in enumerate(shape))
    return result_of(shape, gone, keepdim)[0], strides


@solutions.wrong(
    "07.fold_layout",
    belief="A dimension that goes has no stride any more.",
    lesson="The element still has an index for it, and an index needs a stride. It is 0: along this "
    "dimension the cell stays the same.",
)
def leaves_the_zeros_out(shape, dims, keepdim=False):
    left, strides = result_of(shape, gone := named(shape, dims), keepdim)
    return left, tuple(step for dim, step in enumerate(strides) if dim not in gone)


@solutions.wrong(
    "07.fold_layout",
    belief="A dimension that goes is walked like any other, so its stride is 1.",
    lesson="With a step of 1 the next element would go into the next cell. All elements along this dimension "
    "go into the same cell: that is a stride of 0.",
)
def steps_along_what_goes(shape, dims, keepdim=False):
    left, strides = result_of(shape, gone := named(shape, dims), keepdim)
    return left, tuple(1 if dim in gone else step for dim, step in enumerate(strides))


@solutions.wrong(
    "07.fold_layout",
    belief="keepdim is cosmetic and needs nothing.",
    lesson="The cells are the same, the shape is not: with keepdim each dimension that goes stays as a 1.",
)
def ignores_keepdim(shape, dims, keepdim=False):
    return result_of(shape, named(shape, dims), False)


@solutions.wrong(
    "07.fold_layout",
    belief="keepdim keeps the number of dimensions, so sizes of 1 come first.",
    lesson="Each 1 belongs where the dimension was. Only there does the result broadcast back to "
    "the tensor that it "
    "came from.",
)
def puts_the_ones_in_front(shape, dims, keepdim=False):
    gone = named(shape, dims)
    left, strides = result_of(shape, gone, False)
    return ((1,) * len(gone) + left if keepdim else left), strides


@solutions.wrong(
    "07.fold_layout",
    belief="Make the sizes 1, and then drop every size of 1.",
    lesson="A dimension that was of size 1 before and is not named has to stay. Drop by name, not by size.",
)
def drops_every_size_of_one(shape, dims, keepdim=False):
    gone = named(shape, dims)
    left, strides = result_of(shape, gone, True)
    return (left if keepdim else tuple(size for size in left if size != 1)), strides


@solutions.wrong(
    "07.fold_layout",
    belief="A dimension is a number from 0 on; a negative one names nothing.",
    lesson="-1 is the last dimension. Count it from the front first, as layout.wrap_dim does.",
)
def does_not_know_negative_ones(shape, dims, keepdim=False):
    named(shape, dims)
    return result_of(shape, dims, keepdim)


@solutions.wrong(
    "07.fold_layout",
    belief="A dimension that is named twice goes once; a set sorts that out.",
    lesson="Naming a dimension twice is a mistake, often with a negative number. Raise an error.",
)
def sorts_it_out_with_a_set(shape, dims, keepdim=False):
    return result_of(shape, {layout.wrap_dim(dim, len(shape)) for dim in dims}, keepdim)


@solutions.wrong(
    "07.fold_layout",
    belief="dim % len(shape) brings every dimension to the front.",
    lesson="It also brings those that do not exist: dimension 3 of 3 silently becomes dimension 0.",
)
def wraps_what_is_out_of_range(shape, dims, keepdim=False):
    return result_of(shape, named(shape, [dim % max(len(shape), 1) for dim in dims]), keepdim)


@solutions.wrong(
    "07.fold_layout",
    belief="No dimensions named means all of them.",
    lesson="So it is for a sum that is given none at all. Here dims is an empty tuple: nothing goes.",
)
def none_means_all(shape, dims, keepdim=False):
    return result_of(shape, named(shape, dims) or range(len(shape)), keepdim)
