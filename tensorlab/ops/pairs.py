"""What chapters build beside the operators: two sets of numbers compared, and sums without loss.

Numbers are compared each with its own partner, or everyone with everyone.

The difference of a column and a row is a table (see `tensorlab.core.broadcasting`). That is wanted where
every pair counts, and a mistake where each number has one partner; here each of the two has its own function.
"""

from __future__ import annotations

import math

import numpy as np

from tensorlab.ops.creation import zeros
from tensorlab.ops.from_data import tensor
from tensorlab.ops.products import product
from tensorlab.tensor import Tensor

__all__ = ["attention_scores", "squared_distances", "squared_error"]


def squared_error(prediction: Tensor, target: Tensor) -> Tensor:
    """The mean of the squared differences of two tensors of one shape.

    Shapes that differ are refused, also where they could be broadcast: (N, 1) against (N,) would compare
    every prediction with every target.

    Args:
        prediction, target: floating tensors of the same shape.

    Returns:
        a tensor without dimensions.

    Raises:
        ValueError: the shapes differ.

    Example:
        >>> import tensorlab as tl
        >>> squared_error(tl.tensor([1.0, 2.0]), tl.tensor([1.0, 4.0]))
        tensor(2.)
        >>> squared_error(tl.zeros(3, 1), tl.zeros(3))
        Traceback (most recent call last):
            ...
        ValueError: prediction has shape (3, 1) and target has shape (3,): each prediction needs a target of \
its own, so give both one shape, with reshape or [:, None]
    """
    if prediction.shape != target.shape:
        raise ValueError(
            f"prediction has shape {tuple(prediction.shape)} and target has shape {tuple(target.shape)}: "
            f"each prediction needs a target of its own, so give both one shape, with reshape or [:, None]"
        )
    return (prediction - target).square().mean()


def squared_distances(x: Tensor, y: Tensor) -> Tensor:
    """The squared distance of every point of one set from every point of another.

    Coordinate after coordinate is added up, so that no more than three tables of the result's size live at
    one moment. The differences of all coordinates at once would be as many tables as there are coordinates.

    Args:
        x: of shape (m, d): m points with d coordinates.
        y: of shape (n, d), of the same dtype.

    Returns:
        a tensor of shape (m, n).

    Raises:
        ValueError: the points have different numbers of coordinates, or one of the two is no table.

    Example:
        >>> import tensorlab as tl
        >>> squared_distances(tl.tensor([[0.0, 0.0], [3.0, 0.0]]), tl.tensor([[0.0, 4.0]]))
        tensor([[16.],
                [25.]])
    """
    if x.dim() != 2 or y.dim() != 2 or x.shape[1] != y.shape[1]:
        raise ValueError(
            f"x of shape {tuple(x.shape)} and y of shape {tuple(y.shape)} need as many coordinates: give "
            f"tables of shapes (m, d) and (n, d)"
        )
    total = zeros(x.shape[0], y.shape[0], dtype=x.dtype)
    for k in range(x.shape[1]):
        total += (x[:, k, None] - y[:, k]).square()
    return total


# --- attention scores -----------------------------------------------------------------------------------


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
    return product(query, key.transpose(-2, -1)) / math.sqrt(query.shape[-1])


# --- sums without loss ----------------------------------------------------------------------------------


def accurate_sum(input: Tensor) -> Tensor:
    """The sum of all elements, every addition in their own dtype, with what the additions lost put back.

    An addition of floats is rounded. What it loses is a float again, and four more additions find it exactly
    (D. Knuth, *The Art of Computer Programming*, volume 2, section 4.2.2). The losses are added up beside
    the total and join it at the end. Where a plain sum of n elements may lose n roundings of the total, this
    one loses two.

    Args:
        input: a float32 or float64 tensor of any shape.

    Returns:
        a tensor of one number, of the dtype of `input`; 0 where there are no elements.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([16777216.0, 1.0, 1.0, 1.0])
        >>> (x[0] + x[1] + x[2] + x[3]).item(), accurate_sum(x).item()
        (16777216.0, 16777220.0)
    """
    elements = input.detach().reshape(-1).numpy()
    total = lost = elements.dtype.type(0)
    with np.errstate(all="ignore"):  # of an infinite total the losses are NaN
        for element in elements:
            together = total + element
            added = together - total
            lost = lost + ((total - (together - added)) + (element - added))
            total = together
        found = total + lost if lost == lost else total
    return tensor(float(found), dtype=input._dtype)
