"""The argument `out`: a tensor that the caller brings for the result."""

from __future__ import annotations

from tensorlab.dtypes import dtype
from tensorlab.layout import Size
from tensorlab.ops.aliases import replace
from tensorlab.ops.dispatch import allocate, write
from tensorlab.tensor import Tensor

__all__ = ["fitted", "written"]


def fitted(out: Tensor, shape: Size, element_type: dtype) -> Tensor:
    """`out`, ready for a result of this shape and dtype. An `out` without elements takes the shape.

    Raises:
        RuntimeError: `out` has elements and another shape, or its dtype is of a lower kind than the result's.
    """
    if element_type.category > out.dtype.category:
        raise RuntimeError(
            f"result type {element_type.name} can't be cast to the desired output type {out.dtype.name}: "
            f"what is written keeps its dtype; bring an out of dtype {element_type.name}"
        )
    if out._shape != shape:
        if out.numel():
            raise RuntimeError(
                f"out has shape {list(out._shape)} and the result {list(shape)}: bring an out of that "
                f"shape, or one without elements, which takes it"
            )
        replace(out, allocate(shape, out.dtype))
    return out


def written(out: Tensor, result: Tensor) -> Tensor:
    """`out`, with a result copied into it that was computed apart (see `fitted` for what is refused)."""
    write(fitted(out, result.shape, result.dtype), result)
    return out
