"""Attention: each query looks at all keys, and takes a mean of the values, weighted by how well they fit."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlab import dtypes, layout
from tensorlab.autograd.recording import record
from tensorlab.autograd.together import formulas_together
from tensorlab.autograd.views import requires_grad
from tensorlab.backends import AttentionLayout, Launch, backend
from tensorlab.broadcasting import broadcast_shapes, broadcast_strides
from tensorlab.dtypes import dtype
from tensorlab.layout import Size
from tensorlab.memory_formats import preserved_strides
from tensorlab.modes import current
from tensorlab.ops.attention_checks import check_attention, two_masks
from tensorlab.ops.choice import where
from tensorlab.ops.conversion import compute_type, to
from tensorlab.ops.dispatch import allocate_strided
from tensorlab.ops.dropout import dropout
from tensorlab.ops.matmul import matmul
from tensorlab.ops.plans import MOST_PLANS, remember
from tensorlab.ops.ranges import arange
from tensorlab.ops.softmax import softmax
from tensorlab.tensor import Tensor, make_dense

__all__ = ["scaled_dot_product_attention"]


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """``softmax(query @ key.mT * scale + mask) @ value``, without ever holding all scores.

    The memory that it takes beside the result does not grow with the number of keys. With dropout, or where
    the mask requires a gradient, it is computed in steps, and holds all scores.

    Args:
        query: of shape (…, queries, length).
        key: of shape (…, keys, length).
        value: of shape (…, keys, width). The leading sizes of all are broadcast.
        attn_mask: of a shape that can be broadcast to (…, queries, keys): bool, True where a score counts; or
            numbers that are added to the scores.
        dropout_p: the probability that a weight is dropped. It is always applied: pass 0 outside of training.
        is_causal: whether query i sees only the keys 0 to i. A mask beside it is taken where PyTorch takes
            one: of four dimensions, with values as long as the queries, every last stride 1, no dropout.
        scale: what scores are multiplied by; one over the square root of the length if left out.
        enable_gqa: whether the heads, the third dimension from the end, may be a multiple as many in `query`:
            then neighbouring ones share a key and value.

    Returns:
        a tensor of shape (…, queries, width). A query that sees no key gets zeros.

    Raises:
        RuntimeError: shapes or dtypes do not fit, `dropout_p` is not from 0 to 1, or there is a mask beside
            `is_causal` where PyTorch refuses it.

    Example:
        >>> import tensorlab as tl
        >>> import tensorlab.nn.functional as F
        >>> query, key = tl.tensor([[0.0, 0.0], [100.0, 0.0]]), tl.eye(2)
        >>> F.scaled_dot_product_attention(query, key, tl.tensor([[1.0], [3.0]]))
        tensor([[2.],
                [1.]])
    """
    check_attention(query, key, value, attn_mask, dropout_p)
    scale = 1 / math.sqrt(max(query._shape[-1], 1)) if scale is None else float(scale)
    groups = _groups(query, key, value) if enable_gqa else 1
    learned = attn_mask is not None and requires_grad(attn_mask)
    if is_causal and attn_mask is not None and (learned or dropout_p > 0):
        raise two_masks("a mask that requires a gradient" if learned else "dropout")
    if dropout_p > 0 or (learned and current.grad):
        if groups > 1:
            key, value = (x.repeat_interleave(groups, -3) for x in (key, value))
        weights = _weights(query, key, attn_mask, is_causal, scale)
        return matmul(dropout(weights, dropout_p) if dropout_p else weights, value)
    return _attended(query, key, value, attn_mask, is_causal, scale, groups)


def _groups(query: Tensor, key: Tensor, value: Tensor) -> int:
    """How many heads of queries share one of keys."""
    if query.ndim < 3:
        raise IndexError(
            f"Dimension out of range: enable_gqa needs heads as the third dimension from the end, and query "
            f"has shape {tuple(query._shape)}"
        )
    heads, shared = query._shape[-3], key._shape[-3]
    if shared != value._shape[-3] or not shared or heads % shared:
        raise RuntimeError(
            f"Number of heads in key and value must divide the number of heads in query: query has {heads}, "
            f"key {shared} and value {value._shape[-3]}"
        )
    return heads // shared


# --- in steps ------------------------------------------------------------------------------------------


def _weights(query: Any, key: Any, mask: Any, causal: bool, scale: float) -> Any:
    """The weights of the values, made of operations that are recorded."""
    scores = matmul(query * scale, key.mT)
    if mask is not None:
        scores = where(mask, scores, -math.inf) if mask._dtype is dtypes.bool else scores + mask
    if causal:
        rows, columns = (arange(size) for size in scores._shape[-2:])
        scores = where(columns <= rows.unsqueeze(-1), scores, -math.inf)
    if mask is None or not scores._shape[-1]:
        return softmax(scores, -1)
    nothing = (scores == -math.inf).all(-1, True)
    return softmax(scores.masked_fill(nothing, 0), -1).masked_fill(nothing, 0)


def _repeated(key: Any, groups: int) -> Any:
    return key.repeat_interleave(groups, -3) if groups > 1 else key


def _d_scores(grad: Any, query: Any, key: Any, value: Any, notes: _Notes) -> tuple[Any, Any]:
    """The weights, and the gradient of the products of queries and keys."""
    weights = _weights(query, _repeated(key, notes.groups), notes.mask, notes.causal, notes.scale)
    slopes = matmul(grad, _repeated(value, notes.groups).mT)
    return weights, weights * (slopes - (slopes * weights).sum(-1, True)) * notes.scale


def _shared(gradient: Any, groups: int) -> Any:
    """A gradient for each head of queries, summed over those that share a head."""
    if groups == 1:
        return gradient
    return gradient.unflatten(-3, (gradient._shape[-3] // groups, groups)).sum(-3)


def _d_query(grad: Any, query: Any, key: Any, value: Any, notes: _Notes, result: Any, sums: Any) -> Any:
    return matmul(_d_scores(grad, query, key, value, notes)[1], _repeated(key, notes.groups))


def _d_key(grad: Any, query: Any, key: Any, value: Any, notes: _Notes, result: Any, sums: Any) -> Any:
    return _shared(matmul(_d_scores(grad, query, key, value, notes)[1].mT, query), notes.groups)


def _d_value(grad: Any, query: Any, key: Any, value: Any, notes: _Notes, result: Any, sums: Any) -> Any:
    return _shared(matmul(_d_scores(grad, query, key, value, notes)[0].mT, grad), notes.groups)


# --- by one kernel -------------------------------------------------------------------------------------


class _Notes(NamedTuple):
    """What the way back needs beside the operands.

    Attributes:
        batch: the shape of the batch; with groups, their number is its last dimension.
        groups: how many heads of queries share one of keys.
        mask, causal, scale: those of `scaled_dot_product_attention`.
    """

    batch: Size
    groups: int
    mask: Tensor | None
    causal: bool
    scale: float


class _Plan(NamedTuple):
    """What of an attention follows from the layouts and dtypes of its operands alone."""

    batch: Size
    shape: Size
    stride: tuple[int, ...]
    launch: Launch | None
    sums: tuple[int, Any]


_plans: dict[tuple, _Plan] = {}


_Lies = tuple[Size, tuple[int, ...]]  # a shape, and strides


def _seen(lies: _Lies, batch: Sequence[int], groups: int, shared: bool) -> tuple[int, ...]:
    """The strides of an operand in the shape of the batch, where groups of heads are a dimension."""
    sizes, steps = list(lies[0]), list(lies[1])
    if groups > 1:
        step = steps[-3]
        sizes[-3:-2] = (sizes[-3], 1) if shared else (sizes[-3] // groups, groups)
        steps[-3:-2] = (step, 0) if shared else (step * groups, step)
    return (*broadcast_strides(sizes[:-2], steps[:-2], batch), *steps[-2:])


def _layout(
    query: Tensor, key: Tensor, value: Tensor, result: _Lies, grad: _Lies, notes: _Notes
) -> AttentionLayout:
    """The layout for the kernels; `result` and `grad` are a shape and strides."""
    batch, groups, mask, causal, _ = notes
    sizes = (query._shape[-2], key._shape[-2], query._shape[-1], value._shape[-1])
    of_mask = (0,) * (len(batch) + 2)
    if mask is not None:
        spread = mask.expand(*_heads(batch, groups), *sizes[:2])
        of_mask = _seen((spread._shape, spread._stride), batch, groups, False)
    strides = (
        _seen((query._shape, query._stride), batch, groups, False),
        _seen((key._shape, key._stride), batch, groups, True),
        _seen((value._shape, value._stride), batch, groups, True),
        of_mask,
        _seen(result, batch, groups, False),
        _seen(grad, batch, groups, False),
    )
    kind = 0 if mask is None else 1 if mask._dtype is dtypes.bool else 2
    return AttentionLayout(tuple(batch), *sizes, strides, kind, causal)


def _heads(batch: Sequence[int], groups: int) -> tuple[int, ...]:
    """The batch's shape with all heads in one dimension."""
    return (*batch[:-2], batch[-2] * batch[-1]) if groups > 1 else tuple(batch)


def _in_one_kernel(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, groups: int) -> bool:
    """Whether PyTorch takes one kernel.

    There the result's dimensions lie in the query's order, and `is_causal` may stand beside a mask.
    """
    operands = (query, key, value)
    if any(x.ndim != 4 or x._stride[-1] != 1 or not x._shape[-2] for x in operands):
        return False
    if value._shape[-1] != query._shape[-1] or (mask is not None and mask.ndim not in (2, 4)):
        return False
    sizes = query._shape[0], query._shape[1] // groups
    return key._shape[:2] == value._shape[:2] == sizes


def _prepare(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, causal: bool, scale: float, groups: int
) -> _Plan:
    shapes = [x._shape[:-2] for x in (query, key, value)]
    if groups > 1:
        heads = shapes[0]
        shapes = [Size((*heads[:-1], heads[-1] // groups, groups)), *(Size((*s, 1)) for s in shapes[1:])]
    batch = broadcast_shapes(*shapes)
    shape = Size((*_heads(batch, groups), query._shape[-2], value._shape[-1]))
    stride = layout.default_strides(shape)
    one_kernel = _in_one_kernel(query, key, value, mask, groups)
    if one_kernel:
        stride = preserved_strides(shape, query._stride)
    launch = None
    if shape.numel() and key._shape[-2]:
        if causal and mask is not None and not one_kernel:
            shapes_of = ", ".join(str(list(x._shape)) for x in (query, key, value))
            raise two_masks(f"query, key and value of shapes {shapes_of}")
        notes = _Notes(batch, groups, mask, causal, scale)
        found = _layout(query, key, value, (shape, stride), (shape, stride), notes)
        launch = backend("cpu").attention(query._dtype, found, scale)
    return _Plan(batch, shape, stride, launch, (shape[:-1].numel(), compute_type(query._dtype).cell))


def _attended(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, causal: bool, scale: float, groups: int
) -> Tensor:
    """Attention, recorded as one operation."""
    if mask is not None and mask._dtype is not dtypes.bool:
        mask = to(mask.detach(), compute_type(query._dtype))
    signatures = [(x._shape, x._stride) for x in (query, key, value)]
    of_mask = None if mask is None else (mask._dtype, mask._shape, mask._stride)
    signature = (query._dtype, *signatures, of_mask, causal, scale, groups)
    plan = _plans.get(signature)
    if plan is None:
        plan = remember(_plans, signature, _prepare(query, key, value, mask, causal, scale, groups))
    result = allocate_strided(plan.shape, plan.stride, query._dtype)
    sums = None
    if plan.launch is not None:
        sums = np.empty(*plan.sums)
        buffers = query._buffer(), key._buffer(), value._buffer()
        plan.launch(*buffers, None if mask is None else mask._buffer(), result._buffer(), sums)
    else:
        result._buffer()[0][:] = 0
    notes = _Notes(plan.batch, groups, mask, causal, scale)
    return record(AttentionBackward, result, query, key, value, notes=notes, sums=sums)


@functools.lru_cache(MOST_PLANS)
def _gradient_launch(element_type: dtype, found: AttentionLayout, scale: float) -> Any:
    return backend("cpu").attention_gradient(element_type, found, scale)


def _gradients(grad: Tensor, wanted: Sequence[bool], kept: dict[str, Any]) -> list[Tensor | None]:
    """All gradients by one kernel."""
    query, key, value, notes, result = (kept[name] for name in ("query", "key", "value", "notes", "result"))
    number = compute_type(query._dtype)
    heads = _heads(notes.batch, notes.groups)
    shapes = [Size((*heads, *x._shape[-2:])) for x in (query, key, value)]
    if kept["sums"] is None:
        cells = [np.zeros(shape.numel(), number.cell) for shape in shapes]
    else:
        of_result, of_grad = ((x._shape, x._stride) for x in (result, grad))
        launch = _gradient_launch(
            query._dtype, _layout(query, key, value, of_result, of_grad, notes), notes.scale
        )
        mask = None if notes.mask is None else notes.mask._buffer()
        buffers = (x._buffer() for x in (query, key, value))
        cells = launch(*buffers, mask, result._buffer(), grad._buffer(), kept["sums"])
    found: list[Tensor | None] = []
    for which, (part, shape) in enumerate(zip(cells, shapes, strict=True)):
        if not wanted[which]:
            found.append(None)
            continue
        gradient = make_dense(part, number, shape, layout.default_strides(shape))
        found.append(_shared(gradient, notes.groups) if which else gradient)
    return found


AttentionBackward = formulas_together(
    "ScaledDotProductFlashAttentionForCpuBackward0", _gradients, query=_d_query, key=_d_key, value=_d_value
)
