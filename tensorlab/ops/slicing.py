"""Parts of a tensor as views: a position, a range, a diagonal, windows, or strides that the caller names."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.autograd.formulas import view_formulas
from tensorlab.autograd.recording import record_view
from tensorlab.core import dtypes, layout, part_rules
from tensorlab.core.layout import Size, as_int
from tensorlab.ops.aliases import change_layout
from tensorlab.ops.arguments import ints_from, sizes_from
from tensorlab.ops.view_backward import placed, placed_strided
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_view

SelectBackward0 = view_formulas(
    "SelectBackward0",
    input=lambda grad, sizes, dim, index: placed(grad, sizes, lambda whole: whole.select(dim, index)),
)
SliceBackward0 = view_formulas(
    "SliceBackward0",
    input=lambda grad, sizes, dim, start, length: placed(
        grad, sizes, lambda whole: whole.narrow(dim, start, length)
    ),
)
DiagonalBackward0 = view_formulas(
    "DiagonalBackward0",
    input=lambda grad, sizes, offset, dim1, dim2: placed(
        grad, sizes, lambda whole: whole.diagonal(offset, dim1, dim2)
    ),
)
UnfoldBackward0 = view_formulas(
    "UnfoldBackward0",
    input=lambda grad, sizes, dimension, size, step: _unfold_gradient(grad, sizes, dimension, size, step),
)


def _unfold_gradient(grad: Tensor, sizes: Size, dimension: int, size: int, step: int) -> Tensor:
    """What each window got goes back to the places that it saw; windows that overlap add up."""
    if size <= step:  # they do not
        return placed(grad, sizes, lambda whole: unfold(whole, dimension, size, step))
    source = sizes, layout.default_strides(sizes), 0
    shape, stride = part_rules.windows(sizes, source[1], dimension, size, step)
    return placed_strided(grad, source, (shape, stride, 0))


@op("function method", names="drops")
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """One position of a dimension, as a view without that dimension: ``input[..., index, ...]``.

    Args:
        input: a tensor of at least one dimension.
        dim: the dimension.
        index: the position; negative ones count from the end.

    Raises:
        IndexError: there is no such dimension or position.

    Example:
        >>> tl.arange(6).view(2, 3).select(1, -1)
        tensor([2, 5])
    """
    shape, stride, skipped = part_rules.selected(
        input._shape, input._stride, as_int(dim, "dim"), as_int(index, "index")
    )
    view = make_view(input, shape, stride, input._offset + skipped)
    return record_view(SelectBackward0, view, input, sizes=input._shape, dim=dim, index=index)


@op("function method", names="keeps")
def narrow(input: Tensor, dim: int, start: int | Tensor, length: int) -> Tensor:
    """`length` positions of a dimension from `start` on, as a view.

    Args:
        input: a tensor of at least one dimension.
        dim: the dimension to shorten.
        start: the first position; a negative one counts from the end.
        length: how many positions.

    Raises:
        IndexError: there is no such dimension, or it has no such start.
        RuntimeError: `input` has no dimensions, or not that many positions.

    Example:
        >>> tl.arange(5).narrow(0, 1, 3)
        tensor([1, 2, 3])
    """
    if isinstance(start, Tensor) and (start.ndim or start.dtype.category != dtypes.INTEGER):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    start = as_int(start, "start")
    view = narrow_view(input, as_int(dim, "dim"), start, as_int(length, "length"))
    return record_view(SliceBackward0, view, input, sizes=input._shape, dim=dim, start=start, length=length)


def narrow_view(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """`narrow` of which nothing is recorded."""
    shape, stride, skipped = part_rules.narrowed(input._shape, input._stride, dim, start, length)
    return make_view(input, shape, stride, input._offset + skipped)


@op("function method", names="takes_diagonal")
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal of two dimensions, as a view with it as the last dimension.

    Args:
        input: a tensor of at least two dimensions.
        offset: which diagonal: 0 the main one, positive ones above it, negative ones below.
        dim1, dim2: the two dimensions.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: both dimensions are the same.

    Example:
        >>> tl.arange(9).view(3, 3).diagonal(1)
        tensor([1, 5])
    """
    shape, stride, skipped = part_rules.diagonal(
        input._shape, input._stride, as_int(offset, "offset"), as_int(dim1, "dim1"), as_int(dim2, "dim2")
    )
    view = make_view(input, shape, stride, input._offset + skipped)
    return record_view(
        DiagonalBackward0, view, input, sizes=input._shape, offset=offset, dim1=dim1, dim2=dim2
    )


@op("method", names="windows")
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """All windows of `size` neighbours along a dimension, `step` apart, as a view with the window last.

    Windows that overlap share cells: what is written into one shows in its neighbours.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: a window is longer than the dimension, `size` is negative, or `step` not positive.

    Example:
        >>> tl.arange(5).unfold(0, 3, 1)
        tensor([[0, 1, 2],
                [1, 2, 3],
                [2, 3, 4]])
    """
    shape, stride = part_rules.windows(
        input._shape,
        input._stride,
        as_int(dimension, "dimension"),
        as_int(size, "size"),
        as_int(step, "step"),
    )
    view = make_view(input, shape, stride, input._offset)
    return record_view(
        UnfoldBackward0, view, input, sizes=input._shape, dimension=dimension, size=size, step=step
    )


# --- any layout over a storage ------------------------------------------------------------------------


AsStridedBackward0 = view_formulas(
    "AsStridedBackward0", input=lambda grad, source, view: placed_strided(grad, source, view)
)


@op("function method")
def as_strided(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    """Any layout over `input`'s storage, as a view. Every address is checked.

    Args:
        input: the tensor whose storage and dtype to use.
        size: the sizes.
        stride: one stride a dimension, in elements.
        storage_offset: the cell of the first element; `input`'s own offset if left out.

    Raises:
        RuntimeError: an element would lie outside the storage, a stride is negative, or the two lengths
            differ.

    Example:
        >>> tl.arange(5).as_strided((3, 3), (1, 1))
        tensor([[0, 1, 2],
                [1, 2, 3],
                [2, 3, 4]])
    """
    shape, strides, offset = _strided_layout(input, size, stride, storage_offset)
    view = make_view(input, shape, strides, offset)
    source = input._shape, input._stride, input._offset
    return record_view(AsStridedBackward0, view, input, source=source, view=(shape, strides, offset))


@op("function method")
def as_strided_(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    """`as_strided` of this tensor object itself: its layout changes, its storage and other views do not.

    Example:
        >>> x = tl.arange(5)
        >>> x.as_strided_((2, 2), (1, 2)), x.shape
        (tensor([[0, 2],
                [1, 3]]), tensorlab.Size([2, 2]))
    """
    source = input._shape, input._stride, input._offset
    view = _strided_layout(input, size, stride, storage_offset)
    return change_layout(AsStridedBackward0, input, *view[:2], offset=view[2], source=source, view=view)


def _strided_layout(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None
) -> tuple[Size, tuple[int, ...], int]:
    shape = sizes_from((), "as_strided", size)
    strides = ints_from((), stride, "as_strided", "stride")
    offset = input._offset if storage_offset is None else as_int(storage_offset, "storage_offset")
    checked = layout.check_bounds(shape, strides, offset, len(input.storage()))
    if isinstance(checked, layout.Refusal):
        raise RuntimeError(
            f"as_strided: size {tuple(shape)}, stride {strides} and storage_offset {offset} are refused: "
            f"{checked.reason}"
        )
    return shape, strides, offset
