"""Broadcasting: how operands of different shapes are combined, without a copy.

Shapes are aligned from the right. A size of 1 stretches to whatever stands opposite, and a missing dimension
counts as 1. To stretch a dimension is to give it stride 0. Like `tensorlab.core.layout`, pure functions of
integers.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.core.layout import Refusal, Size

__all__ = ["broadcast_shapes", "broadcast_strides", "expand_strides"]


def broadcast_shapes(*shapes: Sequence[int]) -> Size:
    """The shape that these shapes broadcast to: sizes are aligned from the right, and a 1 stretches.

    Raises:
        RuntimeError: two sizes differ and neither is 1.

    Example:
        >>> broadcast_shapes((3, 1), (2, 1, 4))
        tensorlab.Size([2, 3, 4])
    """
    ndim = max(map(len, shapes), default=0)
    result = [1] * ndim
    for shape in shapes:
        for dim in range(-1, -1 - len(shape), -1):
            size = shape[dim]
            if size != 1 and result[dim] != size:
                if result[dim] != 1:
                    named = " and ".join(str(tuple(s)) for s in shapes)
                    raise RuntimeError(
                        f"The size of tensor a ({result[dim]}) must match the size of tensor b ({size}) at "
                        f"non-singleton dimension {ndim + dim}: shapes {named} are aligned from the right, "
                        f"and two sizes must be equal or one of them 1"
                    )
                result[dim] = size
    return Size(result)


def broadcast_strides(
    shape: Sequence[int], strides: Sequence[int], new_shape: Sequence[int]
) -> tuple[int, ...]:
    """The strides that read a tensor as if it had the shape that it is broadcast to.

    New and stretched dimensions have stride 0: every index reads the same cell, and nothing is copied.

    Example:
        >>> broadcast_strides((3, 1), (1, 1), (2, 3, 4))
        (0, 1, 0)
    """
    lead = len(new_shape) - len(shape)
    stretched = (
        0 if size == 1 and new != 1 else stride
        for size, stride, new in zip(shape, strides, [*new_shape][lead:], strict=True)
    )
    return (0,) * lead + tuple(stretched)


def expand_strides(
    shape: Sequence[int], strides: Sequence[int], new_shape: Sequence[int]
) -> tuple[int, ...] | Refusal:
    """The strides that read a tensor as if it had `new_shape`, or why one cannot.

    Only dimensions of size 1 stretch, and new dimensions come in front. No index uses the stride of a new
    dimension of size 1; it is the one that PyTorch gives it.

    Example:
        >>> expand_strides((3, 1), (1, 1), (2, 3, 4)), expand_strides((3,), (1,), (1, 3))
        ((0, 1, 0), (3, 1))
        >>> expand_strides((3,), (1,), (2, 4)).reason
        'The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension 1: \
target sizes (2, 4), tensor sizes (3,)'
    """
    lead = len(new_shape) - len(shape)
    sizes = f"target sizes {tuple(new_shape)}, tensor sizes {tuple(shape)}"
    if lead < 0:
        return Refusal(
            f"The number of sizes provided ({len(new_shape)}) must be greater or equal to the number of "
            f"dimensions in the tensor ({len(shape)}): {sizes}"
        )
    for dim, (size, new) in enumerate(zip(shape, new_shape[lead:], strict=True), start=lead):
        if size not in (1, new):
            return Refusal(
                f"The expanded size of the tensor ({new}) must match the existing size ({size}) at "
                f"non-singleton dimension {dim}: {sizes}"
            )
    steps = list(broadcast_strides(shape, strides, new_shape))
    if shape:
        for dim in range(lead - 1, -1, -1):
            if new_shape[dim] == 1:
                steps[dim] = new_shape[dim + 1] * steps[dim + 1]
    return tuple(steps)
