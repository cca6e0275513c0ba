"""Losses that are computed element by element: how far each number is from its target, or how unlikely.

Each is one pass over the elements, then a mean or a sum. Its gradient is one pass, too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.core.modes import no_grad
from tensorlab.core.warned import warn_caller
from tensorlab.dispatch.operands import number_from, result_type
from tensorlab.ops.arguments import need_tensors
from tensorlab.ops.conversion import cast
from tensorlab.ops.creation import full as filled
from tensorlab.ops.elementwise import compute, tensor_form
from tensorlab.ops.reduce import as_flag
from tensorlab.ops.shape import broadcast_tensors
from tensorlab.registry import op
from tensorlab.scalars import TABLE, Scalar
from tensorlab.tensor import Tensor


def reduction_of(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> str:
    """``"mean"``, ``"sum"`` or ``"none"``, said in today's word or in PyTorch's older ones.

    Raises:
        ValueError: there is no such reduction.

    Example:
        >>> reduction_of("mean"), reduction_of("none")
        ('mean', 'none')
    """
    if size_average is not None or reduce is not None:
        chosen = "none" if reduce is False else "sum" if size_average is False else "mean"
        warn_caller(
            f"size_average and reduce args will be deprecated, please use reduction='{chosen}' instead.",
        )
        return chosen
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction: it is 'mean', 'sum' or 'none'")
    return reduction


def reduced(losses: Tensor, reduction: str) -> Tensor:
    """The mean or the sum of losses, or all of them."""
    if reduction == "none":
        return losses
    return losses.mean() if reduction == "mean" else losses.sum()


# --- one pass and a reduction as one operation ---------------------------------------------------------


def _scaled(grad: Any, input: Any, target: Any, weight: Any, reduction: str) -> Any:
    """The gradient of each element's loss."""
    if reduction == "mean":
        grad = grad / math.prod(_shape(input, target))
    return grad if weight is None else grad * weight


def _shape(input: Tensor, target: Tensor) -> Sequence[int]:
    return input._shape if input._shape == target._shape else broadcast_tensors(input, target)[0]._shape


def _kind(name: str, row: Scalar) -> Any:
    """The node of a loss: its gradients are the row's, by kernels or by operations that are recorded."""

    def recorded(form: Any) -> Any:
        def gradient(grad: Any, input: Any, target: Any, extra: Any, weight: Any, reduction: str) -> Any:
            return form(_scaled(grad, input, target, weight, reduction), input, target, *extra)

        return None if form is None else gradient

    def computed(grad: Tensor, wanted: Sequence[bool], kept: dict[str, Any]) -> list[Tensor | None]:
        input, target = kept["input"].detach(), kept["target"].detach()
        grad = _scaled(grad, input, target, kept["weight"], kept["reduction"])
        return [
            compute(own, grad, input, target, *kept["extra"]) if want and own is not None else None
            for own, want in zip(owns, wanted, strict=False)
        ]

    owns = [None if formula is None else _own(row, formula) for formula in row.gradients]
    forms = [tensor_form(formula) if callable(formula) else None for formula in row.gradients]
    return formulas(name, fused=computed, input=recorded(forms[0]), target=recorded(forms[1]))


def _own(row: Scalar, formula: Any) -> Scalar:
    """The row of a gradient: its first operand is that of the result."""
    operands = row.arity + 1
    return Scalar(formula.__name__, formula, operands, "", parameters=row.parameters, cost=row.cost)


_KINDS = {
    "squared_difference": "MseLossBackward0",
    "smooth_difference": "SmoothL1LossBackward0",
    "huber_difference": "HuberLossBackward0",
    "cross_entropy_of_probability": "BinaryCrossEntropyBackward0",
    "cross_entropy_of_logit": "BinaryCrossEntropyWithLogitsBackward0",
    "weighted_cross_entropy_of_logit": "BinaryCrossEntropyWithLogitsBackward0",
    "soft_margin": "SoftMarginLossBackward0",
}
_NODES = {name: _kind(node, TABLE[name]) for name, node in _KINDS.items()}


def loss(
    name: str, input: Tensor, target: Tensor, reduction: str, *extra: Any, weight: Tensor | None = None
) -> Tensor:
    """One row of the table for each element, then the reduction, recorded as one operation."""
    losses = compute(TABLE[name], input, target, *extra)
    if weight is not None:
        losses = compute(TABLE["mul"], losses, weight)
    result = reduced(losses, reduction)
    return record(_NODES[name], result, input, target, extra=extra, weight=weight, reduction=reduction)


def _warn_of_sizes(input: Tensor, target: Tensor) -> None:
    if input._shape != target._shape:
        warn_caller(
            f"Using a target size ({tuple(target._shape)}) that is different to the input size "
            f"({tuple(input._shape)}). This will likely lead to incorrect results due to broadcasting. "
            f"Please ensure they have the same size.",
        )


def _check_weight(weight: Tensor, losses: Tensor) -> None:
    if weight._shape != losses._shape:
        raise ValueError(
            f"Weights and input must have the same size: {tuple(weight._shape)} and {tuple(losses._shape)}"
        )


def _weighted(losses: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """Losses with a weight for each; their mean is divided by the sum of the weights."""
    _check_weight(weight, losses)
    weighted = losses * weight
    if reduction == "mean":
        return weighted.sum() / weight.sum()
    return reduced(weighted, reduction)


# --- distances -----------------------------------------------------------------------------------------


@op(namespace="nn.functional")
def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The squares of the differences.

    Args:
        input, target: floating-point tensors whose shapes can be broadcast; a warning says if they differ.
        size_average, reduce: PyTorch's older words for `reduction`.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each element.
        weight: the weight of each element in the mean.

    Raises:
        ValueError: there is no such reduction, or the weights have another shape.
        NotImplementedError: the elements are integers.

    Example:
        >>> F.mse_loss(tl.tensor([1.0, 2.0]), tl.tensor([1.0, 5.0]))
        tensor(4.5000)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    _warn_of_sizes(input, target)
    if weight is not None:
        return _weighted(loss("squared_difference", input, target, "none"), weight, reduction)
    return loss("squared_difference", input, target, reduction)


@op(namespace="nn.functional")
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The absolute differences. The arguments are those of `mse_loss`.

    Example:
        >>> F.l1_loss(tl.tensor([1.0, 2.0]), tl.tensor([1.0, 5.0]))
        tensor(1.5000)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    _warn_of_sizes(input, target)
    if weight is None:
        return reduced((input - target).abs(), reduction)
    return _weighted((input - target).abs(), weight, reduction)


@op(namespace="nn.functional")
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """The absolute differences less ``beta / 2``, and below `beta` a parabola without a corner.

    Args:
        input, target, size_average, reduce, reduction: those of `mse_loss`.
        beta: where the parabola ends, at least 0.

    Raises:
        RuntimeError: `beta` is negative.

    Example:
        >>> F.smooth_l1_loss(tl.tensor([0.5, 3.0]), tl.zeros(2), reduction="none")
        tensor([0.1250, 2.5000])
    """
    reduction = reduction_of(reduction, size_average, reduce)
    beta = number_from(beta)
    if beta < 0:
        raise RuntimeError(f"smooth_l1_loss does not support negative values for beta. Got: {beta}")
    _warn_of_sizes(input, target)
    if beta == 0:
        return reduced((input - target).abs(), reduction)
    return loss("smooth_difference", input, target, reduction, beta)


@op(namespace="nn.functional")
def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Half the squares of the differences, and beyond `delta` their tangent.

    Args:
        input, target, reduction: those of `mse_loss`.
        delta: where the parabola ends, above 0.
        weight: a number for each element, of the same shape. As in PyTorch the mean counts elements here,
            where that of `mse_loss` divides by the sum of the weights.

    Raises:
        RuntimeError: `delta` is not above 0.
        ValueError: there is no such reduction, or the weights have another shape.

    Example:
        >>> F.huber_loss(tl.tensor([0.5, 3.0]), tl.zeros(2), reduction="none")
        tensor([0.1250, 2.5000])
    """
    reduction = reduction_of(reduction)
    delta = number_from(delta)
    if delta <= 0:
        raise RuntimeError(f"huber_loss does not support non-positive values for delta. Got: {delta}")
    _warn_of_sizes(input, target)
    if weight is None and result_type(input, target) is input._dtype:
        return loss("huber_difference", input, target, reduction, delta)
    losses = cast(loss("huber_difference", input, target, "none", delta), input._dtype)  # as PyTorch has it
    if weight is not None:
        _check_weight(weight, losses)
        losses = losses * weight
    return reduced(losses, reduction)


# --- probabilities -----------------------------------------------------------------------------------


@op(namespace="nn.functional")
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``-(target * log(input) + (1 - target) * log(1 - input))``, each logarithm at least -100.

    Args:
        input: probabilities from 0 to 1.
        target: what they should be, from 0 to 1, of the same shape.
        weight: a number for each element, broadcast to them.
        size_average, reduce: PyTorch's older words for `reduction`.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each element.

    Raises:
        ValueError: the shapes differ, or there is no such reduction.
        RuntimeError: a number is not from 0 to 1, or the dtypes differ.

    Example:
        >>> F.binary_cross_entropy(tl.tensor([0.5, 0.25]), tl.tensor([1.0, 0.0]), reduction="none")
        tensor([0.6931, 0.2877])
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if input._shape != target._shape:
        raise ValueError(
            f"Using a target size ({tuple(target._shape)}) that is different to the input size "
            f"({tuple(input._shape)}) is deprecated. Please ensure they have the same size."
        )
    if target._dtype is not input._dtype:
        raise RuntimeError(f"Found dtype {target._dtype.name} but expected {input._dtype.name}")
    for name, tensor in (("input", input), ("target", target)):
        if tensor.numel() and not bool(((tensor >= 0) & (tensor <= 1)).all()):
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    return loss("cross_entropy_of_probability", input, target, reduction, weight=_spread(weight, input))


@op(namespace="nn.functional")
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy` of ``sigmoid(input)``, finite however great the numbers are.

    Args:
        input: any numbers.
        target: probabilities from 0 to 1, of the same shape.
        weight: a number for each element, broadcast to them.
        size_average, reduce: PyTorch's older words for `reduction`.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each element.
        pos_weight: how many times the probability itself counts, broadcast to the elements.

    Raises:
        ValueError: the shapes differ, or there is no such reduction.
        RuntimeError: the targets are integers or bools.

    Example:
        >>> x, y = tl.tensor([0.0, 200.0]), tl.tensor([1.0, 0.0])
        >>> F.binary_cross_entropy_with_logits(x, y, reduction="none")
        tensor([  0.6931, 200.0000])
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if input._shape != target._shape:
        raise ValueError(
            f"Target size ({tuple(target._shape)}) must be the same as input size ({tuple(input._shape)})"
        )
    if not target._dtype.is_floating_point and input._dtype.is_floating_point:
        raise RuntimeError(
            f"result type {input._dtype.name} can't be cast to the desired output type {target._dtype.name}: "
            f"targets are probabilities, convert them with .to(tensorlab.{input._dtype.name})"
        )
    weight = _spread(weight, input)
    if pos_weight is None:
        return loss("cross_entropy_of_logit", input, target, reduction, weight=weight)
    return loss("weighted_cross_entropy_of_logit", input, target, reduction, pos_weight, weight=weight)


def _spread(weight: Tensor | None, input: Tensor) -> Tensor | None:
    return None if weight is None else weight.expand(input._shape)


# --- likelihoods of distributions -----------------------------------------------------------------------


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
    losses = target.exp() * (target - input) if log_target else target.xlogy(target) - target * input
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
