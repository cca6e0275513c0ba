"""What may be an operand, and which dtype operands promote to."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

import numpy as np

from tensorlab import scalars
from tensorlab.core import dtypes
from tensorlab.core.cells import encode_one
from tensorlab.core.dtypes import dtype
from tensorlab.registry import op
from tensorlab.scalars import Scalar
from tensorlab.tensor import Tensor

Number = bool | int | float


def is_number(value: object) -> TypeGuard[Number]:
    """True for what may stand beside a tensor in arithmetic: a bool, int or float, Python's or NumPy's."""
    return isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating))


def number_from(value: Any) -> Any:
    """The number that a tensor without dimensions stands for where a call takes a number.

    Anything else is given back as it is, and so is a tensor that requires a gradient, which none could reach.

    Example:
        >>> import tensorlab as tl
        >>> number_from(tl.tensor(0.5)), number_from(3), number_from(tl.tensor([1]))
        (0.5, 3, tensor([1]))
    """
    if isinstance(value, Tensor) and not value._shape and not value.requires_grad:
        return value.item()
    return value


@op()
def result_type(*operands: Tensor | Number) -> dtype:
    """The dtype that operands promote to.

    Tensors of at least one dimension, 0-dimensional tensors, and Python numbers are asked in this order. A
    later group changes the result only when it is of a higher category (bool, integer, floating): adding the
    Python float 0.5 to an int8 tensor makes a float, adding the int 1000 does not make it wider.

    Raises:
        TypeError: there are no operands, or one is neither a tensor nor a number.

    Example:
        >>> import tensorlab as tl
        >>> tl.result_type(tl.zeros(2, dtype=tl.int8), 1000), tl.result_type(tl.zeros(2, dtype=tl.int8), 0.5)
        (tensorlab.int8, tensorlab.float32)
    """
    groups: list[dtype | None] = [None, None, None]
    for operand in operands:
        if isinstance(operand, Tensor):
            group, element_type = (0 if operand._shape else 1), operand._dtype
        else:
            group, element_type = 2, number_dtype(operand)
        known = groups[group]
        groups[group] = element_type if known is None else dtypes.promote_types(known, element_type)
    result: dtype | None = None
    for candidate in groups:
        if candidate is not None and (result is None or candidate.category > result.category):
            # A dimensionless operand raises the category; which type of that category is its own affair,
            # except that a tensor's dtype and a higher category still promote in the lattice.
            result = candidate if result is None else dtypes.promote_types(result, candidate)
    if result is None:
        raise TypeError("result_type() takes the tensors and numbers that are to be combined, and got none")
    return result


def number_dtype(number: Number) -> dtype:
    """The dtype that a number brings to `result_type`. NumPy's numbers count as Python's.

    Raises:
        TypeError: it is no number.
    """
    if isinstance(number, (bool, np.bool_)):
        return dtypes.bool
    if isinstance(number, (int, np.integer)):
        return dtypes.int64
    if isinstance(number, (float, np.floating)):
        return dtypes.get_default_dtype()
    raise TypeError(f"a tensor or a number was expected, got {number!r} of type {type(number).__name__}")


def check_number(number: Number, element_type: dtype) -> None:
    """Refuse a number that a dtype cannot hold, where PyTorch looks.

    Raises:
        OverflowError: it does not fit into 64 bits.
        RuntimeError: it does not fit into `element_type`.
    """
    if isinstance(number, int):
        check_64_bits(number)
    if not element_type.is_floating_point:
        encode_one(number, element_type)
    elif dtypes.finfo_max(element_type) < abs(number) < math.inf:
        raise RuntimeError(
            f"value cannot be converted to type {element_type.name} without overflow: {number} is beyond "
            f"{dtypes.finfo_max(element_type):g}"
        )


def check_64_bits(number: int) -> None:
    """Refuse an int beyond what 64 bits hold, with a sign or without.

    Raises:
        OverflowError: it does not fit.
    """
    if not -(2**63) <= number < 2**64:
        raise OverflowError(
            f"int too big to convert: {number} does not fit into 64 bits; beside a tensor write it as a float"
        )


def types_of(row: Scalar, operands: Sequence[Tensor | Number]) -> tuple[dtype, dtype]:
    """The type in which a row computes, and the type of its result.

    Raises:
        TypeError, NotImplementedError, RuntimeError: as `apply` says of the operands.
    """
    for position, operand in enumerate(operands[: row.arity]):
        allowed = isinstance(operand, Tensor) or (position in row.numbers and is_number(operand))
        if not allowed:
            wanted = "a Tensor or a number" if position in row.numbers else "a Tensor"
            raise TypeError(
                f"{row.name}(): argument {position + 1} must be {wanted}, not {type(operand).__name__}"
            )
        if isinstance(operand, int):
            check_64_bits(operand)
    if row.name in _NEED_A_TENSOR and not any(isinstance(operand, Tensor) for operand in operands):
        raise TypeError(f"{row.name}(): one of the arguments must be a Tensor: Python has numbers of its own")
    for parameter in operands[row.arity :]:
        if not is_number(parameter):
            raise TypeError(f"{row.name}(): a parameter must be a number, not {type(parameter).__name__}")
    compute = result_type(*operands[: row.arity])
    if row.refuses_bool and any(result_type(operand) is dtypes.bool for operand in operands[: row.arity]):
        raise RuntimeError(row.refuses_bool)
    accepts, words = _ACCEPTED[row.takes]
    if not accepts(compute):
        raise NotImplementedError(f'"{row.name}" not implemented for {compute.name}: it takes {words}')
    if row.result == scalars.FLOAT and not compute.is_floating_point:
        compute = dtypes.get_default_dtype()
    elif row.result == scalars.WHOLE and compute is dtypes.bool:
        compute = dtypes.int64
    return compute, dtypes.bool if row.result == scalars.TRUTH else compute


# PyTorch makes a tensor of two numbers in `add` and its like, and here it does not.
_NEED_A_TENSOR = frozenset(
    [
        "remainder",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "bitwise_left_shift",
        "bitwise_right_shift",
        "xlog1py",
        "xlogy",
    ]
)

# What a row takes: the test of a dtype, and the words for it.
_ACCEPTED: dict[str, tuple[Callable[[dtype], bool], str]] = {
    scalars.ANY: (lambda t: True, "every dtype"),
    scalars.NUMERIC: (lambda t: t is not dtypes.bool, "integers and floats, so convert the mask first"),
    scalars.FLOATING: (lambda t: t.is_floating_point, "floats, so convert first: x.to(tensorlab.float32)"),
    scalars.INTEGERS: (lambda t: not t.is_floating_point, "integers and bools"),
    scalars.COUNTING: (lambda t: t.category == dtypes.INTEGER, "integers"),
}


def widened(compute: dtype) -> dtype:
    """Sixteen-bit floats compute in float32 and round once, at the end."""
    return dtypes.float32 if compute.is_floating_point and compute.itemsize == 2 else compute
