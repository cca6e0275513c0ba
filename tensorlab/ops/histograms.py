"""Counts in intervals, with the intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlab import dtypes, return_types
from tensorlab.ops.aliases import detach
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.conversion import to
from tensorlab.ops.dispatch import check_out
from tensorlab.ops.interop import from_numpy
from tensorlab.ops.outputs import need_outs, written
from tensorlab.registry import op
from tensorlab.tensor import Tensor


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
        >>> import tensorlab as tl
        >>> counts, edges = tl.histogram(tl.tensor([1.0, 2.0, 1.0]), bins=4, range=(0.0, 3.0))
        >>> counts, edges
        (tensor([0., 2., 1., 0.]), tensor([0.0000, 0.7500, 1.5000, 2.2500, 3.0000]))
    """
    kind = need_tensor("histogram", input)._dtype
    if kind not in (dtypes.float32, dtypes.float64):
        raise NotImplementedError(
            f'"histogram" not implemented for {kind.name}: convert with .to(tensorlab.float32) first'
        )
    if out is not None:
        check_out("histogram", out, *need_outs("histogram", out, 2), input)
    values = detach(input).double().numpy().reshape(-1)
    if isinstance(bins, Tensor):
        if bins.ndim != 1 or bins._dtype is not kind or range is not None or not bins.numel():
            raise RuntimeError(
                f"histogram(): bins tensor should have one dimension, `input`'s dtype {kind.name}, and no "
                f"range beside it; got shape {tuple(bins.shape)}, dtype {bins._dtype.name}, range {range}"
            )
        edges = np.maximum.accumulate(detach(bins).double().numpy())
        shown = detach(bins).clone()
    else:
        shown = from_numpy(np.array(_edges(values, bins, range), dtype=kind.numpy)).clone()
        edges = shown.double().numpy()
    weights = None
    if weight is not None:
        if weight.shape != input.shape or weight._dtype is not kind:
            raise RuntimeError(
                f"histogram(): the weight tensor should have the shape and dtype of the input, "
                f"{tuple(input.shape)} and {kind.name}; got {tuple(weight.shape)} and {weight._dtype.name}"
            )
        weights = detach(weight).double().numpy().reshape(-1)
    if len(edges) > 1:
        counts = np.histogram(values, edges, weights=weights)[0].astype(np.float64)
    else:
        counts = np.zeros(0)
    if density:
        counts = counts / counts.sum() / np.diff(edges)
    results: Any = (to(from_numpy(counts), kind).clone(), shown)
    if out is not None:
        results = tuple(written(o, result) for o, result in zip(out, results, strict=True))
    return return_types.histogram(results)


def _edges(values: np.ndarray, bins: int, bounds: tuple[float, float] | None) -> np.ndarray:
    """The edges of intervals of one width."""
    if isinstance(bins, bool) or not isinstance(bins, (int, np.integer)):
        raise TypeError(f"histogram(): bins must be an int or a Tensor of edges, not {type(bins).__name__}")
    if bins <= 0:
        raise RuntimeError(f"histogram(): bins must be > 0, but got {bins}")
    if bounds is not None:
        low, high = map(float, bounds)
    else:
        low, high = (values.min(), values.max()) if values.size else (0.0, 1.0)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"histogram(): the range [{low}, {high}] is not finite: give a range")
    if low > high:
        raise RuntimeError(f"histogram(): min should not exceed max, but got min {low} max {high}")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, bins + 1)
