"""Pooling of volumes: that of their slices, and then of what came out, along the depth.

A window's greatest number is the greatest of the greatest of its slices. The mean of a window is the mean of
the means of its slices, for all slices of a window count equally many numbers. So two poolings of images do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlab.core import dtypes
from tensorlab.core.memory_formats import suggested_format
from tensorlab.dispatch.primitive import call
from tensorlab.ops.conversion import summed_in_float32
from tensorlab.ops.creation import ones_like
from tensorlab.ops.pooling_windows import (
    ADAPTIVE_AVG_POOL,
    ADAPTIVE_MAX_POOL,
    AVG_POOL,
    MAX_POOL,
    Adaptive,
    adaptive_windows,
    max_pool,
    sliding_windows,
)
from tensorlab.ops.sliding_windows import each_dim
from tensorlab.registry import op
from tensorlab.tensor import Tensor

Ints = int | Sequence[int]


@op(aliases="nn.functional.max_pool3d")
def max_pool3d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The greatest number of each window that moves through volumes; see `max_pool2d`.

    Args:
        input: of shape (N, C, D, H, W), or (C, D, H, W) for one volume.
        kernel_size, stride, padding, dilation, ceil_mode, return_indices: those of `max_pool2d`, of three
            dimensions.

    Raises:
        RuntimeError: the sizes do not fit.
        TypeError: an argument is of another type.

    Example:
        >>> tl.max_pool3d(tl.arange(16.0).view(1, 2, 2, 4), 2)
        tensor([[[[13., 15.]]]])
    """
    _check("max_pool3d", input)
    windows = sliding_windows("max_pool3d", kernel_size, stride, padding, dilation, ceil_mode, dims=3)
    return _greatest(MAX_POOL, input, _apart(windows), return_indices)


@op(namespace="nn.functional")
def adaptive_max_pool3d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> Any:
    """The greatest numbers of as many windows as are wanted, which cover the volume evenly.

    Args:
        input: of shape (N, C, D, H, W), or (C, D, H, W) for one volume.
        output_size: how many windows along each dimension; None for as many as the volume has numbers.
        return_indices: that of `max_pool2d`.

    Example:
        >>> F.adaptive_max_pool3d(tl.arange(16.0).view(1, 2, 2, 4), (1, 1, 2))
        tensor([[[[13., 15.]]]])
    """
    _check("adaptive_max_pool3d", input, output_size)
    deep, high, wide = adaptive_windows("adaptive_max_pool3d", input, output_size, 3).counts
    windows = Adaptive((high, wide)), Adaptive((deep, high * wide))
    return _greatest(ADAPTIVE_MAX_POOL, input, windows, return_indices)


@op(namespace="nn.functional")
def avg_pool3d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window that moves through volumes; see `avg_pool2d`.

    Args:
        input: of shape (N, C, D, H, W), or (C, D, H, W) for one volume; of floats, or int64, whose
            means are rounded towards 0.
        kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: those of `avg_pool2d`,
            of three dimensions.

    Raises:
        RuntimeError: the sizes do not fit.
        TypeError: an argument is of another type.

    Example:
        >>> F.avg_pool3d(tl.arange(16.0).view(1, 2, 2, 4), 2)
        tensor([[[[6.5000, 8.5000]]]])
    """
    _check("avg_pool3d", input, floats=input.dtype is not dtypes.int64)
    if divisor_override == 0:
        raise RuntimeError("avg_pool3d(): divisor must be not zero")
    flags = ceil_mode, count_include_pad
    windows = sliding_windows("avg_pool3d", kernel_size, stride, padding, 1, *flags, dims=3)
    apart = _apart(windows)
    if input.is_floating_point():
        return _means(input, AVG_POOL, apart, (1, divisor_override) if divisor_override else (0, 0))
    sums = _means(input, AVG_POOL, apart, (1, 1))
    counts: Any = divisor_override
    if counts is None:
        ones = ones_like(input, dtype=dtypes.float64)
        inside, part = (_means(ones, AVG_POOL, apart, (each, each)) for each in (1, 0))
        counts = (inside / part).round().long()
    return sums.div(counts, rounding_mode="trunc")


@op(namespace="nn.functional")
def adaptive_avg_pool3d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    """The means of as many windows as are wanted, which cover the volume evenly.

    Args:
        input, output_size: those of `adaptive_max_pool3d`; of floats.

    Example:
        >>> F.adaptive_avg_pool3d(tl.arange(16.0).view(1, 2, 2, 4), (1, 1, 2))
        tensor([[[[6.5000, 8.5000]]]])
    """
    _check("adaptive_avg_pool3d", input, output_size, floats=True)
    deep, high, wide = adaptive_windows("adaptive_avg_pool3d", input, output_size, 3).counts
    windows = Adaptive((high, wide)), Adaptive((deep, high * wide))
    return _means(input, ADAPTIVE_AVG_POOL, windows, (0, 0))


def _check(name: str, input: Tensor, output_size: Any = (), floats: bool = False) -> None:
    if isinstance(output_size, (tuple, list)) and input.ndim <= len(output_size):
        raise ValueError(
            f"{name}(): Input dimension should be at least {len(output_size) + 1}, but got "
            f"{list(input.shape)}"
        )
    if input.ndim not in (4, 5) or 0 in input._shape[-4:]:
        raise RuntimeError(
            f"{name}(): Expected 4D or 5D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got: {list(input.shape)}"
        )
    if input.dtype is dtypes.bool or (floats and not input.is_floating_point()):
        raise NotImplementedError(
            f"{name}() is not implemented for {input.dtype.name}: convert first, x.to(tensorlab.float32)"
        )


def _apart(windows: Any) -> tuple[Any, Any]:
    """Windows that move through volumes, as those over their slices, and those along the depth alone."""
    fields = {"window": 1, "step": 1, "before": 0, "dilation": 1}
    slices = {field: getattr(windows, field)[1:] for field in fields}
    depths = {field: (getattr(windows, field)[0], still) for field, still in fields.items()}
    return windows._replace(**slices), windows._replace(**depths)


def _greatest(pool: Any, input: Tensor, windows: tuple[Any, Any], wanted: bool) -> Any:
    """The greatest of slices, and then along the depth; with their places in the volume, where `wanted`."""
    slices, depths = windows
    volumes = input.reshape(-1, *input._shape[-3:])
    values, places = max_pool(pool, volumes, slices, wanted)
    result, chosen = max_pool(pool, values.flatten(-2).unsqueeze(1), depths, wanted)
    shape = (*input._shape[:-3], result._shape[-2], *values._shape[-2:])
    if not wanted:
        return result.reshape(shape)
    count = values._shape[-2] * values._shape[-1]
    size = input._shape[-2] * input._shape[-1]
    chosen = chosen.flatten(1)  # counted through the slices of what came out
    within = places.flatten(1).gather(1, chosen)
    return result.reshape(shape), (within + chosen // count * size).reshape(shape)


@summed_in_float32
def _means(input: Tensor, pool: Any, windows: tuple[Any, Any], divisors: tuple[int, int]) -> Tensor:
    """The means of slices, and then along the depth."""
    volumes = input.reshape(-1, *input._shape[-3:])
    values = call(pool, volumes, params=(windows[0], divisors[0]))
    result = call(pool, values.flatten(-2).unsqueeze(1), params=(windows[1], divisors[1]))
    return result.reshape(*input._shape[:-3], result._shape[-2], *values._shape[-2:])


# --- unpooling ------------------------------------------------------------------------------------------


@op(namespace="nn.functional")
def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """What `max_pool1d` chose, put back to where it stood; see `max_unpool2d`.

    Example:
        >>> values, places = F.max_pool1d(tl.tensor([[1.0, 5.0, 2.0, 3.0]]), 2, return_indices=True)
        >>> F.max_unpool1d(values, places, 2)
        tensor([[0., 5., 0., 3.]])
    """
    return _unpooled("max_unpool1d", 1, input, indices, (kernel_size, stride, padding), output_size)


@op(namespace="nn.functional")
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """What `max_pool2d` chose, put back to where it stood, with zeros everywhere else.

    Args:
        input: what the pooling returned, of shape (N, C, H, W), or (C, H, W).
        indices: the places that it returned beside it, int64.
        kernel_size, stride, padding: those of the pooling.
        output_size: the shape of what was pooled, with or without N and C. Several shapes are pooled to one:
            without it, it is the least whose windows all fit.

    Raises:
        ValueError: no shape of this `output_size` is pooled to that of `input`.
        RuntimeError: the shapes differ, `indices` are not int64, or a place lies outside.

    Example:
        >>> values, places = F.max_pool2d(tl.arange(8.0).view(1, 2, 4), 2, return_indices=True)
        >>> F.max_unpool2d(values, places, 2)
        tensor([[[0., 0., 0., 0.],
                 [0., 5., 0., 7.]]])
    """
    return _unpooled("max_unpool2d", 2, input, indices, (kernel_size, stride, padding), output_size)


@op(namespace="nn.functional")
def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """What `max_pool3d` chose, put back to where it stood; see `max_unpool2d`.

    Example:
        >>> values, places = F.max_pool3d(tl.arange(8.0).view(1, 2, 2, 2), 2, return_indices=True)
        >>> F.max_unpool3d(values, places, 2).flatten()
        tensor([0., 0., 0., 0., 0., 0., 0., 7.])
    """
    return _unpooled("max_unpool3d", 3, input, indices, (kernel_size, stride, padding), output_size)


def _unpooled(
    name: str,
    dims: int,
    input: Tensor,
    indices: Tensor,
    windows: tuple[Ints, Ints | None, Ints],
    output_size: Sequence[int] | None,
) -> Tensor:
    if input.ndim not in (dims + 1, dims + 2) or indices._shape != input._shape:
        raise RuntimeError(
            f"{name}(): Expected input to have {dims + 1} or {dims + 2} dimensions, and indices the same "
            f"shape, but got {list(input.shape)} and {list(indices.shape)}"
        )
    kernel_size, stride, padding = windows
    window = each_dim(name, "kernel_size", kernel_size, dims)
    step = window if stride is None else each_dim(name, "stride", stride, dims)
    before = each_dim(name, "padding", padding, dims)
    sizes = [
        (size - 1) * s + k - 2 * p
        for size, s, k, p in zip(input._shape[-dims:], step, window, before, strict=True)
    ]
    if output_size is not None:
        wanted = list(output_size)[-dims:]
        if len(output_size) not in (dims, dims + 2) or any(
            abs(want - size) >= s for want, size, s in zip(wanted, sizes, step, strict=True)
        ):
            limits = [(size - s, size + s) for size, s in zip(sizes, step, strict=True)]
            raise ValueError(
                f"invalid output_size {list(output_size)}: it needs {dims} sizes, or {dims + 2} with N and "
                f"C, and each must lie between, and not at, these two: {limits}"
            )
        sizes = wanted
    leading = input._shape[:-dims]
    empty = input.new_zeros(*leading, *sizes).flatten(-dims)
    found = empty.scatter(-1, indices.flatten(-dims), input.flatten(-dims)).reshape(*leading, *sizes)
    if dims == 2:
        return found.contiguous(memory_format=suggested_format(input._shape, input._stride))
    return found
