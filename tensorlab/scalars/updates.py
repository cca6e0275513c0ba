"""Updates: several numbers of each position moved together, written once for all devices.

The steps of optimizers stand here. Such a step is a formula of the parameter, its gradient, what the
optimizer remembers of it, and numbers that are the same for all elements. It returns the new parameter and
the new memories. `tensorlab.optim` says what the numbers are; a backend runs a formula over all elements in
one pass (see `tensorlab.backends.protocol.Core.update`). The steps of recurrent layers, which are updates as
well, stand in `tensorlab.scalars.recurrent`.
"""

from __future__ import annotations

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
    "ADAM_AMSGRAD",
    "ASGD",
    "NADAM",
    "RADAM",
    "RMSPROP",
    "RMSPROP_CENTERED",
    "RMSPROP_CENTERED_MOMENTUM",
    "RMSPROP_MOMENTUM",
    "RPROP",
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
        names = [*inspect.signature(self.formula).parameters]
        count = len(names) - self.numbers
        return names[:count], names[count:]

    @property
    def written(self) -> list[bool]:
        """Of each argument of one position whether it is written."""
        return [name not in self.read for name in self.arguments[0]]


def decayed(x, grad, weight_decay, sign):
    """The gradient, turned around where something is maximized, and pulled by the parameter itself."""
    return sign * grad + weight_decay * x if weight_decay != 0 else sign * grad


def lerped(start, end, weight):
    """A part of the way from one number to another; from the nearer end, so that 1 leads there exactly."""
    return start + weight * (end - start) if weight < 0.5 else end - (end - start) * (number(1) - weight)


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


def nadam(x, grad, mean, square, of_grad, of_mean, shrink, weight_decay, sign, new, beta, rest, root, eps):
    x = x * shrink
    grad = decayed(x, grad, weight_decay, sign)
    mean = lerped(mean, grad, new)
    square = beta * square + rest * grad * grad
    return x - (of_grad * grad + of_mean * mean) / (math.sqrt(square) / root + eps), mean, square


def radam(x, grad, mean, square, lr, rectified, shrink, weight_decay, sign, new, beta, rest, eps):
    x = x * shrink
    grad = decayed(x, grad, weight_decay, sign)
    mean = lerped(mean, grad, new)
    square = beta * square + rest * grad * grad
    step = rectified * (mean / (math.sqrt(square) + eps)) if rectified != 0 else lr * mean
    return x - step, mean, square


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


def asgd(x, grad, mean, lr, shrink, weight_decay, sign, share):
    x = x * shrink - lr * decayed(x, grad, weight_decay, sign)
    return x, lerped(mean, x, share)


SGD = Update("sgd", sgd, 3)
SGD_MOMENTUM = Update("sgd_momentum", sgd_momentum, 6)
ADAM = Update("adam", adam, 9)
ADAM_AMSGRAD = Update("adam_amsgrad", adam_amsgrad, 9)
ADAMAX = Update("adamax", adamax, 6)
NADAM = Update("nadam", nadam, 10)
RADAM = Update("radam", radam, 9)
ADAGRAD = Update("adagrad", adagrad, 4)
ADADELTA = Update("adadelta", adadelta, 6)
RPROP = Update("rprop", rprop, 5)
ASGD = Update("asgd", asgd, 5)
RMSPROP = Update("rmsprop", rmsprop, 6)
RMSPROP_MOMENTUM = Update("rmsprop_momentum", rmsprop_momentum, 7)
RMSPROP_CENTERED = Update("rmsprop_centered", rmsprop_centered, 6)
RMSPROP_CENTERED_MOMENTUM = Update("rmsprop_centered_momentum", rmsprop_centered_momentum, 7)
