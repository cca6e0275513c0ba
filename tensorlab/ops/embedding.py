"""Embedding: rows of a table by their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlab.autograd.formulas import formulas
from tensorlab.core import dtypes
from tensorlab.core.layout import Size
from tensorlab.core.modes import no_grad
from tensorlab.dispatch.primitive import Recorded, call
from tensorlab.ops.indexing.index_plan import Read, Route, Term
from tensorlab.ops.norms import vector_norm
from tensorlab.registry import op
from tensorlab.tensor import Tensor


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
    padding = -1 if padding_idx is None else padding_idx
    return call(EMBEDDING, weight, input, params=(padding, scale_grad_by_freq))


def _shorten(weight: Tensor, input: Tensor, most: float, exponent: float) -> None:
    """Shorten the rows that are asked for, in place."""
    with no_grad():
        numbers = input.to(dtypes.int64).reshape(-1).unique()
        chosen = weight.detach().index_select(0, numbers)
        lengths = vector_norm(chosen, exponent, 1, keepdim=True)
        factors = (most / (lengths + 1e-7)).masked_fill(lengths <= most, 1)
        weight.index_copy_(0, numbers, chosen * factors)


def _d_weight(grad: Any, sizes: Size, index: Any, padding: int, by_frequency: bool) -> Any:
    """Each row's gradients added to where the row was taken from, but those of the padding."""
    numbers = index.reshape(-1)
    result = grad.new_zeros(sizes).index_add_(0, numbers, grad.reshape(numbers.shape[0], sizes[1]))
    if by_frequency:
        result = result / numbers.bincount(minlength=sizes[0]).clamp(1).unsqueeze(1)
    return result if padding < 0 else result.index_fill(0, numbers.new_full((1,), padding), 0)


EmbeddingBackward0 = formulas("EmbeddingBackward0", weight=_d_weight, index=None)


def _rows_at(shape: Size, stride: tuple[int, ...], indices: Sequence[Tensor], where: tuple) -> Route:
    """Position ``(i, j, k)`` leads to ``weight[index[i, j], k]``."""
    (index,), (rows, width) = indices, shape
    term = Term((*index._stride, 0), 0, rows, stride[0], wraps=False)
    return Route(Size((*index._shape, width)), (*[0] * index.ndim, stride[1]), (term,))


class Embedding(Read):
    """Rows of a table; `params` are the row without gradient, or -1, and `scale_grad_by_freq`."""

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """With the table's shape."""
        padding, by_frequency = params
        notes = {"sizes": operands[0]._shape, "padding": padding, "by_frequency": by_frequency}
        return EmbeddingBackward0, notes


EMBEDDING = Embedding("embedding", _rows_at, error=IndexError)
