"""Elements moved to bounds, to round numbers, and away from NaN."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tensorlab.autograd.views import requires_grad
from tensorlab.core import dtypes
from tensorlab.core.dtypes import finfo_max
from tensorlab.core.layout import as_int
from tensorlab.dispatch.operands import Number, check_number, is_number, result_type
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.documentation import documented
from tensorlab.ops.elementwise import apply
from tensorlab.ops.rows import function_of
from tensorlab.registry import op
from tensorlab.scalars import TABLE, Scalar
from tensorlab.tensor import Tensor

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
