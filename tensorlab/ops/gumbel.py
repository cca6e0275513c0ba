"""Drawing from categories so that gradients follow."""

from __future__ import annotations

from tensorlab.memory_formats import contiguous_format
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.creation import empty_like, zeros_like
from tensorlab.ops.extremes import argmax
from tensorlab.ops.indexing.gather_scatter import scatter
from tensorlab.ops.pointwise import log, neg
from tensorlab.ops.random_fills import exponential_
from tensorlab.ops.softmax import softmax
from tensorlab.registry import op
from tensorlab.tensor import Tensor
from tensorlab.warned import warn_caller


@op(namespace="nn.functional")
def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """A random choice among categories, as numbers that add up to 1 and have a gradient.

    Noise of a Gumbel distribution is added to the logits. The largest sum stands where a draw from the
    categories would, and softmax makes weights of the sums: E. Jang, S. Gu, B. Poole, *Categorical
    Reparameterization with Gumbel-Softmax*, 2017.

    Args:
        logits: unnormalised logarithms of probabilities.
        tau: the temperature: the lower, the nearer are the weights to 0 and 1.
        hard: give 1 for the category drawn and 0 for the others, with the gradient of the weights.
        eps: not used; PyTorch has it for older programs, and warns.
        dim: the dimension along which the categories lie.

    Returns:
        a tensor of the shape of `logits`. For one seed the numbers are PyTorch's.

    Example:
        >>> import tensorlab as tl
        >>> import tensorlab.nn.functional as F
        >>> F.gumbel_softmax(tl.tensor([0.0, 0.0, 9.0]), hard=True).shape
        tensorlab.Size([3])
    """
    if eps != 1e-10:
        warn_caller("`eps` parameter is deprecated and has no effect.")
    need_tensor("gumbel_softmax", logits, "logits")
    noise = exponential_(empty_like(logits.detach(), memory_format=contiguous_format))
    weights = softmax((logits + neg(log(noise))) / tau, dim)
    if not hard:
        return weights
    drawn = argmax(weights.detach(), dim, keepdim=True)
    one_hot = scatter(zeros_like(logits.detach(), memory_format=contiguous_format), dim, drawn, 1.0)
    return one_hot - weights.detach() + weights
