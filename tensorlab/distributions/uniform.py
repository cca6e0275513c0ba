"""The uniform distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import tensorlab as tl
from tensorlab.distributions.distribution import Distribution, broadcast_all
from tensorlab.tensor import Tensor

__all__ = ["Uniform"]


class Uniform(Distribution):
    """All numbers of a half-open interval alike.

    Args:
        low: where it begins; it belongs to it.
        high: where it ends; it does not belong to it.
        validate_args: see `Distribution`.

    Raises:
        ValueError: `low` is not less than `high`.

    Example:
        >>> import tensorlab as tl
        >>> tl.distributions.Uniform(0.0, 4.0).log_prob(tl.tensor([1.0, 3.0]))
        tensor([-1.3863, -1.3863])
    """

    parameters: ClassVar[dict[str, str]] = {"low": "real", "high": "real"}
    has_rsample = True

    def __init__(self, low: Tensor | float, high: Tensor | float, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.size(), validate_args=validate_args)
        if self._validate_args and not bool((self.low < self.high).all()):
            raise ValueError(
                f"Expected parameter low to be less than high, but low is {low} and high is {high}"
            )

    def expand(self, batch_shape: Sequence[int]) -> Uniform:
        """The same for every element of a larger batch."""
        return Uniform(self.low.expand(batch_shape), self.high.expand(batch_shape), self._validate_args)

    @property
    def mean(self) -> Tensor:
        """The middle."""
        return (self.high + self.low) / 2

    @property
    def variance(self) -> Tensor:
        """A twelfth of the square of the length."""
        return (self.high - self.low) ** 2 / 12

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draws that gradients follow to both ends."""
        shape = self._extended_shape(sample_shape)
        return self.low + tl.rand(shape, dtype=self.low.dtype, device=self.low.device) * (
            self.high - self.low
        )

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        self._checked(value, within=(value >= self.low) & (value <= self.high))
        inside = (self.low <= value).type_as(self.low) * (self.high > value).type_as(self.low)
        return inside.log() - (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of what is not greater."""
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        """The number below which a draw lies with a probability."""
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        """The logarithm of the length."""
        return (self.high - self.low).log()
