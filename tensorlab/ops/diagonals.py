"""Triangles and diagonals of matrices, as copies. A view of a diagonal is `tensorlab.diagonal`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlab.autograd.formulas import Formula, formulas
from tensorlab.autograd.last_writer import written_by
from tensorlab.autograd.recording import record
from tensorlab.backends import Backend, Launch, OperandLayout
from tensorlab.core import dtypes, layout
from tensorlab.core.layout import as_int
from tensorlab.core.memory_formats import contiguous_format
from tensorlab.dispatch.copies import write_new
from tensorlab.dispatch.operands import Number, widened
from tensorlab.dispatch.primitive import Primitive, Recorded, Result, call
from tensorlab.names.rules import copies
from tensorlab.ops import slicing
from tensorlab.ops.conversion import clone, fill_
from tensorlab.ops.creation import zeros
from tensorlab.ops.outputs import need_dtype, written
from tensorlab.ops.shape import reshape
from tensorlab.ops.slicing import as_strided
from tensorlab.registry import op
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor


class Triangle(Primitive):
    """Matrices with zeros on one side of a diagonal; `params`: which diagonal.

    Whether an element stays depends on its column less its row alone. So one line of bools says it for all:
    row i of the mask is that line, begun i places further to the left.

    Args:
        name: of the operation.
        gradient: its formula.
        upper: whether the elements above the diagonal stay, or those below it; those on it do.
    """

    differentiable = True
    names = staticmethod(copies)

    def __init__(self, name: str, gradient: Formula, upper: bool) -> None:
        self.name, self.upper = name, upper
        self.kind = formulas(f"{name.capitalize()}Backward0", input=gradient)

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """The shape of the input, row-major."""
        (input,) = operands
        return Result(input._shape, layout.default_strides(input._shape), input._dtype)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        (input,), (diagonal,) = operands, params
        *batch, rows, columns = result.shape
        distance = np.arange(1 - rows, max(columns, 1))
        line = distance >= diagonal if self.upper else distance <= diagonal
        layouts = [
            OperandLayout(dtypes.bool, (*[0] * len(batch), -1, 1)),
            OperandLayout(input._dtype, input._stride, is_out=0 in result.overwritten),
            OperandLayout(dtypes.int64, (0,) * len(result.shape), is_number=True),
        ]
        out = OperandLayout(result.dtype, result.stride)
        choose = backend.pointwise(TABLE["where"], widened(input._dtype), result.shape, out, layouts)
        mask = backend.upload(line.data), rows - 1
        return lambda out, x: choose(out, mask, x, 0)

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """See `Primitive.node`."""
        return self.kind, {"diagonal": params[0]}

    def check_out(self, out: Tensor, result: Result, operands: Sequence[Any], brought: bool) -> None:
        """`out` is of the elements' dtype."""
        need_dtype(out, result.dtype)


TRIL = Triangle("tril", lambda grad, diagonal: grad.tril(diagonal), upper=False)
TRIU = Triangle("triu", lambda grad, diagonal: grad.triu(diagonal), upper=True)
DiagEmbedBackward0 = formulas(
    "DiagEmbedBackward0",
    input=lambda grad, offset, dim1, dim2: slicing.diagonal(grad, offset, dim1, dim2),
)


@op("function method in_place", names="copies")
def tril(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """The lower triangle of a matrix, or of each in a batch; zeros above it.

    Args:
        input: a tensor of at least two dimensions.
        diagonal: up to which diagonal: 0 the main one, positive ones above it, negative ones below.
        out: a tensor of the result's shape and dtype to write into.

    Raises:
        RuntimeError: `input` has fewer than two dimensions.

    Example:
        >>> tl.ones(2, 3).tril()
        tensor([[1., 0., 0.],
                [1., 1., 0.]])
    """
    return call(TRIL, input, params=(_checked("tril", input, diagonal),), out=out)


@op("function method in_place", names="copies")
def triu(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """The upper triangle of a matrix, or of each in a batch; zeros below it (see `tril`).

    Example:
        >>> tl.ones(2, 3).triu()
        tensor([[1., 1., 1.],
                [0., 1., 1.]])
    """
    return call(TRIU, input, params=(_checked("triu", input, diagonal),), out=out)


def _checked(name: str, input: Tensor, diagonal: int) -> int:
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions, and this has {input.ndim}")
    return as_int(diagonal, "diagonal")


@op("function method")
def diag(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """A matrix with a vector on a diagonal and zeros elsewhere; or a copy of a matrix's diagonal.

    Args:
        input: a tensor of one or two dimensions.
        diagonal: which diagonal: 0 the main one, positive ones above it, negative ones below.
        out: a tensor of the result's shape to write into.

    Raises:
        RuntimeError: `input` has another number of dimensions.

    Example:
        >>> tl.diag(tl.tensor([1, 2])), tl.diag(tl.tensor([[1, 2], [3, 4]]))
        (tensor([[1, 0],
                [0, 2]]), tensor([1, 4]))
    """
    if input.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D: see diagonal, diag_embed")
    if input.ndim == 1:
        result = diag_embed(input, diagonal)
    else:
        result = clone(slicing.diagonal(input, diagonal), memory_format=contiguous_format)
    return result if out is None else written(out, result, exact=True)


@op("function method")
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices with the last dimension of `input` on a diagonal, and zeros elsewhere.

    Args:
        input: a tensor of at least one dimension.
        offset: which diagonal: 0 the main one, positive ones above it, negative ones below.
        dim1, dim2: where the rows and the columns of the matrices stand in the result.

    Raises:
        IndexError: there is no such place.
        RuntimeError: both places are the same.

    Example:
        >>> tl.tensor([[1, 2], [3, 4]]).diag_embed().shape
        tensorlab.Size([2, 2, 2])
    """
    ndim = input.ndim + 1
    places = sorted(layout.wrap_dim(as_int(dim, "a dimension"), ndim) for dim in (dim1, dim2))
    if places[0] == places[1]:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    side = input._shape[-1] + abs(as_int(offset, "offset"))
    sizes = list(input._shape[:-1])
    for place in places:
        sizes.insert(place, side)
    out = zeros(sizes, dtype=input._dtype, device=input.device)
    write_new(slicing.diagonal(out, offset, dim1, dim2), input)
    return record(DiagEmbedBackward0, out, input, offset=offset, dim1=dim1, dim2=dim2)


@op("method")
def fill_diagonal_(input: Tensor, fill_value: Number | Tensor, wrap: bool = False) -> Tensor:
    """The main diagonal, where all indices are equal, overwritten with one number.

    Args:
        input: a tensor of at least two dimensions; of more than two all must have the same size.
        fill_value: the number.
        wrap: in a matrix with more rows than columns, begin again below the square, with one row between.

    Raises:
        RuntimeError: `input` has too few dimensions, or sizes that differ.

    Example:
        >>> tl.zeros(2, 3, dtype=tl.int64).fill_diagonal_(7)
        tensor([[7, 0, 0],
                [0, 7, 0]])
    """
    if input.ndim < 2:
        raise RuntimeError(f"dimensions must larger than 1: fill_diagonal_() got {input.ndim}")
    if input.ndim > 2 and len(set(input._shape)) > 1:
        raise RuntimeError(
            f"all dimensions of input must be of equal length: fill_diagonal_() got {tuple(input._shape)}"
        )
    step = sum(input._stride)
    rows, columns = input._shape[0], input._shape[1]

    last = rows if wrap and input.ndim == 2 else 1
    for first in range(0, last, columns + 1):
        count = min(rows - first, *input._shape[1:])
        start = input._offset + first * input._stride[0]
        fill_(as_strided(input, (count,), (step,), start), fill_value)
    return written_by("fill_diagonal_", input)


@op("function method")
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """A matrix with all elements of `input`, in order, on a diagonal, and zeros elsewhere.

    Args:
        input: any tensor.
        offset: how far above the main diagonal; below it if negative.

    Example:
        >>> tl.diagflat(tl.tensor([[1], [2]]))
        tensor([[1, 0],
                [0, 2]])
    """
    return diag(reshape(input, -1), offset)
