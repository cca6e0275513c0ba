"""Three operands, element by element: a product or a quotient on top of a tensor, and points between two."""

from __future__ import annotations

from tensorlab.dispatch.operands import Number, is_number
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.documentation import documented
from tensorlab.ops.elementwise import apply
from tensorlab.registry import op
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor

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
