"""Chapter 1, counting and addresses: solutions that are wrong, each from a belief that somebody holds.

They are never read by the grader's users as code; what counts is what they answer. Each is as short and as
honest as its author would have written it.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The answers are written as students write them, without types.

from __future__ import annotations

import math

import numpy as np

from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.wrong(
    "01.numel",
    belief="A tensor of shape () has no dimensions, so it holds no numbers.",
    lesson="() is the shape of a single number. tl.tensor(5).shape is (), and the 5 is there. A product of "
    "no factors is 1, as a sum of no terms is 0.",
)
def no_dimensions_no_numbers(shape):
    if not shape:
        return 0
    count = 1
    for size in shape:
        count *= size
    return count


@solutions.wrong(
    "01.numel",
    belief="Sizes add up: 2 rows and 3 columns are 5.",
    lesson="Each of the 2 rows has all 3 columns, which makes 2 · 3 = 6 numbers.",
)
def adds_the_sizes(shape):
    return sum(shape)


@solutions.wrong(
    "01.numel",
    belief="len tells how many things there are.",
    lesson="len(shape) counts the dimensions. The numbers are what fills them.",
)
def counts_dimensions(shape):
    return len(shape)


@solutions.wrong(
    "01.numel",
    belief="A running total starts at 0.",
    lesson="A sum starts at 0, because adding 0 changes nothing. A product starts at 1; 0 times anything "
    "stays 0.",
)
def starts_the_product_at_zero(shape):
    count = 0
    for size in shape:
        count *= size
    return count


@solutions.wrong(
    "01.numel",
    belief="A dimension of size 0 is nothing, so it can be left out.",
    lesson="Shape (2, 0) is two rows with no columns. There is no place for a number in it, so the count is "
    "0.",
)
def skips_sizes_of_zero(shape):
    count = 1
    for size in shape:
        if size:
            count *= size
    return count


@solutions.wrong(
    "01.numel",
    belief="A tensor is a table: rows times columns.",
    lesson="A tensor has any number of dimensions: none, one, two, or seven. Go through all of shape.",
)
def rows_times_columns(shape):
    return shape[0] * shape[1]


@solutions.wrong(
    "01.numel",
    belief="The size of a tensor is its length, as with a list.",
    lesson="The first size says how many rows there are. Each row holds more numbers than one.",
)
def first_size_only(shape):
    return shape[0] if shape else 1


@solutions.wrong(
    "01.numel",
    belief="NumPy's integers are as good as Python's.",
    lesson="They have 64 bits and wrap around when a count gets too large, which Python's never do. Without "
    "sizes np.prod is even a float, 1.0.",
)
def numpy_product(shape):
    return np.prod(shape)


@solutions.wrong(
    "01.numel",
    belief="A NumPy integer is an int.",
    lesson="It prints like one and has another type, numpy.int64, which ends at 64 bits. math.prod gives an "
    "int already.",
)
def hands_over_a_numpy_integer(shape):
    return np.int64(math.prod(shape))


@solutions.wrong(
    "01.numel",
    belief="int(...) around NumPy's product makes it a Python int in all respects.",
    lesson="The conversion comes too late: the product has already wrapped around at 64 bits.",
)
def numpy_product_made_int(shape):
    return int(np.prod(shape))


@solutions.wrong(
    "01.numel",
    belief="A float holds every whole number, so int(...) at the end repairs its type.",
    lesson="A float keeps 53 bits of a number and drops the rest: 3.0**40 is not 3**40. Multiply ints.",
)
def multiplies_as_floats(shape):
    count = 1.0
    for size in shape:
        count *= size
    return int(count)


@solutions.wrong(
    "01.numel",
    belief="Four dimensions are enough for everybody.",
    lesson="A tensor has as many dimensions as its shape has sizes. A loop over shape takes them all.",
)
def four_sizes(shape):
    a, b, c, d = (*shape, 1, 1, 1, 1)[:4]
    return a * b * c * d


@solutions.wrong(
    "01.nbytes",
    belief="A table of 2 rows and 3 columns holds 2 + 3 numbers.",
    lesson="Each of the 2 rows has all 3 columns: 2 · 3 = 6 numbers. layout.numel(shape) counts them.",
)
def adds_the_sizes_up(shape, dtype):
    return sum(shape) * dtype.itemsize


@solutions.wrong(
    "01.nbytes",
    belief="A number takes 4 bytes.",
    lesson="float32 takes 4. float64 and int64 take 8, float16 takes 2, int8 takes 1: ask dtype.itemsize.",
)
def four_bytes_each(shape, dtype):
    count = 1
    for size in shape:
        count *= size
    return 4 * count


@solutions.wrong(
    "01.nbytes",
    belief="A Python number takes 8 bytes, so a tensor's number does.",
    lesson="A tensor stores bare cells of its dtype, not Python's numbers. A float32 cell has 4 bytes.",
)
def eight_bytes_each(shape, dtype):
    count = 1
    for size in shape:
        count *= size
    return 8 * count


@solutions.wrong(
    "01.nbytes",
    belief="The 32 in float32 is the size that matters.",
    lesson="The 32 counts bits, and eight bits make a byte: float32 takes 4 bytes. dtype.itemsize is in "
    "bytes.",
)
def counts_bits(shape, dtype):
    count = 1
    for size in shape:
        count *= size
    return count * dtype.itemsize * 8


@solutions.wrong(
    "01.nbytes",
    belief="A bool is one bit, so eight of them fit in a byte.",
    lesson="One bit would do, but memory is addressed in bytes. Each bool has a byte of its own.",
)
def packs_bools(shape, dtype):
    count = 1
    for size in shape:
        count *= size
    if dtype.name == "bool":
        return (count + 7) // 8
    return count * dtype.itemsize


@solutions.wrong(
    "01.nbytes",
    belief="The bits of a dtype stand in its name.",
    lesson="They do in float32 and int8, and there are none in bool. dtype.itemsize works for all of them.",
)
def reads_the_name(shape, dtype):
    count = 1
    for size in shape:
        count *= size
    bits = int("".join(character for character in dtype.name if character.isdigit()))
    return count * bits // 8


@solutions.wrong(
    "01.nbytes",
    belief="bfloat16 is float32 with another name for its range.",
    lesson="bfloat16 keeps float32's range by giving up digits, and so fits in 16 bits: 2 bytes.",
)
def bfloat16_like_float32(shape, dtype):
    count = 1
    for size in shape:
        count *= size
    return count * (4 if dtype.name == "bfloat16" else dtype.itemsize)


@solutions.wrong(
    "01.nbytes",
    belief="Shape () holds nothing, so it takes no bytes.",
    lesson="Shape () is one number, and one number takes dtype.itemsize bytes.",
)
def scalar_takes_nothing(shape, dtype):
    count = 1 if shape else 0
    for size in shape:
        count *= size
    return count * dtype.itemsize


@solutions.wrong(
    "01.nbytes",
    belief="There is always at least one number in a tensor.",
    lesson="A size of 0 leaves no number at all, and no numbers take 0 bytes.",
)
def at_least_one_number(shape, dtype):
    count = 1
    for size in shape:
        count *= size
    return max(count, 1) * dtype.itemsize


@solutions.wrong(
    "01.nbytes",
    belief="Bytes are bits divided by 8, and / divides.",
    lesson="/ gives a float even when it comes out whole: 24.0 is not the int 24. Use // or dtype.itemsize.",
)
def divides_to_a_float(shape, dtype):
    count = 1
    for size in shape:
        count *= size
    return count * dtype.itemsize * 8 / 8


@solutions.wrong(
    "01.flat_index",
    belief="The first element of a tensor lies in cell 0 of its storage.",
    lesson="A view can start anywhere in the storage. The offset is the cell of its first element: add it.",
)
def ignores_the_offset(index, strides, offset=0):
    return sum(i * stride for i, stride in zip(index, strides, strict=True))


@solutions.wrong(
    "01.flat_index",
    belief="The offset moves the index, so it is added before multiplying.",
    lesson="The offset is counted in cells, not in rows or columns. It is added once, after the steps.",
)
def offset_moves_every_index(index, strides, offset=0):
    return sum((i + offset) * stride for i, stride in zip(index, strides, strict=True))


@solutions.wrong(
    "01.flat_index",
    belief="The offset counts rows.",
    lesson="The offset counts cells. A view that begins in the middle of a row has an offset that is no "
    "whole row.",
)
def offset_counts_rows(index, strides, offset=0):
    cell = offset * strides[0] if strides else offset
    return cell + sum(i * stride for i, stride in zip(index, strides, strict=True))


@solutions.wrong(
    "01.flat_index",
    belief="The last stride is always 1, because columns lie side by side.",
    lesson="They do when a tensor was made row by row. A transposed tensor, or every second column, has "
    "another last stride.",
)
def last_stride_is_one(index, strides, offset=0):
    steps = [*strides[:-1], 1] if strides else []
    return offset + sum(i * stride for i, stride in zip(index, steps, strict=True))


@solutions.wrong(
    "01.flat_index",
    belief="Strides are listed from the nearest to the farthest.",
    lesson="Strides stand in the order of the dimensions: the first stride belongs to the first index.",
)
def strides_back_to_front(index, strides, offset=0):
    return offset + sum(i * stride for i, stride in zip(index, reversed(strides), strict=True))


@solutions.wrong(
    "01.flat_index",
    belief="A step of 0 cannot be meant, so it must be 1.",
    lesson="Stride 0 means that all indices of a dimension read the same cell. That is how one row is "
    "repeated without a copy.",
)
def zero_stride_becomes_one(index, strides, offset=0):
    return offset + sum(i * (stride or 1) for i, stride in zip(index, strides, strict=True))


@solutions.wrong(
    "01.flat_index",
    belief="Without an index there is nothing to look up, so the answer is 0.",
    lesson="A tensor without dimensions still has its one element, and it lies at the offset.",
)
def no_index_no_cell(index, strides, offset=0):
    if not index:
        return 0
    return offset + sum(i * stride for i, stride in zip(index, strides, strict=True))


@solutions.wrong(
    "01.flat_index",
    belief="A place in memory is counted in bytes.",
    lesson="Strides and the answer count cells. Bytes come in later, when a cell's address is needed.",
)
def counts_in_bytes(index, strides, offset=0):
    return 4 * (offset + sum(i * stride for i, stride in zip(index, strides, strict=True)))


@solutions.wrong(
    "01.flat_index",
    belief="Strides shrink from left to right, so the largest one belongs to the first index.",
    lesson="Strides can stand in any order; after a transpose the first is the smallest. Take them as they "
    "are.",
)
def sorts_the_strides(index, strides, offset=0):
    return offset + sum(i * stride for i, stride in zip(index, sorted(strides, reverse=True), strict=True))


@solutions.wrong(
    "01.flat_index",
    belief="The offset counts steps of the last dimension.",
    lesson="The offset is the cell of the first element, whatever the strides are. It is added as it is.",
)
def offset_counts_columns(index, strides, offset=0):
    cell = offset * strides[-1] if strides else offset
    return cell + sum(i * stride for i, stride in zip(index, strides, strict=True))


@solutions.wrong(
    "01.flat_index",
    belief="Four dimensions are enough for everybody.",
    lesson="A tensor may have five, or twelve. Go through index and strides together.",
)
def four_steps(index, strides, offset=0):
    cell = offset
    for dim in range(min(len(index), 4)):
        cell += index[dim] * strides[dim]
    return cell
