"""Two sets of numbers compared: each with its own partner, or everyone with everyone.

The difference of a column and a row is a table (see `tensorlab.core.broadcasting`). That is wanted where
every pair counts, and a mistake where each number has one partner; here each of the two has its own function.
"""

from __future__ import annotations

from tensorlab.ops.arithmetic import sub
from tensorlab.ops.creation import zeros
from tensorlab.ops.pointwise import square
from tensorlab.ops.reduction import mean
from tensorlab.tensor import Tensor


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
    return mean(square(sub(prediction, target)))


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
        total += square(sub(x[:, k, None], y[:, k]))
    return total
