"""Normalisation of each channel of each example by itself."""

from __future__ import annotations

import warnings
from typing import Any

from tensorlab.nn import functional as F
from tensorlab.nn.modules.batchnorm import LazyNorm, NormOfChannels
from tensorlab.tensor import Tensor

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _InstanceNorm(NormOfChannels):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )  # fmt: skip

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        place = self._channel_dim(input)
        alone = place == 0
        if input.shape[place] != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={place} to match num_features ({self.num_features}), "
                    f"but got: {input.shape[place]}."
                )
            warnings.warn(
                f"input's size at dim={place} does not match num_features. You can silence this warning by "
                "not passing in num_features, which is not used because affine=False",
                stacklevel=2,
            )
        made = F.instance_norm(
            input.unsqueeze(0) if alone else input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return made.squeeze(0) if alone else made

    def _channel_dim(self, input: Tensor) -> int:
        return 0 if input.dim() == min(self.dims) else 1


class InstanceNorm1d(_InstanceNorm):
    """`InstanceNorm2d` of sequences.

    Args:
        num_features, eps, momentum, affine, track_running_stats, device, dtype, bias: see `InstanceNorm2d`.

    Shape:
        (N, C, L) or (C, L), and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.InstanceNorm1d(1)(tl.tensor([[[1.0, 3.0]]])).round()
        tensor([[[-1.,  1.]]])
    """

    dims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Give each channel of each image mean 0 and variance 1 (Ulyanov et al., 2016).

    Args:
        num_features: C, the channels.
        eps: keeps the root of the variance from being 0.
        momentum: how much a batch counts in the running statistics.
        affine: whether there are a weight and a bias for each channel.
        track_running_stats: whether there are running statistics, which are then taken in use.
        device, dtype: of the parameters and buffers.
        bias: whether there is a bias, with `affine`.

    Raises:
        ValueError: an input has another number of dimensions, or of channels.

    Shape:
        (N, C, H, W) or (C, H, W), and the same.

    Example:
        >>> import tensorlab as tl
        >>> made = tl.nn.InstanceNorm2d(3)(tl.rand(2, 3, 4, 4))
        >>> bool((made.mean((2, 3)).abs() < 1e-5).all())
        True
    """

    dims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """`InstanceNorm2d` of volumes.

    Args:
        num_features, eps, momentum, affine, track_running_stats, device, dtype, bias: see `InstanceNorm2d`.

    Shape:
        (N, C, D, H, W) or (C, D, H, W), and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.InstanceNorm3d(2)(tl.rand(1, 2, 2, 2, 2)).shape
        tensorlab.Size([1, 2, 2, 2, 2])
    """

    dims = (4, 5)


class LazyInstanceNorm1d(LazyNorm, _InstanceNorm):
    """`InstanceNorm1d`, which takes `num_features` from the first input that it sees.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.LazyInstanceNorm1d(affine=True)(tl.rand(1, 2, 3)).shape
        tensorlab.Size([1, 2, 3])
    """

    cls_to_become = InstanceNorm1d
    dims = (2, 3)


class LazyInstanceNorm2d(LazyNorm, _InstanceNorm):
    """`InstanceNorm2d`, which takes `num_features` from the first input that it sees.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.LazyInstanceNorm2d(affine=True)(tl.rand(1, 2, 3, 3)).shape
        tensorlab.Size([1, 2, 3, 3])
    """

    cls_to_become = InstanceNorm2d
    dims = (3, 4)


class LazyInstanceNorm3d(LazyNorm, _InstanceNorm):
    """`InstanceNorm3d`, which takes `num_features` from the first input that it sees.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.LazyInstanceNorm3d(affine=True)(tl.rand(1, 2, 2, 2, 2)).shape
        tensorlab.Size([1, 2, 2, 2, 2])
    """

    cls_to_become = InstanceNorm3d
    dims = (4, 5)
