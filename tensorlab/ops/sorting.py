"""Order: sorted elements, the greatest few, the k-th.

NumPy sorts; what is said here is what comes out: NaN counts as greater than every number, as in PyTorch, and
equal elements stay in their order.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tensorlab import return_types
from tensorlab.autograd.recording import record
from tensorlab.autograd.views import requires_grad
from tensorlab.core import dtypes
from tensorlab.core.layout import Size, as_int
from tensorlab.core.memory_formats import preserved_strides
from tensorlab.dispatch.guards import guard_write
from tensorlab.dispatch.memory import allocate, allocate_strided
from tensorlab.ops.arguments import need_tensor, numpy_names
from tensorlab.ops.kth import comparable, kth_of_lines
from tensorlab.ops.outputs import fit_out, need_outs, typed_out, written
from tensorlab.ops.ranking import order, ranked
from tensorlab.ops.reduce import as_flag, as_one_dim, reduced_shape
from tensorlab.ops.shares import chooses_places
from tensorlab.registry import op
from tensorlab.return_types import NamedResults
from tensorlab.tensor import Tensor

Pair = tuple[Tensor, Tensor]

SortBackward0 = chooses_places("SortBackward0", keepdim=True)
SortBackward1 = chooses_places("SortBackward1", keepdim=True)  # where `stable` was said
TopkBackward0 = chooses_places("TopkBackward0", keepdim=True)
KthvalueBackward0 = chooses_places("KthvalueBackward0")

# Elements that are ordered at a time, where the dimension leaves a choice: what is kept beside the results
# then stays within some hundred kilobytes.
BATCH = 1 << 15


def sortable(input: Tensor) -> np.ndarray:
    """The elements as a NumPy array that NumPy can order; a view wherever the dtype allows."""
    return comparable(input._cells_array(), input._dtype)


def batches(shape: tuple[int, ...]) -> Iterator[Any]:
    """Parts of the first dimension of about `BATCH` elements each; all of it if it is the only one."""
    if len(shape) == 1:
        yield ...
        return
    step = max(1, BATCH // max(1, int(np.prod(shape[1:]))))
    for start in range(0, shape[0], step):
        yield slice(start, start + step)


def fill_pair(
    input: Tensor,
    dim: int,
    values: Tensor | None,
    places: Tensor | None,
    choose: Callable[[np.ndarray], np.ndarray],
    width: int | None = None,
) -> None:
    """Write the elements that `choose` picks along a dimension, and their places.

    Args:
        input: the elements.
        dim: the dimension to pick along.
        values: what receives the elements; of size `width` along `dim`, or without that dimension. None where
            they are not wanted.
        places: the same for the places.
        choose: from an array of cells, the places of the chosen along its last dimension.
        width: how many are chosen of each line; None for one, without a dimension of its own.
    """
    cells = np.moveaxis(input._cells_array().reshape(input.shape or (1,)), dim, -1)
    shape = cells.shape[:-1] + (() if width is None else (width,))
    targets: list[np.ndarray | None] = []
    for tensor in (values, places):
        if tensor is None:
            targets.append(None)
            continue
        array = tensor._cells_array()
        if width is not None:
            array = np.moveaxis(array.reshape((1,) if not input.ndim else array.shape), dim, -1)
        targets.append(array if array.shape == shape else array.reshape(shape))
    if 0 in shape:
        return
    for part in batches(cells.shape):
        found = choose(cells[part])
        if targets[0] is not None:
            columns = found if width is not None else found[..., np.newaxis]
            picked = np.take_along_axis(cells[part], columns, axis=-1)
            targets[0][part] = picked if width is not None else picked[..., 0]
        if targets[1] is not None:
            targets[1][part] = found


def result_pair(
    name: str, input: Tensor, shape: Size, stride: tuple[int, ...] | None, out: Pair | None
) -> Pair:
    """Two tensors to write values and places into: new ones, or those of `out`, checked."""
    if out is None:
        if stride is None:
            return allocate(shape, input.dtype), allocate(shape, dtypes.int64)
        return allocate_strided(shape, stride, input.dtype), allocate_strided(shape, stride, dtypes.int64)
    values, indices = need_outs(name, out, 2)
    for tensor, element_type in ((values, input.dtype), (indices, dtypes.int64)):
        typed_out(name, element_type, tensor)
        fit_out(name, tensor, shape, input)
    guard_write(indices, values)
    values._storage._version += 1
    indices._storage._version += 1
    return values, indices


@op("function method", names="keeps")
@numpy_names
def sort(
    input: Tensor,
    dim: int = -1,
    descending: bool = False,
    *,
    stable: bool | None = None,
    out: Pair | None = None,
) -> NamedResults:
    """The elements sorted along a dimension, and where each stood, as the pair ``(values, indices)``.

    NaN comes after all numbers. Equal elements stay in their order, whether `stable` asks for it or not.

    Args:
        input: a tensor of any shape and dtype.
        dim: the dimension to sort along; the last without it.
        descending: the greatest first.
        stable: accepted as in PyTorch; every sort here is stable.
        out: a pair of tensors of `input`'s shape, the second int64, to write into.

    Raises:
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> values, indices = tl.tensor([3, 1, 2]).sort(descending=True)
        >>> values, indices
        (tensor([3, 2, 1]), tensor([0, 2, 1]))
    """
    found = ranked(input, dim, None, descending) if out is None and type(input) is Tensor else None
    if found is not None and not requires_grad(input):
        return return_types.sort(found)
    position = as_one_dim("sort", dim, need_tensor("sort", input))
    if found is None:
        backwards = as_flag("sort", descending, "descending")
        stride = preserved_strides(input.shape, input.stride())
        found = result_pair("sort", input, input.shape, stride, out)
        _fill_in_order(input, position, *found, backwards)
    values, places = found
    kind = SortBackward0 if stable is None else SortBackward1
    record(kind, values, input, shape=input._shape, dim=position, indices=places)
    return return_types.sort((values, places))


@op("function method", names="keeps")
@numpy_names
def argsort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    """Where the elements stand that come first, second, … along a dimension: the indices of `sort`.

    Args:
        input: any tensor.
        dim: the dimension to sort along.
        descending: begin with the greatest.
        stable: keep equal elements in their order, which is done anyway.

    Raises:
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([3, 1, 2]).argsort()
        tensor([1, 2, 0])
    """
    found = ranked(input, dim, None, descending, values=False) if type(input) is Tensor else None
    if found is not None:
        return found[1]
    position = as_one_dim("argsort", dim, need_tensor("argsort", input))
    places = allocate_strided(input.shape, preserved_strides(input.shape, input.stride()), dtypes.int64)
    _fill_in_order(input, position, None, places, as_flag("argsort", descending, "descending"))
    return places


def _fill_in_order(
    input: Tensor, dim: int, values: Tensor | None, places: Tensor | None, backwards: bool
) -> None:
    """Write all elements in order along a dimension, or where each stood."""
    width = input.shape[dim] if input.ndim else 1
    fill_pair(input, dim, values, places, lambda cells: order(cells, input._dtype, backwards), width)


@op("function method")
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements sorted along the first dimension.

    Example:
        >>> import tensorlab as tl
        >>> tl.msort(tl.tensor([[3, 1], [2, 5]]))
        tensor([[2, 1],
                [3, 5]])
    """
    if requires_grad(need_tensor("msort", input)) or input.ndim < 2:
        values = sort(input, 0)[0]
    else:  # nobody asks where they stood
        values = allocate_strided(input.shape, preserved_strides(input.shape, input.stride()), input._dtype)
        _fill_in_order(input, 0, values, None, backwards=False)
    return values if out is None else written(out, values, values._stride)


@op("function method", names="keeps")
@numpy_names
def topk(
    input: Tensor,
    k: int,
    dim: int = -1,
    largest: bool = True,
    sorted: bool = True,
    *,
    out: Pair | None = None,
) -> NamedResults:
    """The k greatest elements along a dimension in order, and where each stands, as ``(values, indices)``.

    NaN counts as the greatest. Among equal elements any may be chosen; they stand in their order.

    Args:
        input: a tensor, not of bools.
        k: how many.
        dim: the dimension to choose along; the last without it.
        largest: False for the k least.
        sorted: accepted as in PyTorch; the results are in order here in any case.
        out: a pair of tensors of the result's shape, the second int64, to write into.

    Raises:
        TypeError: `k` is no int.
        RuntimeError: the dimension has fewer than k elements, or the elements are bools.
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> values, indices = tl.tensor([3, 1, 4, 1, 5]).topk(2)
        >>> values, indices
        (tensor([5, 4]), tensor([4, 2]))
    """
    found = ranked(input, dim, k, largest) if out is None and type(input) is Tensor else None
    if found is not None and not requires_grad(input):
        return return_types.topk(found)
    position = as_one_dim("topk", dim, need_tensor("topk", input))
    if isinstance(k, (bool, float)) or not hasattr(k, "__index__"):
        raise TypeError(f"topk(): argument 'k' (position 2) must be int, not {type(k).__name__}")
    if input.dtype is dtypes.bool:
        raise RuntimeError(
            "topk does not support bool dtypes on CPU: convert with .to(tensorlab.uint8) first"
        )
    size = input.shape[position] if input.ndim else 1
    if not 0 <= k <= size:
        raise RuntimeError(
            f"selected index k out of range: k is {k}, and dimension {position} has size {size}"
        )
    shape = Size(k if other == position else length for other, length in enumerate(input.shape))
    if not input.ndim and k == 0:
        shape = Size((0,))
    greatest = as_flag("topk", largest, "largest")
    values, places = result_pair("topk", input, shape, None, out) if found is None else found

    def choose(cells: np.ndarray) -> np.ndarray:
        if 4 * k >= size:
            return order(cells, input._dtype, greatest)[..., :k]
        keys = comparable(cells, input._dtype)
        split = size - k if greatest else k - 1
        chosen = np.argpartition(keys, split, axis=-1)
        chosen = np.sort(chosen[..., split:] if greatest else chosen[..., :k], axis=-1)
        ranked = order(np.take_along_axis(cells, chosen, axis=-1), input._dtype, greatest)
        return np.take_along_axis(chosen, ranked, axis=-1)

    if k and found is None:
        fill_pair(input, position, values, places, choose, k)
    record(TopkBackward0, values, input, shape=input._shape, dim=position, indices=places)
    return return_types.topk((values, places))


@op("function method", names="reduces_second_last")
@numpy_names
def kthvalue(
    input: Tensor, k: int, dim: int = -1, keepdim: bool = False, *, out: Pair | None = None
) -> NamedResults:
    """The k-th least element along a dimension (the least is the first), and a place where it stands.

    Args:
        input: a tensor, not of bools.
        k: which, from 1.
        dim: the dimension to look along; the last without it.
        keepdim: whether the dimension stays, with size 1.
        out: a pair of tensors of the result's shape, the second int64, to write into.

    Raises:
        IndexError: there is no such dimension, or it has no elements.
        RuntimeError: the dimension has fewer than k elements, or the elements are bools.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([30, 10, 20]).kthvalue(2).values
        tensor(20)
    """
    position = as_one_dim("kthvalue", dim, need_tensor("kthvalue", input))
    size = refuse_without_order("kthvalue", input, position)
    k = as_int(k, "kthvalue(): k")
    if not 1 <= k <= size:
        raise RuntimeError(
            f"kthvalue(): selected number k out of range for dimension {position}: k is {k}, use 1 … {size}"
        )
    choose = functools.partial(kth_of_lines, element_type=input._dtype, rule="kth", k=k - 1)
    pair = one_of_each("kthvalue", input, position, keepdim, out, choose, KthvalueBackward0)
    return return_types.kthvalue(pair)


def refuse_without_order(name: str, input: Tensor, dim: int, bools: bool = False) -> int:
    """The size along `dim`; raise if there is nothing to choose from, or nothing to order."""
    if input.dtype is dtypes.bool and not bools:
        raise NotImplementedError(
            f"{name}() is not implemented for bool: convert with .to(tensorlab.uint8) first"
        )
    size = input.shape[dim] if input.ndim else 1
    if size == 0:
        raise IndexError(
            f"{name}(): Expected reduction dim {dim} to have non-zero size: "
            f"the shape {tuple(input.shape)} has no elements along it to choose from"
        )
    return size


def one_of_each(
    name: str,
    input: Tensor,
    dim: int,
    keepdim: bool,
    out: Any,
    choose: Callable[[np.ndarray], np.ndarray],
    kind: Any,
) -> Pair:
    """One element of each line along a dimension, and its place, remembered by a node of some kind."""
    shape = reduced_shape(input.shape, (dim,), as_flag(name, keepdim))
    values, places = result_pair(name, input, shape, None, out)
    fill_pair(input, dim, values, places, choose)
    record(kind, values, input, shape=input._shape, dim=dim, indices=places, keepdim=keepdim)
    return values, places
