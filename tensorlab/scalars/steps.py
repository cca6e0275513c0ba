"""Functions that are steps of larger operations: none has an operation of its name, nor gradients."""

from __future__ import annotations

from tensorlab.scalars.exponential import sigmoid
from tensorlab.scalars.row import FLOATING, Scalar, number

__all__ = [
    "GATED",
    "GRADIENT_OF_GATE",
    "WITH_PRODUCT",
]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def gated(x, y):
    """A number times the sigmoid of its gate."""
    return x * sigmoid(y)


def gradient_of_gate(grad, x, gate):
    """What `gated` owes to the gate."""
    return grad * x * gate * (number(1) - gate)


def with_product(x, u, v, beta, alpha):
    """A number plus a product."""
    return beta * x + alpha * (u * v)


GATED = Scalar("gated", gated, 2, takes=FLOATING, cost=8)
GRADIENT_OF_GATE = Scalar("gradient_of_gate", gradient_of_gate, 3, takes=FLOATING, cost=2)
WITH_PRODUCT = Scalar("with_product", with_product, 3, takes=FLOATING, parameters=2, cost=2)
