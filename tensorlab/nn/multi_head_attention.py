"""Attention of several heads: the function that `tensorlab.nn.MultiheadAttention` calls."""

from __future__ import annotations

import math
import warnings
from typing import Any

import tensorlab as tl
from tensorlab.registry import op
from tensorlab.tensor import Tensor

__all__ = ["canonical_mask", "multi_head_attention_forward"]


def canonical_mask(mask: Tensor | None, name: str, dtype: Any) -> Tensor | None:
    """A mask that is added to scores: minus infinity where a bool mask is True.

    Args:
        mask: bool, or floating-point numbers that are added.
        name: what errors call it.
        dtype: the type of the scores.

    Raises:
        AssertionError: it is neither.

    Example:
        >>> import tensorlab as tl
        >>> canonical_mask(tl.tensor([True, False]), "attn_mask", tl.float32)
        tensor([-inf, 0.])
    """
    if mask is None or mask.is_floating_point():
        return mask
    if mask.dtype is not tl.bool:
        raise AssertionError(f"only bool and floating types of {name} are supported")
    return tl.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(mask, -math.inf)


def _projected(query: Tensor, key: Tensor, value: Tensor, weights: Any, bias: Tensor | None) -> list[Tensor]:
    """Query, key and value times their weights; one product where they are the same tensor."""
    linear = tl.nn.functional.linear
    if isinstance(weights, Tensor):
        if query is key and key is value:
            return list(linear(query, weights, bias).chunk(3, -1))
        weights = weights.chunk(3)
    biases = (None, None, None) if bias is None else bias.chunk(3)
    return [linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True)]


@op(namespace="nn.functional")
def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """softmax(q kᵀ / √d + mask) v for each head, then one product of all heads (Vaswani et al., 2017).

    Args:
        query: of shape (targets, batch, embed_dim) or (targets, embed_dim).
        key, value: of shape (sources, batch, size) or (sources, size).
        embed_dim_to_check: the size that a query must have.
        num_heads: how many heads share the size.
        in_proj_weight, in_proj_bias: of query, key and value, one below another.
        bias_k, bias_v: one source more, the same for all; or None.
        add_zero_attn: one source more, of zeros.
        dropout_p: with which probability weights are left out in training.
        out_proj_weight, out_proj_bias: of the product at the end.
        training: whether dropout drops.
        key_padding_mask: (batch, sources): True for a source that nobody attends to, or numbers to add.
        need_weights: also give the weights.
        attn_mask: (targets, sources) or (batch · heads, targets, sources): True for what is left out, or
            numbers to add.
        use_separate_proj_weight: take the next three instead of `in_proj_weight`.
        q_proj_weight, k_proj_weight, v_proj_weight: of query, key and value.
        static_k, static_v: keys and values as (batch · heads, sources, size), instead of the projected ones.
        average_attn_weights: give the mean of the heads' weights.
        is_causal: `attn_mask` leaves out what comes later; needs the mask too.

    Returns:
        the result, of the query's shape, and the weights (batch, targets, sources), or (batch, heads,
        targets, sources), or None.

    Raises:
        AssertionError: sizes do not fit together.
        RuntimeError: a mask has another shape, or `is_causal` comes without one.

    Example:
        >>> import tensorlab as tl
        >>> import tensorlab.nn.functional as F
        >>> x, w = tl.ones(3, 1, 2), tl.eye(2)
        >>> made, weights = F.multi_head_attention_forward(
        ...     x, x, x, 2, 1, tl.cat([w, w, w]), None, None, None, False, 0.0, w, None
        ... )
        >>> made.shape, weights[0, 0]
        (tensorlab.Size([3, 1, 2]), tensor([0.3333, 0.3333, 0.3333]))
    """
    is_batched = query.dim() == 3
    if not is_batched:
        if query is key and key is value:
            query = key = value = query.unsqueeze(1)
        else:
            query, key, value = (x.unsqueeze(1) for x in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    targets, batch, embed_dim = query.shape
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    mixed = key_padding_mask is not None and attn_mask is not None
    if mixed and key_padding_mask.dtype != attn_mask.dtype:  # type: ignore[union-attr]
        warnings.warn(
            "Support for mismatched key_padding_mask and attn_mask is deprecated. Use same type for both "
            "instead.",
            stacklevel=3,
        )
    is_causal = is_causal and key_padding_mask is None and not need_weights
    mask = None if is_causal else canonical_mask(attn_mask, "attn_mask", query.dtype)
    padding = canonical_mask(key_padding_mask, "key_padding_mask", query.dtype)
    if embed_dim != embed_dim_to_check:
        raise AssertionError(
            f"was expecting embedding dimension of {embed_dim_to_check}, but got {embed_dim}"
        )
    size = embed_dim // num_heads
    if size * num_heads != embed_dim:
        raise AssertionError(f"embed_dim {embed_dim} not divisible by num_heads {num_heads}")
    separate = (q_proj_weight, k_proj_weight, v_proj_weight)
    if use_separate_proj_weight and key.shape[:2] != value.shape[:2]:
        raise AssertionError(
            f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
        )
    if not use_separate_proj_weight and key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
    weights = separate if use_separate_proj_weight else in_proj_weight
    q, k, v = _projected(query, key, value, weights, in_proj_bias)
    mask = _of_heads(mask, batch, num_heads, targets, key.shape[0])
    more = 0  # sources that the masks know nothing of
    if bias_k is not None and bias_v is not None:
        k, v = tl.cat([k, bias_k.repeat(1, batch, 1)]), tl.cat([v, bias_v.repeat(1, batch, 1)])
        more += 1

    def heads(x: Tensor) -> Tensor:
        return x.reshape(x.shape[0], batch, num_heads, size).permute(1, 2, 0, 3)

    q = heads(q)
    k = heads(k) if static_k is None else static_k.view(batch, num_heads, -1, size)
    v = heads(v) if static_v is None else static_v.view(batch, num_heads, -1, size)
    if add_zero_attn:
        nothing = k.new_zeros((batch, num_heads, 1, size))
        k, v = tl.cat([k, nothing], 2), tl.cat([v, nothing], 2)
        more += 1
    if padding is not None:
        padding = padding.view(batch, 1, 1, -1)
        mask = padding if mask is None else mask + padding
    if mask is not None and more:
        mask = tl.nn.functional.pad(mask, (0, more))
    dropout_p = dropout_p if training else 0.0
    shown = None
    if need_weights:
        scores = q * math.sqrt(1.0 / size) @ k.transpose(-2, -1)
        shown = (scores if mask is None else scores + mask).softmax(-1)
        if dropout_p:
            shown = tl.nn.functional.dropout(shown, dropout_p)
        made = shown @ v
        shown = shown.mean(1) if average_attn_weights else shown
        shown = shown if is_batched else shown.squeeze(0)
    else:
        made = tl.nn.functional.scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
    made = made.permute(2, 0, 1, 3).reshape(targets, batch, embed_dim)
    made = tl.nn.functional.linear(made, out_proj_weight, out_proj_bias)
    return made if is_batched else made.squeeze(1), shown


def _of_heads(mask: Tensor | None, batch: int, num_heads: int, targets: int, sources: int) -> Tensor | None:
    """A mask with dimensions for the batch and the heads."""
    if mask is None:
        return None
    if mask.dim() == 2:
        wanted: tuple[int, ...] = (targets, sources)
    elif mask.dim() == 3:
        wanted = (batch * num_heads, targets, sources)
    else:
        raise RuntimeError(f"attn_mask's dimension {mask.dim()} is not supported")
    if tuple(mask.shape) != wanted:
        raise RuntimeError(
            f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {wanted}."
        )
    return mask if mask.dim() == 2 else mask.view(batch, num_heads, targets, sources)
