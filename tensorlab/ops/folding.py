"""From a row of the table of folds to results: dimensions, dtypes, outputs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar

import numpy as np

from tensorlab import dtypes, fold_rules, layout
from tensorlab.backends import Launch, OperandLayout, backend
from tensorlab.dtypes import dtype
from tensorlab.folds import ADD, MULTIPLY, TABLE
from tensorlab.layout import Size
from tensorlab.ops import dispatch
from tensorlab.ops.dispatch import guard_write
from tensorlab.ops.outputs import fitted
from tensorlab.ops.plans import remember
from tensorlab.ops.short_ways import Short, of_cells, short_way
from tensorlab.tensor import Tensor, make_dense

__all__ = [
    "Dims",
    "as_dims",
    "as_flag",
    "as_one_dim",
    "check_out",
    "check_out_type",
    "fold",
    "is_fold",
    "reduced_shape",
    "spread",
]

Dims = int | Sequence[int] | None
# Up to this many elements in one run a fold of all goes straight to its kernel, and up to this many a fold
# along the first or the last dimension. Beyond, the best walk is worth looking for.
SMALL = 65_536
FEW = 4_096

P = ParamSpec("P")
R = TypeVar("R")


def is_fold(
    name: str,
    dims: bool = True,
    recorder: Callable[..., Callable[[Tensor, Tensor], Tensor]] | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """`short_way` for a function that is one fold.

    Args:
        name: a row of `tensorlab.folds.TABLE`.
        dims: whether ``f(x, dim)`` is the fold along one dimension.
        recorder: as `short_way` takes it.
    """
    return short_way(functools.partial(_short, name, dims), recorder)


def _short(
    name: str, dims: bool, input: Tensor, dim: int | None = None, keepdim: bool = False
) -> Short | Literal[False]:
    """The short way of a fold over all dimensions or one; False if there is none."""
    row, element_type, ndim = TABLE[name], input._dtype, input.ndim
    floating = element_type.is_floating_point
    if not input.numel() or (dim is not None and not dims) or (name == "mean" and not floating):
        return False
    if dim is not None and not -ndim <= dim < ndim:
        return False
    value = dtypes.int64 if row.join in (ADD, MULTIPLY) and not floating else element_type
    result = value
    if row.truth:
        value, result = element_type, dtypes.uint8 if element_type is dtypes.uint8 else dtypes.bool
    form = None
    if dim is None:
        form = "rows" if input.numel() <= SMALL else None
    elif input.numel() <= FEW:
        form = "rows" if dim % ndim == ndim - 1 else "columns" if dim % ndim == 0 else None
    shape = reduced_shape(input._shape, as_dims(dim, ndim, name), keepdim)
    size = layout.numel(shape)
    if form is None:
        run = of_cells(_prepare(name, input, dim, keepdim, value, result, None, 0.0).launch)
    else:
        n = input.numel() // size
        run = backend("cpu").flat_fold(row, value, element_type, result, form, size, n)
    return Short(run, result.cell, result, shape, layout.default_strides(shape), size)


def as_flag(name: str, value: object, argument: str = "keepdim") -> bool:
    """`value`, which must be a bool.

    Raises:
        TypeError: it is something else; a dimension that was meant for `dim`, say.
    """
    if value is True or value is False:
        return value
    raise TypeError(f"{name}(): argument {argument!r} must be bool, not {type(value).__name__}")


def as_dims(dim: object, ndim: int, name: str) -> tuple[int, ...]:
    """The dimensions that an argument names, counted from the front. None and no dimensions mean all.

    Raises:
        TypeError: `dim` is neither an int nor a sequence of ints.
        IndexError: there is no such dimension.
        RuntimeError: a dimension is named twice.

    Example:
        >>> as_dims((-1, 0), 3, "sum"), as_dims(None, 3, "sum")
        ((2, 0), (0, 1, 2))
    """
    if dim is None:
        return tuple(range(ndim))
    named = dim if isinstance(dim, (tuple, list)) else (dim,)
    found: list[int] = []
    for one in named:
        if isinstance(one, (bool, float, str)) or not hasattr(one, "__index__"):
            raise TypeError(
                f"{name}(): argument 'dim' must be an int or a tuple of ints, got {dim!r} "
                f"of type {type(dim).__name__}"
            )
        position = layout.wrap_dim(one.__index__(), ndim)
        if position in found:
            raise RuntimeError(f"dim {position} appears multiple times in the list of dims {tuple(named)}")
        found.append(position)
    if not ndim or not found:
        return tuple(range(ndim))
    return tuple(found)


def as_one_dim(name: str, dim: Any, input: Tensor) -> int:
    """A dimension of `input`, counted from the front.

    Raises:
        TypeError: `dim` is no int.
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> as_one_dim("cumsum", -1, tl.zeros(2, 3))
        1
    """
    if isinstance(dim, (bool, float, str, tuple, list)) or not hasattr(dim, "__index__"):
        raise TypeError(f"{name}(): argument 'dim' must be int, not {type(dim).__name__}")
    return layout.wrap_dim(dim.__index__(), input.ndim)


def reduced_shape(shape: Sequence[int], dims: Sequence[int], keepdim: bool) -> Size:
    """The shape that is left when `dims` are folded away, or kept with size 1."""
    if keepdim:
        return Size(1 if dim in dims else size for dim, size in enumerate(shape))
    return Size(size for dim, size in enumerate(shape) if dim not in dims)


def spread(gradient: Any, shape: Size, dim: Any, keepdim: bool) -> Any:
    """What belongs to the results of a fold, repeated for all elements that were folded into each.

    Args:
        gradient: a tensor of the results' shape.
        shape: of the elements.
        dim, keepdim: which dimensions were folded away, as `as_dims` takes them, and whether they stayed.

    Returns:
        a view of `shape`.

    Example:
        >>> import tensorlab as tl
        >>> spread(tl.tensor([1, 2]), tl.Size([2, 3]), 1, False)
        tensor([[1, 1, 1],
                [2, 2, 2]])
    """
    if not keepdim and gradient._shape:
        gradient = gradient.reshape(reduced_shape(shape, as_dims(dim, len(shape), "sum"), True))
    return gradient.expand(shape)


class _Plan(NamedTuple):
    """What of a fold follows from layouts and dtypes alone."""

    launch: Launch
    shape: Size
    stride: tuple[int, ...]
    size: int


_plans: dict[tuple, _Plan] = {}


def fold(
    name: str,
    input: Tensor,
    dim: Any,
    keepdim: bool,
    value: dtype,
    result: dtype,
    out: Tensor | None = None,
    k: float = 0.0,
) -> Tensor:
    """One fold over some dimensions.

    Args:
        name: a row of `tensorlab.folds.TABLE`.
        input: the elements.
        dim: the dimensions to fold away; None for all.
        keepdim: whether they stay, with size 1.
        value: the type that elements are counted in.
        result: the dtype of the results.
        out: a tensor of the result's shape and of dtype `result` to write into.
        k: the number that the fold's formulas use.

    Raises:
        TypeError, IndexError, RuntimeError: see `as_dims` and `check_out`.
    """
    if dim is not None and type(dim) is not int:
        dim = as_dims(dim, input.ndim, name)
    if out is not None:
        check_out(name, out, reduced_shape(input.shape, as_dims(dim, input.ndim, name), keepdim), input)
    stride = None if out is None else out._stride
    key = (name, input._dtype, input._shape, input._stride, dim, keepdim, value, result, k, stride)
    plan = _plans.get(key)
    if plan is None:
        plan = remember(_plans, key, _prepare(name, input, dim, keepdim, value, result, out, k))
    launch, shape, stride, size = plan
    if out is None:
        memory = np.empty(size, result.cell)
        launch((memory, 0), input._buffer())
        return make_dense(memory, result, shape, stride)
    check_out(name, out, shape, input)
    buffers = out._buffer(), input._buffer()
    out._storage._version += 1
    launch(*buffers)
    return out


def _prepare(
    name: str,
    input: Tensor,
    dim: Any,
    keepdim: bool,
    value: dtype,
    result: dtype,
    out: Tensor | None,
    k: float,
) -> _Plan:
    dims = as_dims(dim, input.ndim, name)
    shape, written = fold_rules.fold_layout(input.shape, dims, keepdim)
    if out is not None and out.shape == shape:
        own = out.stride()  # with keepdim the folded dimensions have strides too, which no index uses
        steps = iter([step for d, step in enumerate(own) if not (keepdim and d in dims)])
        written = tuple(0 if d in dims else next(steps) for d in range(input.ndim))
    launch = backend("cpu").reduce(
        TABLE[name],
        value,
        input.shape,
        dims,
        OperandLayout(result, written),
        OperandLayout(input.dtype, input.stride()),
        k,
    )
    return _Plan(launch, shape, layout.default_strides(shape), layout.numel(shape))


def check_out_type(name: str, chosen: dtype | None, out: Tensor) -> dtype:
    """The dtype of `out`, in which a function of free dtype then computes.

    Raises:
        RuntimeError: another dtype was asked for.
    """
    if chosen is not None and chosen is not out.dtype:
        raise RuntimeError(
            f"Expected out tensor to have dtype {chosen.name}, but got {out.dtype.name} instead: "
            f"{name}() was given dtype={chosen.name}, leave it out or make out of that dtype"
        )
    return out.dtype


def check_out(name: str, out: Tensor, shape: Size, *sources: Tensor) -> None:
    """Make sure that a result of `shape` can be written into `out`, which takes the shape.

    Raises:
        RuntimeError: it has another shape, `guard_write` refuses the write, or gradients cannot follow it.
    """
    # Truths and places are never recorded, whatever they are told of.
    dispatch.check_out(name, out, *(sources if out._dtype.is_floating_point else ()))
    if out._shape != shape and any(source is out for source in sources):
        raise RuntimeError(
            f"unsupported operation: {name}() reads out, which would have to change its shape from "
            f"{list(out._shape)} to {list(shape)}: bring another tensor, or clone() the input"
        )
    fitted(out, shape, out.dtype)
    guard_write(out, *sources)
