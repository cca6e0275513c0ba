"""The multinomial distribution: how often each class comes in a number of draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import tensorlab as tl
from tensorlab.core.layout import Size
from tensorlab.distributions.categorical import Categorical
from tensorlab.distributions.distribution import Distribution
from tensorlab.tensor import Tensor

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """Counts of the classes in `total_count` draws of a `Categorical`.

    Args:
        total_count: how many draws.
        probs, logits: see `Categorical`.
        validate_args: see `Distribution`.

    Raises:
        ValueError: as `Categorical`'s; or `total_count` is negative.

    Example:
        >>> import tensorlab as tl
        >>> dice = tl.distributions.Multinomial(100, tl.ones(6))
        >>> counts = dice.sample()
        >>> counts.shape, counts.sum()
        (tensorlab.Size([6]), tensor(100.))
    """

    parameters: ClassVar[dict[str, str]] = {}

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int) or total_count < 0:
            raise NotImplementedError("inhomogeneous total_count is not supported: give one number of draws")
        self.total_count = total_count
        self._categorical = Categorical(probs, logits, validate_args)
        super().__init__(
            self._categorical.batch_shape, Size(self._categorical.param_shape[-1:]), validate_args
        )

    @property
    def probs(self) -> Tensor:
        """The probabilities of the classes."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """Their logarithms."""
        return self._categorical.logits

    @property
    def mean(self) -> Tensor:
        """The probabilities times the number of draws."""
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        """That of each count by itself."""
        return self.total_count * self.probs * (1 - self.probs)

    def expand(self, batch_shape: Sequence[int]) -> Multinomial:
        """The same for every element of a larger batch."""
        logits = self._categorical.expand(batch_shape).logits
        return Multinomial(self.total_count, logits=logits, validate_args=self._validate_args)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draws: counts, as floats."""
        with tl.no_grad():
            drawn = self._categorical.sample((self.total_count, *sample_shape)).movedim(0, -1)
            counts = tl.zeros(self._extended_shape(sample_shape), dtype=tl.int64, device=drawn.device)
            return counts.scatter_add_(-1, drawn, tl.ones_like(drawn)).type_as(self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of counts."""
        within = None
        if isinstance(value, Tensor):
            within = (value >= 0).all(-1) & (value.sum(-1) <= self.total_count)
        logits, value = tl.broadcast_tensors(self.logits, self._checked(value, within))
        logits = logits.masked_fill((value == 0) & (logits == -tl.inf), 0)
        ways = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        return ways + (logits * value).sum(-1)

    def entropy(self) -> Tensor:
        """The mean of ``-log_prob``: of sums over all counts that one class can have."""
        n = tl.tensor(float(self.total_count), device=self.probs.device)
        counts = tl.arange(1, self.total_count + 1, dtype=self.probs.dtype, device=self.probs.device)
        counts = counts.view(-1, *[1] * self.probs.ndim)
        ways = (n + 1).lgamma() - (counts + 1).lgamma() - (n - counts + 1).lgamma()
        once = (ways + counts * self.probs.log() + (n - counts) * (1 - self.probs).log()).exp()
        of_counts = (once * (counts + 1).lgamma()).sum([0, -1])
        return n * self._categorical.entropy() - (n + 1).lgamma() + of_counts

    def __repr__(self) -> str:
        return (
            f"Multinomial(total_count: {self.total_count}, {repr(self._categorical)[len('Categorical(') :]}"
        )
