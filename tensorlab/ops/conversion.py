"""Copies: to new memory, to another dtype, into an existing tensor."""

from __future__ import annotations

from tensorlab.dtypes import dtype
from tensorlab.ops.dispatch import Number, allocate, is_number, write
from tensorlab.tensor import Tensor

__all__ = ["clone", "contiguous"]


def clone(input: Tensor) -> Tensor:
    """The same elements in new, dense memory.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.zeros(2)
        >>> x.clone()[0] = 1
        >>> x
        tensor([0., 0.])
    """
    out = allocate(input.shape, input.dtype)
    write(out, input)
    return out


def contiguous(input: Tensor) -> Tensor:
    """`input` itself if it is contiguous, else a dense copy."""
    return input if input.is_contiguous() else clone(input)


def to(input: Tensor, dtype: dtype) -> Tensor:
    """The elements converted to another dtype; `input` itself if it has that dtype already.

    Floats become integers by dropping the fraction.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([1.9, -1.9]).to(tl.int8)
        tensor([ 1, -1], dtype=tensorlab.int8)
    """
    if dtype is input.dtype:
        return input
    out = allocate(input.shape, dtype)
    write(out, input)
    return out


def copy_(input: Tensor, src: Tensor | Number) -> Tensor:
    """Overwrite `input` with `src`, broadcast and converted.

    Raises:
        RuntimeError: `src` cannot be broadcast to `input`'s shape, or the write is refused.
    """
    write(input, src)
    return input


def fill_(input: Tensor, value: Tensor | Number) -> Tensor:
    """Overwrite every element of `input` with one number.

    Raises:
        RuntimeError: `value` has dimensions, or does not fit into the dtype.
    """
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(
                f"fill_ only supports a 0-dimensional value tensor but got one with {value.ndim} dimensions: "
                f"copy_ broadcasts a tensor"
            )
    elif not is_number(value):
        raise TypeError(f"fill_(): value must be a number, got {value!r}")
    write(input, value)
    return input


def zero_(input: Tensor) -> Tensor:
    """Overwrite every element of `input` with 0."""
    write(input, 0)
    return input


METHODS = (clone, contiguous, copy_, fill_, to, zero_)
