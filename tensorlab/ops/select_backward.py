"""How a gradient is dealt out among elements of which some were chosen: the greatest, the middle, the k-th.

Where an operation says which place it chose, the element there gets the gradient. Where it says a value
alone, all elements that are equal to it share.
"""

from __future__ import annotations

from typing import Any

from tensorlab.autograd.formulas import formulas
from tensorlab.core.layout import Size
from tensorlab.ops.reduce import Dims, as_dims, spread
from tensorlab.tensor import Tensor


def at_places(grad: Tensor, shape: Size, dim: int, indices: Tensor, keepdim: bool) -> Tensor:
    """Zeros of `shape` with the gradients at the places along a dimension that were chosen.

    Example:
        >>> import tensorlab as tl
        >>> at_places(tl.tensor([5.0, 7.0]), tl.Size([2, 3]), 1, tl.tensor([2, 0]), False)
        tensor([[0., 0., 5.],
                [7., 0., 0.]])
    """
    if not keepdim and shape:
        grad, indices = grad.unsqueeze(dim), indices.unsqueeze(dim)
    return grad.new_zeros(shape).scatter(dim, indices, grad)


def chooses_places(name: str, keepdim: bool | None = None) -> Any:
    """The kind of node for an operation with results (values, indices), chosen along a dimension.

    Args:
        name: what the node is called.
        keepdim: whether the dimension stays; the operation notes it if that is not known.
    """
    if keepdim is None:
        return formulas(name, input=at_places)
    return formulas(name, input=lambda grad, shape, dim, indices: at_places(grad, shape, dim, indices, True))


def among_equals(
    grad: Tensor, input: Tensor, result: Tensor, dim: Dims = None, keepdim: bool = False, nan: bool = False
) -> Tensor:
    """The gradients, shared by the elements that are equal to the results.

    Args:
        grad, result: of a fold's results.
        input: the elements.
        dim, keepdim: which dimensions were folded away, and whether they stayed.
        nan: where the result is NaN, elements that are NaN share; otherwise all get NaN.

    Example:
        >>> import tensorlab as tl
        >>> among_equals(tl.tensor(1.0), tl.tensor([3.0, 1.0, 3.0]), tl.tensor(3.0))
        tensor([0.5000, 0.0000, 0.5000])
    """
    wide = spread(result, input.shape, dim, keepdim)
    equal = input == wide
    if nan:
        equal = equal | ((input != input) & (wide != wide))
    count = equal.sum(as_dims(dim, input.ndim, "sum"), True)
    return spread(grad, input.shape, dim, keepdim) * equal / count
