"""Floats taken apart: their powers of two, and their neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlab import dtypes, return_types
from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.ops.aliases import detach
from tensorlab.ops.arguments import need_tensor, need_tensors
from tensorlab.ops.choice import where
from tensorlab.ops.conversion import clone, copy_, to
from tensorlab.ops.creation import zeros
from tensorlab.ops.dispatch import check_out, result_type
from tensorlab.ops.interop import from_numpy
from tensorlab.ops.outputs import need_outs, written
from tensorlab.ops.pointwise import copysign, exp2
from tensorlab.ops.shape import broadcast_tensors
from tensorlab.registry import op
from tensorlab.tensor import Tensor

# The integer type as wide as each float: a float's neighbours are those of its bits.
_BITS = {
    dtypes.float16: dtypes.int16,
    dtypes.bfloat16: dtypes.int16,
    dtypes.float32: dtypes.int32,
    dtypes.float64: dtypes.int64,
}


def _d_frexp(grad: Tensor, exponent: Tensor) -> Tensor:
    return grad / exp2(to(exponent, grad.dtype))


def _d_nextafter(grad: Tensor, input: Tensor, other: Tensor) -> Tensor:
    return where(input == other, 0.0, grad)


def _d_nextafter_of_other(grad: Tensor) -> Tensor:
    return grad.new_zeros(grad.shape)


FrexpBackward0 = formulas("FrexpBackward0", input=_d_frexp)
NextafterBackward0 = formulas("NextafterBackward0", input=_d_nextafter, other=_d_nextafter_of_other)


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
        >>> import tensorlab as tl
        >>> mantissa, exponent = tl.frexp(tl.tensor([5.0, -0.75]))
        >>> mantissa, exponent
        (tensor([ 0.6250, -0.7500]), tensor([3, 0], dtype=tensorlab.int32))
    """
    if not need_tensor("frexp", input).is_floating_point():
        raise RuntimeError(f"torch.frexp() only supports floating-point dtypes, got {input.dtype.name}")
    parts, powers = np.frexp(to(detach(input), dtypes.float64).numpy())
    powers = np.where(np.isfinite(parts), powers, 0)
    mantissa, exponent = detach(input).clone(), zeros(input.shape, dtype=dtypes.int32)
    if input.numel():
        mantissa = to(from_numpy(np.asarray(parts)), input.dtype).clone()
        exponent = from_numpy(np.asarray(powers, dtype=np.int32)).clone()
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
        >>> import tensorlab as tl
        >>> tl.nextafter(tl.tensor([1.0, 0.0]), tl.tensor([2.0, -1.0])).tolist()
        [1.0000001192092896, -1.401298464324817e-45]
    """
    need_tensors("nextafter", input=input, other=other)
    kind = result_type(input, other)
    if not kind.is_floating_point:
        raise NotImplementedError(f'"nextafter" not implemented for {kind.name}: it takes floats')
    x, y = broadcast_tensors(to(detach(input), kind), to(detach(other), kind))
    outwards = (y > x) == (x > 0)
    moved = (x.contiguous().view(_BITS[kind]) + where(outwards, 1, -1).to(_BITS[kind])).view(kind)
    least = x.new_ones(()).view(_BITS[kind]).fill_(1).view(kind)
    moved = where(x == 0, copysign(least, y), moved)
    result = where(x == y, y, where((x != x) | (y != y), x + y, moved))
    if out is None:
        return record(NextafterBackward0, result, input, other)
    check_out("nextafter", out, input, other)
    return written(out, result)


@op("method")
def nextafter_(input: Tensor, other: Tensor) -> Tensor:
    """`nextafter` in place.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([1.0]).nextafter_(tl.tensor(0.0)).tolist()
        [0.9999999403953552]
    """
    # Of a copy, because the gradients need the elements that are overwritten.
    return copy_(input, nextafter(clone(input), other))
