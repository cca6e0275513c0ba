"""Unpooling: the numbers that a pooling chose, put back to where they stood, with zeros around them."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.core.memory_formats import suggested_format
from tensorlab.ops.creation import zeros
from tensorlab.ops.sliding_windows import each_dim
from tensorlab.registry import op
from tensorlab.tensor import Tensor

Ints = int | Sequence[int]


@op(namespace="nn.functional")
def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """What `max_pool1d` chose, put back to where it stood; see `max_unpool2d`.

    Example:
        >>> values, places = F.max_pool1d(tl.tensor([[1.0, 5.0, 2.0, 3.0]]), 2, return_indices=True)
        >>> F.max_unpool1d(values, places, 2)
        tensor([[0., 5., 0., 3.]])
    """
    return _unpooled("max_unpool1d", 1, input, indices, (kernel_size, stride, padding), output_size)


@op(namespace="nn.functional")
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """What `max_pool2d` chose, put back to where it stood, with zeros everywhere else.

    Args:
        input: what the pooling returned, of shape (N, C, H, W), or (C, H, W).
        indices: the places that it returned beside it, int64.
        kernel_size, stride, padding: those of the pooling.
        output_size: the shape of what was pooled, with or without N and C. Several shapes are pooled to one:
            without it, it is the least whose windows all fit.

    Raises:
        ValueError: no shape of this `output_size` is pooled to that of `input`.
        RuntimeError: the shapes differ, `indices` are not int64, or a place lies outside.

    Example:
        >>> values, places = F.max_pool2d(tl.arange(8.0).view(1, 2, 4), 2, return_indices=True)
        >>> F.max_unpool2d(values, places, 2)
        tensor([[[0., 0., 0., 0.],
                 [0., 5., 0., 7.]]])
    """
    return _unpooled("max_unpool2d", 2, input, indices, (kernel_size, stride, padding), output_size)


@op(namespace="nn.functional")
def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """What `max_pool3d` chose, put back to where it stood; see `max_unpool2d`.

    Example:
        >>> values, places = F.max_pool3d(tl.arange(8.0).view(1, 2, 2, 2), 2, return_indices=True)
        >>> F.max_unpool3d(values, places, 2).flatten()
        tensor([0., 0., 0., 0., 0., 0., 0., 7.])
    """
    return _unpooled("max_unpool3d", 3, input, indices, (kernel_size, stride, padding), output_size)


def _unpooled(
    name: str,
    dims: int,
    input: Tensor,
    indices: Tensor,
    windows: tuple[Ints, Ints | None, Ints],
    output_size: Sequence[int] | None,
) -> Tensor:
    if input.ndim not in (dims + 1, dims + 2) or indices._shape != input._shape:
        raise RuntimeError(
            f"{name}(): Expected input to have {dims + 1} or {dims + 2} dimensions, and indices the same "
            f"shape, but got {list(input.shape)} and {list(indices.shape)}"
        )
    kernel_size, stride, padding = windows
    window = each_dim(name, "kernel_size", kernel_size, dims)
    step = window if stride is None else each_dim(name, "stride", stride, dims)
    before = each_dim(name, "padding", padding, dims)
    sizes = [
        (size - 1) * s + k - 2 * p
        for size, s, k, p in zip(input._shape[-dims:], step, window, before, strict=True)
    ]
    if output_size is not None:
        wanted = list(output_size)[-dims:]
        if len(output_size) not in (dims, dims + 2) or any(
            abs(want - size) >= s for want, size, s in zip(wanted, sizes, step, strict=True)
        ):
            limits = [(size - s, size + s) for size, s in zip(sizes, step, strict=True)]
            raise ValueError(
                f"invalid output_size {list(output_size)}: it needs {dims} sizes, or {dims + 2} with N and "
                f"C, and each must lie between, and not at, these two: {limits}"
            )
        sizes = wanted
    leading = input._shape[:-dims]
    empty = zeros(*leading, *sizes, dtype=input.dtype).flatten(-dims)
    found = empty.scatter(-1, indices.flatten(-dims), input.flatten(-dims)).reshape(*leading, *sizes)
    if dims == 2:
        return found.contiguous(memory_format=suggested_format(input._shape, input._stride))
    return found
