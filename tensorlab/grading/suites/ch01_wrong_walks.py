"""Chapter 1, checking and printing: solutions that are wrong, each from a belief that somebody holds."""

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


def _same_count(index, shape):
    """What most of the wrong solutions above get right."""
    if len(index) != len(shape):
        which = "many" if len(index) > len(shape) else "few"
        raise IndexError(f"too {which} indices for tensor of dimension {len(shape)}")


@solutions.wrong(
    "01.nested_repr",
    belief="A tensor's numbers lie in its storage in the order in which they are printed.",
    lesson="They do when the strides are those of rows after rows. Here they are not: go by index and "
    "strides.",
)
def takes_cells_in_order(cells, shape, strides, offset=0):
    following = iter(cells[offset:])

    def walk(dim):
        if dim == len(shape):
            return repr(next(following))
        return "[" + ", ".join(walk(dim + 1) for _ in range(shape[dim])) + "]"

    return walk(0)


@solutions.wrong(
    "01.nested_repr",
    belief="The first number of a tensor is the first cell of its storage.",
    lesson="A view can start anywhere: its first number lies in the cell that the offset names.",
)
def starts_at_cell_zero(cells, shape, strides, offset=0):
    def walk(dim, cell):
        if dim == len(shape):
            return repr(cells[cell])
        return "[" + ", ".join(walk(dim + 1, cell + i * strides[dim]) for i in range(shape[dim])) + "]"

    return walk(0, 0)


@solutions.wrong(
    "01.nested_repr",
    belief="A tensor always has a pair of brackets around it.",
    lesson="There is one pair for each dimension, and a tensor of shape () has no dimension: 5, not [5].",
)
def brackets_around_a_scalar(cells, shape, strides, offset=0):
    def walk(dim, cell):
        if dim == len(shape):
            return repr(cells[cell])
        return "[" + ", ".join(walk(dim + 1, cell + i * strides[dim]) for i in range(shape[dim])) + "]"

    return walk(0, offset) if shape else "[" + repr(cells[offset]) + "]"


@solutions.wrong(
    "01.nested_repr",
    belief="The recursion ends at the last dimension, where the numbers are.",
    lesson="A tensor of shape () has no last dimension: shape[-1] of () is an error. End one level deeper, "
    "where no dimension is left.",
)
def needs_a_dimension(cells, shape, strides, offset=0):
    if len(shape) == 1:
        return "[" + ", ".join(repr(cells[offset + i * strides[0]]) for i in range(shape[0])) + "]"
    rows = [
        needs_a_dimension(cells, shape[1:], strides[1:], offset + i * strides[0]) for i in range(shape[0])
    ]
    return "[" + ", ".join(rows) + "]"


@solutions.wrong(
    "01.nested_repr",
    belief="A tensor without numbers prints as [].",
    lesson="Shape (2, 0) is two rows without columns, and prints as [[], []]. The brackets show the shape.",
)
def all_empty_alike(cells, shape, strides, offset=0):
    def walk(dim, cell):
        if dim == len(shape):
            return repr(cells[cell])
        return "[" + ", ".join(walk(dim + 1, cell + i * strides[dim]) for i in range(shape[dim])) + "]"

    return "[]" if 0 in shape else walk(0, offset)


@solutions.wrong(
    "01.nested_repr",
    belief="There is always a first element to start the text with.",
    lesson="A dimension of size 0 has no first element. Build the list of parts, then join: joining nothing "
    "is ''.",
)
def starts_with_the_first(cells, shape, strides, offset=0):
    def walk(dim, cell):
        if dim == len(shape):
            return repr(cells[cell])
        parts = [walk(dim + 1, cell + i * strides[dim]) for i in range(shape[dim])]
        text = parts[0]
        for part in parts[1:]:
            text += ", " + part
        return "[" + text + "]"

    return walk(0, offset)


@solutions.wrong(
    "01.nested_repr",
    belief="A tensor is a table, so two loops print it.",
    lesson="Two loops print two dimensions. Let a function call itself once for each dimension, or count.",
)
def two_loops(cells, shape, strides, offset=0):
    rows = []
    for i in range(shape[0]):
        row = [repr(cells[offset + i * strides[0] + j * strides[1]]) for j in range(shape[1])]
        rows.append("[" + ", ".join(row) + "]")
    return "[" + ", ".join(rows) + "]"


@solutions.wrong(
    "01.nested_repr",
    belief="1.0 and 1 are the same number, so the shorter text will do.",
    lesson="They are equal and not the same: 1.0 tells the reader that the tensor holds floats. Use repr.",
)
def drops_the_point(cells, shape, strides, offset=0):
    def walk(dim, cell):
        if dim == len(shape):
            return f"{cells[cell]:g}"
        return "[" + ", ".join(walk(dim + 1, cell + i * strides[dim]) for i in range(shape[dim])) + "]"

    return walk(0, offset)


@solutions.wrong(
    "01.nested_repr",
    belief="The text of a list of texts is the text of its items in brackets.",
    lesson="Python writes quotation marks around texts inside a list: ['0', '1']. Join the parts yourself.",
)
def quotes_the_numbers(cells, shape, strides, offset=0):
    def walk(dim, cell):
        if dim == len(shape):
            return repr(cells[cell])
        return [walk(dim + 1, cell + i * strides[dim]) for i in range(shape[dim])]

    return str(walk(0, offset))


@solutions.wrong(
    "01.nested_repr",
    belief="A nested list is the answer; its text is a detail.",
    lesson="The function returns text. A list prints the same way, and is another type: return a str.",
)
def returns_the_list(cells, shape, strides, offset=0):
    def walk(dim, cell):
        if dim == len(shape):
            return cells[cell]
        return [walk(dim + 1, cell + i * strides[dim]) for i in range(shape[dim])]

    return walk(0, offset)
