"""What layers do with channels: gates, and slopes of their own."""

from __future__ import annotations

from typing import Any

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.ops.joining import cat
from tensorlab.ops.recording import apply
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor

__all__ = ["glu", "prelu"]


def _d_glu(grad: Any, input: Any, dim: int) -> Any:
    a, b = input.chunk(2, dim)
    gate = b.sigmoid()
    return cat([grad * gate, grad * a * gate * (1 - gate)], dim)


GluBackward0 = formulas("GluBackward0", input=_d_glu)


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
        >>> import tensorlab as tl
        >>> import tensorlab.nn.functional as F
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
    return record(GluBackward0, a * b.sigmoid(), input, dim=dim)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Negative elements multiplied by a slope that is learnt, one for all or one for each channel.

    Args:
        input: a floating-point tensor; its second dimension are the channels.
        weight: the slopes: a vector, or one number.

    Raises:
        RuntimeError: the slopes do not fit, or the dtypes differ.

    Example:
        >>> import tensorlab as tl
        >>> import tensorlab.nn.functional as F
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
