"""Masks: what is true in them is read, written, or located."""

from __future__ import annotations

from typing import Any

from tensorlab.autograd.formulas import Backward
from tensorlab.autograd.recording import in_place, record
from tensorlab.core import broadcasting, dtypes
from tensorlab.core.layout import Size
from tensorlab.dispatch.copies import write_new
from tensorlab.dispatch.guards import guard_write, same_place
from tensorlab.dispatch.memory import allocate, allocate_strided, as_new
from tensorlab.dispatch.operands import Number, check_number, is_number
from tensorlab.dispatch.primitive import check_out, compute_into, need_one_device
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.elementwise import elementwise
from tensorlab.ops.indexing.gradients import (
    MaskedFillBackward0,
    MaskedFillBackward1,
    MaskedScatterBackward0,
    MaskedSelectBackward0,
    MaskIndexBackward0,
)
from tensorlab.ops.indexing.index_plan import apart, is_expanded, need_dtype
from tensorlab.ops.outputs import written
from tensorlab.registry import op
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor, make_tensor

WHERE = elementwise(TABLE["where"])


@op("function method", names="selects_masked")
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements where a mask is true, in row-major order, as a vector.

    Args:
        input: the tensor to read.
        mask: a tensor of bools; the two are broadcast against each other.
        out: a vector of the result's length to write into.

    Raises:
        RuntimeError: the mask has another dtype, or the shapes do not broadcast.

    Example:
        >>> x = tl.tensor([[1, 5], [7, 2]])
        >>> x.masked_select(x > 3)
        tensor([5, 7])
    """
    _need_mask("masked_select", "masked_select: expected BoolTensor for mask", mask)
    return _chosen(MaskedSelectBackward0, input, mask, out)


def chosen_by_mask(input: Tensor, mask: Tensor) -> Tensor:
    """``input[mask]`` for a mask of the tensor's own shape."""
    return _chosen(MaskIndexBackward0, input, mask, None)


def _chosen(node: type[Backward], input: Tensor, mask: Tensor, out: Tensor | None) -> Tensor:
    need_one_device("masked_select", input, mask)
    source, shape = input, input._shape
    if out is not None:
        check_out("masked_select", out, source)
    if shape != mask._shape:
        shape = broadcasting.broadcast_shapes(input.shape, mask.shape)
        input, mask = (tensor.detach().expand(shape) for tensor in (input, mask))
    found = count_true(mask)
    result = allocate(Size((found,)), input._dtype, input._storage.backend)
    if found:
        _compact("select", result, mask, input, found)
    if out is not None:
        apart(out, input, mask)
        return written(out, result, exact=True)
    return record(node, result, source, sizes=shape, mask=mask)


def put_by_mask(input: Tensor, mask: Tensor, values: Tensor) -> None:
    """``input[mask] = values`` for a mask of the tensor's own shape, and a vector of as many values.

    History is for the caller to record.
    """
    input._storage._version += 1
    if values.numel():
        _compact("scatter", values.contiguous(), mask, input, values.numel())


@op("function method", names="fills_masked")
def masked_fill(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """A copy of `input` with one number where a mask is true; the two are broadcast against each other.

    The other arguments and the errors are those of `masked_fill_`.

    Example:
        >>> scores = tl.tensor([[0.5, 1.0], [2.0, 0.1]])
        >>> scores.masked_fill(tl.tensor([[False, True], [False, False]]), -tl.inf)
        tensor([[0.5000,   -inf],
                [2.0000, 0.1000]])
    """
    _need_mask("masked_fill_", "masked_fill_ only supports boolean masks", mask)
    number, shape = _filling(input, value), broadcasting.broadcast_shapes(input._shape, mask._shape)
    result = compute_into(allocate(shape, input._dtype, input._storage.backend), WHERE, (mask, number, input))
    return record(_fill_node(value), as_new(result), input, value, mask=mask)


@op("method")
def masked_fill_(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """The elements where a mask is true overwritten with one number.

    Args:
        input: the tensor to write into.
        mask: a tensor of bools that can be broadcast to `input`'s shape.
        value: a number, or a tensor of 0 dimensions.

    Raises:
        TypeError: `value` is neither.
        RuntimeError: the mask has another dtype or does not fit, the value has dimensions or does not fit
            into the dtype, or the write is refused.

    Example:
        >>> x = tl.tensor([3, -1, 4])
        >>> x.masked_fill_(x < 0, 0)
        tensor([3, 0, 4])
    """
    _need_mask("masked_fill_", "masked_fill_ only supports boolean masks", mask)
    with in_place(_fill_node(value), input, value, mask=mask):
        number = _filling(input, value)
        if not same_place(input, mask):
            (mask,) = apart(input, mask, lenient="masked_fill_")
        target = input
        if is_expanded(input):  # a cell is filled if the mask is true for one of its elements
            mask = mask.detach().expand(input._shape)
            shared = [dim for dim, stride in enumerate(input._stride) if not stride]
            mask = mask.any(shared, True)
            sizes = Size(1 if dim in shared else size for dim, size in enumerate(input._shape))
            target = make_tensor(input._storage, input._dtype, sizes, input._stride, input._offset)
        compute_into(target, WHERE, (mask, number, target))
    return input


def _fill_node(value: Tensor | Number) -> Any:
    return MaskedFillBackward1 if isinstance(value, Tensor) else MaskedFillBackward0


def _filling(input: Tensor, value: Tensor | Number) -> Number:
    """The number that is written, of the kind of `input`'s dtype."""
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(
                f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} "
                f"dimension(s): where(mask, value, input) takes one value for each element"
            )
        value = value.item()
    elif not is_number(value):
        raise TypeError(f"masked_fill_(): argument 'value' must be a number, not {type(value).__name__}")
    check_number(value, input.dtype)
    if input._dtype.is_floating_point:
        return float(value)
    return bool(value) if input._dtype is dtypes.bool else int(value)


@op("function method")
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy of `input` with the elements of `source` where a mask is true; see `masked_scatter_`.

    Example:
        >>> tl.zeros(3).masked_scatter(tl.tensor([True, False, True]), tl.tensor([1.0, 2.0]))
        tensor([1., 0., 2.])
    """
    _need_mask("masked_scatter_", "masked_scatter_ only supports boolean masks", mask)
    shape = broadcasting.broadcast_shapes(input._shape, mask._shape)
    copy = allocate(shape, input._dtype, input._storage.backend)
    write_new(copy, input)
    result = _scattered(copy, mask, source)
    return record(MaskedScatterBackward0, as_new(result), input, source, mask=mask, sizes=source._shape)


@op("method")
def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The elements where a mask is true overwritten with the first elements of `source`, in their order.

    Args:
        input: the tensor to write into.
        mask: a tensor of bools that can be broadcast to `input`'s shape.
        source: a tensor of `input`'s dtype, with at least as many elements as the mask has true ones.

    Raises:
        RuntimeError: a dtype or shape does not fit, there are too few elements, or the write is refused.

    Example:
        >>> mask = tl.tensor([[False, True], [True, False]])
        >>> tl.zeros(2, 2).masked_scatter_(mask, tl.tensor([1.0, 2.0, 3.0]))
        tensor([[0., 1.],
                [2., 0.]])
    """
    _need_mask("masked_scatter_", "masked_scatter_ only supports boolean masks", mask)
    with in_place(MaskedScatterBackward0, input, source, mask=mask, sizes=source._shape):
        return _scattered(input, mask, source)


def _scattered(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    need_one_device("masked_scatter_", input, mask, source)
    need_dtype("masked_scatter_", input, "source", source)
    mask = _fitted(input, mask)
    found = count_true(mask)
    if source.numel() < found:
        raise RuntimeError(
            f"masked_scatter_(): Number of elements of source < number of ones in mask: the source has "
            f"{source.numel()}, and the mask is true {found} times"
        )
    source = source.detach()
    if same_place(input, source):
        source = source.clone()
    mask, source = apart(input, mask, source.contiguous())
    guard_write(input)
    input._storage._version += 1
    if found:
        _compact("scatter", source, mask, input, found)
    return input


@op("function method")
def nonzero(
    input: Tensor, *, as_tuple: bool = False, out: Tensor | None = None
) -> Tensor | tuple[Tensor, ...]:
    """Where the elements are not 0, in row-major order.

    Args:
        input: a tensor of any dtype; NaN is not 0.
        as_tuple: give one vector a dimension, ready to index with: ``x[x.nonzero(as_tuple=True)]``.
        out: an int64 tensor of the result's shape to write into.

    Returns:
        an int64 tensor with one row an element and one column a dimension; or its columns.

    Raises:
        RuntimeError: `out` is of another dtype than int64.

    Example:
        >>> x = tl.tensor([[0, 3], [4, 0]])
        >>> x.nonzero()
        tensor([[0, 1],
                [1, 0]])
        >>> x.nonzero(as_tuple=True)
        (tensor([0, 1]), tensor([1, 0]))
    """
    need_tensor("nonzero", input)
    if out is not None:
        need_tensor("nonzero", out, "out")
    if as_tuple:
        found = nonzero(input if input.ndim else input.reshape(1))
        assert isinstance(found, Tensor)
        return tuple(_column(found, dim) for dim in range(max(input.ndim, 1)))
    mask = input
    if input.dtype in (dtypes.float16, dtypes.bfloat16):  # the bits of -0.0 are not 0
        mask = input != 0
    count = count_true(mask)
    # One run of memory for each dimension: the columns are what is used.
    shape, stride = Size((count, input.ndim)), (1, count)
    result = allocate_strided(shape, stride, dtypes.int64, input._storage.backend)
    if input.ndim and count:
        _compact("positions", result, mask, None, count)
    if out is None:
        return result
    apart(out, input)
    if out.dtype is not dtypes.int64:
        raise RuntimeError(
            f"nonzero(): Expected out tensor to have dtype int64, but got {out.dtype.name} instead"
        )
    return written(out, result, result._stride)


@op("function method")
def argwhere(input: Tensor) -> Tensor:
    """Where the elements are not 0, one row an element; `nonzero` under NumPy's name.

    Example:
        >>> tl.argwhere(tl.tensor([5, 0, 6]))
        tensor([[0],
                [2]])
    """
    found = nonzero(input)
    assert isinstance(found, Tensor)
    return found


def _need_mask(function: str, rule: str, mask: object) -> None:
    found = need_tensor(function, mask, "mask").dtype
    if found is not dtypes.bool:
        raise RuntimeError(f"{rule}, but got mask with dtype {found.name}: compare it, mask != 0")


def _fitted(input: Tensor, mask: Tensor) -> Tensor:
    """The mask in `input`'s shape."""
    if mask.shape == input.shape:
        return mask
    met = broadcasting.broadcast_shapes(input.shape, mask.shape)
    if met != input.shape:
        raise RuntimeError(
            f"output with shape {list(input.shape)} doesn't match the broadcast shape {list(met)}: a tensor "
            f"that is written keeps its shape"
        )
    return mask.detach().expand(input.shape)


def count_true(mask: Tensor) -> int:
    """How many elements of a tensor are not 0."""
    return int(mask.detach().count_nonzero().item())


def _compact(action: str, line: Tensor, mask: Tensor, other: Tensor | None, count: int) -> None:
    """Move elements between a dense `line` and where a mask is true: see `Core.compact` of the backends."""
    stride, buffer = ((), None) if other is None else (other._stride, other._buffer())
    launch = mask._storage.backend.compact(action, mask._shape, mask._stride, stride)
    launch(line._buffer(), mask._buffer(), buffer, count)


def _column(found: Tensor, dim: int) -> Tensor:
    """Column `dim` of the result of `nonzero`, which lies in memory as a run."""
    count = found.shape[0]
    return make_tensor(found._storage, found._dtype, Size((count,)), (1,), dim * count)
