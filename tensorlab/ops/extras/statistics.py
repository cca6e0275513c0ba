"""Statistics: covariances, quantiles, histograms, and which elements are among others."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlab import return_types
from tensorlab.core import dtypes
from tensorlab.core.devices import device
from tensorlab.core.dtypes import dtype
from tensorlab.core.warned import warn_caller
from tensorlab.dispatch.operands import Number, is_number, result_type
from tensorlab.dispatch.primitive import check_out
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.arithmetic import round as rounded
from tensorlab.ops.creation import full
from tensorlab.ops.from_data import tensor
from tensorlab.ops.outputs import need_outs, written
from tensorlab.ops.pointwise import ceil, eq, floor, ne
from tensorlab.ops.reduce import as_one_dim
from tensorlab.ops.search import count_between, searchsorted
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op("function method")
def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """How much variables vary together: the covariance of each two of them.

    Args:
        input: one row a variable, one column an observation; a vector is one variable.
        correction: what is taken off the number of observations before the sum is divided by it. With 1 the
            estimate is unbiased.
        fweights: how often each observation was made: an integer tensor, one element a column.
        aweights: how much each observation counts: a floating tensor, one element a column.

    Returns:
        a square matrix with one row and one column a variable; of one variable, a tensor without dimensions.
        Integers give the default dtype.

    Raises:
        RuntimeError: `input` has more than two dimensions or is of bools, or weights have another dtype or
            size, or a negative one is among them.

    Example:
        >>> tl.cov(tl.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])
    """
    _check_variables("cov", input)
    rows = input.reshape((1, -1)) if input.ndim < 2 else input
    if not rows._dtype.is_floating_point:
        rows = rows.to(dtypes.get_default_dtype())
    count = rows.shape[1]
    weights = _weights(count, fweights, aweights)
    if weights is None:
        mean = rows.sum(1, True) / count if count else rows.sum(1, True) * float("nan")
        factor: Tensor | float = max(count - correction, 0)
        degrees = count - correction
    else:
        total = weights.sum()
        mean = (rows * weights).sum(1, True) / total
        factor = weighted = total
        if correction and aweights is not None:
            weighted = total - (weights * aweights).sum() / total * correction
        elif correction:
            weighted = total - correction
        factor, degrees = weighted, weighted.item()
    if degrees <= 0:
        warn_caller(
            f"cov(): degrees of freedom is <= 0: {count} observations less the correction {correction}"
        )
        factor = rows.new_zeros(())
    rows = rows - mean
    products = rows.mm((rows if weights is None else rows * weights).t())
    return (products / factor).squeeze()


def _check_variables(name: str, input: Tensor) -> None:
    if input.ndim > 2:
        raise RuntimeError(
            f"{name}(): expected input to have two or fewer dimensions but got an input with {input.ndim} "
            f"dimensions: one row a variable, one column an observation"
        )
    if input._dtype is dtypes.bool:
        raise RuntimeError(f"{name}(): bool dtype is not supported for input: convert it with .float() first")


def _weights(count: int, fweights: Tensor | None, aweights: Tensor | None) -> Tensor | None:
    """How much each observation counts in all; None if each counts once."""
    for name, weights, is_float in (("fweights", fweights, False), ("aweights", aweights, True)):
        if weights is None:
            continue
        if weights.ndim > 1:
            raise RuntimeError(
                f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
                f"{weights.ndim} dimensions"
            )
        if weights._dtype.is_floating_point is not is_float or weights._dtype is dtypes.bool:
            kind = "floating point" if is_float else "integral"
            raise RuntimeError(
                f"cov(): expected {name} to have {kind} dtype but got {name} with {weights._dtype.name} dtype"
            )
        if weights.numel() != count:
            raise RuntimeError(
                f"cov(): expected {name} to have the same numel as there are observations in the input but "
                f"got {weights.numel()} != {count}"
            )
        if count and bool((weights < 0).any()):
            raise RuntimeError(f"cov(): {name} cannot be negative: {weights.tolist()}")
    if fweights is None or aweights is None:
        return fweights if aweights is None else aweights
    return fweights * aweights


@op("function method")
def corrcoef(input: Tensor) -> Tensor:
    """How much variables vary together, from -1 to 1: each covariance over both standard deviations.

    Args:
        input: one row a variable, one column an observation; a vector is one variable.

    Returns:
        a square matrix with one row and one column a variable; of one variable, a tensor without dimensions.

    Raises:
        RuntimeError: `input` has more than two dimensions, or is of bools.

    Example:
        >>> tl.corrcoef(tl.tensor([[0.0, 1.0, 2.0], [5.0, 3.0, 1.0]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])
    """
    _check_variables("corrcoef", input)
    together = cov(input)
    if together.ndim == 0:
        return together / together
    deviations = together.diag().sqrt()
    return (together / deviations.unsqueeze(1) / deviations.unsqueeze(0)).clamp(-1, 1)


INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


@op("function method")
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
        >>> x = tl.tensor([[1.0, 3.0, 2.0, 9.0], [4.0, 8.0, 7.0, 6.0]])
        >>> tl.quantile(x, 0.5), tl.quantile(x, tl.tensor([0.25, 1.0]), dim=1)
        (tensor(5.), tensor([[1.7500, 5.5000],
                [9.0000, 8.0000]]))
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation, out)


@op("function method")
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
    lines = input.flatten() if position is None else input.unsqueeze(-1).transpose(position, -1)
    ordered = lines.sort(-1).values
    ranks = _ranks(ordered, parts.reshape((-1,)), name == "nanquantile", interpolation)
    found = _at_ranks(ordered, ranks, interpolation)
    if position is None:
        found = found.reshape((*(1,) * (input.ndim if keepdim else 0), -1))
    elif not keepdim:
        found = found.squeeze(position)
    result = found.movedim(-1, 0) if parts.ndim else found.squeeze(-1)
    return result if out is None else written(out, result)


def _parts(name: str, input: Tensor, q: float | Tensor, interpolation: str) -> Tensor:
    """`q` as a tensor of `input`'s dtype, after everything has been looked at."""
    if input._dtype not in (dtypes.float32, dtypes.float64):
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
        return input.new_full((), q)
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
        last = (ordered == ordered).sum(-1, True) - 1
        ranks = parts * last.to(ordered._dtype)
        ranks = ranks.masked_fill(ranks < 0, 0)
    else:
        last_place = ordered.shape[-1] - 1
        ranks = (parts * last_place).broadcast_to((*ordered.shape[:-1], parts.shape[0]))
        ranks = ranks.masked_fill(ordered.isnan().any(-1, True), last_place)  # NaN comes last in order
    chosen = {"lower": floor, "higher": ceil, "nearest": rounded}.get(interpolation)
    return ranks if chosen is None else chosen(ranks)


def _at_ranks(ordered: Tensor, ranks: Tensor, interpolation: str) -> Tensor:
    """The elements at whole ranks, and between the neighbours of others."""
    places = ranks.to(dtypes.int64)
    below = ordered.gather(-1, places)
    if interpolation not in ("linear", "midpoint"):
        return below
    above = ordered.gather(-1, ranks.ceil().to(dtypes.int64))
    weights = ranks.new_full((), 0.5) if interpolation == "midpoint" else ranks - places
    return below.lerp(above, weights)


@op("function method")
def histogram(
    input: Tensor,
    bins: int | Tensor,
    *,
    range: tuple[float, float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
    out: Any = None,
) -> Any:
    """How many elements lie in each interval, and where the intervals begin and end.

    An interval has its lower edge, and the last one its upper edge too. NaN and elements outside of all
    intervals are left out.

    Args:
        input: a tensor of float32 or float64; it may have any shape.
        bins: how many intervals of one width; or a vector of their edges, in ascending order.
        range: where the first begins and the last ends. Without it: the least and the greatest element.
        weight: what each element counts, of `input`'s shape and dtype.
        density: divide each count by their sum and the interval's width, so that the area under all is 1.
        out: a pair of tensors to write into.

    Returns:
        a named tuple (hist, bin_edges), of `input`'s dtype.

    Raises:
        NotImplementedError: the elements are not of float32 or float64.
        RuntimeError: there are no intervals, the range is not finite, or a shape or dtype does not fit.
        TypeError: `bins` is neither a number nor a tensor.

    Example:
        >>> counts, edges = tl.histogram(tl.tensor([1.0, 2.0, 1.0]), bins=4, range=(0.0, 3.0))
        >>> counts, edges
        (tensor([0., 2., 1., 0.]), tensor([0.0000, 0.7500, 1.5000, 2.2500, 3.0000]))
    """
    kind = input._dtype
    if kind not in (dtypes.float32, dtypes.float64):
        raise NotImplementedError(
            f'"histogram" not implemented for {kind.name}: convert with .to(tensorlab.float32) first'
        )
    if out is not None:
        check_out("histogram", out, *need_outs("histogram", out, 2), input)
    values = input.detach().double().reshape(-1)
    if isinstance(bins, Tensor):
        if bins.ndim != 1 or bins._dtype is not kind or range is not None or not bins.numel():
            raise RuntimeError(
                f"histogram(): bins tensor should have one dimension, `input`'s dtype {kind.name}, and no "
                f"range beside it; got shape {tuple(bins.shape)}, dtype {bins._dtype.name}, range {range}"
            )
        shown = bins.detach().clone()
    else:
        shown = tensor(_edges(values, bins, range), dtype=kind, device=input.device)
    edges = shown.double().cummax(0)[0]
    weights = None
    if weight is not None:
        if weight.shape != input.shape or weight._dtype is not kind:
            raise RuntimeError(
                f"histogram(): the weight tensor should have the shape and dtype of the input, "
                f"{tuple(input.shape)} and {kind.name}; got {tuple(weight.shape)} and {weight._dtype.name}"
            )
        weights = weight.detach().double().reshape(-1)
    counts = count_between(values, edges, weights) if edges.numel() > 1 else edges.new_zeros(0)
    if density:
        counts = counts / counts.sum() / (edges[1:] - edges[:-1])
    results: Any = (counts.to(kind), shown)
    if out is not None:
        results = tuple(written(o, result) for o, result in zip(out, results, strict=True))
    return return_types.histogram(results)


def _edges(values: Tensor, bins: int, bounds: tuple[float, float] | None) -> list[float]:
    """The edges of intervals of one width."""
    if isinstance(bins, bool) or not isinstance(bins, (int, np.integer)):
        raise TypeError(f"histogram(): bins must be an int or a Tensor of edges, not {type(bins).__name__}")
    if bins <= 0:
        raise RuntimeError(f"histogram(): bins must be > 0, but got {bins}")
    if bounds is not None:
        low, high = map(float, bounds)
    else:
        low, high = (bound.item() for bound in values.aminmax()) if values.numel() else (0.0, 1.0)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"histogram(): the range [{low}, {high}] is not finite: give a range")
    if low > high:
        raise RuntimeError(f"histogram(): min should not exceed max, but got min {low} max {high}")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, bins + 1).tolist()


@op()
def isin(
    elements: Tensor | Number,
    test_elements: Tensor | Number,
    *,
    assume_unique: bool = False,
    invert: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """For each element whether it equals one of others; NaN equals none.

    The others are sorted once, and each element looks for its place among them.

    Args:
        elements: the elements to ask about, or one number.
        test_elements: what they are compared with, of any shape; or one number, if `elements` is a tensor.
        assume_unique: taken as PyTorch takes it: that no element comes twice makes no difference here.
        invert: ask whether it equals none.
        out: a tensor of bools to write into.

    Returns:
        bools in the shape of `elements`.

    Raises:
        TypeError: there is no tensor, or an argument is neither a tensor nor a number.
        RuntimeError: the elements are bools.

    Example:
        >>> tl.isin(tl.tensor([[1, 2], [3, 4]]), tl.tensor([2, 4, 6]))
        tensor([[False,  True],
                [False,  True]])
    """
    for name, given in (("elements", elements), ("test_elements", test_elements)):
        if not is_number(given):
            need_tensor("isin", given, name)
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        raise TypeError("isin(): one of elements and test_elements must be a Tensor, got two numbers")
    common = result_type(elements, test_elements)
    if dtypes.bool in (result_type(elements), result_type(test_elements)):
        raise RuntimeError("Unsupported input type encountered for isin(): bool: convert with .byte() first")
    place = next(each.device for each in (elements, test_elements) if isinstance(each, Tensor))
    asked, others = (_as_tensor(each, common, place) for each in (elements, test_elements))
    others = others.flatten()
    if common.is_floating_point:
        others = others.masked_select(others == others)  # NaN equals nothing, and has no place in an order
    if others.numel():
        ordered = others.sort().values
        places = searchsorted(ordered, asked).clamp_max(ordered.shape[0] - 1)
        result = (ne if invert else eq)(ordered.take(places), asked)
    else:
        result = full(tuple(asked.shape), invert, device=asked.device)
    return result if out is None else written(out, result)


def _as_tensor(given: Tensor | Number, element_type: dtype, place: device) -> Tensor:
    made = given.detach() if isinstance(given, Tensor) else full((), given, device=place)
    return made.to(element_type)
