"""Probability distributions: draws, and logarithms of densities that gradients can follow."""

from __future__ import annotations

from typing import Any

from tensorlab.distributions import multinomial as multinomial
from tensorlab.distributions.bernoulli import Bernoulli
from tensorlab.distributions.categorical import Categorical
from tensorlab.distributions.distribution import Distribution
from tensorlab.distributions.kl import kl_divergence
from tensorlab.distributions.multinomial import Multinomial
from tensorlab.distributions.normal import Normal
from tensorlab.distributions.uniform import Uniform

__all__ = ["Bernoulli", "Categorical", "Distribution", "Multinomial", "Normal", "Uniform", "kl_divergence"]


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"tensorlab.distributions has no {name!r}; there are {', '.join(__all__)}", name=name, obj=None
    )
