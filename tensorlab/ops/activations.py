"""Activation functions: smooth ones, and those made of straight lines and steps."""

from __future__ import annotations

from dataclasses import replace

from tensorlab.ops import pointwise
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.documentation import documented
from tensorlab.ops.elementwise import apply, apply_in_place
from tensorlab.ops.pointwise import absolute, add, div, sub, tanh
from tensorlab.ops.rows import function_of
from tensorlab.registry import op
from tensorlab.scalars import TABLE
from tensorlab.scalars.activations import IN_PLACE
from tensorlab.tensor import Tensor

_INPUT = "a tensor of any shape."
_INPLACE = "overwrite `input` and return it."

_silu, _gelu, _gelu_tanh = map(function_of, ("silu", "gelu", "gelu_tanh"))


@op(namespace="nn.functional", names="unifies")
@documented("relu", {"input": _INPUT, "inplace": _INPLACE}, out=False)
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Negative elements replaced by 0."""
    return pointwise.relu_(input) if inplace else pointwise.relu(input)


@op(namespace="nn.functional", names="unifies")
@documented("silu", {"input": _INPUT, "inplace": _INPLACE}, out=False)
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """``input * sigmoid(input)``, also called swish."""
    return apply_in_place(TABLE["silu"], input) if inplace else _silu(input)


@op(namespace="nn.functional", names="unifies")
@documented(
    "gelu",
    {
        "input": _INPUT,
        "approximate": "'none' for the function itself, 'tanh' for an approximation of it.",
    },
    out=False,
)
def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """`input` times the probability that a normal variable is below it."""
    if not isinstance(approximate, str):
        raise TypeError(f"gelu(): argument 'approximate' must be str, not {type(approximate).__name__}")
    if approximate not in ("none", "tanh"):
        raise RuntimeError(f"approximate argument must be either none or tanh, got {approximate!r}")
    return _gelu(input) if approximate == "none" else _gelu_tanh(input)


@op("function in_place", namespace="nn.functional", names="unifies")
@documented(
    "leaky_relu", {"input": _INPUT, "negative_slope": "the slope below 0.", "inplace": _INPLACE}, out=False
)
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Negative elements multiplied by `negative_slope`."""
    return _apply("leaky_relu", inplace, input, negative_slope)


@op("function in_place", namespace="nn.functional", names="unifies")
@documented(
    "elu", {"input": _INPUT, "alpha": "the distance that it sinks below 0.", "inplace": _INPLACE}, out=False
)
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Negative elements replaced by ``alpha * (exp(input) - 1)``."""
    return _apply("elu", inplace, input, alpha)


@op("function in_place in_place_function", aliases="nn.functional.selu", names="unifies")
@documented("selu", {"input": _INPUT, "inplace": _INPLACE}, out=False)
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Elements times 1.0507, after negative ones became ``1.6733 * (exp(input) - 1)``."""
    return _apply("selu", inplace, input)


@op("function in_place in_place_function", aliases="nn.functional.celu", names="unifies")
@documented(
    "celu",
    {"input": _INPUT, "alpha": "the distance that it sinks below 0; not 0.", "inplace": _INPLACE},
    out=False,
)
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Negative elements replaced by ``alpha * (exp(input / alpha) - 1)``."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU, whose exponent is input / alpha")
    return _apply("celu", inplace, input, alpha)


@op(namespace="nn.functional", names="unifies")
@documented(
    "softplus",
    {
        "input": _INPUT,
        "beta": "how sharply it bends.",
        "threshold": "where ``beta * input`` is above it, the element itself, which is what it rounds to.",
    },
    out=False,
)
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """``log(1 + exp(beta * input)) / beta``: a ReLU without its corner."""
    return _apply("softplus", False, input, beta, threshold)


@op(namespace="nn.functional", names="unifies")
@documented("logsigmoid", {"input": _INPUT}, out=False)
def logsigmoid(input: Tensor) -> Tensor:
    """``log(sigmoid(input))``, precise on both sides."""
    return _apply("logsigmoid", False, input)


@op("function in_place", namespace="nn.functional", names="unifies")
@documented(
    "hardtanh",
    {"input": _INPUT, "min_val": "the lower bound.", "max_val": "the upper bound.", "inplace": _INPLACE},
    out=False,
)
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Each element brought between `min_val` and `max_val`."""
    if min_val > max_val:
        raise ValueError(f"min_val cannot be greater than max_val, got {min_val} and {max_val}")
    if isinstance(input, Tensor) and not input.dtype.is_signed and input.dtype.category and min_val < 0:
        raise RuntimeError(
            f"cannot do hardtanh on an unsigned type with negative limits: {input.dtype.name}, {min_val}"
        )
    return _apply("hardtanh", inplace, input, min_val, max_val)


@op(namespace="nn.functional", names="unifies")
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element brought between 0 and 6.

    Example:
        >>> F.relu6(tl.tensor([-1.0, 3.0, 8.0]))
        tensor([0., 3., 6.])
    """
    return hardtanh(input, 0.0, 6.0, inplace)


def _apply(name: str, inplace: bool, input: Tensor, *parameters: float) -> Tensor:
    if inplace:
        return apply_in_place(IN_PLACE.get(name) or TABLE[name], input, *parameters)
    return apply(TABLE[name], input, *parameters)


# --- straight lines and steps -------------------------------------------------------------------------


_THRESHOLD_IN_PLACE = replace(TABLE["threshold"], node="ThresholdBackward1")

_hardswish, _hardsigmoid, _mish = map(function_of, ("hardswish", "hardsigmoid", "mish"))


@op("function method", aliases="nn.functional.hardshrink", names="unifies")
@documented("hardshrink", {"input": _INPUT, "lambd": "the bound of what becomes 0."})
def hardshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Elements between ±`lambd` replaced by 0."""
    return apply(TABLE["hardshrink"], input, lambd, out=out)


@op(namespace="nn.functional", names="unifies")
@documented("softshrink", {"input": _INPUT, "lambd": "how far each element moves; not negative."})
def softshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Every element moved towards 0 by `lambd`, and not past it."""
    if not lambd >= 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd}: it is a distance")
    return apply(TABLE["softshrink"], input, lambd, out=out)


@op(namespace="nn.functional", names="unifies")
def tanhshrink(input: Tensor) -> Tensor:
    """``input - tanh(input)``: nearly nothing around 0, and 1 nearer to 0 far from it.

    Example:
        >>> F.tanhshrink(tl.tensor([-2.0, 0.1]))
        tensor([-1.0360e+00,  3.3201e-04])
    """
    return sub(need_tensor("tanhshrink", input), tanh(input))


@op(namespace="nn.functional", names="unifies")
def softsign(input: Tensor) -> Tensor:
    """``input / (1 + abs(input))``: between -1 and 1, as tanh is, and slower to come near them.

    Example:
        >>> F.softsign(tl.tensor([-1.0, 0.0, 3.0]))
        tensor([-0.5000,  0.0000,  0.7500])
    """
    return div(input, add(absolute(need_tensor("softsign", input)), 1))


@op("function in_place in_place_function", aliases="nn.functional.threshold", names="unifies")
@documented(
    "threshold",
    {
        "input": _INPUT,
        "threshold": "what an element must be above.",
        "value": "what takes the place of the others.",
        "inplace": _INPLACE,
    },
    out=False,
)
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Elements that are not above `threshold` replaced by `value`."""
    if inplace:
        return apply_in_place(_THRESHOLD_IN_PLACE, input, threshold, value)
    return apply(TABLE["threshold"], input, threshold, value)


@op(namespace="nn.functional", names="unifies")
@documented("hardswish", {"input": _INPUT, "inplace": _INPLACE}, out=False)
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """``input * relu6(input + 3) / 6``: silu made of straight pieces."""
    return apply_in_place(TABLE["hardswish"], input) if inplace else _hardswish(input)


@op(namespace="nn.functional", names="unifies")
@documented("hardsigmoid", {"input": _INPUT, "inplace": _INPLACE}, out=False)
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """``relu6(input + 3) / 6``: the sigmoid made of straight pieces."""
    return apply_in_place(TABLE["hardsigmoid"], input) if inplace else _hardsigmoid(input)


@op(namespace="nn.functional", names="unifies")
@documented("mish", {"input": _INPUT, "inplace": _INPLACE}, out=False)
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """``input * tanh(softplus(input))``."""
    return apply_in_place(TABLE["mish"], input) if inplace else _mish(input)
