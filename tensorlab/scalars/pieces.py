"""Activation functions in pieces: straight lines, steps, and what shrinks towards 0."""

from __future__ import annotations

from tensorlab.scalars.exponential import exp, sigmoid
from tensorlab.scalars.logarithm import log1p
from tensorlab.scalars.row import FLOATING, NUMERIC, Scalar, choose, number
from tensorlab.scalars.trigonometric import tanh

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

ONE_SIXTH = 0.16666666666666666
ONE_THIRD = 0.3333333333333333


def hardshrink(x, lambd):
    """Elements between ±`lambd` replaced by 0.

    >>> F.hardshrink(tl.tensor([-1.0, 0.3, 2.0]))
    tensor([-1.,  0.,  2.])
    """
    return number(0) if x >= -lambd and x <= lambd else x


def softshrink(x, lambd):
    """Every element moved towards 0 by `lambd`, and not past it.

    >>> F.softshrink(tl.tensor([-1.0, 0.3, 2.0]))
    tensor([-0.5000,  0.0000,  1.5000])
    """
    return x - lambd if x > lambd else x + lambd if x < -lambd else x * number(0)


def d_shrink(grad, x, lambd):
    return choose((x >= -lambd) & (x <= lambd), number(0), grad)


def threshold(x, threshold, value):
    """Elements that are not above `threshold` replaced by `value`.

    >>> F.threshold(tl.tensor([-1.0, 0.3, 2.0]), 0.5, 9.0)
    tensor([9., 9., 2.])
    """
    return value if x <= threshold else x


def d_threshold(grad, x, threshold):
    return choose(x <= threshold, number(0), grad)


def hardswish(x):
    """``input * relu6(input + 3) / 6``: silu made of straight pieces.

    >>> F.hardswish(tl.tensor([-4.0, 1.0, 4.0]))
    tensor([-0.0000, 0.6667, 4.0000])
    """
    moved = x + number(3)
    kept = number(0) if moved < 0 else number(6) if moved > 6 else moved
    return x * kept / number(6)


def d_hardswish(grad, x):
    inner = grad * (x * number(ONE_THIRD) + number(0.5))
    return choose(x <= -3, number(0), choose(x < 3, inner, grad))


def hardsigmoid(x):
    """``relu6(input + 3) / 6``: the sigmoid made of straight pieces.

    >>> F.hardsigmoid(tl.tensor([-4.0, 1.0, 4.0]))
    tensor([0.0000, 0.6667, 1.0000])
    """
    moved = x + number(3)
    return (number(0) if moved < 0 else number(6) if moved > 6 else moved) / number(6)


def d_hardsigmoid(grad, x):
    return choose((x > -3) & (x < 3), grad * number(ONE_SIXTH), number(0))


def mish(x):
    """``input * tanh(softplus(input))``.

    >>> F.mish(tl.tensor([-1.0, 2.0]))
    tensor([-0.3034,  1.9440])
    """
    # tanh(log(1 + e)) is e · (e + 2) over itself and 2 more, where e is exp(x)
    e = exp(number(20) if x > 20 else x)
    n = e * (e + number(2))
    return x * (n / (n + number(2)))


def d_mish(grad, x):
    bend = tanh(log1p(exp(x)))
    return grad * (bend + x * sigmoid(x) * (number(1) - bend * bend))


ROWS = (
    Scalar("hardshrink", hardshrink, 1,
           takes=FLOATING, parameters=1, gradients=(d_shrink,)),
    Scalar("softshrink", softshrink, 1,
           takes=FLOATING, parameters=1, gradients=(d_shrink,)),
    Scalar("threshold", threshold, 1,
           takes=NUMERIC, parameters=2, gradients=(d_threshold,)),
    Scalar("hardswish", hardswish, 1,
           takes=FLOATING, cost=4, gradients=(d_hardswish,)),
    Scalar("hardsigmoid", hardsigmoid, 1,
           takes=FLOATING, cost=4, gradients=(d_hardsigmoid,)),
    Scalar("mish", mish, 1,
           takes=FLOATING, cost=8, gradients=(d_mish,)),
)  # fmt: skip
