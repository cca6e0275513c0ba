"""An index that counts elements as if the tensor had one dimension: `take` and `put_`."""

from __future__ import annotations

import functools

import numpy as np

from tensorlab import dtypes, layout
from tensorlab.autograd.recording import in_place, record
from tensorlab.autograd.views import check_in_place
from tensorlab.layout import Refusal, Size
from tensorlab.ops import conversion, shape
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.indexing.arguments import need_dtype, need_index, result_in
from tensorlab.ops.indexing.gradients import PutBackward0, TakeBackward0
from tensorlab.ops.indexing.places import KEPT, WHOLE, Places, Route, Term, check, combine, read
from tensorlab.ops.sharing import from_numpy
from tensorlab.registry import op
from tensorlab.tensor import Tensor


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
