"""Chapter 1, checking an index: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The answers are written as students write them, without types.

from __future__ import annotations

from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.wrong(
    "01.check_index",
    belief="An index is a count from the start, so a negative one is out of bounds.",
    lesson="-1 names the last element, as in a list: add the size of the dimension to a negative index.",
)
def refuses_negative(index, shape):
    _same_count(index, shape)
    for dim, (i, size) in enumerate(zip(index, shape, strict=True)):
        if not 0 <= i < size:
            raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {size}")
    return tuple(index)


@solutions.wrong(
    "01.check_index",
    belief="Indices of 3 elements go from -2 to 2: as far down as up.",
    lesson="There are as many negative indices as elements: -1, -2 and -3. The first element is -size.",
)
def refuses_the_most_negative(index, shape):
    _same_count(index, shape)
    for dim, (i, size) in enumerate(zip(index, shape, strict=True)):
        if not -size < i < size:
            raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {size}")
    return tuple(i + size if i < 0 else i for i, size in zip(index, shape, strict=True))


@solutions.wrong(
    "01.check_index",
    belief="The remainder takes care of negative indices.",
    lesson="i % size also turns index 3 of three elements into 0, and nobody hears of the mistake. Look at "
    "the range first.",
)
def wraps_around(index, shape):
    _same_count(index, shape)
    return tuple(i % size for i, size in zip(index, shape, strict=True))


@solutions.wrong(
    "01.check_index",
    belief="A dimension of size 3 has an element 3.",
    lesson="Counting starts at 0, so the last of three elements has index 2. Index 3 is the first that is "
    "outside.",
)
def one_too_far(index, shape):
    _same_count(index, shape)
    checked = []
    for dim, (i, size) in enumerate(zip(index, shape, strict=True)):
        if i > size or i < -size:
            raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {size}")
        checked.append(i + size if i < 0 else i)
    return tuple(checked)


@solutions.wrong(
    "01.check_index",
    belief="Only the upper end needs a check; negative indices are repaired by adding the size.",
    lesson="-5 + 3 is -2, which is still no element. The lowest index of size 3 is -3.",
)
def no_lower_end(index, shape):
    _same_count(index, shape)
    checked = []
    for dim, (i, size) in enumerate(zip(index, shape, strict=True)):
        if i >= size:
            raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {size}")
        checked.append(i + size if i < 0 else i)
    return tuple(checked)


@solutions.wrong(
    "01.check_index",
    belief="A value that is out of range is a ValueError.",
    lesson="IndexError is the type for a place that does not exist. Callers catch it by that name, and a "
    "for loop over a tensor ends with it.",
)
def raises_value_error(index, shape):
    if len(index) != len(shape):
        which = "many" if len(index) > len(shape) else "few"
        raise ValueError(f"too {which} indices for tensor of dimension {len(shape)}")
    checked = []
    for dim, (i, size) in enumerate(zip(index, shape, strict=True)):
        if not -size <= i < size:
            raise ValueError(f"index {i} is out of bounds for dimension {dim} with size {size}")
        checked.append(i + size if i < 0 else i)
    return tuple(checked)


@solutions.wrong(
    "01.check_index",
    belief="The type of the error says enough.",
    lesson="Whoever reads it wants to know which index, which dimension and which size. Say all three.",
)
def says_nothing(index, shape):
    if len(index) != len(shape):
        raise IndexError
    checked = []
    for i, size in zip(index, shape, strict=True):
        if not -size <= i < size:
            raise IndexError("index out of range")
        checked.append(i + size if i < 0 else i)
    return tuple(checked)


@solutions.wrong(
    "01.check_index",
    belief="zip pairs indices with sizes, so their counts take care of themselves.",
    lesson="zip stops at the shorter of the two and drops the rest without a word. Compare the lengths "
    "first.",
)
def never_counts(index, shape):
    checked = []
    for dim, (i, size) in enumerate(zip(index, shape, strict=False)):
        if not -size <= i < size:
            raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {size}")
        checked.append(i + size if i < 0 else i)
    return tuple(checked)


@solutions.wrong(
    "01.check_index",
    belief="Only too many indices are a mistake; too few name a row.",
    lesson="x[0] of a table is a row, that is true. This function answers for one element, and needs them "
    "all.",
)
def allows_too_few(index, shape):
    if len(index) > len(shape):
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
    checked = []
    for dim, (i, size) in enumerate(zip(index, shape, strict=False)):
        if not -size <= i < size:
            raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {size}")
        checked.append(i + size if i < 0 else i)
    return tuple(checked)


@solutions.wrong(
    "01.check_index",
    belief="An index that is too large means the last element, as in a slice.",
    lesson="Slices clamp: x[0:99] takes what there is. A single index has to exist.",
)
def clamps_like_a_slice(index, shape):
    _same_count(index, shape)
    pairs = zip(index, shape, strict=True)
    return tuple(max(0, min(i + size if i < 0 else i, size - 1)) for i, size in pairs)


@solutions.wrong(
    "01.check_index",
    belief="Once an index is known to be in range, it can be returned as it came.",
    lesson="The address arithmetic counts from the front. A negative index left as it is leads before the "
    "start.",
)
def leaves_negatives(index, shape):
    _same_count(index, shape)
    for dim, (i, size) in enumerate(zip(index, shape, strict=True)):
        if not -size <= i < size:
            raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {size}")
    return tuple(index)


@solutions.wrong(
    "01.check_index",
    belief="A list of indices is as good as a tuple.",
    lesson="An index is a tuple, like a shape: it can be a key and cannot change under your hands.",
)
def returns_a_list(index, shape):
    _same_count(index, shape)
    checked = []
    for dim, (i, size) in enumerate(zip(index, shape, strict=True)):
        if not -size <= i < size:
            raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {size}")
        checked.append(i + size if i < 0 else i)
    return checked


@solutions.wrong(
    "01.check_index",
    belief="Repair the index first, then check it and say what is wrong with it.",
    lesson="After the repair -5 has become -2, and the error names an index that nobody wrote. Keep the one "
    "given.",
)
def reports_the_repaired_index(index, shape):
    _same_count(index, shape)
    checked = []
    for dim, (i, size) in enumerate(zip(index, shape, strict=True)):
        i = i + size if i < 0 else i
        if not 0 <= i < size:
            raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {size}")
        checked.append(i)
    return tuple(checked)


@solutions.wrong(
    "01.check_index",
    belief="Too few indices show themselves at the end, when the loop has run out of them.",
    lesson="Until then the loop has compared indices with sizes, and complains about one. Which index "
    "belongs to which size is known only when the counts agree: count first.",
)
def counts_too_few_last(index, shape):
    if len(index) > len(shape):
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
    checked = []
    for dim, (i, size) in enumerate(zip(index, shape, strict=False)):
        if not -size <= i < size:
            raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {size}")
        checked.append(i + size if i < 0 else i)
    if len(index) < len(shape):
        raise IndexError(f"too few indices for tensor of dimension {len(shape)}")
    return tuple(checked)


@solutions.wrong(
    "01.check_index",
    belief="One text that lists all that can be wrong will do for every error.",
    lesson="Whoever reads it has to find out which reason holds. The function knows it: say that one.",
)
def lists_all_reasons(index, shape):
    reasons = [f"too {which} indices for tensor of dimension {len(shape)}" for which in ("many", "few")]
    checked = []
    for dim, (i, size) in enumerate(zip(index, shape, strict=False)):
        reasons.append(f"index {i} is out of bounds for dimension {dim} with size {size}")
        if -size <= i < size:
            checked.append(i + size if i < 0 else i)
    if len(checked) != len(index) or len(index) != len(shape):
        raise IndexError(", or ".join(reasons))
    return tuple(checked)


def _same_count(index, shape):
    """What most of the wrong solutions above get right."""
    if len(index) != len(shape):
        which = "many" if len(index) > len(shape) else "few"
        raise IndexError(f"too {which} indices for tensor of dimension {len(shape)}")


@solutions.wrong(
    "01.check_index",
    belief="A size says which dimension it is the size of.",
    lesson="A shape may have one size twice, and shape.index finds the first. Count dimensions as you go.",
)
def finds_the_dimension_by_its_size(index, shape):
    _same_count(index, shape)
    for i, size in zip(index, shape, strict=True):
        if not -size <= i < size:
            dim = shape.index(size)
            raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {size}")
    return tuple(i % size for i, size in zip(index, shape, strict=True))


@solutions.wrong(
    "01.check_index",
    belief="The first dimension has the number 1.",
    lesson="Dimensions are counted from 0, as everything between brackets is.",
)
def counts_dimensions_from_one(index, shape):
    _same_count(index, shape)
    for dim, (i, size) in enumerate(zip(index, shape, strict=True), 1):
        if not -size <= i < size:
            raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {size}")
    return tuple(i % size for i, size in zip(index, shape, strict=True))
