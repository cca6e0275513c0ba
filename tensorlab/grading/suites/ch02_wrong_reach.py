"""Chapter 2, cells that are reached: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"
# The answers are written as students write them, without types.

from __future__ import annotations

import itertools
import math

from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.wrong(
    "02.address_range",
    belief="The first element lies lowest and the last one highest.",
    lesson="A negative stride leads back, so the last element may lie before the first.",
)
def first_to_last(shape, strides, offset=0):
    if 0 in shape:
        return None
    return offset, offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))


@solutions.wrong(
    "02.address_range",
    belief="Of the first and the last element one lies lowest and the other highest.",
    lesson="With the strides (-3, 1) both ends are other corners: the lowest cell is in the last row and "
    "column 0, the highest in row 0 and the last column.",
)
def sorts_first_and_last(shape, strides, offset=0):
    if 0 in shape:
        return None
    last = offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    return min(offset, last), max(offset, last)


@solutions.wrong(
    "02.address_range",
    belief="How far a step leads depends on the stride's size, not on its sign.",
    lesson="The sign says in which direction. With a negative stride the cells lie before the offset.",
)
def ignores_the_sign(shape, strides, offset=0):
    if 0 in shape:
        return None
    return offset, offset + sum((size - 1) * abs(stride) for size, stride in zip(shape, strides, strict=True))


@solutions.wrong(
    "02.address_range",
    belief="A dimension of size 3 takes three steps.",
    lesson="From the first of three elements to the last there are two steps: size - 1.",
)
def one_step_too_many(shape, strides, offset=0):
    if 0 in shape:
        return None
    return offset, offset + sum(size * stride for size, stride in zip(shape, strides, strict=True))


@solutions.wrong(
    "02.address_range",
    belief="The highest cell is where the range ends, one past it, as with Python's range.",
    lesson="Asked for is the highest cell that is reached. One past it may belong to nobody.",
)
def one_past_the_end(shape, strides, offset=0):
    low, high = offset, offset + 1
    for size, stride in zip(shape, strides, strict=True):
        if size == 0:
            return None
        low += min(0, (size - 1) * stride)
        high += max(0, (size - 1) * stride)
    return low, high


@solutions.wrong(
    "02.address_range",
    belief="The lowest cell of a storage is 0, so a tensor reaches from 0 on.",
    lesson="The storage begins with cell 0. The tensor begins at its offset, and may leave what lies before.",
)
def from_cell_zero(shape, strides, offset=0):
    low, high = 0, offset
    for size, stride in zip(shape, strides, strict=True):
        if size == 0:
            return None
        low += min(0, (size - 1) * stride)
        high += max(0, (size - 1) * stride)
    return low, high


@solutions.wrong(
    "02.address_range",
    belief="Six elements take six cells.",
    lesson="Only if they lie side by side. With gaps they reach further, with a stride of 0 less far.",
)
def counts_the_elements(shape, strides, offset=0):
    count = math.prod(shape)
    return (offset, offset + count - 1) if count else None


@solutions.wrong(
    "02.address_range",
    belief="A tensor without elements reaches its offset, and no further.",
    lesson="The offset is where an element would lie if there were one. Nothing is reached: None.",
)
def empty_reaches_its_offset(shape, strides, offset=0):
    if 0 in shape:
        return offset, offset
    low = high = offset
    for size, stride in zip(shape, strides, strict=True):
        low += min(0, (size - 1) * stride)
        high += max(0, (size - 1) * stride)
    return low, high


@solutions.wrong(
    "02.address_range",
    belief="size - 1 works for every size, so 0 needs no care.",
    lesson="A size of 0 makes it -1, and the range comes out backwards. A tensor without elements reaches "
    "nothing: None.",
)
def minus_one_step(shape, strides, offset=0):
    low = high = offset
    for size, stride in zip(shape, strides, strict=True):
        if stride < 0:
            low += (size - 1) * stride
        else:
            high += (size - 1) * stride
    return low, high


@solutions.wrong(
    "02.address_range",
    belief="Without dimensions there are no cells.",
    lesson="A tensor of shape () has one element, and it lies at the offset: (offset, offset).",
)
def a_number_reaches_nothing(shape, strides, offset=0):
    if not shape or 0 in shape:
        return None
    low = high = offset
    for size, stride in zip(shape, strides, strict=True):
        low += min(0, (size - 1) * stride)
        high += max(0, (size - 1) * stride)
    return low, high


@solutions.wrong(
    "02.address_range",
    belief="Two cells in a list are two cells.",
    lesson="The answer is a pair, a tuple: low, high = address_range(…) reads it, and nobody can change it.",
)
def returns_a_list_of_two(shape, strides, offset=0):
    low = high = offset
    for size, stride in zip(shape, strides, strict=True):
        if size == 0:
            return None
        low += min(0, (size - 1) * stride)
        high += max(0, (size - 1) * stride)
    return [low, high]


@solutions.wrong(
    "02.address_range",
    belief="The dimension with the largest stride reaches furthest, so it decides.",
    lesson="All dimensions move together. The furthest element takes the last step of each of them.",
)
def largest_stride_decides(shape, strides, offset=0):
    if 0 in shape:
        return None
    ends = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
    return offset + min(0, 0, *ends), offset + max(0, 0, *ends)


@solutions.wrong(
    "02.address_range",
    belief="The offset is added by whoever uses the range.",
    lesson="The answer names cells of the storage, and those count from its beginning. Add the offset.",
)
def leaves_the_offset_out(shape, strides, offset=0):
    low = high = 0
    for size, stride in zip(shape, strides, strict=True):
        if size == 0:
            return None
        low += min(0, (size - 1) * stride)
        high += max(0, (size - 1) * stride)
    return low, high


@solutions.wrong(
    "02.overlaps",
    belief="Elements share a cell where a stride is 0, and nowhere else.",
    lesson="Windows share cells with strides (1, 1): element (0, 1) and element (1, 0) both lie in cell 1.",
)
def only_stride_zero(shape, strides):
    return 0 not in shape and any(
        size > 1 and stride == 0 for size, stride in zip(shape, strides, strict=True)
    )


@solutions.wrong(
    "02.overlaps",
    belief="A stride of 0 means shared cells, whatever the size.",
    lesson="Along a size of 1 there is nobody to share with, and along a size of 0 nobody at all.",
)
def any_stride_zero(shape, strides):
    cells = list(_cells(shape, strides))
    return 0 in strides or len(set(cells)) < len(cells)


@solutions.wrong(
    "02.overlaps",
    belief="Elements share cells when there are more of them than cells between the first and the last.",
    lesson="Then they must. But they may share cells with room to spare: shape (3, 2) and strides (2, 4) are "
    "six elements over nine cells, and (0, 1) and (2, 0) both lie in cell 4.",
)
def more_elements_than_room(shape, strides):
    if 0 in shape:
        return False
    room = 1 + sum((size - 1) * abs(stride) for size, stride in zip(shape, strides, strict=True))
    return math.prod(shape) > room


@solutions.wrong(
    "02.overlaps",
    belief="When one dimension steps into what another one reaches, they share a cell.",
    lesson="They may miss each other: shape (2, 3) with strides (3, 2) reaches 0, 2, 4 and 3, 5, 7.",
)
def steps_into_reach(shape, strides):
    if 0 in shape:
        return False
    reach = 0
    for stride, size in sorted(zip(strides, shape, strict=True)):
        if size > 1 and stride <= reach:
            return True
        reach += (size - 1) * stride
    return False


@solutions.wrong(
    "02.overlaps",
    belief="Elements share a cell where two dimensions have the same stride.",
    lesson="With equal strides they do. So they do with others: with strides (2, 1) the elements (0, 2) and "
    "(1, 0) lie in cell 2.",
)
def equal_strides(shape, strides):
    if 0 in shape:
        return False
    used = [stride for size, stride in zip(shape, strides, strict=True) if size > 1]
    return 0 in used or len(set(used)) < len(used)


@solutions.wrong(
    "02.overlaps",
    belief="Each stride must be at least what the dimension after it takes.",
    lesson="The order of the dimensions does not matter to the cells. A turned table has strides (1, 3), and "
    "every element a cell of its own.",
)
def compares_with_the_next(shape, strides):
    used = [(size, stride) for size, stride in zip(shape, strides, strict=True) if size != 1]
    pairs = itertools.pairwise(used)
    return 0 not in shape and (
        any(outer[1] < inner[0] * inner[1] for outer, inner in pairs) or any(s == 0 for _, s in used)
    )


@solutions.wrong(
    "02.overlaps",
    belief="What is not contiguous overlaps.",
    lesson="Gaps and another order make a tensor not contiguous, and no two elements share a cell by that.",
)
def not_contiguous(shape, strides):
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if 0 not in shape and size != 1 and stride != expected:
            return True
        expected *= size
    return False


@solutions.wrong(
    "02.overlaps",
    belief="An empty tensor is in an unclear state, so it is safer to say True.",
    lesson="Without elements no two can share a cell. The answer is False.",
)
def empty_says_true(shape, strides):
    cells = list(_cells(shape, strides))
    return not cells or len(set(cells)) < len(cells)


@solutions.wrong(
    "02.overlaps",
    belief="One element already lies in the cell that it lies in.",
    lesson="It takes two different elements to share a cell. A tensor of one element shares none.",
)
def one_element_meets_itself(shape, strides):
    cells = list(_cells(shape, strides))
    return len(cells) == 1 or len(set(cells)) < len(cells)


@solutions.wrong(
    "02.overlaps",
    belief="The number of shared cells says more than yes or no.",
    lesson="It says more, and it was not asked: the answer is True or False.",
)
def counts_shared_cells(shape, strides):
    cells = list(_cells(shape, strides))
    return len(cells) - len(set(cells))


@solutions.wrong(
    "02.overlaps",
    belief="A dimension of size 1 is as long as its stride.",
    lesson="A dimension of size 1 takes no step, so its stride reaches nothing and hides nothing.",
)
def ones_count_too(shape, strides):
    cells = list(_cells(shape, strides))
    twice = any(a == b for a, b in itertools.combinations(strides, 2))
    return 0 not in shape and (twice or len(set(cells)) < len(cells))


@solutions.wrong(
    "02.overlaps",
    belief="Elements share a cell where two dimensions do, so it is enough to look at pairs of them.",
    lesson="Three may share a cell where no two of them do: with shape (2, 2, 2) and strides (3, 2, 1) the "
    "elements (1, 0, 0) and (0, 1, 1) lie in cell 3.",
)
def looks_at_pairs_of_dimensions(shape, strides):
    used = [(size, stride) for size, stride in zip(shape, strides, strict=True) if size != 1]
    if 0 in shape:
        return False
    for pair in itertools.combinations([*used, (1, 0)], 2):
        cells = list(_cells(*zip(*pair, strict=True)))
        if len(set(cells)) < len(cells):
            return True
    return False


def _cells(shape, strides):
    """The cells of all elements, row by row."""
    for index in itertools.product(*map(range, shape)):
        yield sum(i * stride for i, stride in zip(index, strides, strict=True))


@solutions.wrong(
    "02.address_range",
    belief="No storage has a cell below 0, so the lowest cell is at least 0.",
    lesson="That no storage has it is why the caller asks: a layout that would reach cell -3 is refused, "
    "because the answer says -3.",
)
def stops_at_cell_zero(shape, strides, offset=0):
    if 0 in shape:
        return None
    moves = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
    low = offset + sum(move for move in moves if move < 0)
    return max(low, 0), offset + sum(move for move in moves if move > 0)
