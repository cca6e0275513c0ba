"""Adagrad: each element's steps shrink with the sum of its squared gradients."""

from __future__ import annotations

from typing import Any

from tensorlab.ops.update import move
from tensorlab.optim.optimizer import Optimizer, check_range, remembered
from tensorlab.scalars import updates
from tensorlab.tensor import Tensor

__all__ = ["Adagrad"]


class Adagrad(Optimizer):
    r"""Adagrad: a step divided by the root of the sum of all squared gradients so far.

    :math:`s \leftarrow s + g^2`, :math:`x \leftarrow x - \eta_t g / (\sqrt s + \varepsilon)` with
    :math:`\eta_t = \eta / (1 + (t - 1) \cdot lr\_decay)`. Duchi, Hazan and Singer, *Adaptive Subgradient
    Methods for Online Learning and Stochastic Optimization*, 2011.

    Args:
        params: see `Optimizer`.
        lr: the learning rate η.
        lr_decay: how fast it falls.
        weight_decay: how strongly the parameter is pulled to zero, added to the gradient.
        initial_accumulator_value: where the sums begin.
        eps: ε, added to the root.
        maximize: climb instead.
        foreach, fused: accepted; every step is one fused pass over the memory.
        differentiable: must be False.

    Raises:
        ValueError: a setting is negative.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1.0], requires_grad=True)
        >>> optimizer = tl.optim.Adagrad([x], lr=0.5)
        >>> for _ in range(2):
        ...     x.grad = tl.ones(1)
        ...     optimizer.step()
        >>> x  # 1 - 0.5 / sqrt(1) - 0.5 / sqrt(2)
        tensor([0.1464], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_range("learning rate", lr)
        check_range("lr_decay value", lr_decay)
        check_range("weight_decay value", weight_decay)
        check_range("initial_accumulator_value value", initial_accumulator_value)
        check_range("epsilon value", eps)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def _move(self, group: dict[str, Any], parameter: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        past = self._count(group, parameter, state) - 1
        lr = float(group["lr"]) / (1 + past * group["lr_decay"])
        sums = remembered(state, parameter, "sum", value=group["initial_accumulator_value"])
        numbers = lr, group["weight_decay"], -1 if group["maximize"] else 1, group["eps"]
        move(updates.ADAGRAD, parameter, grad, sums, *numbers, writer="Adagrad.step")
