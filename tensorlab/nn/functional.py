"""PyTorch's `torch.nn.functional`: what a layer does, as functions of tensors.

Example:
    >>> import tensorlab as tl
    >>> import tensorlab.nn.functional as F
    >>> F.relu(tl.tensor([-1.0, 2.0]))
    tensor([0., 2.])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlab.core.dtypes import dtype
from tensorlab.nn import multi_head_attention  # noqa: F401 (it registers its function)
from tensorlab.ops.exports import exported
from tensorlab.ops.softmax import softmax_of_layers
from tensorlab.registry import op
from tensorlab.tensor import Tensor

if TYPE_CHECKING:
    from tensorlab.stubs.functional import *  # noqa: F403


@op(namespace="nn.functional")
def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    """``exp(input)`` divided by its sum along a dimension (see `tensorlab.softmax`).

    Args:
        input: a floating-point tensor.
        dim: the dimension that adds up to 1. Without it a warning says which one was guessed.
        _stacklevel: taken as PyTorch takes it; the warning names the line outside of the library.
        dtype: the floating type to convert each element to first.

    Example:
        >>> import tensorlab as tl
        >>> softmax(tl.zeros(2, 2), dim=-1)
        tensor([[0.5000, 0.5000],
                [0.5000, 0.5000]])
    """
    return softmax_of_layers("softmax", input, dim, dtype)


@op(namespace="nn.functional")
def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    """The logarithm of `softmax`. The arguments are those of `softmax`.

    Example:
        >>> import tensorlab as tl
        >>> log_softmax(tl.zeros(4), dim=0)
        tensor([-1.3863, -1.3863, -1.3863, -1.3863])
    """
    return softmax_of_layers("log_softmax", input, dim, dtype)


@op(namespace="nn.functional")
def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    """The softmax of ``-input``: the least element gets the most. The arguments are those of `softmax`.

    Example:
        >>> import tensorlab as tl
        >>> softmin(tl.tensor([0.0, 1.0, 2.0]), dim=0)
        tensor([0.6652, 0.2447, 0.0900])
    """
    return softmax_of_layers("softmin", input, dim, dtype)


_functions = exported("nn.functional")
globals().update(_functions)

__all__ = [*_functions]
