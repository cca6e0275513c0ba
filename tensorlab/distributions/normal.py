"""The normal distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import tensorlab as tl
from tensorlab.distributions.distribution import Distribution, broadcast_all
from tensorlab.tensor import Tensor

__all__ = ["Normal"]


class Normal(Distribution):
    r"""The normal distribution with mean μ and deviation σ.

    Its density is :math:`\exp(-(x - \mu)^2 / 2\sigma^2)` times :math:`1 / \sigma \sqrt{2\pi}`.
    `rsample` draws :math:`\mu + \sigma \varepsilon`, so that gradients reach both: the reparameterization of
    Kingma and Welling, *Auto-Encoding Variational Bayes*, 2014.

    Args:
        loc: μ.
        scale: σ, positive.
        validate_args: see `Distribution`.

    Raises:
        ValueError: σ is not positive.

    Example:
        >>> import tensorlab as tl
        >>> normal = tl.distributions.Normal(0.0, tl.tensor([1.0, 2.0]))
        >>> normal.log_prob(tl.tensor(0.0)), normal.sample((5,)).shape
        (tensor([-0.9189, -1.6121]), tensorlab.Size([5, 2]))
    """

    parameters: ClassVar[dict[str, str]] = {"loc": "real", "scale": "positive"}
    has_rsample = True

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int]) -> Normal:
        """The same for every element of a larger batch."""
        return Normal(self.loc.expand(batch_shape), self.scale.expand(batch_shape), self._validate_args)

    @property
    def mean(self) -> Tensor:
        """μ."""
        return self.loc

    mode = mean

    @property
    def stddev(self) -> Tensor:
        """σ."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """σ²."""
        return self.scale**2

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draws that no gradient follows."""
        shape = self._extended_shape(sample_shape)
        with tl.no_grad():
            return tl.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draws that gradients follow to both parameters."""
        noise = self.loc.new_empty(self._extended_shape(sample_shape)).normal_()
        return self.loc + noise * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        value = self._checked(value)
        squares = -((value - self.loc) ** 2) / (2 * self.scale**2)
        return squares - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of what is not greater."""
        value = self._checked(value)
        return 0.5 * (1 + tl.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value: Tensor) -> Tensor:
        """The number below which a draw lies with a probability."""
        return self.loc + self.scale * tl.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Tensor:
        r""":math:`(1 + \log 2\pi) / 2 + \log \sigma`."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()
