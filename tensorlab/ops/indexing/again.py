"""The short ways of `gather`, `index_select` and `scatter_add`, for layouts that they have met before.

What an index tensor means follows from layouts and dtypes, but for the numbers in it. So the first call with
some layouts goes the long way, which checks every argument, and leaves a `Way`; the next ones look at the
numbers and move elements. A number that is outside sends a call back to the long way, which says what is
wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from tensorlab import layout
from tensorlab.autograd.views import requires_grad
from tensorlab.backends import Launch, backend
from tensorlab.dtypes import bfloat16, float16
from tensorlab.layout import Size
from tensorlab.ops.dispatch import allocate, allocate_strided
from tensorlab.ops.indexing.places import (
    Places,
    Route,
    buffers_inside,
    check,
    counter,
    prepared,
    raw_cells,
    raw_type,
)
from tensorlab.ops.plans import remember
from tensorlab.tensor import Tensor, dense_cells, make_dense

__all__ = ["add_again", "add_new", "chosen_again", "learn_chosen", "read_again", "read_new"]


Move = Callable[..., int]


class Way(NamedTuple):
    """How elements are moved, and the row-major result.

    `move` returns how many indices lie outside; if any do, what it has written means nothing. It is called
    with the result's cells and the operands.
    """

    move: Move
    shape: Size
    stride: tuple[int, ...]
    cells: int


_ways: dict[tuple, Way] = {}


def _key(name: str, input: Tensor, dim: int, index: Tensor) -> tuple:
    return (
        name,
        dim,
        input._dtype,
        input._shape,
        input._stride,
        index._dtype,
        index._shape,
        index._stride,
    )


def read_again(name: str, input: Tensor, dim: int, index: Tensor) -> Tensor | None:
    """What an operation reads; None if it has not read from such layouts before, or must be recorded."""
    if type(dim) is not int or not type(input) is type(index) is Tensor or requires_grad(input):
        return None
    way = _ways.get(_key(name, input, dim, index))
    if way is None:
        return None
    result = make_dense(np.empty(way.cells, input._dtype.cell), input._dtype, way.shape, way.stride)
    return None if way.move(dense_cells(result), input, index) else result


def read_new(
    name: str, input: Tensor, dim: int, places: Places, shape: Size, error: type[Exception]
) -> Tensor:
    """A new tensor of what places lead to; `read_again` will find the way.

    Args:
        name: the operation.
        input: the tensor to read.
        dim: the dimension, as the caller was given it.
        places: where.
        shape: the result's: that of the places, but for a tensor without dimensions.
        error: what is raised where an index is outside.
    """
    route, (index,) = places
    if 0 in route.shape:
        return allocate(shape, input._dtype)
    move = _reading(input, route, index, shape)
    way = remember(_ways, _key(name, input, dim, index), _way(move, shape))
    memory = np.empty(way.cells, input._dtype.cell)
    if way.move(memory, input, index):
        check(places, error)
    return make_dense(memory, input._dtype, shape, way.stride)


def _reading(input: Tensor, route: Route, index: Tensor, shape: Size) -> Move:
    if _are_runs(input, index):
        take = backend("cpu").take_run

        def move_run(memory: np.ndarray, input: Tensor, index: Tensor) -> int:
            return take(memory, dense_cells(input), dense_cells(index))  # type: ignore[arg-type]

        return move_run
    outside = counter(route.terms[0])
    # Slices of a tensor without dimensions are walked as those of a vector.
    stride = layout.default_strides(shape) if len(shape) == len(route.shape) else (1,)
    launch = prepared("gather", route, stride, route.strides, index._stride)
    raw = raw_type(input._dtype)

    def move(memory: np.ndarray, input: Tensor, index: Tensor) -> int:
        positions = index._buffer()
        found = outside(positions)
        if not found:
            launch((memory.view(raw), 0), raw_cells(input), positions)
        return found

    return move


def chosen_again(input: Tensor, dims: tuple[int, ...], indices: Sequence[Tensor]) -> Tensor | None:
    """What index tensors choose; None if such layouts have not come before, or an index is outside."""
    known = _choices.get(_chosen_key(input, dims, indices))
    if known is None:
        return None
    counters, launch, shape, stride = known
    buffers = buffers_inside(indices, counters)
    if buffers is None:
        return None
    result = allocate_strided(shape, stride, input._dtype)
    launch(raw_cells(result), raw_cells(input), *buffers)
    return result


def learn_chosen(input: Tensor, dims: tuple[int, ...], places: Places, stride: tuple[int, ...]) -> None:
    """Keep the way to what index tensors chose, where these are the indices of the places.

    Args:
        input, dims: as `chosen_again` was called.
        places: where the elements were read.
        stride: the result's.
    """
    route, indices = places
    if 0 not in route.shape:
        launch = prepared("gather", route, stride, route.strides, *[index._stride for index in indices])
        counters = tuple([counter(term) for term in route.terms])
        key = _chosen_key(input, dims, indices)
        remember(_choices, key, Choice(counters, launch, route.shape, stride))


class Choice(NamedTuple):
    """How what index tensors choose is read: what counts the numbers outside, the launch, and the result."""

    counters: tuple[Callable[..., int], ...]
    launch: Launch
    shape: Size
    stride: tuple[int, ...]


_choices: dict[tuple, Choice] = {}


def _chosen_key(input: Tensor, dims: tuple[int, ...], indices: Sequence[Tensor]) -> tuple:
    key: list[object] = [dims, input._dtype, input._shape, input._stride]
    for index in indices:
        key += index._dtype, index._shape, index._stride
    return tuple(key)


def add_again(name: str, input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor | None:
    """A copy of `input` with elements of `src` added; None if `read_again` would be."""
    if type(dim) is not int or not type(input) is type(index) is type(src) is Tensor:
        return None
    if requires_grad(input) or requires_grad(src):
        return None
    way = _ways.get((*_key(name, input, dim, index), src._dtype, src._shape, src._stride))
    if way is None:
        return None
    memory = dense_cells(input).copy()  # type: ignore[union-attr]
    if way.move(memory, index, src):
        return None
    return make_dense(memory, input._dtype, way.shape, way.stride)


def add_new(name: str, input: Tensor, dim: int, places: Places, src: Tensor) -> Tensor | None:
    """A copy of a row-major tensor with elements added at checked places; None where there is no short way.

    Args:
        name, dim, places: as for `read_new`.
        input: the tensor to copy.
        src: the elements, those that the index covers first along each dimension.
    """
    route, (index,) = places
    cells = dense_cells(input)
    if cells is False or input._dtype in (float16, bfloat16) or not index.numel():
        return None
    move = _adding(input, route, index, src)
    key = (*_key(name, input, dim, index), src._dtype, src._shape, src._stride)
    way = remember(_ways, key, _way(move, input._shape))
    memory = cells.copy()
    way.move(memory, index, src)
    return make_dense(memory, input._dtype, way.shape, way.stride)


def _adding(input: Tensor, route: Route, index: Tensor, src: Tensor) -> Move:
    if _are_runs(input, index) and _are_runs(src, index) and src._shape == index._shape:
        add = backend("cpu").add_run

        def move_run(memory: np.ndarray, index: Tensor, src: Tensor) -> int:
            return add(memory, dense_cells(index), dense_cells(src))  # type: ignore[arg-type]

        return move_run
    outside = counter(route.terms[0])
    launch = prepared("add", route, route.strides, (src._stride or (1,))[: index.ndim], index._stride)

    def move(memory: np.ndarray, index: Tensor, src: Tensor) -> int:
        positions = index._buffer()
        found = outside(positions)
        if not found:
            launch((memory, 0), src._buffer(), positions)
        return found

    return move


def _are_runs(input: Tensor, index: Tensor) -> bool:
    """Whether the index chooses along the one dimension of a run of cells, and is one itself."""
    return (
        input.ndim == index.ndim == 1 and dense_cells(input) is not False and dense_cells(index) is not False
    )


def _way(move: Move, shape: Size) -> Way:
    return Way(move, shape, layout.default_strides(shape), layout.numel(shape))
