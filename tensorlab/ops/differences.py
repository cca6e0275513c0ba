"""Differences between neighbours."""

from __future__ import annotations

from tensorlab import dtypes
from tensorlab.ops import conversion, indexing, joining, pointwise
from tensorlab.ops.arguments import need_tensor, numpy_names
from tensorlab.ops.folding import as_one_dim
from tensorlab.ops.outputs import written
from tensorlab.tensor import Tensor

__all__ = ["diff"]


@numpy_names
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Each element less the one before it along a dimension, `n` times over; for bools, whether they differ.

    Args:
        input: a tensor of at least one dimension.
        n: how often to take differences; each time the dimension becomes shorter by one.
        dim: the dimension to walk along; the last without it.
        prepend: elements to put before those of `input` first.
        append: elements to put after them.
        out: a tensor of the result's shape to write into.

    Raises:
        RuntimeError: `input` has no dimensions, `n` is negative, or `prepend` or `append` does not fit.
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> tl.tensor([1, 4, 9, 16]).diff(), tl.tensor([1, 4, 9, 16]).diff(2)
        (tensor([3, 5, 7]), tensor([2, 2]))
    """
    if need_tensor("diff", input).ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional, got a tensor of 0 dimensions")
    position = as_one_dim("diff", dim, input)
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    parts = [part for part in (prepend, input, append) if part is not None]
    for part in parts:
        other = [size for at, size in enumerate(part.shape) if at != position]
        if part.ndim != input.ndim or other != [s for at, s in enumerate(input.shape) if at != position]:
            raise RuntimeError(
                f"diff expects the shape of tensor to prepend or append to match that of input except along "
                f"the differencing dimension {position}: input has shape {tuple(input.shape)}, the other "
                f"{tuple(part.shape)}"
            )
    if n == 0:  # prepend and append have nothing to be taken a difference with
        return conversion.clone(input) if out is None else written(out, input)
    result = joining.cat(parts, position) if len(parts) > 1 else input
    before = (slice(None),) * position
    for _ in range(min(n, result.shape[position])):
        later = indexing.getitem(result, (*before, slice(1, None)))
        earlier = indexing.getitem(result, (*before, slice(None, -1)))
        if result.dtype is dtypes.bool:
            result = pointwise.logical_xor(later, earlier)
        else:
            result = pointwise.sub(later, earlier)
    return result if out is None else written(out, result)


METHODS = (diff,)
