"""Functions that change the layout: views wherever a view exists."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab import layout
from tensorlab.layout import Refusal, Size
from tensorlab.ops.dispatch import allocate, write
from tensorlab.tensor import Tensor, make_tensor

__all__ = ["permute", "reshape", "t", "transpose"]


def view(input: Tensor, *shape: int | Sequence[int]) -> Tensor:
    """The same elements in the same order with another shape, over the same storage; never a copy.

    Args:
        input: any tensor.
        shape: the new sizes, as separate ints or as one sequence; one of them may be -1 and is inferred.

    Raises:
        RuntimeError: the number of elements differs, or no strides exist that reach them in this shape.

    Example:
        >>> import tensorlab as tl
        >>> tl.arange(6).view(2, -1)
        tensor([[0, 1, 2],
                [3, 4, 5]])
        >>> tl.arange(12).view(4, 3).t().view(12)
        Traceback (most recent call last):
            ...
        RuntimeError: cannot view (3, 4) with strides (1, 3) as (12,): dimensions 0 and 1 are not adjacent \
in memory; reshape would copy 96 bytes
    """
    new_shape = layout.infer_size(_sizes(shape), input.numel())
    strides = layout.view_strides(input.shape, input.stride(), new_shape)
    if isinstance(strides, Refusal):
        raise RuntimeError(
            f"cannot view {tuple(input.shape)} with strides {input.stride()} as {tuple(new_shape)}: "
            f"{strides.reason}; reshape would copy {input.nbytes} bytes"
        )
    return make_tensor(input.untyped_storage(), input.dtype, new_shape, strides, input.storage_offset())


def reshape(input: Tensor, *shape: int | Sequence[int]) -> Tensor:
    """The same elements in the same order with another shape: a view if one exists, else a copy.

    Raises:
        RuntimeError: the number of elements differs.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.arange(6).view(2, 3)
        >>> x.t().reshape(6)
        tensor([0, 3, 1, 4, 2, 5])
    """
    new_shape = layout.infer_size(_sizes(shape), input.numel())
    strides = layout.view_strides(input.shape, input.stride(), new_shape)
    if not isinstance(strides, Refusal):
        return make_tensor(input.untyped_storage(), input.dtype, new_shape, strides, input.storage_offset())
    copy = allocate(input.shape, input.dtype)
    write(copy, input)
    return view(copy, new_shape)


def permute(input: Tensor, *dims: int | Sequence[int]) -> Tensor:
    """The dimensions in another order, as a view: dimension `i` of the result is `dims[i]` of `input`.

    Raises:
        RuntimeError: a dimension is missing or named twice.
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.zeros(2, 3, 4).permute(2, 0, 1)
        >>> x.shape, x.stride()
        (tensorlab.Size([4, 2, 3]), (1, 12, 4))
    """
    order = [layout.wrap_dim(dim, input.ndim) for dim in _sizes(dims)]
    if sorted(order) != list(range(input.ndim)):
        raise RuntimeError(
            f"permute(): dims {list(_sizes(dims))} must name each of the {input.ndim} dimensions once"
        )
    shape = Size(input.shape[dim] for dim in order)
    strides = tuple(input.stride()[dim] for dim in order)
    return make_tensor(input.untyped_storage(), input.dtype, shape, strides, input.storage_offset())


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged, as a view.

    Raises:
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> tl.arange(6).view(2, 3).transpose(0, 1)
        tensor([[0, 3],
                [1, 4],
                [2, 5]])
    """
    order = list(range(input.ndim))
    first, second = layout.wrap_dim(dim0, input.ndim), layout.wrap_dim(dim1, input.ndim)
    if order:
        order[first], order[second] = order[second], order[first]
    return permute(input, order)


def t(input: Tensor) -> Tensor:
    """The transpose of a matrix, as a view; a tensor of fewer dimensions as it is.

    Raises:
        RuntimeError: `input` has more than two dimensions.
    """
    if input.ndim > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D: "
            f"name the two dimensions, transpose(i, j)"
        )
    return permute(input, range(input.ndim - 1, -1, -1))


def _sizes(arguments: Sequence) -> list[int]:
    """The ints that a call means by ``f(2, 3)`` or by ``f((2, 3))``."""
    if len(arguments) == 1 and isinstance(arguments[0], Sequence) and not isinstance(arguments[0], str):
        arguments = arguments[0]
    return [layout.as_int(argument, "every size or dimension") for argument in arguments]


METHODS = (permute, reshape, t, transpose, view)
