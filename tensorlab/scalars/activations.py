"""The functions that neural networks put between their layers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tensorlab.scalars.exponential import (
    BIASED_ROUNDER_32,
    LN2_HIGH_32,
    LN2_LOW_32,
    LOG2_E,
    exp,
    expm1,
    sigmoid,
)
from tensorlab.scalars.logarithm import log1p
from tensorlab.scalars.row import FLOATING, Gradient, Scalar, choose, number, zero
from tensorlab.scalars.special import erf, erfc_scaled, gaussian_times
from tensorlab.scalars.trigonometric import tanh

__all__ = ["IN_PLACE", "ROWS"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# With these, layers of random weights keep mean 0 and variance 1: G. Klambauer et al., *Self-normalizing
# neural networks*, 2017.
SELU_ALPHA = 1.6732632423543772
SELU_SCALE = 1.0507009873554805

SQRT_HALF = 0.7071067811865476
ONE_OVER_SQRT_TWO_PI = 0.3989422804014327
SQRT_TWO_OVER_PI = 0.7978845608028654
UPPER_HALF_32 = -0x1000  # a mask: all but the last 12 binary digits of a float32


def relu(x):
    """Negative elements replaced by 0.

    >>> tl.relu(tl.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return number(0) if x < 0 else x


def d_relu(grad, result):
    return choose(result <= 0, zero(result), grad)


def leaky_relu(x, slope):
    """Negative elements multiplied by `negative_slope`.

    >>> F.leaky_relu(tl.tensor([-1.0, 2.0]), 0.1)
    tensor([-0.1000,  2.0000])
    """
    return x if x > 0 else x * slope


def d_leaky_relu(grad, x, slope):
    return choose(x > 0, grad, grad * slope)


def prelu_kernel(x, slope):
    """Negative elements multiplied by a slope of their own."""
    return x if x > 0 else slope * x


def d_prelu_kernel(grad, x, slope):
    return choose(x > 0, grad, slope * grad)


def d_prelu_kernel_of_slope(grad, x, slope):
    return choose(x > 0, number(0), x * grad)


def d_leaky_relu_of_result(grad, result, slope):
    return choose(result > 0, grad, grad * slope)


def hardtanh(x, low, high):
    """Each element brought between `min_val` and `max_val`.

    >>> F.hardtanh(tl.tensor([-3.0, 0.5, 3.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """
    return low if x < low else high if x > high else x


def d_hardtanh(grad, x, low, high):
    return choose((x <= low) | (x >= high), number(0), grad)


def elu(x, alpha):
    """Negative elements replaced by ``alpha * (exp(input) - 1)``.

    >>> F.elu(tl.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    return x if x > 0 else alpha * expm1(x)


def d_elu(grad, x, alpha):
    return choose(x <= 0, grad * alpha * exp(x), grad)


def d_elu_of_result(grad, result, alpha):
    return choose(result <= 0, grad * (result + alpha), grad)


def selu(x):
    """Elements times 1.0507, after negative ones became ``1.6733 * (exp(input) - 1)``.

    >>> F.selu(tl.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """
    return number(SELU_SCALE) * x if x > 0 else number(SELU_SCALE * SELU_ALPHA) * expm1(x)


def d_selu(grad, x):
    below = grad * number(SELU_SCALE * SELU_ALPHA) * exp(x)
    return choose(x <= 0, below, grad * number(SELU_SCALE))


def d_selu_of_result(grad, result):
    below = grad * (result + number(SELU_SCALE * SELU_ALPHA))
    return choose(result <= 0, below, grad * number(SELU_SCALE))


def celu(x, alpha):
    """Negative elements replaced by ``alpha * (exp(input / alpha) - 1)``.

    >>> F.celu(tl.tensor([-1.0, 2.0]), 2.0)
    tensor([-0.7869,  2.0000])
    """
    return x if x > 0 else alpha * expm1(x / alpha)


def d_celu(grad, x, alpha):
    return choose(x <= 0, grad * exp(x / alpha), grad)


def d_celu_of_result(grad, result, alpha):
    return choose(result <= 0, grad * (result / alpha + number(1)), grad)


def silu(x):
    """``input * sigmoid(input)``, also called swish.

    >>> F.silu(tl.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """
    return x * sigmoid(x)


def d_silu(grad, x):
    s = sigmoid(x)
    return grad * s * (number(1) + x * (number(1) - s))


def softplus(x, beta, threshold):
    """``log(1 + exp(beta * input)) / beta``: a ReLU without its corner.

    >>> F.softplus(tl.tensor([-1.0, 2.0]))
    tensor([0.3133, 2.1269])
    """
    return x if beta * x > threshold else log1p(exp(beta * x)) / beta


def d_softplus(grad, x, beta, threshold):
    return choose(beta * x > threshold, grad, grad * sigmoid(beta * x))


def logsigmoid(x):
    """``log(sigmoid(input))``, precise on both sides.

    >>> F.logsigmoid(tl.tensor([-100.0, 0.0]))
    tensor([-100.0000,   -0.6931])
    """
    return (x if x < 0 else number(0)) - log1p(exp(-abs(x)))


def d_logsigmoid(grad, x):
    return grad * sigmoid(-x)


def gelu(x):
    """``input`` times the probability that a normal variable is below it.

    >>> F.gelu(tl.tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])
    """
    return number(0.5) * x * (number(1) + erf(x * number(SQRT_HALF)))


def gelu_float64(x):
    # x · Φ(x) as max(x, 0) - |x| · Φ(-|x|), with Φ(-|x|) from erfc: 1 + erf would leave no digits there
    x = np.float64(x)
    a = abs(x)
    a = 40.0 if a > 40.0 else a  # beyond, the tail is 0
    tail = gaussian_times(0.5 * a * erfc_scaled(a * SQRT_HALF), a, 0.5)
    return -(tail + (x - x)) if x < 0 else x - tail  # NaN at -inf, as the formula has it


def gelu_float32(x):
    a = abs(x)
    a = np.float32(13.27) if a > np.float32(13.27) else a  # there, and beyond, the power below is 0
    # a · exp(a²/2) · Φ(-a) as p / q, on a from 0 to 13.3: a rational function fitted by Remez's exchange
    p = np.float32(0.0079868268)
    p = p * a + np.float32(0.07960888)
    p = p * a + np.float32(0.36154446)
    p = p * a + np.float32(0.8699243)
    p = p * a * a + a
    q = np.float32(0.020019708)
    q = q * a + np.float32(0.19956514)
    q = q * a + np.float32(0.9259378)
    q = q * a + np.float32(2.38452)
    q = q * a + np.float32(3.3356182)
    q = q * a + np.float32(2.0)
    # a² as the exact square of its first digits and the rest, so that the exponential keeps its own digits
    upper = np.int32(np.float32(a).view(np.int32) & np.int32(UPPER_HALF_32)).view(np.float32)
    square = upper * upper
    rounded = np.float32(square * np.float32(-0.5 * LOG2_E) + np.float32(BIASED_ROUNDER_32))
    n = rounded - np.float32(BIASED_ROUNDER_32)
    u = (square + n * np.float32(2.0 * LN2_HIGH_32)) + n * np.float32(2.0 * LN2_LOW_32)
    u += (a - upper) * (a + upper)
    # exp(-u/2) - 1, on u in ±log(2), the constant term left out
    e = np.float32(2.1784625e-05)
    e = e * u - np.float32(0.000261749)
    e = e * u + np.float32(0.0026041463)
    e = e * u - np.float32(0.020833006)
    e = e * u + np.float32(0.125)
    e = e * u - np.float32(0.5)
    e = e * u
    # The last digits of `rounded` are n + 127: moved up by 23 places, they are the exponent of 2^n.
    power = np.int32(np.float32(rounded).view(np.int32) << np.int32(23)).view(np.float32)
    tail = (p * e + p) / q * power
    return -(tail + (x - x)) if x < 0 else x - tail  # NaN at -inf, as the formula has it


def d_gelu(grad, x):
    # A sum of two products could be rounded in two ways, and the kernel for threads takes the other one. This
    # one is a sum and a product.
    cdf = number(0.5) + number(0.5) * erf(x * number(SQRT_HALF))
    density = number(ONE_OVER_SQRT_TWO_PI) * exp(number(-0.5) * x * x)
    return grad * (cdf + x * density)


def gelu_tanh(x):
    """The approximation of gelu by tanh."""
    inner = number(SQRT_TWO_OVER_PI) * (x + number(0.044715) * x * x * x)
    return number(0.5) * x * (number(1) + tanh(inner))


def gelu_tanh_float64(x):
    # (1 + tanh(u)) / 2 is sigmoid(2u), which keeps its digits in the lower tail
    x = np.float64(x)
    return x * sigmoid(2.0 * SQRT_TWO_OVER_PI * (x + 0.044715 * x * x * x))


def d_gelu_tanh(grad, x):
    u = tanh(number(SQRT_TWO_OVER_PI) * (x + number(0.044715) * x * x * x))
    slope = number(SQRT_TWO_OVER_PI) * (number(1) + number(3 * 0.044715) * x * x)
    return grad * number(0.5) * (number(1) + u + x * (number(1) - u * u) * slope)


def _row(
    name: str,
    formula: Callable,
    gradient: Gradient,
    parameters: int = 0,
    cost: int = 6,
    node: str = "",
) -> Scalar:
    return Scalar(
        name,
        formula,
        1,
        takes=FLOATING,
        parameters=parameters,
        cost=cost,
        gradients=(gradient,),
        node=node,
    )


ROWS = (
    Scalar("relu", relu, 1,
           refuses_bool="Boolean inputs not supported for relu: convert the mask first", gradients=(d_relu,),
           variants="function method in_place in_place_function", aliases="nn.functional.relu_"),
    _row("leaky_relu", leaky_relu, d_leaky_relu, 1, 1),
    Scalar("prelu_kernel", prelu_kernel, 2,
           takes=FLOATING, gradients=(d_prelu_kernel, d_prelu_kernel_of_slope), node="PreluKernelBackward0"),
    Scalar("hardtanh", hardtanh, 1,
           refuses_bool="Bool inputs not supported for hardtanh: convert the mask first", parameters=2,
           gradients=(d_hardtanh,)),
    _row("elu", elu, d_elu, 1),
    _row("selu", selu, d_selu, node="EluBackward0"),
    _row("celu", celu, d_celu, 1),
    _row("silu", silu, d_silu),
    _row("softplus", softplus, d_softplus, 2, 12),
    _row("logsigmoid", logsigmoid, d_logsigmoid, 0, 12,
         "LogSigmoidBackward0"),
    _row("gelu", gelu, d_gelu, 0, 12),
    _row("gelu_tanh", gelu_tanh, d_gelu_tanh, 0, 10,
         "GeluBackward0"),
)  # fmt: skip


def _in_place(name: str, gradient: Callable, node: str) -> Scalar:
    (row,) = (row for row in ROWS if row.name == name)
    return replace(row, gradients=(gradient,), node=node)


# In place they keep the result for their gradients, for the operand is gone.
IN_PLACE = {
    "leaky_relu": _in_place("leaky_relu", d_leaky_relu_of_result, "LeakyReluBackward1"),
    "elu": _in_place("elu", d_elu_of_result, "EluBackward1"),
    "selu": _in_place("selu", d_selu_of_result, "EluBackward1"),
    "celu": _in_place("celu", d_celu_of_result, "CeluBackward1"),
}
