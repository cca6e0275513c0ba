"""NAdam: Adam that looks ahead along the mean of the gradients."""

from __future__ import annotations

from typing import Any

from tensorlab.ops.update import move, numbers_of
from tensorlab.optim.adam import check_settings
from tensorlab.optim.optimizer import Optimizer, check_range, counter, rate_of, remembered
from tensorlab.scalars import updates
from tensorlab.tensor import Tensor

__all__ = ["NAdam"]


class NAdam(Optimizer):
    r"""Adam with Nesterov's look ahead: the step takes a part of the gradient beside the next mean.

    With :math:`\mu_t = \beta_1 (1 - 0.96^{t \psi} / 2)` and the means m and v of `Adam`, the step is
    :math:`\eta (a g + b m) / (\sqrt{\hat v} + \epsilon)`, where
    :math:`a = (1 - \mu_t) / (1 - \prod_{i \le t} \mu_i)` and
    :math:`b = \mu_{t+1} / (1 - \prod_{i \le t+1} \mu_i)`. Dozat,
    *Incorporating Nesterov Momentum into Adam*, 2016.

    Args:
        params, lr, betas, eps, weight_decay, maximize, foreach, capturable, differentiable: see `Adam`.
        momentum_decay: ψ, how fast μ comes to β₁.
        decoupled_weight_decay: the parameter is pulled by a part of itself, as in `AdamW`.

    Raises:
        ValueError: a setting is negative, or a beta is not below 1.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1.0, 2.0], requires_grad=True)
        >>> optimizer = tl.optim.NAdam([x], lr=0.1)
        >>> (x * x).sum().backward()
        >>> optimizer.step()
        >>> x
        tensor([0.8944, 1.8944], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_settings(lr, betas, eps, weight_decay)
        check_range("momentum_decay value", momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _move(self, group: dict[str, Any], parameter: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        step, lr, decay = self._count(group, parameter, state), rate_of(group), group["weight_decay"]
        first, second = map(float, group["betas"])
        sign = -1 if group["maximize"] else 1
        shrink, decay = (1 - lr * decay, 0) if group["decoupled_weight_decay"] else (1, decay)
        product = counter(group, parameter, state, "mu_product", 1.0)
        product.mul_(*numbers_of(updates.NADAM_MOMENTUM, step, first, group["momentum_decay"]))
        known = product if isinstance(step, Tensor) else product.item()
        given = known, lr, first, 1 - second, group["momentum_decay"]
        of_grad, of_mean, root = numbers_of(updates.NADAM_NUMBERS, step, *given)
        numbers = of_grad, of_mean, shrink, decay, sign, 1 - first, second, 1 - second, root, group["eps"]
        memories = remembered(state, parameter, "exp_avg", "exp_avg_sq")
        move(updates.NADAM, parameter, grad, memories, *numbers, writer="NAdam.step")
