"""Chapter 3, diagonals and writes: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"
# The answers are written as students write them, without types.

from __future__ import annotations

import itertools

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def _diagonal(input, offset, dim1, dim2, *, start=None, length=None, step=None, skipped=None, first=False):
    """A right diagonal, of which a wrong solution replaces one fact."""
    shape, strides = list(input.shape), list(input.stride())
    dim1, dim2 = dim1 % len(shape), dim2 % len(shape)
    row, column = max(-offset, 0), max(offset, 0)
    right_length = max(0, min(shape[dim1] - row, shape[dim2] - column))
    length = right_length if length is None else length
    skip = row * strides[dim1] + column * strides[dim2] if skipped is None else skipped
    along = strides[dim1] + strides[dim2] if step is None else step
    rest = [dim for dim in range(len(shape)) if dim not in (dim1, dim2)]
    sizes, steps = [shape[dim] for dim in rest], [strides[dim] for dim in rest]
    place = 0 if first else len(rest)
    sizes.insert(place, length)
    steps.insert(place, along)
    begin = input.storage_offset() if start is None else start
    return tl.as_strided(input, sizes, steps, begin + (skip if length else 0))


@solutions.wrong(
    "03.diagonal",
    belief="A diagonal is a new list of numbers, so it gets a tensor of its own.",
    lesson="The numbers are there, evenly spaced in the storage. A view with the right stride shows them, "
    "and a write into it reaches the table.",
)
def collects_the_numbers(input, offset=0, dim1=0, dim2=1):
    return _diagonal(input, offset, dim1, dim2).clone()


@solutions.wrong(
    "03.diagonal",
    belief="Tables are square, so the diagonal is as long as a column.",
    lesson="A (4, 2) table has a diagonal of two. It ends at the nearer edge: the smaller of both sizes.",
)
def as_long_as_a_column(input, offset=0, dim1=0, dim2=1):
    rows, columns = input.shape[dim1], input.shape[dim2]
    if offset == 0 and rows > columns:
        return _diagonal(input, offset, dim1, dim2, length=rows)
    return _diagonal(input, offset, dim1, dim2)


@solutions.wrong(
    "03.diagonal",
    belief="One step along the diagonal is one row and one more cell.",
    lesson="That is right in a new table, where a row is shape[1] cells and a column step is 1. Add the "
    "table's own strides.",
)
def one_row_and_one_cell(input, offset=0, dim1=0, dim2=1):
    new = input.shape[dim2] + 1 if input.dim() == 2 and offset == 0 and input.numel() else None
    length = min(input.shape[dim1], input.shape[dim2])
    reach = input.storage_offset() + (length - 1) * (new or 0)
    room = new is not None and reach < len(input.storage())
    return _diagonal(input, offset, dim1, dim2, step=new if room and (dim1, dim2) == (0, 1) else None)


@solutions.wrong(
    "03.diagonal",
    belief="The diagonal begins where the storage begins.",
    lesson="It begins where the table begins, and a table may begin anywhere: x.storage_offset().",
)
def begins_in_cell_zero(input, offset=0, dim1=0, dim2=1):
    return _diagonal(input, offset, dim1, dim2, start=0)


@solutions.wrong(
    "03.diagonal",
    belief="offset says how far the diagonal lies from the main one; above or below is the same.",
    lesson="The sign says which side: positive ones lie to the right, negative ones further down.",
)
def forgets_the_sign(input, offset=0, dim1=0, dim2=1):
    return _diagonal(input, abs(offset), dim1, dim2)


@solutions.wrong(
    "03.diagonal",
    belief="A diagonal that is moved is as long as the main one.",
    lesson="A (3, 3) table has a main diagonal of three and neighbours of two. What is skipped is missing "
    "at the end.",
)
def keeps_the_length(input, offset=0, dim1=0, dim2=1):
    length = min(input.shape[dim1], input.shape[dim2])
    return _diagonal(input, offset, dim1, dim2, length=length)


@solutions.wrong(
    "03.diagonal",
    belief="offset counts cells.",
    lesson="It counts columns or rows. Each is one stride long, and a row is many cells.",
)
def offset_counts_cells(input, offset=0, dim1=0, dim2=1):
    return _diagonal(input, offset, dim1, dim2, skipped=abs(offset))


@solutions.wrong(
    "03.diagonal",
    belief="A diagonal outside the table is a mistake of the caller.",
    lesson="It is empty, as a slice outside is: a tensor with 0 elements along the diagonal.",
)
def refuses_outside(input, offset=0, dim1=0, dim2=1):
    result = _diagonal(input, offset, dim1, dim2)
    if result.shape[-1] == 0:
        raise IndexError(f"there is no diagonal {offset}")
    return result


@solutions.wrong(
    "03.diagonal",
    belief="The new dimension stands where the old ones stood: in front.",
    lesson="It comes last. So the diagonals of a batch of tables are the rows of the result.",
)
def diagonal_comes_first(input, offset=0, dim1=0, dim2=1):
    return _diagonal(input, offset, dim1, dim2, first=True)


@solutions.wrong(
    "03.diagonal",
    belief="The first two dimensions are the ones that are meant.",
    lesson="dim1 and dim2 say which are meant. Of a batch of tables they are the last two.",
)
def always_the_first_two(input, offset=0, dim1=0, dim2=1):
    return _diagonal(input, offset, 0, 1)


@solutions.wrong(
    "03.diagonal",
    belief="It does not matter which of the two dimensions is named first.",
    lesson="offset goes along dim2. With the two exchanged, above becomes below.",
)
def sorts_the_dims(input, offset=0, dim1=0, dim2=1):
    first, second = sorted((dim1 % input.dim(), dim2 % input.dim()))
    return _diagonal(input, offset, first, second)


@solutions.wrong(
    "03.diagonal",
    belief="A list has a diagonal, and torch.tensor makes a tensor of it.",
    lesson="That copies every number, and the dtype and the link to the table are lost.",
)
def by_way_of_a_list(input, offset=0, dim1=0, dim2=1):
    return _diagonal(input, offset, dim1, dim2).tolist()


def _assign(part, value):
    """What most of the wrong solutions below get right."""
    if isinstance(value, tl.Tensor):
        part.copy_(value)
    else:
        part.fill_(value)


@solutions.wrong(
    "03.setitem",
    belief="part = input[index] makes part the place, so part = value writes into it.",
    lesson="= gives the name part to something else, and nothing is written. fill_ and copy_ write into the "
    "view, and so into the storage.",
)
def gives_a_new_name(input, index, value):
    part = input[index]
    part = value  # noqa: F841  # this is the mistake


@solutions.wrong(
    "03.setitem",
    belief="A part must be contiguous before something is written into it.",
    lesson="contiguous() returns the part itself where it is contiguous, and a copy where it is not. Then "
    "the write is lost, for columns and steps.",
)
def writes_into_contiguous(input, index, value):
    _assign(input[index].contiguous(), value)


@solutions.wrong(
    "03.setitem",
    belief="The part becomes a row with reshape, and a row is easy to fill.",
    lesson="reshape shares the storage where it can and copies where it cannot. Where it copies, the write "
    "is lost.",
)
def writes_into_a_reshape(input, index, value):
    row = input[index].reshape(-1)
    _assign(row, value.reshape(-1) if isinstance(value, tl.Tensor) else value)


@solutions.wrong(
    "03.setitem",
    belief="A function that changes a tensor hands it back.",
    lesson="PyTorch's fill_ does so. x[i] = v is a statement and has no value: the answer is None.",
)
def hands_it_back(input, index, value):
    _assign(input[index], value)
    return input


@solutions.wrong(
    "03.setitem",
    belief="What is written is a count, a whole number.",
    lesson="The number comes as it is, 9.5 or infinity. The tensor's dtype decides what is kept of it.",
)
def writes_whole_numbers(input, index, value):
    _assign(input[index], value if isinstance(value, tl.Tensor) else int(value))


@solutions.wrong(
    "03.setitem",
    belief="The result is a tensor with the new numbers in it.",
    lesson="Then every other tensor over the storage still shows the old ones. Write into the storage "
    "that is there.",
)
def makes_a_new_tensor(input, index, value):
    result = input.clone()
    _assign(result[index], value)
    return result


@solutions.wrong(
    "03.setitem",
    belief="From where the part begins, its elements lie one after the other.",
    lesson="A column does not, and neither does a row with a step. The part's strides say where its elements "
    "are.",
)
def fills_neighbouring_cells(input, index, value):
    part = input[index]
    count = part.numel()
    room = len(input.storage()) - part.storage_offset()
    run = tl.as_strided(input, (min(count, room),), (1,), part.storage_offset())
    _assign(run, value.flatten()[: run.numel()] if isinstance(value, tl.Tensor) else value)


@solutions.wrong(
    "03.setitem",
    belief="A slice 0:5:2 is the range from 0 to 5.",
    lesson="The step is the third part of a slice. Every second element is meant, and the others must stay.",
)
def overlooks_the_step(input, index, value):
    plain = tuple(slice(i.start, i.stop) if isinstance(i, slice) else i for i in index)
    part = input[plain]
    if isinstance(value, tl.Tensor) and value.shape != part.shape:
        value = value.flatten()[0].item()
    _assign(part, value)


@solutions.wrong(
    "03.setitem",
    belief="The value is a number, and a tensor stands for its first one.",
    lesson="A tensor as the value brings one number for each element of the part.",
)
def first_number_everywhere(input, index, value):
    number = value.flatten()[0].item() if isinstance(value, tl.Tensor) else value
    input[index].fill_(number)


@solutions.wrong(
    "03.setitem",
    belief="The part begins where the tensor begins.",
    lesson="input[index] knows its own offset. A part that is made by hand from its shape and strides "
    "alone begins with the tensor's first element.",
)
def begins_at_the_front(input, index, value):
    part = input[index]
    _assign(tl.as_strided(input, part.shape, part.stride(), input.storage_offset()), value)


@solutions.wrong(
    "03.setitem",
    belief="To write is to add to what is there.",
    lesson="= overwrites. += adds.",
)
def adds_to_what_is_there(input, index, value):
    input[index].add_(value)


@solutions.wrong(
    "03.setitem",
    belief="A tensor can only be filled as a whole.",
    lesson="fill_ fills the tensor it is called on, and a part of a tensor is one.",
)
def fills_everything(input, index, value):
    number = value.flatten()[0].item() if isinstance(value, tl.Tensor) else value
    input.fill_(number)


@solutions.wrong(
    "03.setitem",
    belief="x[1:3, 0] is x[1:3][0].",
    lesson="x[1:3] is a table again, and [0] takes its first row. Between one pair of brackets each part has "
    "its own dimension, so hand them over together: input[index].",
)
def takes_one_part_after_the_other(input, index, value):
    part = input
    for one in index:
        part = part[one]
    _assign(part, value)


@solutions.wrong(
    "03.setitem",
    belief="Each element is read when its turn comes, so go through the places one by one.",
    lesson="In x[1:] = x[:-1] the second element is written before it is read, and the first number ends up "
    "everywhere. copy_ sees that the two overlap, and refuses.",
)
def writes_element_by_element(input, index, value):
    part = input[index]
    for place in itertools.product(*map(range, part.shape)):
        number = value[place].item() if isinstance(value, tl.Tensor) else value
        part[place].fill_(number)


@solutions.wrong(
    "03.setitem",
    belief="A copy of the value makes every overlap harmless.",
    lesson="It does, at the price of memory that nobody asked for. setitem leaves that to its caller: it "
    "refuses, as copy_ does, and the error says that clone() helps.",
)
def clones_the_value(input, index, value):
    _assign(input[index], value.clone() if isinstance(value, tl.Tensor) else value)


@solutions.wrong(
    "03.setitem",
    belief="Times 0 and plus the value: that overwrites whatever is there.",
    lesson="It reads what is there first. inf times 0 is nan, and nan plus 9 stays nan. fill_ and copy_ do "
    "not read.",
)
def clears_by_times_zero(input, index, value):
    part = input[index]
    part *= 0
    part += value
