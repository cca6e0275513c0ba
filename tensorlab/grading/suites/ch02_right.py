"""Chapter 2: right solutions that go other ways than the library. They must keep every point."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"
# The answers are written as students write them, without types.

from __future__ import annotations

import itertools
import math

from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.right("02.default_strides", idea="From the last dimension to the first, with a running product.")
def from_the_back(shape):
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step = step * max(size, 1)
    return tuple(reversed(strides))


@solutions.right("02.default_strides", idea="Each stride by itself: the product of the sizes after it.")
def products_of_what_follows(shape):
    return tuple(math.prod(size or 1 for size in shape[dim + 1 :]) for dim in range(len(shape)))


@solutions.right("02.default_strides", idea="The first stride, then the same question for the rest.")
def one_dimension_at_a_time(shape):
    if len(shape) < 2:
        return (1,) * len(shape)
    inner = one_dimension_at_a_time(shape[1:])
    return (inner[0] * max(shape[1], 1), *inner)


@solutions.right("02.unravel", idea="Divide by the sizes, from the last to the first.")
def divides_from_the_back(position, shape):
    count = 1
    for size in shape:
        count *= size
    if not 0 <= position < count:
        raise IndexError(f"position {position} is out of range for {count} elements")
    index = []
    for size in reversed(shape):
        index.append(position % size)
        position = position // size
    return tuple(index[::-1])


@solutions.right("02.unravel", idea="Divide by the strides of a dense tensor, from the first to the last.")
def divides_from_the_front(position, shape):
    if position not in range(math.prod(shape)):
        raise IndexError(f"Position {position} is out of range")
    index = []
    for dim in range(len(shape)):
        step = math.prod(shape[dim + 1 :])
        index.append(position // step)
        position -= index[-1] * step
    return tuple(index)


@solutions.right(
    "02.is_contiguous", idea="From the back, with the stride that the next dimension has to have."
)
def expects_each_stride(shape, strides):
    if 0 in shape:
        return True
    expected = 1
    for dim in reversed(range(len(shape))):
        if shape[dim] == 1:
            continue
        if strides[dim] != expected:
            return False
        expected = expected * shape[dim]
    return True


@solutions.right("02.is_contiguous", idea="Walk over all elements and look at the cells.")
def walks_and_looks(shape, strides):
    cells = []
    for index in itertools.product(*map(range, shape)):
        cells.append(sum(i * stride for i, stride in zip(index, strides, strict=True)))
    return cells == list(range(len(cells)))


@solutions.right(
    "02.is_contiguous", idea="Leave out the sizes of 1, then compare with the strides of a new tensor."
)
def compares_without_ones(shape, strides):
    used = [(size, stride) for size, stride in zip(shape, strides, strict=True) if size != 1]
    wanted = [math.prod(size for size, _ in used[dim + 1 :]) for dim in range(len(used))]
    return 0 in shape or [stride for _, stride in used] == wanted


@solutions.right(
    "02.address_range",
    idea="Each dimension moves the lowest cell or the highest.",
    same={
        "A stride of 0 moves either end by 0.": (
            "if stride < 0: -> if stride <= 0:",
            "if stride < 0: -> if stride < 1:",
        )
    },
)
def moves_either_end(shape, strides, offset=0):
    if 0 in shape:
        return None
    low, high = offset, offset
    for size, stride in zip(shape, strides, strict=True):
        if stride < 0:
            low = low + (size - 1) * stride
        else:
            high = high + (size - 1) * stride
    return low, high


@solutions.right("02.address_range", idea="The lowest and the highest of all cells.")
def smallest_and_largest(shape, strides, offset=0):
    cells = {offset}
    for size, stride in zip(shape, strides, strict=True):
        cells = {cell + i * stride for cell in cells for i in range(size)}
    return (min(cells), max(cells)) if cells else None


@solutions.right("02.overlaps", idea="Collect the cells of all elements and see whether one occurs twice.")
def collects_the_cells(shape, strides):
    seen = set()
    for index in itertools.product(*map(range, shape)):
        cell = sum(i * stride for i, stride in zip(index, strides, strict=True))
        if cell in seen:
            return True
        seen.add(cell)
    return False


@solutions.right(
    "02.overlaps",
    idea="The differences of two indices: one that leads nowhere is a shared cell.",
    same={
        "range(1, 0) is empty: there is no way, so none leads back.": (
            "if 0 in shape: -> if False:",
            "if 0 in shape: -> if -1 in shape:",
        ),
        "With a way its opposite leads back too.": ("return len(back) > 1 -> return len(back) > 2",),
    },
)
def looks_for_a_way_back(shape, strides):
    if 0 in shape:
        return False
    ways = itertools.product(*(range(1 - size, size) for size in shape))
    back = [way for way in ways if sum(i * stride for i, stride in zip(way, strides, strict=True)) == 0]
    return len(back) > 1
