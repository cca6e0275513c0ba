"""Chapter 4, merging dimensions: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import math

from tensorlab.grading.suite import Solutions

solutions = Solutions()


def merged_where(shape, strides, belong_together, drop_ones=True):
    """Merge from the left wherever `belong_together` says so of (size, step) outside and inside."""
    axes = []
    for axis in zip(shape, strides, strict=True):
        if drop_ones and axis[0] == 1:
            continue
        if axes and belong_together(axes[-1], axis):
            axes[-1] = (axes[-1][0] * axis[0], axis[1])
        else:
            axes.append(axis)
    return tuple(size for size, _ in axes), tuple(step for _, step in axes)


@solutions.wrong(
    "04.merge_axes",
    belief="Two dimensions are one when the outer stride is the inner size.",
    lesson="That is so when the inner step is one cell. In general all steps of the inner dimension are its "
    "size "
    "times its stride.",
)
def forgets_the_inner_stride(shape, strides):
    return merged_where(shape, strides, lambda outer, inner: outer[1] == inner[0])


@solutions.wrong(
    "04.merge_axes",
    belief="Dimensions merge when their sizes are equal.",
    lesson="Sizes say how many steps there are, not how long one is. Two rows of two may lie anywhere.",
)
def compares_sizes(shape, strides):
    return merged_where(shape, strides, lambda outer, inner: outer[0] == inner[0])


@solutions.wrong(
    "04.merge_axes",
    belief="The outer stride has to be the outer size times the inner stride.",
    lesson="How often the outer step is taken does not matter. One outer step has to be all the inner steps: "
    "the "
    "inner size times the inner stride.",
)
def multiplies_by_the_outer_size(shape, strides):
    return merged_where(shape, strides, lambda outer, inner: outer[1] == outer[0] * inner[1])


@solutions.wrong(
    "04.merge_axes",
    belief="All numbers are in one storage, so they are one run.",
    lesson="They are in one storage, with jumps between them. A dimension has one stride, so it cannot jump.",
)
def merges_everything(shape, strides):
    return merged_where(shape, strides, lambda outer, inner: True)


@solutions.wrong(
    "04.merge_axes",
    belief="A tensor is one run when it is contiguous, and cannot be merged when it is not.",
    lesson="Between all and nothing lies most of what there is: some neighbours merge while others stay "
    "apart.",
)
def all_or_nothing(shape, strides):
    one = merged_where(shape, strides, lambda outer, inner: outer[1] == inner[0] * inner[1])
    return one if len(one[0]) <= 1 else merged_where(shape, strides, lambda outer, inner: False)


@solutions.wrong(
    "04.merge_axes",
    belief="A run has stride 1, or it is no run.",
    lesson="A run is evenly spaced. Every second cell, or every eighth, is a run with stride 2 or 8.",
)
def only_dense_runs(shape, strides):
    return merged_where(
        shape, strides, lambda outer, inner: outer[1] == inner[0] * inner[1] and outer[1] == inner[0]
    )


@solutions.wrong(
    "04.merge_axes",
    belief="The merged dimension steps as the outer one did.",
    lesson="Its first step goes from the first element to its neighbour, and that is the inner step. The "
    "outer "
    "stride is many of them.",
)
def keeps_the_outer_stride(shape, strides):
    axes = []
    for size, step in zip(shape, strides, strict=True):
        if size == 1:
            continue
        if axes and axes[-1][2] == step * size:
            axes[-1] = (axes[-1][0] * size, axes[-1][1], step)
        else:
            axes.append((size, step, step))
    return tuple(axis[0] for axis in axes), tuple(axis[1] for axis in axes)


@solutions.wrong(
    "04.merge_axes",
    belief="Merging two dimensions adds their sizes.",
    lesson="Each of the outer steps has all the inner ones: 2 rows of 3 are a run of 2 · 3 = 6, not of 5.",
)
def adds_sizes(shape, strides):
    axes = []
    for size, step in zip(shape, strides, strict=True):
        if size == 1:
            continue
        if (axes and axes[-1][1] == step * axes[-1][2]) or (axes and axes[-1][1] == step * size):
            axes[-1] = (axes[-1][0] + size, step, size)
        else:
            axes.append((size, step, size))
    return tuple(axis[0] for axis in axes), tuple(axis[1] for axis in axes)


@solutions.wrong(
    "04.merge_axes",
    belief="A stride of 0 is special and stays as it is.",
    lesson="The rule is arithmetic: 0 = 0 · 3. Two dimensions that both stand still are one dimension that "
    "stands "
    "still.",
)
def leaves_zeros_alone(shape, strides):
    return merged_where(
        shape, strides, lambda outer, inner: inner[1] != 0 and outer[1] == inner[0] * inner[1]
    )


@solutions.wrong(
    "04.merge_axes",
    belief="A stride of 0 costs no step, so its dimension merges with any neighbour.",
    lesson="A row of 0, 1, 2 that is read twice is 0, 1, 2, 0, 1, 2. No single step leads from 2 back to 0.",
)
def zeros_merge_with_all(shape, strides):
    def belong_together(outer, inner):
        return outer[1] == 0 or outer[1] == inner[0] * inner[1]

    return merged_where(shape, strides, belong_together)


@solutions.wrong(
    "04.merge_axes",
    belief="A dimension of size 1 is a dimension, so it stays.",
    lesson="It is one, and it takes no step. Without it the elements and their order are the same.",
)
def keeps_ones(shape, strides):
    return merged_where(shape, strides, lambda outer, inner: outer[1] == inner[0] * inner[1], drop_ones=False)


@solutions.wrong(
    "04.merge_axes",
    belief="The stride of a dimension of size 1 is a stride like any other.",
    lesson="No index ever uses it, so it can be anything, and comparing with it separates what belongs "
    "together.",
)
def believes_the_stride_of_a_one(shape, strides):
    sizes, steps = merged_where(
        shape, strides, lambda outer, inner: outer[1] == inner[0] * inner[1], drop_ones=False
    )
    kept = [(size, step) for size, step in zip(sizes, steps, strict=True) if size != 1]
    return tuple(size for size, _ in kept), tuple(step for _, step in kept)


@solutions.wrong(
    "04.merge_axes",
    belief="There is always at least one dimension.",
    lesson="One element needs none. Shape () with no strides is what is left when all sizes are 1.",
)
def one_at_least(shape, strides):
    sizes, steps = merged_where(shape, strides, lambda outer, inner: outer[1] == inner[0] * inner[1])
    return (sizes, steps) if sizes else ((1,), (1,))


@solutions.wrong(
    "04.merge_axes",
    belief="Any order of the dimensions will do, so start with the largest stride.",
    lesson="Sorting the dimensions changes the order in which the elements come: that is a permute. Only "
    "neighbours in the given order merge.",
)
def sorts_first(shape, strides):
    axes = sorted(zip(shape, strides, strict=True), key=lambda axis: -axis[1])
    return merged_where(
        [size for size, _ in axes],
        [step for _, step in axes],
        lambda outer, inner: outer[1] == inner[0] * inner[1],
    )


@solutions.wrong(
    "04.merge_axes",
    belief="Looking at each pair of neighbours once is enough.",
    lesson="Two that have merged can merge with the third. Compare the third with the merged pair, not with "
    "what "
    "stood there before.",
)
def merges_pairs_only(shape, strides):
    axes = [(size, step) for size, step in zip(shape, strides, strict=True) if size != 1]
    merged = []
    while axes:
        size, step = axes.pop(0)
        if axes and step == math.prod(axes[0]):
            inner_size, step = axes.pop(0)
            size *= inner_size
        merged.append((size, step))
    return tuple(size for size, _ in merged), tuple(step for _, step in merged)


@solutions.wrong(
    "04.merge_axes",
    belief="Runs form at the inner end. What lies outside of the first border stays as it is.",
    lesson="Two outer dimensions may be one run as well: shape (2, 2, 2) with strides (8, 4, 1) merges in "
    "front. Go on behind a border.",
)
def stops_at_the_first_border(shape, strides):
    axes = [(size, stride) for size, stride in zip(shape, strides, strict=True) if size != 1]
    while len(axes) > 1 and axes[-2][1] == axes[-1][0] * axes[-1][1]:
        size, stride = axes.pop()
        axes[-1] = axes[-1][0] * size, stride
    return tuple(size for size, _ in axes), tuple(stride for _, stride in axes)
