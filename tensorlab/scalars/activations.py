"""The functions that neural networks put between their layers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tensorlab.scalars.exponential import exp, exp_times_float32, expm1, sigmoid
from tensorlab.scalars.logarithm import log1p
from tensorlab.scalars.row import FLOATING, Scalar, number
from tensorlab.scalars.special import erf, erfc_scaled, gaussian_times
from tensorlab.scalars.trigonometric import tanh

__all__ = ["ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

SQRT_HALF = 0.7071067811865476
SQRT_TWO_OVER_PI = 0.7978845608028654
UPPER_HALF_32 = -0x1000  # a mask: all but the last 12 binary digits of a float32


def relu(x):
    return number(0) if x < 0 else x


def leaky_relu(x, slope):
    return x if x > 0 else x * slope


def hardtanh(x, low, high):
    return low if x < low else high if x > high else x


def elu(x, alpha):
    return x if x > 0 else alpha * expm1(x)


def silu(x):
    return x * sigmoid(x)


def softplus(x, beta, threshold):
    return x if beta * x > threshold else log1p(exp(beta * x)) / beta


def logsigmoid(x):
    return (x if x < 0 else number(0)) - log1p(exp(-abs(x)))


def gelu(x):
    return number(0.5) * x * (number(1) + erf(x * number(SQRT_HALF)))


def gelu_float64(x):
    # x · Φ(x) as max(x, 0) - |x| · Φ(-|x|), with Φ(-|x|) from erfc: 1 + erf would leave no digits there
    x = np.float64(x)
    a = abs(x)
    a = 40.0 if a > 40.0 else a  # beyond, the tail is 0
    tail = gaussian_times(0.5 * a * erfc_scaled(a * SQRT_HALF), a, 0.5)
    return -tail if x < 0 else x - tail


def gelu_float32(x):
    a = abs(x)
    a = np.float32(14.5) if a > np.float32(14.5) else a
    u = np.float32(1.0) / (a + np.float32(3.5))
    t = (a - np.float32(3.5)) * u
    # (a + 3.5) · exp(a²/2) · Φ(-a), in t = (a - 3.5) / (a + 3.5), on a from 0 to 14.5
    p = np.float32(0.0001230106)
    p = p * t + np.float32(0.0004413676)
    p = p * t - np.float32(0.0004990857)
    p = p * t - np.float32(0.0031912813)
    p = p * t + np.float32(0.006491952)
    p = p * t + np.float32(0.017410664)
    p = p * t - np.float32(0.11605262)
    p = p * t + np.float32(0.31542465)
    p = p * t - np.float32(0.5655618)
    p = p * t + np.float32(0.74441606)
    # a² in two parts, so that the exponential keeps its digits
    upper = np.int32(np.float32(a).view(np.int32) & np.int32(UPPER_HALF_32)).view(np.float32)
    rest = np.float32(0.5) * (upper - a) * (upper + a)
    tail = exp_times_float32(a * u * p, np.float32(-0.5) * upper * upper, rest)
    return -tail if x < 0 else x - tail


def gelu_tanh(x):
    inner = number(SQRT_TWO_OVER_PI) * (x + number(0.044715) * x * x * x)
    return number(0.5) * x * (number(1) + tanh(inner))


def gelu_tanh_float64(x):
    # (1 + tanh(u)) / 2 is sigmoid(2u), which keeps its digits in the lower tail
    x = np.float64(x)
    return x * sigmoid(2.0 * SQRT_TWO_OVER_PI * (x + 0.044715 * x * x * x))


def _row(
    name: str, formula: Callable, summary: str, example: str, parameters: int = 0, cost: int = 12
) -> Scalar:
    return Scalar(name, formula, 1, summary, example, takes=FLOATING, parameters=parameters, cost=cost)


ROWS = (
    Scalar("relu", relu, 1, "Negative elements replaced by 0.",
           ">>> tl.relu(tl.tensor([-1.0, 2.0]))\ntensor([0., 2.])",
           refuses_bool="Boolean inputs not supported for relu: convert the mask first"),
    _row("leaky_relu", leaky_relu, "Negative elements multiplied by `negative_slope`.",
         ">>> F.leaky_relu(tl.tensor([-1.0, 2.0]), 0.1)\ntensor([-0.1000,  2.0000])", 1, 1),
    Scalar("hardtanh", hardtanh, 1, "Each element brought between `min_val` and `max_val`.",
           ">>> F.hardtanh(tl.tensor([-3.0, 0.5, 3.0]))\ntensor([-1.0000,  0.5000,  1.0000])",
           refuses_bool="Bool inputs not supported for hardtanh: convert the mask first", parameters=2),
    _row("elu", elu, "Negative elements replaced by ``alpha * (exp(input) - 1)``.",
         ">>> F.elu(tl.tensor([-1.0, 2.0]))\ntensor([-0.6321,  2.0000])", 1),
    _row("silu", silu, "``input * sigmoid(input)``, also called swish.",
         ">>> F.silu(tl.tensor([-1.0, 2.0]))\ntensor([-0.2689,  1.7616])"),
    _row("softplus", softplus, "``log(1 + exp(beta * input)) / beta``: a ReLU without its corner.",
         ">>> F.softplus(tl.tensor([-1.0, 2.0]))\ntensor([0.3133, 2.1269])", 2, 24),
    _row("logsigmoid", logsigmoid, "``log(sigmoid(input))``, precise on both sides.",
         ">>> F.logsigmoid(tl.tensor([-100.0, 0.0]))\ntensor([-100.0000,   -0.6931])", 0, 24),
    _row("gelu", gelu, "``input`` times the chance that a normal variable is below it.",
         ">>> F.gelu(tl.tensor([-1.0, 2.0]))\ntensor([-0.1587,  1.9545])", 0, 24),
    _row("gelu_tanh", gelu_tanh, "The approximation of gelu by tanh.", "", 0, 20),
)  # fmt: skip
