"""ASGD: gradient descent that also keeps the mean of where it has been."""

from __future__ import annotations

from typing import Any

from tensorlab.ops.update import move, numbers_of
from tensorlab.optim.optimizer import Optimizer, check_range, counter, rate_of, remembered
from tensorlab.scalars import updates
from tensorlab.tensor import Tensor

__all__ = ["ASGD"]


class ASGD(Optimizer):
    r"""Averaged gradient descent: the parameters go on, and their mean stands in the state as ``"ax"``.

    :math:`x \leftarrow x (1 - \lambda \eta_t) - \eta_t g` with
    :math:`\eta_t = \eta / (1 + \lambda \eta t)^\alpha`. From the step `t0` on, ``ax`` is the mean of all x.
    Polyak and Juditsky, *Acceleration of Stochastic Approximation by Averaging*, 1992.

    Args:
        params: see `Optimizer`.
        lr: the learning rate η.
        lambd: λ, how fast the rate falls, and the parameters with it.
        alpha: α.
        t0: the step from which on the mean is taken; before it, ``ax`` is the parameter.
        weight_decay: how strongly the parameter is pulled to zero, added to the gradient.
        maximize: climb instead.
        foreach: accepted; every step is one fused pass over the memory.
        capturable: as `Adam`'s.
        differentiable: must be False.

    Raises:
        ValueError: the learning rate or the decay is negative.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1.0], requires_grad=True)
        >>> optimizer = tl.optim.ASGD([x], lr=0.5, lambd=0, t0=0)
        >>> for _ in range(2):
        ...     x.grad = tl.ones(1)
        ...     optimizer.step()
        >>> x, optimizer.state[x]["ax"]  # 0.5 and then 0, and their mean
        (tensor([0.], requires_grad=True), tensor([0.]))
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_range("learning rate", lr)
        check_range("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _move(self, group: dict[str, Any], parameter: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        lr, lambd = rate_of(group), group["lambd"]
        step = self._count(group, parameter, state)
        eta, mu = counter(group, parameter, state, "eta", lr), counter(group, parameter, state, "mu", 1.0)
        rate, share = (eta, mu) if isinstance(step, Tensor) else (eta.item(), mu.item())
        numbers = rate, 1 - lambd * rate, group["weight_decay"], -1 if group["maximize"] else 1, share
        memories = remembered(state, parameter, "ax")
        move(updates.ASGD, parameter, grad, memories, *numbers, writer="ASGD.step")
        then = numbers_of(updates.ASGD_NUMBERS, step, lr, lambd, group["alpha"], group["t0"])
        eta.fill_(then[0])
        mu.fill_(then[1])
