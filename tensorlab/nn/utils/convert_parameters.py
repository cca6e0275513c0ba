"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorlab as tl
from tensorlab.tensor import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All numbers of several tensors in one vector, one tensor after another.

    Example:
        >>> import tensorlab as tl
        >>> parameters_to_vector([tl.zeros(2), tl.ones(1, 2)])
        tensor([0., 0., 1., 1.])
    """
    return tl.cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Any]) -> None:
    """Let each tensor look into its part of a vector.

    Raises:
        TypeError: `vec` is no tensor.

    Example:
        >>> import tensorlab as tl
        >>> layer = tl.nn.Linear(2, 1)
        >>> vector_to_parameters(tl.tensor([1.0, 2.0, 3.0]), layer.parameters())
        >>> layer.bias
        Parameter containing:
        tensor([3.], requires_grad=True)
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected tensorlab.Tensor, but got: {type(vec).__name__}.")
    begin = 0
    for parameter in parameters:
        size = parameter.numel()
        parameter.data = vec[begin : begin + size].view_as(parameter).data
        begin += size
