"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from tensorlab.ops.update import move
from tensorlab.optim.optimizer import Optimizer, check_range, remembered
from tensorlab.scalars import updates
from tensorlab.tensor import Tensor

__all__ = ["SGD", "sgd_momentum"]


def sgd_momentum(
    parameter: Tensor,
    grad: Tensor,
    velocity: Tensor,
    lr: float | Tensor,
    momentum: float,
    dampening: float = 0,
    weight_decay: float = 0,
    nesterov: bool = False,
    maximize: bool = False,
) -> None:
    r"""One step, in place: :math:`v \leftarrow \mu v + g`, then :math:`x \leftarrow x - \eta v`.

    Args:
        parameter: x, which is overwritten.
        grad: its gradient g.
        velocity: v, which is overwritten.
        lr: the learning rate η, on a GPU also a tensor.
        momentum: μ, how much of the velocity stays.
        dampening, weight_decay, nesterov, maximize: those of `SGD`.

    Raises:
        RuntimeError: the tensors differ in shape or dtype.

    Example:
        >>> import tensorlab as tl
        >>> x, v = tl.tensor([1.0]), tl.tensor([0.5])
        >>> sgd_momentum(x, tl.tensor([2.0]), v, lr=0.5, momentum=0.5)
        >>> v, x
        (tensor([2.2500]), tensor([-0.1250]))
    """
    sign = -1 if maximize else 1
    numbers = lr, weight_decay, sign, momentum, 1 - dampening, nesterov
    move(updates.SGD_MOMENTUM, parameter, grad, (velocity,), *numbers, writer="SGD.step")


class SGD(Optimizer):
    r"""Stochastic gradient descent: a step against the gradient, with momentum if wanted.

    With the gradient :math:`g`, plus ``weight_decay`` times the parameter :math:`x`, the velocity becomes
    :math:`v \leftarrow \mu v + (1 - \tau) g` (at the first step :math:`v = g`), and
    :math:`x \leftarrow x - \eta v`. Nesterov's form steps by :math:`g + \mu v`. Sutskever et al., *On the
    importance of initialization and momentum in deep learning*, 2013, whose velocity holds the learning rate
    as well.

    Args:
        params: see `Optimizer`.
        lr: the learning rate η.
        momentum: μ, how much of the velocity stays.
        dampening: τ, how much of the gradient is left out of the velocity.
        weight_decay: how strongly the parameter itself is pulled to zero.
        nesterov: look ahead along the velocity.
        maximize: climb instead.
        foreach, fused: accepted; every step is one fused pass over the memory.
        differentiable: must be False.

    Raises:
        ValueError: a setting is negative, or Nesterov's form has no momentum, or dampening.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1.0, 2.0], requires_grad=True)
        >>> optimizer = tl.optim.SGD([x], lr=0.1)
        >>> (x * x).sum().backward()
        >>> optimizer.step()
        >>> x
        tensor([0.8000, 1.6000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_range("learning rate", lr)
        check_range("momentum value", momentum)
        check_range("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def _move(self, group: dict[str, Any], parameter: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        lr, decay, momentum = group["lr"], group["weight_decay"], group["momentum"]
        if not momentum:
            sign = -1 if group["maximize"] else 1
            move(updates.SGD, parameter, grad, (), lr, decay, sign, writer="SGD.step")
            return
        is_first = state.get("momentum_buffer") is None
        if is_first:
            state.pop("momentum_buffer", None)
        (velocity,) = remembered(state, parameter, "momentum_buffer")
        dampening = 0 if is_first else group["dampening"]  # the first velocity is the gradient itself
        rest = dampening, decay, group["nesterov"], group["maximize"]
        sgd_momentum(parameter, grad, velocity, lr, momentum, *rest)
