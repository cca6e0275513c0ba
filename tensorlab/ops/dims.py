"""The order of the dimensions: views that exchange and move them."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.autograd.formulas import view_formulas
from tensorlab.autograd.recording import record_view
from tensorlab.core import view_rules
from tensorlab.core.layout import Size, as_int
from tensorlab.core.size import size_of_ints
from tensorlab.ops.aliases import change_layout
from tensorlab.ops.arguments import ints_from
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_view


def permute_backward(grad: Tensor, dims: Sequence[int]) -> Tensor:
    """The adjoint of `permute`: each dimension of a gradient back to where it came from, as a view.

    Args:
        grad: of ``input.permute(dims)``.
        dims: the order that the input was permuted by.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.zeros(2, 3, 4)
        >>> permute_backward(x.permute(2, 0, 1), (2, 0, 1)).shape
        tensorlab.Size([2, 3, 4])
    """
    return permute(grad, view_rules.inverse_order(dims))


PermuteBackward0 = view_formulas("PermuteBackward0", input=lambda grad, dims: permute_backward(grad, dims))
TransposeBackward0 = view_formulas(
    "TransposeBackward0", input=lambda grad, dim0, dim1: grad.transpose(dim0, dim1)
)
TBackward0 = view_formulas("TBackward0", input=lambda grad: grad.t())


@op("function method", names="permutes")
def permute(input: Tensor, *order: int | Sequence[int], dims: Sequence[int] | None = None) -> Tensor:
    """The dimensions in another order, as a view: dimension `i` of the result is `dims[i]` of `input`.

    Args:
        input: any tensor.
        order: every dimension once, as separate ints or as one sequence.
        dims: the same, by name.

    Raises:
        RuntimeError: a dimension is missing or named twice.
        IndexError: there is no such dimension.

    Example:
        >>> x = tl.zeros(2, 3, 4).permute(2, 0, 1)
        >>> x.shape, x.stride()
        (tensorlab.Size([4, 2, 3]), (1, 12, 4))
    """
    wanted = ints_from(order, dims, "permute", "dims")
    shape, stride = view_rules.permuted(input._shape, input._stride, wanted)
    view = make_view(input, shape, stride, input._offset)
    return record_view(PermuteBackward0, view, input, dims=wanted)


@op("function method", aliases="swapdims", names="transposes")
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged, as a view.

    Args:
        input: any tensor.
        dim0, dim1: the dimensions; negative ones count from the last.

    Raises:
        IndexError: there is no such dimension.

    Example:
        >>> tl.arange(6).view(2, 3).transpose(0, 1)
        tensor([[0, 3],
                [1, 4],
                [2, 5]])
    """
    shape, stride = view_rules.transposed(
        input._shape, input._stride, as_int(dim0, "dim0"), as_int(dim1, "dim1")
    )
    view = make_view(input, shape, stride, input._offset)
    return record_view(TransposeBackward0, view, input, dim0=dim0, dim1=dim1)


@op("method", aliases="swapdims_")
def transpose_(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """`transpose` of this tensor object itself: its layout changes, its storage and other views do not.

    Example:
        >>> x = tl.zeros(2, 3)
        >>> x.transpose_(0, 1).shape, x.shape
        (tensorlab.Size([3, 2]), tensorlab.Size([3, 2]))
    """
    shape, stride = view_rules.transposed(
        input._shape, input._stride, as_int(dim0, "dim0"), as_int(dim1, "dim1")
    )
    return change_layout(TransposeBackward0, input, shape, stride, dim0=dim0, dim1=dim1)


@op("function method", names="transposes")
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """The same as `transpose`, under NumPy's name.

    Example:
        >>> tl.swapaxes(tl.zeros(2, 3, 4), 0, 2).shape
        tensorlab.Size([4, 3, 2])
    """
    return transpose(input, axis0, axis1)


@op("method")
def swapaxes_(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """The same as `transpose_`, under NumPy's name.

    Example:
        >>> x = tl.zeros(2, 3)
        >>> x.swapaxes_(0, 1).shape, x.stride()
        (tensorlab.Size([3, 2]), (1, 3))
    """
    return transpose_(input, axis0, axis1)


@op("function method", names="reverses")
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix, as a view; a tensor of fewer dimensions unchanged.

    Raises:
        RuntimeError: `input` has more than two dimensions.

    Example:
        >>> tl.zeros(2, 3).t().shape
        tensorlab.Size([3, 2])
    """
    if len(input._shape) == 2:  # the most frequent, and it takes no questions
        rows, columns = input._shape
        down, along = input._stride
        view = make_view(input, size_of_ints(Size, (columns, rows)), (along, down), input._offset)
    else:
        shape, stride = view_rules.transposed(input._shape, input._stride, 0, _last_of_matrix(input, "t"))
        view = make_view(input, shape, stride, input._offset)
    return record_view(TBackward0, view, input)


@op("method")
def t_(input: Tensor) -> Tensor:
    """`t` of this tensor object itself: its layout changes, its storage and other views do not.

    Raises:
        RuntimeError: `input` has more than two dimensions.

    Example:
        >>> x = tl.zeros(2, 3)
        >>> x.t_().shape, x.stride()
        (tensorlab.Size([3, 2]), (1, 3))
    """
    last = _last_of_matrix(input, "t_")
    return change_layout(TBackward0, input, *view_rules.transposed(input._shape, input._stride, 0, last))


def _last_of_matrix(input: Tensor, function: str) -> int:
    ndim = len(input._shape)
    if ndim > 2:
        raise RuntimeError(
            f"{function}() expects a tensor with <= 2 dimensions, but self is {ndim}D: "
            f"name the two dimensions, transpose(i, j)"
        )
    return 1 if ndim == 2 else 0


@op("function method", aliases="moveaxis", names="moves")
def movedim(input: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Some dimensions moved to new places, the others in their old order, as a view.

    Args:
        input: any tensor.
        source: the dimensions to move.
        destination: where each of them goes.

    Raises:
        RuntimeError: the two name different numbers of dimensions, or one of them a dimension twice.
        IndexError: there is no such dimension.

    Example:
        >>> tl.zeros(2, 3, 4).movedim(0, -1).shape
        tensorlab.Size([3, 4, 2])
    """
    order = view_rules.moved_order(
        len(input._shape),
        ints_from((source,), None, "movedim", "source"),
        ints_from((destination,), None, "movedim", "destination"),
    )
    return permute(input, order)


@op("function method", names="swaps_last")
def adjoint(input: Tensor) -> Tensor:
    """The last two dimensions exchanged, as a view: for real numbers the adjoint is the transpose.

    Raises:
        RuntimeError: `input` has one dimension.

    Example:
        >>> tl.zeros(5, 2, 3).adjoint().shape
        tensorlab.Size([5, 3, 2])
    """
    return _matrices_transposed(input, "adjoint()")


def _matrices_transposed(input: Tensor, name: str) -> Tensor:
    if len(input._shape) == 1:
        raise RuntimeError(
            f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor."
        )
    return transpose(input, -2, -1) if input._shape else transpose(input, 0, 0)


@op("property", name="T", names="reverses")
def _reversed(input: Tensor) -> Tensor:
    """All dimensions in reverse order, as a view."""
    return permute(input, tuple(range(len(input._shape) - 1, -1, -1)))


@op("property", name="mT", names="swaps_last")
def _matrix_transposed(input: Tensor) -> Tensor:
    """The last two dimensions exchanged, as a view. A tensor of one dimension has no transpose."""
    return _matrices_transposed(input, "mT")


@op("property", name="mH", names="swaps_last")
def _batch_adjoint(input: Tensor) -> Tensor:
    """The last two dimensions exchanged, as a view: for real numbers the adjoint is the transpose."""
    return _matrices_transposed(input, "mH")


@op("property", name="H", names="swaps_last")
def _matrix_adjoint(input: Tensor) -> Tensor:
    """The transpose of a matrix, as a view: for real numbers the adjoint is the transpose."""
    ndim = len(input._shape)
    if ndim not in (0, 2):
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {ndim}-D tensor."
            + (" For batches of matrices, consider using tensor.mH" if ndim > 2 else "")
        )
    return t(input)
