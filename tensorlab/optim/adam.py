"""Adam: steps of about one size for every element, along a running mean of the gradients."""

from __future__ import annotations

from typing import Any

from tensorlab.ops.update import move, numbers_of
from tensorlab.optim.optimizer import Optimizer, check_range, rate_of, remembered
from tensorlab.scalars import updates
from tensorlab.tensor import Tensor

__all__ = ["Adam", "adam_step", "check_settings"]


def adam_step(
    parameter: Tensor,
    grad: Tensor,
    mean: Tensor,
    square: Tensor,
    step: int | Tensor,
    lr: float | Tensor = 1e-3,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: float = 0,
    maximize: bool = False,
    shrink: float | Tensor = 1,
    most: Tensor | None = None,
    writer: str = "Adam.step",
) -> None:
    r"""One step of Adam, in place of the parameter and of its two memories; `Adam` has the formulas.

    Args:
        parameter: x, which is overwritten.
        grad: its gradient g.
        mean: m, the running mean of the gradients, which is overwritten.
        square: v, the running mean of their squares, which is overwritten.
        step: which step this is, from 1: the means began at 0, and are divided by :math:`1 - \beta^t`. On a
            GPU it may be a tensor there, for which nobody waits.
        lr: the learning rate η, on a GPU also a tensor.
        betas: how much of the two means stays.
        eps: ε, added to the root.
        weight_decay, maximize: those of `Adam`.
        shrink: what the parameter is multiplied by first.
        most: the greatest square so far, for ``amsgrad``, which is overwritten.
        writer: who wrote the parameter, for errors about a backward pass that would have needed it.

    Raises:
        RuntimeError: the tensors differ in shape or dtype.

    Example:
        >>> import tensorlab as tl
        >>> x, m, v = tl.tensor([1.0]), tl.zeros(1), tl.zeros(1)
        >>> adam_step(x, tl.tensor([40.0]), m, v, step=1, lr=0.5)
        >>> x
        tensor([0.5000])
    """
    first, second = betas
    memories = (mean, square) if most is None else (mean, square, most)
    rule = updates.ADAM if most is None else updates.ADAM_AMSGRAD
    rate, root = numbers_of(updates.ADAM_NUMBERS, step, lr, 1 - first, 1 - second)
    sign = -1 if maximize else 1
    numbers = rate, shrink, weight_decay, sign, 1 - first, second, 1 - second, root, eps
    move(rule, parameter, grad, memories, *numbers, writer=writer)


def check_settings(lr: float | Tensor, betas: tuple[float, float], eps: float, weight_decay: float) -> None:
    """Refuse settings of Adam and of what came after it that lie out of their range.

    Raises:
        ValueError: one is negative, or a beta is not below 1.
    """
    check_range("learning rate", lr)
    check_range("epsilon value", eps)
    for k, beta in enumerate(betas):
        check_range(f"beta parameter at index {k}", beta, high=1.0)
    check_range("weight_decay value", weight_decay)


class Adam(Optimizer):
    r"""Adam: a step along the mean of the gradients, divided by the root of the mean of their squares.

    :math:`m \leftarrow \beta_1 m + (1 - \beta_1) g` and :math:`v \leftarrow \beta_2 v + (1 - \beta_2) g^2`
    begin at zero, so after t steps they are divided by :math:`1 - \beta^t`. Then
    :math:`x \leftarrow x - \eta \hat m / (\sqrt{\hat v} + \varepsilon)`. Kingma and Ba, *Adam: A Method for
    Stochastic Optimization*, 2015. With `amsgrad` the greatest v so far takes v's place (Reddi et al., *On
    the Convergence of Adam and Beyond*, 2018).

    Args:
        params: see `Optimizer`.
        lr: the learning rate η. A tensor on the GPU is read there if the steps are `capturable`; schedules
            overwrite it.
        betas: how much of the two means stays at each step.
        eps: ε, added to the root.
        weight_decay: how strongly the parameter is pulled to zero: added to the gradient, as a penalty on the
            squares of the parameters would be; `AdamW` shrinks the parameter instead.
        amsgrad: keep the greatest mean square.
        maximize: climb instead.
        foreach, fused: accepted; every step is one fused pass over the memory.
        capturable: count steps on the GPU, where the parameters must lie, so that a `tensorlab.cuda.graph`
            can record a step. It is recorded behind the first one, which makes the state.
        differentiable: must be False.
        decoupled_weight_decay: shrink the parameter, as `AdamW` does.

    Raises:
        ValueError: a setting is negative, or a beta is not below 1.
        AssertionError: at a step that is `capturable`, a parameter or its count does not lie on a GPU.

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
        check_settings(lr, betas, eps, weight_decay)
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
        step, lr, decay = self._count(group, parameter, state), rate_of(group), group["weight_decay"]
        shrink, decay = (1 - lr * decay, 0) if group["decoupled_weight_decay"] else (1, decay)
        names = ["exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if group["amsgrad"] else [])]
        mean, square, *most = remembered(state, parameter, *names)
        first, second = map(float, group["betas"])
        rest = decay, group["maximize"], shrink, most[0] if most else None, f"{type(self).__name__}.step"
        adam_step(parameter, grad, mean, square, step, lr, (first, second), group["eps"], *rest)
