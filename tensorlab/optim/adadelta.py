"""Adadelta: steps measured by the steps before them."""

from __future__ import annotations

from typing import Any

from tensorlab.ops.update import move
from tensorlab.optim.optimizer import Optimizer, check_range, remembered
from tensorlab.scalars import updates
from tensorlab.tensor import Tensor

__all__ = ["Adadelta"]


class Adadelta(Optimizer):
    r"""Adadelta: the gradient times the root mean square of past steps over that of past gradients.

    :math:`v \leftarrow \rho v + (1 - \rho) g^2`,
    :math:`\Delta = \sqrt{u + \varepsilon} / \sqrt{v + \varepsilon} \cdot g`,
    :math:`u \leftarrow \rho u + (1 - \rho) \Delta^2`, :math:`x \leftarrow x - \eta \Delta`. Zeiler,
    *ADADELTA: An Adaptive Learning Rate Method*, 2012.

    Args:
        params: see `Optimizer`.
        lr: the learning rate η.
        rho: ρ, how much of the means stays.
        eps: ε, added under the roots.
        weight_decay: how strongly the parameter is pulled to zero, added to the gradient.
        maximize: climb instead.
        foreach: accepted; every step is one fused pass over the memory.
        capturable: as `Adam`'s.
        differentiable: must be False.

    Raises:
        ValueError: a setting is negative, or rho is above 1.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1.0], requires_grad=True)
        >>> x.grad = tl.ones(1)
        >>> tl.optim.Adadelta([x], eps=0.01).step()  # sqrt(0.01) / sqrt(0.1 + 0.01)
        >>> x
        tensor([0.6985], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_range("learning rate", lr)
        if not 0 <= rho <= 1:
            raise ValueError(f"Invalid rho value: {rho}; it must be from 0 to 1")
        check_range("epsilon value", eps)
        check_range("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _move(self, group: dict[str, Any], parameter: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        self._count(group, parameter, state)
        memories = remembered(state, parameter, "square_avg", "acc_delta")
        sign, rho = -1 if group["maximize"] else 1, group["rho"]
        numbers = group["lr"], group["weight_decay"], sign, rho, 1 - rho, group["eps"]
        move(updates.ADADELTA, parameter, grad, memories, *numbers, writer="Adadelta.step")
