"""Chapter 6: right solutions that go other ways than the library. They must keep every point."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import itertools

import tensorlab as tl
from tensorlab.core import broadcasting
from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.right("06.broadcast_strides", idea="Zeros in front, then a 0 wherever the size changes.")
def zeros_where_sizes_change(shape, strides, new_shape):
    front = len(new_shape) - len(shape)
    steps = [0] * front
    for size, stride, new in zip(shape, strides, new_shape[front:], strict=True):
        steps.append(stride if size == new else 0)
    return tuple(steps)


@solutions.right("06.broadcast_strides", idea="Every size of 1 may have stride 0, also one that stays.")
def zero_for_every_one(shape, strides, new_shape):
    steps = tuple(stride * (size != 1) for size, stride in zip(shape, strides, strict=True))
    return (0,) * (len(new_shape) - len(shape)) + steps


@solutions.right("06.broadcast_strides", idea="From the right, with negative indices.")
def from_the_right(shape, strides, new_shape):
    steps = [0] * len(new_shape)
    for dim in range(1, len(shape) + 1):
        if shape[-dim] == new_shape[-dim]:
            steps[-dim] = strides[-dim]
    return tuple(steps)


@solutions.right(
    "06.broadcast_shapes",
    idea="Pad all shapes with 1 in front, then go column by column.",
    same={
        "Where there are no shapes, a range up to -1 has no column either.": (
            "ndim = max((len(shape) for shape in shapes), default=0) -> "
            "ndim = max((len(shape) for shape in shapes), default=-1)",
        )
    },
)
def pads_with_ones(*shapes):
    ndim = max((len(shape) for shape in shapes), default=0)
    padded = [(1,) * (ndim - len(shape)) + tuple(shape) for shape in shapes]
    result = []
    for dim in range(ndim):
        others = {shape[dim] for shape in padded} - {1}
        if len(others) > 1:
            raise RuntimeError(f"sizes {sorted(others)} must match at dimension {dim}, or be 1")
        result.append(others.pop() if others else 1)
    return tuple(result)


@solutions.right(
    "06.broadcast_shapes", idea="Two at a time: the result so far broadcasts with the next shape."
)
def two_at_a_time(*shapes):
    met = ()
    for shape in shapes:
        pairs = list(itertools.zip_longest(reversed(met), reversed(shape), fillvalue=1))
        columns = []
        for back, (m, n) in enumerate(pairs, start=1):
            if m != n and m != 1 and n != 1:
                dim = max(len(other) for other in shapes) - back
                raise RuntimeError(f"{m} and {n} must match at dimension {dim}")
            columns.append(n if m == 1 else m)
        met = tuple(reversed(columns))
    return met


@solutions.right(
    "06.broadcast_shapes",
    idea="From the right, writing into a list of ones.",
    same={
        "Where there are no shapes, -1 ones are none either.": (
            "result = [1] * max(map(len, shapes), default=0) -> "
            "result = [1] * max(map(len, shapes), default=-1)",
        )
    },
)
def writes_into_ones(*shapes):
    result = [1] * max(map(len, shapes), default=0)
    for shape in shapes:
        for back in range(1, len(shape) + 1):
            size, known = shape[-back], result[-back]
            if known == 1:
                result[-back] = size
            elif size not in (1, known):
                raise RuntimeError(f"{size} must match {known} in dimension {len(result) - back}")
    return tuple(result)


@solutions.right("06.expand", idea="Replace -1, check each size, let broadcast_strides find the strides.")
def checks_then_strides(input, *sizes):
    front = len(sizes) - input.dim()
    if front < 0:
        raise RuntimeError(
            f"{len(sizes)} sizes: must be greater or equal to the number of dimensions, {input.dim()}"
        )
    shape = list(sizes)
    for dim in range(len(sizes)):
        if dim < front:
            if sizes[dim] == -1:
                raise RuntimeError(f"-1 in the leading, non-existing dimension {dim}")
        else:
            own = input.shape[dim - front]
            if sizes[dim] == -1:
                shape[dim] = own
            elif own != 1 and own != sizes[dim]:
                raise RuntimeError(f"the size {sizes[dim]} must match the existing size {own}")
    strides = broadcasting.broadcast_strides(input.shape, input.stride(), shape)
    return tl.as_strided(input, shape, strides, input.storage_offset())


@solutions.right("06.expand", idea="From the last dimension to the first, one stride at a time.")
def one_stride_at_a_time(input, *sizes):
    own = list(zip(input.shape, input.stride(), strict=True))
    if len(sizes) < len(own):
        raise RuntimeError("the sizes must be greater or equal to the number of dimensions in number")
    shape, strides = [], []
    for new in reversed(sizes):
        if own:
            size, stride = own.pop()
            if new == -1 or new == size:
                new, step = size, stride
            elif size == 1:
                step = 0
            else:
                raise RuntimeError(f"{new} must match the existing size {size}")
        elif new == -1:
            raise RuntimeError("-1 is not allowed in a leading, non-existing dimension")
        else:
            step = 0
        shape.insert(0, new)
        strides.insert(0, step)
    return tl.as_strided(input, shape, strides, input.storage_offset())


@solutions.right("06.guard_layout", idea="Look at each dimension, if there are elements at all.")
def looks_at_each_dimension(target):
    if target.numel() == 0:
        return
    for dim, (size, stride) in enumerate(zip(target.shape, target.stride(), strict=True)):
        if stride == 0 and size > 1:
            raise RuntimeError(f"more than one element lies in one cell: dimension {dim} has stride 0")


@solutions.right(
    "06.guard_layout", idea="Collect the dimensions that are stretched, then complain about the first."
)
def collects_the_stretched(target):
    pairs = list(zip(target.shape, target.stride(), strict=True))
    stretched = [dim for dim, (size, stride) in enumerate(pairs) if size != 1 and stride == 0]
    if stretched and 0 not in target.shape:
        raise RuntimeError(
            f"dimension {stretched[0]} shows more than one element in each cell: clone() first"
        )


@solutions.right(
    "06.guard_layout", idea="Compare the cells of neighbours: does a step along a dimension move?"
)
def compares_neighbours(target):
    if 0 in target.shape:
        return
    for dim in range(target.dim()):
        if target.shape[dim] > 1 and target.select(dim, 0).data_ptr() == target.select(dim, 1).data_ptr():
            raise RuntimeError(f"a step along dimension {dim} stays, so more than one element is written")


@solutions.right("06.squared_error", idea="Compare the shapes, then take the mean of the squares.")
def compares_the_shapes(prediction, target):
    if prediction.shape != target.shape:
        raise ValueError(f"shapes {tuple(prediction.shape)} and {tuple(target.shape)} differ")
    return ((prediction - target) ** 2).mean()


@solutions.right("06.squared_error", idea="Sum of the squares, divided by their number.")
def divides_the_sum(prediction, target):
    one, other = tuple(prediction.shape), tuple(target.shape)
    if one != other:
        raise ValueError(f"a prediction of shape {one} has no target of its own in {other}")
    difference = prediction - target
    return (difference * difference).sum() / difference.numel()


@solutions.right("06.squared_distances", idea="One coordinate at a time, added up in place.")
def one_coordinate_at_a_time(x, y):
    if x.shape[1] != y.shape[1]:
        raise ValueError("the numbers of coordinates differ")
    total = tl.zeros(x.shape[0], y.shape[0], dtype=x.dtype)
    for k in range(x.shape[1]):
        difference = x[:, k, None] - y[:, k]
        difference *= difference
        total += difference
    return total


@solutions.right("06.squared_distances", idea="One point of x at a time: its distances are one row.")
def one_row_at_a_time(x, y):
    if x.shape[1] != y.shape[1]:
        raise ValueError("the points have different numbers of coordinates")
    table = tl.empty(x.shape[0], y.shape[0], dtype=x.dtype)
    for i in range(x.shape[0]):
        table[i] = ((y - x[i]) ** 2).sum(1)
    return table


@solutions.right("06.squared_distances", idea="Number by number, in three loops.")
def three_loops(x, y):
    if x.shape[1] != y.shape[1]:
        raise ValueError("coordinates differ")
    rows, others = x.tolist(), y.tolist()
    table = [[sum((a - b) ** 2 for a, b in zip(p, q, strict=True)) for q in others] for p in rows]
    return tl.tensor(table, dtype=x.dtype).reshape(x.shape[0], y.shape[0])
