"""RAdam: Adam that waits until its running mean of squares says something."""

from __future__ import annotations

from typing import Any

from tensorlab.ops.update import move, numbers_of
from tensorlab.optim.adam import check_settings
from tensorlab.optim.optimizer import Optimizer, rate_of, remembered
from tensorlab.scalars import updates
from tensorlab.tensor import Tensor

__all__ = ["RAdam"]


class RAdam(Optimizer):
    r"""Adam whose first steps are those of momentum alone, while the mean of squares varies too much.

    With :math:`\rho_\infty = 2 / (1 - \beta_2) - 1` and
    :math:`\rho_t = \rho_\infty - 2 t \beta_2^t / (1 - \beta_2^t)`, the step of `Adam` is multiplied by
    :math:`r_t = \sqrt{p_t / q_t}` with :math:`p_t = (\rho_t - 4)(\rho_t - 2) \rho_\infty` and
    :math:`q_t = (\rho_\infty - 4)(\rho_\infty - 2) \rho_t`
    where :math:`\rho_t > 5`; before, it is :math:`\eta \hat m`. Liu et al., *On the Variance of the Adaptive
    Learning Rate and Beyond*, 2020.

    Args:
        params, lr, betas, eps, weight_decay, maximize, foreach, capturable, differentiable: see `Adam`.
        decoupled_weight_decay: the parameter is pulled by a part of itself, as in `AdamW`.

    Raises:
        ValueError: a setting is negative, or a beta is not below 1.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1.0, 2.0], requires_grad=True)
        >>> optimizer = tl.optim.RAdam([x], lr=0.1)
        >>> (x * x).sum().backward()
        >>> optimizer.step()
        >>> x
        tensor([0.8000, 1.6000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_settings(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _move(self, group: dict[str, Any], parameter: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        step, lr, decay = self._count(group, parameter, state), rate_of(group), group["weight_decay"]
        first, second = map(float, group["betas"])
        sign = -1 if group["maximize"] else 1
        shrink, decay = (1 - lr * decay, 0) if group["decoupled_weight_decay"] else (1, decay)
        rate, rectified = numbers_of(updates.RADAM_NUMBERS, step, lr, 1 - first, 1 - second)
        memories = remembered(state, parameter, "exp_avg", "exp_avg_sq")
        numbers = rate, rectified, shrink, decay, sign, 1 - first, second, 1 - second, group["eps"]
        move(updates.RADAM, parameter, grad, memories, *numbers, writer="RAdam.step")
