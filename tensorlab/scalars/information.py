"""Logarithms of probabilities, and what is made of them."""

from __future__ import annotations

import math

from tensorlab.scalars.exponential import LOG2_E, exp2
from tensorlab.scalars.logarithm import log, log1p
from tensorlab.scalars.row import BOTH, FLOAT, FLOATING, Scalar, choose, number

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def logit(x, eps):
    """``log(input / (1 - input))``: of what each element is the sigmoid.

    >>> tl.logit(tl.tensor([0.5, 0.75, 1.0]))
    tensor([0.0000, 1.0986,    inf])
    """
    # a negative `eps` stands for none
    low = eps if x < eps and eps >= 0 else x
    inside = number(1) - eps if low > number(1) - eps and eps >= 0 else low
    return log(inside / (number(1) - inside))


def d_logit(grad, x, eps):
    inside = (x >= eps) & (x <= number(1) - eps)
    known = (x >= 0) & (x <= 1)
    slope = grad / (abs(x) * (number(1) - x))
    bounded = choose(inside, slope, choose(x == x, number(0), x))
    nothing = log(number(-1))  # NaN: outside of 0 to 1 there is no logarithm
    return choose(eps < 0, choose(known, slope, nothing), bounded)


def entr(x):
    """``-input * log(input)``: what a probability adds to an entropy; -inf below 0.

    >>> tl.special.entr(tl.tensor([0.0, 0.5, 1.0]))
    tensor([0.0000, 0.3466, -0.0000])
    """
    return -x * log(x) if x > 0 else number(0) if x == 0 else number(-math.inf) if x < 0 else x


def d_entr(grad, x):
    return grad * (number(-1) - log(x))


def xlog1py(x, y):
    """``input * log1p(other)``, and 0 where `input` is 0, whatever the logarithm.

    >>> tl.special.xlog1py(tl.tensor([0.0, 2.0]), tl.tensor([-1.0, 0.0]))
    tensor([0., 0.])
    """
    product = x * log1p(y)
    return y if y != y else number(0) if x == 0 else product


def d_xlog1py_x(grad, x, y):
    return grad * choose((x == 0) & (y <= -1), number(0), log1p(y))


def d_xlog1py_y(grad, x, y):
    return grad * x / (y + number(1))


def logaddexp2(x, y):
    """``log2(2 ** input + 2 ** other)``, without overflow on the way.

    >>> tl.logaddexp2(tl.tensor([0.0, 1000.0]), tl.tensor([0.0, 1000.0]))
    tensor([1.0000e+00, 1.0010e+03])
    """
    high = y if x < y else x
    return high if x == y and abs(x) == math.inf else high + number(LOG2_E) * log1p(exp2(-abs(x - y)))


def d_logaddexp2_x(grad, x, y):
    return grad / (number(1) + exp2(y - x))


def d_logaddexp2_y(grad, x, y):
    return grad / (number(1) + exp2(x - y))


ROWS = (
    Scalar("logit", logit, 1,
           result=FLOAT, parameters=1, cost=10, gradients=(d_logit,)),
    Scalar("entr", entr, 1,
           result=FLOAT, cost=10, gradients=(d_entr,), node="SpecialEntrBackward0",
           variants="function", namespace="special"),
    Scalar("xlog1py", xlog1py, 2,
           result=FLOAT, numbers=BOTH, cost=8, gradients=(d_xlog1py_x, d_xlog1py_y),
           node="SpecialXlog1PyBackward0",
           number_nodes=("SpecialXlog1PyBackward1", "SpecialXlog1PyBackward2"),
           variants="function", namespace="special"),
    Scalar("logaddexp2", logaddexp2, 2,
           takes=FLOATING, cost=12, gradients=(d_logaddexp2_x, d_logaddexp2_y), variants="function method"),
)  # fmt: skip
