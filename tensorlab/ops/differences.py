"""Differences between neighbours, and slopes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from tensorlab import dtypes
from tensorlab.layout import as_int
from tensorlab.ops import conversion, indexing, joining, pointwise
from tensorlab.ops.arguments import need_tensor, numpy_names
from tensorlab.ops.folding import as_dims, as_one_dim
from tensorlab.ops.operands import Number, is_number
from tensorlab.ops.outputs import written
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op("function method")
@numpy_names
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Each element less the one before it along a dimension, `n` times over; for bools, whether they differ.

    Args:
        input: a tensor of at least one dimension.
        n: how often to take differences; each time the dimension becomes shorter by one.
        dim: the dimension to walk along; the last without it.
        prepend: elements to put before those of `input` first.
        append: elements to put after them.
        out: a tensor of the result's shape to write into.

    Raises:
        RuntimeError: `input` has no dimensions, `n` is negative, or `prepend` or `append` does not fit.
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([1, 4, 9, 16]).diff(), tl.tensor([1, 4, 9, 16]).diff(2)
        (tensor([3, 5, 7]), tensor([2, 2]))
    """
    if need_tensor("diff", input).ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional, got a tensor of 0 dimensions")
    position = as_one_dim("diff", dim, input)
    n = as_int(n, "diff(): n")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    parts = [part for part in (prepend, input, append) if part is not None]
    for part in parts:
        other = [size for at, size in enumerate(part.shape) if at != position]
        if part.ndim != input.ndim or other != [s for at, s in enumerate(input.shape) if at != position]:
            raise RuntimeError(
                f"diff expects the shape of tensor to prepend or append to match that of input except along "
                f"the differencing dimension {position}: input has shape {tuple(input.shape)}, the other "
                f"{tuple(part.shape)}"
            )
    if n == 0:  # prepend and append have nothing to be taken a difference with
        return conversion.clone(input) if out is None else written(out, input)
    result = joining.cat(parts, position) if len(parts) > 1 else input
    before = (slice(None),) * position
    for _ in range(min(n, result.shape[position])):
        later = indexing.getitem(result, (*before, slice(1, None)))
        earlier = indexing.getitem(result, (*before, slice(None, -1)))
        if result.dtype is dtypes.bool:
            result = pointwise.logical_xor(later, earlier)
        else:
            result = pointwise.sub(later, earlier)
    return result if out is None else written(out, result, result._stride)


@op()
def gradient(
    input: Tensor,
    *,
    spacing: Number | Sequence[Number] | Sequence[Tensor] | None = None,
    dim: int | Sequence[int] | None = None,
    edge_order: int = 1,
) -> tuple[Tensor, ...]:
    """The slopes of a function that is known at points: one tensor a dimension.

    Inside, the slope is that of the parabola through a point and its two neighbours.

    Args:
        input: the function's values.
        spacing: how far apart the points are: one number for all dimensions, one for each of them, or for
            each of them a vector of where the points are; 1 without it.
        dim: the dimensions to take slopes along; all without it.
        edge_order: at the ends, the slope of the line through two points (1) or of the parabola through
            three (2).

    Returns:
        a tuple of tensors of `input`'s shape; integers give the default dtype.

    Raises:
        RuntimeError: a dimension has too few points, or `spacing` or `edge_order` does not fit.
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> tl.gradient(tl.tensor([1.0, 4.0, 9.0, 16.0]))
        (tensor([3., 4., 6., 7.]),)
        >>> tl.gradient(tl.tensor([0.0, 1.0, 9.0]), spacing=(tl.tensor([0.0, 1.0, 3.0]),))
        (tensor([1., 2., 4.]),)
    """
    need_tensor("gradient", input)
    positions = as_dims(dim, input.ndim, "gradient") if dim is not None else tuple(range(input.ndim))
    if edge_order not in (1, 2):
        raise RuntimeError(f"torch.gradient only supports edge_order=1 and edge_order=2, got {edge_order}.")
    for position in positions:
        if input.shape[position] <= edge_order:
            raise RuntimeError(
                f"torch.gradient expected each dimension size to be at least edge_order+1: dimension "
                f"{position} has size {input.shape[position]}, and edge_order is {edge_order}"
            )
    spacing = 1 if spacing is None else spacing
    spacings: list[Any] = [spacing] * len(positions) if is_number(spacing) else list(cast(Sequence, spacing))
    if len(spacings) != len(positions):
        raise RuntimeError(
            f"torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
            f"the number of dimensions, {len(positions)}, but got a list of length {len(spacings)}"
        )
    values = input if input.is_floating_point() else conversion.to(input, dtypes.get_default_dtype())
    return tuple(_slopes(values, p, step, edge_order) for p, step in zip(positions, spacings, strict=True))


def _slopes(values: Tensor, dim: int, spacing: Tensor | Number, edge_order: int) -> Tensor:
    count = values.shape[dim]
    steps: Any = spacing
    if isinstance(spacing, Tensor):
        if tuple(spacing.shape) != (count,):
            raise RuntimeError(
                f"torch.gradient expected one coordinate for each point, {count}, but got shape "
                f"{tuple(spacing.shape)}"
            )
        steps = diff(spacing).reshape([-1 if at == dim else 1 for at in range(values.ndim)])
    rises = diff(values, dim=dim) / steps  # of the lines from each point to the next
    before, after = rises.narrow(dim, 0, count - 2), rises.narrow(dim, 1, count - 2)
    # What each line counts in the middle: the nearer neighbour's more.
    share: Any = 0.5
    if isinstance(spacing, Tensor):
        left, right = steps.narrow(dim, 0, count - 2), steps.narrow(dim, 1, count - 2)
        share = left / (left + right)
    inside = before + (after - before) * share
    first, last = rises.narrow(dim, 0, 1), rises.narrow(dim, count - 2, 1)
    if edge_order == 2:
        head: Any = share if is_number(share) else share.narrow(dim, 0, 1)
        tail: Any = share if is_number(share) else share.narrow(dim, count - 3, 1)
        first = first - (rises.narrow(dim, 1, 1) - first) * head
        last = last + (last - rises.narrow(dim, count - 3, 1)) * (1 - tail)
    return joining.cat([first, inside, last], dim)
