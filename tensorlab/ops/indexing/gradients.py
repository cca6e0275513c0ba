"""How gradients go back through reading and writing by index.

What was read from a place gets its gradient added there; places that were read twice add up. What was written
over has no gradient left, and what was written gets the gradient of the places that it went to.
"""

from __future__ import annotations

from typing import Any

from tensorlab.autograd.formulas import formulas
from tensorlab.core.layout import Size, numel
from tensorlab.ops.view_backward import placed

# --- one index for each element -----------------------------------------------------------------------

GatherBackward0 = formulas(
    "GatherBackward0",
    source=lambda grad, sizes, dim, index: grad.new_zeros(sizes).scatter_add(dim, index, grad),
    index=None,
)

# PyTorch has two kinds of each of these: of a number, and of a tensor that may have a gradient.
ScatterBackward0, ScatterBackward1 = (
    formulas(
        f"ScatterBackward{suffix}",
        target=lambda grad, dim, index: grad.scatter(dim, index, 0),
        src=lambda grad, dim, index: grad.gather(dim, index),
        index=None,
    )
    for suffix in (0, 1)
)
ScatterAddBackward0 = formulas(
    "ScatterAddBackward0",
    target=lambda grad: grad,
    src=lambda grad, dim, index: grad.gather(dim, index),
    index=None,
)


def _reduced_target(
    grad: Any, target: Any, src: Any, dim: int, index: Any, reduce: str, include_self: bool, result: Any
) -> Any:
    if reduce == "sum":
        gradient = grad
    elif reduce == "mean":
        gradient = grad / _counts(grad, src, dim, index, include_self)
    elif reduce == "prod":
        safe = target.masked_fill(target == 0, 1)
        others = safe.scatter_reduce(dim, index, src, "prod", include_self=include_self)
        gradient = grad * others / safe
    else:
        gradient = _shared(grad, target, src, dim, index, result) * (target == result)
    return gradient if include_self else gradient.scatter(dim, index, 0)


def _reduced_src(
    grad: Any, target: Any, src: Any, dim: int, index: Any, reduce: str, include_self: bool, result: Any
) -> Any:
    if reduce == "sum":
        return grad.gather(dim, index)
    if reduce == "mean":
        return (grad / _counts(grad, src, dim, index, include_self)).gather(dim, index)
    if reduce == "prod":
        zero = src == 0
        zeros = target.new_zeros(target.shape).scatter_add(dim, index, zero.to(src.dtype)).gather(dim, index)
        single = zero & (zeros == 1)  # the only zero among the factors: the others' product is its slope
        others = target.scatter_reduce(
            dim, index, src.masked_fill(single, 1), "prod", include_self=include_self
        )
        alone = (grad * others).gather(dim, index)
        return alone.where(single, (grad * result).gather(dim, index) / src.masked_fill(zero, 1))
    shared = _shared(grad, target, src, dim, index, result)
    return (src == result.gather(dim, index)) * shared.gather(dim, index)


def _counts(grad: Any, src: Any, dim: int, index: Any, include_self: bool) -> Any:
    """How many numbers each mean is of."""
    counts = (grad.new_ones if include_self else grad.new_zeros)(grad.shape)
    counts = counts.scatter_add(dim, index, src.new_ones(src.shape))
    return counts.masked_fill(counts == 0, 1)


def _shared(grad: Any, target: Any, src: Any, dim: int, index: Any, result: Any) -> Any:
    """The gradient of an extreme, divided among all that are equal to it."""
    chosen = (src == result.gather(dim, index)).to(grad.dtype)
    return grad / (target == result).to(grad.dtype).scatter_add(dim, index, chosen)


ScatterReduceBackward0 = formulas(
    "ScatterReduceBackward0", target=_reduced_target, src=_reduced_src, index=None
)

# --- one index for each position of a dimension -------------------------------------------------------

IndexSelectBackward0 = formulas(
    "IndexSelectBackward0",
    source=lambda grad, sizes, dim, index: (
        grad.new_zeros(sizes).index_add(dim, index, grad) if sizes else grad.reshape(sizes)
    ),
    index=None,
)
IndexAddBackward0 = formulas(
    "IndexAddBackward0",
    target=lambda grad: grad,
    source=lambda grad, dim, index: grad.index_select(dim, index),
    index=None,
)
IndexCopyBackward0 = formulas(
    "IndexCopyBackward0",
    target=lambda grad, dim, index: grad.index_fill(dim, index, 0),
    source=lambda grad, dim, index: grad.index_select(dim, index),
    index=None,
)
IndexFillBackward0, IndexFillBackward1 = (
    formulas(
        f"IndexFillBackward{suffix}",
        target=lambda grad, dim, index: grad.index_fill(dim, index, 0),
        value=lambda grad, dim, index: grad.index_select(dim, index.unique()).sum(),
        index=None,
    )
    for suffix in (0, 1)
)

# --- places of the tensor as one line, and masks ------------------------------------------------------

TakeBackward0 = formulas(
    "TakeBackward0",
    source=lambda grad, sizes, index: grad.new_zeros(sizes).put(index, grad, True),
    index=None,
)
PutBackward0 = formulas(
    "PutBackward0",
    target=lambda grad, index, accumulate: (
        grad if accumulate else grad.put(index, grad.new_zeros(index.shape))
    ),
    source=lambda grad, index: grad.take(index),
    index=None,
)
MaskedFillBackward0, MaskedFillBackward1 = (
    formulas(
        f"MaskedFillBackward{suffix}",
        target=lambda grad, mask: grad.masked_fill(mask, 0),
        value=lambda grad, mask: grad.masked_fill(~mask, 0).sum(),
    )
    for suffix in (0, 1)
)
# What a mask chooses has one formula, and two names: `masked_select` is a function, ``x[mask]`` an index.
MaskedSelectBackward0, MaskIndexBackward0 = (
    formulas(name, source=lambda grad, sizes, mask: grad.new_zeros(sizes).masked_scatter(mask, grad))
    for name in ("MaskedSelectBackward0", "IndexBackward0")
)


def _scattered_source(grad: Any, mask: Any, sizes: Size) -> Any:
    """The elements of a source that a mask had room for, and zeros for the others."""
    used = grad.masked_select(mask.expand(grad.shape))
    whole = placed(used, Size((numel(sizes),)), lambda line: line[: used.shape[0]])
    return whole.reshape(sizes)


MaskedScatterBackward0 = formulas(
    "MaskedScatterBackward0",
    target=lambda grad, mask: grad.masked_fill(mask, 0),
    source=_scattered_source,
)
