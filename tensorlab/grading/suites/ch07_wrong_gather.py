"""Chapter 7, gather: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import itertools

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def places_of(index):
    """All places of the index, in order."""
    return itertools.product(*map(range, index.shape))


def named(place, dim, number):
    """A place with one of its ints replaced."""
    target = list(place)
    target[dim] = number
    return tuple(target)


@solutions.wrong(
    "07.gather",
    belief="dim is the dimension that stays; the index chooses along the other one.",
    lesson="The index chooses along dim: for dim 1 it names a column, and the row stays.",
)
def swaps_the_dimensions(input, dim, index):
    result = tl.empty(index.shape, dtype=input.dtype)
    other = (dim + 1) % input.dim()
    for place in places_of(index):
        source = list(named(place, other, index[place].item()))
        source = [min(i, size - 1) for i, size in zip(source, input.shape, strict=True)]
        result[place] = input[tuple(source)]
    return result


@solutions.wrong(
    "07.gather",
    belief="The index says where each element goes.",
    lesson="That is scatter, the way back. In a gather the index is on the right of the equals sign: "
    "it says where to read.",
)
def writes_where_it_should_read(input, dim, index):
    result = tl.zeros(index.shape, dtype=input.dtype)
    for place in places_of(index):
        target = named(place, dim, index[place].item() % index.shape[dim])
        if all(i < size for i, size in zip(place, input.shape, strict=True)):
            result[target] = input[place]
    return result


@solutions.wrong(
    "07.gather",
    belief="One row of places is enough; it holds for all rows.",
    lesson="That is index_select, with one list for all. gather has a place of its own for each element.",
)
def takes_the_first_places_for_all(input, dim, index):
    result = tl.empty(index.shape, dtype=input.dtype)
    for place in places_of(index):
        first = tuple(i if d == dim % input.dim() else 0 for d, i in enumerate(place))
        result[place] = input[named(place, dim, index[first].item())]
    return result


@solutions.wrong(
    "07.gather",
    belief="input[index] takes the elements that index names.",
    lesson="It takes whole slices of dimension 0, one for each place. The other dimensions have to be "
    "named too.",
)
def indexes_with_the_index(input, dim, index):
    return input[index % input.shape[0]]


@solutions.wrong(
    "07.gather",
    belief="The places count the elements of the whole tensor.",
    lesson="They count along dim. All other indices are those of the place itself.",
)
def counts_through_all_elements(input, dim, index):
    return input.reshape(-1)[index]


@solutions.wrong(
    "07.gather",
    belief="The answer has the shape of the input.",
    lesson="It has the shape of the index: one element for each place.",
)
def keeps_the_shape_of_the_input(input, dim, index):
    result = input.clone(memory_format=tl.contiguous_format)
    for place in places_of(index):
        if all(i < size for i, size in zip(place, input.shape, strict=True)):
            result[place] = input[named(place, dim, index[place].item())]
    return result


@solutions.wrong(
    "07.gather",
    belief="The answer is as long as the input along dim.",
    lesson="Along dim the index may be longer, and it may be shorter. Walk over the places of the index.",
)
def stops_at_the_size_of_the_input(input, dim, index):
    length = min(index.shape[dim], input.shape[dim])
    index = index.narrow(dim, 0, length)
    result = tl.empty(index.shape, dtype=input.dtype)
    for place in places_of(index):
        result[place] = input[named(place, dim, index[place].item())]
    return result


@solutions.wrong(
    "07.gather",
    belief="A dimension is counted from the front.",
    lesson="-1 is the last one. A comparison such as d == dim never finds it.",
)
def does_not_find_negative_dimensions(input, dim, index):
    result = tl.empty(index.shape, dtype=input.dtype)
    for place in places_of(index):
        source = tuple(index[place].item() if d == dim else i for d, i in enumerate(place))
        result[place] = input[tuple(min(i, size - 1) for i, size in zip(source, input.shape, strict=True))]
    return result


@solutions.wrong(
    "07.gather",
    belief="Tables have two dimensions, and gather is for tables.",
    lesson="It works for any number of dimensions. Write one loop over all places, not a loop for each "
    "dimension.",
)
def knows_tables_only(input, dim, index):
    if input.dim() != 2:
        raise ValueError("gather needs a table")
    result = tl.empty(index.shape, dtype=input.dtype)
    for i, j in places_of(index):
        place = index[i, j].item()
        result[i, j] = input[i, place] if dim in (1, -1) else input[place, j]
    return result


@solutions.wrong(
    "07.gather",
    belief="The answer is made of the index, so it has its dtype.",
    lesson="It has the shape of the index and the numbers of the input, with their dtype.",
)
def has_the_dtype_of_the_index(input, dim, index):
    result = tl.empty(index.shape, dtype=index.dtype)
    for place in places_of(index):
        result[place] = input[named(place, dim, index[place].item())]
    return result


@solutions.wrong(
    "07.gather",
    belief="The cells of the storage are the elements, row after row.",
    lesson="In a turned table or a slice they are not. Read elements with input[…], which knows the strides.",
)
def reads_the_storage(input, dim, index):
    line = tl.as_strided(input, (input.untyped_storage().nbytes() // input.element_size(),), (1,), 0)
    result = tl.empty(index.shape, dtype=input.dtype)
    for place in places_of(index):
        cell = 0
        for i, size in zip(named(place, dim, index[place].item()), input.shape, strict=True):
            cell = cell * size + i
        result[place] = line[cell]
    return result
