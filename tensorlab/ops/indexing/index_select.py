"""An index for a whole slice, or for elements counted through as if the tensor had one dimension.

`index_select` reads slices along one dimension, and its relatives write them; `take` and `put_` count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlab.autograd.recording import in_place
from tensorlab.autograd.views import check_in_place
from tensorlab.core import dtypes, layout
from tensorlab.core.layout import Refusal, Size
from tensorlab.core.memory_formats import contiguous_format, preserved_strides
from tensorlab.dispatch.copies import write
from tensorlab.dispatch.guards import guard_write
from tensorlab.dispatch.operands import Number, check_number, is_number, number_from
from tensorlab.dispatch.primitive import IN_PLACE, Recorded, Result, call, call_in_place
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
    Read,
    Write,
    apart,
    dim_of,
    elements_of,
    need_dtype,
    need_index,
    need_vector,
    slices_at,
    written_at,
)
from tensorlab.registry import op
from tensorlab.tensor import Tensor


class IndexSelect(Read):
    """`index_select`; `params` are the dimension, and that indices do not wrap."""

    even_empty = True

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """Of the tensor's shape, with the length of the index along the dimension.

        Raises:
            IndexError: the index is no vector.
            RuntimeError: it has another dtype than int64 or int32.
        """
        input, index = operands
        need_index(self.name, index)
        need_vector(self.name, index)
        if not input.ndim and index.numel() != 1:
            raise RuntimeError(
                f"index_select(): Index to scalar can have only 1 value, got {index.numel()} value(s)"
            )
        made = super().result(operands, params)
        return made if input.ndim else Result(Size(), (), made.dtype)

    def refusal(self, input: Tensor, params: tuple) -> type[Exception]:
        """As in PyTorch, which reads along dimension 1, and what has no elements, by other code."""
        return RuntimeError if params[0] == 1 or (input.ndim > 1 and not input.numel()) else IndexError


class WriteSlices(Write):
    """`index_add`, `index_copy` and `index_fill`; `params` are those of `slices_at` and the action."""

    def refusal(self, input: Tensor, params: tuple) -> type[Exception]:
        """As in PyTorch: `index_add` into a vector is written by other code."""
        return RuntimeError if self is INDEX_ADD and input.ndim > 1 else IndexError

    def value_strides(self, sizes: Size, stride: tuple[int, ...], shape: Size) -> tuple[int, ...]:
        """Values of one element count as a slice of one element."""
        return super().value_strides(sizes if stride else Size(), stride, shape)

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """With the dimension."""
        return self.kind, {"dim": params[0]}


class FillSlices(WriteSlices):
    """`index_fill`, with a number or a tensor of no dimensions."""

    into_expanded = True

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """Laid out as the tensor.

        Raises:
            RuntimeError: the index is no vector.
        """
        input, _, index = operands
        need_vector(self.name, index, RuntimeError)
        return Result(input._shape, preserved_strides(input._shape, input._stride), input._dtype)

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """PyTorch has two kinds: of a number, and of a tensor that may have a gradient."""
        return IndexFillBackward1 if isinstance(operands[1], Tensor) else self.kind, {"dim": params[0]}


class Put(Write):
    """`put`; `params` are the action."""

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """With whether values are added."""
        return PutBackward0, {"accumulate": params == ("add",)}


INDEX_SELECT = IndexSelect("index_select", slices_at, IndexSelectBackward0)
INDEX_ADD = WriteSlices("index_add", slices_at, IndexAddBackward0)
INDEX_COPY = WriteSlices("index_copy", slices_at, IndexCopyBackward0)
INDEX_FILL = FillSlices("index_fill", slices_at, IndexFillBackward0)
TAKE = Read("take", elements_of, TakeBackward0, IndexError)
PUT = Put("put", elements_of, error=IndexError)


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
        >>> table = tl.arange(8).view(4, 2)
        >>> table.index_select(0, tl.tensor([3, 0, 3]))
        tensor([[6, 7],
                [0, 1],
                [6, 7]])
    """
    need_tensor("index_select", input)
    need_tensor("index_select", index, "index")
    return call(INDEX_SELECT, input, index, params=(dim_of(input, dim), False), out=out)


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
        >>> tl.zeros(3).index_add(0, tl.tensor([0, 2, 0]), tl.tensor([1.0, 2.0, 3.0]))
        tensor([4., 0., 2.])
    """
    dim, values = _added(input, dim, index, source, alpha)
    return written_at(INDEX_ADD, input, values, index, (dim, False, "add"), out)


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
        >>> gradient = tl.zeros(3, 2)
        >>> gradient.index_add_(0, tl.tensor([2, 0, 2]), tl.tensor([[1.0, 2], [3, 4], [5, 6]]))
        tensor([[3., 4.],
                [0., 0.],
                [6., 8.]])
    """
    check_in_place(input)
    return index_add(input, dim, index, source, alpha=alpha, out=IN_PLACE)


@op("function method in_place", names="keeps")
def index_copy(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, out: Tensor | None = None
) -> Tensor:
    """`input` with slices replaced where a vector says: ``result[index[i]] = source[i]`` for dim 0.

    Where the index names a slice several times the last one stays. The index is int64; the other arguments
    are those of `index_add_`.

    Raises:
        IndexError: the index names a slice that does not exist, is no vector, or does not go with `source`.
        RuntimeError: a shape or dtype does not fit, or the write is refused.

    Example:
        >>> tl.zeros(3).index_copy(0, tl.tensor([2, 0]), tl.tensor([1.0, 2.0]))
        tensor([2., 0., 1.])
    """
    dim, values = _copied(input, dim, index, source)
    return written_at(INDEX_COPY, input, values, index, (dim, False, "replace"), out)


@op("function method", names="keeps")
def index_fill(input: Tensor, dim: int, index: Tensor, value: Tensor | Number) -> Tensor:
    """A copy of `input` with slices filled where a vector says; see `index_fill_`.

    Example:
        >>> tl.zeros(2, 3).index_fill(1, tl.tensor([0, 2]), 7)
        tensor([[7., 0., 7.],
                [7., 0., 7.]])
    """
    dim, value = _filled(input, dim, index, value)
    return call(INDEX_FILL, input, value, index, params=(dim, True, "replace"))


@op("method")
def index_fill_(input: Tensor, dim: int, index: Tensor, value: Tensor | Number) -> Tensor:
    """Slices filled with one number where a vector says: ``input[index[i]] = value`` for dim 0.

    Args:
        input: a tensor.
        dim: the dimension along which the index chooses.
        index: a vector of int64; a negative one counts from the end.
        value: a number, or a tensor of 0 dimensions.

    Raises:
        IndexError: the index names a slice that does not exist, or has another dtype.
        RuntimeError: the index is no vector, the value has dimensions or does not fit into the dtype, or the
            write is refused.

    Example:
        >>> tl.zeros(2, 3).index_fill_(1, tl.tensor([0, -1]), 7)
        tensor([[7., 0., 7.],
                [7., 0., 7.]])
    """
    check_in_place(input)
    dim, value = _filled(input, dim, index, value)
    return written_at(INDEX_FILL, input, value, index, (dim, True, "replace"), IN_PLACE, "index_fill_")


def _added(input: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Number) -> tuple[int, Tensor]:
    """The dimension and what `index_add` adds, once its arguments are known to be good."""
    need_tensor("index_add", input)
    need_tensor("index_add", source, "source")
    need_index("index_add", index)
    alpha = number_from(alpha)
    if not is_number(alpha):
        raise TypeError(f"index_add(): argument 'alpha' must be a number, not {type(alpha).__name__}")
    dim = dim_of(input, dim)
    need_vector("index_add", index)
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
    if not input.dtype.is_floating_point:
        alpha = bool(alpha) if input.dtype is dtypes.bool else int(alpha)
    if input.dtype is not dtypes.bool:
        check_number(alpha, input.dtype)
    return dim, source if alpha == 1 else source * alpha


def _copied(input: Tensor, dim: int, index: Tensor, source: Tensor) -> tuple[int, Tensor]:
    """The dimension and what `index_copy` copies, once its arguments are known to be good."""
    need_tensor("index_copy", input)
    need_tensor("index_copy", source, "source")
    need_tensor("index_copy", index, "index")
    dim = dim_of(input, dim)
    need_vector("index_copy", index)
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
    return dim, source.reshape(()) if source.ndim > input.ndim else source


def _filled(input: Tensor, dim: int, index: Tensor, value: Tensor | Number) -> tuple[int, Tensor | Number]:
    """The dimension and what `index_fill` writes, once its arguments are known to be good."""
    need_tensor("index_fill", input)
    need_tensor("index_fill", index, "index")
    need_index("index_fill", index, dtypes.int64, error=IndexError)
    dim = dim_of(input, dim)
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(
                f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} "
                f"dimension(s): index_copy takes one value for each element"
            )
        check_number(value.item(), input.dtype)
        return dim, value.to(input.dtype)
    if not is_number(value):
        raise TypeError(f"index_fill(): argument 'value' must be a number, not {type(value).__name__}")
    return dim, value


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
        >>> tl.tensor([[4, 3, 5], [6, 7, 8]]).take(tl.tensor([0, 2, -1]))
        tensor([4, 5, 8])
    """
    need_tensor("take", input)
    need_index("take", index, dtypes.int64)
    return call(TAKE, _countable(input), index, out=out)


def _countable(input: Tensor) -> Tensor:
    """The tensor, or a copy of it whose elements lie at equal distances in row-major order."""
    flat = layout.view_strides(input._shape, input._stride, Size((input.numel(),)))
    return input.clone(memory_format=contiguous_format) if isinstance(flat, Refusal) else input


@op("function method")
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of `input` with elements overwritten by number; see `put_`.

    Example:
        >>> tl.zeros(2, 2).put(tl.tensor([3, 0]), tl.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 1.]])
    """
    return put_(input.clone(), index, source, accumulate)


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
    values = source if source.shape == index.shape else source.reshape(index.shape)
    values, index = apart(input, values, index)
    params = ("add" if accumulate else "replace",)
    flat = _countable(input)
    if flat is input:
        return call_in_place(PUT, input, values, index, params=params)
    guard_write(input)
    with in_place(PutBackward0, input, values, index, accumulate=accumulate):
        write(input, call_in_place(PUT, flat.detach(), values, index, params=params))
    return input
