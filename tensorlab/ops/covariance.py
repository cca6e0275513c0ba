"""Covariances and correlations of variables."""

from __future__ import annotations

from tensorlab import dtypes
from tensorlab.ops.arguments import need_tensor
from tensorlab.ops.bounds import clip
from tensorlab.ops.conversion import to
from tensorlab.ops.creation import zeros
from tensorlab.ops.diagonals import diag
from tensorlab.ops.dims import t
from tensorlab.ops.matmul import mm
from tensorlab.ops.pointwise import div, mul, sqrt, sub
from tensorlab.ops.reduction import sum as sum_over
from tensorlab.ops.shape import reshape, squeeze, unsqueeze
from tensorlab.registry import op
from tensorlab.tensor import Tensor
from tensorlab.warned import warn_caller


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
        >>> import tensorlab as tl
        >>> tl.cov(tl.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])
    """
    _check_variables("cov", input)
    rows = reshape(input, (1, -1)) if input.ndim < 2 else input
    if not rows._dtype.is_floating_point:
        rows = to(rows, dtypes.get_default_dtype())
    count = rows.shape[1]
    weights = _weights(count, fweights, aweights)
    if weights is None:
        mean = div(sum_over(rows, 1, True), count) if count else sum_over(rows, 1, True) * float("nan")
        factor: Tensor | float = max(count - correction, 0)
        degrees = count - correction
    else:
        total = sum_over(weights)
        mean = div(sum_over(mul(rows, weights), 1, True), total)
        factor = weighted = total
        if correction and aweights is not None:
            weighted = sub(total, mul(div(sum_over(mul(weights, aweights)), total), correction))
        elif correction:
            weighted = sub(total, correction)
        factor, degrees = weighted, weighted.item()
    if degrees <= 0:
        warn_caller(
            f"cov(): degrees of freedom is <= 0: {count} observations less the correction {correction}"
        )
        factor = zeros((), dtype=rows._dtype)
    rows = sub(rows, mean)
    products = mm(rows, t(rows if weights is None else mul(rows, weights)))
    return squeeze(div(products, factor))


def _check_variables(name: str, input: Tensor) -> None:
    if need_tensor(name, input).ndim > 2:
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
    return mul(fweights, aweights)


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
        >>> import tensorlab as tl
        >>> tl.corrcoef(tl.tensor([[0.0, 1.0, 2.0], [5.0, 3.0, 1.0]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])
    """
    _check_variables("corrcoef", input)
    together = cov(input)
    if together.ndim == 0:
        return div(together, together)
    deviations = sqrt(diag(together))
    return clip(div(div(together, unsqueeze(deviations, 1)), unsqueeze(deviations, 0)), -1, 1)
