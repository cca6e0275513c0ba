"""The short ways of writes at index tensors, for layouts that they have met before.

The first call with some layouts goes the long way, which checks every argument and leaves a `Way`; the next
ones ask what dtypes and layouts cannot say: whether the memory may be written, whether anything is to be
recorded, whether tensors share memory, and whether the numbers of the index are inside. Where one answer is
not the usual one, the call goes the long way again, which says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlab.autograd.views import requires_grad
from tensorlab.backends import Launch
from tensorlab.dtypes import bfloat16, dtype, float16, float32, float64
from tensorlab.modes import current
from tensorlab.ops.dispatch import SMALL
from tensorlab.ops.indexing.places import (
    Places,
    buffers_inside,
    counter,
    one_cell,
    prepared,
    raw_cells,
    raw_type,
)
from tensorlab.ops.operands import Number
from tensorlab.ops.plans import remember
from tensorlab.storage import UNTRACKED
from tensorlab.tensor import Tensor, dense_cells, make_dense

__all__ = ["learn_write", "row_major_copy", "write_again"]


class Way(NamedTuple):
    """How values are written.

    Attributes:
        counters: for each index what counts the numbers outside.
        launch: called with the cells of the target, of the values and of each index.
        moves: whether cells are only moved, whatever they mean.
        writer: what is noted on the storage.
    """

    counters: Sequence[Callable[[Any], int]]
    launch: Launch
    moves: bool
    writer: object


# A float below this in size fits into float32.
_FITS = 3.4e38

_ways: dict[tuple, Way] = {}


def _key(
    name: str, input: Tensor, dims: object, indices: Sequence[Tensor], values: Tensor | Number
) -> tuple | None:
    """What a way depends on; None where an argument is nothing that has one."""
    if type(input) is not Tensor or (type(dims) is not int and type(dims) is not tuple):  # True is no 1
        return None
    memory = input._storage._memory
    key: list[object] = [name, dims, input._dtype, input._shape, input._stride]
    if type(values) is Tensor:
        if values._storage._memory is memory or (current.grad and requires_grad(values)):
            return None
        key += values._dtype, values._shape, values._stride
    elif type(values) is float or type(values) is int:
        key.append(None)
    else:
        return None
    for index in indices:
        if type(index) is not Tensor or index._storage._memory is memory:
            return None
        key += index._dtype, index._shape, index._stride
    return tuple(key)


def write_again(
    name: str, input: Tensor, dims: object, indices: Sequence[Tensor], values: Tensor | Number
) -> bool:
    """Write where index tensors say; False, and nothing is written, if that is no short way.

    Args:
        name: the operation.
        input: the tensor to write.
        dims: the dimensions that the indices choose along, as the caller was given them.
        indices: the index tensors.
        values: a tensor or a number.

    Raises:
        RuntimeError: the number does not fit into the dtype.
    """
    key = _key(name, input, dims, indices, values)
    way = None if key is None else _ways.get(key)
    if way is None:
        return False
    storage = input._storage
    if storage.readonly or storage._version is UNTRACKED or (current.grad and requires_grad(input)):
        return False
    counters, launch, moves, writer = way
    buffers = buffers_inside(indices, counters)
    if buffers is None:
        return False
    cells = raw_cells if moves else Tensor._buffer
    given = cells(input), cells(values) if isinstance(values, Tensor) else _cell(values, input._dtype, moves)
    storage._version += 1  # before the first cell changes, so that an interruption shows
    storage._writer = writer
    launch(*given, *buffers)
    return True


def _cell(value: Number, element_type: dtype, moves: bool) -> tuple[np.ndarray, int]:
    """A number as the buffer of a tensor of 0 dimensions."""
    if type(value) is float and -_FITS < value < _FITS and element_type in (float32, float64):
        cell = np.array((value,), element_type.cell)
        return (cell.view(raw_type(element_type)) if moves else cell), 0
    one = one_cell(value, element_type)
    return raw_cells(one) if moves else one._buffer()


def row_major_copy(input: Tensor, *others: object) -> Tensor | None:
    """A copy of a short row-major tensor to write into; None for others, and where something is recorded."""
    if type(input) is not Tensor:
        return None
    cells = input._dense if input._dense is not None else dense_cells(input)
    if cells is False or not 0 < cells.size <= SMALL:
        return None
    if current.grad:
        for tensor in (input, *others):
            if isinstance(tensor, Tensor) and requires_grad(tensor):
                return None
    return make_dense(cells.copy(), input._dtype, input._shape, input._stride)


def learn_write(
    name: str,
    input: Tensor,
    dims: object,
    places: Places,
    values: Tensor | Number,
    strides: tuple[int, ...],
    writer: object,
    action: str = "replace",
) -> None:
    """Keep the way of a write that was done the long way.

    Args:
        name, input, dims, values: as `write_again` was called.
        places: where; their indices are those that it was called with.
        strides: of the values, expanded to the places' shape.
        writer: what is noted on the storage.
        action: as `combine` takes it.
    """
    route, indices = places
    if 0 in route.shape or 0 in input._stride:  # nothing to write; or what is refused, or warned of
        return
    if action != "replace" and input._dtype in (float16, bfloat16):
        return
    key = _key(name, input, dims, indices, values)
    if key is not None:
        launch = prepared(action, route, route.strides, strides, *[index._stride for index in indices])
        counters = [counter(term) for term in route.terms]
        remember(_ways, key, Way(counters, launch, action == "replace", writer))
