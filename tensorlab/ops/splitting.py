"""A tensor cut into pieces along a dimension, as views of all of them."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.autograd.formulas import view_formulas
from tensorlab.autograd.recording import record_views
from tensorlab.core import dtypes, layout, part_rules
from tensorlab.core.integers import ceil_div
from tensorlab.core.layout import as_int
from tensorlab.ops.arguments import ints_from
from tensorlab.ops.slicing import narrow_view
from tensorlab.ops.view_backward import placed_together
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_view

SplitBackward0 = view_formulas(
    "SplitBackward0",
    input=lambda grad, sizes, dim, pieces: placed_together(
        grad, sizes, lambda whole: whole.split_with_sizes(pieces, dim)
    ),
)


SplitWithSizesBackward0 = view_formulas("SplitWithSizesBackward0", input=SplitBackward0.formulas[0])


UnbindBackward0 = view_formulas(
    "UnbindBackward0",
    input=lambda grad, sizes, dim: placed_together(grad, sizes, lambda whole: whole.unbind(dim)),
)


@op("function method", names="keeps")
def split(
    input: Tensor,
    split_size_or_sections: int | Sequence[int] | None = None,
    dim: int = 0,
    *,
    split_size: int | Sequence[int] | None = None,
) -> tuple[Tensor, ...]:
    """`input` cut along a dimension, as views: pieces of one size, the last perhaps shorter, or as told.

    Args:
        input: a tensor of at least one dimension.
        split_size_or_sections: the size of a piece, or a list with the size of each.
        dim: the dimension to cut.
        split_size: the method's name for `split_size_or_sections`.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: a size is negative, the sizes do not add up to the dimension's, or there are no
            dimensions.
        TypeError: no size is given, or one under each name.

    Example:
        >>> tl.arange(5).split(2), tl.arange(5).split([1, 4])
        ((tensor([0, 1]), tensor([2, 3]), tensor([4])), (tensor([0]), tensor([1, 2, 3, 4])))
    """
    if split_size is not None and split_size_or_sections is None:
        split_size_or_sections = split_size
    elif split_size is not None or split_size_or_sections is None:
        raise TypeError("split() takes the size of the pieces, once: split(2), or split([1, 3])")
    if isinstance(split_size_or_sections, (tuple, list)):
        return split_with_sizes(input, split_size_or_sections, dim)
    length = _dim_size(input, dim, "split")
    piece = as_int(split_size_or_sections, "split_size")
    if piece < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={piece}")
    if piece == 0 and length:
        raise RuntimeError(
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {length}"
        )
    starts = range(0, length, piece) if length else (0,)
    views = [narrow_view(input, dim, start, min(piece, length - start)) for start in starts]
    pieces = [view._shape[dim] for view in views]
    return tuple(record_views(SplitBackward0, views, input, sizes=input._shape, dim=dim, pieces=pieces))


@op("function method", names="keeps")
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """`input` cut along a dimension into pieces of the given sizes, as views.

    Args:
        input: a tensor of at least one dimension.
        split_sizes: the sizes of the pieces, which sum up to that of the dimension.
        dim: the dimension to cut.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: a size is negative, or the sizes do not add up to the dimension's.

    Example:
        >>> tl.split_with_sizes(tl.arange(5), [2, 3])
        (tensor([0, 1]), tensor([2, 3, 4]))
    """
    length = _dim_size(input, dim, "split")
    sizes = ints_from((), split_sizes, "split_with_sizes", "split_sizes")
    if any(size < 0 for size in sizes):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, "
            f"but got split_sizes={list(sizes)}"
        )
    if sum(sizes) != length:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {length} (input tensor's size at "
            f"dimension {dim}), but got split_sizes={list(sizes)}, which sum to {sum(sizes)}"
        )
    pieces, start = [], 0
    for size in sizes:
        pieces.append(narrow_view(input, dim, start, size))
        start += size
    return tuple(
        record_views(SplitWithSizesBackward0, pieces, input, sizes=input._shape, dim=dim, pieces=sizes)
    )


@op("function method", names="keeps")
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`input` cut along a dimension into at most `chunks` pieces of one size, the last perhaps shorter.

    Fewer pieces come out when so few of that size are enough; `tensor_split` makes exactly as many as asked.

    Args:
        input: a tensor of at least one dimension.
        chunks: how many pieces at most, above 0.
        dim: the dimension to cut.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: `chunks` is not positive, or there are no dimensions.

    Example:
        >>> tl.arange(5).chunk(4)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    length = _dim_size(input, dim, "chunk")
    count = as_int(chunks, "chunks")
    if count <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {count}")
    if length == 0:
        return split_with_sizes(input, [0] * count, dim)
    return split(input, ceil_div(length, count), dim)


@op("function method", names="keeps")
def tensor_split(
    input: Tensor,
    indices_or_sections: int | Sequence[int] | Tensor | None = None,
    dim: int = 0,
    *,
    indices: Sequence[int] | None = None,
    sections: int | None = None,
) -> tuple[Tensor, ...]:
    """`input` cut along a dimension, as views: into so many nearly equal pieces, or at given positions.

    Args:
        input: a tensor of at least one dimension.
        indices_or_sections: how many pieces, or where to cut; a one-dimensional tensor says where too.
        dim: the dimension to cut.
        indices, sections: one or the other, by name.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: the number of pieces is not positive, or there are no dimensions.
        TypeError: neither is given.

    Example:
        >>> tl.arange(5).tensor_split(3), tl.arange(5).tensor_split((1, 4))
        ((tensor([0, 1]), tensor([2, 3]), tensor([4])), (tensor([0]), tensor([1, 2, 3]), tensor([4])))
    """
    where = next((w for w in (indices_or_sections, indices, sections) if w is not None), None)
    if where is None:
        raise TypeError("tensor_split() needs the number of sections or the indices to cut at")
    if isinstance(where, Tensor):
        where = _cuts_from(where)
    length = _dim_size(input, dim, "tensor_split")
    if not isinstance(where, (tuple, list)):
        count = as_int(where, "sections")
        if count <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {count}")
        where = part_rules.split_points(length, count)
    bounds = [slice(cut).indices(length)[1] for cut in where]
    pairs = zip([0, *bounds], [*bounds, length], strict=True)
    return tuple(input.narrow(dim, start, max(end - start, 0)) for start, end in pairs)


def _cuts_from(where: Tensor) -> int | list[int]:
    if where.ndim > 1 or where.dtype is not dtypes.int64:
        raise RuntimeError(
            f"tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional "
            f"tensor of dtype int64, but got a tensor with {where.ndim} dims of dtype {where.dtype.name}"
        )
    return where.tolist()  # type: ignore[return-value]


@op("function method")
def hsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """`input` cut side by side: along dimension 1, or along dimension 0 if it is the only one, as views.

    Args:
        input: a tensor of at least one dimension.
        indices_or_sections: as in `tensor_split`; a number of pieces must divide the size.

    Raises:
        RuntimeError: there are no dimensions, or the size is no multiple of the number of pieces.

    Example:
        >>> [part.shape for part in tl.zeros(2, 4).hsplit(2)]
        [tensorlab.Size([2, 2]), tensorlab.Size([2, 2])]
    """
    return _even_split(input, indices_or_sections, min(1, input.ndim - 1), 1, "hsplit")


@op("function method")
def vsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """`input` cut one below the other, along dimension 0, as views.

    Args:
        input: a tensor of at least two dimensions.
        indices_or_sections: as in `tensor_split`; a number of pieces must divide the size.

    Raises:
        RuntimeError: there are fewer than two dimensions, or the size is no multiple of the number of pieces.

    Example:
        >>> tl.vsplit(tl.arange(4).view(2, 2), 2)
        (tensor([[0, 1]]), tensor([[2, 3]]))
    """
    return _even_split(input, indices_or_sections, 0, 2, "vsplit")


@op("function method")
def dsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """`input` cut along dimension 2, as views.

    Args:
        input: a tensor of at least three dimensions.
        indices_or_sections: as in `tensor_split`; a number of pieces must divide the size.

    Raises:
        RuntimeError: there are fewer than three dimensions, or the size is no multiple of the number of
            pieces.

    Example:
        >>> [part.shape for part in tl.dsplit(tl.zeros(1, 2, 4), 2)]
        [tensorlab.Size([1, 2, 2]), tensorlab.Size([1, 2, 2])]
    """
    return _even_split(input, indices_or_sections, 2, 3, "dsplit")


def _even_split(
    input: Tensor, where: int | Sequence[int], dim: int, least: int, function: str
) -> tuple[Tensor, ...]:
    if input.ndim < least:
        raise RuntimeError(
            f"tensorlab.{function} requires a tensor with at least {least} dimension, "
            f"but got a tensor with {input.ndim} dimensions!"
        )
    length = input._shape[dim]
    if isinstance(where, int) and (where <= 0 or length % where):
        raise RuntimeError(
            f"tensorlab.{function} attempted to split along dimension {dim}, but the size of the dimension "
            f"{length} is not divisible by the split_size {where}: tensor_split allows unequal pieces"
        )
    return tensor_split(input, where, dim)


@op("function method", names="drops")
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """All positions of a dimension, each as a view without that dimension.

    Args:
        input: a tensor of at least one dimension.
        dim: the dimension that goes.

    Raises:
        IndexError: there is no such dimension, or none at all.

    Example:
        >>> tl.arange(6).view(2, 3).unbind()
        (tensor([0, 1, 2]), tensor([3, 4, 5]))
    """
    if not input._shape:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    length = input._shape[layout.wrap_dim(as_int(dim, "dim"), input.ndim)]
    views = []
    for index in range(length):
        shape, stride, skipped = part_rules.selected(input._shape, input._stride, as_int(dim, "dim"), index)
        views.append(make_view(input, shape, stride, input._offset + skipped))
    return tuple(record_views(UnbindBackward0, views, input, sizes=input._shape, dim=dim))


def _dim_size(input: Tensor, dim: int, function: str) -> int:
    if not input._shape:
        raise RuntimeError(f"{function} expects at least a 1-dimensional tensor")
    return input._shape[layout.wrap_dim(as_int(dim, "dim"), input.ndim)]
