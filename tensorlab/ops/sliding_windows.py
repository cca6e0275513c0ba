"""Windows that move over images: what their arguments mean, and how many places they have."""

from __future__ import annotations

from typing import Any

from tensorlab.core.layout import as_int

# What the dimensions of an image are called, by how many there are.
DIMENSIONS = {1: ("width",), 2: ("height", "width"), 3: ("depth", "height", "width")}


def each_dim(function: str, name: str, value: Any, dims: int) -> tuple[int, ...]:
    """One int for each dimension, where one may stand for all.

    Raises:
        TypeError: it is neither an int nor a sequence of ints.
        RuntimeError: there are neither 1 nor `dims` of them.

    Example:
        >>> each_dim("conv2d", "stride", 2, 2), each_dim("conv2d", "stride", (2,), 2)
        ((2, 2), (2, 2))
    """
    items = value if isinstance(value, (tuple, list)) else (value,)
    if isinstance(value, str) or any(isinstance(item, (bool, float)) for item in items):
        raise TypeError(f"{function}(): argument {name!r} must be tuple of ints, not {value!r}")
    numbers = tuple(as_int(item, f"{function}(): {name}") for item in items)
    if len(numbers) not in (1, dims):
        raise RuntimeError(
            f"{function}(): expected {name} to be a single integer value or a list of {dims} values to match "
            f"the dimensions, but got {name}={list(numbers)}"
        )
    return numbers * dims if len(numbers) == 1 else numbers


def places(extent: int, kernel: int, step: int, dilation: int, before: int, after: int) -> int:
    """How many places a window has in a dimension; 0 or less if it does not fit.

    Example:
        >>> places(8, 3, 2, 1, 1, 1)
        4
    """
    return (extent + before + after - dilation * (kernel - 1) - 1) // step + 1
