"""Dimensions made one, and one made several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlab.nn.modules.module import Module
from tensorlab.tensor import Tensor

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """Make several dimensions one; by default all but the first, which counts the examples of a batch.

    Args:
        start_dim: the first of them.
        end_dim: the last of them.

    Shape:
        (N, C, H, W) becomes (N, C·H·W).

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Flatten()(tl.zeros(32, 1, 5, 5)).shape
        tensorlab.Size([32, 25])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Make one dimension several.

    Args:
        dim: which one.
        unflattened_size: the sizes that it becomes; one of them may be -1.

    Raises:
        TypeError: the sizes are no tuple or list of integers.

    Shape:
        (N, C·H·W) becomes (N, C, H, W).

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Unflatten(1, (2, 5, 5))(tl.zeros(8, 50)).shape
        tensorlab.Size([8, 2, 5, 5])
    """

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(
                f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}"
            )
        for place, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, "
                    f"but found element of type {type(size).__name__} at pos {place}"
                )
        self.dim: Any = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
