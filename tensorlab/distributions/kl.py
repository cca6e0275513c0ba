"""The Kullback-Leibler divergence: how much is lost by taking one distribution for another."""

from __future__ import annotations

import math

import tensorlab as tl
from tensorlab.distributions.bernoulli import Bernoulli
from tensorlab.distributions.categorical import Categorical
from tensorlab.distributions.distribution import Distribution
from tensorlab.distributions.normal import Normal
from tensorlab.distributions.uniform import Uniform
from tensorlab.nn.functional import softplus
from tensorlab.tensor import Tensor

__all__ = ["kl_divergence"]


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    r"""The mean of :math:`\log p(x) - \log q(x)` over the draws of p, in nats.

    Args:
        p, q: two distributions of one kind: normal, categorical, Bernoulli or uniform.

    Returns:
        one number for each distribution of the batch, never negative.

    Raises:
        NotImplementedError: there is no formula for these kinds.

    Example:
        >>> import tensorlab as tl
        >>> Normal = tl.distributions.Normal
        >>> tl.distributions.kl_divergence(Normal(1.0, 1.0), Normal(0.0, 1.0))
        tensor(0.5000)
    """
    if isinstance(p, Normal) and isinstance(q, Normal):
        ratio = (p.scale / q.scale) ** 2
        return 0.5 * (ratio + ((p.loc - q.loc) / q.scale) ** 2 - 1 - ratio.log())
    if isinstance(p, Categorical) and isinstance(q, Categorical):
        terms = p.probs * (p.logits - q.logits)
        terms = terms.masked_fill((q.probs == 0).expand_as(terms), math.inf)
        return terms.masked_fill((p.probs == 0).expand_as(terms), 0).sum(-1)
    if isinstance(p, Bernoulli) and isinstance(q, Bernoulli):
        yes = p.probs * (softplus(-q.logits) - softplus(-p.logits))
        yes = yes.masked_fill(q.probs == 0, math.inf).masked_fill(p.probs == 0, 0)
        no = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
        return yes + no.masked_fill(q.probs == 1, math.inf).masked_fill(p.probs == 1, 0)
    if isinstance(p, Uniform) and isinstance(q, Uniform):
        result = ((q.high - q.low) / (p.high - p.low)).log()
        return tl.where((q.low > p.low) | (q.high < p.high), math.inf, result)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )
