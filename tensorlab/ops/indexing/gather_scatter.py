"""An index for every element: `gather` reads along a dimension, `scatter` and its kin write along it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tensorlab.autograd.last_writer import written_by
from tensorlab.autograd.recording import in_place, record
from tensorlab.autograd.views import requires_grad
from tensorlab.core import broadcasting, dtypes
from tensorlab.core.dtypes import dtype, int64
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import contiguous_format
from tensorlab.core.modes import current, no_grad
from tensorlab.dispatch.memory import as_new, counted, next_version
from tensorlab.dispatch.operands import Number, number_from
from tensorlab.dispatch.primitive import IN_PLACE, Recorded, Result, call, check_out
from tensorlab.ops import arithmetic, creation
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.indexing.gradients import (
    GatherBackward0,
    ScatterAddBackward0,
    ScatterBackward0,
    ScatterBackward1,
    ScatterReduceBackward0,
)
from tensorlab.ops.indexing.index_plan import (
    Read,
    Write,
    along_dim,
    dim_of,
    need_dtype,
    need_index,
    written_at,
)
from tensorlab.ops.outputs import written
from tensorlab.registry import op
from tensorlab.tensor import Tensor


class Gather(Read):
    """`gather`; `params` are the dimension."""

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """Of the index's shape.

        Raises:
            RuntimeError: the index has another dtype than int64 or int32, or does not fit.
        """
        input, index = operands
        if index.numel():
            need_index(self.name, index)
            _check_sizes(self.name, input, params[0], index)
        return super().result(operands, params)


class Scatter(Write):
    """`scatter` and its kin; `params` are the dimension and the action."""

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """As the tensor.

        Raises:
            RuntimeError: the index or the values have another dtype, or do not fit.
        """
        input, values, index = operands
        if isinstance(values, Tensor):
            need_dtype(self.name, input, "src", values)
        if index.numel():
            need_index(self.name, index)
            _check_sizes(self.name, input, params[0], index)
            if isinstance(values, Tensor):
                _check_covered(self.name, index, values)
        return super().result(operands, params)

    def value_strides(self, sizes: Size, stride: tuple[int, ...], shape: Size) -> tuple[int, ...]:
        """Values may be larger than the index: the rest is not read."""
        return stride[: len(shape)] if sizes else (0,) * len(shape)

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """With the dimension."""
        is_tensor = isinstance(operands[1], Tensor)
        return self.kind or (ScatterBackward0 if is_tensor else ScatterBackward1), {"dim": params[0]}


GATHER = Gather("gather", along_dim, GatherBackward0)
SCATTER = Scatter("scatter", along_dim)
SCATTER_ADD = Scatter("scatter_add", along_dim, ScatterAddBackward0)
SCATTER_REDUCE = Scatter("scatter_reduce", along_dim)


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
        >>> scores = tl.tensor([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]])
        >>> scores.gather(1, tl.tensor([[1], [0], [1]]))
        tensor([[0.9000],
                [0.8000],
                [0.7000]])
    """
    need_tensor("gather", input)
    need_tensor("gather", index, "index")
    return call(GATHER, input, index, params=(dim_of(input, dim),), out=out)


@op("function method in_place")
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
    """`input` with elements replaced where an index says: ``result[i, index[i, j]] = src[i, j]`` for dim 1.

    Args:
        input: a tensor.
        dim: the dimension along which the index chooses.
        index: int64 or int32, with as many dimensions as `input`; apart from `dim` it is nowhere larger than
            `input`, and nowhere larger than `src`. Where it names an element several times the last one in
            row-major order stays.
        src: a tensor of `input`'s dtype, or a number.
        value: a number, by another name.
        reduce: ``"add"`` or ``"multiply"``: combine with the element instead of overwriting it.
        out: a tensor of the result's shape and dtype to write into.

    Raises:
        TypeError: neither `src` nor `value` is given, or one is of another kind.
        IndexError: there is no such dimension.
        RuntimeError: the index has another dtype or shape, or names an element that does not exist; or the
            write is refused. Nothing is written then.

    Example:
        >>> tl.zeros(2, 3).scatter(1, tl.tensor([[2], [0]]), 1)
        tensor([[0., 0., 1.],
                [1., 0., 0.]])
    """
    dim, values, action = _scattered(input, dim, index, src, value, reduce)
    return written_at(SCATTER, input, values, index, (dim, action), out)


def _need_plain_scatter(reduce: str | None, *operands: object) -> None:
    if reduce is not None and current.grad:
        for operand in operands:
            if isinstance(operand, Tensor) and requires_grad(operand):
                raise RuntimeError(
                    f"the derivative for scatter with reduce={reduce!r} is not implemented: scatter_reduce "
                    f"has one, and scatter_add"
                )


@op("function method in_place")
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`input` with elements added where an index says: ``result[i, index[i, j]] += src[i, j]`` for dim 1.

    It is the adjoint of `gather`. An element that is named several times gets every sum, in row-major order
    of the index, whatever the number of threads; on a GPU in any order, unless that is asked for by
    `tensorlab.use_deterministic_algorithms`. Arguments and errors are those of `scatter`.

    Example:
        >>> tl.zeros(3).scatter_add(0, tl.tensor([0, 2, 0]), tl.tensor([1.0, 2.0, 3.0]))
        tensor([4., 0., 2.])
    """
    need_tensor("scatter_add", src, "src")
    dim = _checked_dim("scatter_add", input, dim, index)
    return written_at(SCATTER_ADD, input, src, index, (dim, "add"), out)


@op("function method")
def take_along_dim(
    input: Tensor, indices: Tensor, dim: int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """`gather` with broadcasting: apart from `dim`, `input` and the indices broadcast with each other.

    Args:
        input: the tensor to read.
        indices: int64, as ``argsort`` and ``argmax(keepdim=True)`` give them. They are taken modulo the size
            of the dimension, so that -1 is the last element.
        dim: the dimension along which the indices choose. Without it both are flattened, and the indices must
            be 0 or more.
        out: a tensor of the result's shape to write into.

    Raises:
        RuntimeError: the indices have another dtype or number of dimensions, or the shapes do not broadcast.
        IndexError: there is no such dimension.

    Example:
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
        return gather(input.reshape(-1), 0, indices.reshape(-1), out=out)
    if input.ndim != indices.ndim:
        raise RuntimeError(
            f"take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    dim = dim_of(input, dim)
    size = input.shape[dim] if input.ndim else 1
    if not size and indices.numel():
        raise RuntimeError("take_along_dim(): the dimension has no elements, and the indices name some")
    indices = indices.remainder(max(size, 1))
    if _with_size(input, dim, 1) != _with_size(indices, dim, 1):
        met = list(broadcasting.broadcast_shapes(_with_size(input, dim, 1), _with_size(indices, dim, 1)))
        input = input.expand(Size((*met[:dim], size, *met[dim + 1 :])))
        indices = indices.expand(Size((*met[:dim], indices.shape[dim], *met[dim + 1 :])))
    return gather(input, dim, indices, out=out)


def _with_size(tensor: Tensor, dim: int, size: int) -> Size:
    return Size((*tensor.shape[:dim], size, *tensor.shape[dim + 1 :]))


def _scattered(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor | Number | None,
    value: Number | None,
    reduce: str | None,
) -> tuple[int, Tensor | Number, str]:
    """The dimension, the values to scatter and what to do with them."""
    values = value if src is None else src
    if not isinstance(values, (Tensor, bool, int, float)):
        raise TypeError(f"scatter(): argument 'src' must be Tensor or a number, not {type(values).__name__}")
    if reduce not in _SCATTER_ACTIONS:
        raise RuntimeError(f"reduce argument must be either add or multiply, got {reduce!r}")
    dim = _checked_dim("scatter", input, dim, index)
    _need_plain_scatter(reduce, input, values)
    return dim, values, _SCATTER_ACTIONS[reduce]


def _checked_dim(function: str, input: Tensor, dim: int, index: Tensor) -> int:
    need_tensor(function, input)
    need_tensor(function, index, "index")
    return dim_of(input, dim)


_SCATTER_ACTIONS = {None: "replace", "add": "add", "multiply": "mul"}


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


def _check_covered(function: str, index: Tensor, src: Tensor) -> None:
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


# --- several that go to one place ---------------------------------------------------------------------


@op("function method in_place")
def scatter_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """`input` with elements combined where an index says: all of `src` that one element is named for.

    Args:
        input, dim, index, src: as for `scatter_add`.
        reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: whether the element that `input` has there takes part.
        out: a tensor of the result's shape and dtype to write into.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: `reduce` is another word; or as for `scatter`.

    Example:
        >>> tl.zeros(3).scatter_reduce(0, tl.tensor([0, 2, 0]), tl.tensor([1.0, 2.0, 3.0]), "amax")
        tensor([3., 0., 2.])
    """
    notes = _reduction(input, dim, index, src, reduce, include_self)
    if out is IN_PLACE:
        version = next_version(input)
        with in_place(ScatterReduceBackward0, input, src, index, **notes), no_grad():
            counted(_reduced(input, index, src, **notes), version)
        return written_by("scatter_reduce_", input)
    if out is not None:
        check_out("scatter_reduce", out, input, src)
    with no_grad():
        result = _reduced(input.clone(memory_format=contiguous_format), index, src, **notes)
    if out is not None:
        return written(out, result, exact=True)
    return record(ScatterReduceBackward0, as_new(result), input, src, index, **notes)


def _lowest(t: dtype) -> Number:
    return -math.inf if t.is_floating_point else dtypes.integer_range(t)[0]


def _highest(t: dtype) -> Number:
    return math.inf if t.is_floating_point else dtypes.integer_range(t)[1]


# For each reduction what is done with an element, and the value that leaves it as it comes.
_REDUCTIONS: dict[str, tuple[str, Callable[[dtype], Number]]] = {
    "sum": ("add", lambda t: 0),
    "mean": ("add", lambda t: 0),
    "prod": ("mul", lambda t: 1),
    "amax": ("max", _lowest),
    "amin": ("min", _highest),
}


def _reduction(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool
) -> dict[str, Any]:
    """What a reduction is told beside its tensors, checked."""
    need_tensor("scatter_reduce", src, "src")
    dim = _checked_dim("scatter_reduce", input, dim, index)
    if reduce not in _REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce!r}")
    if reduce == "mean" and input.dtype is dtypes.bool:
        raise NotImplementedError("scatter_reduce(): the mean of bools is not a bool: convert them first")
    SCATTER_REDUCE.result((input, src, index), (dim, reduce))
    return {"dim": dim, "reduce": reduce, "include_self": include_self}


def _reduced(target: Tensor, index: Tensor, src: Tensor, dim: int, reduce: str, include_self: bool) -> Tensor:
    """`target` with elements of `src` combined into it, and nothing recorded."""
    action, neutral = _REDUCTIONS[reduce]
    if not include_self:
        written_at(SCATTER_REDUCE, target, neutral(target.dtype), index, (dim, "replace"), IN_PLACE)
    written_at(SCATTER_REDUCE, target, src, index, (dim, action), IN_PLACE)
    return _divide_by_counts(target, dim, index, include_self) if reduce == "mean" else target


def _divide_by_counts(target: Tensor, dim: int, index: Tensor, include_self: bool) -> Tensor:
    """Sums into means: each element divided by the number of values in it; integers are rounded down."""
    counts = creation.full(target.shape, int(include_self), dtype=dtypes.int64, device=target.device)
    written_at(SCATTER_REDUCE, counts, 1, index, (dim, "add"), IN_PLACE)
    counts.masked_fill_(counts == 0, 1)
    divide = arithmetic.div if target.dtype.is_floating_point else arithmetic.floor_divide
    return divide(target, counts.to(target.dtype), out=IN_PLACE)


# --- class numbers as vectors -------------------------------------------------------------------------


@op(namespace="nn.functional")
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Class numbers as vectors with a 1 at the class and 0 elsewhere, along a new last dimension.

    Args:
        tensor: int64, each 0 or more.
        num_classes: the length of the vectors; -1 stands for the greatest class plus 1.

    Returns:
        an int64 tensor of shape ``(*tensor.shape, num_classes)``.

    Raises:
        TypeError: `tensor` is no tensor, or `num_classes` no int.
        RuntimeError: the dtype is another, a class is negative or not less than `num_classes`, or there are
            no classes to count.

    Example:
        >>> one_hot(tl.tensor([0, 2]), 3)
        tensor([[1, 0, 0],
                [0, 0, 1]])
    """
    need_tensor("one_hot", tensor, "tensor")
    num_classes = number_from(num_classes)
    if isinstance(num_classes, bool) or not isinstance(num_classes, int):
        raise TypeError(f"one_hot(): argument 'num_classes' must be int, not {type(num_classes).__name__}")
    if tensor.dtype is not int64:
        raise RuntimeError(
            f"one_hot is only applicable to index tensor of type LongTensor, got {tensor.dtype.name}: "
            f"convert it with .to(tensorlab.int64)"
        )
    if not tensor.numel():
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor: give num_classes")
        return tensor.new_zeros((*tensor.shape, num_classes))
    least, greatest = (bound.item() for bound in tensor.aminmax())
    if least < 0:
        raise RuntimeError(f"Class values must be non-negative, got {least}")
    if num_classes == -1:
        num_classes = greatest + 1
    elif greatest >= num_classes:
        raise RuntimeError(f"Class values must be smaller than num_classes, got {greatest} and {num_classes}")
    result = tensor.new_zeros((*tensor.shape, num_classes))
    return as_new(scatter(result, -1, tensor.unsqueeze(-1), 1, out=IN_PLACE))
