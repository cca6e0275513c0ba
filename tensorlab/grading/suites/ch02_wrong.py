"""Chapter 2, strides and positions: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"
# The answers are written as students write them, without types.

from __future__ import annotations

import math

import numpy as np

from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.wrong(
    "02.default_strides",
    belief="The stride of a dimension is the number of elements from it to the end, its own size included.",
    lesson="One step down a (2, 3) table is 3 cells, one row. 6 would step over the whole table. Multiply "
    "the sizes after the dimension, without its own.",
)
def includes_its_own_size(shape):
    return tuple(math.prod(max(size, 1) for size in shape[dim:]) for dim in range(len(shape)))


@solutions.wrong(
    "02.default_strides",
    belief="The first index moves to the neighbour, so the first stride is 1.",
    lesson="So it is in Fortran. Here a table is written row after row: neighbours differ in the last index.",
)
def column_after_column(shape):
    return tuple(math.prod(max(size, 1) for size in shape[:dim]) for dim in range(len(shape)))


@solutions.wrong(
    "02.default_strides",
    belief="A step over a dimension is as long as the size of the next one.",
    lesson="That is right for tables. In shape (2, 3, 4) one step of dimension 0 steps over 3 rows of 4: 12.",
)
def only_the_next_size(shape):
    return tuple([max(size, 1) for size in shape[1:]] + [1]) if shape else ()


@solutions.wrong(
    "02.default_strides",
    belief="A product with a 0 in it is 0, and so is the stride.",
    lesson="No step is ever taken in a tensor without elements. A size of 0 counts as 1, so that the strides "
    "still tell the dimensions apart.",
)
def zero_makes_zero(shape):
    return tuple(math.prod(shape[dim + 1 :]) for dim in range(len(shape)))


@solutions.wrong(
    "02.default_strides",
    belief="Neighbours are one cell apart, whatever the direction.",
    lesson="Only neighbours along the last dimension are. The element below lies a whole row further on.",
)
def one_cell_each(shape):
    return (1,) * len(shape)


@solutions.wrong(
    "02.default_strides",
    belief="A distance in memory is counted in bytes.",
    lesson="NumPy counts bytes. Strides here and in PyTorch count cells, so they are the same for every "
    "dtype.",
)
def strides_in_bytes(shape):
    return tuple(4 * math.prod(max(size, 1) for size in shape[dim + 1 :]) for dim in range(len(shape)))


@solutions.wrong(
    "02.default_strides",
    belief="A list of strides is as good as a tuple.",
    lesson="x.stride() is a tuple, like a shape: it can be compared, and nobody can change it by accident.",
)
def returns_a_list(shape):
    return [math.prod(max(size, 1) for size in shape[dim + 1 :]) for dim in range(len(shape))]


@solutions.wrong(
    "02.default_strides",
    belief="Every tensor has a last dimension, and its stride is 1.",
    lesson="A tensor of shape () has no dimensions, so it has no strides: the answer is ().",
)
def always_ends_with_one(shape):
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * max(size, 1))
    return tuple(strides)


@solutions.wrong(
    "02.default_strides",
    belief="Where no step is taken the stride is 1.",
    lesson="A size of 1 takes no step, that is so. Its stride follows the rule all the same: the product of "
    "the sizes after it.",
)
def one_for_a_size_of_one(shape):
    strides = [math.prod(max(size, 1) for size in shape[dim + 1 :]) for dim in range(len(shape))]
    return tuple(1 if size == 1 else stride for size, stride in zip(shape, strides, strict=True))


@solutions.wrong(
    "02.default_strides",
    belief="Where no step is taken the stride is 0.",
    lesson="That is what expand writes along a size that it stretches. A new tensor has the product of the "
    "sizes after it, also for a size of 1.",
)
def zero_for_a_size_of_one(shape):
    strides = [math.prod(max(size, 1) for size in shape[dim + 1 :]) for dim in range(len(shape))]
    return tuple(0 if size == 1 else stride for size, stride in zip(shape, strides, strict=True))


@solutions.wrong(
    "02.default_strides",
    belief="NumPy's cumprod does it, and a number is a number.",
    lesson="Its numbers are NumPy's integers of 64 bits. They print like ints, are none, and wrap around.",
)
def numpy_cumprod(shape):
    sizes = [1, *(max(size, 1) for size in reversed(shape[1:]))]
    return tuple(np.cumprod(sizes)[::-1]) if shape else ()


@solutions.wrong(
    "02.default_strides",
    belief="The sizes after a dimension add up.",
    lesson="A block of 3 rows of 4 holds 12 elements, not 7. Sizes multiply.",
)
def adds_what_follows(shape):
    return tuple(sum(shape[dim + 1 :]) or 1 for dim in range(len(shape)))


@solutions.wrong(
    "02.default_strides",
    belief="Begin with all elements and divide by one size after the other.",
    lesson="A fine way, until a size is 0: then there is nothing to divide by.",
)
def divides_the_whole(shape):
    step = math.prod(shape)
    strides = []
    for size in shape:
        step //= size
        strides.append(step)
    return tuple(strides)


def _checked(position, shape):
    """What most of the wrong solutions below get right."""
    if not 0 <= position < math.prod(shape):
        raise IndexError(f"position {position} is out of range for shape {shape}")


@solutions.wrong(
    "02.unravel",
    belief="Counting begins with the first index: it is the one that changes from element to element.",
    lesson="Row by row, the last index changes from one element to the next. Take the last dimension first.",
)
def counts_down_the_columns(position, shape):
    _checked(position, shape)
    index = []
    for size in shape:
        position, i = divmod(position, size)
        index.append(i)
    return tuple(index)


@solutions.wrong(
    "02.unravel",
    belief="The remainders are the index, in the order in which they come.",
    lesson="They come from the last dimension to the first. Turn them around at the end.",
)
def forgets_to_turn_around(position, shape):
    _checked(position, shape)
    index = []
    for size in reversed(shape):
        position, i = divmod(position, size)
        index.append(i)
    return tuple(index)


@solutions.wrong(
    "02.unravel",
    belief="In a table of 2 rows, the row is position // 2.",
    lesson="A row is full after as many elements as there are columns: the row is position // columns.",
)
def divides_by_the_rows(position, shape):
    _checked(position, shape)
    if len(shape) == 2:
        return (position // shape[0], position % shape[0])
    index = []
    for size in reversed(shape):
        position, i = divmod(position, size)
        index.append(i)
    return tuple(reversed(index))


@solutions.wrong(
    "02.unravel",
    belief="A tensor is a table: one division gives row and column.",
    lesson="A tensor has any number of dimensions. Each takes one division, and hands the rest on.",
)
def row_and_column(position, shape):
    _checked(position, shape)
    return divmod(position, shape[-1])


@solutions.wrong(
    "02.unravel",
    belief="Each index is the position divided by the stride of its dimension.",
    lesson="That counts all the steps since the beginning. What the dimensions before have used up must be "
    "taken away first, or the remainder by the size be kept.",
)
def never_takes_the_rest(position, shape):
    _checked(position, shape)
    return tuple(position // math.prod(shape[dim + 1 :]) for dim in range(len(shape)))


@solutions.wrong(
    "02.unravel",
    belief="/ divides.",
    lesson="/ makes a float even where the division comes out whole, and 1.0 is no index. // and % keep "
    "whole numbers.",
)
def divides_to_floats(position, shape):
    _checked(position, shape)
    index = []
    for size in reversed(shape):
        i = position % size
        position = (position - i) / size
        index.append(i)
    return tuple(reversed(index))


@solutions.wrong(
    "02.unravel",
    belief="A list of indices is as good as a tuple.",
    lesson="An index is a tuple, like a shape. x[[0, 1]] with a list means something else than x[0, 1].",
)
def returns_a_list_of_indices(position, shape):
    _checked(position, shape)
    index = []
    for size in reversed(shape):
        position, i = divmod(position, size)
        index.insert(0, i)
    return index


@solutions.wrong(
    "02.unravel",
    belief="An index has at least one entry.",
    lesson="A tensor of shape () takes no index. Its one element, at position 0, has the index ().",
)
def at_least_one_entry(position, shape):
    _checked(position, shape)
    index = []
    for size in reversed(shape):
        position, i = divmod(position, size)
        index.insert(0, i)
    return tuple(index) or (0,)


@solutions.wrong(
    "02.unravel",
    belief="A dimension of size 1 says nothing, so it has no index.",
    lesson="It has the index 0. The index needs one entry for each dimension, or it means another element.",
)
def leaves_ones_out(position, shape):
    _checked(position, shape)
    index = []
    for size in reversed(shape):
        position, i = divmod(position, size)
        if size > 1:
            index.insert(0, i)
    return tuple(index)


@solutions.wrong(
    "02.unravel",
    belief="The remainders keep every index inside its dimension, so nothing has to be checked.",
    lesson="That hides the mistake: position 6 of six elements becomes (0, 0). Compare with the number of "
    "elements first.",
)
def wraps_around_the_end(position, shape):
    index = []
    for size in reversed(shape):
        position, i = divmod(position, size)
        index.insert(0, i)
    return tuple(index)


@solutions.wrong(
    "02.unravel",
    belief="A negative position counts from the end, as an index does.",
    lesson="An index may be negative. A position is a count from 0, and -1 is none.",
)
def negative_from_the_end(position, shape):
    count = math.prod(shape)
    if not -count <= position < count:
        raise IndexError(f"position {position} is out of range for shape {shape}")
    position %= count
    index = []
    for size in reversed(shape):
        position, i = divmod(position, size)
        index.insert(0, i)
    return tuple(index)


@solutions.wrong(
    "02.unravel",
    belief="The last position of six elements is 6.",
    lesson="Positions begin with 0, so the last of six is 5.",
)
def one_position_too_many(position, shape):
    if not 0 <= position <= math.prod(shape):
        raise IndexError(f"position {position} is out of range for shape {shape}")
    index = []
    for size in reversed(shape):
        position, i = divmod(position, size)
        index.insert(0, i)
    return tuple(index)


@solutions.wrong(
    "02.unravel",
    belief="int(position / size) divides whole numbers as // does.",
    lesson="/ goes by way of floats, which keep 53 bits of a number and drop the rest. // stays with ints.",
)
def divides_by_way_of_floats(position, shape):
    if not 0 <= position < math.prod(shape):
        raise IndexError(f"position {position} is out of range for shape {shape}")
    index = []
    for size in reversed(shape):
        rows = int(position / size)
        index.insert(0, position - rows * size)
        position = rows
    return tuple(index)


@solutions.wrong(
    "02.default_strides",
    belief="The whole divided by a size is the stride, and / divides.",
    lesson="/ goes by way of floats, which keep 53 bits of a number and drop the rest. // stays with ints.",
)
def divides_as_floats(shape):
    whole = math.prod(size or 1 for size in shape)
    strides = []
    for size in shape:
        whole = int(whole / (size or 1))
        strides.append(whole)
    return tuple(strides)
