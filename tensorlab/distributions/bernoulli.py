"""The Bernoulli distribution: a coin."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

import tensorlab as tl
from tensorlab.distributions.distribution import Distribution, broadcast_all, logits_of, probabilities_of
from tensorlab.nn.functional import binary_cross_entropy_with_logits
from tensorlab.tensor import Tensor

__all__ = ["Bernoulli"]


class Bernoulli(Distribution):
    """1 with a probability p, otherwise 0.

    Args:
        probs: p; or
        logits: the logarithm of the odds, log(p / (1 - p)).
        validate_args: see `Distribution`.

    Raises:
        ValueError: both are given or none, or p is not from 0 to 1.

    Example:
        >>> import tensorlab as tl
        >>> tl.distributions.Bernoulli(tl.tensor([0.25, 0.5])).log_prob(tl.ones(2))
        tensor([-1.3863, -0.6931])
    """

    parameters: ClassVar[dict[str, str]] = {"probs": "from 0 to 1", "logits": "real"}

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        (given,) = broadcast_all(logits if probs is None else probs)
        setattr(self, "logits" if probs is None else "probs", given)
        super().__init__(given.size(), validate_args=validate_args)

    @cached_property
    def probs(self) -> Tensor:
        """P."""
        return probabilities_of(self.logits, binary=True)

    @cached_property
    def logits(self) -> Tensor:
        """The logarithm of the odds."""
        return logits_of(self.probs, binary=True)

    def expand(self, batch_shape: Sequence[int]) -> Bernoulli:
        """The same for every element of a larger batch."""
        return Bernoulli(self.probs.expand(batch_shape), validate_args=self._validate_args)

    @property
    def mean(self) -> Tensor:
        """P."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """The likelier outcome; NaN where both are alike."""
        return (self.probs >= 0.5).to(self.probs.dtype).masked_fill(self.probs == 0.5, tl.nan)

    @property
    def variance(self) -> Tensor:
        """P (1 - p)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draws, floats that are 0 or 1."""
        with tl.no_grad():
            return tl.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability."""
        within = ((value == 0) | (value == 1)) if isinstance(value, Tensor) else None
        logits, value = tl.broadcast_tensors(self.logits, self._checked(value, within))
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        """At most log 2, of a fair coin."""
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Both outcomes, along a new first dimension."""
        values = tl.arange(2, dtype=self.probs.dtype, device=self.probs.device).view(
            -1, *[1] * len(self.batch_shape)
        )
        return values.expand(2, *self.batch_shape) if expand else values
