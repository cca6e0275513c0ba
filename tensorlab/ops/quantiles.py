"""Quantiles: the number below which a given part of the elements lies."""

from __future__ import annotations

from tensorlab import dtypes
from tensorlab.ops.arguments import need_tensor, numpy_names
from tensorlab.ops.blends import lerp
from tensorlab.ops.bounds import round as rounded
from tensorlab.ops.conversion import to
from tensorlab.ops.creation import full
from tensorlab.ops.dims import movedim, transpose
from tensorlab.ops.dispatch import check_out
from tensorlab.ops.folding import as_one_dim
from tensorlab.ops.indexing.gather_scatter import gather
from tensorlab.ops.indexing.masks import masked_fill
from tensorlab.ops.outputs import written
from tensorlab.ops.pointwise import ceil, eq, floor, isnan, lt, mul, sub
from tensorlab.ops.reduction import any as any_of
from tensorlab.ops.reduction import sum as sum_over
from tensorlab.ops.shape import broadcast_to, flatten, reshape, squeeze, unsqueeze
from tensorlab.ops.sorting import sort
from tensorlab.registry import op
from tensorlab.tensor import Tensor

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


@op("function method")
@numpy_names
def quantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """The numbers below which given parts of the elements lie: 0 is the least element, 0.5 the median.

    The elements are put in order. A quantile that falls between two of them lies between them as
    `interpolation` says. NaN among the elements makes the result NaN.

    Args:
        input: a tensor of float32 or float64.
        q: which parts, from 0 to 1: a number, or a tensor of `input`'s dtype with up to one dimension.
        dim: the dimension to look along; all elements without it.
        keepdim: whether the dimension stays, with size 1.
        interpolation: ``"linear"`` between the two neighbours, ``"lower"`` or ``"higher"`` of them, the
            ``"nearest"``, or their ``"midpoint"``.
        out: a tensor of the result's shape to write into.

    Returns:
        one quantile a line; for a tensor `q` of one dimension, that dimension comes first.

    Raises:
        RuntimeError: a part is outside of 0 to 1, there are no elements, the dtype is another one, or
            there is no such `interpolation`.
        IndexError: there is no such dimension.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([[1.0, 3.0, 2.0, 9.0], [4.0, 8.0, 7.0, 6.0]])
        >>> tl.quantile(x, 0.5), tl.quantile(x, tl.tensor([0.25, 1.0]), dim=1)
        (tensor(5.), tensor([[1.7500, 5.5000],
                [9.0000, 8.0000]]))
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation, out)


@op("function method")
@numpy_names
def nanquantile(
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """`quantile` of those elements that are numbers; NaN where there are none. The arguments are the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nanquantile(tl.tensor([4.0, tl.nan, 1.0]), 0.5)
        tensor(2.5000)
    """
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, out)


def _quantile(
    name: str,
    input: Tensor,
    q: float | Tensor,
    dim: int | None,
    keepdim: bool,
    interpolation: str,
    out: Tensor | None,
) -> Tensor:
    parts = _parts(name, input, q, interpolation)
    check_out(name, out, input, parts) if out is not None else None
    position = None if dim is None else as_one_dim(name, dim, input)
    # The dimension to look along moves to the end, and leaves one of size 1 where it was.
    lines = flatten(input) if position is None else transpose(unsqueeze(input, -1), position, -1)
    ordered = sort(lines, -1).values
    ranks = _ranks(ordered, reshape(parts, (-1,)), name == "nanquantile", interpolation)
    found = _at_ranks(ordered, ranks, interpolation)
    if position is None:
        found = reshape(found, (*(1,) * (input.ndim if keepdim else 0), -1))
    elif not keepdim:
        found = squeeze(found, position)
    result = movedim(found, -1, 0) if parts.ndim else squeeze(found, -1)
    return result if out is None else written(out, result)


def _parts(name: str, input: Tensor, q: float | Tensor, interpolation: str) -> Tensor:
    """`q` as a tensor of `input`'s dtype, after everything has been looked at."""
    if need_tensor(name, input)._dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError(
            f"{name}() input tensor must be either float or double dtype, got {input._dtype.name}: "
            f"convert it first"
        )
    if not input.numel():
        raise RuntimeError(f"{name}() input tensor must be non-empty, got shape {tuple(input.shape)}")
    if interpolation not in INTERPOLATIONS:
        raise RuntimeError(
            f"{name}() interpolation must be one of {', '.join(INTERPOLATIONS)}, but got {interpolation}"
        )
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q}")
        return full((), q, dtype=input._dtype)
    if q.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor, got shape {tuple(q.shape)}")
    if q._dtype is not input._dtype:
        raise RuntimeError(
            f"{name}() q tensor must be same dtype as the input tensor: q is {q._dtype.name}, input "
            f"{input._dtype.name}"
        )
    if not bool(((q >= 0) & (q <= 1)).all()):
        raise RuntimeError(f"{name}() q values must be in the range [0, 1], got {q.tolist()}")
    return q


def _ranks(ordered: Tensor, parts: Tensor, skips_nan: bool, interpolation: str) -> Tensor:
    """Where in each ordered line the quantiles stand: whole numbers, or between two of them."""
    if skips_nan:
        last = sub(sum_over(eq(ordered, ordered), -1, True), 1)
        ranks = mul(parts, to(last, ordered._dtype))
        ranks = masked_fill(ranks, lt(ranks, 0), 0)
    else:
        last_place = ordered.shape[-1] - 1
        ranks = broadcast_to(mul(parts, last_place), (*ordered.shape[:-1], parts.shape[0]))
        ranks = masked_fill(ranks, any_of(isnan(ordered), -1, True), last_place)  # NaN comes last in order
    chosen = {"lower": floor, "higher": ceil, "nearest": rounded}.get(interpolation)
    return ranks if chosen is None else chosen(ranks)


def _at_ranks(ordered: Tensor, ranks: Tensor, interpolation: str) -> Tensor:
    """The elements at whole ranks, and between the neighbours of others."""
    places = to(ranks, dtypes.int64)
    below = gather(ordered, -1, places)
    if interpolation not in ("linear", "midpoint"):
        return below
    above = gather(ordered, -1, to(ceil(ranks), dtypes.int64))
    weights = full((), 0.5, dtype=ranks._dtype) if interpolation == "midpoint" else sub(ranks, places)
    return lerp(below, above, weights)
