"""Vector-Jacobian products, each as one function: from the gradient of a result to those of its operands.

Most operations have a formula for each operand (see `tensorlab.autograd.formulas`). Where all operands of
these ask for a gradient, one function gives all of them.
"""

from __future__ import annotations

from tensorlab.tensor import Tensor


def mul_backward(grad: Tensor, input: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of both factors of ``input * other``: what arrives, times the other factor.

    Example:
        >>> import tensorlab as tl
        >>> mul_backward(tl.tensor(10.0), tl.tensor(2.0), tl.tensor(3.0))
        (tensor(30.), tensor(20.))
    """
    return grad * other, grad * input


def exp_backward(grad: Tensor, result: Tensor) -> Tensor:
    """The gradient of ``input`` in ``result = exp(input)``: what arrives, times the result, its own slope.

    Example:
        >>> import tensorlab as tl
        >>> exp_backward(tl.tensor(10.0), tl.tensor([0.0]).exp())
        tensor([10.])
    """
    return grad * result
