"""Updates: several numbers of each position moved together, written once for all devices.

The steps of optimizers stand here. Such a step is a formula of the parameter, its gradient, what the
optimizer remembers of it, and numbers that are the same for all elements. It returns the new parameter and
the new memories. `tensorlab.optim` says what the numbers are; a backend runs a formula over all elements in
one pass (see `tensorlab.backends.protocol.Core.update`). Of those numbers, the ones that depend on how many
steps there were are results of formulas too, with one position. The steps of recurrent layers, which are
updates as well, stand in `tensorlab.scalars.recurrent`.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import NamedTuple

from tensorlab.scalars.row import number

__all__ = [
    "ADADELTA",
    "ADAGRAD",
    "ADAM",
    "ADAMAX",
    "ADAMAX_NUMBERS",
    "ADAM_AMSGRAD",
    "ADAM_NUMBERS",
    "ASGD",
    "ASGD_NUMBERS",
    "COUNT",
    "NADAM",
    "NADAM_MOMENTUM",
    "NADAM_NUMBERS",
    "RADAM",
    "RADAM_NUMBERS",
    "RMSPROP",
    "RMSPROP_CENTERED",
    "RMSPROP_CENTERED_MOMENTUM",
    "RMSPROP_MOMENTUM",
    "RPROP",
    "RUNNING_STATISTICS",
    "SGD",
    "SGD_MOMENTUM",
    "Update",
]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class Update(NamedTuple):
    """What happens to several numbers of each position, such as one step of an optimizer.

    Attributes:
        name: what errors and kernels call it.
        formula: a function of numbers of one position each, and of numbers that are the same everywhere. It
            returns the first ones, but for those that are only read, as they are afterwards.
        numbers: how many of its last arguments are the same everywhere.
        read: the names of those that are only read.
    """

    name: str
    formula: Callable
    numbers: int = 0
    read: tuple[str, ...] = ("grad",)

    @property
    def arguments(self) -> tuple[list[str], list[str]]:
        """The names of the formula's arguments: those of one position, and the numbers."""
        return _arguments(self.formula, self.numbers)

    @property
    def written(self) -> list[bool]:
        """Of each argument of one position whether it is written."""
        return [name not in self.read for name in self.arguments[0]]


@functools.cache
def _arguments(formula: Callable, numbers: int) -> tuple[list[str], list[str]]:
    names = [*inspect.signature(formula).parameters]
    count = len(names) - numbers
    return names[:count], names[count:]


def decayed(x, grad, weight_decay, sign):
    """The gradient, turned around where something is maximized, and pulled by the parameter itself."""
    return sign * grad + weight_decay * x if weight_decay != 0 else sign * grad


def lerped(start, end, weight):
    """A part of the way from one number to another; from the nearer end, so that 1 leads there exactly."""
    return start + weight * (end - start) if weight < 0.5 else end - (end - start) * (number(1) - weight)


def corrected(rest, step):
    """What a running mean that began at 0 is divided by: ``1 - beta ** step``; the rest is ``1 - beta``.

    A beta near 1, and its power, have hardly a digit left for what they lack of 1: it is computed alone.
    """
    return -math.expm1(step * math.log1p(-rest)) if rest < 1 else number(1)


def count(step):
    return (step + number(1),)


def running_statistics(mean, of_batch, variance, variance_of_batch, share, unbiased):
    kept = number(1) - share
    return kept * mean + share * of_batch, kept * variance + share * (unbiased * variance_of_batch)


def sgd(x, grad, lr, weight_decay, sign):
    return (x - lr * decayed(x, grad, weight_decay, sign),)


def sgd_momentum(x, grad, velocity, lr, weight_decay, sign, momentum, kept, nesterov):
    grad = decayed(x, grad, weight_decay, sign)
    velocity = momentum * velocity + kept * grad
    step = grad + momentum * velocity if nesterov != 0 else velocity
    return x - lr * step, velocity


def adam(x, grad, mean, square, lr, shrink, weight_decay, sign, new, beta, rest, root, eps):
    x = x * shrink
    grad = decayed(x, grad, weight_decay, sign)
    mean = lerped(mean, grad, new)
    square = beta * square + rest * grad * grad
    return x - lr * (mean / (math.sqrt(square) / root + eps)), mean, square


def adam_amsgrad(x, grad, mean, square, most, lr, shrink, weight_decay, sign, new, beta, rest, root, eps):
    x = x * shrink
    grad = decayed(x, grad, weight_decay, sign)
    mean = lerped(mean, grad, new)
    square = beta * square + rest * grad * grad
    most = square if square > most else most
    return x - lr * (mean / (math.sqrt(most) / root + eps)), mean, square, most


def adam_numbers(rate, root, step, lr, new, rest):
    return lr / corrected(new, step), math.sqrt(corrected(rest, step))


def momentum_of(step, beta, decay):
    return beta * (number(1) - number(0.5) * number(0.96) ** (step * decay))


def nadam_momentum(momentum, step, beta, decay):
    return (momentum_of(step, beta, decay),)


def nadam_numbers(of_grad, of_mean, root, step, product, lr, beta, rest, decay):
    now, then = momentum_of(step, beta, decay), momentum_of(step + number(1), beta, decay)
    of_grad = lr * (number(1) - now) / (number(1) - product)
    of_mean = lr * then / (number(1) - product * then)
    return of_grad, of_mean, math.sqrt(corrected(rest, step))


def nadam(x, grad, mean, square, of_grad, of_mean, shrink, weight_decay, sign, new, beta, rest, root, eps):
    x = x * shrink
    grad = decayed(x, grad, weight_decay, sign)
    mean = lerped(mean, grad, new)
    square = beta * square + rest * grad * grad
    return x - (of_grad * grad + of_mean * mean) / (math.sqrt(square) / root + eps), mean, square


def radam_numbers(rate, rectified, step, lr, new, rest):
    rate, gone = lr / corrected(new, step), corrected(rest, step)
    most = number(2) / rest - number(1)
    length = most - number(2) * step * (number(1) - gone) / gone
    varies = (length - number(4)) * (length - number(2)) * most
    varies = varies / ((most - number(4)) * (most - number(2)) * length)
    return rate, rate * math.sqrt(varies * gone) if length > 5 else number(0)


def radam(x, grad, mean, square, lr, rectified, shrink, weight_decay, sign, new, beta, rest, eps):
    x = x * shrink
    grad = decayed(x, grad, weight_decay, sign)
    mean = lerped(mean, grad, new)
    square = beta * square + rest * grad * grad
    step = rectified * (mean / (math.sqrt(square) + eps)) if rectified != 0 else lr * mean
    return x - step, mean, square


def adamax_numbers(rate, step, lr, new):
    return (lr / corrected(new, step),)


def adamax(x, grad, mean, most, lr, weight_decay, sign, new, beta, eps):
    grad = decayed(x, grad, weight_decay, sign)
    mean = lerped(mean, grad, new)
    size, before = abs(grad) + eps, beta * most
    most = before if before > size else size
    return x - lr * (mean / most), mean, most


def adagrad(x, grad, total, lr, weight_decay, sign, eps):
    grad = decayed(x, grad, weight_decay, sign)
    total = total + grad * grad
    return x - lr * (grad / (math.sqrt(total) + eps)), total


def adadelta(x, grad, square, delta, lr, weight_decay, sign, rho, rest, eps):
    grad = decayed(x, grad, weight_decay, sign)
    square = rho * square + rest * grad * grad
    step = math.sqrt(delta + eps) / math.sqrt(square + eps) * grad
    return x - lr * step, square, rho * delta + rest * step * step


def rmsprop(x, grad, square, lr, weight_decay, sign, alpha, rest, eps):
    grad = decayed(x, grad, weight_decay, sign)
    square = alpha * square + rest * grad * grad
    return x - lr * (grad / (math.sqrt(square) + eps)), square


def rmsprop_momentum(x, grad, square, velocity, lr, weight_decay, sign, alpha, rest, eps, momentum):
    grad = decayed(x, grad, weight_decay, sign)
    square = alpha * square + rest * grad * grad
    velocity = momentum * velocity + grad / (math.sqrt(square) + eps)
    return x - lr * velocity, square, velocity


def rmsprop_centered(x, grad, square, mean, lr, weight_decay, sign, alpha, rest, eps):
    grad = decayed(x, grad, weight_decay, sign)
    square = alpha * square + rest * grad * grad
    mean = lerped(mean, grad, rest)
    return x - lr * (grad / (math.sqrt(square - mean * mean) + eps)), square, mean


def rmsprop_centered_momentum(
    x, grad, square, mean, velocity, lr, weight_decay, sign, alpha, rest, eps, momentum
):
    grad = decayed(x, grad, weight_decay, sign)
    square = alpha * square + rest * grad * grad
    mean = lerped(mean, grad, rest)
    velocity = momentum * velocity + grad / (math.sqrt(square - mean * mean) + eps)
    return x - lr * velocity, square, mean, velocity


def rprop(x, grad, before, size, sign, shrink, grow, least, most):
    grad = sign * grad
    turn = grad * before
    size = size * grow if turn > 0 else size * shrink if turn < 0 else size
    size = min(max(size, least), most)
    grad = grad * 0 if turn < 0 else grad
    return x - size if grad > 0 else x + size if grad < 0 else x, grad, size


def asgd_numbers(eta, mu, step, lr, lambd, alpha, start):
    return lr / (number(1) + lambd * lr * step) ** alpha, number(1) / max(number(1), step - start)


def asgd(x, grad, mean, lr, shrink, weight_decay, sign, share):
    x = x * shrink - lr * decayed(x, grad, weight_decay, sign)
    return x, lerped(mean, x, share)


COUNT = Update("count", count)
# Of batch norm: the share of the batch's, and what makes its variance one without bias.
RUNNING_STATISTICS = Update("running_statistics", running_statistics, 2, ("of_batch", "variance_of_batch"))
SGD = Update("sgd", sgd, 3)
SGD_MOMENTUM = Update("sgd_momentum", sgd_momentum, 6)
ADAM = Update("adam", adam, 9)
ADAM_AMSGRAD = Update("adam_amsgrad", adam_amsgrad, 9)
ADAM_NUMBERS = Update("adam_numbers", adam_numbers, 4)
ADAMAX = Update("adamax", adamax, 6)
ADAMAX_NUMBERS = Update("adamax_numbers", adamax_numbers, 3)
NADAM = Update("nadam", nadam, 10)
NADAM_MOMENTUM = Update("nadam_momentum", nadam_momentum, 3)
NADAM_NUMBERS = Update("nadam_numbers", nadam_numbers, 6)
RADAM = Update("radam", radam, 9)
RADAM_NUMBERS = Update("radam_numbers", radam_numbers, 4)
ADAGRAD = Update("adagrad", adagrad, 4)
ADADELTA = Update("adadelta", adadelta, 6)
RPROP = Update("rprop", rprop, 5)
ASGD = Update("asgd", asgd, 5)
ASGD_NUMBERS = Update("asgd_numbers", asgd_numbers, 5)
RMSPROP = Update("rmsprop", rmsprop, 6)
RMSPROP_MOMENTUM = Update("rmsprop_momentum", rmsprop_momentum, 7)
RMSPROP_CENTERED = Update("rmsprop_centered", rmsprop_centered, 6)
RMSPROP_CENTERED_MOMENTUM = Update("rmsprop_centered_momentum", rmsprop_centered_momentum, 7)
