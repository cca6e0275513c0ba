"""Chapter 1, printing: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The answers are written as students write them, without types.

from __future__ import annotations

import json

from tensorlab.grading.suite import Solutions

solutions = Solutions()


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


@solutions.wrong(
    "01.nested_repr",
    belief="A printed tensor shows four decimals.",
    lesson="Printing rounds, for your eyes. This function writes each number as repr does: all of it.",
)
def rounds_for_the_eyes(cells, shape, strides, offset=0):
    def walk(dim, cell):
        if dim == len(shape):
            return repr(round(cells[cell], 4))
        return "[" + ", ".join(walk(dim + 1, cell + i * strides[dim]) for i in range(shape[dim])) + "]"

    return walk(0, offset)


@solutions.wrong(
    "01.nested_repr",
    belief="Nobody needs more than four dimensions, so four loops are enough.",
    lesson="A tensor may have five, or twelve. A function that calls itself for each has no limit.",
)
def four_loops(cells, shape, strides, offset=0):
    missing = 4 - len(shape)
    a, b, c, d = (1,) * missing + tuple(shape)
    p, q, r, s = (0,) * missing + tuple(strides)
    table = [
        [
            [[cells[offset + i * p + j * q + k * r + n * s] for n in range(d)] for k in range(c)]
            for j in range(b)
        ]
        for i in range(a)
    ]
    for _ in range(missing):
        table = table[0]
    return repr(table)


@solutions.wrong(
    "01.nested_repr",
    belief="JSON writes nested lists too, with the same brackets.",
    lesson="JSON is another language: True becomes true in it, and inf becomes Infinity. Each element is "
    "written as repr writes it.",
)
def writes_json(cells, shape, strides, offset=0):
    def walk(dim, cell):
        if dim == len(shape):
            return cells[cell]
        return [walk(dim + 1, cell + i * strides[dim]) for i in range(shape[dim])]

    return json.dumps(walk(0, offset))


@solutions.wrong(
    "01.nested_repr",
    belief="What lies before the offset is not needed, so it can be cut off.",
    lesson="cells is the storage itself, and other tensors look into it. Printing leaves it as it was: add "
    "the offset to the cell.",
)
def cuts_the_storage_off(cells, shape, strides, offset=0):
    del cells[:offset]

    def walk(dim, cell):
        if dim == len(shape):
            return repr(cells[cell])
        return "[" + ", ".join(walk(dim + 1, cell + i * strides[dim]) for i in range(shape[dim])) + "]"

    return walk(0, 0)
