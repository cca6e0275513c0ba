"""Chapter 1: right solutions that go other ways than the library. They must keep every point."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The answers are written as students write them, without types.

from __future__ import annotations

import functools
import itertools
import math
import operator

from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.right("01.numel", idea="A loop that multiplies.")
def multiplies_in_a_loop(shape):
    count = 1
    for size in shape:
        count = count * size
    return count


@solutions.right("01.numel", idea="math.prod, whose product of nothing is 1.")
def uses_math_prod(shape):
    return math.prod(shape)


@solutions.right("01.numel", idea="One dimension off, the rest by recursion.")
def takes_one_dimension_off(shape):
    return shape[0] * takes_one_dimension_off(shape[1:]) if shape else 1


@solutions.right("01.nbytes", idea="Count the numbers, then multiply by itemsize.")
def counts_then_multiplies(shape, dtype):
    count = 1
    for size in shape:
        count = count * size
    return count * dtype.itemsize


@solutions.right("01.nbytes", idea="Start the product with the bytes of one number.")
def starts_with_itemsize(shape, dtype):
    return functools.reduce(operator.mul, shape, dtype.itemsize)


@solutions.right("01.nbytes", idea="The bits are written in the name, but for bool.")
def reads_the_bits(shape, dtype):
    if dtype.name == "bool":
        return math.prod(shape)
    bits = int(dtype.name.lstrip("abcdefghijklmnopqrstuvwxyz"))
    return math.prod(shape) * (bits // 8)


@solutions.right("01.flat_index", idea="Start at the offset, then take the steps of each dimension.")
def walks_from_the_offset(index, strides, offset=0):
    cell = offset
    for i, stride in zip(index, strides, strict=True):
        cell = cell + i * stride
    return cell


@solutions.right("01.flat_index", idea="A dot product of index and strides.")
def dot_product(index, strides, offset=0):
    return sum(map(operator.mul, index, strides), offset)


@solutions.right("01.flat_index", idea="One step at a time, by counting.")
def takes_single_steps(index, strides, offset=0):
    for dim in range(len(index)):
        for _ in range(index[dim]):
            offset += strides[dim]
    return offset


@solutions.right("01.check_index", idea="Count first, then look at each index against its range.")
def counts_then_looks(index, shape):
    dims = len(shape)
    if len(index) > dims:
        raise IndexError(f"too many indices for tensor of dimension {dims}")
    if len(index) < dims:
        raise IndexError(f"too few indices for tensor of dimension {dims}")
    checked = []
    for dim in range(dims):
        i, size = index[dim], shape[dim]
        if i < -size or i >= size:
            raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {size}")
        if i < 0:
            i += size
        checked.append(i)
    return tuple(checked)


@solutions.right(
    "01.check_index",
    idea="Let Python's range answer: it counts from the end and refuses.",
    same={
        "Here the two lengths differ.": (
            "word = {True: 'many', False: 'few'}[len(index) > len(shape)] -> "
            "word = {True: 'many', False: 'few'}[len(index) >= len(shape)]",
        )
    },
)
def asks_range(index, shape):
    if len(index) != len(shape):
        word = {True: "many", False: "few"}[len(index) > len(shape)]
        raise IndexError(f"Too {word} indices for tensor of dimension {len(shape)}!")
    checked = []
    for dim, i in enumerate(index):
        try:
            checked.append(range(shape[dim])[i])
        except IndexError:
            text = f"index {i} is out of bounds for dimension {dim} with size {shape[dim]}"
            raise IndexError(text) from None
    return tuple(checked)


@solutions.right("01.nested_repr", idea="A function that calls itself once for each dimension.")
def one_call_for_each_dimension(cells, shape, strides, offset=0):
    if len(shape) == 0:
        return repr(cells[offset])
    parts = []
    for i in range(shape[0]):
        parts.append(one_call_for_each_dimension(cells, shape[1:], strides[1:], offset + i * strides[0]))
    return "[" + ", ".join(parts) + "]"


@solutions.right(
    "01.nested_repr",
    idea="Without recursion: print all numbers, then bracket from the inside out.",
    same={"One part is left.": ("return parts[0] -> return parts[-1]",)},
)
def brackets_from_the_inside(cells, shape, strides, offset=0):
    parts = []
    for index in itertools.product(*map(range, shape)):
        parts.append(repr(cells[offset + sum(map(operator.mul, index, strides))]))
    for dim in reversed(range(len(shape))):
        size, groups = shape[dim], math.prod(shape[:dim])
        parts = ["[" + ", ".join(parts[g * size : (g + 1) * size]) + "]" for g in range(groups)]
    return parts[0]


@solutions.right("01.nested_repr", idea="Build the nested list and let Python print it.")
def prints_a_nested_list(cells, shape, strides, offset=0):
    def nested(dim, cell):
        if dim == len(shape):
            return cells[cell]
        return [nested(dim + 1, cell + i * strides[dim]) for i in range(shape[dim])]

    return repr(nested(0, offset))
