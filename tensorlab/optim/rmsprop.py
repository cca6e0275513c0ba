"""RMSprop: the gradient over its own root mean square."""

from __future__ import annotations

from typing import Any

from tensorlab.ops.update import move
from tensorlab.optim.optimizer import Optimizer, check_range, remembered
from tensorlab.scalars import updates
from tensorlab.tensor import Tensor

__all__ = ["RMSprop"]


_RULES = {
    (False, False): updates.RMSPROP,
    (False, True): updates.RMSPROP_MOMENTUM,
    (True, False): updates.RMSPROP_CENTERED,
    (True, True): updates.RMSPROP_CENTERED_MOMENTUM,
}


class RMSprop(Optimizer):
    r"""RMSprop: the gradient divided by the root of a running mean of its squares.

    :math:`v \leftarrow \alpha v + (1 - \alpha) g^2`, :math:`x \leftarrow x - \eta g / (\sqrt v +
    \varepsilon)`. Tieleman and Hinton, *Neural Networks for Machine Learning*, lecture 6.5, 2012. Centered,
    the square of the mean gradient is taken off v (Graves, *Generating Sequences With Recurrent Neural
    Networks*, 2013).

    Args:
        params: see `Optimizer`.
        lr: the learning rate η.
        alpha: α, how much of the means stays.
        eps: ε, added to the root.
        weight_decay: how strongly the parameter is pulled to zero, added to the gradient.
        momentum: how much of the last step is added to the next.
        centered: divide by the deviation instead.
        maximize: climb instead.
        foreach: accepted; every step is one fused pass over the memory.
        capturable: as `Adam`'s.
        differentiable: must be False.

    Raises:
        ValueError: a setting is negative.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1.0], requires_grad=True)
        >>> x.grad = tl.ones(1)
        >>> tl.optim.RMSprop([x], lr=0.01, alpha=0.75).step()  # 0.01 / sqrt(0.25)
        >>> x
        tensor([0.9800], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_range("learning rate", lr)
        check_range("epsilon value", eps)
        check_range("momentum value", momentum)
        check_range("weight_decay value", weight_decay)
        check_range("alpha value", alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _move(self, group: dict[str, Any], parameter: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        self._count(group, parameter, state)
        momentum, alpha = group["momentum"], group["alpha"]
        names = ["square_avg"]
        if group["centered"]:
            names.append("grad_avg")
        if momentum:
            names.append("momentum_buffer")
        rule, memories = _RULES[bool(group["centered"]), bool(momentum)], remembered(state, parameter, *names)
        numbers = [group["lr"], group["weight_decay"], -1 if group["maximize"] else 1, alpha, 1 - alpha]
        numbers += [group["eps"], momentum][: rule.numbers - len(numbers)]
        move(rule, parameter, grad, memories, *numbers, writer="RMSprop.step")
