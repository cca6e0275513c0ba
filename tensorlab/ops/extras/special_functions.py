"""The gamma function and its kin, probabilities, divisors, steps, the parts of a float, and angles."""

from __future__ import annotations

import math
from typing import Any

from tensorlab import return_types
from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.core import dtypes
from tensorlab.dispatch.operands import Number, is_number, result_type
from tensorlab.dispatch.primitive import IN_PLACE, check_out
from tensorlab.ops.arguments import need_tensor, need_tensors
from tensorlab.ops.arithmetic import pow as power
from tensorlab.ops.documentation import documented
from tensorlab.ops.elementwise import apply, apply_in_place
from tensorlab.ops.outputs import need_outs, written
from tensorlab.ops.pointwise import mul
from tensorlab.ops.rows import function_of
from tensorlab.ops.shape import broadcast_tensors
from tensorlab.ops.where import where
from tensorlab.registry import op
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor

_heaviside = function_of("heaviside")


@op("function method in_place", names="unifies")
@documented("heaviside", {"input": "a tensor.", "values": "what it is at 0: a tensor of the same dtype."})
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """0 below 0, 1 above it, and `values` at 0."""
    _need_one_dtype(input, values)
    return _heaviside(input, values, out=out)


def _need_one_dtype(input: Tensor, values: Tensor) -> None:
    need_tensors("heaviside", input=input, values=values)
    if input._dtype is not values._dtype:
        raise RuntimeError(
            f"heaviside is not yet implemented for tensors with different dtypes: input is "
            f"{input._dtype.name} and values {values._dtype.name}; convert one of them"
        )


@op("function method in_place in_place_function", aliases="special.logit", names="unifies")
@documented(
    "logit",
    {
        "input": "a tensor of probabilities.",
        "eps": "bring each element between `eps` and ``1 - eps`` first, so that no result is infinite; "
        "without it, an element outside of 0 to 1 gives NaN.",
    },
)
def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """``log(input / (1 - input))``: the number of which each element is the sigmoid."""
    return apply(TABLE["logit"], input, -1.0 if eps is None else eps, out=out)


@op(aliases="special.polygamma", names="unifies")
@documented("polygamma", {"n": "how many derivatives to take; 0 gives digamma itself.", "input": "a tensor."})
def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of digamma, taken `n` times."""
    _need_order(n)
    need_tensor("polygamma", input)
    return input.digamma(out=out) if n == 0 else apply(TABLE["polygamma"], input, float(n), out=out)


@op("method", name="polygamma", names="unifies")
def polygamma_method(input: Tensor, n: int) -> Tensor:
    """The derivative of digamma, taken `n` times; see `tensorlab.polygamma`.

    Example:
        >>> tl.tensor([1.0, 0.5]).polygamma(1)
        tensor([1.6449, 4.9348])
    """
    return polygamma(n, input)


@op("method", name="polygamma_")
def polygamma_in_place(input: Tensor, n: int) -> Tensor:
    """`polygamma` in place: `input` becomes the derivative of digamma, taken `n` times.

    Example:
        >>> x = tl.tensor([1.0, 0.5])
        >>> x.polygamma_(1)
        tensor([1.6449, 4.9348])
    """
    _need_order(n)
    return input.digamma_() if n == 0 else apply_in_place(TABLE["polygamma"], input, float(n))


def _need_order(n: int) -> None:
    if n < 0:
        raise RuntimeError(f"polygamma(n, x) does not support negative n: {n} is no number of derivatives")


@op("function method in_place", names="unifies")
def float_power(input: Tensor | Number, exponent: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`input` to the power of `exponent`, computed in float64 whatever the dtypes are.

    Args:
        input: a tensor, or a number if `exponent` is a tensor.
        exponent: a tensor whose shape can be broadcast with `input`'s, or a number.
        out: a float64 tensor of the result's shape to write into.

    Raises:
        TypeError: neither operand is a tensor.
        RuntimeError: the shapes do not broadcast, or `out` is not float64.

    Example:
        >>> tl.float_power(tl.tensor([4.0, 2.0], dtype=tl.float64), 2)
        tensor([16.,  4.], dtype=tensorlab.float64)
        >>> tl.float_power(tl.tensor([4, 2]), -0.5)
        tensor([0.5000, 0.7071], dtype=tensorlab.float64)
    """
    if is_number(input) and is_number(exponent):
        raise TypeError("float_power(): input or exponent must be a Tensor, got two numbers")
    written_to = input if out is IN_PLACE else out
    if isinstance(written_to, Tensor) and written_to._dtype is not dtypes.float64:
        raise RuntimeError(
            f"the {'base' if out is IN_PLACE else 'output'} given to float_power has dtype "
            f"{written_to._dtype.name} but the operation's result requires dtype float64"
        )
    return power(_as_double(input), _as_double(exponent), out=out)


def _as_double(operand: Tensor | Number) -> Tensor | Number:
    return operand.to(dtypes.float64) if isinstance(operand, Tensor) else float(operand)


SQRT_HALF = math.sqrt(0.5)


@op(namespace="special")
def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The probability that a standard normal variable lies below each element; precise in the lower tail too.

    Example:
        >>> tl.special.ndtr(tl.tensor([-1.96, 0.0, 1.96]))
        tensor([0.0250, 0.5000, 0.9750])
    """
    need_tensors("ndtr", input=input)
    return mul((input * (-SQRT_HALF)).erfc(), 0.5, out=out)


# The integer type as wide as each float: a float's neighbours are those of its bits.
_BITS = {
    dtypes.float16: dtypes.int16,
    dtypes.bfloat16: dtypes.int16,
    dtypes.float32: dtypes.int32,
    dtypes.float64: dtypes.int64,
}


def _d_nextafter(grad: Tensor, input: Tensor, other: Tensor) -> Tensor:
    return where(input == other, 0.0, grad)


FrexpBackward0 = formulas(
    "FrexpBackward0", input=lambda grad, exponent: grad / exponent.to(grad.dtype).exp2()
)
NextafterBackward0 = formulas(
    "NextafterBackward0", input=_d_nextafter, other=lambda grad: grad.new_zeros(grad.shape)
)


# How a float64 is made: 11 bits of exponent above 52 of the fraction, where 1022 stands for the exponent 0
# of a number from 1/2 on. Below the least normal number the exponent says nothing.
EXPONENT, BIAS = 0x7FF, 1022
SMALLEST_NORMAL = 2.0**-1022


@op("function method")
def frexp(input: Tensor, *, out: Any = None) -> Any:
    """Each float as a number of at least 1/2 and below 1, and a power of two: ``mantissa * 2 ** exponent``.

    Args:
        input: a floating tensor.
        out: a pair of tensors, the second int32, to write into.

    Returns:
        a named tuple (mantissa, exponent); the exponents are int32. Of 0, infinities and NaN the mantissa is
        the number itself, and the exponent 0.

    Raises:
        RuntimeError: the elements are not floats.

    Example:
        >>> mantissa, exponent = tl.frexp(tl.tensor([5.0, -0.75]))
        >>> mantissa, exponent
        (tensor([ 0.6250, -0.7500]), tensor([3, 0], dtype=tensorlab.int32))
    """
    if not need_tensor("frexp", input).is_floating_point():
        raise RuntimeError(f"torch.frexp() only supports floating-point dtypes, got {input.dtype.name}")
    x = input.detach().to(dtypes.float64)
    subnormal, plain = x.abs() < SMALLEST_NORMAL, x.isfinite() & (x != 0)
    bits = where(subnormal, x * 2.0**54, x).view(dtypes.int64)
    powers = (bits >> 52 & EXPONENT) - BIAS - where(subnormal, 54, 0)
    halves = (bits & ~(EXPONENT << 52) | BIAS << 52).view(dtypes.float64)
    mantissa = where(plain, halves, x).to(input.dtype, copy=True)
    exponent = where(plain, powers, 0).to(dtypes.int32)
    if out is None:
        return return_types.frexp((record(FrexpBackward0, mantissa, input, exponent=exponent), exponent))
    into = need_outs("frexp", out, 2)
    check_out("frexp", into[0], input)
    return return_types.frexp((written(into[0], mantissa), written(into[1], exponent)))


@op("function method")
def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The neighbour of each float on the way to another one: the next number that the dtype has.

    Args:
        input: a floating tensor.
        other: a tensor whose shape can be broadcast with `input`'s.
        out: a tensor of the result's shape to write into.

    Raises:
        NotImplementedError: the elements are not floats.

    Example:
        >>> tl.nextafter(tl.tensor([1.0, 0.0]), tl.tensor([2.0, -1.0])).tolist()
        [1.0000001192092896, -1.401298464324817e-45]
    """
    need_tensors("nextafter", input=input, other=other)
    kind = result_type(input, other)
    if not kind.is_floating_point:
        raise NotImplementedError(f'"nextafter" not implemented for {kind.name}: it takes floats')
    x, y = broadcast_tensors(input.detach().to(kind), other.detach().to(kind))
    outwards = (y > x) == (x > 0)
    moved = (x.contiguous().view(_BITS[kind]) + where(outwards, 1, -1).to(_BITS[kind])).view(kind)
    least = x.new_ones(()).view(_BITS[kind]).fill_(1).view(kind)
    moved = where(x == 0, least.copysign(y), moved)
    result = where(x == y, y, where((x != x) | (y != y), x + y, moved))
    if out is None:
        return record(NextafterBackward0, result, input, other)
    check_out("nextafter", out, input, other)
    return written(out, result)


@op("method")
def nextafter_(input: Tensor, other: Tensor) -> Tensor:
    """`nextafter` in place.

    Example:
        >>> tl.tensor([1.0]).nextafter_(tl.tensor(0.0)).tolist()
        [0.9999999403953552]
    """
    # Of a copy, because the gradients need the elements that are overwritten.
    return input.copy_(nextafter(input.clone(), other))


RADIANS_OF_A_DEGREE = math.pi / 180


@op("function method in_place in_place_function")
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angles given in degrees, in radians: a half turn is π. Of integers they are of the default dtype.

    Example:
        >>> tl.deg2rad(tl.tensor([0, 90, 180]))
        tensor([0.0000, 1.5708, 3.1416])
    """
    need_tensors("deg2rad", input=input)
    return mul(input, RADIANS_OF_A_DEGREE, out=out)


@op("function method in_place in_place_function")
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angles given in radians, in degrees: a half turn is 180. Of integers they are of the default dtype.

    Example:
        >>> tl.rad2deg(tl.tensor([0.0, tl.pi / 2, tl.pi]))
        tensor([  0.,  90., 180.])
    """
    need_tensors("rad2deg", input=input)
    return mul(input, 1 / RADIANS_OF_A_DEGREE, out=out)
