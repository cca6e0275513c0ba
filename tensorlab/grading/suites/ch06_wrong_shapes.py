"""Chapter 6, shapes and strides: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import itertools

from tensorlab.core import layout
from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.wrong(
    "06.broadcast_strides",
    belief="A tensor keeps its strides, whatever shape it is read in.",
    lesson="Along a stretched dimension the first step would already leave the cells that are meant. Every "
    "step there has to be 0.",
)
def keeps_all_strides(shape, strides, new_shape):
    return (0,) * (len(new_shape) - len(shape)) + tuple(strides)


@solutions.wrong(
    "06.broadcast_strides",
    belief="Broadcasting copies first, so the strides are those of a new tensor.",
    lesson="Nothing is copied, so there are no new cells that such strides could lead to. A stretched "
    "dimension has stride 0.",
)
def strides_of_a_copy(shape, strides, new_shape):
    return layout.default_strides(new_shape)


@solutions.wrong(
    "06.broadcast_strides",
    belief="Shapes are aligned at their left ends.",
    lesson="They are aligned on the right. What is missing is filled in on the left.",
)
def puts_zeros_behind(shape, strides, new_shape):
    steps = [0 if size == 1 else stride for size, stride in zip(shape, strides, strict=True)]
    return (*steps, *(0 for _ in new_shape[len(shape) :]))


@solutions.wrong(
    "06.broadcast_strides",
    belief="A dimension of size 1 has stride 1.",
    lesson="With stride 1 the second element would lie in the next cell. The same cell again is a step of 0.",
)
def steps_of_one(shape, strides, new_shape):
    lead = len(new_shape) - len(shape)
    steps = [1 if size == 1 else stride for size, stride in zip(shape, strides, strict=True)]
    return (0,) * lead + tuple(steps)


@solutions.wrong(
    "06.broadcast_strides",
    belief="The new first dimension steps over the whole tensor.",
    lesson="That would be the step to the next copy, and there is none. Every index along it reads the same "
    "cells.",
)
def steps_over_the_whole(shape, strides, new_shape):
    lead = len(new_shape) - len(shape)
    steps = tuple(0 if size == 1 else stride for size, stride in zip(shape, strides, strict=True))
    return (layout.numel(shape),) * lead + steps


@solutions.wrong(
    "06.broadcast_strides",
    belief="If anything is stretched, all strides are 0.",
    lesson="The dimensions that keep their size still have different elements, so they keep their strides.",
)
def zeros_everywhere(shape, strides, new_shape):
    if tuple(shape) == tuple(new_shape):
        return tuple(strides)
    return (0,) * len(new_shape)


@solutions.wrong(
    "06.broadcast_strides",
    belief="There is one stride for each dimension that the tensor has.",
    lesson="The result has more dimensions, and it needs a stride for each of them: 0 for the new ones.",
)
def forgets_the_front(shape, strides, new_shape):
    sizes = new_shape[len(new_shape) - len(shape) :]
    return tuple(
        stride if size == new else 0 for size, stride, new in zip(shape, strides, sizes, strict=True)
    )


@solutions.wrong(
    "06.broadcast_strides",
    belief="The strides of a tensor follow from its shape.",
    lesson="Those of a new tensor do. A slice or a transposed tensor has others, and they come with the "
    "call.",
)
def strides_from_the_shape(shape, strides, new_shape):
    own = layout.default_strides(shape)
    steps = [0 if size == 1 else stride for size, stride in zip(shape, own, strict=True)]
    return (0,) * (len(new_shape) - len(shape)) + tuple(steps)


@solutions.wrong(
    "06.broadcast_strides",
    belief="A list of strides is as good as a tuple.",
    lesson="Shapes and strides are tuples everywhere in the library, so that nobody can change them.",
)
def returns_a_list(shape, strides, new_shape):
    steps = [0 if size == 1 else stride for size, stride in zip(shape, strides, strict=True)]
    return [0] * (len(new_shape) - len(shape)) + steps


@solutions.wrong(
    "06.broadcast_strides",
    belief="The last dimension is the one with stride 1.",
    lesson="Not where it was stretched, and not in every view. A stride is kept or becomes 0; none is made "
    "up.",
)
def one_at_the_end(shape, strides, new_shape):
    steps = [0 if size == 1 else stride for size, stride in zip(shape, strides, strict=True)]
    steps = [0] * (len(new_shape) - len(shape)) + steps
    return (*steps[:-1], *(1 for _ in steps[-1:]))


def _refuse(m, n, dim):
    raise RuntimeError(f"{m} and {n} must match at dimension {dim}, or one of them be 1")


def _columns(a, b):
    """The sizes of two shapes, column by column from the left, with ones in front of the shorter one."""
    ndim = max(len(a), len(b))
    return list(zip((1,) * (ndim - len(a)) + tuple(a), (1,) * (ndim - len(b)) + tuple(b), strict=True))


def _meet(a, b):
    result = []
    for dim, (m, n) in enumerate(_columns(a, b)):
        if m != n and m != 1 and n != 1:
            _refuse(m, n, dim)
        result.append(n if m == 1 else m)
    return tuple(result)


def _meet_all(meet, shapes):
    """What all shapes broadcast to, two at a time."""
    result = ()
    for shape in shapes:
        result = meet(result, shape)
    return result


@solutions.wrong(
    "06.broadcast_strides",
    belief="A dimension is found by its size.",
    lesson="Two dimensions may have one size. A dimension is known by its place, counted from the right.",
)
def finds_dimensions_by_size(shape, strides, new_shape):
    result, taken = [0] * len(new_shape), set()
    for size, stride in zip(shape, strides, strict=True):
        for place, new_size in enumerate(new_shape):
            if new_size == size and place not in taken:
                result[place] = stride
                taken.add(place)
                break
    return tuple(result)


@solutions.wrong(
    "06.broadcast_shapes",
    belief="Shapes are aligned at their left ends.",
    lesson="(3, 4) and (4,) broadcast, and (3, 4) and (3,) don't: sizes are compared from the right.",
)
def aligns_left(*shapes):
    result = []
    for dim, column in enumerate(itertools.zip_longest(*shapes, fillvalue=1)):
        others = {size for size in column if size != 1}
        if len(others) > 1:
            raise RuntimeError(f"{sorted(others)} must match at dimension {dim}")
        result.append(others.pop() if others else 1)
    return tuple(result)


@solutions.wrong(
    "06.broadcast_shapes",
    belief="Shapes are aligned in whichever way they fit, from the right or from the left.",
    lesson="From the right, and in no other way. (3, 4) and (3,) must be an error, or nobody could "
    "say what a sum "
    "means without knowing the sizes.",
)
def either_end_will_do(*shapes):
    try:
        return _meet_all(_meet, shapes)
    except RuntimeError:
        turned = _meet_all(_meet, [tuple(shape)[::-1] for shape in shapes])
        return turned[::-1]


@solutions.wrong(
    "06.broadcast_shapes",
    belief="A size stretches to every multiple of itself.",
    lesson="Only a 1 stretches. To read 2 cells as 4 would take the cells 0, 1, 0, 1, and no stride does "
    "that.",
)
def stretches_to_multiples(*shapes):
    def meet(a, b):
        result = []
        for dim, (m, n) in enumerate(_columns(a, b)):
            if m == 0 or n == 0:
                if m != n and m != 1 and n != 1:
                    _refuse(m, n, dim)
                result.append(0)
            elif m % n != 0 and n % m != 0:
                _refuse(m, n, dim)
            else:
                result.append(max(m, n))
        return tuple(result)

    return _meet_all(meet, shapes)


@solutions.wrong(
    "06.broadcast_shapes",
    belief="The larger size wins.",
    lesson="Only beside a 1. Two other sizes that differ don't fit, and your function must say so.",
)
def the_larger_wins(*shapes):
    ndim = max(map(len, shapes), default=0)
    padded = [(1,) * (ndim - len(shape)) + tuple(shape) for shape in shapes]
    return tuple(max(column) for column in zip(*padded, strict=True))


@solutions.wrong(
    "06.broadcast_shapes",
    belief="Of two sizes in a column, the larger one is the result.",
    lesson="It's the one that isn't 1. Beside a 0 that is the smaller: (1,) and (0,) give (0,).",
)
def the_larger_of_two_that_meet(*shapes):
    def meet(a, b):
        _meet(a, b)
        return tuple(max(column) for column in _columns(a, b))

    return _meet_all(meet, shapes)


@solutions.wrong(
    "06.broadcast_shapes",
    belief="Wrong shapes are wrong values, so they raise ValueError.",
    lesson="The contract says RuntimeError, as PyTorch does. A caller that catches one of them does not "
    "catch the other.",
)
def raises_value_error(*shapes):
    try:
        return _meet_all(_meet, shapes)
    except RuntimeError as error:
        raise ValueError(str(error)) from None


@solutions.wrong(
    "06.broadcast_shapes",
    belief="An operation has two operands.",
    lesson="`where` has three, and `broadcast_tensors` takes any number. The result of two is "
    "combined with the next "
    "one.",
)
def takes_two(*shapes):
    a, b = shapes
    return _meet(a, b)


@solutions.wrong(
    "06.broadcast_shapes",
    belief="Every shape is compared with the first one.",
    lesson="The first may have a 1 where two others differ: (1,), (2,) and (3,) don't broadcast.",
)
def compares_with_the_first(*shapes):
    result = ()
    for shape in shapes:
        _meet(shapes[0], shape)
        result = tuple(n if m == 1 else m for m, n in _columns(result, shape))
    return result


@solutions.wrong(
    "06.broadcast_shapes",
    belief="The second operand is stretched to the first.",
    lesson="Either may be stretched, and both at once: (3, 1) and (1, 4) broadcast to (3, 4).",
)
def only_the_second_stretches(*shapes):
    def meet(a, b):
        columns = _columns(a, b) if a else [(n, n) for n in b]
        for dim, (m, n) in enumerate(columns):
            if m != n and n != 1:
                _refuse(m, n, dim)
        return tuple(m for m, _ in columns)

    return _meet_all(meet, shapes)


@solutions.wrong(
    "06.broadcast_shapes",
    belief="zip goes through both shapes.",
    lesson="zip stops with the shorter one. The sizes that only the longer shape has belong to the result "
    "too.",
)
def stops_with_the_shorter(*shapes):
    if not shapes:
        return ()
    result = tuple(shapes[0])
    for shape in shapes[1:]:
        columns = list(zip(reversed(result), reversed(shape), strict=False))[::-1]
        ndim = max(len(result), len(shape))
        for dim, (m, n) in enumerate(columns, start=ndim - len(columns)):
            if m != n and m != 1 and n != 1:
                _refuse(m, n, dim)
        result = tuple(n if m == 1 else m for m, n in columns)
    return result


@solutions.wrong(
    "06.broadcast_shapes",
    belief="Shapes broadcast if they have the same number of dimensions.",
    lesson="A shorter shape is filled up with 1s on the left. A row of shape (4,) fits a table of shape "
    "(3, 4).",
)
def refuses_other_lengths(*shapes):
    if len(set(map(len, shapes))) > 1:
        raise RuntimeError("the numbers of dimensions must match")
    return _meet_all(_meet, shapes)


@solutions.wrong(
    "06.broadcast_shapes",
    belief="The error says that it went wrong. That is enough.",
    lesson="The reader may have two tensors with many dimensions. Say which dimension doesn't fit.",
)
def says_nothing(*shapes):
    try:
        return _meet_all(_meet, shapes)
    except RuntimeError:
        raise RuntimeError("these shapes do not fit") from None


@solutions.wrong(
    "06.broadcast_shapes",
    belief="A leading size of 1 is only padding, so it can go.",
    lesson="The 1s that align the shapes aren't in any of them. A 1 that an operand has is a "
    "dimension, and the result has it too.",
)
def drops_ones_in_front(*shapes):
    ndim = max(map(len, shapes), default=0)
    result = []
    for dim, sizes in enumerate(zip(*((1,) * (ndim - len(s)) + tuple(s) for s in shapes), strict=True)):
        wide = {size for size in sizes if size != 1}
        if len(wide) > 1:
            raise RuntimeError(f"sizes must match at dimension {dim}")
        result.append(wide.pop() if wide else 1)
    while result and result[0] == 1:
        result.pop(0)
    return tuple(result)
