"""Chapter 11, versions: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def count_writes(tensors, before):
    """What was written since these counts."""
    pairs = enumerate(zip(tensors, before, strict=True))
    return [(place, x._version - count) for place, (x, count) in pairs if x._version != count]


@solutions.wrong(
    "11.written_since",
    belief="To see whether something changed, keep a copy and compare.",
    lesson="The copy costs as much memory as the tensor, for every tensor that is kept. And a write that "
    "leaves the numbers as they are is a write: nobody knows that without having counted.",
)
def keeps_copies(tensors):
    before = [(x._version, x.clone()) for x in tensors]

    def written():
        found = []
        for place, (count, copy) in enumerate(before):
            if not tl.equal(tensors[place], copy):
                found.append((place, tensors[place]._version - count))
        return found

    return written


@solutions.wrong(
    "11.written_since",
    belief="Compare the sums: they take no memory.",
    lesson="Two writes can leave a sum as it was. And a sum has to read every number, a count none.",
)
def compares_sums(tensors):
    before = [(x._version, x.sum().item()) for x in tensors]
    return lambda: [
        (place, tensors[place]._version - count)
        for place, (count, total) in enumerate(before)
        if tensors[place].sum().item() != total
    ]


@solutions.wrong(
    "11.written_since",
    belief="A tensor that was written lies somewhere else.",
    lesson="In place means that it stays where it is. The address never changes.",
)
def compares_addresses(tensors):
    before = [(x.data_ptr(), x._version) for x in tensors]
    return lambda: [
        (place, tensors[place]._version - count)
        for place, (address, count) in enumerate(before)
        if tensors[place].data_ptr() != address
    ]


@solutions.wrong(
    "11.written_since",
    belief="x.data is the same tensor, only without gradients.",
    lesson="It looks into the same memory with a count of its own, which begins at 0. Writes through x "
    "are not counted there: that is why .data is dangerous.",
)
def notes_the_count_of_data(tensors):
    views = [x.data for x in tensors]
    before = [x._version for x in views]
    return lambda: count_writes(views, before)


@solutions.wrong(
    "11.written_since",
    belief="The counts can be read when somebody asks for the first time.",
    lesson="Then whatever was written before that is missed. What is to be compared later has to be noted "
    "now.",
)
def notes_when_asked(tensors):
    before = []

    def written():
        before[:] = before or [x._version for x in tensors]
        return count_writes(tensors, before)

    return written


@solutions.wrong(
    "11.written_since",
    belief="A version above 0 means that the tensor was written.",
    lesson="It may have been written before it was kept, which harms nobody. Compare with the count at "
    "the noting.",
)
def compares_with_zero(tensors):
    return lambda: [(place, x._version) for place, x in enumerate(tensors) if x._version]


@solutions.wrong(
    "11.written_since",
    belief="A write into a view changes the view; the tensor under it is another one.",
    lesson="A view has no cells of its own. The storage counts the writes, for all that look into it.",
)
def skips_views(tensors):
    before = [x._version for x in tensors]
    return lambda: [pair for pair in count_writes(tensors, before) if tensors[pair[0]]._base is None]


@solutions.wrong(
    "11.written_since",
    belief="One storage needs one entry: its other tensors are in no more danger.",
    lesson="The question is about tensors. Each that looks into the storage may read what was overwritten.",
)
def names_each_storage_once(tensors):
    before = [x._version for x in tensors]

    def written():
        seen, found = set(), []
        for place, writes in count_writes(tensors, before):
            storage = tensors[place].untyped_storage()
            if id(storage) not in seen:
                seen.add(id(storage))
                found.append((place, writes))
        return found

    return written


@solutions.wrong(
    "11.written_since",
    belief="After the answer the account is settled.",
    lesson="Asking is no noting. A write stays a write, however often somebody asks.",
)
def forgets_when_asked(tensors):
    before = [x._version for x in tensors]

    def written():
        found = count_writes(tensors, before)
        before[:] = [x._version for x in tensors]
        return found

    return written


@solutions.wrong(
    "11.written_since",
    belief="Written or not: a 1 says it.",
    lesson="The second number of a pair is how many writes there were: the count now less the count then.",
)
def says_one(tensors):
    before = [x._version for x in tensors]
    return lambda: [(place, 1) for place, _ in count_writes(tensors, before)]


@solutions.wrong(
    "11.written_since",
    belief="The number beside the place is the version.",
    lesson="It is the number of writes since the noting: of a tensor with earlier writes the version is "
    "more.",
)
def says_the_version(tensors):
    before = [x._version for x in tensors]
    return lambda: [(place, tensors[place]._version) for place, _ in count_writes(tensors, before)]


@solutions.wrong(
    "11.written_since",
    belief="It is enough to know the first one: the backward pass stops there.",
    lesson="All that were written since belong into the list.",
)
def stops_at_the_first(tensors):
    before = [x._version for x in tensors]
    return lambda: count_writes(tensors, before)[:1]
