"""New tensors in the shape and layout of another: empty, or with one value in every element."""

from __future__ import annotations

from tensorlab.devices import as_device, device
from tensorlab.dtypes import dtype
from tensorlab.memory_formats import memory_format, preserve_format
from tensorlab.ops.arguments import as_dtype
from tensorlab.ops.conversion import strides_like
from tensorlab.ops.creation import as_number
from tensorlab.ops.dispatch import Number, allocate_strided, filled
from tensorlab.ops.options import tensor_options
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op(names="copies")
@tensor_options
def empty_like(
    input: Tensor,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    memory_format: memory_format = preserve_format,
) -> Tensor:
    """A tensor of `input`'s shape whose elements are whatever its memory held before.

    Args:
        input: the tensor to be like.
        dtype: another element type.
        device: where to make it; the CPU.
        memory_format: the order of the dimensions in memory; ``preserve_format`` keeps `input`'s.

    Raises:
        RuntimeError: the format is for another number of dimensions.

    Example:
        >>> import tensorlab as tl
        >>> tl.empty_like(tl.zeros(2, 3).t()).stride()
        (1, 3)
    """
    as_device(device)
    return allocate_strided(input._shape, strides_like(input, memory_format), as_dtype(dtype) or input._dtype)


@op(names="copies")
@tensor_options
def zeros_like(
    input: Tensor,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    memory_format: memory_format = preserve_format,
) -> Tensor:
    """A tensor of zeros of `input`'s shape (see `empty_like` for the arguments).

    Example:
        >>> import tensorlab as tl
        >>> tl.zeros_like(tl.tensor([5, 6]))
        tensor([0, 0])
    """
    return _new_like(input, 0, dtype, device, memory_format)


@op(names="copies")
@tensor_options
def ones_like(
    input: Tensor,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    memory_format: memory_format = preserve_format,
) -> Tensor:
    """A tensor of ones of `input`'s shape (see `empty_like` for the arguments).

    Example:
        >>> import tensorlab as tl
        >>> tl.ones_like(tl.tensor([5, 6]), dtype=tl.float32)
        tensor([1., 1.])
    """
    return _new_like(input, 1, dtype, device, memory_format)


@op(names="copies")
@tensor_options
def full_like(
    input: Tensor,
    fill_value: Number | Tensor,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
    memory_format: memory_format = preserve_format,
) -> Tensor:
    """A tensor of `input`'s shape with `fill_value` in every element (see `empty_like` for the arguments).

    Raises:
        TypeError: `fill_value` is no number.
        RuntimeError: it does not fit into the dtype.

    Example:
        >>> import tensorlab as tl
        >>> tl.full_like(tl.tensor([5, 6]), 7)
        tensor([7, 7])
    """
    return _new_like(input, as_number(fill_value, "full_like"), dtype, device, memory_format)


def _new_like(
    input: Tensor, value: Number, wanted: dtype | None, device: device | str | None, format: memory_format
) -> Tensor:
    as_device(device)
    return filled(input._shape, strides_like(input, format), as_dtype(wanted) or input._dtype, value)
