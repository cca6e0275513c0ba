"""Normalisation over a batch: each channel by the mean and the variance of what the batch has in it."""

from __future__ import annotations

from typing import Any

import tensorlab as tl
from tensorlab.nn import functional as F
from tensorlab.nn import init
from tensorlab.nn.modules.lazy import LazyModuleMixin
from tensorlab.nn.modules.module import Module
from tensorlab.nn.modules.sizes import shown
from tensorlab.nn.parameter import Parameter, UninitializedBuffer, UninitializedParameter
from tensorlab.tensor import Tensor

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "NormOfChannels",
]


class NormOfChannels(Module):
    """What batch and instance normalisation have in common: weights, a bias and running statistics.

    Attributes:
        weight, bias: one number a channel, 1 and 0 at first; None without `affine`.
        running_mean, running_var: buffers of one number a channel; None without `track_running_stats`.
        num_batches_tracked: how many batches they were made of.
        dims: the numbers of dimensions that an input may have.
    """

    _version = 2
    dims: tuple[int, ...] = ()
    weight: Any
    bias: Any
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name, there in (("weight", affine), ("bias", affine and bias)):
            made = Parameter(tl.empty(num_features, device=device, dtype=dtype)) if there else None
            self.register_parameter(name, made)
        statistics: dict[str, Any] = dict.fromkeys(("running_mean", "running_var", "num_batches_tracked"))
        if track_running_stats:
            statistics["running_mean"] = tl.zeros(num_features, device=device, dtype=dtype)
            statistics["running_var"] = tl.ones(num_features, device=device, dtype=dtype)
            statistics["num_batches_tracked"] = tl.tensor(0, device=device)
        for name, buffer in statistics.items():
            self.register_buffer(name, buffer)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Let the running statistics begin anew: mean 0, variance 1."""
        if self.running_mean is not None and self.running_var is not None:
            self.running_mean.zero_()
            self.running_var.fill_(1)
        if self.num_batches_tracked is not None:
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Let weights, bias and running statistics begin anew."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in self.dims:
            wanted = " or ".join(f"{dims}D" for dims in self.dims)
            raise ValueError(f"expected {wanted} input (got {input.dim()}D input)")

    def _channel_dim(self, input: Tensor) -> int:
        """Which dimension of an input counts its channels."""
        return 1

    def extra_repr(self) -> str:
        named = shown(self, "eps", "momentum", "affine")
        use_bias = self.bias is not None
        return (
            f"{self.num_features}, {named}, bias={use_bias}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(NormOfChannels):
    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        tracks = self.training and self.track_running_stats
        if tracks and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        of_batch = self.training or (self.running_mean is None and self.running_var is None)
        uses = not self.training or self.track_running_stats
        mean, var = (self.running_mean, self.running_var) if uses else (None, None)
        return F.batch_norm(input, mean, var, self.weight, self.bias, of_batch, factor, self.eps)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *others: Any) -> None:
        # State of the first version has no count of batches.
        if local_metadata.get("version", 1) < 2 and self.track_running_stats:
            state_dict.setdefault(prefix + "num_batches_tracked", self.num_batches_tracked)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *others)


class BatchNorm1d(_BatchNorm):
    """`BatchNorm2d` of vectors or of sequences.

    Args:
        num_features, eps, momentum, affine, track_running_stats, device, dtype, bias: see `BatchNorm2d`.

    Shape:
        (N, C) or (N, C, L), and the same.

    Example:
        >>> import tensorlab as tl
        >>> made = tl.nn.BatchNorm1d(3)(tl.tensor([[0.0, 1.0, 5.0], [2.0, 3.0, 5.0]]))
        >>> made.detach().round()
        tensor([[-1., -1.,  0.],
                [ 1.,  1.,  0.]])
    """

    dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Give each channel of a batch of images mean 0 and variance 1, then scale and shift it.

    y = (x - mean) / √(var + eps) · weight + bias. In training, mean and variance (over N) are those of the
    channel in this batch; in use, they are the running ones. From Ioffe and Szegedy (2015).

    Args:
        num_features: C, the channels.
        eps: keeps the root from being 0.
        momentum: how much a batch counts in the running statistics; None to count all batches alike.
        affine: whether there are a weight and a bias.
        track_running_stats: whether there are running statistics; without, use takes the batch's.
        device, dtype: of the parameters and buffers.
        bias: whether there is a bias.

    Raises:
        ValueError: an input has another number of dimensions, or one number a channel in training.

    Shape:
        (N, C, H, W), and the same.

    Example:
        >>> import tensorlab as tl
        >>> layer = tl.nn.BatchNorm2d(4)
        >>> layer(tl.randn(2, 4, 3, 3)).shape, layer.num_batches_tracked
        (tensorlab.Size([2, 4, 3, 3]), tensor(1))
    """

    dims = (4,)


class BatchNorm3d(_BatchNorm):
    """`BatchNorm2d` of volumes.

    Args:
        num_features, eps, momentum, affine, track_running_stats, device, dtype, bias: see `BatchNorm2d`.

    Shape:
        (N, C, D, H, W), and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.BatchNorm3d(2)(tl.randn(1, 2, 2, 2, 2)).shape
        tensorlab.Size([1, 2, 2, 2, 2])
    """

    dims = (5,)


class LazyNorm(LazyModuleMixin):
    """A normalisation that takes `num_features` from the first input that it sees."""

    def __init__(
        self: Any,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        for name in ("weight", "bias"):
            if self._parameters[name] is not None:
                setattr(self, name, UninitializedParameter(device=device, dtype=dtype))
        if self.track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)

    def reset_parameters(self: Any) -> None:
        """Let weights, bias and running statistics begin anew, if they are there."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self: Any, input: Tensor) -> None:
        """Take `num_features` from the input."""
        if self.has_uninitialized_params():
            self.num_features = input.shape[self._channel_dim(input)]
            for tensor in (self.weight, self.bias, self.running_mean, self.running_var):
                if tensor is not None:
                    tensor.materialize((self.num_features,))
            self.reset_parameters()


class LazyBatchNorm1d(LazyNorm, _BatchNorm):
    """`BatchNorm1d`, which takes `num_features` from the first input that it sees.

    Example:
        >>> import tensorlab as tl
        >>> layer = tl.nn.LazyBatchNorm1d()
        >>> layer(tl.randn(4, 3)).shape, layer.num_features
        (tensorlab.Size([4, 3]), 3)
    """

    cls_to_become = BatchNorm1d
    dims = (2, 3)


class LazyBatchNorm2d(LazyNorm, _BatchNorm):
    """`BatchNorm2d`, which takes `num_features` from the first input that it sees.

    Example:
        >>> import tensorlab as tl
        >>> layer = tl.nn.LazyBatchNorm2d()
        >>> layer(tl.randn(4, 3, 2, 2)).shape, layer.num_features
        (tensorlab.Size([4, 3, 2, 2]), 3)
    """

    cls_to_become = BatchNorm2d
    dims = (4,)


class LazyBatchNorm3d(LazyNorm, _BatchNorm):
    """`BatchNorm3d`, which takes `num_features` from the first input that it sees.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.LazyBatchNorm3d()(tl.randn(2, 1, 2, 2, 2)).shape
        tensorlab.Size([2, 1, 2, 2, 2])
    """

    cls_to_become = BatchNorm3d
    dims = (5,)
