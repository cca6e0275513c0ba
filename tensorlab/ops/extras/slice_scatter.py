"""Copies of a tensor in which a part is another one's: what a write into a view does, without the write."""

from __future__ import annotations

from collections.abc import Callable

from tensorlab.ops.indexing.basic import getitem
from tensorlab.ops.outputs import delivered
from tensorlab.ops.reduce import as_one_dim
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op("function method")
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy of `input` in which ``select(dim, index)`` is `src`.

    Args:
        input: a tensor of at least one dimension.
        src: a tensor of the shape of that part.
        dim, index: which part, as in `select`.

    Raises:
        IndexError: there is no such part.
        RuntimeError: `src` has another shape.

    Example:
        >>> tl.select_scatter(tl.zeros(2, 2), tl.ones(2), 0, 1)
        tensor([[0., 0.],
                [1., 1.]])
    """
    return _with_part("select_scatter", input, src, lambda whole: whole.select(dim, index))


@op("function method")
def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """A copy of `input` in which ``[start:end:step]`` along a dimension is `src`.

    Args:
        input: a tensor of at least one dimension.
        src: a tensor of the shape of that part.
        dim: the dimension that is sliced.
        start, end, step: as between square brackets.
        out: a tensor of `input`'s shape to write into.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: `src` has another shape.

    Example:
        >>> tl.slice_scatter(tl.zeros(5), tl.ones(2), start=0, end=4, step=2)
        tensor([1., 0., 1., 0., 0.])
    """
    position = as_one_dim("slice_scatter", dim, input)
    index = (slice(None),) * position + (slice(start, end, step),)
    result = _with_part("slice_scatter", input, src, lambda whole: getitem(whole, index))
    return delivered("slice_scatter", out, result, input, src)


@op("function method")
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy of `input` in which a diagonal is `src`.

    Args:
        input: a tensor of at least two dimensions.
        src: a tensor of the diagonal's shape.
        offset, dim1, dim2: which diagonal, as in `diagonal`.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: `src` has another shape, or the two dimensions are one.

    Example:
        >>> tl.diagonal_scatter(tl.zeros(2, 2), tl.tensor([3.0, 4.0]))
        tensor([[3., 0.],
                [0., 4.]])
    """
    return _with_part("diagonal_scatter", input, src, lambda whole: whole.diagonal(offset, dim1, dim2))


def _with_part(name: str, input: Tensor, src: Tensor, part_of: Callable[[Tensor], Tensor]) -> Tensor:
    result = _copy_with_gaps(input)
    part = part_of(result)
    if part.shape != src.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = "
            f"{tuple(src.shape)}, slice size = {tuple(part.shape)}"
        )
    part.copy_(src)
    return result


def _copy_with_gaps(input: Tensor) -> Tensor:
    """A copy with the strides of `input`, as PyTorch makes it here; without gaps if elements share cells."""
    if any(not step and size > 1 for size, step in zip(input._shape, input._stride, strict=True)):
        return input.clone()
    return input.new_empty_strided(input._shape, input._stride).copy_(input)
