"""Gradients kept from growing: scaled to a length, or cut off at a value."""

from __future__ import annotations

from collections.abc import Iterable

import tensorlab as tl
from tensorlab.tensor import Tensor

__all__ = ["clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    several = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [parameter.grad for parameter in several if parameter.grad is not None]


@tl.no_grad()
def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of all numbers of several tensors, as if they stood in one.

    Args:
        tensors: one or several.
        norm_type: which norm; infinity for the largest magnitude.
        error_if_nonfinite: raise if it is NaN or infinite.
        foreach: taken as PyTorch takes it.

    Raises:
        RuntimeError: the norm is not finite, and that was asked for.

    Example:
        >>> import tensorlab as tl
        >>> get_total_norm([tl.tensor([3.0]), tl.tensor([4.0])])
        tensor(5.)
    """
    several = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    if not several:
        return tl.tensor(0.0)
    place = several[0].device  # a model may lie on several
    norms = [tl.linalg.vector_norm(tensor, norm_type).to(place) for tensor in several]
    total = tl.linalg.vector_norm(tl.stack(norms), norm_type)
    if error_if_nonfinite and not tl.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it "
            "cannot be clipped. To disable this error and scale the gradients by the non-finite norm anyway, "
            "set `error_if_nonfinite=False`"
        )
    return total


@tl.no_grad()
def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale gradients in place so that a norm that is known becomes at most `max_norm`.

    Example:
        >>> import tensorlab as tl
        >>> weight = tl.nn.Parameter(tl.zeros(1))
        >>> weight.grad = tl.tensor([10.0])
        >>> clip_grads_with_norm_(weight, 1.0, tl.tensor(10.0))
        >>> weight.grad
        tensor([1.0000])
    """
    scale = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    for gradient in _gradients(parameters):
        gradient.mul_(scale.to(gradient.device))


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients in place so that their norm, as if they stood in one tensor, is at most `max_norm`.

    Args:
        parameters: the tensors whose gradients are scaled.
        max_norm: the largest norm that is left.
        norm_type: which norm; infinity for the largest magnitude.
        error_if_nonfinite: raise if the norm is NaN or infinite.
        foreach: taken as PyTorch takes it.

    Returns:
        the norm before.

    Raises:
        RuntimeError: the norm is not finite, and that was asked for.

    Example:
        >>> import tensorlab as tl
        >>> weight = tl.nn.Parameter(tl.zeros(2))
        >>> weight.grad = tl.tensor([3.0, 4.0])
        >>> clip_grad_norm_(weight, 1.0), weight.grad
        (tensor(5.), tensor([0.6000, 0.8000]))
    """
    several = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    total = get_total_norm(_gradients(several), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(several, max_norm, total)
    return total


@tl.no_grad()
def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Cut each number of the gradients off, in place, at `clip_value` and at its negative.

    Example:
        >>> import tensorlab as tl
        >>> weight = tl.nn.Parameter(tl.zeros(2))
        >>> weight.grad = tl.tensor([-3.0, 0.5])
        >>> clip_grad_value_(weight, 1.0)
        >>> weight.grad
        tensor([-1.0000,  0.5000])
    """
    for gradient in _gradients(parameters):
        gradient.clamp_(-float(clip_value), float(clip_value))
