"""Order: sorted elements, the greatest few, the k-th, the middle one, the most frequent.

One primitive says where the elements stand that come first in order, and `gather` fetches them. NaN counts as
greater than every number, as in PyTorch, and equal elements stay in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlab import return_types
from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.backends import Backend, Launch, OperandLayout, no_launch
from tensorlab.core import dtypes, layout
from tensorlab.core.layout import Size, as_int
from tensorlab.core.memory_formats import preserved_strides
from tensorlab.dispatch.copies import reader, write, writer
from tensorlab.dispatch.guards import guard_write
from tensorlab.dispatch.memory import allocate_strided, as_new
from tensorlab.dispatch.primitive import Primitive, Result, compute, compute_into
from tensorlab.ops.aliases import as_own
from tensorlab.ops.indexing.gather_scatter import GATHER
from tensorlab.ops.joining import cat
from tensorlab.ops.outputs import fit_out, need_outs, typed_out, written
from tensorlab.ops.ranges import arange
from tensorlab.ops.reduce import as_flag, as_one_dim
from tensorlab.ops.select_backward import among_equals, chooses_places
from tensorlab.ops.where import where
from tensorlab.registry import op
from tensorlab.return_types import NamedResults
from tensorlab.tensor import Tensor

Pair = tuple[Tensor, Tensor]

SortBackward0 = chooses_places("SortBackward0", keepdim=True)
SortBackward1 = chooses_places("SortBackward1", keepdim=True)  # where `stable` was said
TopkBackward0 = chooses_places("TopkBackward0", keepdim=True)
KthvalueBackward0 = chooses_places("KthvalueBackward0")


class Order(Primitive):
    """Where elements stand that come first … along a dimension in order.

    `params` are the dimension, from which place in the order to which (None for all), whether the greatest
    comes first, and whether equal elements stay in their order (see `tensorlab.backends.protocol.Core.sort`).
    """

    name = "argsort"

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """Places in a layout like the elements' where all are asked for, else row-major."""
        (input,), (dim, wanted, *_) = operands, params
        if wanted is None:
            return Result(input._shape, preserved_strides(input._shape, input._stride), dtypes.int64)
        shape = list(input._shape)
        if shape or wanted[0] == wanted[1]:
            shape[dim : dim + 1] = [wanted[1] - wanted[0]]
        return Result(Size(shape), layout.default_strides(shape), dtypes.int64)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """Elements that do not lie side by side along the dimension are copied so that they do."""
        (input,), (dim, wanted, descending, stable) = operands, params
        if 0 in input._shape or 0 in result.shape:
            return no_launch
        size = input._shape[dim] if input._shape else 1
        rows = layout.numel(input._shape) // size
        sort = backend.sort(input._dtype, rows, size, wanted or (0, size), descending, stable)
        read = reader(backend, input, _side_by_side(input._shape, dim))
        out = OperandLayout(dtypes.int64, result.stride)
        write = writer(backend, result.shape, out, _side_by_side(result.shape, dim))
        return lambda places, source: write(places, lambda found: sort(found, read(source)))


ORDER = Order()


def _side_by_side(shape: Size, dim: int) -> tuple[int, ...]:
    """The strides of a dense tensor with the elements along a dimension side by side."""
    order = [*[other for other in range(len(shape)) if other != dim], *([dim] if shape else [])]
    strides = dict(zip(order, layout.default_strides([shape[at] for at in order]), strict=True))
    return tuple(strides[at] for at in range(len(shape)))


def places_in_order(
    input: Tensor, dim: int, wanted: tuple[int, int] | None, descending: bool = False, stable: bool = True
) -> Tensor:
    """Where elements stand in order along a dimension, which stays: see `Order`."""
    return compute(ORDER, input, params=(dim, wanted, descending, stable))


def elements_at(
    name: str, kind: Any, input: Tensor, dim: int, places: Tensor, out: Any, keepdim: bool | None = None
) -> Pair:
    """The elements at places along a dimension, and these, recorded; or `out`, with both written into it.

    Args:
        name: the operation.
        kind: the node that it leaves.
        input: the elements.
        dim: the dimension.
        places: int64, of `input`'s shape but for the size of that dimension.
        out: a pair of tensors, or None.
        keepdim: whether the dimension stays; None where it does in any case.
    """
    backend = input._storage.backend
    values = allocate_strided(places._shape, places._stride, input._dtype, backend)
    compute_into(values, GATHER, (input, places), (dim,))
    as_new(values)
    if keepdim is False:
        values, places = (as_own(found.squeeze(dim)) for found in (values, places))
    if out is None:
        notes = {} if keepdim is None else {"keepdim": keepdim}
        record(kind, values, input, shape=input._shape, dim=dim, indices=places, **notes)
        return values, places
    outs = need_outs(name, out, 2)
    for target, found in zip(outs, (values, places), strict=True):
        typed_out(name, found._dtype, target)
        fit_out(name, target, found._shape, input)
    guard_write(outs[1], outs[0])
    for target, found in zip(outs, (values, places), strict=True):
        write(target, found)
    return outs[0], outs[1]


@op("function method", names="keeps")
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
        >>> values, indices = tl.tensor([3, 1, 2]).sort(descending=True)
        >>> values, indices
        (tensor([3, 2, 1]), tensor([0, 2, 1]))
    """
    position = as_one_dim("sort", dim, input)
    places = places_in_order(input, position, None, as_flag("sort", descending, "descending"))
    kind = SortBackward0 if stable is None else SortBackward1
    return return_types.sort(elements_at("sort", kind, input, position, places, out))


@op("function method", names="keeps")
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
        >>> tl.tensor([3, 1, 2]).argsort()
        tensor([1, 2, 0])
    """
    position = as_one_dim("argsort", dim, input)
    return places_in_order(input, position, None, as_flag("argsort", descending, "descending"))


@op("function method")
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements sorted along the first dimension.

    Example:
        >>> tl.msort(tl.tensor([[3, 1], [2, 5]]))
        tensor([[2, 1],
                [3, 5]])
    """
    values = sort(input, 0)[0]
    return values if out is None else written(out, values, values._stride)


@op("function method", names="keeps")
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
        >>> values, indices = tl.tensor([3, 1, 4, 1, 5]).topk(2)
        >>> values, indices
        (tensor([5, 4]), tensor([4, 2]))
    """
    position = as_one_dim("topk", dim, input)
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
    places = places_in_order(input, position, (0, k), as_flag("topk", largest, "largest"))
    return return_types.topk(elements_at("topk", TopkBackward0, input, position, places, out))


@op("function method", names="reduces_second_last")
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
        >>> tl.tensor([30, 10, 20]).kthvalue(2).values
        tensor(20)
    """
    position = as_one_dim("kthvalue", dim, input)
    size = refuse_without_order("kthvalue", input, position)
    k = as_int(k, "kthvalue(): k")
    if not 1 <= k <= size:
        raise RuntimeError(
            f"kthvalue(): selected number k out of range for dimension {position}: k is {k}, use 1 … {size}"
        )
    places = places_in_order(input, position, (k - 1, k))
    kept = as_flag("kthvalue", keepdim)
    pair = elements_at("kthvalue", KthvalueBackward0, input, position, places, out, kept)
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


# --- what stands in the middle, and what comes most -----------------------------------------------------

_NOTHING: Any = object()


def _d_of_all(grad: Tensor, input: Tensor, result: Tensor) -> Tensor:
    return among_equals(grad, input, result, nan=True)


_OF_ALL = {
    name: formulas(f"{name.capitalize()}Backward0", input=_d_of_all) for name in ("median", "nanmedian")
}
_ALONG = {name: chooses_places(f"{name.capitalize()}Backward1") for name in ("median", "nanmedian")}
ModeBackward0 = chooses_places("ModeBackward0")


@op("function method", names="reduces")
def median(input: Tensor, dim: int = _NOTHING, keepdim: bool = False, *, out: Any = None) -> Any:
    """The middle element in order; the lower of the two middle ones, where there are two.

    ``median(input)`` is that of all elements. ``median(input, dim)`` is the pair ``(values, indices)`` of the
    medians along a dimension and places where they stand. NaN among the elements makes the median NaN.

    Args:
        input: a tensor, not of bools.
        dim: the dimension to look along.
        keepdim: whether the dimension stays, with size 1.
        out: a pair of tensors of the result's shape, the second int64, to write into.

    Raises:
        IndexError: there is no such dimension, or it has no elements.
        NotImplementedError: the elements are bools.

    Example:
        >>> x = tl.tensor([[1, 5, 3], [4, 2, 6]])
        >>> x.median()
        tensor(3)
        >>> x.median(1).values
        tensor([3, 4])
    """
    return _median("median", input, dim, keepdim, out)


@op("function method", names="reduces")
def nanmedian(input: Tensor, dim: int = _NOTHING, keepdim: bool = False, *, out: Any = None) -> Any:
    """The middle element of those that are numbers. The arguments are those of `median`.

    Example:
        >>> tl.tensor([1.0, tl.nan, 3.0, 2.0]).nanmedian()
        tensor(2.)
    """
    return _median("nanmedian", input, dim, keepdim, out)


def _median(name: str, input: Tensor, dim: Any, keepdim: bool, out: Any) -> Any:
    if dim is _NOTHING and out is not None:
        raise TypeError(
            f"{name}() with out= takes dim as well: it writes values and indices along a dimension"
        )
    if dim is not _NOTHING:
        position = as_one_dim(name, dim, input)
        refuse_without_order(name, input, position)
        places = _middle(name, input.detach(), position)
        pair = elements_at(name, _ALONG[name], input, position, places, out, as_flag(name, keepdim))
        return getattr(return_types, name)(pair)
    if input.dtype is dtypes.bool:
        raise NotImplementedError(
            f"{name}() is not implemented for bool: convert with .to(tensorlab.uint8) first"
        )
    if input.numel() == 0:  # as PyTorch has it: NaN, or the least integer
        nothing = float("nan") if input.is_floating_point() else dtypes.integer_range(input.dtype)[0]
        return input.new_full((), nothing)
    elements = input.detach().reshape((-1,))
    result = elements.gather(0, _middle(name, elements, 0)).squeeze(0)
    return record(_OF_ALL[name], as_new(as_own(result)), input)


def _middle(name: str, input: Tensor, dim: int) -> Tensor:
    """The place of the median along a dimension, which stays."""
    size = input._shape[dim] if input.ndim else 1
    middle = places_in_order(input, dim, ((size - 1) // 2, (size - 1) // 2 + 1))
    if not input.is_floating_point():
        return middle
    greatest = input.argmax(dim, True)  # the first NaN, if there is one
    absent = input.gather(dim, greatest).isnan()
    if name == "median":
        return where(absent, greatest, middle)
    if not absent.any().item():
        return middle
    known = (input == input).sum(dim, True)
    return places_in_order(input, dim, None).gather(dim, (known - 1).clamp(0) // 2)


@op("function method", names="reduces_last")
def mode(input: Tensor, dim: int = -1, keepdim: bool = False, *, out: Any = None) -> Any:
    """The most frequent element along a dimension and its last place, as the pair ``(values, indices)``.

    Of several equally frequent elements it is the least.

    Args:
        input: a tensor of any dtype.
        dim: the dimension to look along; the last without it.
        keepdim: whether the dimension stays, with size 1.
        out: a pair of tensors of the result's shape, the second int64, to write into.

    Raises:
        IndexError: there is no such dimension, or it has no elements.

    Example:
        >>> values, indices = tl.tensor([3, 2, 2, 3, 1]).mode()
        >>> values, indices
        (tensor(2), tensor(2))
    """
    position = as_one_dim("mode", dim, input)
    refuse_without_order("mode", input, position, bools=True)
    places = _most_frequent(input.detach(), position)
    kept = as_flag("mode", keepdim)
    return return_types.mode(elements_at("mode", ModeBackward0, input, position, places, out, kept))


def _most_frequent(input: Tensor, dim: int) -> Tensor:
    """The last place of the most frequent element along a dimension, which stays."""
    if not input.ndim:
        return input.new_zeros((), dtype=dtypes.int64)
    places = places_in_order(input, dim, None)
    ordered, count = input.gather(dim, places), input._shape[dim]
    begins = ordered.narrow(dim, 1, count - 1) != ordered.narrow(dim, 0, count - 1)
    # How many equal elements come before each in order: most where the longest run ends.
    numbers = arange(count, device=input.device)
    numbers = numbers.reshape([-1 if other == dim else 1 for other in range(input.ndim)])
    behind = where(begins, numbers.narrow(dim, 1, count - 1), 0)
    first = cat([behind.new_zeros(input.amax(dim, True)._shape), behind], dim).cummax(dim)[0]
    return places.gather(dim, (numbers - first).argmax(dim, True))
