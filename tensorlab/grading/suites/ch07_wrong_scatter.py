"""Chapter 7, scatter_add: solutions that are wrong, each from a belief that somebody holds."""

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
    "07.scatter_add",
    belief="A scatter writes the values into their places.",
    lesson="scatter does, and overwrites what is there. scatter_add adds.",
)
def overwrites(input, dim, index, src):
    result = input.clone()
    for place in places_of(index):
        result[named(place, dim, index[place].item())] = src[place]
    return result


@solutions.wrong(
    "07.scatter_add",
    belief="Read at all places, add, and write back: it is the same, only faster.",
    lesson="Of several results for one place only the last one stays. Add one value after the other.",
)
def gathers_and_writes_back(input, dim, index, src):
    result = input.clone()
    sums = [
        (
            named(place, dim, index[place].item()),
            src[place].item() + result[named(place, dim, index[place].item())].item(),
        )
        for place in places_of(index)
    ]
    for target, total in sums:
        result[target] = total
    return result


@solutions.wrong(
    "07.scatter_add",
    belief="The values are added into the input.",
    lesson="That is scatter_add_, with an underscore. Without it the input stays as it was.",
)
def adds_in_place(input, dim, index, src):
    for place in places_of(index):
        input[named(place, dim, index[place].item())] += src[place]
    return input


@solutions.wrong(
    "07.scatter_add",
    belief="The copy has to be made before it is returned.",
    lesson="It has to be made before anything is added. Here the input has been changed too.",
)
def copies_too_late(input, dim, index, src):
    for place in places_of(index):
        input[named(place, dim, index[place].item())] += src[place]
    return input.clone()


@solutions.wrong(
    "07.scatter_add",
    belief="The sums begin at zero.",
    lesson="They begin with the elements of the input. It is a tensor of zeros only if the caller gives one.",
)
def begins_at_zero(input, dim, index, src):
    result = tl.zeros(input.shape, dtype=input.dtype)
    for place in places_of(index):
        result[named(place, dim, index[place].item())] += src[place]
    return result


@solutions.wrong(
    "07.scatter_add",
    belief="dim is the dimension that stays; the index chooses along the other one.",
    lesson="The index chooses along dim: for dim 1 it names a column, and the row stays.",
)
def swaps_the_dimensions(input, dim, index, src):
    result = input.clone()
    other = (dim + 1) % input.dim()
    for place in places_of(index):
        target = named(place, other, index[place].item())
        result[tuple(min(i, size - 1) for i, size in zip(target, input.shape, strict=True))] += src[place]
    return result


@solutions.wrong(
    "07.scatter_add",
    belief="The index says which value is added at each place.",
    lesson="That is a gather of src. The index says where to write: src[i, j] goes to index[i, j].",
)
def reads_where_it_should_write(input, dim, index, src):
    result = input.clone()
    for place in places_of(index):
        if all(i < size for i, size in zip(place, input.shape, strict=True)):
            result[place] += src[named(place, dim, index[place].item() % src.shape[dim])]
    return result


@solutions.wrong(
    "07.scatter_add",
    belief="Every value of src is added somewhere.",
    lesson="The index may be smaller than src. Walk over the places of the index; the values beyond it "
    "have none.",
)
def walks_over_the_values(input, dim, index, src):
    result = input.clone()
    for place in places_of(src):
        result[named(place, dim, index[place].item())] += src[place]
    return result


@solutions.wrong(
    "07.scatter_add",
    belief="A dimension is counted from the front.",
    lesson="-1 is the last one. A comparison such as d == dim never finds it.",
)
def does_not_find_negative_dimensions(input, dim, index, src):
    result = input.clone()
    for place in places_of(index):
        target = tuple(index[place].item() if d == dim else i for d, i in enumerate(place))
        result[tuple(min(i, size - 1) for i, size in zip(target, input.shape, strict=True))] += src[place]
    return result


@solutions.wrong(
    "07.scatter_add",
    belief="A place that has had its value is done.",
    lesson="It gets every value that it is named for. Remembering the places that are done loses the others.",
)
def adds_once_to_each_place(input, dim, index, src):
    result, done = input.clone(), set()
    for place in places_of(index):
        target = named(place, dim, index[place].item())
        if target not in done:
            result[target] += src[place]
            done.add(target)
    return result


@solutions.wrong(
    "07.scatter_add",
    belief="A place that gets several values gets their mean.",
    lesson="It gets their sum. Dividing by how often a place is named is another operation.",
)
def takes_the_mean(input, dim, index, src):
    result, values = input.clone(), {}
    for place in places_of(index):
        values.setdefault(named(place, dim, index[place].item()), []).append(src[place].item())
    for target, found in values.items():
        result[target] += sum(found) / len(found)
    return result


@solutions.wrong(
    "07.scatter_add",
    belief="Tables have two dimensions, and a scatter is for tables.",
    lesson="It works for any number of dimensions. Write one loop over all places, not a loop for each "
    "dimension.",
)
def knows_tables_only(input, dim, index, src):
    if input.dim() != 2:
        raise ValueError("scatter_add needs a table")
    result = input.clone()
    for i, j in places_of(index):
        place = index[i, j].item()
        target = (i, place) if dim in (1, -1) else (place, j)
        result[target] += src[i, j]
    return result


@solutions.wrong(
    "07.scatter_add",
    belief="The result lies in memory as the input does, gaps and all.",
    lesson="A copy needs room for its elements only. clone() leaves no gaps; a copy of the whole storage "
    "does.",
)
def copies_the_storage(input, dim, index, src):
    cells = input.untyped_storage().nbytes() // input.element_size()
    line = tl.as_strided(input, (cells,), (1,), 0).clone()
    result = tl.as_strided(line, input.shape, input.stride(), input.storage_offset())
    for place in places_of(index):
        result[named(place, dim, index[place].item())] += src[place]
    return result
