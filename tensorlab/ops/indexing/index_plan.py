"""Where an index leads: one description for every operation that follows index tensors.

``x[i, :, j]``, ``index_select``, ``gather``, ``take`` and their writing counterparts differ in how an index
is written down. What they do is the same: walk some shape, and at each position go to a cell of a tensor that
index tensors decide. `Places` says which cell. `read` and `combine` go there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tensorlab.backends import Backend, Buffer, IndexLayout, Launch
from tensorlab.core import broadcasting, dtypes, layout, memory_formats
from tensorlab.core.cells import encode_one, to_float32
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.core.warned import warn_caller
from tensorlab.dispatch.copies import write, write_new
from tensorlab.dispatch.guards import guard_write, share_cells
from tensorlab.dispatch.memory import allocate
from tensorlab.dispatch.operands import Number, check_number
from tensorlab.dispatch.primitive import check_out
from tensorlab.dispatch.resizing import resize_output
from tensorlab.ops.arguments import need_tensor
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, make_dense, make_tensor

__all__ = [
    "WHOLE",
    "Places",
    "Route",
    "Term",
    "along_dim",
    "check",
    "check_indices",
    "combine",
    "contiguous_copy",
    "counter",
    "expanded",
    "guard",
    "need_dtype",
    "need_index",
    "one_cell",
    "prepared",
    "raw_cells",
    "raw_type",
    "read",
    "refuse_shared",
    "result_in",
    "slices_at",
    "vector",
]


# The "dimension" of an index that counts all elements of a tensor.
WHOLE = -1

# Moving an element needs to know how wide its cell is, not what it means.
_WIDTHS = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}


class Term(NamedTuple):
    """The layout of one index tensor, and what the index decides.

    Attributes:
        shape: the shape of the index.
        stride: its strides.
        dim: the dimension of the tensor that it indexes, as errors name it.
        size: the size of that dimension.
        step: its stride.
        wraps: whether a negative index counts from the end.
        after: how many dimensions the shape of the walk has after those that the index is broadcast to.
    """

    shape: Size
    stride: tuple[int, ...]
    dim: int
    size: int
    step: int
    wraps: bool
    after: int = 0

    def walk(self, shape: Size, stride: tuple[int, ...]) -> tuple[int, ...]:
        """The strides of the index, or of a copy of it with other strides, over the shape of the walk."""
        sizes, steps = (*self.shape, *(1,) * self.after), (*stride, *(0,) * self.after)
        return broadcasting.broadcast_strides(sizes, steps, shape)


@dataclass(frozen=True, eq=False, slots=True)
class Route:
    """Cells of a tensor, one for each position of a shape, as far as layouts decide.

    The cell of a position is the tensor's offset, plus the position times `strides`, plus for each term the
    index at that position times the term's step. A route is made once for its layouts and then found again,
    so that what is prepared for it can be found by the route itself.
    """

    shape: Size
    strides: tuple[int, ...]
    terms: tuple[Term, ...]


class Places(NamedTuple):
    """A route, and the index tensors of its terms."""

    route: Route
    indices: tuple[Tensor, ...]


KEPT = 4096


def along_dim(input: Tensor, dim: int, index: Tensor) -> Places:
    """The places of ``gather``: position ``(i, j, k)`` leads to ``input[i, index[i, j, k], k]`` for dim 1.

    The index has as many dimensions as `input`; of 0 and 1 either may stand for the other.
    """
    return Places(_along_dim(input._shape, input._stride, dim, index._shape, index._stride), (index,))


@functools.lru_cache(KEPT)
def _along_dim(shape: Size, stride: tuple[int, ...], dim: int, sizes: Size, steps: tuple[int, ...]) -> Route:
    if not shape:
        return Route(sizes, (0,) * len(sizes), (Term(sizes, steps, 0, 1, 0, wraps=False),))
    strides = [0 if d == dim else step for d, step in enumerate(stride)]
    term = Term(sizes, steps, dim, shape[dim], stride[dim], wraps=False)
    return Route(sizes, tuple(strides[: len(sizes)]), (term,))


def slices_at(input: Tensor, dim: int, index: Tensor, wraps: bool = False) -> Places:
    """The places of ``index_select``: the slices along one dimension that a vector of indices names."""
    index = vector(index)
    return Places(_slices_at(input._shape, input._stride, dim, index._shape, index._stride, wraps), (index,))


@functools.lru_cache(KEPT)
def _slices_at(
    shape: Size, stride: tuple[int, ...], dim: int, length: Size, step: tuple[int, ...], wraps: bool
) -> Route:
    sizes, strides = list(shape) or [1], list(stride) or [0]
    term = Term(length, step, dim, sizes[dim], strides[dim], wraps, after=len(sizes) - dim - 1)
    sizes[dim], strides[dim] = length[0], 0
    return Route(Size(sizes), tuple(strides), (term,))


def vector(tensor: Tensor) -> Tensor:
    """A tensor of 0 dimensions as one of 1 dimension; any other as it is."""
    if tensor.ndim:
        return tensor
    return make_tensor(tensor._storage, tensor._dtype, Size((1,)), (1,), tensor._offset)


def expanded(tensor: Tensor, shape: Size) -> Tensor:
    """A view of a tensor in a shape that it can be broadcast to."""
    strides = broadcasting.broadcast_strides(tensor._shape, tensor._stride, shape)
    return make_tensor(tensor._storage, tensor._dtype, shape, strides, tensor._offset)


def check(places: Places, error: type[Exception] = IndexError) -> None:
    """Refuse an index outside its dimension, before anything is read or written.

    Raises:
        error: an index is too large, or negative where it must not be; the message names the first one.
    """
    if 0 not in places.route.shape:
        check_indices(places, error)


def check_indices(places: Places, error: type[Exception]) -> None:
    """What `check` does, also where the places have no elements to be read or written."""
    for term, index in zip(places.route.terms, places.indices, strict=True):
        if counter(index._storage.backend, term)(index._buffer()):
            low = -term.size if term.wraps else 0
            cells = index._cells_array()
            first = np.argwhere((cells < low) | (cells >= term.size))[0]
            at = f" at {tuple(map(int, first))} of the index" if index.ndim else ""
            allowed = f"use {low} … {term.size - 1}" if term.size else "it has no elements"
            what = (
                f"a tensor of {term.size} elements"
                if term.dim == WHOLE
                else f"dimension {term.dim} with size {term.size}"
            )
            raise error(f"index {cells[tuple(first)]} is out of bounds for {what}{at}: {allowed}")


def counter(backend: Backend, term: Term) -> Callable[[Buffer], int]:
    """What counts how many numbers of an index lie outside of the dimension that it indexes."""
    low = -term.size if term.wraps else 0
    return backend.outside(term.shape, term.stride, low, term.size)


def read(input: Tensor, places: Places, out: Tensor) -> Tensor:
    """Copy the elements at checked places into `out`, which has the places' shape and `input`'s dtype.

    That `out` is written is for the caller to count, where it is not new.
    """
    route, indices = places
    if 0 not in route.shape:
        strides = [index._stride for index in indices]
        launch = prepared(out._storage.backend, "gather", route, out._stride, route.strides, *strides)
        launch(raw_cells(out), raw_cells(input), *[index._buffer() for index in indices])
    return out


def combine(
    target: Tensor, places: Places, values: Tensor | Number, action: str = "replace", lenient: str = ""
) -> Tensor:
    """Combine values into the elements of `target` at checked places.

    Args:
        target: the tensor to write.
        places: where.
        values: a number, or a tensor of `target`'s dtype that can be expanded to the places' shape.
        action: ``"replace"``, ``"add"``, ``"mul"``, ``"max"`` or ``"min"``. Where several positions lead to
            one cell they act in the order of `_writing_order`.
        lenient: see `guard`.

    Raises:
        RuntimeError: the write is refused (see `guard`), or a number does not fit.
    """
    if not isinstance(values, Tensor):
        values = one_cell(values, target.dtype)
    values, *indices = guard(target, values, *places.indices, lenient=lenient)
    route = places.route
    if 0 in route.shape:
        target._storage._version += 1  # a write of no elements is a write
        return target
    if target.dtype in (dtypes.float16, dtypes.bfloat16) and action != "replace":
        # Sixteen-bit floats compute in float32 and round once, at the end.
        single = allocate(values.shape, dtypes.float32)
        write(single, values)
        write(target, combine(_widened(target), places, single, action))
        return target
    strides = values._stride
    if values._shape != route.shape:
        strides = broadcasting.broadcast_strides(values._shape, strides, route.shape)
    steps = [index._stride for index in indices]
    launch = prepared(target._storage.backend, action, route, route.strides, strides, *steps)
    cells = raw_cells if action == "replace" else Tensor._buffer
    target._storage._version += 1  # before the first cell changes, so that an interruption shows
    launch(cells(target), cells(values), *[index._buffer() for index in indices])
    return target


def guard(target: Tensor, *others: Tensor, lenient: str = "") -> list[Tensor]:
    """Refuse a write that would not mean what it says, and make the others safe to read meanwhile.

    Args:
        target: the tensor to write.
        others: the tensors that are read: values, indices, masks.
        lenient: the name of an operation that may write into an expanded tensor, with a warning.

    Returns:
        the others, copied where they might lie among `target`'s cells without being dense.

    Raises:
        RuntimeError: `target` is read-only, or its elements share cells; or it shares cells with another.
    """
    expanded = 0 in target._stride and any(
        size > 1 and stride == 0 for size, stride in zip(target._shape, target._stride, strict=True)
    )
    if lenient and expanded and not target._storage.readonly:
        warn_caller(
            f"Use of {lenient} on expanded tensors is deprecated: several elements lie in one cell and "
            f"change together. Please clone() the tensor before performing this operation. This also "
            f"applies to advanced indexing, e.g. tensor[indices] = value",
            UserWarning,
        )
    else:
        guard_write(target)
    return [_apart(target, other) for other in others]


def refuse_shared(target: Tensor, *others: Tensor | Number) -> None:
    """Refuse values and indices that are the written tensor itself, or lie among its cells without gaps.

    Raises:
        RuntimeError: one does. The tensor itself is refused even if it has no elements.
    """
    for other in others:
        if isinstance(other, Tensor) and (
            other is target
            or (
                share_cells(target, other)
                and all(
                    memory_formats.is_non_overlapping_and_dense(t._shape, t._stride) for t in (target, other)
                )
            )
        ):
            raise RuntimeError(
                "unsupported operation: some elements of the input tensor and the written-to tensor refer to "
                "a single memory location. Please clone() the tensor before performing the operation."
            )


def _apart(target: Tensor, other: Tensor) -> Tensor:
    if not share_cells(target, other):
        return other
    refuse_shared(target, other)
    copy = allocate(other.shape, other.dtype)
    write(copy, other)
    return copy


def one_cell(value: Number, element_type: dtype) -> Tensor:
    """A tensor of 0 dimensions that holds one number."""
    if isinstance(value, float):
        check_number(value, element_type)
    cell = encode_one(value, element_type)
    return make_dense(np.array([cell], element_type.cell), element_type, Size(), ())


def raw_cells(tensor: Tensor) -> tuple[np.ndarray, int]:
    """A tensor's buffer for operations that move cells: unsigned integers of the cells' width."""
    return tensor._storage.cells(_WIDTHS[tensor._dtype.itemsize]), tensor._offset


def raw_type(element_type: dtype) -> np.dtype:
    """The unsigned integer that stands for a cell of this dtype where cells are only moved."""
    return _WIDTHS[element_type.itemsize]


def _widened(tensor: Tensor) -> Tensor:
    """A tensor of the same shape and strides over a float32 copy of the cells that `tensor` reaches."""
    cells, offset = tensor._buffer()
    reached = layout.address_range(tensor.shape, tensor.stride(), offset)
    assert reached is not None
    wide = to_float32(cells[reached[0] : reached[1] + 1], tensor.dtype)
    return make_tensor(UntypedStorage(wide), dtypes.float32, tensor.shape, tensor.stride(), 0)


@functools.lru_cache(KEPT)
def prepared(
    backend: Backend,
    action: str,
    route: Route,
    target: tuple[int, ...],
    other: tuple[int, ...],
    *indices: tuple[int, ...],
) -> Launch:
    """The launch for a route, and the strides of the target, the other operand, and each index."""
    walks = [term.walk(route.shape, stride) for term, stride in zip(route.terms, indices, strict=True)]
    order: Sequence[int] = range(len(route.shape))
    if (
        action != "gather"
        and sum(n > 1 and not step for n, step in zip(route.shape, target, strict=True)) > 1
    ):
        order = _writing_order(route.shape, [target, other, *walks])

    def turned(strides: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(strides[dim] for dim in order)

    layouts = tuple(
        IndexLayout(turned(walk), term.size, term.step) for walk, term in zip(walks, route.terms, strict=True)
    )
    return backend.indexed(action, turned(route.shape), turned(target), turned(other), layouts)


def _writing_order(shape: Size, operands: list[tuple[int, ...]]) -> Sequence[int]:
    """The dimensions from the outermost to the innermost, as PyTorch walks them when it writes.

    Where several positions lead to one cell, the order decides which value stays. It is row-major for
    operands that are, and follows their memory otherwise.
    """
    dense = memory_formats.elementwise_strides(shape, operands, broadcast=True)
    return sorted(range(len(shape)), key=lambda dim: dense[dim], reverse=True)


# --- arguments, and the copies that are written -------------------------------------------------------


def need_index(function: str, index: object, *allowed: dtype, error: type[Exception] = RuntimeError) -> None:
    """Refuse an index that is no tensor, or not of an allowed dtype (int64 and int32 by default).

    Raises:
        TypeError: it is no tensor.
        error: it has another dtype.
    """
    need_tensor(function, index, "index")
    assert isinstance(index, Tensor)
    allowed = allowed or (dtypes.int64, dtypes.int32)
    if index.dtype not in allowed:
        names = " or ".join(t.name for t in reversed(allowed))
        raise error(
            f"{function}(): Expected dtype {names} for index, got {index.dtype.name}: convert it with "
            f".to(tensorlab.int64)"
        )


def need_dtype(function: str, input: Tensor, name: str, value: Tensor) -> None:
    """Refuse a tensor of values that has not `input`'s dtype.

    Raises:
        RuntimeError: it has another.
    """
    if value.dtype is not input.dtype:
        raise RuntimeError(
            f"{function}(): self ({input.dtype.name}) and {name} ({value.dtype.name}) must have the same "
            f"scalar type: convert with {name}.to(tensorlab.{input.dtype.name})"
        )


def result_in(
    function: str, out: Tensor | None, shape: Size, element_type: dtype, *sources: Tensor
) -> tuple[Tensor, list[Tensor]]:
    """The tensor to write a result into, and the sources, safe to be read meanwhile.

    Args:
        function: the caller's name, for errors.
        out: what the user gave, which takes the shape; without it a new tensor is made.
        shape, element_type: the result's.
        sources: the tensors that are read.

    Raises:
        RuntimeError: `out` has another dtype, is read-only, or shares memory with a source; or gradients
            could not follow it.
    """
    if out is None:
        return allocate(shape, element_type), list(sources)
    need_tensor(function, out, "out")
    check_out(function, out, *sources)
    if out.dtype is not element_type:
        raise RuntimeError(
            f"{function}(): Expected out tensor to have dtype {element_type.name}, but got {out.dtype.name} "
            f"instead"
        )
    if out.shape != shape:
        guard_write(out, *sources)
        resize_output(out, shape)
    safe = guard(out, *sources)
    out._storage._version += 1
    return out, safe


def contiguous_copy(function: str, input: Tensor, out: Tensor | None, *values: object) -> Tensor:
    """A dense row-major copy; or `out`, overwritten with `input`.

    Args:
        function: the caller's name, for errors.
        input: what is copied.
        out: what the user gave.
        values: what will be written into the copy.

    Raises:
        RuntimeError: `out` does not fit (see `result_in`), or gradients could not follow it.
    """
    if out is not None:
        check_out(function, out, input, *values)
    if out is input:
        return input
    copy, (source,) = result_in(function, out, input.shape, input.dtype, input)
    write_new(copy, source)  # in `out` it is counted already
    return copy
