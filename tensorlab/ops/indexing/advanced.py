"""Index tensors and masks: ``x[i, :, j]``, `index_put`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import in_place, linear, record
from tensorlab.autograd.saved_tensors import KeptTensors
from tensorlab.autograd.views import check_in_place, requires_grad
from tensorlab.backends import HOST
from tensorlab.core import broadcasting, dtypes, layout, memory_formats
from tensorlab.core.layout import Refusal, Size
from tensorlab.core.memory_formats import contiguous_format
from tensorlab.core.warned import warn_caller
from tensorlab.dispatch.memory import as_new, filled
from tensorlab.dispatch.operands import Number
from tensorlab.dispatch.primitive import Result, compute, compute_into
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.indexing import masks
from tensorlab.ops.indexing.index_plan import Read, Route, Term, Write, apart
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_tensor

# What index tensors choose of a tensor: the dimension, and the index tensor or the mask that begins with it.
Chosen = dict[int, Tensor]


def take_chosen(input: Tensor, chosen: Chosen) -> Tensor:
    """A copy of the elements that index tensors choose.

    The index tensors are broadcast against each other. Their dimensions stand in the result where the indexed
    dimensions stood, if those are neighbours, and in front otherwise.
    """
    chosen = _beside(input, chosen)
    mask = chosen.get(0)
    if mask is not None and len(chosen) == 1 and mask.dtype is dtypes.bool and mask.shape == input.shape:
        return masks.chosen_by_mask(input, mask)
    indices = _without_masks(input, chosen)
    result = compute(INDEX, input, *indices.values(), params=tuple(indices))
    if not requires_grad(input):
        return result
    return record(IndexBackward0, result, input, sizes=input._shape, indices=KeptTensors(chosen))


def index_backward(grad: Tensor, shape: Sequence[int], indices: Sequence[Tensor | None]) -> Tensor:
    """The adjoint of ``x[indices]``: zeros of a shape, with a gradient added at the places that were read.

    A place that was read several times gets the sum of what arrives for it.

    Args:
        grad: of what was read.
        shape: of the tensor that it was read from.
        indices: the index tensors or masks, one for each leading dimension; None where all was read.

    Example:
        >>> import tensorlab as tl
        >>> index_backward(tl.tensor([1.0, 2.0, 4.0]), (3,), (tl.tensor([2, 0, 2]),))
        tensor([2., 0., 5.])
    """
    chosen = {dim: index for dim, index in enumerate(indices) if index is not None}
    sizes = Size(shape)
    whole = filled(sizes, layout.default_strides(sizes), grad._dtype, 0, grad._storage.backend)
    _put(whole, chosen, grad, "add")
    return linear(as_new(whole), grad, lambda again: take_chosen(again, chosen))


def _added_at(grad: Tensor, sizes: Size, indices: Chosen) -> Tensor:
    return index_backward(grad, sizes, tuple([indices.get(dim) for dim in range(max(indices) + 1)]))


def _put(target: Tensor, chosen: Chosen, values: Tensor | Number, action: str) -> None:
    """Combine values into the elements that index tensors choose; nothing is recorded."""
    indices = _without_masks(target, chosen)
    compute_into(target, INDEX_PUT, (target, values, *indices.values()), (*indices, action))


def _without_written(grad: Tensor, indices: Chosen, accumulate: bool) -> Tensor:
    """The gradient of what was there before: none at the places that were written over."""
    if accumulate:
        return grad
    rest = grad.clone(memory_format=contiguous_format)
    put_chosen(rest, indices, 0)
    return rest


IndexBackward0 = formulas("IndexBackward0", source=_added_at)
IndexPutBackward0 = formulas(
    "IndexPutBackward0",
    target=_without_written,
    values=lambda grad, indices: take_chosen(grad, indices),
)


def put_chosen(input: Tensor, chosen: Chosen, values: Tensor | Number, accumulate: bool = False) -> None:
    """Overwrite, or add to, the elements that index tensors choose."""
    if requires_grad(input):
        check_in_place(input)
    chosen = _beside(input, chosen)
    if isinstance(values, Tensor) and not values.ndim:
        values = values.to(input.device)
    if not accumulate and (not isinstance(values, Tensor) or values.numel() == 1):
        mask = _only_mask(input, chosen)
        if mask is not None and not (isinstance(values, Tensor) and requires_grad(values)):
            number = values.item() if isinstance(values, Tensor) else values
            masks.masked_fill_(input, mask, number)
            return
    values, *indices = apart(input, values, *chosen.values(), lenient="index_put_")
    chosen = dict(zip(chosen, indices, strict=True))
    if not accumulate and isinstance(values, Tensor) and _put_by_mask(input, chosen, values):
        return
    with in_place(IndexPutBackward0, input, values, indices=KeptTensors(chosen), accumulate=accumulate):
        _put(input, chosen, values, "add" if accumulate else "replace")


def _beside(input: Tensor, chosen: Chosen) -> Chosen:
    """The index tensors on `input`'s device: lists become tensors on the CPU.

    Raises:
        RuntimeError: one lies on a GPU, and `input` on another device.
    """
    backend = input._storage.backend
    if all(index._storage.backend is backend for index in chosen.values()):
        return chosen
    for index in chosen.values():
        if index._storage.backend not in (HOST, backend):
            raise RuntimeError(
                f"indices should be either on cpu or on the same device as the indexed tensor "
                f"({input.device}): one of shape {tuple(index.shape)} lies on {str(index.device)!r}. Move it "
                f"with index.to({str(input.device)!r}), or the tensor with x.to({str(index.device)!r})"
            )
    return {dim: index.to(input.device) for dim, index in chosen.items()}


def _put_by_mask(input: Tensor, chosen: Chosen, values: Tensor) -> bool:
    """Put a vector of values where one mask of `input`'s shape is true; whether that is what was asked.

    The values are taken in turn while the mask is read, so that no places are listed.
    """
    mask = chosen.get(0)
    if mask is None or len(chosen) > 1 or mask._dtype is not dtypes.bool or mask._shape != input._shape:
        return False
    if values.ndim != 1 or not mask.ndim:
        return False
    shape = Size((masks.count_true(mask),))
    _check_values(input, shape, values)
    if values._shape != shape:
        return False
    with in_place(IndexPutBackward0, input, values, indices=KeptTensors(chosen), accumulate=False):
        masks.put_by_mask(input, mask, values)
    return True


@op("function method")
def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of `input` with `values` at the places that index tensors choose; see `index_put_`.

    Example:
        >>> tl.zeros(3).index_put([tl.tensor([0, 2])], tl.tensor([1.0, 2.0]))
        tensor([1., 0., 2.])
    """
    return as_new(index_put_(input.clone(), indices, values, accumulate))


@op("function method")
def index_put_(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool = False) -> Tensor:
    """``input[indices] = values``, or with `accumulate` ``input[indices] += values`` for every index.

    Args:
        input: the tensor to write into.
        indices: index tensors or masks, for the first dimensions of `input`.
        values: a tensor of `input`'s dtype that can be broadcast to the shape of ``input[indices]``.
        accumulate: add the values to the elements. An element that is named several times gets every sum;
            without `accumulate` it keeps the last value. The order is row-major, or that of the memory of
            index tensors which are transposed.

    Raises:
        TypeError: `indices` is no sequence of tensors, or `values` is no tensor.
        IndexError: an index does not fit.
        RuntimeError: the values' shape or dtype does not fit, or the write is refused.

    Example:
        >>> counts = tl.zeros(4, dtype=tl.int64)
        >>> counts.index_put_((tl.tensor([2, 0, 2]),), tl.tensor(1), accumulate=True)
        tensor([1, 0, 2, 0])
    """
    check_in_place(input)
    if not isinstance(indices, Sequence):
        raise TypeError(
            f"index_put_(): argument 'indices' must be tuple of Tensors, not {type(indices).__name__}"
        )
    chosen: Chosen = {}
    dim = 0
    for position, item in enumerate(indices):
        need_tensor("index_put_", item, f"indices[{position}]")
        chosen[dim] = item
        dim += item.ndim if item.dtype in (dtypes.bool, dtypes.uint8) else 1
    if dim > input.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input.ndim} (got {dim})")
    if not chosen:
        raise RuntimeError("index_put_(): indices is empty: give at least one index tensor")
    put_chosen(input, chosen, values, accumulate)
    return input


def _route(shape: Size, stride: tuple[int, ...], indices: Sequence[Tensor], where: tuple) -> Route:
    """The route of index tensors; `where` begins with the dimension of each."""
    dims = where[: len(indices)]
    met, before, after = _walk(shape, indices, dims)
    walked = Size((*(shape[dim] for dim in before), *met, *(shape[dim] for dim in after)))
    strides = (*(stride[dim] for dim in before), *(0 for _ in met), *(stride[dim] for dim in after))
    terms = []
    for dim, index in zip(dims, indices, strict=True):
        sizes, steps = (*index._shape, *(1,) * len(after)), (*index._stride, *(0,) * len(after))
        walk = broadcasting.broadcast_strides(sizes, steps, walked)
        terms.append(Term(walk, dim, shape[dim], stride[dim], wraps=True))
    return Route(walked, strides, tuple(terms))


def _walk(
    shape: Size, indices: Sequence[Tensor], dims: Sequence[int]
) -> tuple[Size, Sequence[int], Sequence[int]]:
    """The shape that the indices broadcast to, and the dimensions that come before it and after it."""
    met = _broadcast([index._shape for index in indices])
    for dim in dims:
        if shape[dim] == 0 and 0 not in met:
            raise IndexError(
                f"index is out of bounds for dimension with size 0: dimension {dim} of shape "
                f"{tuple(shape)} has no elements to choose"
            )
    adjacent = dims[-1] - dims[0] == len(dims) - 1
    before = [dim for dim in range(dims[0]) if adjacent]
    return met, before, [dim for dim in range(len(shape)) if dim not in dims and dim not in before]


class Index(Read):
    """``x[i, :, j]``; `params` are the dimensions of the index tensors."""

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """Laid out as PyTorch lays it out, which follows the tensor and the indices."""
        input, *indices = operands
        shape, strides, _ = self.rule(input._shape, input._stride, indices, params)
        met, before, after = _walk(input._shape, indices, params)
        aligned = [_aligned(index, met, len(before), shape) for index in indices]
        broadcast = any(input._shape[dim] != 1 for dim in (*before, *after))
        stride = memory_formats.elementwise_strides(shape, [strides, *aligned], broadcast)
        return Result(shape, stride, input._dtype)


class IndexPut(Write):
    """``x[i, :, j] = values``; `params` are the dimensions of the index tensors, and the action."""

    into_expanded = True

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """As the tensor.

        Raises:
            RuntimeError: the values cannot be broadcast to what the indices choose, or have another dtype.
        """
        input, values, *indices = operands
        if isinstance(values, Tensor):
            shape = self.rule(input._shape, input._stride, indices, params).shape
            _check_values(input, shape, values)
        return super().result(operands, params)


INDEX = Index("index", _route, error=IndexError)
INDEX_PUT = IndexPut("index_put", _route, error=IndexError)


def _aligned(index: Tensor, met: Size, before: int, shape: Size) -> tuple[int, ...]:
    """The strides of an index among the operands that decide in which order a result is laid out."""
    strides = broadcasting.broadcast_strides(index._shape, index._stride, met)
    if index._dtype is dtypes.int32:  # PyTorch makes a dense int64 tensor of it first
        strides = memory_formats.preserved_strides(met, strides)
    ones = Size((*(1,) * before, *met, *(1,) * (len(shape) - before - len(met))))
    viewed = layout.view_strides(met, strides, ones)
    assert not isinstance(viewed, Refusal)  # dimensions of size 1 can always be added
    return broadcasting.broadcast_strides(ones, viewed, shape)


def _without_masks(input: Tensor, chosen: Chosen) -> dict[int, Tensor]:
    """One index tensor a dimension: a mask becomes the indices of its true elements."""
    indices: dict[int, Tensor] = {}
    for dim, item in chosen.items():
        if item.dtype in (dtypes.bool, dtypes.uint8):
            if item.dtype is dtypes.uint8:
                warn_caller(
                    "indexing with dtype tensorlab.uint8 is now deprecated, please use a dtype "
                    "tensorlab.bool instead: the elements are taken for a mask, not for positions",
                    UserWarning,
                )
            _check_mask(input, dim, item)
            for position, index in enumerate(masks.nonzero(item, as_tuple=True)):
                indices[dim + position] = index
        elif item.dtype is dtypes.int64 or item.dtype is dtypes.int32:
            indices[dim] = item
        else:
            raise IndexError(
                f"tensors used as indices must be long, int, byte or bool tensors: the index of dimension "
                f"{dim} is {item.dtype.name}, convert it with .to(tensorlab.int64)"
            )
    return indices


def _check_mask(input: Tensor, dim: int, mask: Tensor) -> None:
    for position, size in enumerate(mask.shape):
        if size != input.shape[dim + position]:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {position} does not match the shape of "
                f"the indexed tensor {list(input.shape)} at index {dim + position}: a mask has the sizes of "
                f"the dimensions that it chooses from"
            )


def _broadcast(shapes: list[Size]) -> Size:
    try:
        return broadcasting.broadcast_shapes(*shapes)
    except RuntimeError:
        named = ", ".join(str(list(shape)) for shape in shapes)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {named}: "
            f"aligned from the right, two sizes must be equal or one of them 1"
        ) from None


def _only_mask(input: Tensor, chosen: Chosen) -> Tensor | None:
    """The one mask that chooses, with a dimension of size 1 for each dimension that comes after it."""
    if len(chosen) != 1:
        return None
    ((dim, mask),) = chosen.items()
    if mask.dtype not in (dtypes.bool, dtypes.uint8):
        return None
    if mask._shape == input._shape and not dim:
        return mask
    _check_mask(input, dim, mask)
    after = input.ndim - dim - mask.ndim
    return make_tensor(
        mask._storage,
        mask._dtype,
        Size((*mask.shape, *(1,) * after)),
        (*mask.stride(), *(1,) * after),
        mask._offset,
    )


def _check_values(input: Tensor, shape: Size, values: Tensor) -> None:
    if values._shape != shape and isinstance(
        broadcasting.expand_strides(values.shape, values.stride(), shape), Refusal
    ):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing "
            f"result of shape {list(shape)}"
        )
    if values.dtype is not input.dtype:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {input.dtype.name} for the "
            f"destination and {values.dtype.name} for the source: convert with "
            f"value.to(tensorlab.{input.dtype.name})"
        )
