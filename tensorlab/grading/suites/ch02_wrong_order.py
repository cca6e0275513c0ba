"""Chapter 2, contiguous or not: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"
# The answers are written as students write them, without types.

from __future__ import annotations

import itertools
import math

from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.wrong(
    "02.is_contiguous",
    belief="A tensor is contiguous when its strides fall from left to right and end with 1.",
    lesson="Strides (4, 1) fall, and a (2, 3) tensor with them skips one cell after each row. Each stride "
    "has to be exactly what lies inside it.",
)
def strides_fall(shape, strides):
    used = [stride for size, stride in zip(shape, strides, strict=True) if size != 1]
    if 0 in shape or not used:
        return True
    return used[-1] == 1 and used == sorted(used, reverse=True)


@solutions.wrong(
    "02.is_contiguous",
    belief="The strides must be those of a new tensor, all of them.",
    lesson="The stride of a size of 1 is never used: no step is taken along it. It must not decide anything.",
)
def compares_all_strides(shape, strides):
    wanted = [math.prod(shape[dim + 1 :]) for dim in range(len(shape))]
    return 0 in shape or list(strides) == wanted


@solutions.wrong(
    "02.is_contiguous",
    belief="A tensor that fills a block of memory without gaps is contiguous.",
    lesson="A turned table fills the same block as before, in another order. The walk row by row jumps.",
)
def fills_a_block(shape, strides):
    last = sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    return 0 in shape or last + 1 == math.prod(shape)


@solutions.wrong(
    "02.is_contiguous",
    belief="A tensor is contiguous when its last stride is 1.",
    lesson="Then each row is in one piece. The next row must also begin where the last one ended.",
)
def last_stride_is_one(shape, strides):
    return 0 in shape or not shape or strides[-1] == 1


@solutions.wrong(
    "02.is_contiguous",
    belief="Each stride must be the next stride times the next size. That is the whole rule.",
    lesson="It ties the strides to each other and to nothing else: (6, 2) fits it. The last has to be 1.",
)
def looks_at_neighbours_only(shape, strides):
    used = [(size, stride) for size, stride in zip(shape, strides, strict=True) if size != 1]
    pairs = itertools.pairwise(used)
    return 0 in shape or all(outer[1] == inner[0] * inner[1] for outer, inner in pairs)


@solutions.wrong(
    "02.is_contiguous",
    belief="Gaps are what breaks the walk, so no stride may be too large.",
    lesson="One that is too small breaks it as well: with stride 0 or 1 the walk comes back to cells that it "
    "has been in.",
)
def no_stride_too_large(shape, strides):
    if 0 in shape:
        return True
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and stride > expected:
            return False
        expected *= size
    return True


@solutions.wrong(
    "02.is_contiguous",
    belief="A tensor without elements is judged by its strides like any other.",
    lesson="There is no element, so there is no step that could go wrong. It is contiguous.",
)
def judges_the_empty(shape, strides):
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and stride != expected:
            return False
        expected *= max(size, 1)
    return True


@solutions.wrong(
    "02.is_contiguous",
    belief="A tensor without elements lies nowhere, so it is not contiguous.",
    lesson="The claim is about all its elements, and it has none that breaks it. It is contiguous.",
)
def empty_is_not(shape, strides):
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 0 or (size != 1 and stride != expected):
            return False
        expected *= size
    return True


@solutions.wrong(
    "02.is_contiguous",
    belief="Without strides there is nothing that could be 1, so the answer is False.",
    lesson="A tensor of shape () has one element. A walk over one element never leaves the line.",
)
def a_number_is_not(shape, strides):
    if not shape:
        return False
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if 0 not in shape and size != 1 and stride != expected:
            return False
        expected *= size
    return True


@solutions.wrong(
    "02.is_contiguous",
    belief="1 and 0 mean yes and no.",
    lesson="They count as yes and no in an if. The answer to a question with is_ is True or False.",
)
def answers_with_a_number(shape, strides):
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if 0 not in shape and size != 1 and stride != expected:
            return 0
        expected *= size
    return 1


@solutions.wrong(
    "02.is_contiguous",
    belief="Row after row or column after column: either way the memory is one piece.",
    lesson="PyTorch's is_contiguous() asks for the order of the rows. Column after column is one piece too, "
    "and not what it asks for.",
)
def either_order(shape, strides):
    sizes = [size for size in shape if size != 1]
    used = [stride for size, stride in zip(shape, strides, strict=True) if size != 1]
    rows = [math.prod(sizes[dim + 1 :]) for dim in range(len(sizes))]
    columns = [math.prod(sizes[:dim]) for dim in range(len(sizes))]
    return 0 in shape or used in (rows, columns)


@solutions.wrong(
    "02.is_contiguous",
    belief="A last dimension of size 1 is no reason to look further: its stride must be 1.",
    lesson="Nobody steps along it, whatever its place. Leave out every size of 1, the last one too.",
)
def last_must_be_one(shape, strides):
    expected = 1
    for dim in reversed(range(len(shape))):
        if 0 not in shape and (shape[dim] != 1 or dim == len(shape) - 1) and strides[dim] != expected:
            return False
        expected *= shape[dim]
    return True


@solutions.wrong(
    "02.is_contiguous",
    belief="Neighbouring cells are neighbouring, whether the walk goes forward or back.",
    lesson="With a stride of -1 the walk goes from each cell to the one before it. In order means forward.",
)
def steps_either_way(shape, strides):
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if 0 not in shape and size != 1 and abs(stride) != expected:
            return False
        expected *= size
    return True


@solutions.wrong(
    "02.is_contiguous",
    belief="If the strides fall, and the elements reach over as many cells as there are of them, no cell is "
    "left out.",
    lesson="Shape (2, 3, 2) with strides (4, 3, 1) has twelve elements from cell 0 to cell 11, reads cell 4 "
    "twice and cell 2 never. Each stride has to be exactly what lies inside it.",
)
def falls_over_as_many_cells(shape, strides):
    used = [(size, stride) for size, stride in zip(shape, strides, strict=True) if size != 1]
    falling = sorted((stride for _, stride in used), reverse=True)
    if 0 in shape or not used:
        return True
    if [stride for _, stride in used] != falling or falling[-1] != 1:
        return False
    return sum((size - 1) * stride for size, stride in used) + 1 == math.prod(shape)
