"""Attention: each query looks at all keys, and takes a mean of the values, weighted by how well they fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.views import requires_grad
from tensorlab.backends import AttentionLayout, Backend, Buffer, Launch
from tensorlab.core import dtypes, layout
from tensorlab.core.broadcasting import broadcast_shapes, broadcast_strides
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import preserved_strides
from tensorlab.core.modes import current
from tensorlab.dispatch.primitive import Primitive, Recorded, Result, call_several, compute_several
from tensorlab.ops.conversion import compute_type, to
from tensorlab.ops.dropout import dropout
from tensorlab.ops.matmul import matmul
from tensorlab.ops.ranges import arange
from tensorlab.ops.softmax import softmax
from tensorlab.ops.where import where
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op(namespace="nn.functional")
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
        >>> query, key = tl.tensor([[0.0, 0.0], [100.0, 0.0]]), tl.eye(2)
        >>> F.scaled_dot_product_attention(query, key, tl.tensor([[1.0], [3.0]]))
        tensor([[2.],
                [1.]])
    """
    _check(query, key, value, attn_mask, dropout_p)
    scale = 1 / math.sqrt(max(query._shape[-1], 1)) if scale is None else float(scale)
    groups = _groups(query, key, value) if enable_gqa else 1
    learned = attn_mask is not None and requires_grad(attn_mask)
    if is_causal and attn_mask is not None and (learned or dropout_p > 0):
        raise _two_masks("a mask that requires a gradient" if learned else "dropout")
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
        rows, columns = (arange(size, device=scores.device) for size in scores._shape[-2:])
        scores = where(columns <= rows.unsqueeze(-1), scores, -math.inf)
    if mask is None or not scores._shape[-1]:
        return softmax(scores, -1)
    nothing = (scores == -math.inf).all(-1, True)
    return softmax(scores.masked_fill(nothing, 0), -1).masked_fill(nothing, 0)


def _repeated(key: Any, groups: int) -> Any:
    return key.repeat_interleave(groups, -3) if groups > 1 else key


def _d_scores(grad: Any, query: Any, key: Any, value: Any, mask: Any, notes: _Notes) -> tuple[Any, Any]:
    """The weights, and the gradient of the products of queries and keys."""
    weights = _weights(query, _repeated(key, notes.groups), mask, notes.causal, notes.scale)
    slopes = matmul(grad, _repeated(value, notes.groups).mT)
    return weights, weights * (slopes - (slopes * weights).sum(-1, True)) * notes.scale


def _shared(gradient: Any, groups: int) -> Any:
    """A gradient for each head of queries, summed over those that share a head."""
    if groups == 1:
        return gradient
    return gradient.unflatten(-3, (gradient._shape[-3] // groups, groups)).sum(-3)


def _d_query(
    grad: Any, query: Any, key: Any, value: Any, mask: Any, notes: _Notes, result: Any, sums: Any
) -> Any:
    return matmul(_d_scores(grad, query, key, value, mask, notes)[1], _repeated(key, notes.groups))


def _d_key(
    grad: Any, query: Any, key: Any, value: Any, mask: Any, notes: _Notes, result: Any, sums: Any
) -> Any:
    return _shared(matmul(_d_scores(grad, query, key, value, mask, notes)[1].mT, query), notes.groups)


def _d_value(
    grad: Any, query: Any, key: Any, value: Any, mask: Any, notes: _Notes, result: Any, sums: Any
) -> Any:
    return _shared(matmul(_d_scores(grad, query, key, value, mask, notes)[0].mT, grad), notes.groups)


# --- by one kernel -------------------------------------------------------------------------------------


class _Notes(NamedTuple):
    """What decides about an attention beside its operands.

    Attributes:
        batch: the shape of the batch; with groups, their number is its last dimension.
        groups: how many heads of queries share one of keys.
        causal, scale: those of `scaled_dot_product_attention`.
    """

    batch: Size
    groups: int
    causal: bool
    scale: float


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
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    result: _Lies,
    grad: _Lies,
    notes: _Notes,
) -> AttentionLayout:
    """The layout for the kernels; `result` and `grad` are a shape and strides."""
    batch, groups, causal, _ = notes
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


class Attention(Primitive):
    """Attention by one kernel. Operands: query, key, value and the mask or None; `params` are the notes.

    Beside the result it makes the logarithm of each query's sum of weights, for the backward pass.
    """

    name = "scaled_dot_product_attention"
    differentiable = True
    saved = ("sums",)

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """A row for each query; its dimensions lie in the order that PyTorch's kernel gives them.

        Beside the rows the logarithms of their sums.
        """
        query, key, value, mask = operands
        batch, groups, causal, _ = params
        shape = Size((*_heads(batch, groups), query._shape[-2], value._shape[-1]))
        sums = Result(shape[:-1], layout.default_strides(shape[:-1]), compute_type(query._dtype))
        if _in_one_kernel(query, key, value, mask, groups):
            return Result(shape, preserved_strides(shape, query._stride), query._dtype, further=[sums])
        if causal and mask is not None and shape.numel() and key._shape[-2]:
            shapes_of = ", ".join(str(list(x._shape)) for x in (query, key, value))
            raise _two_masks(f"query, key and value of shapes {shapes_of}")
        return Result(shape, layout.default_strides(shape), query._dtype, further=[sums])

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        query, key, value, mask = operands
        if not (result.shape.numel() and key._shape[-2]):  # there is nothing to see
            zero = result.dtype.cell.type(0)
            return lambda out, *buffers: backend.fill(out, result.shape.numel(), zero)
        lies = result.shape, result.stride
        found = _layout(query, key, value, mask, lies, lies, _Notes(*params))
        attend = backend.attention(query._dtype, found, params[-1])

        def launch(out: Buffer, sums: Buffer, q: Buffer, k: Buffer, v: Buffer, mask: Buffer | None) -> None:
            attend(q, k, v, mask, out, sums[0])

        return launch

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """See `Primitive.node`."""
        return AttentionBackward, {"notes": _Notes(*params)}


class AttentionGradient(Primitive):
    """The gradients of `Attention`, one for each head of queries, in the type that kernels compute in.

    Operands: query, key, value, mask, result, the gradient of the result, and the sums.
    """

    name = "scaled_dot_product_attention_backward"

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """That of the queries, and those of the keys and of the values."""
        of_query, *further = [self._gradient(operand, params) for operand in operands[:3]]
        return of_query._replace(further=further)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        query, key, value, mask, attended, grad, _ = operands
        notes = _Notes(*params)
        of_result, of_grad = ((x._shape, x._stride) for x in (attended, grad))
        found = _layout(query, key, value, mask, of_result, of_grad, notes)
        gradients = backend.attention_gradient(query._dtype, found, notes.scale)
        empty = not (attended.numel() and key._shape[-2])
        zero = result.dtype.cell.type(0)
        counts = [layout.numel(each.shape) for each in (result, *result.further)]

        def clear(*buffers: Any) -> None:
            for part, count in zip(buffers, counts, strict=False):
                backend.fill(part, count, zero)

        def launch(*buffers: Any) -> None:
            *parts, q, k, v, mask, attended, grad, sums = buffers
            gradients(q, k, v, mask, attended, grad, sums[0], *(cells for cells, _ in parts))

        return clear if empty else launch

    def _gradient(self, operand: Tensor, params: tuple) -> Result:
        notes = _Notes(*params)
        shape = Size((*_heads(notes.batch, notes.groups), *operand._shape[-2:]))
        return Result(shape, layout.default_strides(shape), compute_type(operand._dtype))


ATTENTION, ATTENTION_GRADIENT = Attention(), AttentionGradient()


def _attended(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, causal: bool, scale: float, groups: int
) -> Tensor:
    """Attention, recorded as one operation."""
    if mask is not None and mask._dtype is not dtypes.bool:
        mask = to(mask.detach(), compute_type(query._dtype))
    shapes = [x._shape[:-2] for x in (query, key, value)]
    if groups > 1:
        heads = shapes[0]
        shapes = [Size((*heads[:-1], heads[-1] // groups, groups)), *(Size((*s, 1)) for s in shapes[1:])]
    notes = _Notes(broadcast_shapes(*shapes), groups, causal, scale)
    return call_several(ATTENTION, query, key, value, mask, params=tuple(notes))[0]


def _gradients(grad: Tensor, wanted: Sequence[bool], kept: dict[str, Any]) -> list[Tensor | None]:
    """All gradients by one kernel."""
    operands = (kept[name] for name in ("query", "key", "value", "mask", "result"))
    notes = kept["notes"]
    parts = compute_several(ATTENTION_GRADIENT, *operands, grad, kept["sums"], params=tuple(notes))
    found: list[Tensor | None] = []
    for which, part in enumerate(parts):
        gradient = _shared(part, notes.groups) if which else part
        found.append(gradient if wanted[which] else None)
    return found


AttentionBackward = formulas(
    "ScaledDotProductFlashAttentionForCpuBackward0",
    fused=_gradients,
    query=_d_query,
    key=_d_key,
    value=_d_value,
    mask=None,
)


def _check(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float) -> None:
    """Refuse operands that do not fit.

    Raises:
        RuntimeError: a tensor has too few dimensions, the dtypes differ or are no floats, the lengths of
            queries and keys differ, or the numbers of keys and values.
        IndexError: the mask has too few dimensions.
    """
    operands = {"query": query, "key": key, "value": value}
    if any(x.ndim < 2 for x in operands.values()):
        dims = ", ".join(f"{name} {x.ndim}" for name, x in operands.items())
        raise RuntimeError(
            f"Expected query, key, and value to all be at least 2 dimensional, but got {dims}: the last two "
            f"dimensions are rows and their length"
        )
    if not query._dtype is key._dtype is value._dtype:
        names = ", ".join(f"{name} {x._dtype.name}" for name, x in operands.items())
        raise RuntimeError(f"Expected query, key, and value to have the same dtype, but got {names}")
    if not query._dtype.is_floating_point:
        raise RuntimeError(
            f"expected scalar type Float but found {query._dtype.name}: weights lie between whole numbers; "
            f"convert first, x.to(tensorlab.float32)"
        )
    if query._shape[-1] != key._shape[-1]:
        raise RuntimeError(
            f"Expected queries and keys of one length, but query has shape {list(query._shape)} and key "
            f"{list(key._shape)}: their last sizes must be equal"
        )
    if key._shape[-2] != value._shape[-2]:
        raise RuntimeError(
            f"Expected a value for each key, but key has shape {list(key._shape)} and value "
            f"{list(value._shape)}: their second-to-last sizes must be equal"
        )
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p}")
    if mask is None:
        return
    if mask._dtype not in (dtypes.bool, dtypes.float32, query._dtype):
        raise RuntimeError(
            f"Expected attn_mask dtype to be bool or float or to match query dtype, but got "
            f"{mask._dtype.name} beside {query._dtype.name}"
        )
    if mask.ndim < 2:
        raise IndexError(
            f"Dimension out of range: attn_mask needs a row for each query and a column for each key, and "
            f"has shape {tuple(mask._shape)}"
        )


def _two_masks(beside: str) -> RuntimeError:
    """The error for a mask beside `is_causal`.

    Args:
        beside: what it was given with, so that one kernel cannot take both.
    """
    return RuntimeError(
        f"Explicit attn_mask should not be set when is_causal=True, beside {beside}: put both into one mask, "
        f"attn_mask & tensorlab.ones(queries, keys, dtype=tensorlab.bool).tril()"
    )
