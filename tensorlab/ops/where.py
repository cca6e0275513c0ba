"""Choosing between elements, and comparing whole tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.core import dtypes
from tensorlab.dispatch.operands import Number, check_number, is_number, result_type
from tensorlab.ops import reduction
from tensorlab.ops.arguments import need_tensors
from tensorlab.ops.documentation import documented
from tensorlab.ops.elementwise import TENSOR_FUNCTIONS, apply
from tensorlab.ops.indexing.masks import nonzero
from tensorlab.ops.outputs import need_dtype
from tensorlab.ops.pointwise import eq
from tensorlab.registry import op
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor


@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...


@overload
def where(
    condition: Tensor, input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor: ...


@op(names="unifies")
@documented(
    "where",
    {
        "condition": "a tensor of dtype bool.",
        "input": "a tensor whose shape can be broadcast with the condition's, or a number. Without `input` "
        "and `other` the result says where the condition is not 0: ``nonzero(condition, as_tuple=True)``.",
        "other": "another, or a number.",
    },
)
def where(
    condition: Tensor,
    input: Tensor | Number | None = None,
    other: Tensor | Number | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """`input` where the condition is true, `other` elsewhere."""
    if input is None and other is None and out is None:
        return nonzero(condition, as_tuple=True)
    if input is None or other is None:
        raise TypeError("where(): give both `input` and `other`, or neither")
    return _chosen(condition, input, other, out)


def _chosen(
    condition: Tensor, input: Tensor | Number, other: Tensor | Number, out: Tensor | None = None
) -> Tensor:
    if out is not None:
        need_tensors("where", input=input, other=other, out=out)  # in PyTorch numbers have a form without out
        need_dtype(out, result_type(input, other))
    for name, operand in (("input", input), ("other", other)):
        if not isinstance(operand, Tensor) and not is_number(operand):
            raise TypeError(
                f"where(): argument {name!r} must be Tensor or Number, not {type(operand).__name__}"
            )
    _check_mask("where expected condition to be a boolean tensor", condition)
    if condition._dtype is dtypes.uint8:  # the condition has no say in the dtype of the result
        condition = condition.to(dtypes.bool)
    for operand in (input, other):
        if isinstance(operand, (int, float)):
            check_number(operand, result_type(input, other))
    return apply(TABLE["where"], condition, input, other, out=out)


@op("method", name="where", names="unifies")
def where_method(input: Tensor, condition: Tensor, other: Tensor | Number) -> Tensor:
    """`input` where the condition is true, `other` elsewhere: ``where(condition, input, other)``.

    Example:
        >>> x = tl.tensor([3, -1, 2])
        >>> x.where(x > 0, 0)
        tensor([3, 0, 2])
    """
    return _chosen(condition, input, other)


def safe_where(
    condition: Tensor,
    function: Callable[[Tensor], Tensor],
    input: Tensor,
    other: Tensor | Number,
    safe: Number = 1.0,
) -> Tensor:
    """``where(condition, function(input), other)``, whose gradient is never NaN where the condition is false.

    One `where` after the function isn't enough: it sends a gradient of 0 back into the function, and 0 times
    an infinite slope is NaN. A second one in front of the function stops what comes back, and keeps the
    function in its domain.

    Args:
        condition: where `function` counts, of dtype bool and of the shape of `input`.
        function: computes each element from the element at its place.
        input: what it is given.
        other: the results elsewhere.
        safe: what it is given elsewhere, a number of its domain.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([0.0, 4.0], requires_grad=True)
        >>> safe_where(x > 0, tl.sqrt, x, 0.0).sum().backward()
        >>> x.grad
        tensor([0.0000, 0.2500])
    """
    return _chosen(condition, function(_chosen(condition, input, safe)), other)


def _choose(condition: Tensor | bool, yes: Tensor | Number, no: Tensor | Number) -> Tensor | Number:
    """`tensorlab.scalars.row.choose` in a formula that is computed with tensors."""
    if isinstance(condition, Tensor):
        return _chosen(condition, yes, no)
    return yes if condition else no


def _zero(input: Any) -> Tensor:
    """`tensorlab.scalars.row.zero` in a formula that is computed with tensors: depends on `input`, flatly."""
    return record(Flat, input.new_zeros(input.shape), input)


Flat = formulas("Flat", input=lambda grad: grad.new_zeros(grad.shape))

TENSOR_FUNCTIONS["choose"] = _choose
TENSOR_FUNCTIONS["zero"] = _zero


def _check_mask(rule: str, mask: Tensor) -> None:
    if not isinstance(mask, Tensor):
        raise TypeError(f"{rule}, not {type(mask).__name__}")
    if mask.dtype not in (dtypes.bool, dtypes.uint8):
        raise RuntimeError(f"{rule}, but got a tensor with dtype {mask.dtype.name}: compare, as in mask != 0")


@op("function method", names="unifies")
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
    row, *operands = _comparison(input, other, rtol, atol, equal_nan)
    return apply(row, *operands)


def _comparison(input: Tensor, other: Tensor, rtol: float, atol: float, equal_nan: bool) -> tuple[Any, ...]:
    """The scalar function that `isclose` comes to, and its operands."""
    for position, operand in enumerate((input, other), start=1):
        if not isinstance(operand, Tensor):
            raise TypeError(f"isclose(): argument {position} must be a Tensor, not {type(operand).__name__}")
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.name} did not match {other.dtype.name}: convert one with to()")
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if tolerance < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance}")
    if rtol == 0 and atol == 0 and not (equal_nan and input.is_floating_point()):
        return TABLE["eq"], input, other
    if not input.is_floating_point():
        default = dtypes.get_default_dtype()
        input, other = input.to(default), other.to(default)
    return TABLE["isclose"], input, other, float(rtol), float(atol), equal_nan


@op("function method", names="compares")
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether `isclose` holds for all elements.

    Args:
        input, other: tensors of one dtype whose shapes can be broadcast.
        rtol, atol: how far apart two elements may be: ``atol + rtol * abs(other)``.
        equal_nan: whether NaN counts as close to NaN.

    Example:
        >>> tl.allclose(tl.tensor([0.1 + 0.2]), tl.tensor([0.3]))
        True
    """
    row, *operands = _comparison(input, other, rtol, atol, equal_nan)
    return bool(reduction.all(apply(row, *operands)))


@op("function method", names="compares")
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and the same elements. NaN is not equal to itself.

    Args:
        input, other: the tensors; their dtypes may differ.

    Raises:
        TypeError: an argument is no tensor.

    Example:
        >>> tl.equal(tl.tensor([1, 2]), tl.tensor([1, 2])), tl.equal(tl.tensor([1]), tl.tensor([1, 1]))
        (True, False)
    """
    for position, operand in enumerate((input, other), start=1):
        if not isinstance(operand, Tensor):
            raise TypeError(f"equal(): argument {position} must be a Tensor, not {type(operand).__name__}")
    if input._shape != other._shape:
        return False
    return bool(reduction.all(eq(input, other)))
