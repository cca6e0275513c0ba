"""Normalisation of each example by itself: over dimensions, groups of channels, or neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorlab as tl
from tensorlab.nn import functional as F
from tensorlab.nn import init
from tensorlab.nn.modules.module import Module
from tensorlab.nn.modules.sizes import filled, shown
from tensorlab.nn.parameter import Parameter
from tensorlab.tensor import Tensor

__all__ = ["GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


class _Norm(Module):
    """A normalisation with a weight and a bias, or without."""

    weight: Any
    bias: Any

    def _register(self, shape: Any, device: Any, dtype: Any, **wanted: bool) -> None:
        for name, there in wanted.items():
            made = Parameter(tl.empty(shape, device=device, dtype=dtype)) if there else None
            self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Let the weight be 1 and the bias 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self._parameters.get("bias") is not None:
            init.zeros_(self.bias)


class LayerNorm(_Norm):
    """y = (x - mean) / √(var + eps) · weight + bias, with the mean and the variance over the last dimensions.

    From Ba, Kiros and Hinton (2016).

    Args:
        normalized_shape: the sizes of the last dimensions, over which mean and variance (over N) are taken.
        eps: keeps the root from being 0.
        elementwise_affine: whether there are a weight and a bias.
        bias: whether there is a bias.
        device, dtype: of the parameters.

    Attributes:
        weight, bias: of the shape `normalized_shape`, 1 and 0 at first; or None.

    Shape:
        (…, normalized_shape), and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.LayerNorm(4)(tl.tensor([[1.0, 1.0, 3.0, 3.0]])).detach().round()
        tensor([[-1., -1.,  1.,  1.]])
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = filled(normalized_shape, 1)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        wanted = {"weight": elementwise_affine, "bias": elementwise_affine and bias}
        self._register(self.normalized_shape, device, dtype, **wanted)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        named = shown(self, "eps", "elementwise_affine")
        return f"{self.normalized_shape}, {named}, bias={self.bias is not None}"


class RMSNorm(_Norm):
    """y = x / √(mean of x² + eps) · weight, with the mean over the last dimensions (Zhang, Sennrich, 2019).

    Args:
        normalized_shape: the sizes of the last dimensions.
        eps: keeps the root from being 0; by default the dtype's smallest step from 1.
        elementwise_affine: whether there is a weight.
        device, dtype: of the weight.

    Shape:
        (…, normalized_shape), and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.RMSNorm(2)(tl.tensor([[3.0, -3.0]])).detach()
        tensor([[ 1., -1.]])
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = filled(normalized_shape, 1)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._register(self.normalized_shape, device, dtype, weight=elementwise_affine)

    def forward(self, input: Tensor) -> Tensor:
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, {shown(self, 'eps', 'elementwise_affine')}"


class GroupNorm(_Norm):
    """Give each group of channels of an example mean 0 and variance 1, then scale and shift (Wu, He, 2018).

    Args:
        num_groups: how many groups the channels fall into.
        num_channels: C, the channels.
        eps: keeps the root of the variance from being 0.
        affine: whether there are a weight and a bias for each channel.
        device, dtype: of the parameters.
        bias: whether there is a bias.

    Raises:
        ValueError: the channels do not divide into the groups.

    Shape:
        (N, C, …), and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.GroupNorm(2, 4)(tl.randn(3, 4, 5, 5)).shape
        tensorlab.Size([3, 4, 5, 5])
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._register(num_channels, device, dtype, weight=affine, bias=affine and bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        named = shown(self, "eps", "affine")
        return f"{self.num_groups}, {self.num_channels}, {named}, bias={self.bias is not None}"


class LocalResponseNorm(Module):
    """x / (k + alpha · mean of x² over neighbouring channels)^beta (Krizhevsky et al., 2012).

    Args:
        size: how many channels are neighbours.
        alpha, beta, k: those of the formula.

    Shape:
        (N, C, …), and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.LocalResponseNorm(2, alpha=0)(tl.ones(1, 2, 1))
        tensor([[[1.],
                 [1.]]])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, {shown(self, 'alpha', 'beta', 'k')}"
