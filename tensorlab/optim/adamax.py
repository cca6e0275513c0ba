"""Adamax: Adam with the greatest gradient so far instead of a mean of squares."""

from __future__ import annotations

from typing import Any

from tensorlab.ops.update import move, numbers_of
from tensorlab.optim.adam import check_settings
from tensorlab.optim.optimizer import Optimizer, rate_of, remembered
from tensorlab.scalars import updates
from tensorlab.tensor import Tensor

__all__ = ["Adamax"]


class Adamax(Optimizer):
    r"""Adam with an infinity norm: the greatest gradient so far, which fades, takes the place of v.

    :math:`u \leftarrow \max(\beta_2 u, |g| + \epsilon)` and :math:`x \leftarrow x - \eta \hat m / u`.
    Kingma and Ba, *Adam: A Method for Stochastic Optimization*, 2015.

    Args:
        params, lr, betas, eps, weight_decay, maximize, foreach, capturable, differentiable: see `Adam`.

    Raises:
        ValueError: a setting is negative, or a beta is not below 1.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1.0, 2.0], requires_grad=True)
        >>> optimizer = tl.optim.Adamax([x], lr=0.1)
        >>> (x * x).sum().backward()
        >>> optimizer.step()
        >>> x
        tensor([0.9000, 1.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_settings(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _move(self, group: dict[str, Any], parameter: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        step = self._count(group, parameter, state)
        first, second = map(float, group["betas"])
        sign = -1 if group["maximize"] else 1
        memories = remembered(state, parameter, "exp_avg", "exp_inf")
        (rate,) = numbers_of(updates.ADAMAX_NUMBERS, step, rate_of(group), 1 - first)
        numbers = rate, group["weight_decay"], sign, 1 - first, second, group["eps"]
        move(updates.ADAMAX, parameter, grad, memories, *numbers, writer="Adamax.step")
