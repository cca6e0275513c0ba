"""Logic of truth values: an element counts as true unless it is 0."""

from __future__ import annotations

from tensorlab.scalars.row import TRUTH, Scalar

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def logical_not(x):
    """Whether each element is 0.

    >>> tl.logical_not(tl.tensor([0, 3]))
    tensor([ True, False])
    """
    return x == 0


def logical_and(x, y):
    """Whether neither of two elements is 0.

    >>> tl.logical_and(tl.tensor([0, 3]), tl.tensor([2, 2]))
    tensor([False,  True])
    """
    return x != 0 and y != 0


def logical_or(x, y):
    """Whether at least one of two elements is not 0.

    >>> tl.logical_or(tl.tensor([0, 3]), tl.tensor([0, 0]))
    tensor([False,  True])
    """
    return x != 0 or y != 0


def logical_xor(x, y):
    """Whether exactly one of two elements is 0.

    >>> tl.logical_xor(tl.tensor([0, 3]), tl.tensor([2, 2]))
    tensor([ True, False])
    """
    return (x != 0) != (y != 0)


ROWS = (
    Scalar("logical_not", logical_not, 1, result=TRUTH, variants="function method in_place"),
    Scalar("logical_and", logical_and, 2, result=TRUTH, variants="function method in_place"),
    Scalar("logical_or", logical_or, 2, result=TRUTH, variants="function method in_place"),
    Scalar("logical_xor", logical_xor, 2, result=TRUTH, variants="function method in_place"),
)
