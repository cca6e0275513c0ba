"""Embedding: rows of a table by their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import linear, record
from tensorlab.autograd.views import requires_grad
from tensorlab.core import dtypes, layout
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import contiguous_format
from tensorlab.core.modes import no_grad
from tensorlab.ops.conversion import compute_type, contiguous, dense_in, to
from tensorlab.ops.norms import vector_norm
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_dense


@op(namespace="nn.functional")
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` whose numbers stand in `input`.

    Args:
        input: int64 or int32 numbers of rows.
        weight: the table, of shape (rows, width).
        padding_idx: a row that gets no gradient; negative numbers count from the end.
        max_norm: rows that are asked for and longer than this are shortened to it, in `weight` itself.
        norm_type: the exponent of the norm that tells how long a row is.
        scale_grad_by_freq: divide the gradient of each row by how often its number stands in `input`.
        sparse: False. There are no sparse tensors here, and the gradient is dense.

    Returns:
        a tensor of shape (…, width). A number that stands in `input` twice gets both gradients.

    Raises:
        IndexError: a number is no row.
        AssertionError: `padding_idx` is no row.
        NotImplementedError: a sparse gradient is asked for.
        RuntimeError: `weight` has other than 2 dimensions, or `input` another dtype.

    Example:
        >>> import tensorlab as tl
        >>> import tensorlab.nn.functional as F
        >>> F.embedding(tl.tensor([2, 0, 2]), tl.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]))
        tensor([[4., 5.],
                [0., 1.],
                [4., 5.]])
    """
    if sparse:
        raise NotImplementedError(
            "embedding(): there are no sparse gradients; without sparse=True it is dense, of the same numbers"
        )
    if weight.ndim != 2:
        raise RuntimeError(f"'weight' must be 2-D: a table of rows, and its shape is {tuple(weight._shape)}")
    if input._dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(
            f"Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
            f"Int; but got {input._dtype.name}: convert it with .long()"
        )
    rows = weight._shape[0]
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            raise AssertionError(
                f"Padding_idx must be within num_embeddings: it is {padding_idx}, and there are {rows} rows"
            )
        padding_idx %= rows
    if max_norm is not None:
        _shorten(weight, input, max_norm, norm_type)
    return _rows(weight, input, -1 if padding_idx is None else padding_idx, scale_grad_by_freq)


def _shorten(weight: Tensor, input: Tensor, most: float, exponent: float) -> None:
    """Shorten the rows that are asked for, in place."""
    with no_grad():
        numbers = to(input, dtypes.int64).reshape(-1).unique()
        chosen = weight.detach().index_select(0, numbers)
        lengths = vector_norm(chosen, exponent, 1, keepdim=True)
        factors = (most / (lengths + 1e-7)).masked_fill(lengths <= most, 1)
        weight.index_copy_(0, numbers, chosen * factors)


def _d_weight(grad: Tensor, input: Tensor, rows: int, padding: int, by_frequency: bool) -> Tensor:
    width = grad._shape[-1]
    number = compute_type(grad._dtype)
    places = _places(input)
    counts = np.bincount(places, minlength=rows) if by_frequency else np.zeros(0, np.int64)
    totals = np.zeros(rows * width, number.cell)
    grad._storage.backend.add_rows(
        grad._dtype, width, dense_in(grad, contiguous_format), places, padding, counts, totals
    )
    shape = Size((rows, width))
    result = make_dense(totals, number, shape, layout.default_strides(shape))
    result = to(result, grad._dtype)
    if requires_grad(grad):
        linear(result, grad, lambda again: _weighted_rows(again, input, padding, by_frequency))
    return result


EmbeddingBackward0 = formulas("EmbeddingBackward0", weight=_d_weight)


def _places(input: Tensor) -> np.ndarray:
    return dense_in(to(contiguous(input), dtypes.int64), contiguous_format)


def _rows(weight: Tensor, input: Tensor, padding: int, by_frequency: bool) -> Tensor:
    """The rows, recorded."""
    rows, width = weight._shape
    table = weight if weight._stride[1] == 1 or width <= 1 else contiguous(weight.detach())
    places = _places(input)
    cells, wrong = weight._storage.backend.take_rows(
        weight._dtype, width, table._buffer(), table._stride[0], rows, places
    )
    if wrong >= 0:
        raise IndexError(
            f"index out of range in self: {places[wrong]} is no row of a table of {rows} rows, 0 to "
            f"{rows - 1}"
        )
    shape = Size((*input._shape, width))
    result = make_dense(cells, weight._dtype, shape, layout.default_strides(shape))
    return record(
        EmbeddingBackward0, result, weight, input=input, rows=rows, padding=padding, by_frequency=by_frequency
    )


def _weighted_rows(weight: Any, input: Tensor, padding: int, by_frequency: bool) -> Any:
    """The adjoint of the gradient: rows, but zeros for the padding, and divided by how often they stand."""
    result = _rows(weight, input, -1, False)
    if by_frequency:
        counts = np.bincount(_places(input), minlength=weight._shape[0])[_places(input)]
        result = result / to(
            make_dense(counts, dtypes.int64, input._shape, layout.default_strides(input._shape)),
            weight._dtype,
        ).unsqueeze(-1)
    return result.masked_fill((input == padding).unsqueeze(-1), 0)
