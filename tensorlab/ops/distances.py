"""Distances: between two tensors, and between all pairs of vectors of two sets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.autograd.views import requires_grad
from tensorlab.core import broadcasting
from tensorlab.core.layout import Size
from tensorlab.ops.arguments import need_tensors
from tensorlab.ops.elementwise import apply
from tensorlab.ops.joining import cat
from tensorlab.ops.norms import d_vector_norm, vector_norm
from tensorlab.ops.products import product
from tensorlab.ops.ranges import triu_indices
from tensorlab.ops.where import safe_where
from tensorlab.registry import op
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor

# With more vectors than this in a set, Euclidean distances come from a matrix product.
FEW = 25

# How many differences may lie in memory at a time.
MOST_DIFFERENCES = 1 << 17

_MODES = {
    "use_mm_for_euclid_dist_if_necessary": None,
    "use_mm_for_euclid_dist": True,
    "donot_use_mm_for_euclid_dist": False,
}


def _d_euclidean(grad: Tensor, x1: Tensor, x2: Tensor, result: Tensor) -> Tensor:
    share = safe_where(result != 0, lambda distance: grad / distance, result, 0.0)
    return x1 * share.sum(-1, True) - product(share, x2)


def _d_distance(grad: Tensor, x1: Tensor, x2: Tensor, result: Tensor, p: float) -> Tensor | None:
    if p == 0:
        return None
    if not result.numel() or not x1.shape[-1]:
        return x1.new_zeros(x1.shape)
    parts = []
    for first, count in _parts_of(x1, x2):
        difference = x1.narrow(-2, first, count).unsqueeze(-2) - x2.unsqueeze(-3)
        norms = result.narrow(-2, first, count)
        arrived = grad.narrow(-2, first, count)
        if p == math.inf:  # unlike a norm's, this gradient is not shared by components of equal size
            greatest = difference.abs() == norms.unsqueeze(-1)
            slope: Any = difference.sgn() * arrived.unsqueeze(-1) * greatest
        else:
            slope = d_vector_norm(arrived, difference, norms, p, -1, False)
        parts.append(slope.sum(-2))
    return cat(parts, -2)


EuclideanDistBackward0 = formulas(
    "EuclideanDistBackward0",
    x1=_d_euclidean,
    x2=lambda grad, x1, x2, result: _d_euclidean(grad.mT, x2, x1, result.mT),
)
CdistBackward0 = formulas(
    "CdistBackward0",
    x1=_d_distance,
    x2=lambda grad, x1, x2, result, p: _d_distance(grad.mT, x2, x1, result.mT, p),
)


@op()
def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """The distance of every vector of one set from every vector of another.

    Args:
        x1: of shape (…, m, d): m vectors.
        x2: of shape (…, n, d), of the same dtype; the leading dimensions are broadcast.
        p: which norm of the difference is the distance; 0 counts the elements that differ, inf takes the
            largest.
        compute_mode: whether Euclidean distances come from ``|a|² - 2ab + |b|²``, a matrix product. That is
            faster, and less accurate for vectors that lie close together. The default does so when m or n is
            more than 25; the others, ``"use_mm_for_euclid_dist"`` and ``"donot_use_mm_for_euclid_dist"``,
            always and never.

    Returns:
        a tensor of shape (…, m, n).

    Raises:
        RuntimeError: the sizes or dtypes do not fit, the tensors are not floating, or `p` is negative.
        ValueError: there is no such `compute_mode`.

    Example:
        >>> tl.cdist(tl.tensor([[0.0, 0.0], [3.0, 0.0]]), tl.tensor([[0.0, 4.0]]))
        tensor([[4.],
                [5.]])
    """
    _check(x1, x2, p)
    if compute_mode not in _MODES:
        raise ValueError(
            f"{compute_mode} is not a valid value for compute_mode: use one of {', '.join(_MODES)}"
        )
    (m, d), n = x1.shape[-2:], x2.shape[-2]
    batch = broadcasting.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    shape = Size((*batch, m, n))
    if not shape.numel() or not d:
        return record(CdistBackward0, x1.new_zeros(shape), x1, x2, p=float(p))
    by_product = _MODES[compute_mode]
    a, b = (x.detach() if requires_grad(x) else x for x in (x1, x2))
    if p == 2 and (by_product or (by_product is None and max(m, n) > FEW)):
        return record(EuclideanDistBackward0, _by_product(a, b), x1, x2)
    norms = [_norms(a.narrow(-2, first, count), b, p) for first, count in _parts_of(a, b)]
    return record(CdistBackward0, cat(norms, -2), x1, x2, p=float(p))


def _parts_of(x1: Tensor, x2: Tensor) -> Iterator[tuple[int, int]]:
    """The first and the number of vectors of `x1` whose differences from all of `x2` are few enough."""
    (m, d), n = x1.shape[-2:], x2.shape[-2]
    batch = broadcasting.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    rows = max(1, MOST_DIFFERENCES // (math.prod(batch) * n * d))
    for first in range(0, m, rows):
        yield first, min(rows, m - first)


def _norms(x1: Tensor, x2: Tensor, p: float) -> Tensor:
    return vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


def _by_product(x1: Tensor, x2: Tensor) -> Tensor:
    a, b = (x.square().sum(-1, keepdim=True) for x in (x1, x2))
    products = product(x1, x2.transpose(-2, -1))
    return apply(TABLE["root_of_squares"], a, b.transpose(-2, -1), products, out=products)


@op(aliases="nn.functional.pdist")
def pdist(input: Tensor, p: float = 2) -> Tensor:
    """The distance of each two rows of a matrix: the first from each other one, then the second, and so on.

    Args:
        input: of shape (n, d): n vectors.
        p: which norm of the difference is the distance, as in `cdist`.

    Returns:
        a tensor of n · (n - 1) / 2 distances.

    Raises:
        RuntimeError: `input` is no matrix, its dtype is not floating, or `p` is negative.

    Example:
        >>> tl.pdist(tl.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
        tensor([5.0000, 1.0000, 4.2426])
    """
    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    if not input.is_floating_point():
        raise RuntimeError(f"pdist only supports floating-point dtypes, got {input.dtype.name}")
    if p < 0:
        raise RuntimeError(f"pdist only supports non-negative p values, got {p}")
    count = input.shape[0]
    table = cdist(input, input, p, "donot_use_mm_for_euclid_dist")
    first, second = triu_indices(count, count, 1, device=input.device)
    return table.take(first * count + second)


@op("function method")
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of all differences between two tensors, which are broadcast against each other.

    Raises:
        RuntimeError: the shapes do not broadcast, or neither tensor is floating.

    Example:
        >>> tl.dist(tl.tensor([3.0, 4.0]), tl.zeros(2)), tl.dist(tl.tensor([3.0, 4.0]), tl.zeros(1), p=1)
        (tensor(5.), tensor(7.))
    """
    need_tensors("dist", input=input, other=other)
    return vector_norm(input - other, p)


def _check(x1: Tensor, x2: Tensor, p: float) -> None:
    for name, x in (("X1", x1), ("X2", x2)):
        if not x.is_floating_point():
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {x.dtype.name}")
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}"
        )
    if x1.dtype is not x2.dtype:
        raise RuntimeError(
            f"cdist: expected both of one dtype, got {x1.dtype.name} and {x2.dtype.name}: convert one first"
        )
    if p < 0:
        raise RuntimeError(f"cdist only supports non-negative p values, got {p}")
