"""Pooling: the greatest number in a window that moves over images, or the mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlab.autograd.views import requires_grad
from tensorlab.core import dtypes
from tensorlab.core.memory_formats import channels_last, suggested_format
from tensorlab.core.modes import current
from tensorlab.dispatch.primitive import call
from tensorlab.ops.arguments import need_tensors
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
from tensorlab.registry import op
from tensorlab.tensor import Tensor

Ints = int | Sequence[int]


@op(aliases="nn.functional.max_pool2d")
def max_pool2d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The greatest number of each window.

    Args:
        input: of shape (N, C, H, W), or (C, H, W) for one image.
        kernel_size: the window's height and width.
        stride: by how much the window moves; its own size where it is left out.
        padding: how much of the window may lie outside of the image, at most half of it.
        dilation: how far apart in the image neighbours of the window are.
        ceil_mode: whether a window that reaches over the image's end counts.
        return_indices: whether to return, too, where the numbers stand, counted through a channel's lines.

    Returns:
        a tensor of shape (N, C, places down, places across), or without N; with `return_indices` a pair,
        whose second is int64. Of equals the first counts, and a NaN counts as the greatest.

    Raises:
        RuntimeError: the sizes do not fit.
        TypeError: an argument is of another type.

    Example:
        >>> tl.max_pool2d(tl.arange(12.0).view(1, 3, 4), 2, 1)
        tensor([[[ 5.,  6.,  7.],
                 [ 9., 10., 11.]]])
    """
    _check("max_pool2d", input, _all_but_bool)
    windows = sliding_windows("max_pool2d", kernel_size, stride, padding, dilation, ceil_mode)
    found = max_pool(MAX_POOL, input, windows, return_indices)
    return found if return_indices else found[0]


@op(namespace="nn.functional")
def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> tuple[Tensor, Tensor]:
    """`max_pool2d` with ``return_indices=True``.

    Example:
        >>> F.max_pool2d_with_indices(tl.tensor([[[1.0, 4.0], [3.0, 2.0]]]), 2)
        (tensor([[[4.]]]), tensor([[[1]]]))
    """
    return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@op(aliases="nn.functional.max_pool1d")
def max_pool1d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The greatest number of each window that moves over signals; see `max_pool2d`.

    Args:
        input: of shape (N, C, L), or (C, L) for one signal.
        kernel_size, stride, padding, dilation, ceil_mode, return_indices: those of `max_pool2d`.

    Example:
        >>> tl.max_pool1d(tl.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)
        tensor([[5., 3.]])
    """
    image = _as_image("max_pool1d", input, _all_but_bool)
    windows = sliding_windows("max_pool1d", kernel_size, stride, padding, dilation, ceil_mode, dims=1)
    found, places = max_pool(MAX_POOL, image, windows, return_indices)
    values = _as_signal(found)
    if return_indices:
        return values, _as_signal(places)
    if not (current.grad and requires_grad(input)):
        _need("max_pool1d", input, _floats)
        return values.contiguous()
    return values


@op(aliases="nn.functional.max_pool1d_with_indices")
def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> tuple[Tensor, Tensor]:
    """`max_pool1d` with ``return_indices=True``.

    Example:
        >>> tl.max_pool1d_with_indices(tl.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)
        (tensor([[5., 3.]]), tensor([[1, 3]]))
    """
    return max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@op(namespace="nn.functional")
def avg_pool2d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window.

    Args:
        input: of shape (N, C, H, W), or (C, H, W) for one image; of floats, or int64, whose means are rounded
            towards 0.
        kernel_size, stride, ceil_mode: those of `max_pool2d`.
        padding: how many zeros stand around the image.
        count_include_pad: whether these zeros count.
        divisor_override: what to divide each sum by, instead of how many numbers there are.

    Returns:
        a tensor of shape (N, C, places down, places across), or without N.

    Raises:
        RuntimeError: the sizes do not fit.
        TypeError: an argument is of another type.

    Example:
        >>> F.avg_pool2d(tl.arange(12.0).view(1, 3, 4), 2, 1)
        tensor([[[2.5000, 3.5000, 4.5000],
                 [6.5000, 7.5000, 8.5000]]])
    """
    if input.ndim < 3:
        raise IndexError(
            f"avg_pool2d(): non-empty 3D or 4D (batch mode) tensor expected, got {list(input.shape)}"
        )
    _check("avg_pool2d", input, _means)
    if divisor_override == 0:
        raise RuntimeError("avg_pool2d(): divisor must be not zero")
    arguments = (kernel_size, stride, padding, 1, ceil_mode, count_include_pad)
    windows = sliding_windows("avg_pool2d", *arguments)
    return call(AVG_POOL, input, params=(windows, divisor_override or 0))


@op(aliases="nn.functional.avg_pool1d")
def avg_pool1d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window that moves over signals; see `avg_pool2d`.

    Args:
        input: of shape (N, C, L), or (C, L) for one signal.
        kernel_size, stride, padding, ceil_mode, count_include_pad: those of `avg_pool2d`.

    Example:
        >>> tl.avg_pool1d(tl.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)
        tensor([[3.0000, 2.5000]])
    """
    image = _as_image("avg_pool1d", input, _means)
    arguments = (kernel_size, stride, padding, 1, ceil_mode, count_include_pad)
    windows = sliding_windows("avg_pool1d", *arguments, dims=1)
    return _as_signal(call(AVG_POOL, image, params=(windows, 0)))


@op(namespace="nn.functional")
def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    """The means of as many windows as are wanted, which cover the image evenly.

    Args:
        input: of shape (N, C, H, W), or (C, H, W) for one image.
        output_size: how many windows down and across; None for as many as the image has numbers.

    Returns:
        a tensor of shape ``(N, C, *output_size)``, or without N.

    Raises:
        RuntimeError, ValueError: the sizes do not fit.

    Example:
        >>> F.adaptive_avg_pool2d(tl.arange(12.0).view(1, 3, 4), (1, 2))
        tensor([[[4.5000, 6.5000]]])
    """
    windows = _adaptive("adaptive_avg_pool2d", input, output_size, filled_from=-2)
    if windows.counts == (1, 1) and input.numel():
        whole: Any = input
        mean = whole.mean((-1, -2), keepdim=True)
        if suggested_format(input._shape, input._stride) is channels_last:
            n, c, _, _ = mean._shape
            return mean.as_strided((n, c, 1, 1), (c, 1, c, c))
        return mean
    return call(ADAPTIVE_AVG_POOL, input, params=(windows, 0))


@op(aliases="nn.functional.adaptive_avg_pool1d")
def adaptive_avg_pool1d(input: Tensor, output_size: Ints) -> Tensor:
    """The means of as many windows as are wanted, which cover a signal evenly.

    Example:
        >>> tl.adaptive_avg_pool1d(tl.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)
        tensor([[3.0000, 2.5000]])
    """
    image = _as_image("adaptive_avg_pool1d", input, _floats, filled_from=-1)
    windows = adaptive_windows("adaptive_avg_pool1d", image, output_size, 1)
    return _as_signal(call(ADAPTIVE_AVG_POOL, image, params=(windows, 0)))


@op(namespace="nn.functional")
def adaptive_max_pool2d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> Any:
    """The greatest numbers of as many windows as are wanted, which cover the image evenly.

    Args:
        input, output_size: those of `adaptive_avg_pool2d`.
        return_indices: that of `max_pool2d`.

    Example:
        >>> F.adaptive_max_pool2d(tl.arange(12.0).view(1, 3, 4), (1, 2))
        tensor([[[ 9., 11.]]])
    """
    windows = _adaptive("adaptive_max_pool2d", input, output_size, filled_from=1)
    found = max_pool(ADAPTIVE_MAX_POOL, input, windows, wanted=bool(return_indices))
    return found if return_indices else found[0]


@op(namespace="nn.functional")
def adaptive_max_pool1d(input: Tensor, output_size: Ints, return_indices: bool = False) -> Any:
    """The greatest numbers of as many windows as are wanted, which cover a signal evenly.

    Example:
        >>> F.adaptive_max_pool1d(tl.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)
        tensor([[5., 3.]])
    """
    image = _as_image("adaptive_max_pool1d", input, _floats, filled_from=1)
    windows = adaptive_windows("adaptive_max_pool1d", image, output_size, 1)
    found = tuple(map(_as_signal, max_pool(ADAPTIVE_MAX_POOL, image, windows)))
    return found if return_indices else found[0]


# --- what goes in ------------------------------------------------------------------------------------------


def _floats(element_type: dtypes.dtype) -> bool:
    return element_type.is_floating_point


def _means(element_type: dtypes.dtype) -> bool:
    return element_type.is_floating_point or element_type is dtypes.int64


def _all_but_bool(element_type: dtypes.dtype) -> bool:
    return element_type is not dtypes.bool


def _need(name: str, input: Tensor, allowed: Any) -> None:
    if not allowed(input.dtype):
        raise NotImplementedError(
            f"{name}() is not implemented for {input.dtype.name}: convert first, x.to(tensorlab.float32)"
        )


def _check(name: str, input: Tensor, allowed: Any) -> None:
    if input.ndim not in (3, 4) or 0 in input._shape[-3:]:
        raise RuntimeError(
            f"{name}(): Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got: {list(input.shape)}"
        )
    _need(name, input, allowed)


def _adaptive(name: str, input: Tensor, output_size: Any, filled_from: int) -> Adaptive:
    """The windows that cover images; the dimensions from `filled_from` on must not be empty."""
    if isinstance(output_size, (tuple, list)) and input.ndim <= len(output_size):
        raise ValueError(
            f"{name}(): Input dimension should be at least {len(output_size) + 1}, but got "
            f"{list(input.shape)}"
        )
    if input.ndim not in (3, 4):
        raise RuntimeError(f"{name}(): Expected 3D or 4D tensor, but got {list(input.shape)}")
    _need_filled(name, input, filled_from)
    _need(name, input, _floats)
    return adaptive_windows(name, input, output_size, 2)


def _need_filled(name: str, input: Tensor, first: int) -> None:
    """Refuse a tensor without elements along one of its dimensions, from the first that counts."""
    if 0 in input._shape[first:]:
        raise RuntimeError(
            f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
            f"{list(input.shape)}: there is nothing to choose from"
        )


def _as_image(name: str, input: Any, allowed: Any, filled_from: int | None = None) -> Any:
    """A signal as an image of height 1.

    Args:
        filled_from: the first dimension that must not be empty, where the channels may be.
    """
    need_tensors(name, input=input)
    if filled_from is not None and input.ndim in (2, 3):
        _need_filled(name, input, filled_from)
    elif input.ndim not in (2, 3) or 0 in input._shape[-2:]:
        raise RuntimeError(
            f"{name}: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got: {list(input.shape)}"
        )
    _need(name, input, allowed)
    return input.unsqueeze(-2)


def _as_signal(image: Any) -> Any:
    return image.squeeze(-2)
