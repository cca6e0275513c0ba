"""An index for every element: `gather` reads along a dimension, `scatter` and its kin write along it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlab import broadcasting, dtypes, layout
from tensorlab.autograd.recording import in_place, record
from tensorlab.autograd.views import requires_grad
from tensorlab.backends import backend
from tensorlab.layout import Size
from tensorlab.modes import current
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.dispatch import check_out
from tensorlab.ops.indexing.arguments import contiguous_copy, need_dtype, need_index, result_in
from tensorlab.ops.indexing.gradients import (
    GatherBackward0,
    ScatterAddBackward0,
    ScatterBackward0,
    ScatterBackward1,
)
from tensorlab.ops.indexing.places import along_dim, check, combine, expanded, read, refuse_shared
from tensorlab.ops.operands import Number
from tensorlab.ops.shape import expand, reshape
from tensorlab.ops.sharing import from_numpy
from tensorlab.ops.writing import counted, next_version
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_tensor


@op("function method")
def gather(
    input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False, out: Tensor | None = None
) -> Tensor:
    """The elements that an index names along one dimension: ``input[i, index[i, j]]`` for dim 1.

    Args:
        input: the tensor to read.
        dim: the dimension along which the index chooses.
        index: int64 or int32, with as many dimensions as `input`; apart from `dim` it is nowhere larger.
            Indices are 0 or more.
        sparse_grad: accepted as in PyTorch; gradients are dense here.
        out: a tensor of `index`'s shape to write into.

    Returns:
        a new tensor of `index`'s shape; or `out`.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: the index has another dtype or shape, or names an element that does not exist.

    Example:
        >>> import tensorlab as tl
        >>> scores = tl.tensor([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]])
        >>> scores.gather(1, tl.tensor([[1], [0], [1]]))
        tensor([[0.9000],
                [0.8000],
                [0.7000]])
    """
    need_tensor("gather", input)
    need_tensor("gather", index, "index")
    dim = layout.wrap_dim(layout.as_int(dim, "dim"), input.ndim)
    if index.numel():
        need_index("gather", index)
        _check_sizes("gather", input, dim, index)
    check(along_dim(input, dim, index), RuntimeError)
    result, (source, index) = result_in("gather", out, index.shape, input.dtype, input, index)
    read(source, along_dim(source, dim, index), result)
    return record(GatherBackward0, result, input, sizes=input._shape, dim=dim, index=index)


@op("function method")
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor | Number | None = None,
    *,
    value: Number | None = None,
    reduce: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """A copy of `input` with elements written where an index says; see `scatter_`.

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros(2, 3).scatter(1, tl.tensor([[2], [0]]), 1)
        tensor([[0., 0., 1.],
                [1., 0., 0.]])
    """
    values, action = _scattered(src, value, reduce)
    version = next_version(out)
    to_write = copy_for("scatter", input, out, values)
    result = counted(scatter_checked("scatter", input, dim, index, values, action, to_write), version)
    _need_plain_scatter(reduce, input, values)
    return record(_node(values), result, input, values, dim=dim, index=index)


@op("method")
def scatter_(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor | Number | None = None,
    *,
    value: Number | None = None,
    reduce: str | None = None,
) -> Tensor:
    """Elements written where an index says: ``input[i, index[i, j]] = src[i, j]`` for dim 1.

    Args:
        input: the tensor to write into.
        dim: the dimension along which the index chooses.
        index: int64 or int32, with as many dimensions as `input`; apart from `dim` it is nowhere larger than
            `input`, and nowhere larger than `src`. Where it names an element several times the last one in
            row-major order stays.
        src: a tensor of `input`'s dtype, or a number.
        value: a number, by another name.
        reduce: ``"add"`` or ``"multiply"``: combine with the element instead of overwriting it.

    Raises:
        TypeError: neither `src` nor `value` is given, or one is of another kind.
        IndexError: there is no such dimension.
        RuntimeError: the index has another dtype or shape, or names an element that does not exist; or the
            write is refused. Nothing is written then.

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros(2, 3).scatter_(1, tl.tensor([[2], [0]]), 1.0)
        tensor([[0., 0., 1.],
                [1., 0., 0.]])
    """
    values, action = _scattered(src, value, reduce)
    _need_plain_scatter(reduce, input, values)
    refuse_shared(input, values)
    with in_place(_node(values), input, values, dim=dim, index=index):
        scatter_checked("scatter", input, dim, index, values, action)
    return input


def _node(values: Tensor | Number) -> Any:
    return ScatterBackward0 if isinstance(values, Tensor) else ScatterBackward1


def _need_plain_scatter(reduce: str | None, *operands: object) -> None:
    if reduce is not None and current.grad:
        for operand in operands:
            if isinstance(operand, Tensor) and requires_grad(operand):
                raise RuntimeError(
                    f"the derivative for scatter with reduce={reduce!r} is not implemented: scatter_reduce "
                    f"has one, and scatter_add"
                )


@op("function method")
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of `input` with elements added where an index says; see `scatter_add_`.

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros(3).scatter_add(0, tl.tensor([0, 2, 0]), tl.tensor([1.0, 2.0, 3.0]))
        tensor([4., 0., 2.])
    """
    need_tensor("scatter_add", src, "src")
    version, copy = next_version(out), copy_for("scatter_add", input, out, src)
    result = counted(scatter_checked("scatter_add", input, dim, index, src, "add", copy), version)
    return record(ScatterAddBackward0, result, input, src, dim=dim, index=index)


@op("method")
def scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Elements added where an index says: ``input[i, index[i, j]] += src[i, j]`` for dim 1.

    It is the adjoint of `gather`. An element that is named several times gets every sum, in row-major order
    of the index, whatever the number of threads. Arguments and errors are those of `scatter_`.

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros(3).scatter_add_(0, tl.tensor([0, 2, 0]), tl.tensor([1.0, 2.0, 3.0]))
        tensor([4., 0., 2.])
    """
    need_tensor("scatter_add", src, "src")
    refuse_shared(input, src)
    with in_place(ScatterAddBackward0, input, src, dim=dim, index=index):
        scatter_checked("scatter_add", input, dim, index, src, "add")
    return input


@op("function method")
def take_along_dim(
    input: Tensor, indices: Tensor, dim: int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """`gather` with broadcasting: apart from `dim`, `input` and the indices stretch to meet each other.

    Args:
        input: the tensor to read.
        indices: int64, as ``argsort`` and ``argmax(keepdim=True)`` give them. They are taken modulo the size
            of the dimension, so that -1 is the last element.
        dim: the dimension along which the indices choose. Without it both are flattened, and the indices must
            be 0 or more.
        out: a tensor of the result's shape to write into.

    Raises:
        RuntimeError: the indices have another dtype or number of dimensions, or the shapes do not meet.
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([[3, 1, 2], [6, 5, 4]])
        >>> x.take_along_dim(tl.tensor([[-1, 0]]), 1)
        tensor([[2, 3],
                [4, 6]])
    """
    need_tensor("take_along_dim", input)
    need_tensor("take_along_dim", indices, "indices")
    if indices.dtype is not dtypes.int64:
        raise RuntimeError(
            f"take_along_dim(): dtype of indices should be int64 but got {indices.dtype.name}: convert with "
            f".to(tensorlab.int64)"
        )
    if dim is None:
        return gather(reshape(input, -1), 0, reshape(indices, -1), out=out)
    if input.ndim != indices.ndim:
        raise RuntimeError(
            f"take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    dim = layout.wrap_dim(layout.as_int(dim, "dim"), input.ndim)
    if input.ndim:
        met = list(broadcasting.broadcast_shapes(_with_size(input, dim, 1), _with_size(indices, dim, 1)))
        input = expand(input, Size((*met[:dim], input.shape[dim], *met[dim + 1 :])))
        indices = expanded(indices, Size((*met[:dim], indices.shape[dim], *met[dim + 1 :])))
    return gather(input, dim, _modulo(indices, input.shape[dim] if input.ndim else 1), out=out)


def _with_size(tensor: Tensor, dim: int, size: int) -> Size:
    return Size((*tensor.shape[:dim], size, *tensor.shape[dim + 1 :]))


def _modulo(index: Tensor, size: int) -> Tensor:
    """The index itself if it is in range, else a copy taken modulo the size."""
    if not backend("cpu").outside(index.shape, index.stride(), 0, size)(index._buffer()):
        return index
    if not size:
        raise RuntimeError("take_along_dim(): the dimension has no elements, and the indices name some")
    return from_numpy(index._cells_array() % size)


def _scattered(
    src: Tensor | Number | None, value: Number | None, reduce: str | None
) -> tuple[Tensor | Number, str]:
    """The values to scatter and what to do with them."""
    values = value if src is None else src
    if not isinstance(values, (Tensor, bool, int, float)):
        raise TypeError(f"scatter(): argument 'src' must be Tensor or a number, not {type(values).__name__}")
    if reduce not in _SCATTER_ACTIONS:
        raise RuntimeError(f"reduce argument must be either add or multiply, got {reduce!r}")
    return values, _SCATTER_ACTIONS[reduce]


_SCATTER_ACTIONS = {None: "replace", "add": "add", "multiply": "mul"}


Copy = Callable[[], Tensor]


def copy_for(function: str, input: Tensor, out: Tensor | None, values: Tensor | Number) -> Copy:
    """What makes the copy that is written, once the arguments are known to be good.

    Raises:
        RuntimeError: gradients could not follow into `out`.
    """
    if out is not None:
        check_out(function, out, input, values)
    return lambda: contiguous_copy(function, input, out)


def scatter_checked(
    function: str,
    input: Tensor,
    dim: int,
    index: Tensor,
    values: Tensor | Number,
    action: str,
    copy: Copy | None = None,
) -> Tensor:
    """Check everything, then write into `input`, or into the copy that `copy` makes."""
    dim, values = check_scatter(function, input, dim, index, values)
    target = input if copy is None else copy()
    return combine(target, along_dim(target, dim, index), values, action)


def check_scatter(
    function: str, input: Tensor, dim: int, index: Tensor, values: Tensor | Number
) -> tuple[int, Tensor | Number]:
    """The dimension, and the part of the values that the index covers."""
    need_tensor(function, input)
    need_tensor(function, index, "index")
    dim = layout.wrap_dim(layout.as_int(dim, "dim"), input.ndim)
    if isinstance(values, Tensor):
        need_dtype(function, input, "src", values)
    if index.numel():
        need_index(function, index)
        _check_sizes(function, input, dim, index)
        if isinstance(values, Tensor):
            values = _covered(function, index, values)
        check(along_dim(input, dim, index), RuntimeError)
    elif isinstance(values, Tensor):
        values = 0  # nothing is written, whatever the shapes
    return dim, values


def _check_sizes(function: str, input: Tensor, dim: int, index: Tensor) -> None:
    if max(index.ndim, 1) != max(input.ndim, 1):
        raise RuntimeError(
            f"{function}(): Index tensor must have the same number of dimensions as input tensor, got "
            f"{index.ndim} and {input.ndim}"
        )
    for d, (size, limit) in enumerate(zip(index.shape, input.shape, strict=False)):
        if d != dim and size > limit:
            raise RuntimeError(
                f"{function}(): Expected index {list(index.shape)} to be no larger than self "
                f"{list(input.shape)} apart from dimension {dim}: it does not match at dimension {d}"
            )


def _covered(function: str, index: Tensor, src: Tensor) -> Tensor:
    if max(index.ndim, 1) != max(src.ndim, 1):
        raise RuntimeError(
            f"{function}(): Index tensor must have the same number of dimensions as src tensor, got "
            f"{index.ndim} and {src.ndim}"
        )
    if any(size > limit for size, limit in zip(index.shape, src.shape or (1,), strict=False)):
        raise RuntimeError(
            f"{function}(): Expected index {list(index.shape)} to be no larger size than src "
            f"{list(src.shape)}"
        )
    strides = (src.stride() or (1,))[: index.ndim]
    return make_tensor(src._storage, src._dtype, index.shape, strides, src._offset)
