"""Attention of several heads as a layer."""

from __future__ import annotations

from typing import Any

import tensorlab as tl
from tensorlab.nn import functional as F
from tensorlab.nn import init
from tensorlab.nn.modules.linear import NonDynamicallyQuantizableLinear
from tensorlab.nn.modules.module import Module
from tensorlab.nn.parameter import Parameter
from tensorlab.tensor import Tensor

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """softmax(q kᵀ / √d) v for each head, then one product of all heads (Vaswani et al., 2017).

    Args:
        embed_dim: the size of a query and of the result.
        num_heads: how many heads share it; each has d = embed_dim / num_heads.
        dropout: with which probability weights of attention are left out in training.
        bias: whether the products have biases.
        add_bias_kv: add one learned key and value.
        add_zero_attn: add a key and a value of zeros.
        kdim, vdim: the sizes of keys and values, if they are others.
        batch_first: inputs and results are (batch, sequence, size).
        device, dtype: of the parameters.

    Raises:
        ValueError: a size is not above 0.
        AssertionError: the size does not divide into the heads.

    Shape:
        query (targets, batch, embed_dim), key (sources, batch, kdim), value (sources, batch, vdim) become the
        result (targets, batch, embed_dim) and the weights (batch, targets, sources); the batch may be left
        out. A call takes `key_padding_mask`, `need_weights`, `attn_mask`, `average_attn_weights` and
        `is_causal` as `tensorlab.nn.functional.multi_head_attention_forward` does.

    Example:
        >>> import tensorlab as tl
        >>> attention = tl.nn.MultiheadAttention(8, 2, batch_first=True)
        >>> x = tl.randn(3, 5, 8)
        >>> made, weights = attention(x, x, x)
        >>> made.shape, weights.shape
        (tensorlab.Size([3, 5, 8]), tensorlab.Size([3, 5, 5]))
    """

    bias_k: Parameter | None
    bias_v: Parameter | None
    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                f"num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        self.add_zero_attn = add_zero_attn
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        own = (embed_dim, self.kdim, self.vdim)
        shapes: dict[str, tuple[int, ...]] = {
            f"{name}_proj_weight": (embed_dim, size) for name, size in zip("qkv", own, strict=True)
        }
        missing = ["in_proj_weight"]
        if self._qkv_same_embed_dim:
            shapes, missing = {"in_proj_weight": (3 * embed_dim, embed_dim)}, list(shapes)
        shapes |= {"in_proj_bias": (3 * embed_dim,)} if bias else {}
        for name, shape in shapes.items():
            self.register_parameter(name, Parameter(tl.empty(shape, device=device, dtype=dtype)))
        for name in missing if bias else [*missing, "in_proj_bias"]:
            self.register_parameter(name, None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, device, dtype)
        for name in ("bias_k", "bias_v"):
            made = Parameter(tl.empty((1, 1, embed_dim), device=device, dtype=dtype)) if add_bias_kv else None
            self.register_parameter(name, made)
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        """Draw the weights anew; biases are 0."""
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            weight = self._parameters[name]
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None and self.out_proj.bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        turned = self.batch_first and query.dim() == 3
        if turned:
            if query is key and key is value:
                query = key = value = query.transpose(0, 1)
            else:
                query, key, value = (x.transpose(0, 1) for x in (query, key, value))
        made, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias,
            self.bias_k, self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight,
            self.out_proj.bias, self.training, key_padding_mask, need_weights, attn_mask,
            not self._qkv_same_embed_dim, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight,
            average_attn_weights=average_attn_weights, is_causal=is_causal,
        )  # fmt: skip
        return made.transpose(0, 1) if turned else made, weights
