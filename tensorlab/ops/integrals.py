"""Areas under curves that are known at points: the trapezoidal rule."""

from __future__ import annotations

from tensorlab import dtypes
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.arithmetic import add, sub
from tensorlab.ops.creation import zeros
from tensorlab.ops.cumulative import cumsum
from tensorlab.ops.folding import as_one_dim
from tensorlab.ops.operands import Number
from tensorlab.ops.pointwise import div, mul
from tensorlab.ops.reduction import sum as sum_over
from tensorlab.ops.shape import reshape
from tensorlab.ops.slicing import narrow, select
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op()
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
        >>> import tensorlab as tl
        >>> tl.trapezoid(tl.tensor([1.0, 5.0, 10.0])), tl.trapezoid(tl.tensor([1.0, 5.0]), dx=0.5)
        (tensor(10.5000), tensor(1.5000))
        >>> tl.trapezoid(tl.tensor([1.0, 5.0, 10.0]), tl.tensor([1.0, 3.0, 6.0]))
        tensor(28.5000)
    """
    position = _check("trapezoid", y, x, dx, dim)
    if not y.shape[position]:
        return zeros([size for at, size in enumerate(y.shape) if at != position], dtype=y._dtype)
    if x is None:
        ends = add(select(y, position, 0), select(y, position, -1))
        return mul(sub(sum_over(y, position), mul(ends, 0.5)), 1 if dx is None else dx)
    widths, left, right = _pieces("trapezoid", y, x, position)
    return div(sum_over(mul(widths, add(left, right)), position), 2.0)


@op()
def trapz(y: Tensor, x: Tensor | None = None, *, dx: Number | None = None, dim: int = -1) -> Tensor:
    """The same as `trapezoid`.

    Example:
        >>> import tensorlab as tl
        >>> tl.trapz(tl.tensor([1.0, 5.0, 10.0]))
        tensor(10.5000)
    """
    return trapezoid(y, x, dx=dx, dim=dim)


@op()
def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: Number | None = None, dim: int = -1
) -> Tensor:
    """The area under a curve up to each of its points but the first. The arguments are those of `trapezoid`.

    Example:
        >>> import tensorlab as tl
        >>> tl.cumulative_trapezoid(tl.tensor([1.0, 5.0, 10.0]))
        tensor([ 3.0000, 10.5000])
    """
    position = _check("cumulative_trapezoid", y, x, dx, dim)
    if x is None:
        left, right = _neighbours(y, position)
        return cumsum(mul(add(right, left), (1 if dx is None else dx) / 2.0), position)
    widths, left, right = _pieces("cumulative_trapezoid", y, x, position)
    return div(cumsum(mul(widths, add(left, right)), position), 2.0)


def _check(name: str, y: Tensor, x: Tensor | None, dx: Number | None, dim: int) -> int:
    """Where in `y` the dimension is."""
    if not need_tensor(name, y, "y").ndim:
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
    return narrow(tensor, dim, 0, count), narrow(tensor, dim, tensor.shape[dim] - count, count)


def _pieces(name: str, y: Tensor, x: Tensor, dim: int) -> tuple[Tensor, Tensor, Tensor]:
    """The widths of the trapezoids, and their heights on both sides."""
    if x.ndim <= 1 < y.ndim or (x.ndim == 1 and y.ndim == 1):
        if x.ndim == 0 or x.shape[0] != y.shape[dim]:
            raise RuntimeError(
                f"{name}: There must be one `x` value for each sample point: `x` has shape "
                f"{tuple(x.shape)}, and there are {y.shape[dim]} points"
            )
        x = reshape(x, [-1 if at == dim else 1 for at in range(y.ndim)])
    if x.ndim < y.ndim:
        x = reshape(x, (1,) * (y.ndim - x.ndim) + tuple(x.shape))
    lower, upper = _neighbours(x, dim)
    left, right = _neighbours(y, dim)
    return sub(upper, lower), left, right
