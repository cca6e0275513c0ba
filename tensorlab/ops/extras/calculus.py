"""Differences, slopes and areas of functions that are known at points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from tensorlab.core import dtypes
from tensorlab.core.layout import as_int
from tensorlab.dispatch.operands import Number, is_number
from tensorlab.ops import indexing, joining
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.outputs import written
from tensorlab.ops.reduce import as_dims, as_one_dim
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op("function method")
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
        >>> tl.tensor([1, 4, 9, 16]).diff(), tl.tensor([1, 4, 9, 16]).diff(2)
        (tensor([3, 5, 7]), tensor([2, 2]))
    """
    if input.ndim == 0:
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
        return input.clone() if out is None else written(out, input)
    result = joining.cat(parts, position) if len(parts) > 1 else input
    before = (slice(None),) * position
    for _ in range(min(n, result.shape[position])):
        later = indexing.getitem(result, (*before, slice(1, None)))
        earlier = indexing.getitem(result, (*before, slice(None, -1)))
        result = later.logical_xor(earlier) if result.dtype is dtypes.bool else later - earlier
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
        >>> tl.gradient(tl.tensor([1.0, 4.0, 9.0, 16.0]))
        (tensor([3., 4., 6., 7.]),)
        >>> tl.gradient(tl.tensor([0.0, 1.0, 9.0]), spacing=(tl.tensor([0.0, 1.0, 3.0]),))
        (tensor([1., 2., 4.]),)
    """
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
    values = input if input.is_floating_point() else input.to(dtypes.get_default_dtype())
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


@op(aliases="trapz")
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Number | None = None, dim: int = -1) -> Tensor:
    """The area under a curve, as the sum of trapezoids between its points.

    Args:
        y: the heights of the curve.
        x: where the points are: a tensor that can be broadcast with `y`, or one number a point along `dim`.
        dx: how far apart they are, where `x` is not given; 1 without it.
        dim: the dimension along which the points follow each other.

    Returns:
        `y` without the dimension. Integers give the default dtype.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: there are bools, or not one `x` for each point.
        TypeError: `x` and `dx` are both given.

    Example:
        >>> tl.trapezoid(tl.tensor([1.0, 5.0, 10.0])), tl.trapezoid(tl.tensor([1.0, 5.0]), dx=0.5)
        (tensor(10.5000), tensor(1.5000))
        >>> tl.trapezoid(tl.tensor([1.0, 5.0, 10.0]), tl.tensor([1.0, 3.0, 6.0]))
        tensor(28.5000)
    """
    position = _check("trapezoid", y, x, dx, dim)
    if not y.shape[position]:
        return y.new_zeros([size for at, size in enumerate(y.shape) if at != position])
    if x is None:
        ends = y.select(position, 0) + y.select(position, -1)
        return (y.sum(position) - ends * 0.5) * (1 if dx is None else dx)
    widths, left, right = _pieces("trapezoid", y, x, position)
    return (widths * (left + right)).sum(position) / 2.0


@op()
def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: Number | None = None, dim: int = -1
) -> Tensor:
    """The area under a curve up to each of its points but the first. The arguments are those of `trapezoid`.

    Example:
        >>> tl.cumulative_trapezoid(tl.tensor([1.0, 5.0, 10.0]))
        tensor([ 3.0000, 10.5000])
    """
    position = _check("cumulative_trapezoid", y, x, dx, dim)
    if x is None:
        left, right = _neighbours(y, position)
        return ((right + left) * ((1 if dx is None else dx) / 2.0)).cumsum(position)
    widths, left, right = _pieces("cumulative_trapezoid", y, x, position)
    return (widths * (left + right)).cumsum(position) / 2.0


def _check(name: str, y: Tensor, x: Tensor | None, dx: Number | None, dim: int) -> int:
    """Where in `y` the dimension is."""
    if not y.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions: a curve has points")
    for argument, tensor in (("y", y), ("x", x)):
        if tensor is not None and need_tensor(name, tensor, argument)._dtype is dtypes.bool:
            raise RuntimeError(f"{name}: received a bool input for `{argument}`, but bool is not supported")
    if x is not None and dx is not None:
        raise TypeError(
            f"{name}() takes `x` or `dx`, and both were given: `dx` is for points equally far apart"
        )
    return as_one_dim(name, dim, y)


def _neighbours(tensor: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """All elements along a dimension but the last, and all but the first."""
    count = max(tensor.shape[dim] - 1, 0)
    return tensor.narrow(dim, 0, count), tensor.narrow(dim, tensor.shape[dim] - count, count)


def _pieces(name: str, y: Tensor, x: Tensor, dim: int) -> tuple[Tensor, Tensor, Tensor]:
    """The widths of the trapezoids, and their heights on both sides."""
    if x.ndim <= 1 < y.ndim or (x.ndim == 1 and y.ndim == 1):
        if x.ndim == 0 or x.shape[0] != y.shape[dim]:
            raise RuntimeError(
                f"{name}: There must be one `x` value for each sample point: `x` has shape "
                f"{tuple(x.shape)}, and there are {y.shape[dim]} points"
            )
        x = x.reshape([-1 if at == dim else 1 for at in range(y.ndim)])
    if x.ndim < y.ndim:
        x = x.reshape((1,) * (y.ndim - x.ndim) + tuple(x.shape))
    lower, upper = _neighbours(x, dim)
    left, right = _neighbours(y, dim)
    return upper - lower, left, right
