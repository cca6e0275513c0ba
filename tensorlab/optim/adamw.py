"""AdamW: Adam whose weight decay shrinks the parameters themselves."""

from __future__ import annotations

from typing import Any

from tensorlab.optim.adam import Adam
from tensorlab.tensor import Tensor

__all__ = ["AdamW"]


class AdamW(Adam):
    r"""Adam with decoupled weight decay.

    Before each step of `Adam`, :math:`x \leftarrow (1 - \eta \lambda) x`. A penalty that is added to the
    gradient is divided by the root of its mean square like all of it, so that it hardly acts on elements
    with great gradients. Here it acts on all alike. Loshchilov and Hutter, *Decoupled Weight Decay
    Regularization*, 2019.

    Args:
        weight_decay: λ.
        params, lr, betas, eps, amsgrad, maximize, foreach, capturable, differentiable, fused: as `Adam`'s.

    Raises:
        ValueError: a setting is negative, or a beta is not below 1.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1.0], requires_grad=True)
        >>> x.grad = tl.zeros(1)
        >>> tl.optim.AdamW([x], lr=0.1, weight_decay=0.5).step()
        >>> x
        tensor([0.9500], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )
