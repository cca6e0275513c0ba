"""The gradient of a large batch with the memory of a small one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from tensorlab.tensor import Tensor

__all__ = ["accumulate", "total_loss"]


def accumulate(loss: Callable[..., Tensor], batches: Sequence[Sequence[Tensor]]) -> float:
    """Add the gradients of the mean loss over all rows of several batches, with one graph alive at a time.

    A batch with more rows counts for more: each mean is weighted by the batch's share of the rows. So the
    gradients are those of one large batch, however the rows are divided.

    Args:
        loss: called as ``loss(*batch)``, gives the mean over the rows of a batch, a tensor of one element.
        batches: each some tensors with the same number of rows, the size of dimension 0. One without rows
            adds nothing.

    Returns:
        the mean loss over all rows. The gradients are added to the ``grad`` of the leaves.

    Raises:
        ValueError: there is no row at all.

    Example:
        >>> import tensorlab as tl
        >>> from tensorlab.utils.accumulation import accumulate
        >>> w = tl.zeros(1, requires_grad=True)
        >>> accumulate(lambda x: (x - w).mean(), [(tl.tensor([1.0, 2.0, 3.0]),), (tl.tensor([6.0]),)])
        3.0
        >>> w.grad
        tensor([-1.])
    """
    rows = [batch[0].shape[0] for batch in batches]
    whole = sum(rows)
    if not whole:
        raise ValueError(f"accumulate() needs at least one row, got {len(rows)} batches without any")

    def shares() -> Iterator[Tensor]:
        for count, batch in zip(rows, batches, strict=True):
            if count:
                share: Any = loss(*batch) * (count / whole)
                share.backward()
                yield share

    return total_loss(shares())


def total_loss(losses: Iterable[Tensor]) -> float:
    """The sum of losses that come one by one, as a number: no graph outlives its turn.

    Example:
        >>> import tensorlab as tl
        >>> from tensorlab.utils.accumulation import total_loss
        >>> w = tl.ones(2, requires_grad=True)
        >>> total_loss((w * step).sum() for step in range(4))
        12.0
    """
    total = 0.0
    for loss in losses:
        total += loss.item()
    return total
