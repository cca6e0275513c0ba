"""An index for a whole slice, or for elements counted through as if the tensor had one dimension.

`index_select` reads slices along one dimension, and its relatives write them; `take` and `put_` count.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tensorlab.autograd.recording import in_place, record
from tensorlab.autograd.views import check_in_place
from tensorlab.core import dtypes, layout
from tensorlab.core.layout import Refusal, Size
from tensorlab.dispatch.memory import as_new, counted, next_version
from tensorlab.dispatch.operands import Number, check_number, is_number, number_from
from tensorlab.ops import aliases, conversion, pointwise, shape
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.indexing.gradients import (
    IndexAddBackward0,
    IndexCopyBackward0,
    IndexFillBackward0,
    IndexFillBackward1,
    IndexSelectBackward0,
    PutBackward0,
    TakeBackward0,
)
from tensorlab.ops.indexing.index_plan import (
    KEPT,
    WHOLE,
    Places,
    Route,
    Term,
    check,
    check_indices,
    combine,
    contiguous_copy,
    need_dtype,
    need_index,
    read,
    result_in,
    slices_at,
    vector,
)
from tensorlab.ops.interop import from_numpy
from tensorlab.ops.shape import reshape
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op("function method", names="keeps")
def index_select(input: Tensor, dim: int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The slices along one dimension that a vector names, in its order, as a copy.

    Args:
        input: the tensor to read.
        dim: the dimension.
        index: a vector of int64 or int32, each 0 or more.
        out: a tensor of the result's shape to write into.

    Returns:
        a tensor of `input`'s shape with the length of `index` at `dim`; or `out`.

    Raises:
        IndexError: there is no such dimension or slice, or the index is no vector.
        RuntimeError: the index has another dtype; or there is no such slice along dimension 1, or in a tensor
            without elements, as in PyTorch.

    Example:
        >>> import tensorlab as tl
        >>> table = tl.arange(8).view(4, 2)
        >>> table.index_select(0, tl.tensor([3, 0, 3]))
        tensor([[6, 7],
                [0, 1],
                [6, 7]])
    """
    need_tensor("index_select", input)
    need_index("index_select", index)
    dim = layout.wrap_dim(layout.as_int(dim, "dim"), input.ndim)
    _need_vector("index_select", index)
    if not input.ndim and index.numel() != 1:
        raise RuntimeError(
            f"index_select(): Index to scalar can have only 1 value, got {index.numel()} value(s)"
        )
    places = slices_at(input, dim, index)
    shape = places.route.shape if input.ndim else Size()
    # As in PyTorch, which reads along dimension 1, and what has no elements, by other code than the rest.
    error = RuntimeError if dim == 1 or (input.ndim > 1 and not input.numel()) else IndexError
    if 0 in shape:
        check_indices(places, error)
    check(places, error)
    result, (source, index) = result_in("index_select", out, shape, input.dtype, input, index)
    read(source, slices_at(source, dim, index), vector(result))
    return record(IndexSelectBackward0, result, input, sizes=input._shape, dim=dim, index=index)


@op("function method", names="keeps")
def index_add(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    *,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """A copy of `input` with slices added where a vector says; see `index_add_`.

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros(3).index_add(0, tl.tensor([0, 2, 0]), tl.tensor([1.0, 2.0, 3.0]))
        tensor([4., 0., 2.])
    """
    values = _added(input, dim, index, source, alpha)
    version, copy = next_version(out), contiguous_copy("index_add", input, out, values)
    result = counted(_combine(copy, dim, index, values, "add"), version)
    return record(IndexAddBackward0, result, input, values, dim=dim, index=index)


@op("method")
def index_add_(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
    """Slices added where a vector says: ``input[index[i]] += alpha * source[i]`` for dim 0.

    A slice that is named several times gets every sum, in the order of the index, whatever the number of
    threads.

    Args:
        input: the tensor to write into.
        dim: the dimension along which the index chooses.
        index: a vector of int64 or int32, each 0 or more, as long as `source` is at `dim`.
        source: a tensor of `input`'s dtype, and apart from `dim` of its shape.
        alpha: what the source is multiplied by.

    Raises:
        IndexError: there is no such dimension, or the index is no vector.
        RuntimeError: the index names a slice that does not exist (of a vector: IndexError), a shape or dtype
            does not fit, or the write is refused. Nothing is written then.

    Example:
        >>> import tensorlab as tl
        >>> gradient = tl.zeros(3, 2)
        >>> gradient.index_add_(0, tl.tensor([2, 0, 2]), tl.tensor([[1.0, 2], [3, 4], [5, 6]]))
        tensor([[3., 4.],
                [0., 0.],
                [6., 8.]])
    """
    check_in_place(input)
    values = _added(input, dim, index, source, alpha)
    with in_place(IndexAddBackward0, input, values, dim=dim, index=index):
        _combine(input, dim, index, values, "add")
    return input


@op("function method", names="keeps")
def index_copy(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, out: Tensor | None = None
) -> Tensor:
    """A copy of `input` with slices overwritten where a vector says; see `index_copy_`.

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros(3).index_copy(0, tl.tensor([2, 0]), tl.tensor([1.0, 2.0]))
        tensor([2., 0., 1.])
    """
    values = _copied(input, dim, index, source)
    version, copy = next_version(out), contiguous_copy("index_copy", input, out, values)
    result = counted(_combine(copy, dim, index, values, "replace"), version)
    return record(IndexCopyBackward0, result, input, values, dim=dim, index=index)


@op("method")
def index_copy_(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Slices overwritten where a vector says: ``input[index[i]] = source[i]`` for dim 0.

    Where the index names a slice several times the last one stays. The index is int64; the other arguments
    are those of `index_add_`.

    Raises:
        IndexError: the index names a slice that does not exist, is no vector, or does not go with `source`.
        RuntimeError: a shape or dtype does not fit, or the write is refused.

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros(2, 3).index_copy_(1, tl.tensor([2, 0]), tl.tensor([[1.0, 2], [3, 4]]))
        tensor([[2., 0., 1.],
                [4., 0., 3.]])
    """
    check_in_place(input)
    values = _copied(input, dim, index, source)
    with in_place(IndexCopyBackward0, input, values, dim=dim, index=index):
        _combine(input, dim, index, values, "replace")
    return input


@op("function method", names="keeps")
def index_fill(input: Tensor, dim: int, index: Tensor, value: Tensor | Number) -> Tensor:
    """A copy of `input` with slices filled where a vector says; see `index_fill_`.

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros(2, 3).index_fill(1, tl.tensor([0, 2]), 7)
        tensor([[7., 0., 7.],
                [7., 0., 7.]])
    """
    number = _filled(input, dim, index, value)
    result = _combine(conversion.clone(aliases.detach(input)), dim, index, number, "replace", wraps=True)
    return record(_fill_node(value), as_new(result), input, value, dim=dim, index=index)


@op("method")
def index_fill_(input: Tensor, dim: int, index: Tensor, value: Tensor | Number) -> Tensor:
    """Slices filled with one number where a vector says: ``input[index[i]] = value`` for dim 0.

    Args:
        input: the tensor to write into.
        dim: the dimension along which the index chooses.
        index: a vector of int64; a negative one counts from the end.
        value: a number, or a tensor of 0 dimensions.

    Raises:
        IndexError: the index names a slice that does not exist, or has another dtype.
        RuntimeError: the index is no vector, the value has dimensions or does not fit into the dtype, or the
            write is refused.

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros(2, 3).index_fill_(1, tl.tensor([0, -1]), 7)
        tensor([[7., 0., 7.],
                [7., 0., 7.]])
    """
    check_in_place(input)
    number = _filled(input, dim, index, value)
    with in_place(_fill_node(value), input, value, dim=dim, index=index):
        _combine(input, dim, index, number, "replace", wraps=True, lenient="index_fill_")
    return input


def _fill_node(value: Tensor | Number) -> Any:
    return IndexFillBackward1 if isinstance(value, Tensor) else IndexFillBackward0


def _need_vector(function: str, index: Tensor, error: type[Exception] = IndexError) -> None:
    if index.ndim > 1:
        raise error(
            f"{function}(): Index is supposed to be a vector, but got shape {list(index.shape)}: an index "
            f"for every element is for gather and scatter"
        )


def _added(input: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Number) -> Tensor:
    """What `index_add` adds, once its arguments are known to be good."""
    need_tensor("index_add", input)
    need_tensor("index_add", source, "source")
    need_index("index_add", index)
    alpha = number_from(alpha)
    if not is_number(alpha):
        raise TypeError(f"index_add(): argument 'alpha' must be a number, not {type(alpha).__name__}")
    dim = layout.wrap_dim(layout.as_int(dim, "dim"), input.ndim)
    _need_vector("index_add", index)
    need_dtype("index_add", input, "source", source)
    length = source.shape[dim] if dim < source.ndim else 1
    if index.numel() != length:
        error = RuntimeError if source.ndim else IndexError
        raise error(
            f"index_add(): Number of indices ({index.numel()}) should be equal to source.size(dim): "
            f"({length}), for dim: {dim}"
        )
    rest = [(*t.shape[:dim], *t.shape[dim + 1 :]) for t in (input, source)]
    if input.ndim != source.ndim or rest[0] != rest[1]:
        raise RuntimeError(
            f"source tensor shape must match self tensor shape, excluding the specified dimension. Got "
            f"self.shape = {list(input.shape)} source.shape = {list(source.shape)}"
        )
    check(slices_at(input, dim, index), RuntimeError if input.ndim > 1 else IndexError)
    if not input.dtype.is_floating_point:
        alpha = bool(alpha) if input.dtype is dtypes.bool else int(alpha)
    if input.dtype is not dtypes.bool:
        check_number(alpha, input.dtype)
    return source if alpha == 1 else pointwise.mul(source, alpha)


def _copied(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """What `index_copy` copies, once its arguments are known to be good."""
    need_tensor("index_copy", input)
    need_tensor("index_copy", source, "source")
    need_tensor("index_copy", index, "index")
    dim = layout.wrap_dim(layout.as_int(dim, "dim"), input.ndim)
    _need_vector("index_copy", index)
    if not source.ndim and index.numel() != 1:
        raise IndexError(
            f"index_copy(): When source is scalar, index should have one element (got {index.numel()})"
        )
    if source.ndim and input.ndim and source.ndim != input.ndim:
        raise IndexError(
            f"index_copy(): When source and destination are not scalars, their dimensionality must match. "
            f"Source dimensionality ({source.ndim}), destination dimensionality ({input.ndim})"
        )
    need_index("index_copy", index, dtypes.int64)
    need_dtype("index_copy", input, "source", source)
    rest = [[*t.shape[:dim], *t.shape[dim + 1 :]] for t in (input, source)]
    if rest[0] != rest[1]:
        raise RuntimeError(
            f"index_copy(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{rest[0]} and source slice shape: {rest[1]}, apart from dimension {dim}"
        )
    if source.ndim and source.shape[dim] != index.numel():
        raise IndexError(
            f"index_copy(): Number of indices ({index.numel()}) should be equal to source.size(dim) "
            f"({source.shape[dim]})"
        )
    check(slices_at(input, dim, index))
    return reshape(source, ()) if source.ndim > input.ndim else source


def _filled(input: Tensor, dim: int, index: Tensor, value: Tensor | Number) -> Number:
    """What `index_fill` writes, once its arguments are known to be good."""
    need_tensor("index_fill", input)
    need_index("index_fill", index, dtypes.int64, error=IndexError)
    dim = layout.wrap_dim(layout.as_int(dim, "dim"), input.ndim)
    _need_vector("index_fill", index, RuntimeError)
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(
                f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} "
                f"dimension(s): index_copy takes one value for each element"
            )
        value = value.item()
    elif not is_number(value):
        raise TypeError(f"index_fill(): argument 'value' must be a number, not {type(value).__name__}")
    check(slices_at(input, dim, index, wraps=True))
    return value


def _combine(
    target: Tensor,
    dim: int,
    index: Tensor,
    values: Tensor | Number,
    action: str,
    wraps: bool = False,
    lenient: str = "",
) -> Tensor:
    dim = layout.wrap_dim(dim, target.ndim)
    places = slices_at(target, dim, index, wraps)
    combine(target, places, values, action, lenient)
    return target


# --- elements counted through -------------------------------------------------------------------------


@op("function method")
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements that an index names, counted in row-major order, whatever `input`'s shape.

    Args:
        input: the tensor to read.
        index: int64, of any shape; a negative one counts from the end.
        out: a tensor of `index`'s shape to write into.

    Returns:
        a new tensor of `index`'s shape; or `out`.

    Raises:
        IndexError: the index names an element that does not exist.
        RuntimeError: the index has another dtype.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([[4, 3, 5], [6, 7, 8]]).take(tl.tensor([0, 2, -1]))
        tensor([4, 5, 8])
    """
    need_tensor("take", input)
    need_index("take", index, dtypes.int64)
    _check(input, index)
    result, (source, index) = result_in("take", out, index.shape, input.dtype, input, index)
    read(source, _places(source, index), result)
    return record(TakeBackward0, result, input, sizes=input._shape, index=index)


@op("function method")
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of `input` with elements overwritten by number; see `put_`.

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros(2, 2).put(tl.tensor([3, 0]), tl.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 1.]])
    """
    return put_(conversion.clone(input), index, source, accumulate)


@op("method")
def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Elements overwritten where an index says, counted in row-major order, whatever `input`'s shape.

    Args:
        input: the tensor to write into.
        index: int64, of any shape; a negative one counts from the end.
        source: as many elements of `input`'s dtype as the index has.
        accumulate: add to the elements instead. An element that is named several times gets every sum;
            without `accumulate` it keeps the last value.

    Raises:
        IndexError: the index names an element that does not exist, or `source` has another length.
        RuntimeError: a dtype does not fit, or the write is refused.

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros(2, 3).put_(tl.tensor([1, -1]), tl.tensor([5.0, 9.0]))
        tensor([[0., 5., 0.],
                [0., 0., 9.]])
    """
    need_tensor("put_", input)
    check_in_place(input)
    need_index("put_", index, dtypes.int64)
    need_tensor("put_", source, "source")
    need_dtype("put_", input, "source", source)
    if source.numel() != index.numel():
        raise IndexError(
            f"put_(): Expected source and index to have the same number of elements, but got source.numel() "
            f"= {source.numel()}, index.numel() = {index.numel()}"
        )
    _check(input, index)
    values = source if source.shape == index.shape else shape.reshape(source, index.shape)
    with in_place(PutBackward0, input, source, index=index, accumulate=accumulate, sizes=source._shape):
        return combine(input, _places(input, index), values, "add" if accumulate else "replace")


def _check(input: Tensor, index: Tensor) -> None:
    term = Term(index._shape, index._stride, WHOLE, input.numel(), 0, True)
    check(Places(Route(index._shape, (), (term,)), (index,)))


def _places(input: Tensor, index: Tensor) -> Places:
    """Where checked numbers of elements lead."""
    flat = layout.view_strides(input.shape, input.stride(), Size((input.numel(),)))
    if not isinstance(flat, Refusal):
        return Places(_route(index._shape, index._stride, input.numel(), flat[0]), (index,))
    numbers = np.remainder(index._cells_array(), input.numel())
    indices = [from_numpy(np.array(positions)) for positions in np.unravel_index(numbers, input.shape)]
    terms = tuple(
        Term(index._shape, index._stride, dim, size, stride, False)
        for dim, (index, size, stride) in enumerate(zip(indices, input.shape, input.stride(), strict=True))
    )
    return Places(Route(index._shape, (0,) * index.ndim, terms), tuple(indices))


@functools.lru_cache(KEPT)
def _route(shape: Size, stride: tuple[int, ...], count: int, step: int) -> Route:
    return Route(shape, (0,) * len(shape), (Term(shape, stride, WHOLE, count, step, True),))
