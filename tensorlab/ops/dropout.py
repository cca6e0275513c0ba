"""Dropout: numbers are left out at random, and the others scaled up, so that their mean stays what it was.

With the same seed the same numbers are left out as in PyTorch.
"""

from __future__ import annotations

import math

from tensorlab.autograd.views import requires_grad
from tensorlab.core.layout import Size
from tensorlab.core.modes import current
from tensorlab.core.warned import warn_caller
from tensorlab.ops.arguments import need_tensors
from tensorlab.ops.arithmetic import add
from tensorlab.ops.creation import empty, empty_like, zeros
from tensorlab.ops.pointwise import mul, mul_
from tensorlab.ops.random_fills import bernoulli_
from tensorlab.registry import op
from tensorlab.tensor import Tensor

# What a number that alpha_dropout leaves out becomes: the least value of selu, scale times alpha.
SELU_LEAST = 1.7580993408473766


@op(namespace="nn.functional")
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each number 0 with probability `p`, else divided by ``1 - p``.

    Args:
        input: a floating-point tensor.
        p: the probability, from 0 to 1.
        training: whether anything is left out; if not, `input` is returned.
        inplace: write the result into `input`.

    Raises:
        ValueError: `p` is not from 0 to 1.
        RuntimeError: the elements are no floats.

    Example:
        >>> _ = tl.manual_seed(0)
        >>> F.dropout(tl.ones(6), 0.5)
        tensor([0., 0., 2., 0., 0., 0.])
    """
    return _dropped(input, p, training, inplace)


@op(namespace="nn.functional")
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels 0 with probability `p`, the others divided by ``1 - p``.

    Args:
        input: a floating-point tensor of shape (images, channels, length) or (channels, length).
        p, training, inplace: those of `dropout`.

    Raises:
        ValueError: `p` is not from 0 to 1.
        RuntimeError: the tensor has another number of dimensions.

    Example:
        >>> _ = tl.manual_seed(0)
        >>> F.dropout1d(tl.ones(3, 2), 0.5)
        tensor([[0., 0.],
                [0., 0.],
                [2., 2.]])
    """
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input: it takes (images, "
            f"channels, length) or (channels, length)"
        )
    return _channels_dropped(input, p, training, inplace, alone=input.ndim == 2)


@op(namespace="nn.functional")
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels 0 with probability `p`, the others divided by ``1 - p``.

    Args:
        input: a floating-point tensor of shape (images, channels, height, width). The first two dimensions
            are always images and channels; a warning says so for a tensor of other than 4 dimensions.
        p, training, inplace: those of `dropout`.

    Raises:
        ValueError: `p` is not from 0 to 1.
        RuntimeError: the tensor has less than 2 dimensions.

    Example:
        >>> _ = tl.manual_seed(0)
        >>> F.dropout2d(tl.ones(1, 3, 1, 2), 0.5).flatten(1)  # three channels of two numbers
        tensor([[0., 0., 0., 0., 2., 2.]])
    """
    if input.ndim != 4:
        warn_caller(
            f"dropout2d: Received a {input.ndim}-D input to dropout2d: its first two dimensions count as "
            f"images and channels",
        )
    return _channels_dropped(input, p, training, inplace)


@op(namespace="nn.functional")
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels 0 with probability `p`, the others divided by ``1 - p``.

    Args:
        input: a floating-point tensor of shape (images, channels, depth, height, width) or without images.
            A warning tells of other numbers of dimensions.
        p, training, inplace: those of `dropout`.

    Raises:
        ValueError: `p` is not from 0 to 1.

    Example:
        >>> _ = tl.manual_seed(0)
        >>> F.dropout3d(tl.ones(3, 1, 1, 2), 0.5).flatten(1)  # a row for each channel
        tensor([[0., 0.],
                [0., 0.],
                [2., 2.]])
    """
    if input.ndim not in (4, 5):
        warn_caller(
            f"dropout3d: Received a {input.ndim}-D input to dropout3d, which takes (images, channels, depth, "
            f"height, width) or (channels, depth, height, width)",
        )
    return _channels_dropped(input, p, training, inplace, alone=input.ndim != 5)


@op(namespace="nn.functional")
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Each number the least value of `selu` with probability `p`; then all scaled to keep mean and variance.

    Args:
        input, p, training, inplace: those of `dropout`.

    Raises:
        ValueError: `p` is not from 0 to 1.

    Example:
        >>> _ = tl.manual_seed(0)
        >>> F.alpha_dropout(tl.zeros(4), 0.5, training=True)
        tensor([-0.7792, -0.7792,  0.7792, -0.7792])
    """
    need_tensors("alpha_dropout", input=input)
    return _alpha_dropped(input, p, training, inplace, by_channel=False)


@op(namespace="nn.functional")
def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """`alpha_dropout` of whole channels.

    Args:
        input: a floating-point tensor of shape (images, channels, …).
        p, training, inplace: those of `dropout`.

    Raises:
        ValueError: `p` is not from 0 to 1.
        RuntimeError: the tensor has less than 2 dimensions.

    Example:
        >>> _ = tl.manual_seed(0)
        >>> F.feature_alpha_dropout(tl.ones(1, 3, 2), 0.5, training=True)
        tensor([[[-0.7792, -0.7792],
                 [-0.7792, -0.7792],
                 [ 1.6656,  1.6656]]])
    """
    need_tensors("feature_alpha_dropout", input=input)
    return _alpha_dropped(input, p, training, inplace, by_channel=True)


def _channels_dropped(input: Tensor, p: float, training: bool, inplace: bool, alone: bool = False) -> Tensor:
    """`alone` says that there is one image, without a dimension of images."""
    batch = input.unsqueeze(0) if alone else input
    if training and 0 < p < 1:
        _need_channels(batch)
    result = _dropped(batch, p, training, inplace, by_channel=True)
    return result.squeeze(0) if alone else result


def _need_channels(input: Tensor) -> None:
    if input.ndim < 2:
        raise RuntimeError(
            f"Feature dropout requires at least 2 dimensions in the input: (images, channels, …), and it has "
            f"shape {tuple(input._shape)}"
        )


def _of_channels(input: Tensor) -> Tensor:
    """A new tensor with one number for each channel."""
    _need_channels(input)
    return empty(
        Size((*input._shape[:2], *(1 for _ in input._shape[2:]))), dtype=input._dtype, device=input.device
    )


def _dropped(input: Tensor, p: float, training: bool, inplace: bool, by_channel: bool = False) -> Tensor:
    multiply = mul_ if inplace else mul
    if _keeps_all(input, p, training):
        return input
    if p == 1:
        return multiply(input, zeros((), dtype=input._dtype, device=input.device))
    factors = _kept(input, p, by_channel).div_(1 - p)
    if not inplace and not by_channel and not (current.grad and requires_grad(input)):
        return mul_(factors, input)  # nobody else needs the factors
    return multiply(input, factors)


def _alpha_dropped(input: Tensor, p: float, training: bool, inplace: bool, by_channel: bool) -> Tensor:
    multiply = mul_ if inplace else mul
    if _keeps_all(input, p, training):
        return input
    if p == 1:
        return multiply(input, zeros((), dtype=input._dtype, device=input.device))
    kept = _kept(input, p, by_channel)
    scale = 1 / math.sqrt((SELU_LEAST * SELU_LEAST * p + 1) * (1 - p))
    shift = add(kept, -1).mul_(SELU_LEAST * scale).add_(SELU_LEAST * scale * p)
    scaled = multiply(input, kept.mul_(scale))
    return scaled.add_(shift) if inplace else add(scaled, shift)


def _keeps_all(input: Tensor, p: float, training: bool) -> bool:
    """Whether nothing is left out.

    Raises:
        ValueError: `p` is not from 0 to 1.
        RuntimeError: something is, and the elements are no floats.
    """
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0 or not input.numel():
        return True
    if not input._dtype.is_floating_point:
        raise RuntimeError(
            f"result type Float can't be cast to the desired output type {input._dtype.name}: dropout scales "
            f"numbers by a fraction; convert first, x.to(tensorlab.float32)"
        )
    return False


def _kept(input: Tensor, p: float, by_channel: bool) -> Tensor:
    """1 for each number, or each channel, that is kept, 0 for those that are left out."""
    return bernoulli_(_of_channels(input) if by_channel else empty_like(input), 1 - p)
