"""Vectors by their direction: unit vectors, and the cosine of the angle between two."""

from __future__ import annotations

from tensorlab.dispatch.operands import result_type
from tensorlab.ops.arithmetic import div
from tensorlab.ops.clamp import clamp_min
from tensorlab.ops.norms import vector_norm
from tensorlab.ops.pointwise import mul
from tensorlab.ops.reduction import sum as sum_over
from tensorlab.ops.shape import broadcast_tensors
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op(namespace="nn.functional")
def normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """`input` divided by the p-norms along `dim`, or by `eps` where a norm is less.

    Raises:
        IndexError: there is no such dimension.

    Example:
        >>> F.normalize(tl.tensor([[3.0, 4.0], [0.0, 0.0]]))
        tensor([[0.6000, 0.8000],
                [0.0000, 0.0000]])
    """
    return div(input, clamp_min(vector_norm(input, p, dim, keepdim=True), eps), out=out)


@op(aliases="nn.functional.cosine_similarity")
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between the vectors that lie along `dim`.

    Args:
        x1, x2: tensors of floating dtypes that can be broadcast with each other.
        dim: the dimension of the broadcast shape along which the vectors lie; the result lacks it.
        eps: the least norm that a vector counts with, so that 0 is similar to nothing.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: the shapes do not broadcast, or neither tensor is floating.

    Example:
        >>> F.cosine_similarity(tl.tensor([[1.0, 0.0]]), tl.tensor([[2.0, 0.0], [0.0, 3.0]]))
        tensor([1., 0.])
    """
    common = result_type(x1, x2)
    if not common.is_floating_point:
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {common.name}: convert first, "
            f"x1.to(tensorlab.float32)"
        )
    x, y = broadcast_tensors(x1, x2)
    lengths = [clamp_min(vector_norm(t, 2, dim, keepdim=True), eps) for t in (x, y)]
    return sum_over(mul(div(x, lengths[0]), div(y, lengths[1])), dim)
