"""The first half of attention: how well each query fits each key."""

from __future__ import annotations

import math

from tensorlab.ops.dims import transpose
from tensorlab.ops.pointwise import div
from tensorlab.ops.products import product
from tensorlab.tensor import Tensor


def attention_scores(query: Tensor, key: Tensor) -> Tensor:
    """The scaled dot product of each query with each key: ``query @ key.transpose(-2, -1) / √d``.

    The dot product of two vectors of d random numbers with spread 1 has spread √d. The division brings it
    back to 1, however long the vectors are.

    Args:
        query: of shape (…, t, d): t vectors of d numbers, in a batch or without one.
        key: of shape (…, s, d) and of the same floating dtype. Batches are broadcast and not copied.

    Returns:
        a new tensor of shape (…, t, s).

    Raises:
        RuntimeError: the vectors differ in length, the batches cannot be broadcast, or the dtypes differ.
        IndexError: `key` has fewer than two dimensions.

    Example:
        >>> import tensorlab as tl
        >>> attention_scores(tl.ones(2, 4), tl.tensor([[1.0, 1, 1, 1], [0, 0, 1, 0], [0, 0, 0, 0]]))
        tensor([[2.0000, 0.5000, 0.0000],
                [2.0000, 0.5000, 0.0000]])
    """
    return div(product(query, transpose(key, -2, -1)), math.sqrt(query.shape[-1]))
