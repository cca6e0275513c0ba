"""How far apart two batches of vectors are, pair by pair."""

from __future__ import annotations

from tensorlab.nn import functional as F
from tensorlab.nn.modules.module import Module
from tensorlab.tensor import Tensor

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """The p-norm of a - b + eps along the last dimension.

    Args:
        p: which norm.
        eps: is added to each difference, so that the root has a gradient.
        keepdim: keep the last dimension, with size 1.

    Shape:
        (N, D) twice becomes (N).

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.PairwiseDistance()(tl.zeros(1, 2), tl.tensor([[3.0, 4.0]])).round()
        tensor([5.])
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """``a·b / (|a|·|b|)`` along a dimension: the cosine of the angle between them.

    Args:
        dim: the dimension.
        eps: the least that ``|a|·|b|`` is taken for.

    Shape:
        (…, D, …) twice becomes (…, …).

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.CosineSimilarity()(tl.tensor([[1.0, 0.0]]), tl.tensor([[0.0, 2.0]]))
        tensor([0.])
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
