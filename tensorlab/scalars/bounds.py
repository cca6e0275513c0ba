"""The greater and the lesser of two numbers, and numbers brought between bounds.

Where two are equal, each gets half of the gradient. A bound gets that of the elements that it moved.
"""

from __future__ import annotations

from tensorlab.scalars.row import NUMERIC, SECOND, Scalar, choose, number

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def maximum(x, y):
    """The greater of two elements; NaN if either is NaN.

    >>> tl.maximum(tl.tensor([1, 5]), tl.tensor([3, 2]))
    tensor([3, 5])
    """
    return x if x > y or x != x else y


def d_maximum_x(grad, x, y):
    return choose(x == y, grad / number(2), choose(x < y, number(0), grad))


def d_maximum_y(grad, x, y):
    return choose(x == y, grad / number(2), choose(x > y, number(0), grad))


def minimum(x, y):
    """The lesser of two elements; NaN if either is NaN.

    >>> tl.minimum(tl.tensor([1, 5]), tl.tensor([3, 2]))
    tensor([1, 2])
    """
    return x if x < y or x != x else y


def d_minimum_x(grad, x, y):
    return choose(x == y, grad / number(2), choose(x > y, number(0), grad))


def d_minimum_y(grad, x, y):
    return choose(x == y, grad / number(2), choose(x < y, number(0), grad))


def fmax(x, y):
    """The greater of two elements; a NaN gives way to the other.

    >>> tl.fmax(tl.tensor([1.0, 5.0]), tl.tensor([float("nan"), 6.0]))
    tensor([1., 6.])
    """
    return x if x >= y or y != y else y


def d_fmax_x(grad, x, y):
    return choose((x >= y) | (y != y), grad, number(0))


def d_fmax_y(grad, x, y):
    return choose((x >= y) | (y != y), number(0), grad)


def fmin(x, y):
    """The lesser of two elements; a NaN gives way to the other.

    >>> tl.fmin(tl.tensor([1.0, 5.0]), tl.tensor([float("nan"), 4.0]))
    tensor([1., 4.])
    """
    return x if x <= y or y != y else y


def d_fmin_x(grad, x, y):
    return choose((x <= y) | (y != y), grad, number(0))


def d_fmin_y(grad, x, y):
    return choose((x <= y) | (y != y), number(0), grad)


def at_least(x, low):
    """Elements below `min` raised to it.

    >>> tl.clamp_min(tl.tensor([-1.0, 0.5, 3.0]), 0)
    tensor([0.0000, 0.5000, 3.0000])
    """
    return low if x < low or low != low else x


def d_at_least_x(grad, x, low):
    return choose(x >= low, grad, number(0))


def d_at_least_low(grad, x, low):
    return choose(x < low, grad, number(0))


def at_most(x, high):
    """Elements above `max` lowered to it.

    >>> tl.clamp_max(tl.tensor([-1.0, 0.5, 3.0]), 1)
    tensor([-1.0000,  0.5000,  1.0000])
    """
    return high if x > high or high != high else x


def d_at_most_x(grad, x, high):
    return choose(x <= high, grad, number(0))


def d_at_most_high(grad, x, high):
    return choose(x > high, grad, number(0))


def clamp(x, low, high):
    """Elements below `min` raised to it, and those above `max` lowered to it.

    >>> tl.clamp(tl.tensor([-1.0, 0.5, 3.0]), 0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    return at_most(at_least(x, low), high)


def d_clamp_x(grad, x, low, high):
    return choose((x >= low) & (x <= high), grad, number(0))


def d_clamp_low(grad, x, low, high):
    return choose((x < low) & (low < high), grad, number(0))


def d_clamp_high(grad, x, low, high):
    return choose((x > high) | (high < low), grad, number(0))


ROWS = (
    Scalar("maximum", maximum, 2, gradients=(d_maximum_x, d_maximum_y), variants="function method"),
    Scalar("minimum", minimum, 2, gradients=(d_minimum_x, d_minimum_y), variants="function method"),
    Scalar("fmax", fmax, 2, gradients=(d_fmax_x, d_fmax_y), variants="function method"),
    Scalar("fmin", fmin, 2, gradients=(d_fmin_x, d_fmin_y), variants="function method"),
    Scalar(
        "clamp_min",
        at_least,
        2,
        takes=NUMERIC,
        numbers=SECOND,
        exact_out=True,
        gradients=(d_at_least_x, d_at_least_low),
        node="ClampMinBackward1",
        number_nodes=("", "ClampMinBackward0"),
    ),
    Scalar(
        "clamp_max",
        at_most,
        2,
        takes=NUMERIC,
        numbers=SECOND,
        exact_out=True,
        gradients=(d_at_most_x, d_at_most_high),
        node="ClampMaxBackward1",
        number_nodes=("", "ClampMaxBackward0"),
    ),
    Scalar(
        "clamp",
        clamp,
        3,
        takes=NUMERIC,
        numbers=(1, 2),
        exact_out=True,
        gradients=(d_clamp_x, d_clamp_low, d_clamp_high),
        node="ClampBackward0",
        number_nodes=("", "ClampBackward1", "ClampBackward1"),
    ),
)
