"""Rprop: steps that ask for the sign of the gradient alone."""

from __future__ import annotations

from typing import Any

from tensorlab.ops.update import move
from tensorlab.optim.optimizer import Optimizer, check_range, remembered
from tensorlab.scalars import updates
from tensorlab.tensor import Tensor

__all__ = ["Rprop"]


class Rprop(Optimizer):
    r"""Resilient backpropagation: each element has a step of its own, and goes against its gradient's sign.

    While the sign stays, the step grows by :math:`\eta_+`. Where it turns, the last step went too far: the
    step shrinks by :math:`\eta_-`, and the element waits. It is for gradients of all the data, as those of
    batches turn by chance. Riedmiller and Braun, *A Direct Adaptive Method for Faster Backpropagation
    Learning*, 1993.

    Args:
        params: see `Optimizer`.
        lr: the first step of each element.
        etas: η₋, below 1, and η₊, above it.
        step_sizes: the least step and the greatest.
        maximize: climb instead.
        foreach: accepted; every step is one fused pass over the memory.
        capturable: as `Adam`'s.
        differentiable: must be False.

    Raises:
        ValueError: the learning rate is negative, or the etas do not lie on either side of 1.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1.0, 100.0], requires_grad=True)
        >>> optimizer = tl.optim.Rprop([x], lr=0.1)
        >>> for _ in range(2):  # steps of 0.1 and 0.12, whatever the size of the gradient
        ...     optimizer.zero_grad()
        ...     (x * x).sum().backward()
        ...     optimizer.step()
        >>> x
        tensor([ 0.7800, 99.7800], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_range("learning rate", lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(
                f"Invalid eta values: {etas[0]}, {etas[1]}; the first must lie between 0 and 1, and the "
                f"second above 1"
            )
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _move(self, group: dict[str, Any], parameter: Tensor, grad: Tensor, state: dict[str, Any]) -> None:
        self._count(group, parameter, state)
        memories = remembered(state, parameter, "prev")
        memories += remembered(state, parameter, "step_size", value=group["lr"])
        numbers = -1 if group["maximize"] else 1, *group["etas"], *group["step_sizes"]
        move(updates.RPROP, parameter, grad, memories, *numbers, writer="Rprop.step")
