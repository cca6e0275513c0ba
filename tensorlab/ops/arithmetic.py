"""Arithmetic that takes more than operands: a scale, a rounding mode, bounds, decimal places.

Each function looks at what it was given and hands a row of the scalar table to the dispatcher.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tensorlab.contracts import explained
from tensorlab.core import dtypes
from tensorlab.core.cells import wrap_integer
from tensorlab.core.dtypes import FLOATING
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
