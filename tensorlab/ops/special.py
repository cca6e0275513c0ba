"""The gamma function and its kin, divisors, steps: pointwise functions that a program needs now and then."""

from __future__ import annotations

from tensorlab import dtypes
from tensorlab.ops.arguments import need_tensor, need_tensors
from tensorlab.ops.arithmetic import pow as power
from tensorlab.ops.arithmetic import pow_ as power_
from tensorlab.ops.conversion import to
from tensorlab.ops.documentation import documented
from tensorlab.ops.elementwise import apply, apply_in_place
from tensorlab.ops.operands import Number, is_number
from tensorlab.ops.pointwise import digamma, digamma_
from tensorlab.ops.rows import function_of
from tensorlab.registry import op
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor

_heaviside = function_of("heaviside")


@op("function method", names="unifies")
@documented("heaviside", {"input": "a tensor.", "values": "what it is at 0: a tensor of the same dtype."})
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """0 below 0, 1 above it, and `values` at 0."""
    _need_one_dtype(input, values)
    return _heaviside(input, values, out=out)


@op("method")
def heaviside_(input: Tensor, values: Tensor) -> Tensor:
    """`heaviside` in place: `input` becomes 0, 1, or `values` where it was 0.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([-1.5, 0.0, 2.0])
        >>> x.heaviside_(tl.tensor(0.5))
        tensor([0.0000, 0.5000, 1.0000])
    """
    _need_one_dtype(input, values)
    return apply_in_place(TABLE["heaviside"], input, values)


def _need_one_dtype(input: Tensor, values: Tensor) -> None:
    need_tensors("heaviside", input=input, values=values)
    if input._dtype is not values._dtype:
        raise RuntimeError(
            f"heaviside is not yet implemented for tensors with different dtypes: input is "
            f"{input._dtype.name} and values {values._dtype.name}; convert one of them"
        )


@op("function method", aliases="special.logit", names="unifies")
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


@op("function method")
def logit_(input: Tensor, eps: float | None = None) -> Tensor:
    """`logit` in place: each probability in `input` becomes the number of which it is the sigmoid.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([0.5, 1.0])
        >>> x.logit_(eps=0.25)
        tensor([0.0000, 1.0986])
    """
    return apply_in_place(TABLE["logit"], input, -1.0 if eps is None else eps)


@op(aliases="special.polygamma", names="unifies")
@documented("polygamma", {"n": "how many derivatives to take; 0 gives digamma itself.", "input": "a tensor."})
def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of digamma, taken `n` times."""
    _need_order(n)
    need_tensor("polygamma", input)
    return digamma(input, out=out) if n == 0 else apply(TABLE["polygamma"], input, float(n), out=out)


@op("method", name="polygamma", names="unifies")
def polygamma_method(input: Tensor, n: int) -> Tensor:
    """The derivative of digamma, taken `n` times; see `tensorlab.polygamma`.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([1.0, 0.5]).polygamma(1)
        tensor([1.6449, 4.9348])
    """
    return polygamma(n, input)


@op("method", name="polygamma_")
def polygamma_in_place(input: Tensor, n: int) -> Tensor:
    """`polygamma` in place: `input` becomes the derivative of digamma, taken `n` times.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1.0, 0.5])
        >>> x.polygamma_(1)
        tensor([1.6449, 4.9348])
    """
    _need_order(n)
    return digamma_(input) if n == 0 else apply_in_place(TABLE["polygamma"], input, float(n))


def _need_order(n: int) -> None:
    if n < 0:
        raise RuntimeError(f"polygamma(n, x) does not support negative n: {n} is no number of derivatives")


@op("function method", names="unifies")
def float_power(input: Tensor | Number, exponent: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`input` to the power of `exponent`, computed in float64 whatever the dtypes are.

    Args:
        input: a tensor, or a number if `exponent` is a tensor.
        exponent: a tensor whose shape can be broadcast with `input`'s, or a number.
        out: a float64 tensor of the result's shape to write into.

    Raises:
        TypeError: neither operand is a tensor.
        RuntimeError: the shapes do not meet, or `out` is not float64.

    Example:
        >>> import tensorlab as tl
        >>> tl.float_power(tl.tensor([4, 2]), -0.5)
        tensor([0.5000, 0.7071], dtype=tensorlab.float64)
    """
    if is_number(input) and is_number(exponent):
        raise TypeError("float_power(): input or exponent must be a Tensor, got two numbers")
    if out is not None and out._dtype is not dtypes.float64:
        raise RuntimeError(
            f"the output given to float_power has dtype {out._dtype.name} but the operation's result "
            f"requires dtype float64"
        )
    return power(_as_double(input), _as_double(exponent), out=out)


@op("method")
def float_power_(input: Tensor, exponent: Tensor | Number) -> Tensor:
    """`float_power` in place, of a float64 tensor.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([4.0, 2.0], dtype=tl.float64)
        >>> x.float_power_(2)
        tensor([16.,  4.], dtype=tensorlab.float64)
    """
    if input._dtype is not dtypes.float64:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {input._dtype.name} but the operation's result "
            f"requires dtype float64"
        )
    return power_(input, _as_double(exponent))


def _as_double(operand: Tensor | Number) -> Tensor | Number:
    return to(operand, dtypes.float64) if isinstance(operand, Tensor) else float(operand)
