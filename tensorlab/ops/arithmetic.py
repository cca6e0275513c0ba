"""Arithmetic that takes more than two operands: a scale, a rounding mode, a third tensor, bounds.

Each function looks at what it was given and hands a row of the scalar table to the dispatcher.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tensorlab.autograd.views import requires_grad
from tensorlab.contracts import explained
from tensorlab.core import dtypes
from tensorlab.core.cells import wrap_integer
from tensorlab.core.dtypes import FLOATING, finfo_max
from tensorlab.core.layout import as_int
from tensorlab.dispatch.operands import (
    Number,
    check_64_bits,
    check_number,
    is_number,
    number_from,
    result_type,
)
from tensorlab.names.tensor import bare
from tensorlab.ops import pointwise, reduction
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.documentation import documented
from tensorlab.ops.elementwise import TENSOR_FUNCTIONS, apply
from tensorlab.ops.rows import function_of, in_place
from tensorlab.registry import op
from tensorlab.scalars import TABLE, ZERO, Scalar
from tensorlab.scalars.special import POWERS
from tensorlab.tensor import Tensor

Operand = Tensor | Number

true_divide = op("function method", names="unifies")(function_of("div", "true_divide"))
true_divide_ = op("method")(in_place("div", "true_divide"))

SCALE = "a number that `other` is multiplied by first."


# --- sums and differences -----------------------------------------------------------------------------


@op("function method in_place", names="unifies")
@documented("add", {"alpha": SCALE})
def add(input: Operand, other: Operand, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """`input` plus `other`, element by element."""
    if type(alpha) is int and alpha == 1:
        return pointwise.add(input, other, out=out)
    alpha = _factor(input, other, alpha)
    return apply(TABLE["add_scaled"], input, other, alpha, out=out)


@op("function method in_place", aliases="subtract", names="unifies")
@documented("sub", {"alpha": SCALE})
def sub(input: Operand, other: Operand, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """`input` minus `other`, element by element."""
    if type(alpha) is int and alpha == 1:
        return pointwise.sub(input, other, out=out)
    alpha = _factor(input, other, alpha)
    return apply(TABLE["sub_scaled"], input, other, alpha, out=out)


@op(names="unifies")
def rsub(input: Tensor, other: Operand, *, alpha: Number = 1) -> Tensor:
    """``other - alpha * input``: `sub` with its operands exchanged.

    Raises:
        TypeError: `input` is no tensor.

    Example:
        >>> tl.rsub(tl.tensor([1, 2]), 10)
        tensor([9, 8])
    """
    need_tensor("rsub", input)
    alpha = _factor(input, other, alpha)
    return apply(TABLE["rsub_scaled"], input, other, alpha)


def _factor(input: Operand, other: Operand, alpha: Any) -> Number:
    """`alpha` as a number, if the dtype that the operands promote to allows it."""
    if type(alpha) is float and isinstance(input, Tensor) and input._dtype.is_floating_point:
        return alpha
    if not is_number(alpha) and not is_number(alpha := number_from(alpha)):
        raise TypeError(f"argument 'alpha' must be a number, not {type(alpha).__name__}")
    meet = result_type(input, other)
    if isinstance(alpha, bool) and meet is not dtypes.bool:
        raise RuntimeError(
            f"Boolean alpha only supported for Boolean results, and this one is {meet.name}: pass 1 or 0"
        )
    if isinstance(alpha, float) and not meet.is_floating_point:
        raise RuntimeError(
            f"For integral input tensors, argument alpha must not be a floating point number, got {alpha}: "
            f"convert a tensor to a floating dtype first"
        )
    return alpha


@op("function method", names="unifies")
@explained
def positive(input: Tensor) -> Tensor:
    """``+input``: the tensor itself.

    Raises:
        RuntimeError: `input` is bool.

    Example:
        >>> x = tl.tensor([1, -2])
        >>> tl.positive(x) is x
        True
    """
    if input.dtype is dtypes.bool:
        raise RuntimeError(
            "The `+` operator, on a bool tensor is not supported: convert first, x.to(tensorlab.int64)"
        )
    return input


# --- quotients and remainders -------------------------------------------------------------------------


@op("function method in_place", aliases="divide", names="unifies")
@documented(
    "div", {"rounding_mode": "None; 'trunc' to drop the quotient's fraction; 'floor' to round it down."}
)
def div(
    input: Operand, other: Operand, *, rounding_mode: str | None = None, out: Tensor | None = None
) -> Tensor:
    """`input` divided by `other`, element by element. Division by zero gives an infinity or NaN."""
    if rounding_mode is None:
        return pointwise.div(input, other, out=out)
    row = _rounded_division(rounding_mode)
    _refuse_integer_zero(input, other)
    return apply(row, input, other, out=out)


# In PyTorch the rounded quotient is flat under one name, and cannot be differentiated under the other.
_ROUNDED = {
    "trunc": TABLE["trunc_divide"],
    "floor": replace(TABLE["floor_divide"], node="DivBackward2", gradients=(ZERO, ZERO)),
}


def _rounded_division(rounding_mode: str) -> Scalar:
    if not isinstance(rounding_mode, str):
        raise TypeError(f"div(): argument 'rounding_mode' must be str, not {type(rounding_mode).__name__}")
    if rounding_mode not in _ROUNDED:
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {rounding_mode!r}"
        )
    return _ROUNDED[rounding_mode]


for _mode, _row in _ROUNDED.items():
    TENSOR_FUNCTIONS[_row.name] = partial(div, rounding_mode=_mode)


@op("function method in_place", names="unifies")
@documented("floor_divide")
def floor_divide(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The greatest whole number that is not above ``input / other``: Python's ``//``."""
    _refuse_integer_zero(input, other)
    return _floor_divide(input, other, out=out)


@op("function method in_place", names="unifies")
@documented("remainder")
def remainder(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """What floor_divide leaves over: Python's ``%``, with the sign of `other`."""
    _refuse_integer_zero(input, other)
    return _remainder(input, other, out=out)


@op("function method in_place", names="unifies")
@documented("fmod")
def fmod(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """What division towards zero leaves over: C's ``%``, with the sign of `input`."""
    _refuse_integer_zero(input, other)
    return _fmod(input, other, out=out)


_floor_divide, _remainder, _fmod = map(function_of, ("floor_divide", "remainder", "fmod"))


def _refuse_integer_zero(input: Operand, other: Operand) -> None:
    """Whole numbers have no quotient by zero to round; floats have infinities and NaN."""
    for operand in (input, other):
        if isinstance(operand, Tensor):
            if operand._dtype.category == FLOATING or not operand.numel():
                return
        elif not isinstance(operand, (int, np.integer)):
            return
    if isinstance(other, Tensor):
        zero = not reduction.all(bare(other)).item()
    else:  # a number counts as the tensor's dtype holds it
        check_64_bits(int(other))
        zero = wrap_integer(int(other), result_type(input, other)) == 0
    if zero:
        raise RuntimeError(
            "ZeroDivisionError: an integer was divided by zero; floats would give an infinity or NaN, "
            "so convert first: x.to(tensorlab.float32)"
        )


# --- powers -------------------------------------------------------------------------------------------


@op("function method in_place", names="unifies")
@documented(
    "pow",
    {
        "input": "a tensor, or a number if `exponent` is a tensor.",
        "exponent": "a tensor whose shape can be broadcast with `input`'s, or a number.",
    },
)
def pow(input: Operand, exponent: Operand, *, out: Tensor | None = None) -> Tensor:
    """`input` to the power of `exponent`, element by element."""
    row = _power(input, exponent)
    return _pow(input, exponent, out=out) if row is None else _power_functions[row.name](input, out=out)


_pow = function_of("pow")
TENSOR_FUNCTIONS["pow"] = pow
_power_functions = {row.name: function_of(row) for row in POWERS.values()}


def _power(input: Operand, exponent: Operand) -> Scalar | None:
    """The row of one operand that takes `input` to this power, if there is one.

    Raises:
        TypeError: neither is a tensor.
        RuntimeError: an integer tensor and a negative whole exponent.
    """
    if isinstance(exponent, Tensor):
        return None
    if not isinstance(input, Tensor):
        raise TypeError("pow(): input or exponent must be a Tensor; for two numbers there is Python's **")
    floating = input._dtype.category == FLOATING
    if not floating and isinstance(exponent, int) and exponent < 0:
        raise RuntimeError(
            f"Integers to negative integer powers are not allowed: {input._dtype.name} holds no fractions; "
            f"write the exponent as a float, {float(exponent)}"
        )
    check_number(exponent, result_type(input, exponent))
    whole = type(exponent) is int
    return POWERS.get(exponent) if whole or (type(exponent) is float and floating) else None


# --- three operands -------------------------------------------------------------------------------------

_ADDED = {
    "input": "a tensor.",
    "tensor1": "a tensor whose shape can be broadcast with `input`'s.",
    "tensor2": "another.",
    "value": "a number, converted to the type that the tensors promote to.",
}


@op("function method in_place", names="unifies")
@documented("addcmul", _ADDED)
def addcmul(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Tensor | None = None
) -> Tensor:
    """`input` plus `value` times the product of two tensors, element by element."""
    return apply(TABLE["addcmul"], input, tensor1, tensor2, value, out=out)


@op("function method in_place", names="unifies")
@documented("addcdiv", _ADDED)
def addcdiv(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Tensor | None = None
) -> Tensor:
    """`input` plus `value` times the quotient of two tensors, element by element."""
    _refuse_integer_quotient(tensor1, tensor2)
    return apply(TABLE["addcdiv"], input, tensor1, tensor2, value, out=out)


def _refuse_integer_quotient(tensor1: Tensor, tensor2: Tensor) -> None:
    need_tensor("addcdiv", tensor1, "tensor1")
    need_tensor("addcdiv", tensor2, "tensor2")
    if not (tensor1.is_floating_point() or tensor2.is_floating_point()):
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported: convert tensor1 or tensor2 to a floating "
            "dtype, or round with div(..., rounding_mode='trunc') and add"
        )


@op("function method in_place", names="unifies")
@documented(
    "lerp",
    {
        "input": "a tensor of a floating dtype: where the way begins.",
        "end": "a tensor of the same dtype: where it ends.",
        "weight": "how much of the way to go, a number or a tensor of the same dtype; not confined to 0 … 1.",
    },
)
def lerp(input: Tensor, end: Tensor, weight: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The point `weight` of the way from `input` to `end`: ``input + weight * (end - input)``."""
    _check_one_dtype(input, end, weight)
    return apply(TABLE["lerp"], input, end, weight, out=out)


def _check_one_dtype(input: Tensor, end: Tensor, weight: Tensor | Number) -> None:
    need_tensor("lerp", end, "end")
    if not isinstance(weight, Tensor) and not is_number(weight):
        raise TypeError(f"lerp(): argument 'weight' must be Tensor or Number, not {type(weight).__name__}")
    if not need_tensor("lerp", input).is_floating_point():
        raise NotImplementedError(
            f'"lerp" not implemented for {input.dtype.name}: it takes floats: convert with .float() first'
        )
    for name, operand in (("end", end), ("weight", weight)):
        if isinstance(operand, Tensor) and (name == "end" or operand.ndim) and operand.dtype != input.dtype:
            raise RuntimeError(
                f"expected dtype {input.dtype.name} for `{name}` but got dtype {operand.dtype.name}: "
                f"lerp does not convert"
            )


# --- bounds ---------------------------------------------------------------------------------------------

# A float below this in size fits into every dtype that it may meet, and an int into every floating one.
SMALL = 65504.0


# --- bounds -------------------------------------------------------------------------------------------

Bound = Tensor | Number | None
_BOUNDS = {
    "input": "a tensor.",
    "min": "the lower bound: a number, a tensor that can be broadcast with `input`, or None for none.",
    "max": "the upper bound, likewise. Where it is below the lower bound, it wins.",
}


@op("function method in_place in_place_function", aliases="clip", names="unifies")
@documented("clamp", _BOUNDS)
def clamp(input: Tensor, min: Bound = None, max: Bound = None, *, out: Tensor | None = None) -> Tensor:
    """Elements below `min` raised to it, and those above `max` lowered to it."""
    row, bounds = _clamp_row(input, min, max)
    if len(bounds) == 1:
        return _with_one(row)(input, bounds[0], out=out)
    return apply(row, input, *bounds, out=out)


@op("function method in_place in_place_function", names="unifies")
@documented("clamp_min", {"input": "a tensor.", "min": "the bound: a number, or a tensor."})
def clamp_min(input: Tensor, min: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Elements below `min` raised to it."""
    row, bounds = _clamp_row(input, min, None, "clamp_min")
    return _with_one(row)(input, bounds[0], out=out)


@op("function method in_place in_place_function", names="unifies")
@documented("clamp_max", {"input": "a tensor.", "max": "the bound: a number, or a tensor."})
def clamp_max(input: Tensor, max: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Elements above `max` lowered to it."""
    row, bounds = _clamp_row(input, None, max, "clamp_max")
    return _with_one(row)(input, bounds[0], out=out)


# `clamp` with one bound is `clamp_min` or `clamp_max`, and leaves a node of its own name.
_ONE_BOUND = {
    name: replace(TABLE[name], node="ClampBackward0", number_nodes=("", "ClampBackward1"))
    for name in ("clamp_min", "clamp_max")
}
_WITH_ONE = {
    (row.name, row.node): function_of(row)
    for row in (
        *map(TABLE.__getitem__, ("clamp_min", "clamp_max", "maximum", "minimum")),
        *_ONE_BOUND.values(),
    )
}


def _with_one(row: Scalar) -> Callable[..., Tensor]:
    """The function of a tensor and one bound that a row stands for."""
    return _WITH_ONE[row.name, row.node]


def _clamp_row(
    input: Tensor, low: Bound, high: Bound, name: str = "clamp"
) -> tuple[Scalar, list[Tensor | Number]]:
    """The row that the given bounds need, and the bounds; `name` is the function that was called."""
    need_tensor(name, input)
    bounds = [bound for bound in (low, high) if bound is not None]
    if not bounds:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if len(bounds) == 2 and isinstance(low, Tensor) is not isinstance(high, Tensor):
        bounds = [_as_number(bound) for bound in bounds]
    for bound in bounds:
        small = type(bound) is float or (type(bound) is int and input._dtype.is_floating_point)
        if not (small and -SMALL < bound < SMALL) and is_number(bound):
            check_number(bound, result_type(input, *bounds))
    if len(bounds) == 2:
        return TABLE["clamp"], bounds
    if isinstance(bounds[0], Tensor) and result_type(input, bounds[0]) is dtypes.bool:
        return TABLE["maximum" if high is None else "minimum"], bounds  # the larger bool; a number has none
    if name != "clamp":
        return TABLE[name], bounds
    return _ONE_BOUND["clamp_min" if high is None else "clamp_max"], bounds


def _as_number(bound: Tensor | Number) -> Number:
    """A bound that stands beside a number: a number itself, or a tensor without dimensions."""
    if not isinstance(bound, Tensor):
        return bound
    if bound.ndim or requires_grad(bound):
        raise TypeError(
            f"clamp(): min and max must be two tensors or two numbers, not one of each: beside a number goes "
            f"a tensor without dimensions that requires no gradient, got one of shape {list(bound._shape)}"
        )
    return bound.item()


# --- rounding and NaN -----------------------------------------------------------------------------------


@op("function method in_place in_place_function", aliases="special.round", names="unifies")
@documented(
    "round", {"input": "a tensor.", "decimals": "places after the point; negative ones count before it."}
)
def round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """The nearest whole number, or number with so many decimals; from the middle, to the even one."""
    if decimals == 0:
        return _round(input, out=out)
    return apply(*_round_to(input, decimals), out=out)


_round = function_of("round")


def _round_to(input: Tensor, decimals: int) -> tuple[Scalar, Tensor, float]:
    decimals = as_int(decimals, "round(): decimals")
    return TABLE["round_decimals" if decimals > 0 else "round_tens"], input, 10.0 ** abs(decimals)


@op("function method in_place in_place_function", names="unifies")
@documented(
    "nan_to_num",
    {
        "input": "a tensor.",
        "nan": "what NaN becomes.",
        "posinf": "what inf becomes; the greatest number of the dtype if left out.",
        "neginf": "what -inf becomes; the least number of the dtype if left out.",
    },
)
def nan_to_num(
    input: Tensor,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """NaN and the infinities replaced by numbers."""
    return apply(TABLE["nan_to_num"], input, *_replacements(input, nan, posinf, neginf), out=out)


def _replacements(
    input: Tensor, nan: float, posinf: float | None, neginf: float | None
) -> tuple[float, float, float]:
    need_tensor("nan_to_num", input)
    most = finfo_max(input.dtype) if input.is_floating_point() else 0.0  # integers have nothing to replace
    return nan, most if posinf is None else posinf, -most if neginf is None else neginf
