"""Tensors with at least so many dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tensorlab.ops.arguments import several
from tensorlab.ops.shape import unsqueeze, view
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op()
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]:
    """Tensors with at least one dimension: those without get one of size 1, as a view; others are returned.

    Example:
        >>> import tensorlab as tl
        >>> tl.atleast_1d(tl.tensor(5))
        tensor([5])
    """
    return _each(tensors, "atleast_1d", lambda x: x if x._shape else unsqueeze(x, 0))


@op()
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]:
    """Tensors with at least two dimensions: new ones of size 1 come in front, as a view.

    Example:
        >>> import tensorlab as tl
        >>> tl.atleast_2d(tl.arange(3)).shape
        tensorlab.Size([1, 3])
    """
    return _each(tensors, "atleast_2d", _at_least_2d)


@op()
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]:
    """Tensors with at least three dimensions: a vector becomes (1, n, 1), a matrix (m, n, 1), as views.

    Example:
        >>> import tensorlab as tl
        >>> tl.atleast_3d(tl.arange(3)).shape
        tensorlab.Size([1, 3, 1])
    """
    return _each(tensors, "atleast_3d", lambda x: unsqueeze(_at_least_2d(x), -1) if len(x._shape) < 3 else x)


def _at_least_2d(input: Tensor) -> Tensor:
    if len(input._shape) >= 2:
        return input
    return unsqueeze(input, 0) if input._shape else view(input, 1, 1)


def _each(
    tensors: Sequence[Tensor | Sequence[Tensor]], function: str, widen: Callable[[Tensor], Tensor]
) -> Tensor | tuple[Tensor, ...]:
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return widen(tensors[0])
    return tuple(widen(tensor) for tensor in several(tensors, function))
