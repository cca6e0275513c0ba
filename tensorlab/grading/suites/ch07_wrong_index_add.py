"""Chapter 7, adding into places: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

from tensorlab.grading.suite import Solutions

solutions = Solutions()


def add_slices(input, dim, index, source):
    """What index_add_ does."""
    for k, place in enumerate(index.tolist()):
        input.select(dim, place).add_(source.select(dim, k))


@solutions.wrong(
    "07.index_add_",
    belief="input[index] += source adds once for each place in the index.",
    lesson="It gathers a copy, adds to that, and writes it back. Of several results for one place the "
    "last one stays. Add slice by slice.",
)
def gathers_and_writes_back(input, dim, index, source):
    rows, added = input.transpose(0, dim), source.transpose(0, dim)
    places = index.tolist()
    if places:
        rows[places] += added
    return input


@solutions.wrong(
    "07.index_add_",
    belief="input[index] += source is index_add_.",
    lesson="It has two faults. It gathers a copy, adds to that, and writes it back, so of several results "
    "for one place the last one stays. And it always counts along dimension 0. Add slice by slice along dim.",
)
def adds_to_what_it_indexed(input, dim, index, source):
    input[index] += source
    return input


@solutions.wrong(
    "07.index_add_",
    belief="Sums in float64 are at least as good as those in the dtype of the tensor.",
    lesson="Integers beyond 2**53 lose their last digits there. And input += slice rounds after each slice: "
    "whoever compares with it gets another number.",
)
def adds_in_float64(input, dim, index, source):
    wide = input.double()
    add_slices(wide, dim, index, source.double())
    return input.copy_(wide)


@solutions.wrong(
    "07.index_add_",
    belief="Tensors are computed in float32.",
    lesson="Each in its own dtype. A float32 has 24 bits for the digits, an int64 has 63.",
)
def adds_in_float32(input, dim, index, source):
    narrow = input.float()
    add_slices(narrow, dim, index, source.float())
    return input.copy_(narrow)


@solutions.wrong(
    "07.index_add_",
    belief="There are at most as many places as slices in the input.",
    lesson="A place may be named again and again, so the index may be longer than the input. Walk over the "
    "index.",
)
def stops_at_the_size_of_the_input(input, dim, index, source):
    for k in range(min(index.shape[0], input.shape[dim])):
        input.select(dim, index[k].item()).add_(source.select(dim, k))
    return input


@solutions.wrong(
    "07.index_add_",
    belief="The slices of source take the place of those that index names.",
    lesson="They are added to what is there. Overwriting is index_copy_.",
)
def overwrites(input, dim, index, source):
    for k, place in enumerate(index.tolist()):
        input.select(dim, place).copy_(source.select(dim, k))
    return input


@solutions.wrong(
    "07.index_add_",
    belief="It is safer to add into a copy and return that.",
    lesson="The underscore promises a write in place: the caller's tensor changes, and comes back.",
)
def adds_into_a_copy(input, dim, index, source):
    input = input.clone()
    add_slices(input, dim, index, source)
    return input


@solutions.wrong(
    "07.index_add_",
    belief="Any view of the input will do as an answer.",
    lesson="The operations that end with an underscore return their own tensor, the very object.",
)
def returns_a_view_of_it(input, dim, index, source):
    add_slices(input, dim, index, source)
    return input[...]


@solutions.wrong(
    "07.index_add_",
    belief="Rows are dimension 0, and an index names rows.",
    lesson="dim says what the index counts along: columns for dim 1, and so on.",
)
def always_adds_rows(input, dim, index, source):
    for k, place in enumerate(index.tolist()):
        if place < input.shape[0] and k < source.shape[0] and input[0].shape == source[0].shape:
            input[place] += source[k]
    return input


@solutions.wrong(
    "07.index_add_",
    belief="There are rows and columns: dim 0, and otherwise columns, the last dimension.",
    lesson="Of three dimensions the middle one is neither. select(dim, place) takes any of them.",
)
def knows_rows_and_columns_only(input, dim, index, source):
    for k, place in enumerate(index.tolist()):
        if dim == 0:
            input[place] += source[k]
        elif place < input.shape[-1] and k < source.shape[-1]:
            input[..., place] += source[..., k]
    return input


@solutions.wrong(
    "07.index_add_",
    belief="A dimension is counted from the front.",
    lesson="-1 is the last one. A comparison such as d == dim never finds it.",
)
def does_not_find_negative_dimensions(input, dim, index, source):
    for k, place in enumerate(index.tolist()):
        for d in range(input.dim()):
            if d == dim:
                input.select(d, place).add_(source.select(d, k))
    return input


@solutions.wrong(
    "07.index_add_",
    belief="index[k] says which slice of source is added into slice k.",
    lesson="That would be a gather. The index says where to write: slice k of source goes to index[k].",
)
def reads_where_it_should_write(input, dim, index, source):
    size = source.shape[dim] if source.dim() else 1
    for k, place in enumerate(index.tolist()):
        if k < input.shape[dim]:
            input.select(dim, k).add_(source.select(dim, place % size))
    return input


@solutions.wrong(
    "07.index_add_",
    belief="A place that has had its turn is done.",
    lesson="It gets every slice that it is named for. Remembering the places that are done loses the others.",
)
def adds_once_to_each_place(input, dim, index, source):
    done = set()
    for k, place in enumerate(index.tolist()):
        if place not in done:
            input.select(dim, place).add_(source.select(dim, k))
            done.add(place)
    return input


@solutions.wrong(
    "07.index_add_",
    belief="Each place is named about once, so the order of the index is a permutation.",
    lesson="The index may leave places out and name others twice. Slice k goes to index[k], whatever the "
    "other places are.",
)
def sorts_the_places(input, dim, index, source):
    for k, place in enumerate(sorted(index.tolist())):
        input.select(dim, place).add_(source.select(dim, k))
    return input


@solutions.wrong(
    "07.index_add_",
    belief="Make it contiguous first, then work on it.",
    lesson="For a turned tensor contiguous() is a copy, and the sums end up in that. Write through the "
    "tensor itself.",
)
def makes_it_contiguous_first(input, dim, index, source):
    rows = input.contiguous()
    add_slices(rows, dim, index, source)
    return rows


@solutions.wrong(
    "07.index_add_",
    belief="An index without places cannot be meant.",
    lesson="It adds nothing, which is a fine answer. A batch may well have no element of a kind.",
)
def refuses_an_empty_index(input, dim, index, source):
    if len(index) == 0:
        raise ValueError("the index names no place")
    add_slices(input, dim, index, source)
    return input
