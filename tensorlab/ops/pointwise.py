"""Pointwise functions: the same scalar function for every element, operands broadcast against each other."""

from __future__ import annotations

from tensorlab.ops.dispatch import Number, apply, apply_in_place
from tensorlab.tensor import Tensor

__all__ = ["add", "div", "eq", "ge", "gt", "le", "lt", "mul", "ne", "neg", "sub"]


def add(input: Tensor, other: Tensor | Number) -> Tensor:
    """``input + other``, element by element.

    Args:
        input: a tensor of any shape.
        other: a tensor whose shape can be broadcast with `input`'s, or a number.

    Returns:
        a new tensor of the broadcast shape and the promoted dtype.

    Raises:
        RuntimeError: the shapes cannot be broadcast.

    Example:
        >>> import tensorlab as tl
        >>> tl.add(tl.tensor([[1.0], [2.0]]), tl.tensor([10.0, 20.0, 30.0]))
        tensor([[11., 21., 31.],
                [12., 22., 32.]])
    """
    return apply("add", input, other)


def sub(input: Tensor, other: Tensor | Number) -> Tensor:
    """``input - other``, element by element.

    Raises:
        RuntimeError: the shapes cannot be broadcast, or both operands are bool.

    Example:
        >>> import tensorlab as tl
        >>> tl.sub(tl.tensor([5, 7]), 2)
        tensor([3, 5])
    """
    return apply("sub", input, other)


def mul(input: Tensor, other: Tensor | Number) -> Tensor:
    """``input * other``, element by element; not the matrix product.

    Raises:
        RuntimeError: the shapes cannot be broadcast.

    Example:
        >>> import tensorlab as tl
        >>> tl.mul(tl.tensor([1, 2, 3]), tl.tensor([1.5, 0.5, 2.0]))
        tensor([1.5000, 1.0000, 6.0000])
    """
    return apply("mul", input, other)


def div(input: Tensor, other: Tensor | Number) -> Tensor:
    """``input / other``, element by element; integers give the default floating dtype.

    A division by zero gives an infinity or NaN, and no error.

    Raises:
        RuntimeError: the shapes cannot be broadcast.

    Example:
        >>> import tensorlab as tl
        >>> tl.div(tl.tensor([1, 2]), 4)
        tensor([0.2500, 0.5000])
    """
    return apply("div", input, other)


def neg(input: Tensor) -> Tensor:
    """``-input``, element by element.

    Raises:
        RuntimeError: `input` is bool.

    Example:
        >>> import tensorlab as tl
        >>> tl.neg(tl.tensor([1, -2]))
        tensor([-1,  2])
    """
    return apply("neg", input)


def eq(input: Tensor, other: Tensor | Number) -> Tensor:
    """Whether the elements are equal, as a bool tensor.

    Example:
        >>> import tensorlab as tl
        >>> tl.eq(tl.tensor([1, 2]), tl.tensor([1.0, 2.5]))
        tensor([ True, False])
    """
    return apply("eq", input, other)


def ne(input: Tensor, other: Tensor | Number) -> Tensor:
    """Whether the elements differ, as a bool tensor."""
    return apply("ne", input, other)


def lt(input: Tensor, other: Tensor | Number) -> Tensor:
    """Whether the elements of `input` are less, as a bool tensor."""
    return apply("lt", input, other)


def le(input: Tensor, other: Tensor | Number) -> Tensor:
    """Whether the elements of `input` are less or equal, as a bool tensor."""
    return apply("le", input, other)


def gt(input: Tensor, other: Tensor | Number) -> Tensor:
    """Whether the elements of `input` are greater, as a bool tensor."""
    return apply("gt", input, other)


def ge(input: Tensor, other: Tensor | Number) -> Tensor:
    """Whether the elements of `input` are greater or equal, as a bool tensor."""
    return apply("ge", input, other)


def add_(input: Tensor, other: Tensor | Number) -> Tensor:
    """Add `other` to `input` in place; every tensor that looks into its storage sees it.

    Raises:
        RuntimeError: the result does not fit into `input`'s dtype or shape, or its elements share cells.
    """
    return apply_in_place("add", input, other)


def sub_(input: Tensor, other: Tensor | Number) -> Tensor:
    """Subtract `other` from `input` in place (see `add_`)."""
    return apply_in_place("sub", input, other)


def mul_(input: Tensor, other: Tensor | Number) -> Tensor:
    """Multiply `input` by `other` in place (see `add_`)."""
    return apply_in_place("mul", input, other)


def div_(input: Tensor, other: Tensor | Number) -> Tensor:
    """Divide `input` by `other` in place (see `add_`); an integer tensor cannot hold the result."""
    return apply_in_place("div", input, other)


def neg_(input: Tensor) -> Tensor:
    """Negate `input` in place."""
    return apply_in_place("neg", input)
