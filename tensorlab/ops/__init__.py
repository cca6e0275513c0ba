"""What users call: functions of tensors, and the methods and operators of `Tensor` made from them."""

from __future__ import annotations

from tensorlab.ops import methods
from tensorlab.ops.conversion import clone, contiguous
from tensorlab.ops.creation import (
    arange,
    as_strided,
    as_tensor,
    empty,
    from_numpy,
    full,
    ones,
    tensor,
    zeros,
)
from tensorlab.ops.dispatch import result_type
from tensorlab.ops.pointwise import add, div, eq, ge, gt, le, lt, mul, ne, neg, sub
from tensorlab.ops.shape import permute, reshape, t, transpose

methods.bind()

__all__ = [
    "add",
    "arange",
    "as_strided",
    "as_tensor",
    "clone",
    "contiguous",
    "div",
    "empty",
    "eq",
    "from_numpy",
    "full",
    "ge",
    "gt",
    "le",
    "lt",
    "mul",
    "ne",
    "neg",
    "ones",
    "permute",
    "reshape",
    "result_type",
    "sub",
    "t",
    "tensor",
    "transpose",
    "zeros",
]
