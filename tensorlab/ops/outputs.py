"""The argument `out`: a tensor that the caller brings for the result."""

from __future__ import annotations

from tensorlab import dtypes
from tensorlab.autograd.writers import mark_out
from tensorlab.dtypes import dtype
from tensorlab.layout import Size
from tensorlab.ops.dispatch import write
from tensorlab.ops.resizing import resize_output
from tensorlab.tensor import Tensor

__all__ = ["fitted", "written"]


def fitted(out: Tensor, shape: Size, element_type: dtype, stride: tuple[int, ...] | None = None) -> Tensor:
    """`out`, ready for a result of this shape and dtype: it takes the shape (see `resize_output`).

    Raises:
        RuntimeError: `out`'s dtype is of a lower kind than the result's, or it cannot take the shape (see
            `resize`).
    """
    if not dtypes.can_cast(element_type, out.dtype):
        raise RuntimeError(
            f"result type {element_type.name} can't be cast to the desired output type {out.dtype.name}: "
            f"what is written keeps its dtype; bring an out of dtype {element_type.name}"
        )
    mark_out(out)
    if out._shape != shape:
        resize_output(out, shape, stride)
    return out


def written(out: Tensor, result: Tensor, stride: tuple[int, ...] | None = None) -> Tensor:
    """`out`, with a result copied into it that was computed apart (see `fitted` for what is refused).

    Args:
        out: the tensor to write into.
        result: its elements.
        stride: what an `out` that takes the shape has as strides; those of row-major order without it.
    """
    write(fitted(out, result._shape, result._dtype, stride), result)
    return out
