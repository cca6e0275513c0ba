"""The transformer: encoder and decoder of attention and small networks (Vaswani et al., 2017)."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import tensorlab as tl
from tensorlab.nn import functional as F
from tensorlab.nn import init
from tensorlab.nn.modules.attention import MultiheadAttention
from tensorlab.nn.modules.container import ModuleList
from tensorlab.nn.modules.dropout import Dropout
from tensorlab.nn.modules.linear import Linear
from tensorlab.nn.modules.module import Module
from tensorlab.nn.modules.normalization import LayerNorm
from tensorlab.tensor import Tensor

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]

Activation = str | Callable[[Tensor], Tensor]


def _function(activation: Activation) -> Callable[[Tensor], Tensor]:
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return F.relu if activation == "relu" else F.gelu


def _square_mask(size: int, device: Any = None, dtype: Any = None) -> Tensor:
    return tl.full((size, size), -math.inf, device=device, dtype=dtype).triu(1)


def _is_causal(mask: Tensor | None, given: bool | None, size: int) -> bool:
    """Whether a mask leaves out exactly what comes later."""
    if given is not None or mask is None:
        return bool(given)
    if tuple(mask.shape) != (size, size):
        return False
    element_type = mask.dtype if mask.is_floating_point() else None
    return bool((mask == _square_mask(size, mask.device, element_type)).all())


class TransformerEncoderLayer(Module):
    """Attention of a sequence to itself, then a network of two layers; each is added to what it got.

    Args:
        d_model: the size of each element.
        nhead: how many heads share it.
        dim_feedforward: the size between the two layers.
        dropout: with which probability numbers are left out.
        activation: the function between the two layers: ``"relu"``, ``"gelu"``, or one's own.
        layer_norm_eps: see `LayerNorm`.
        batch_first: inputs and results are (batch, sequence, d_model).
        norm_first: normalise before attention and network instead of after them.
        bias: whether all have biases.
        device, dtype: of the parameters.

    Shape:
        (sequence, batch, d_model), and the same. A call takes `src_mask`, `src_key_padding_mask` and
        `is_causal`; see `MultiheadAttention`.

    Example:
        >>> import tensorlab as tl
        >>> layer = tl.nn.TransformerEncoderLayer(8, 2, dim_feedforward=16)
        >>> layer(tl.randn(5, 3, 8)).shape
        tensorlab.Size([5, 3, 8])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        kind = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **kind)
        self.linear1 = Linear(d_model, dim_feedforward, **kind)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **kind)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, **kind)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, **kind)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _function(activation)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        x, masks = src, (src_mask, src_key_padding_mask, is_causal)
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *masks)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, *masks))
        return self.norm2(x + self._ff_block(x))

    def _sa_block(self, x: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool) -> Tensor:
        made = self.self_attn(x, x, x, padding, False, mask, is_causal=is_causal)[0]
        return self.dropout1(made)

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(Module):
    """As `TransformerEncoderLayer`, with attention to a second sequence between attention and network.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation: see `TransformerEncoderLayer`.
        layer_norm_eps, batch_first, norm_first, bias, device, dtype: see `TransformerEncoderLayer`.

    Shape:
        the target (targets, batch, d_model) and the memory (sources, batch, d_model) become (targets, batch,
        d_model). A call takes a mask, a padding mask and ``is_causal`` of each: `tgt_mask`, `memory_mask`, ….

    Example:
        >>> import tensorlab as tl
        >>> layer = tl.nn.TransformerDecoderLayer(8, 2, dim_feedforward=16)
        >>> layer(tl.randn(4, 3, 8), tl.randn(5, 3, 8)).shape
        tensorlab.Size([4, 3, 8])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        kind = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **kind)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **kind)
        self.linear1 = Linear(d_model, dim_feedforward, **kind)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **kind)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, **kind)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, **kind)
        self.norm3 = LayerNorm(d_model, layer_norm_eps, **kind)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _function(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        x, own = tgt, (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory, memory_mask, memory_key_padding_mask, memory_is_causal)
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, *other))
        return self.norm3(x + self._ff_block(x))

    def _sa_block(self, x: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool) -> Tensor:
        made = self.self_attn(x, x, x, padding, False, mask, is_causal=is_causal)[0]
        return self.dropout1(made)

    def _mha_block(
        self, x: Tensor, memory: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool
    ) -> Tensor:
        made = self.multihead_attn(x, memory, memory, padding, False, mask, is_causal=is_causal)[0]
        return self.dropout2(made)

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


def _copies(layer: Module, count: int) -> ModuleList:
    return ModuleList(copy.deepcopy(layer) for _ in range(count))


def _length(x: Tensor, layers: Any) -> int:
    batch_first = layers[0].self_attn.batch_first
    return x.shape[0] if x.dim() == 2 else x.shape[1 if batch_first else 0]


class TransformerEncoder(Module):
    """Copies of a `TransformerEncoderLayer`, one on another.

    Args:
        encoder_layer: the layer that is copied.
        num_layers: how many copies.
        norm: a normalisation at the end, or None.
        enable_nested_tensor, mask_check: taken as PyTorch takes them; there are no nested tensors here.

    Shape:
        (sequence, batch, d_model), and the same. A call takes `mask`, `src_key_padding_mask` and `is_causal`.

    Example:
        >>> import tensorlab as tl
        >>> layer = tl.nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, batch_first=True)
        >>> tl.nn.TransformerEncoder(layer, num_layers=2)(tl.randn(3, 5, 8)).shape
        tensorlab.Size([3, 5, 8])
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        causal = _is_causal(mask, is_causal, _length(src, self.layers))
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, causal)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """Copies of a `TransformerDecoderLayer`, one on another; each attends to the same memory.

    Args:
        decoder_layer: the layer that is copied.
        num_layers: how many copies.
        norm: a normalisation at the end, or None.

    Shape:
        as of `TransformerDecoderLayer`.

    Example:
        >>> import tensorlab as tl
        >>> layer = tl.nn.TransformerDecoderLayer(8, 2, dim_feedforward=16)
        >>> tl.nn.TransformerDecoder(layer, 2)(tl.randn(4, 3, 8), tl.randn(5, 3, 8)).shape
        tensorlab.Size([4, 3, 8])
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        causal = _is_causal(tgt_mask, tgt_is_causal, _length(tgt, self.layers))
        for layer in self.layers:
            tgt = layer(
                tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, causal,
                memory_is_causal,
            )  # fmt: skip
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder of the source, and a decoder of the target that attends to it.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation: see `TransformerEncoderLayer`.
        layer_norm_eps, batch_first, norm_first, bias, device, dtype: see `TransformerEncoderLayer`.
        num_encoder_layers, num_decoder_layers: how many layers each has.
        custom_encoder, custom_decoder: modules of one's own instead.

    Shape:
        the source (sources, batch, d_model) and the target (targets, batch, d_model) become (targets, batch,
        d_model). A call takes a mask and a padding mask of source, target and memory.

    Example:
        >>> import tensorlab as tl
        >>> net = tl.nn.Transformer(8, 2, 1, 1, dim_feedforward=16)
        >>> net(tl.randn(5, 3, 8), tl.randn(4, 3, 8)).shape
        tensorlab.Size([4, 3, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        kind = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first)
        place = {"bias": bias, "device": device, "dtype": dtype}
        if custom_encoder is None:
            layer: Module = TransformerEncoderLayer(*kind, **place)
            norm = LayerNorm(d_model, layer_norm_eps, **place)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*kind, **place)
            norm = LayerNorm(d_model, layer_norm_eps, **place)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, norm)
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def _reset_parameters(self) -> None:
        """Draw all weights anew."""
        for weight in self.parameters():
            if weight.dim() > 1:
                init.xavier_uniform_(weight)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """The mask of a sequence that must not look ahead: minus infinity above the diagonal, 0 elsewhere.

        Example:
            >>> import tensorlab as tl
            >>> tl.nn.Transformer.generate_square_subsequent_mask(2)
            tensor([[0., -inf],
                    [0., 0.]])
        """
        return _square_mask(sz, device, dtype)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        if (
            src.dim() == 3
            and src.shape[0 if self.batch_first else 1] != tgt.shape[0 if self.batch_first else 1]
        ):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        return self.decoder(
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, tgt_is_causal,
            memory_is_causal,
        )  # fmt: skip
