"""Any layout over a storage: views made by naming the strides themselves."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab import layout
from tensorlab.autograd.formulas import view_formulas
from tensorlab.autograd.recording import record_view
from tensorlab.layout import Size, as_int
from tensorlab.ops.adjoints import placed_strided
from tensorlab.ops.aliases import change_layout
from tensorlab.ops.arguments import ints_from, sizes_from
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_view

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
        >>> import tensorlab as tl
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
        >>> import tensorlab as tl
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
