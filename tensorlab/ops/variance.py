"""Variance and standard deviation: how far elements lie from their mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorlab.autograd.formulas import Backward, formulas
from tensorlab.autograd.recording import record_several
from tensorlab.core import dtypes
from tensorlab.core.warned import warn_caller
from tensorlab.ops.reduce import Dims, Reduce, as_dims, as_flag, reduce, result_type, spread
from tensorlab.ops.reduction import MEAN
from tensorlab.ops.where import safe_where, where
from tensorlab.registry import op
from tensorlab.tensor import Tensor

Flag = bool | None
Gradient = Tensor | None
Gradients = Sequence[Gradient]

# --- gradients ------------------------------------------------------------------------------------------


def _d_var(grad: Tensor, input: Tensor, dim: Dims, keepdim: bool, k: float) -> Tensor:
    dims = as_dims(dim, input.ndim, "var")
    count = math.prod(input.shape[position] for position in dims)
    distance = input - input.mean(dims, keepdim=True)
    if count > k:
        return distance * spread(grad * (2.0 / (count - k)), input.shape, dim, keepdim)
    return spread(grad, input.shape, dim, keepdim) * where(distance == 0, math.nan, math.inf)


def _d_std(grad: Tensor, input: Tensor, result: Tensor, dim: Dims, keepdim: bool, k: float) -> Tensor:
    of_var = safe_where(result != 0, lambda deviation: grad / (deviation * 2.0), result, 0.0)
    return _d_var(of_var, input, dim, keepdim, k)


def _d_mean(grad: Tensor, input: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    count = math.prod(input.shape[position] for position in as_dims(dim, input.ndim, "mean"))
    return spread(grad / max(count, 1), input.shape, dim, keepdim)


def _d_var_mean(grad: Gradients, input: Tensor, dim: Dims, keepdim: bool, k: float) -> Gradient:
    of_var = None if grad[0] is None else _d_var(grad[0], input, dim, keepdim, k)
    return _with_that_of_mean(of_var, grad[1], input, dim, keepdim)


def _d_std_mean(
    grad: Gradients, input: Tensor, result0: Tensor, dim: Dims, keepdim: bool, k: float
) -> Gradient:
    of_std = None if grad[0] is None else _d_std(grad[0], input, result0, dim, keepdim, k)
    return _with_that_of_mean(of_std, grad[1], input, dim, keepdim)


def _with_that_of_mean(
    gradient: Gradient, of_mean: Gradient, input: Tensor, dim: Dims, keepdim: bool
) -> Gradient:
    if of_mean is None:
        return gradient
    other = _d_mean(of_mean, input, dim, keepdim)
    return other if gradient is None else gradient + other


VAR = Reduce("var", result_type, "Var", _d_var)
STD = Reduce("std", result_type, "Std", _d_std)
VarMeanBackward0 = formulas("VarMeanBackward0", input=_d_var_mean)
StdMeanBackward0 = formulas("StdMeanBackward0", input=_d_std_mean)

# --- functions ------------------------------------------------------------------------------------------


@op("function method", names="reduces")
def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: Flag = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The variance: the sum of the squared distances from the mean, divided by ``max(0, n - correction)``.

    The mean is found first, and then the distances, both in float64.

    Args:
        input: a floating-point tensor.
        dim: the dimension, or dimensions, to look along; all without it.
        unbiased: the older way to say it: True for a correction of 1, False for 0. It may stand in `dim`'s
            place, ``x.var(False)``.
        keepdim: whether the dimensions stay, with size 1.
        correction: what to take from the number n of elements; 1 if nothing is said (Bessel's correction).
        out: a tensor of the result's shape to write into.

    Returns:
        a tensor of `input`'s dtype; NaN where there are no elements, or one and a correction of 1.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: the elements are not floats.
        TypeError: both `unbiased` and `correction` are given.

    Example:
        >>> x = tl.tensor([1.0, 2.0, 3.0, 4.0])
        >>> x.var(), x.var(correction=0)
        (tensor(1.6667), tensor(1.2500))
    """
    return _spread(VAR, input, dim, unbiased, keepdim, correction, out)


@op("function method", names="reduces")
def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: Flag = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The standard deviation: the root of the variance. The arguments are those of `var`.

    Example:
        >>> tl.tensor([[1.0, 3.0], [2.0, 8.0]]).std(1, correction=0)
        tensor([1., 3.])
    """
    return _spread(STD, input, dim, unbiased, keepdim, correction, out)


@op(names="reduces")
def var_mean(
    input: Tensor,
    dim: Dims = None,
    unbiased: Flag = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:
    """The variance and the mean. The arguments are those of `var`.

    Example:
        >>> tl.var_mean(tl.tensor([1.0, 2.0, 3.0]))
        (tensor(1.), tensor(2.))
    """
    return _with_mean(VAR, VarMeanBackward0, input, dim, unbiased, keepdim, correction)


@op(names="reduces")
def std_mean(
    input: Tensor,
    dim: Dims = None,
    unbiased: Flag = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean. The arguments are those of `var`.

    Example:
        >>> tl.std_mean(tl.tensor([1.0, 3.0]))
        (tensor(1.4142), tensor(2.))
    """
    return _with_mean(STD, StdMeanBackward0, input, dim, unbiased, keepdim, correction)


def _with_mean(
    primitive: Reduce,
    node: type[Backward],
    input: Tensor,
    dim: Any,
    unbiased: Flag,
    keepdim: bool,
    correction: float | None,
) -> tuple[Tensor, Tensor]:
    plain = input.detach()
    deviation = _spread(primitive, plain, dim, unbiased, keepdim, correction, None)
    dim, k = _along(primitive.name, dim, unbiased, correction)
    results = deviation, reduce(MEAN, plain, dim, keepdim)
    record_several(node, results, input, dim=dim, keepdim=keepdim, k=k)
    return results


def _along(name: str, dim: Any, unbiased: Flag, correction: float | None) -> tuple[Any, float]:
    """The dimensions and the correction that are meant."""
    if isinstance(dim, bool) and unbiased is None:  # var(False) means var(unbiased=False)
        dim, unbiased = None, dim
    if unbiased is not None:
        if correction is not None:
            raise TypeError(f"{name}() got both 'unbiased' and 'correction': give the correction alone")
        correction = int(as_flag(name, unbiased, "unbiased"))
    return dim, 1.0 if correction is None else float(correction)


def _spread(
    primitive: Reduce,
    input: Tensor,
    dim: Any,
    unbiased: Flag,
    keepdim: bool,
    correction: float | None,
    out: Tensor | None,
) -> Tensor:
    name = primitive.name
    dim, k = _along(name, dim, unbiased, correction)
    element_type = input.dtype
    if not element_type.is_floating_point:
        raise RuntimeError(
            f"std and var only support floating point and complex dtypes, got {element_type.name}: "
            f"convert with .to(tensorlab.float32) first"
        )
    result = element_type if out is None else out.dtype
    if result.category != dtypes.FLOATING:
        raise RuntimeError(
            f"{name}(): result type {element_type.name} can't be cast to the desired output type "
            f"{result.name}"
        )
    found = reduce(primitive, input, dim, keepdim, None, out, k)
    if input.numel() <= k * found.numel():
        warn_caller(
            f"{name}(): degrees of freedom is <= 0: {input.numel()} elements make {found.numel()} results, "
            f"and the correction {k:g} must be less than the number of elements behind one result",
        )
    return found
