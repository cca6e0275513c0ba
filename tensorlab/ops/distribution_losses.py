"""Losses that ask how likely a target is under a distribution that the input describes."""

from __future__ import annotations

import math

from tensorlab.core.modes import no_grad
from tensorlab.core.warned import warn_caller
from tensorlab.ops.arguments import need_tensors
from tensorlab.ops.creation import full as filled
from tensorlab.ops.losses import reduced, reduction_of
from tensorlab.ops.pointwise import xlogy
from tensorlab.ops.reduce import as_flag
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op(namespace="nn.functional")
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """``target * (log(target) - input)``: how far probabilities are from those whose logarithms are `input`.

    Args:
        input: the logarithms of probabilities.
        target: probabilities, or their logarithms with `log_target`; the shapes can be broadcast.
        size_average, reduce: PyTorch's older words for `reduction`.
        reduction: ``"batchmean"``, the sum divided by the size of the first dimension, which is the
            divergence; ``"mean"`` over all elements, ``"sum"``, or ``"none"``.
        log_target: whether `target` holds logarithms.

    Raises:
        ValueError: there is no such reduction.

    Example:
        >>> F.kl_div(tl.tensor([[0.5, 0.5]]).log(), tl.tensor([[1.0, 0.0]]), reduction="batchmean")
        tensor(0.6931)
    """
    if not (input.is_floating_point() and target.is_floating_point()):
        raise RuntimeError(f"kl_div: Integral inputs not supported: {input.dtype.name}, {target.dtype.name}")
    over_batch = reduction == "batchmean"
    if reduction == "mean" and size_average is None and reduce is None:
        warn_caller(
            "reduction: 'mean' divides the total loss by both the batch size and the support size. "
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition.",
        )
    reduction = "sum" if over_batch else reduction_of(reduction, size_average, reduce)
    losses = target.exp() * (target - input) if log_target else xlogy(target, target) - target * input
    result = reduced(losses, reduction)
    return result / input._shape[0] if over_batch and input.ndim else result


@op(namespace="nn.functional")
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The negative logarithm of the probability of a count, up to what depends on the count alone.

    Args:
        input: the logarithm of the expected count, or the expected count itself.
        target: the counts.
        log_input: whether `input` is a logarithm.
        full: add Stirling's approximation of what depends on the count alone.
        size_average, reduce: PyTorch's older words for `reduction`.
        eps: what is added to an expected count before its logarithm is taken.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each element.

    Raises:
        ValueError: there is no such reduction.

    Example:
        >>> F.poisson_nll_loss(tl.tensor([0.0, 1.0]), tl.tensor([1.0, 1.0]), reduction="none")
        tensor([1.0000, 1.7183])
    """
    reduction = reduction_of(reduction, size_average, reduce)
    need_tensors("poisson_nll_loss", input=input, target=target)
    for name, flag in (("log_input", log_input), ("full", full)):
        as_flag("poisson_nll_loss", flag, name)
    losses = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        losses = losses + stirling.masked_fill(target <= 1, 0)
    return reduced(losses, reduction)


@op(namespace="nn.functional")
def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """The negative logarithm of a normal density: ``(log(var) + (input - target)² / var) / 2``.

    Args:
        input: the expected values.
        target: the values.
        var: the variances: one number, one for each row, or of `input`'s shape; none is negative.
        full: add ``log(2π) / 2``.
        eps: the least variance that counts.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each element.

    Raises:
        ValueError: a variance is negative, their shape does not fit, or there is no such reduction.

    Example:
        >>> F.gaussian_nll_loss(tl.tensor([0.0, 2.0]), tl.zeros(2), 1.0, reduction="none")
        tensor([0., 2.])
    """
    if isinstance(var, (int, float)):
        if var < 0:
            raise ValueError(f"var has negative entry/entries: {var}")
        var = filled(input._shape, float(var), dtype=input._dtype)
    elif bool((var < 0).any()):
        raise ValueError("var has negative entry/entries")
    if var._shape != input._shape:
        if input._shape[:-1] == var._shape:
            var = var.unsqueeze(-1)
        elif input._shape[:-1] != var._shape[:-1] or var._shape[-1:] != (1,):
            raise ValueError(
                f"var is of incorrect size: {tuple(var._shape)} beside an input of {tuple(input._shape)}; it "
                f"has the input's shape, or one number for each row"
            )
    reduction = reduction_of(reduction)
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    losses = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return reduced(losses, reduction)
