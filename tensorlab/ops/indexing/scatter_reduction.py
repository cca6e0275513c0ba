"""Elements combined where an index says: `scatter_reduce` in all its reductions."""

from __future__ import annotations

import math
from collections.abc import Callable

from tensorlab import dtypes
from tensorlab.autograd.last_writer import written_by
from tensorlab.autograd.recording import in_place, record
from tensorlab.dtypes import dtype
from tensorlab.modes import no_grad
from tensorlab.ops import arithmetic, conversion, creation, pointwise
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.indexing.along import Copy, check_scatter, copy_for, scatter_checked
from tensorlab.ops.indexing.gradients import ScatterReduceBackward0
from tensorlab.ops.indexing.masks import masked_fill_
from tensorlab.ops.operands import Number
from tensorlab.ops.writing import counted, next_version
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op("function method")
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
    """A copy of `input` with elements combined where an index says; see `scatter_reduce_`.

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros(3).scatter_reduce(0, tl.tensor([0, 2, 0]), tl.tensor([1.0, 2.0, 3.0]), "amax")
        tensor([3., 0., 2.])
    """
    need_tensor("scatter_reduce", src, "src")
    version, copy = next_version(out), copy_for("scatter_reduce", input, out, src)
    with no_grad():
        result = counted(_reduced(input, dim, index, src, reduce, include_self, copy), version)
    notes = {"dim": dim, "index": index, "reduce": reduce, "include_self": include_self}
    return record(ScatterReduceBackward0, result, input, src, **notes)


@op("method")
def scatter_reduce_(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Elements combined where an index says: all of `src` that one element of `input` is named for.

    Args:
        input, dim, index, src: as for `scatter_add_`.
        reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: whether the element that `input` has there takes part.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: `reduce` is another word; or as for `scatter_`.

    Example:
        >>> import tensorlab as tl
        >>> groups = tl.tensor([0, 1, 0, 1])
        >>> x = tl.tensor([1.0, 2.0, 3.0, 6.0])
        >>> tl.zeros(2).scatter_reduce_(0, groups, x, "mean", include_self=False)
        tensor([2., 4.])
    """
    need_tensor("scatter_reduce", src, "src")
    notes = {"dim": dim, "index": index, "reduce": reduce, "include_self": include_self}
    version = next_version(input)
    with in_place(ScatterReduceBackward0, input, src, **notes), no_grad():
        counted(_reduced(input, dim, index, src, reduce, include_self, None), version)
    return written_by("scatter_reduce_", input)


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


def _reduced(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, copy: Copy | None
) -> Tensor:
    if reduce not in _REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce!r}")
    if reduce == "mean" and input.dtype is dtypes.bool:
        raise NotImplementedError("scatter_reduce(): the mean of bools is not a bool: convert them first")
    action, neutral = _REDUCTIONS[reduce]
    check_scatter("scatter_reduce", input, dim, index, src)
    target = input if copy is None else copy()
    if not include_self:
        scatter_checked("scatter_reduce", target, dim, index, neutral(target.dtype), "replace")
    scatter_checked("scatter_reduce", target, dim, index, src, action)
    return _divide_by_counts(target, dim, index, include_self) if reduce == "mean" else target


def _divide_by_counts(target: Tensor, dim: int, index: Tensor, include_self: bool) -> Tensor:
    """Sums into means: each element divided by the number of values in it; integers are rounded down."""
    counts = creation.full(target.shape, int(include_self), dtype=dtypes.int64)
    scatter_checked("scatter_reduce", counts, dim, index, 1, "add")
    masked_fill_(counts, pointwise.eq(counts, 0), 1)
    divide = arithmetic.div_ if target.dtype.is_floating_point else arithmetic.floor_divide_
    return divide(target, conversion.to(counts, target.dtype))
