"""The argument `out`: a tensor that the caller brings for the result."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.autograd.last_writer import mark_out
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.dispatch.copies import write
from tensorlab.dispatch.guards import guard_write
from tensorlab.dispatch.primitive import check_out, need_one_device, refuse_recorded
from tensorlab.dispatch.resizing import resize_output
from tensorlab.tensor import Tensor


def fitted(out: Tensor, shape: Size, element_type: dtype, stride: tuple[int, ...] | None = None) -> Tensor:
    """`out`, ready for a result of this shape and dtype: it takes the shape (see `resize_output`).

    Raises:
        RuntimeError: `out` requires a gradient while recording is on, its dtype is of a lower kind than the
            result's, or it cannot take the shape (see `resize`).
    """
    refuse_recorded("", out)
    if not dtypes.can_cast(element_type, out.dtype):
        raise RuntimeError(
            f"result type {element_type.name} can't be cast to the desired output type {out.dtype.name}: "
            f"what is written keeps its dtype; bring an out of dtype {element_type.name}"
        )
    mark_out(out)
    if out._shape != shape:
        resize_output(out, shape, stride)
    return out


def need_dtype(out: Tensor, element_type: dtype) -> None:
    """Refuse an `out` of another dtype, as PyTorch does where it hands `out` on to another library.

    Raises:
        RuntimeError: it is of another dtype.
    """
    if out.dtype is not element_type:
        raise RuntimeError(
            f"Expected out tensor to have dtype {element_type.name}, but got {out.dtype.name} instead: "
            f"bring an out of dtype {element_type.name}"
        )


def need_outs(function: str, out: object, count: int) -> Sequence[Tensor]:
    """`out` of a function with several results: a tuple or list of as many tensors.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(out, (tuple, list)) and len(out) == count and all(isinstance(x, Tensor) for x in out):
        return out
    given = f"{len(out)} of them" if isinstance(out, (tuple, list)) else type(out).__name__
    raise TypeError(f"{function}(): argument 'out' must be a tuple of {count} Tensors, not {given}")


def written(
    out: Tensor, result: Tensor, stride: tuple[int, ...] | None = None, exact: bool = False
) -> Tensor:
    """`out`, with a result copied into it that was computed apart (see `fitted` for what is refused).

    Args:
        out: the tensor to write into.
        result: its elements.
        stride: what an `out` that takes the shape has as strides; those of row-major order without it.
        exact: whether `out` must be of the result's dtype (see `need_dtype`).

    Raises:
        RuntimeError: the result was recorded or lies on another device, or `fitted` refuses `out`.
    """
    refuse_recorded("", result)
    need_one_device("out=", result, out)
    if exact:
        need_dtype(out, result._dtype)
    write(fitted(out, result._shape, result._dtype, stride), result)
    return out


def delivered(name: str, out: Tensor | None, result: Tensor, *sources: Tensor) -> Tensor:
    """The result of a composition, or `out` with it.

    Raises:
        RuntimeError: `out` cannot be written into, or gradients of the `sources` cannot follow it.
    """
    if out is None:
        return result
    check_out(name, out, *sources)
    return written(out, result)


def typed_out(name: str, chosen: dtype | None, out: Tensor) -> dtype:
    """The dtype of `out`, in which a function of free dtype then computes.

    Raises:
        RuntimeError: another dtype was asked for.
    """
    if chosen is not None and chosen is not out.dtype:
        raise RuntimeError(
            f"Expected out tensor to have dtype {chosen.name}, but got {out.dtype.name} instead: "
            f"{name}() was given dtype={chosen.name}, leave it out or make out of that dtype"
        )
    return out.dtype


def fit_out(name: str, out: Tensor, shape: Size, *sources: Tensor) -> None:
    """Make sure that a result of `shape` can be written into `out`, which takes the shape.

    Raises:
        RuntimeError: it has another shape, `guard_write` refuses the write, or gradients cannot follow it.
    """
    # Truths and places are never recorded, whatever they are told of.
    check_out(name, out, *(sources if out._dtype.is_floating_point else ()))
    if out._shape != shape and any(source is out for source in sources):
        raise RuntimeError(
            f"unsupported operation: {name}() reads out, which would have to change its shape from "
            f"{list(out._shape)} to {list(shape)}: bring another tensor, or clone() the input"
        )
    fitted(out, shape, out.dtype)
    guard_write(out, *sources)
