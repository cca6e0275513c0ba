"""Dropout: numbers, or whole channels, that are left out at random while a network trains."""

from __future__ import annotations

from tensorlab.nn import functional as F
from tensorlab.nn.modules.module import Module
from tensorlab.tensor import Tensor

__all__ = [
    "AlphaDropout",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "FeatureAlphaDropout",
]


class _Dropout(Module):
    """What all of them have: a probability."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """In training, each number is 0 with probability p, and the others are divided by 1 - p (Hinton, 2012).

    Args:
        p: the probability.
        inplace: write the result over the input.

    Raises:
        ValueError: p does not lie between 0 and 1.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> drop = tl.nn.Dropout(0.5)
        >>> sorted(set(drop(tl.ones(100)).tolist()))
        [0.0, 2.0]
        >>> drop.eval()(tl.ones(2))
        tensor([1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_Dropout):
    """In training, set whole channels of a sequence to 0 with probability p. Else as `Dropout`.

    Shape:
        (N, C, L) or (C, L), and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Dropout1d(1.0)(tl.ones(1, 2, 3)).sum()
        tensor(0.)
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_Dropout):
    """In training, set whole channels of an image to 0 with probability p. Else as `Dropout`.

    Shape:
        (N, C, H, W) or (C, H, W), and the same.

    Example:
        >>> import tensorlab as tl
        >>> made = tl.nn.Dropout2d(0.5)(tl.ones(8, 16, 3, 3))
        >>> set(made.flatten(2).sum(2).flatten().tolist()) <= {0.0, 18.0}
        True
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_Dropout):
    """In training, set whole channels of a volume to 0 with probability p. Else as `Dropout`.

    Shape:
        (N, C, D, H, W) or (C, D, H, W), and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Dropout3d(0.0)(tl.ones(1, 1, 1, 1, 2)).flatten()
        tensor([1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_Dropout):
    """Dropout that keeps mean 0 and variance 1, for `SELU` (Klambauer et al., 2017). Else as `Dropout`.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.AlphaDropout(0.2)(tl.randn(20, 16)).shape
        tensorlab.Size([20, 16])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_Dropout):
    """`AlphaDropout` of whole channels.

    Shape:
        (N, C, …), and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.FeatureAlphaDropout(0.2)(tl.randn(2, 3, 4, 5)).shape
        tensorlab.Size([2, 3, 4, 5])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)
