"""How gradients go back through a matrix product: each operand's is a product with the other's transpose.

For ``c = a @ b`` with a gradient `g` of `c`, that of `a` is ``g @ b.T`` and that of `b` is ``a.T @ g``.
Vectors are matrices of one row or column. Where a matrix met a whole batch, its gradient is summed over the
batch; a batch of rows times one matrix is one product of all rows, so that the sum happens inside of it.
"""

from __future__ import annotations

import functools
from typing import Any

from tensorlab.autograd.formulas import Backward, formulas

__all__ = ["added_node", "product_node"]


def _left(grad: Any, a_dims: int, b: Any) -> Any:
    """The gradient of the left operand, perhaps still with batch dimensions that it was broadcast to."""
    if b.ndim == 1:
        return grad * b if a_dims == 1 else grad.unsqueeze(-1) @ b.unsqueeze(0)
    if a_dims == 1:
        return (b @ grad.unsqueeze(-1)).squeeze(-1)
    return grad @ b.mT


def _right(grad: Any, a: Any, b_dims: int, turned: bool) -> Any:
    """The gradient of the right operand, perhaps still with batch dimensions that it was broadcast to.

    Of a transposed matrix it is made transposed, so that it lies as the matrix itself does.
    """
    if a.ndim == 1:
        return grad * a if b_dims == 1 else a.unsqueeze(-1) @ grad.unsqueeze(-2)
    if b_dims == 1:
        return a.flatten(0, -2).mT @ grad.flatten()
    if b_dims == 2 and a.ndim > 2:
        a, grad = a.flatten(0, -2), grad.flatten(0, -2)
    return (grad.mT @ a).mT if turned else a.mT @ grad


_PRODUCTS = {(1, 1): "Dot", (2, 1): "Mv", (2, 2): "Mm"}


@functools.cache
def product_node(a_dims: int, b_dims: int, turned: bool) -> type[Backward]:
    """The kind of node that ``a @ b`` leaves, named as PyTorch names the product of these ranks.

    Args:
        a_dims, b_dims: the ranks of the operands.
        turned: whether the right operand is a transposed matrix.
    """
    return formulas(
        f"{_PRODUCTS.get((a_dims, b_dims), 'Bmm')}Backward0",
        a=lambda grad, b: _left(grad, a_dims, b),
        b=lambda grad, a: _right(grad, a, b_dims, turned),
    )


_ADDED = {"addmv": "AddmvBackward0", "baddbmm": "BaddbmmBackward0"}


@functools.cache
def added_node(name: str, a_dims: int, b_dims: int, turned: bool) -> type[Backward]:
    """The kind of node that ``beta * input + alpha * (a @ b)`` leaves.

    Args:
        name: of the public function.
        a_dims, b_dims, turned: as `product_node` takes them.
    """
    return formulas(
        _ADDED.get(name, "AddmmBackward0"),
        input=lambda grad, beta: _times(grad, beta),
        mat1=lambda grad, mat2, alpha: _left(_times(grad, alpha), a_dims, mat2),
        mat2=lambda grad, mat1, alpha: _right(_times(grad, alpha), mat1, b_dims, turned),
    )


def _times(grad: Any, number: float) -> Any:
    return grad if number == 1 else grad * number
