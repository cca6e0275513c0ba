"""How far a number is from what it should be: the losses that are computed element by element.

The operands are x, the number, and y, its target.
"""

from __future__ import annotations

from tensorlab.scalars.exponential import exp, sigmoid
from tensorlab.scalars.logarithm import log, log1p
from tensorlab.scalars.row import FLOATING, Scalar, choose, number

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

LEAST_LOG = -100.0  # of a probability of 0, so that the loss stays finite
LEAST_VARIANCE = 1e-12  # of a probability of 0 or 1, so that the gradient stays finite


def squared_difference(x, y):
    return (x - y) * (x - y)


def d_squared_difference(grad, x, y):
    return grad * number(2) * (x - y)


def d_squared_difference_of_target(grad, x, y):
    return grad * number(2) * (y - x)


def smooth_difference(x, y, beta):
    d = x - y if x > y else y - x
    return number(0.5) * d * d / beta if d < beta else d - number(0.5) * beta


def d_smooth_difference(grad, x, y, beta):
    d = x - y
    return choose(d >= beta, grad, choose(d <= -beta, -grad, grad * d / beta))


def d_smooth_difference_of_target(grad, x, y, beta):
    d = y - x
    return choose(d >= beta, grad, choose(d <= -beta, -grad, grad * d / beta))


def huber_difference(x, y, delta):
    d = x - y if x > y else y - x
    return number(0.5) * d * d if d <= delta else delta * (d - number(0.5) * delta)


def d_huber_difference(grad, x, y, delta):
    d = x - y
    return choose(d >= delta, grad * delta, choose(d <= -delta, -grad * delta, grad * d))


def d_huber_difference_of_target(grad, x, y, delta):
    d = y - x
    return choose(d >= delta, grad * delta, choose(d <= -delta, -grad * delta, grad * d))


def cross_entropy_of_probability(x, y):
    """``-(y log(x) + (1 - y) log(1 - x))`` for probabilities x and y, its logarithms cut off below."""
    yes, no = log(x), log1p(-x)
    yes = number(LEAST_LOG) if yes < number(LEAST_LOG) else yes
    no = number(LEAST_LOG) if no < number(LEAST_LOG) else no
    return (y - number(1)) * no - y * yes


def d_cross_entropy_of_probability(grad, x, y):
    variance = (number(1) - x) * x
    variance = choose(variance < number(LEAST_VARIANCE), number(LEAST_VARIANCE), variance)
    return grad * (x - y) / variance


def d_cross_entropy_of_target(grad, x, y):
    return grad * (log1p(-x) - log(x))


def cross_entropy_of_logit(x, y):
    """The same, where the probability is the sigmoid of x: finite however great x is."""
    below = -x if x < number(0) else number(0)
    return (number(1) - y) * x + (log1p(exp(-(x if x > number(0) else -x))) + below)


def d_cross_entropy_of_logit(grad, x, y):
    return grad * (sigmoid(x) - y)


def d_cross_entropy_of_logit_of_target(grad, x, y):
    return -grad * x


def weighted_cross_entropy_of_logit(x, y, w):
    """The same, where the first of the two terms counts w times."""
    below = -x if x < number(0) else number(0)
    no = log1p(exp(-(x if x > number(0) else -x))) + below
    return (number(1) - y) * x + (number(1) + (w - number(1)) * y) * no


def d_weighted_cross_entropy_of_logit(grad, x, y, w):
    return grad * ((w * y + number(1) - y) * sigmoid(x) - w * y)


def d_weighted_cross_entropy_of_logit_of_target(grad, x, y, w):
    # the logarithm of the sigmoid, which is -log(1 + exp(-x))
    far = choose(x > number(0), -x, x)
    tail = log1p(exp(far)) - choose(x > number(0), number(0), x)
    return grad * ((w - number(1)) * tail - x)


def soft_margin(x, y):
    z = -x * y
    return log1p(exp(z)) if z < number(0) else z + log1p(exp(-z))


def d_soft_margin(grad, x, y):
    return -grad * y * sigmoid(-x * y)


def _row(name, formula, summary, *gradients, parameters=0, cost=4):
    return Scalar(
        name,
        formula,
        len(gradients),
        summary,
        takes=FLOATING,
        parameters=parameters,
        cost=cost,
        gradients=gradients,
    )


ROWS = (
    _row("squared_difference", squared_difference, "The square of the difference.", d_squared_difference,
         d_squared_difference_of_target),
    _row("smooth_difference", smooth_difference, "The difference, rounded off below `beta`.",
         d_smooth_difference, d_smooth_difference_of_target, parameters=1),
    _row("huber_difference", huber_difference, "Half the square of the difference, straight above `delta`.",
         d_huber_difference, d_huber_difference_of_target, parameters=1),
    _row("cross_entropy_of_probability", cross_entropy_of_probability,
         "The cross-entropy of two probabilities.", d_cross_entropy_of_probability, d_cross_entropy_of_target,
         cost=20),
    _row("cross_entropy_of_logit", cross_entropy_of_logit, "The cross-entropy of a probability and a logit.",
         d_cross_entropy_of_logit, d_cross_entropy_of_logit_of_target, cost=15),
    _row("weighted_cross_entropy_of_logit", weighted_cross_entropy_of_logit,
         "The same, with a weight for the probability.",
         d_weighted_cross_entropy_of_logit, d_weighted_cross_entropy_of_logit_of_target, None, cost=15),
    _row("soft_margin", soft_margin, "The softplus of the negative product.", d_soft_margin, None, cost=15),
)  # fmt: skip
