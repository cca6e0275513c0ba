"""Adam: steps of about one size for every element, along a running mean of the gradients."""

from __future__ import annotations

import math
from typing import Any

from tensorlab.optim.optimizer import Optimizer, check_range, remembered
from tensorlab.optim.step import move
from tensorlab.scalars import updates
from tensorlab.tensor import Tensor

__all__ = ["Adam"]


class Adam(Optimizer):
    r"""Adam: a step along the mean of the gradients, divided by the root of the mean of their squares.

    :math:`m \leftarrow \beta_1 m + (1 - \beta_1) g` and :math:`v \leftarrow \beta_2 v + (1 - \beta_2) g^2`
    begin at zero, so after t steps they are divided by :math:`1 - \beta^t`. Then
    :math:`x \leftarrow x - \eta \hat m / (\sqrt{\hat v} + \varepsilon)`. Kingma and Ba, *Adam: A Method for
    Stochastic Optimization*, 2015. With `amsgrad` the greatest v so far takes v's place (Reddi et al., *On
    the Convergence of Adam and Beyond*, 2018).

    Args:
        params: see `Optimizer`.
        lr: the learning rate η.
        betas: how much of the two means stays at each step.
        eps: ε, added to the root.
        weight_decay: how strongly the parameter is pulled to zero: added to the gradient, as a penalty on the
            squares of the parameters would be; `AdamW` shrinks the parameter instead.
        amsgrad: keep the greatest mean square.
        maximize: climb instead.
        foreach, fused, capturable: accepted; every step is one fused pass over the memory.
        differentiable: must be False.
        decoupled_weight_decay: shrink the parameter, as `AdamW` does.

    Raises:
        ValueError: a setting is negative, or a beta is not below 1.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1.0, 100.0], requires_grad=True)
        >>> optimizer = tl.optim.Adam([x], lr=0.1)
        >>> (x * x).sum().backward()
        >>> optimizer.step()  # gradients of 2 and 200, steps of one size
        >>> x
        tensor([ 0.9000, 99.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        check_range("learning rate", lr)
        check_range("epsilon value", eps)
        for k, beta in enumerate(betas):
            check_range(f"beta parameter at index {k}", beta, high=1.0)
        check_range("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def _move(self, group: dict[str, Any], parameter: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        step, lr, decay = self._count(state), float(group["lr"]), group["weight_decay"]
        first, second = map(float, group["betas"])
        shrink, decay = (1 - lr * decay, 0) if group["decoupled_weight_decay"] else (1, decay)
        sign = -1 if group["maximize"] else 1
        names = ["exp_avg", "exp_avg_sq", "max_exp_avg_sq"][: 3 if group["amsgrad"] else 2]
        rule = updates.ADAM_AMSGRAD if group["amsgrad"] else updates.ADAM
        memories = remembered(state, parameter, *names)
        lr, root = lr / (1 - first**step), math.sqrt(1 - second**step)
        numbers = lr, shrink, decay, sign, 1 - first, second, 1 - second, root, group["eps"]
        move(rule, parameter, grad, memories, *numbers, writer=f"{type(self).__name__}.step")
