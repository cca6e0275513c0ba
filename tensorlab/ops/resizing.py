"""`resize_`: another shape for a tensor, in the memory that it has where there is room."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.autograd.last_writer import written_by
from tensorlab.autograd.views import requires_grad
from tensorlab.core.memory_formats import contiguous_format, format_strides, memory_format
from tensorlab.dispatch.resizing import resize
from tensorlab.ops.arguments import sizes_from
from tensorlab.registry import op
from tensorlab.tensor import Tensor


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
        >>> x = tl.zeros(6)
        >>> x.resize_as_(tl.zeros(2, 3)).shape
        tensorlab.Size([2, 3])
    """
    return resize_(input, the_template._shape, memory_format=memory_format)
