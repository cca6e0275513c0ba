"""View rules: how each view operation changes a layout.

Pure functions of integers. Each takes a shape and strides and gives the shape and strides of the view. None
needs data, so every rule can be tested by counting. Answers are kept, because programs ask the same few
questions again and again.

The rules here are for views of all elements; `tensorlab.core.part_rules` has those for views of some. The
rule for `view`, which is the only hard one, is `tensorlab.core.layout.view_strides`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from tensorlab.core import broadcasting, layout
from tensorlab.core.layout import Refusal, Size

__all__ = [
    "distinct_dims",
    "expanded",
    "flattened_shape",
    "moved_order",
    "permuted",
    "reinterpreted",
    "squeezed",
    "transposed",
    "unflattened_shape",
    "unsqueezed",
    "viewed",
]

Ints = tuple[int, ...]
Layout = tuple[Size, Ints]

# How many answers of each rule are kept. One takes a few hundred bytes.
KEPT = 4096


@functools.lru_cache(KEPT)
def viewed(shape: Ints, strides: Ints, sizes: Ints) -> tuple[Size, Ints | Refusal]:
    """Another shape for the same elements in the same order: with its strides, or why there are none.

    Args:
        shape, strides: the layout to be viewed.
        sizes: the new sizes, one of them perhaps -1.

    Raises:
        RuntimeError: the number of elements differs.

    Example:
        >>> viewed((2, 6), (6, 1), (4, -1))
        (tensorlab.Size([4, 3]), (3, 1))
    """
    new_shape = layout.infer_size(sizes, layout.numel(shape))
    return new_shape, layout.view_strides(shape, strides, new_shape)


@functools.lru_cache(KEPT)
def reinterpreted(shape: Ints, strides: Ints, offset: int, old: int, new: int) -> tuple[Size, Ints, int]:
    """The same bytes seen as elements of another size: the last dimension becomes longer or shorter.

    Args:
        shape, strides, offset: the layout, in old elements.
        old, new: bytes of an old and of a new element.

    Returns:
        shape, strides and offset in new elements.

    Raises:
        RuntimeError: the sizes differ and there is no dimension, its elements are not neighbours, or a size,
            a stride or the offset is not a whole number of new elements.

    Example:
        >>> reinterpreted((3, 4), (4, 1), 4, 4, 8), reinterpreted((3, 4), (4, 1), 4, 4, 2)
        ((tensorlab.Size([3, 2]), (2, 1), 2), (tensorlab.Size([3, 8]), (8, 1), 8))
    """
    if old == new:
        return Size(shape), strides, offset
    what = f"to view elements of {old} bytes as elements of {new} bytes"
    if not shape:
        raise RuntimeError(f"self.dim() cannot be 0 {what}: there is no dimension that could change its size")
    if strides[-1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 {what}, but got {strides[-1]}: make it contiguous()")
    if new < old:
        ratio = old // new
        return (
            Size((*shape[:-1], shape[-1] * ratio)),
            (*(stride * ratio for stride in strides[:-1]), 1),
            offset * ratio,
        )
    ratio = new // old
    quantities = [("size(-1)", shape[-1]), ("storage_offset()", offset)]
    quantities += [(f"stride({dim})", stride) for dim, stride in enumerate(strides[:-1])]
    for name, quantity in quantities:
        if quantity % ratio:
            raise RuntimeError(f"self.{name} must be divisible by {ratio} {what}, but got {quantity}")
    return (
        Size((*shape[:-1], shape[-1] // ratio)),
        (*(stride // ratio for stride in strides[:-1]), 1),
        offset // ratio,
    )


@functools.lru_cache(KEPT)
def permuted(shape: Ints, strides: Ints, order: Ints) -> Layout:
    """The dimensions in another order: dimension `i` of the view is `order[i]`.

    Raises:
        RuntimeError: a dimension is missing or named twice.
        IndexError: there is no such dimension.

    Example:
        >>> permuted((2, 3, 4), (12, 4, 1), (2, 0, -2))
        (tensorlab.Size([4, 2, 3]), (1, 12, 4))
    """
    ndim = len(shape)
    # Too many or too few are refused before any of them is looked at, as in PyTorch.
    wrapped = [layout.wrap_dim(dim, ndim) for dim in order] if len(order) == ndim else []
    if len(order) != ndim or len(set(wrapped)) != ndim:
        raise RuntimeError(f"permute(): dims {list(order)} must name each of the {ndim} dimensions once")
    return Size(shape[dim] for dim in wrapped), tuple(strides[dim] for dim in wrapped)


@functools.lru_cache(KEPT)
def inverse_order(order: Ints) -> tuple[int, ...]:
    """The order that undoes another one.

    Example:
        >>> inverse_order((2, 0, 1))
        (1, 2, 0)
    """
    wrapped = [layout.wrap_dim(dim, len(order)) for dim in order]
    return tuple(wrapped.index(dim) for dim in range(len(order)))


@functools.lru_cache(KEPT)
def transposed(shape: Ints, strides: Ints, dim0: int, dim1: int) -> Layout:
    """Two dimensions exchanged.

    Raises:
        IndexError: there is no such dimension.

    Example:
        >>> transposed((2, 3, 4), (12, 4, 1), 0, -1)
        (tensorlab.Size([4, 3, 2]), (1, 4, 12))
    """
    first, second = layout.wrap_dim(dim0, len(shape)), layout.wrap_dim(dim1, len(shape))
    sizes, steps = list(shape), list(strides)
    if shape:
        sizes[first], sizes[second] = sizes[second], sizes[first]
        steps[first], steps[second] = steps[second], steps[first]
    return Size(sizes), tuple(steps)


@functools.lru_cache(KEPT)
def moved_order(ndim: int, source: Ints, destination: Ints) -> Ints:
    """The order for `permuted` that brings each `source` dimension to its `destination`, the rest in order.

    Raises:
        RuntimeError: the two name different numbers of dimensions, or one of them a dimension twice.
        IndexError: there is no such dimension.

    Example:
        >>> moved_order(4, (0, 1), (-1, 0))
        (1, 2, 3, 0)
    """
    if len(source) != len(destination):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source {list(source)} has {len(source)} dims, "
            f"destination {list(destination)} has {len(destination)}; each source needs one destination"
        )
    starts = [layout.wrap_dim(dim, ndim) for dim in source]
    ends = [layout.wrap_dim(dim, ndim) for dim in destination]
    for name, given, dims in (("source", source, starts), ("destination", destination, ends)):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(given)})")
    rest = iter([dim for dim in range(ndim) if dim not in starts])
    placed = dict(zip(ends, starts, strict=True))
    return tuple(placed[dim] if dim in placed else next(rest) for dim in range(ndim))


@functools.lru_cache(KEPT)
def squeezed(shape: Ints, strides: Ints, dims: Ints | None) -> Layout:
    """Without the dimensions of size 1: all of them, or those among `dims`.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: a dimension is named twice.

    Example:
        >>> squeezed((1, 3, 1), (3, 1, 1), None), squeezed((1, 3, 1), (3, 1, 1), (0, 1))
        ((tensorlab.Size([3]), (1,)), (tensorlab.Size([3, 1]), (1, 1)))
    """
    chosen = range(len(shape)) if dims is None else distinct_dims(dims, len(shape))
    kept = [dim for dim, size in enumerate(shape) if size != 1 or dim not in chosen]
    return Size(shape[dim] for dim in kept), tuple(strides[dim] for dim in kept)


@functools.lru_cache(KEPT)
def unsqueezed(shape: Ints, strides: Ints, dim: int) -> Layout:
    """With a new dimension of size 1 before dimension `dim`.

    No index ever uses the new stride; PyTorch gives the one that keeps a contiguous tensor's strides regular.

    Raises:
        IndexError: there is no such place.

    Example:
        >>> unsqueezed((3, 4), (4, 1), 0), unsqueezed((3, 4), (4, 1), -1)
        ((tensorlab.Size([1, 3, 4]), (12, 4, 1)), (tensorlab.Size([3, 4, 1]), (4, 1, 1)))
    """
    place = layout.wrap_dim(dim, len(shape) + 1)
    step = shape[place] * strides[place] if place < len(shape) else 1
    return (
        Size((*shape[:place], 1, *shape[place:])),
        (*strides[:place], step, *strides[place:]),
    )


@functools.lru_cache(KEPT)
def expanded(shape: Ints, strides: Ints, sizes: Ints) -> Layout:
    """Dimensions of size 1 stretched to `sizes`, new dimensions in front; -1 keeps a size.

    Raises:
        RuntimeError: another size would have to stretch, a size is negative, or there are too few sizes.

    Example:
        >>> expanded((3, 1), (1, 1), (2, -1, 4))
        (tensorlab.Size([2, 3, 4]), (0, 1, 0))
    """
    lead = len(sizes) - len(shape)
    for dim, size in enumerate(sizes):
        if size < -1:
            raise RuntimeError(f"expand: a size is 0 or more, or -1 to keep the one there is, got {size}")
        if size == -1 and dim < lead:
            raise RuntimeError(
                f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension "
                f"{dim}: -1 keeps the size that a dimension has, and shape {tuple(shape)} has none there"
            )
    wanted = Size(shape[dim - lead] if size == -1 else size for dim, size in enumerate(sizes))
    steps = broadcasting.expand_strides(shape, strides, wanted)
    if isinstance(steps, Refusal):
        raise RuntimeError(steps.reason)
    return wanted, steps


@functools.lru_cache(KEPT)
def flattened_shape(shape: Ints, start_dim: int, end_dim: int) -> Ints:
    """The shape with the dimensions from `start_dim` to `end_dim` as one.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: `start_dim` comes after `end_dim`.

    Example:
        >>> flattened_shape((2, 3, 4), 1, -1), flattened_shape((), 0, -1)
        ((2, 12), (1,))
    """
    first, last = layout.wrap_dim(start_dim, len(shape)), layout.wrap_dim(end_dim, len(shape))
    if first > last:
        raise RuntimeError(
            f"flatten() has invalid args: start_dim {start_dim} cannot come after end_dim {end_dim}"
        )
    return (*shape[:first], layout.numel(shape[first : last + 1]), *shape[last + 1 :])


@functools.lru_cache(KEPT)
def unflattened_shape(shape: Ints, dim: int, sizes: Ints) -> Ints:
    """The shape with dimension `dim` cut into `sizes`, one of which may be -1.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: the sizes do not multiply to the dimension's.

    Example:
        >>> unflattened_shape((2, 12), -1, (3, -1))
        (2, 3, 4)
    """
    dim = layout.wrap_dim(dim, len(shape))
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    length = shape[dim] if shape else 1
    try:
        inner = layout.infer_size(sizes, length)
    except RuntimeError as error:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({length}) "
            f"in the input tensor: {error}"
        ) from error
    return (*shape[:dim], *inner, *shape[dim + 1 :])


def distinct_dims(dims: Sequence[int], ndim: int) -> list[int]:
    """`dims` counted from the front.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: one is named twice.

    Example:
        >>> distinct_dims((-1, 0), 3)
        [2, 0]
    """
    wrapped = [layout.wrap_dim(dim, ndim) for dim in dims]
    for position, dim in enumerate(wrapped):
        if dim in wrapped[:position]:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return wrapped
