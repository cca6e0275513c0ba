"""The adjoint of broadcasting: a gradient of a stretched shape, summed into the shape before.

Broadcasting reads one element at many places, with stride 0. Going back, what arrives at these places is
added into the one element.
"""

from __future__ import annotations

import functools

from tensorlab.core.layout import Size
from tensorlab.tensor import Tensor


def unbroadcast(gradient: Tensor, shape: Size) -> Tensor:
    """A gradient of the shape that an operand was broadcast to, summed into the operand's shape.

    The dimensions that the operand did not have go, and those that it had with size 1 stay with size 1.

    Args:
        gradient: of the broadcast operand.
        shape: of the operand itself.

    Returns:
        a tensor of `shape`; the gradient itself where nothing was stretched.

    Raises:
        RuntimeError: a tensor of `shape` does not broadcast to the gradient's shape; a formula is wrong.

    Example:
        >>> import tensorlab as tl
        >>> g = tl.ones(2, 3, 4)
        >>> unbroadcast(g, tl.Size([4])), unbroadcast(g, tl.Size([3, 1]))
        (tensor([6., 6., 6., 6.]), tensor([[8.],
                [8.],
                [8.]]))
    """
    given = gradient._shape
    if not shape:
        return gradient.sum() if given else gradient
    dims = _stretched(shape, given)
    lead = len(given) - len(shape)
    if lead == 1 and dims == (0,):
        return gradient.sum(0)
    summed = gradient.sum(dims, True) if dims else gradient
    return summed.reshape(shape) if lead else summed


@functools.lru_cache(maxsize=4096)
def _stretched(shape: Size, given: Size) -> tuple[int, ...]:
    """The dimensions of `given` that `shape` had not, or had of size 1, before it was broadcast."""
    lead = len(given) - len(shape)
    if lead < 0 or any(size not in (1, wide) for size, wide in zip(shape, given[lead:], strict=True)):
        raise RuntimeError(
            f"Function returned an invalid gradient: it has shape {list(given)}, and the operand has shape "
            f"{list(shape)}, which does not broadcast to it"
        )
    return tuple(
        [dim for dim, size in enumerate(given) if dim < lead or (shape[dim - lead] == 1 and size != 1)]
    )
