"""Choosing between elements, and comparing whole tensors."""

from __future__ import annotations

from tensorlab import dtypes
from tensorlab.ops.dispatch import apply
from tensorlab.ops.documentation import documented
from tensorlab.ops.operands import Number, check_number, result_type
from tensorlab.ops.pointwise import eq
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor

__all__ = ["allclose", "equal", "isclose", "masked_fill", "where"]


@documented(
    "where",
    {
        "condition": "a tensor of dtype bool.",
        "input": "a tensor whose shape can be broadcast with the condition's, or a number.",
        "other": "another, or a number.",
    },
)
def where(
    condition: Tensor, input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """`input` where the condition is true, `other` elsewhere."""
    _check_mask("where expected condition to be a boolean tensor", condition)
    for operand in (input, other):
        if isinstance(operand, int):
            check_number(operand, result_type(condition, input, other))
    return apply(TABLE["where"], condition, input, other, out=out)


def where_method(input: Tensor, condition: Tensor, other: Tensor | Number) -> Tensor:
    """`input` where the condition is true, `other` elsewhere: ``where(condition, input, other)``."""
    return where(condition, input, other)


def masked_fill(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """`input` with `value` wherever the mask is true.

    Args:
        input: a tensor.
        mask: a tensor of dtype bool whose shape can be broadcast with `input`'s.
        value: a number, or a tensor of no dimensions; converted to `input`'s dtype.

    Returns:
        a new tensor of the broadcast shape and `input`'s dtype.

    Raises:
        RuntimeError: the mask is not bool, the shapes cannot be broadcast, or the value does not fit.

    Example:
        >>> import tensorlab as tl
        >>> scores = tl.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> scores.masked_fill(tl.tensor([[False, True], [False, False]]), float("-inf"))
        tensor([[1., -inf],
                [3., 4.]])
    """
    return apply(TABLE["where"], mask, _filling(input, mask, value), input)


def masked_fill_(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """`masked_fill` in place: `input` is overwritten wherever the mask is true."""
    return apply(TABLE["where"], mask, _filling(input, mask, value), input, out=input)


def _filling(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor | Number:
    """`value` as an operand that does not change `input`'s dtype."""
    _check_mask("masked_fill only supports boolean masks", mask)
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(
                f"masked_fill only supports a 0-dimensional value tensor, but got tensor with {value.ndim} "
                f"dimension(s): where(mask, value, input) takes one"
            )
        return value.to(input.dtype)
    check_number(value, input.dtype)
    return {dtypes.BOOL: bool, dtypes.INTEGER: int, dtypes.FLOATING: float}[input.dtype.category](value)


def _check_mask(rule: str, mask: Tensor) -> None:
    if not isinstance(mask, Tensor):
        raise TypeError(f"{rule}, not {type(mask).__name__}")
    if mask.dtype not in (dtypes.bool, dtypes.uint8):
        raise RuntimeError(f"{rule}, but got a tensor with dtype {mask.dtype.name}: compare, as in mask != 0")


@documented(
    "isclose",
    {
        "input": "a tensor.",
        "other": "a tensor of the same dtype.",
        "rtol": "the tolerance as a share of `other`, at least 0.",
        "atol": "the tolerance that is added to it, at least 0.",
        "equal_nan": "count NaN as close to NaN.",
    },
    out=False,
)
def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Whether the elements differ by at most ``atol + rtol * abs(other)``."""
    for position, operand in enumerate((input, other), start=1):
        if not isinstance(operand, Tensor):
            raise TypeError(f"isclose(): argument {position} must be a Tensor, not {type(operand).__name__}")
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.name} did not match {other.dtype.name}: convert one with to()")
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if tolerance < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance}")
    if rtol == 0 and atol == 0 and not (equal_nan and input.is_floating_point()):
        return eq(input, other)
    if not input.is_floating_point():
        default = dtypes.get_default_dtype()
        input, other = input.to(default), other.to(default)
    return apply(TABLE["isclose"], input, other, float(rtol), float(atol), equal_nan)


def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether `isclose` holds for all elements.

    Example:
        >>> import tensorlab as tl
        >>> tl.allclose(tl.tensor([0.1 + 0.2]), tl.tensor([0.3]))
        True
    """
    return bool(isclose(input, other, rtol, atol, equal_nan)._cells_array().all())


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and the same elements. NaN is not equal to itself.

    Example:
        >>> import tensorlab as tl
        >>> tl.equal(tl.tensor([1, 2]), tl.tensor([1, 2])), tl.equal(tl.tensor([1]), tl.tensor([1, 1]))
        (True, False)
    """
    for position, operand in enumerate((input, other), start=1):
        if not isinstance(operand, Tensor):
            raise TypeError(f"equal(): argument {position} must be a Tensor, not {type(operand).__name__}")
    return input.shape == other.shape and bool(eq(input, other)._cells_array().all())


METHODS = (allclose, equal, isclose, masked_fill, masked_fill_)
