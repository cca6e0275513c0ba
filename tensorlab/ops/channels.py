"""What layers do with channels: gates, and slopes of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.dispatch.memory import allocate
from tensorlab.ops.elementwise import apply, compute, compute_into
from tensorlab.ops.joining import cat
from tensorlab.ops.padding import constant_pad_nd
from tensorlab.registry import op
from tensorlab.scalars import TABLE
from tensorlab.scalars.steps import GATED, GRADIENT_OF_GATE
from tensorlab.tensor import Tensor


def _d_glu(grad: Any, input: Any, dim: int) -> Any:
    a, b = input.chunk(2, dim)
    gate = b.sigmoid()
    return cat([grad * gate, grad * a * gate * (1 - gate)], dim)


def _glu_gradient(grad: Tensor, wanted: Sequence[bool], kept: dict[str, Any]) -> list[Tensor | None]:
    """The gradients of both halves, written where they belong."""
    input, dim = kept["input"].detach(), kept["dim"]
    gradient = allocate(input._shape, input._dtype, input._storage.backend)
    (a, b), (of_a, of_b) = input.chunk(2, dim), gradient.chunk(2, dim)
    gate = compute_into(of_b, TABLE["sigmoid"], b)
    compute_into(of_a, TABLE["mul"], grad, gate)
    compute_into(of_b, GRADIENT_OF_GATE, grad, a, gate)
    return [gradient]


GluBackward0 = formulas("GluBackward0", fused=_glu_gradient, input=_d_glu)


@op(namespace="nn.functional")
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of a dimension times the sigmoid of the second: a half that opens and shuts the other.

    Args:
        input: a floating-point tensor.
        dim: the dimension, of even size.

    Raises:
        RuntimeError: the size is odd, or the tensor has no dimensions.
        NotImplementedError: the elements are not floats.
        IndexError: there is no such dimension.

    Example:
        >>> F.glu(tl.tensor([1.0, 2.0, 0.0, 100.0]))
        tensor([0.5000, 2.0000])
    """
    if not input.ndim:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    if input.size(dim) % 2:
        raise RuntimeError(
            f"Halving dimension must be even, but dimension {dim} is size {input.size(dim)}: the second half "
            f"are the gates of the first"
        )
    if not input.is_floating_point():
        raise NotImplementedError(
            f"glu() is not implemented for {input.dtype.name}: its gates lie between 0 and 1; convert first, "
            f"x.to(tensorlab.float32)"
        )
    a, b = input.detach().chunk(2, dim)
    return record(GluBackward0, compute(GATED, a, b), input, dim=dim)


@op("function method", aliases="nn.functional.prelu")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Negative elements multiplied by a slope that is learnt, one for all or one for each channel.

    Args:
        input: a floating-point tensor; its second dimension are the channels.
        weight: the slopes: a vector, or one number.

    Raises:
        RuntimeError: the slopes do not fit, or the dtypes differ.

    Example:
        >>> F.prelu(tl.tensor([[-1.0, -1.0], [2.0, -3.0]]), tl.tensor([0.5, 0.25]))
        tensor([[-0.5000, -0.2500],
                [ 2.0000, -0.7500]])
    """
    if weight.ndim > 1:
        raise RuntimeError(
            f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}"
        )
    if weight._dtype is not input._dtype:
        raise RuntimeError(
            f"prelu: Type promoting not supported. Got {input._dtype.name} and {weight._dtype.name}"
        )
    if weight.numel() != 1:
        channels = input._shape[1] if input.ndim > 1 else 1
        if not input.ndim:
            raise RuntimeError("Not allow zero-dim input tensor.")
        if weight.numel() != channels:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{weight.numel()} and channel size = {channels}."
            )
    if weight.ndim != input.ndim:
        shape = [1] * input.ndim
        if input.ndim > 1 and weight.numel() != 1:
            shape[1] = weight.numel()
        weight = weight.view(shape)
    return apply(TABLE["prelu_kernel"], input, weight)


@op(aliases="nn.functional.channel_shuffle")
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Channels dealt out anew: the first of each group, then the second of each, and so on.

    Args:
        input: of shape (batch, channels, ...).
        groups: how many groups the channels stand in; it must divide their number.

    Raises:
        RuntimeError: there are fewer than three dimensions, or the channels cannot be divided so.

    Example:
        >>> tl.channel_shuffle(tl.arange(6).view(1, 6, 1), 2).flatten()
        tensor([0, 3, 1, 4, 2, 5])
    """
    if input.ndim < 3:
        raise RuntimeError(
            f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}"
        )
    if groups < 1:
        raise RuntimeError(
            f"Number of groups to divide channels in must be positive. Value of groups:{groups}"
        )
    batch, channels, *places = input.shape
    if channels % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and {groups} groups."
        )
    grouped = input.reshape(batch, groups, channels // groups, *places)
    return grouped.transpose(1, 2).reshape(input.shape)


@op(namespace="nn.functional")
def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Each element divided by what its neighbours in other channels have: AlexNet's normalisation.

    The divisor is ``(k + alpha * m) ** beta``, where m is the mean of the squares of `size` channels around;
    channels beyond the first and the last count as 0.

    Args:
        input: of shape (batch, channels, ...), with at least three dimensions.
        size: how many channels are looked at.
        alpha, beta, k: see above.

    Raises:
        ValueError: there are fewer than three dimensions.
        RuntimeError: `size` is not positive.

    Example:
        >>> F.local_response_norm(tl.ones(1, 3, 1), 3, alpha=3.0, beta=1.0).flatten()
        tensor([0.3333, 0.2500, 0.3333])
    """
    if input.ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.ndim} dimensions)")
    if size < 1:
        raise RuntimeError(f"kernel size should be greater than zero, but got {size}: it counts channels")
    if not input.numel():
        return input
    # Beside the channels as they are, `size` - 1 of zeros: then every window is `size` neighbours.
    squares = (input * input).movedim(1, -1)
    padded = constant_pad_nd(squares, (size // 2, (size - 1) // 2))
    means = padded.unfold(-1, size, 1).mean(-1).movedim(-1, 1)
    return input / (means * alpha + k) ** beta
