"""The categorical distribution: one of several classes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

import tensorlab as tl
from tensorlab.core.layout import Size
from tensorlab.distributions.distribution import Distribution, logits_of, probabilities_of
from tensorlab.tensor import Tensor

__all__ = ["Categorical"]


class Categorical(Distribution):
    """A class from 0 to n - 1, each with a probability of its own.

    Args:
        probs: what the probabilities are proportional to, along the last dimension; or
        logits: their logarithms, up to a constant: what the last layer of a classifier makes.
        validate_args: see `Distribution`.

    Raises:
        ValueError: both are given or none, they have no dimension, or one is negative.

    Example:
        >>> import tensorlab as tl
        >>> coin = tl.distributions.Categorical(tl.tensor([3.0, 1.0]))
        >>> coin.probs, coin.log_prob(tl.tensor(1))
        (tensor([0.7500, 0.2500]), tensor(-1.3863))
    """

    parameters: ClassVar[dict[str, str]] = {"probs": "probabilities that add up to 1", "logits": "real"}

    def __init__(
        self,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        name, given = ("probs", probs) if logits is None else ("logits", logits)
        assert given is not None
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if logits is None:
            self.probs = given / given.sum(-1, keepdim=True)
        else:
            self.logits = given - given.logsumexp(-1, keepdim=True)
        self.param_shape = given.size()
        super().__init__(Size(given.shape[:-1]), validate_args=validate_args)

    @cached_property
    def probs(self) -> Tensor:
        """The probabilities, which add up to 1."""
        return probabilities_of(self.logits)

    @cached_property
    def logits(self) -> Tensor:
        """Their logarithms."""
        return logits_of(self.probs)

    def expand(self, batch_shape: Sequence[int]) -> Categorical:
        """The same for every element of a larger batch."""
        shape = (*batch_shape, self.param_shape[-1])
        return Categorical(logits=self.logits.expand(shape), validate_args=self._validate_args)

    @property
    def mean(self) -> Tensor:
        """NaN: classes are names, not numbers."""
        return tl.full(self._extended_shape(), tl.nan, dtype=self.probs.dtype, device=self.probs.device)

    variance = mean

    @property
    def mode(self) -> Tensor:
        """The likeliest class."""
        return self.probs.argmax(-1)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draws, classes as int64."""
        shape = Size(sample_shape)
        with tl.no_grad():
            rows = self.probs.reshape(-1, self.param_shape[-1])
            drawn = tl.multinomial(rows, shape.numel(), True).T
            return drawn.reshape(self._extended_shape(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of classes."""
        within = None
        if isinstance(value, Tensor):
            within = (value >= 0) & (value < self.param_shape[-1]) & (value % 1 == 0)
        places = self._checked(value, within).long().unsqueeze(-1)
        places, logits = tl.broadcast_tensors(places, self.logits)
        return logits.gather(-1, places[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        """At most the logarithm of the number of classes."""
        logits = self.logits.clamp(min=tl.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All classes, along a new first dimension."""
        count = self.param_shape[-1]
        values = tl.arange(count, device=self.probs.device).view(-1, *[1] * len(self.batch_shape))
        return values.expand(count, *self.batch_shape) if expand else values
