"""Chapter 4, the strides of a view: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import math

from tensorlab.core import layout
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def cut(axes, new_shape):
    """Cut merged dimensions, given as (size, stride), into new sizes."""
    axes, new_strides, left, step = list(axes), [], 1, 1
    for size in reversed(new_shape):
        if size == 1:
            new_strides.append(1)
            continue
        if left == 1 and axes:
            left, step = axes.pop()
        if left % size != 0:
            return layout.Refusal("a new dimension would cross a border")
        new_strides.append(step)
        left, step = left // size, step * size
    return tuple(reversed(new_strides))


def merged(shape, strides):
    return list(zip(*layout.merge_axes(shape, strides), strict=True))


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
    return axes


@solutions.wrong(
    "04.view_strides",
    belief="A view needs a contiguous tensor.",
    lesson="It needs evenly spaced cells along each new dimension. A dimension that is far from its "
    "neighbours can "
    "still be cut in two.",
)
def demands_contiguity(shape, strides, new_shape):
    if not layout.is_contiguous(shape, strides):
        return layout.Refusal("the tensor is not contiguous")
    return layout.default_strides(new_shape)


@solutions.wrong(
    "04.view_strides",
    belief="The strides of a view follow from its shape.",
    lesson="They do when the tensor is contiguous. Otherwise these strides lead to other cells, and the view "
    "shows "
    "other numbers.",
)
def always_default_strides(shape, strides, new_shape):
    return layout.default_strides(new_shape)


@solutions.wrong(
    "04.view_strides",
    belief="A contiguous tensor or the shape that it has already: nothing else is a view.",
    lesson="Between the two lie the views that merge some dimensions or cut one, as (4, 3) with strides (1, "
    "4) into "
    "(2, 2, 3).",
)
def contiguous_or_the_same(shape, strides, new_shape):
    if tuple(shape) == tuple(new_shape):
        return tuple(strides)
    if layout.is_contiguous(shape, strides):
        return layout.default_strides(new_shape)
    return layout.Refusal("the tensor is not contiguous")


@solutions.wrong(
    "04.view_strides",
    belief="Dimensions can be cut, and never joined.",
    lesson="Where all inner steps together are one outer step, the two are one run and can be seen as one "
    "dimension.",
)
def never_merges(shape, strides, new_shape):
    if 0 in shape:
        return layout.default_strides(new_shape)
    return cut([axis for axis in zip(shape, strides, strict=True) if axis[0] != 1], new_shape)


@solutions.wrong(
    "04.view_strides",
    belief="Dimensions can be joined, and never cut.",
    lesson="A dimension of 6 with stride 1 is 2 steps of 3 and 3 steps of 1. It can be cut wherever the "
    "sizes divide it.",
)
def never_cuts(shape, strides, new_shape):
    if 0 in shape:
        return layout.default_strides(new_shape)
    axes, new_strides = list(zip(shape, strides, strict=True)), []
    for size in reversed(new_shape):
        if size == 1:
            new_strides.append(1)
            continue
        run, step = 1, 1
        while axes and (run == 1 or (run < size and axes[-1][1] == step * run)):
            inner, inner_step = axes.pop()
            step = inner_step if run == 1 else step
            run *= inner
        if run != size:
            return layout.Refusal("no run of dimensions has this size")
        new_strides.append(step)
    return tuple(reversed(new_strides))


@solutions.wrong(
    "04.view_strides",
    belief="Two dimensions are one run when the outer stride is the inner size.",
    lesson="That is so when the inner step is one cell. All inner steps together are the inner size times "
    "the inner "
    "stride.",
)
def forgets_the_inner_stride(shape, strides, new_shape):
    if 0 in shape:
        return layout.default_strides(new_shape)
    return cut(merged_where(shape, strides, lambda outer, inner: outer[1] == inner[0]), new_shape)


@solutions.wrong(
    "04.view_strides",
    belief="The cells are a line, so any new shape can be laid over them.",
    lesson="The elements in their order do not follow that line when rows are far apart. A dimension has one "
    "step, so "
    "the cells of each must be evenly spaced.",
)
def merges_everything(shape, strides, new_shape):
    if 0 in shape:
        return layout.default_strides(new_shape)
    return cut(merged_where(shape, strides, lambda outer, inner: True), new_shape)


@solutions.wrong(
    "04.view_strides",
    belief="The order of the dimensions does not matter for a view, so sort them by stride first.",
    lesson="A view keeps the elements in their order. Sorting the dimensions reads them in the order in "
    "which they lie "
    "in memory, which is another one.",
)
def reads_in_memory_order(shape, strides, new_shape):
    if 0 in shape:
        return layout.default_strides(new_shape)
    axes = sorted(zip(shape, strides, strict=True), key=lambda axis: -axis[1])
    return cut(merged([size for size, _ in axes], [step for _, step in axes]), new_shape)


@solutions.wrong(
    "04.view_strides",
    belief="A new dimension may reach over a border as long as the numbers of elements come out even.",
    lesson="At a border the distance changes. A dimension that reaches over it would need two strides.",
)
def crosses_borders(shape, strides, new_shape):
    if 0 in shape:
        return layout.default_strides(new_shape)
    axes, new_strides, left, step = merged(shape, strides), [], 1, 1
    for size in reversed(new_shape):
        if left <= 1 and axes:
            left, step = axes.pop()
        new_strides.append(step)
        left, step = left // size, step * size
    return tuple(reversed(new_strides))


@solutions.wrong(
    "04.view_strides",
    belief="A size of 1 separates what stands on its two sides.",
    lesson="It takes no step, so its stride is never used. Drop it before you compare neighbours.",
)
def ones_separate(shape, strides, new_shape):
    if 0 in shape:
        return layout.default_strides(new_shape)

    def belong_together(outer, inner):
        return outer[1] == inner[0] * inner[1]

    return cut(merged_where(shape, strides, belong_together, drop_ones=False), new_shape)


@solutions.wrong(
    "04.view_strides",
    belief="Every size of the new shape takes its part of a run, sizes of 1 too.",
    lesson="A size of 1 takes nothing. When it is asked for a run of its own, it uses up the one that its "
    "neighbour "
    "needs.",
)
def ones_take_a_run(shape, strides, new_shape):
    if 0 in shape:
        return layout.default_strides(new_shape)
    axes, new_strides, left, step = merged(shape, strides), [], 1, 1
    for size in reversed(new_shape):
        if left == 1:
            if not axes:
                return layout.Refusal("no run is left")
            left, step = axes.pop()
        if left % size != 0:
            return layout.Refusal("a new dimension would cross a border")
        new_strides.append(step)
        left, step = (left // size, step * size) if size != 1 else (1, step)
    return tuple(reversed(new_strides))


@solutions.wrong(
    "04.view_strides",
    belief="A tensor with a stride of 0 is a trick and has no views.",
    lesson="A stride of 0 obeys the same rule: it merges with another 0, and can be cut into zeros.",
)
def refuses_zeros(shape, strides, new_shape):
    if 0 in shape:
        return layout.default_strides(new_shape)
    if 0 in [stride for size, stride in zip(shape, strides, strict=True) if size > 1]:
        return layout.Refusal("a stride is 0")
    return cut(merged(shape, strides), new_shape)


@solutions.wrong(
    "04.view_strides",
    belief="Without elements there is nothing to look at, so there is no view.",
    lesson="Nothing to look at means that nothing can be wrong. An empty tensor has every empty shape.",
)
def refuses_empties(shape, strides, new_shape):
    if 0 in shape:
        return layout.Refusal("there are no elements")
    return cut(merged(shape, strides), new_shape)


@solutions.wrong(
    "04.view_strides",
    belief="The parts of a run take their strides from the left: the first part has the run's stride.",
    lesson="The innermost part has the run's stride. The next one steps over all of it: its stride times its "
    "size.",
)
def strides_from_the_left(shape, strides, new_shape):
    if 0 in shape:
        return layout.default_strides(new_shape)
    axes, new_strides, left, step = merged(shape, strides), [], 1, 1
    for size in new_shape:
        if size == 1:
            new_strides.append(1)
            continue
        if left == 1:
            left, step = axes.pop(0)
        if left % size != 0:
            return layout.Refusal("a new dimension would cross a border")
        new_strides.append(step)
        left, step = left // size, step * size
    return tuple(new_strides)


@solutions.wrong(
    "04.view_strides",
    belief="A view that does not exist is an error, so raise one.",
    lesson="Who asks may want to copy instead, as reshape does. The answer is a Refusal; whether it becomes "
    "an error is "
    "up to the caller.",
)
def raises(shape, strides, new_shape):
    if 0 in shape:
        return layout.default_strides(new_shape)
    answer = cut(merged(shape, strides), new_shape)
    if math.prod(shape) and isinstance(answer, layout.Refusal):
        raise RuntimeError(answer.reason)
    return answer
