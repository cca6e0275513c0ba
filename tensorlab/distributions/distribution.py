"""What all distributions have: shapes, checks, and the names of what can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import tensorlab as tl
from tensorlab.core.layout import Size
from tensorlab.tensor import Tensor

__all__ = ["Distribution", "broadcast_all", "logits_of", "probabilities_of"]


class Distribution:
    """The base of all distributions.

    A distribution may stand for many: one with a `batch_shape` of (3, 4) is twelve, each with parameters of
    its own. A draw has the shape ``sample_shape + batch_shape + event_shape``.

    Args:
        batch_shape: how many distributions this is.
        event_shape: the shape of one draw from one of them.
        validate_args: check parameters, and the values that densities are asked of.

    Raises:
        ValueError: a parameter is outside of what it may be.
    """

    # What each parameter must satisfy, and how an error says it.
    parameters: ClassVar[dict[str, str]] = {}
    has_rsample = False

    def __init__(
        self,
        batch_shape: Sequence[int] = (),
        event_shape: Sequence[int] = (),
        validate_args: bool | None = None,
    ) -> None:
        self.batch_shape, self.event_shape = Size(batch_shape), Size(event_shape)
        self._validate_args = __debug__ if validate_args is None else validate_args
        if self._validate_args:
            for name, rule in self.parameters.items():
                if name in self.__dict__:
                    self._check_parameter(name, rule)

    def _check_parameter(self, name: str, rule: str) -> None:
        value = getattr(self, name)
        if not bool(_RULES[rule](value).all()):
            raise ValueError(
                f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                f"distribution {self!r} to satisfy the constraint {rule!r}, but found invalid "
                f"values:\n{value}"
            )

    def _checked(self, value: Any, within: Tensor | None = None) -> Any:
        """A value that a density is asked of.

        Args:
            value: the value.
            within: which of its elements can be drawn at all.
        """
        if not self._validate_args:
            return value
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        tl.broadcast_shapes(tuple(value.shape), tuple(self.batch_shape + self.event_shape))
        if within is not None and not bool(within.all()):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be "
                f"within the support of the distribution {self!r}, but found invalid values:\n{value}"
            )
        return value

    def _extended_shape(self, sample_shape: Sequence[int] = ()) -> Size:
        return Size(sample_shape) + self.batch_shape + self.event_shape

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draws that no gradient follows, of the shape ``sample_shape + batch_shape + event_shape``."""
        with tl.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draws made of the parameters by arithmetic, so that gradients reach these."""
        raise NotImplementedError(f"{type(self).__name__} has no rsample(): its draws have no gradient")

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density, or of the probability, of a value."""
        raise NotImplementedError(f"{type(self).__name__} has no log_prob()")

    def entropy(self) -> Tensor:
        """The mean of ``-log_prob`` over all draws, in nats."""
        raise NotImplementedError(f"{type(self).__name__} has no entropy()")

    def perplexity(self) -> Tensor:
        """The exponential of the entropy: how many equally likely values would be as uncertain."""
        return self.entropy().exp()

    @property
    def mean(self) -> Tensor:
        """The mean of all draws."""
        raise NotImplementedError(f"{type(self).__name__} has no mean")

    @property
    def variance(self) -> Tensor:
        """The mean square distance of draws from their mean."""
        raise NotImplementedError(f"{type(self).__name__} has no variance")

    @property
    def stddev(self) -> Tensor:
        """The root of the variance."""
        return self.variance.sqrt()

    def __repr__(self) -> str:
        shown = []
        for name in self.parameters:
            if name in self.__dict__:
                value = self.__dict__[name]
                shown.append(f"{name}: {value if value.numel() == 1 else value.size()}")
        return f"{type(self).__name__}({', '.join(shown)})"


_RULES = {
    "real": lambda value: value == value,
    "positive": lambda value: value > 0,
    "from 0 to 1": lambda value: (value >= 0) & (value <= 1),
    "probabilities that add up to 1": lambda value: (value >= 0) & ((value.sum(-1, True) - 1).abs() < 1e-6),
}


def broadcast_all(*values: Any) -> list[Tensor]:
    """Numbers and tensors as tensors of one shape.

    Raises:
        ValueError: one is neither.
    """
    if not all(isinstance(value, (Tensor, bool, int, float)) for value in values):
        kinds = ", ".join(type(value).__name__ for value in values)
        raise ValueError(f"Input arguments must all be instances of Number or torch.Tensor, and are {kinds}")
    like = next((value for value in values if isinstance(value, Tensor)), None)
    dtype, device = (None, None) if like is None else (like.dtype, like.device)
    return list(
        tl.broadcast_tensors(
            *(v if isinstance(v, Tensor) else tl.tensor(v, dtype=dtype, device=device) for v in values)
        )
    )


def logits_of(probs: Tensor, binary: bool = False) -> Tensor:
    """Logarithms of probabilities, or of their odds if there are but two outcomes; none is infinite."""
    eps = tl.finfo(probs.dtype).eps
    clamped = probs.clamp(min=eps, max=1 - eps)
    return clamped.log() - (-clamped).log1p() if binary else clamped.log()


def probabilities_of(logits: Tensor, binary: bool = False) -> Tensor:
    """The probabilities that logarithms, or logarithms of odds, stand for."""
    return logits.sigmoid() if binary else logits.softmax(-1)
