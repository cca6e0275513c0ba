"""Pooling by norms: between the mean of a window and its maximum."""

from __future__ import annotations

from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.pointwise import abs as magnitude
from tensorlab.ops.pointwise import relu, sign
from tensorlab.ops.pooling import avg_pool1d, avg_pool2d
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op(namespace="nn.functional")
def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: int,
    stride: int | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The `norm_type`-th root of the sum of the `norm_type`-th powers of each window.

    Args:
        input: of shape (N, C, L), or (C, L) for one signal.
        norm_type: 1 gives sums; the greater it is, the more the greatest element counts.
        kernel_size, stride, ceil_mode: those of `avg_pool1d`.

    Example:
        >>> import tensorlab as tl
        >>> import tensorlab.nn.functional as F
        >>> F.lp_pool1d(tl.tensor([[3.0, 4.0, 6.0, 8.0]]), 2, 2)
        tensor([[ 5., 10.]])
    """
    powers = need_tensor("lp_pool1d", input) ** norm_type
    return _root(avg_pool1d(powers, kernel_size, stride, 0, ceil_mode), kernel_size, norm_type)


@op(namespace="nn.functional")
def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: int | tuple[int, int],
    stride: int | tuple[int, int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The `norm_type`-th root of the sum of the `norm_type`-th powers of each window; see `lp_pool1d`.

    Args:
        input: of shape (N, C, H, W), or (C, H, W) for one image.
        norm_type: 1 gives sums; the greater it is, the more the greatest element counts.
        kernel_size, stride, ceil_mode: those of `avg_pool2d`.

    Example:
        >>> import tensorlab as tl
        >>> import tensorlab.nn.functional as F
        >>> F.lp_pool2d(tl.ones(1, 4, 4), 2, 2)
        tensor([[[2., 2.],
                 [2., 2.]]])
    """
    height, width = (kernel_size, kernel_size) if isinstance(kernel_size, int) else kernel_size
    powers = need_tensor("lp_pool2d", input) ** norm_type
    return _root(avg_pool2d(powers, kernel_size, stride, 0, ceil_mode), height * width, norm_type)


def _root(means: Tensor, count: int, norm_type: float) -> Tensor:
    return (sign(means) * relu(magnitude(means)) * count) ** (1.0 / norm_type)
