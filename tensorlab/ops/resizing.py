"""Giving a tensor another shape: `resize_`, and what a call with `out` does to an `out` that does not fit."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from tensorlab import layout
from tensorlab.autograd.last_writer import written_by
from tensorlab.autograd.views import requires_grad
from tensorlab.layout import Size
from tensorlab.memory_formats import contiguous_format, format_strides, memory_format
from tensorlab.ops.arguments import sizes_from
from tensorlab.registry import op
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor
from tensorlab.warned import warn_caller

__all__ = ["resize", "resize_output"]


def resize(tensor: Tensor, shape: Size, stride: tuple[int, ...] | None = None) -> None:
    """Let `tensor` have another shape, in its own storage where there is room, else in a larger one.

    Args:
        tensor: it keeps its dtype, its offset and what its storage holds.
        shape: the new shape.
        stride: its strides, without gaps; those of row-major order where none are given.

    Raises:
        RuntimeError: the storage is too small, and something else looks into it: another tensor, or another
            library. Nobody knows what, so it could not follow into the larger storage.
    """
    # Two references: the tensor's own, and the argument of this call; of a view, that of its base as well,
    # if only the view holds that.
    base_alone = tensor._base is not None and sys.getrefcount(tensor._base) <= 2
    alone = sys.getrefcount(tensor._storage) <= 2 + base_alone
    stride = layout.default_strides(shape) if stride is None else stride
    size = tensor._dtype.itemsize
    needed = tensor._offset + layout.numel(shape)
    storage = tensor._storage
    if needed * size > storage.nbytes():
        if not storage.resizable():
            raise RuntimeError(
                f"Trying to resize storage that is not resizable: its {storage.nbytes()} bytes are shared "
                f"with NumPy or another library, and {needed * size} are needed; x.clone() has its own"
            )
        if not alone:
            raise RuntimeError(
                f"cannot resize a tensor of shape {list(tensor._shape)} to {list(shape)}: that needs more "
                f"memory, and something else looks into the storage that it has; bring a tensor of shape "
                f"{list(shape)}"
            )
        memory = np.empty(needed, tensor._dtype.cell)
        memory.view(np.uint8)[: storage.nbytes()] = storage.bytes()
        storage = UntypedStorage(memory)
    cells = storage.cells(tensor._dtype.cell)
    # One interruption-free run of assignments: Python looks for signals at calls and jumps.
    tensor._storage = storage
    tensor._shape = shape
    tensor._stride = stride
    tensor._at = cells, tensor._offset
    tensor._base = None


def resize_output(out: Tensor, shape: Size, stride: tuple[int, ...] | None = None) -> None:
    """Let `out` have the shape of a result; warn if it has elements, which somebody may have meant to keep.

    Raises:
        RuntimeError: see `resize`.

    Example:
        >>> import tensorlab as tl
        >>> out = tl.empty(0)
        >>> tl.add(tl.ones(3), 1, out=out)
        tensor([2., 2., 2.])
        >>> out
        tensor([2., 2., 2.])
    """
    if out.numel():
        warn_caller(
            f"out had shape {list(out._shape)} and was resized to {list(shape)}, the shape of the result; "
            f"bring an out of that shape, or one without elements, which takes any",
            UserWarning,
        )
    resize(out, shape, stride)


@op("method")
def resize_(
    input: Tensor, *size: int | Sequence[int], memory_format: memory_format = contiguous_format
) -> Tensor:
    """Another shape for a tensor, whatever that does to its elements: they keep their places in memory.

    Of a larger tensor the further elements are whatever stands in memory. It is for buffers that are filled
    next; `reshape` and `view` keep the elements.

    Args:
        input: a tensor that requires no gradient.
        size: the new sizes, as separate ints or as one sequence.
        memory_format: the order of the dimensions in memory.

    Raises:
        RuntimeError: `input` requires a gradient, a size is negative, or there must be more memory while
            a NumPy array or another tensor looks into this one's: PyTorch lets the tensor follow, here it
            could not.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.arange(6).view(2, 3)
        >>> x.resize_(2, 2)
        tensor([[0, 1],
                [2, 3]])
    """
    shape = sizes_from(size, "resize_")
    if requires_grad(input):
        raise RuntimeError("cannot resize variables that require grad: take reshape(), or detach() it first")
    if shape != input._shape:
        resize(input, shape, format_strides(shape, memory_format))
        input._storage._version += 1
        written_by("resize_", input)
    return input


@op("function method")
def resize_as_(
    input: Tensor, the_template: Tensor, *, memory_format: memory_format = contiguous_format
) -> Tensor:
    """`resize_` to the shape of another tensor.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.zeros(6)
        >>> x.resize_as_(tl.zeros(2, 3)).shape
        tensorlab.Size([2, 3])
    """
    return resize_(input, the_template._shape, memory_format=memory_format)
