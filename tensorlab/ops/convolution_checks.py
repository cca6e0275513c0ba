"""What the arguments of a convolution must be like, in both directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tensorlab.core import dtypes
from tensorlab.ops.arguments import need_tensors
from tensorlab.ops.windows import DIMENSIONS, each_dim
from tensorlab.tensor import Tensor

__all__ = ["Call", "by", "check_bias", "check_extents", "checked", "not_negative"]


class Call(NamedTuple):
    """The arguments of a call that are alike in both directions, checked."""

    batched: bool
    step: tuple[int, ...]
    dilation: tuple[int, ...]


def checked(
    name: str, dims: int, input: Tensor, weight: Tensor, bias: Any, stride: Any, dilation: Any, groups: int
) -> Call:
    """What is alike in both directions.

    Raises:
        TypeError, RuntimeError: as `conv2d` says.
    """
    need_tensors(name, input=input, weight=weight, **({} if bias is None else {"bias": bias}))
    if isinstance(groups, bool) or not isinstance(groups, int):
        raise TypeError(f"{name}(): argument 'groups' must be int, not {groups!r}")
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of "
            f"size: {list(input.shape)}"
        )
    if weight.ndim != dims + 2:
        raise RuntimeError(
            f"{name}(): expected a weight of {dims + 2} dimensions (results, channels, "
            f"{', '.join(DIMENSIONS[dims])}), got one of size {list(weight.shape)}"
        )
    for word, other in (("weight", weight), ("bias", bias)):
        if other is not None and other.dtype is not input.dtype:
            raise RuntimeError(
                f"{name}(): Input type ({input.dtype.name}) and {word} type ({other.dtype.name}) should be "
                f"the same: convert first, {word}.to(tensorlab.{input.dtype.name})"
            )
    if input.dtype is dtypes.bool:
        raise NotImplementedError(f"{name}() is not implemented for 'Bool': convert to integers first")
    step = _positive(name, "stride", each_dim(name, "stride", stride, dims))
    spread = _positive(name, "dilation", each_dim(name, "dilation", dilation, dims))
    if groups <= 0:
        raise RuntimeError(f"{name}(): non-positive groups is not supported, got {groups}")
    if weight._shape[0] < groups or weight._shape[0] % groups:
        what = "at least" if weight._shape[0] < groups else "divisible by"
        raise RuntimeError(
            f"{name}(): Given groups={groups}, expected weight to be {what} {groups} at dimension 0, but got "
            f"weight of size {list(weight.shape)} instead"
        )
    if 0 in weight._shape[2:]:
        raise RuntimeError(f"{name}(): the weight has no taps: its size is {list(weight.shape)}")
    return Call(input.ndim == dims + 2, step, spread)


def _positive(name: str, word: str, values: tuple[int, ...]) -> tuple[int, ...]:
    if min(values) <= 0:
        raise RuntimeError(f"{name}(): non-positive {word} is not supported, got {values}")
    return values


def not_negative(name: str, word: str, values: tuple[int, ...]) -> tuple[int, ...]:
    """`values`, none of which may be negative.

    Raises:
        RuntimeError: one of them is.
    """
    if min(values) < 0:
        raise RuntimeError(f"{name}(): negative {word} is not supported, got {values}")
    return values


def check_bias(name: str, weight: Tensor, bias: Tensor | None, size: int) -> None:
    """Refuse a bias that has not one number for each of `size` channels of the result.

    Raises:
        RuntimeError: it has another shape.
    """
    if bias is not None and tuple(bias.shape) != (size,):
        raise RuntimeError(
            f"{name}(): Given weight of size {list(weight.shape)}, expected bias to be 1-dimensional with "
            f"{size} elements, but got bias of size {list(bias.shape)} instead"
        )


def check_extents(name: str, input: Tensor, dims: int) -> None:
    """Refuse images without numbers, unless there are none, or none of their channels.

    Raises:
        RuntimeError: an image has a size of 0.
    """
    if 0 in input._shape[-dims:] and 0 not in input._shape[:-dims]:
        raise RuntimeError(
            f"{name}(): Only zero batch or zero channel inputs are supported, but got input shape: "
            f"{list(input.shape)}"
        )


def by(sizes: Sequence[int]) -> str:
    """Sizes as PyTorch writes them: ``(3 x 4)``."""
    return f"({' x '.join(map(str, sizes))})"
