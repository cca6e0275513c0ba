"""PyTorch's `torch.nn.functional`: what a layer does, as functions of tensors.

Example:
    >>> import tensorlab as tl
    >>> import tensorlab.nn.functional as F
    >>> F.relu(tl.tensor([-1.0, 2.0]))
    tensor([0., 2.])
"""

from __future__ import annotations

from tensorlab import names
from tensorlab.contracts import explained_all, found_in
from tensorlab.dtypes import dtype
from tensorlab.ops.activations import (
    celu,
    elu,
    gelu,
    hardtanh,
    leaky_relu,
    logsigmoid,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    softplus,
    tanh,
)
from tensorlab.ops.attention import scaled_dot_product_attention
from tensorlab.ops.bags import (
    embedding_bag,
)
from tensorlab.ops.channels import (
    channel_shuffle,
    glu,
    local_response_norm,
    prelu,
)
from tensorlab.ops.convolution import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from tensorlab.ops.distances import (
    pdist,
)
from tensorlab.ops.distribution_losses import gaussian_nll_loss, kl_div, poisson_nll_loss
from tensorlab.ops.dropout import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
)
from tensorlab.ops.embedding import embedding
from tensorlab.ops.gumbel import (
    gumbel_softmax,
)
from tensorlab.ops.interpolation import interpolate
from tensorlab.ops.likelihood import cross_entropy, nll_loss
from tensorlab.ops.linear import bilinear, linear
from tensorlab.ops.losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    huber_loss,
    l1_loss,
    mse_loss,
    smooth_l1_loss,
)
from tensorlab.ops.margin_losses import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    multi_margin_loss,
    multilabel_soft_margin_loss,
    pairwise_distance,
    soft_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from tensorlab.ops.normalisation import batch_norm, group_norm, instance_norm, layer_norm, rms_norm
from tensorlab.ops.one_hot import one_hot
from tensorlab.ops.padding import pad
from tensorlab.ops.pieces import (
    celu_,
    elu_,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh_,
    leaky_relu_,
    mish,
    selu_,
    softshrink,
    softsign,
    tanhshrink,
    threshold,
    threshold_,
)
from tensorlab.ops.pointwise import (
    relu_,
)
from tensorlab.ops.pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    avg_pool1d,
    avg_pool2d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool2d_with_indices,
)
from tensorlab.ops.power_pooling import (
    lp_pool1d,
    lp_pool2d,
)
from tensorlab.ops.similarity import cosine_similarity, normalize
from tensorlab.ops.softmax import softmax_of_layers
from tensorlab.ops.unfolding import fold, pixel_shuffle, pixel_unshuffle, unfold
from tensorlab.tensor import Tensor

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "celu_",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "elu",
    "elu_",
    "embedding",
    "embedding_bag",
    "feature_alpha_dropout",
    "fold",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "group_norm",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "hinge_embedding_loss",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "local_response_norm",
    "log_softmax",
    "logsigmoid",
    "lp_pool1d",
    "lp_pool2d",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "mish",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_soft_margin_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rms_norm",
    "scaled_dot_product_attention",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "unfold",
]


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    """``exp(input)`` divided by its sum along a dimension (see `tensorlab.softmax`).

    Args:
        input: a floating-point tensor.
        dim: the dimension that adds up to 1. Without it a warning says which one was guessed.
        _stacklevel: taken as PyTorch takes it; the warning names the line outside of the library.
        dtype: the floating type to convert each element to first.

    Example:
        >>> import tensorlab as tl
        >>> softmax(tl.zeros(2, 2), dim=-1)
        tensor([[0.5000, 0.5000],
                [0.5000, 0.5000]])
    """
    return softmax_of_layers("softmax", input, dim, dtype)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    """The logarithm of `softmax`. The arguments are those of `softmax`.

    Example:
        >>> import tensorlab as tl
        >>> log_softmax(tl.zeros(4), dim=0)
        tensor([-1.3863, -1.3863, -1.3863, -1.3863])
    """
    return softmax_of_layers("log_softmax", input, dim, dtype)


def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    """The softmax of ``-input``: the least element gets the most. The arguments are those of `softmax`.

    Example:
        >>> import tensorlab as tl
        >>> softmin(tl.tensor([0.0, 1.0, 2.0]), dim=0)
        tensor([0.6652, 0.2447, 0.0900])
    """
    return softmax_of_layers("softmin", input, dim, dtype)


# A call with an argument of the wrong kind is told so. Flags may be anything, as in PyTorch.
_exported = {name: globals()[name] for name in __all__}
globals().update(explained_all(_exported, leave=names.element_by_element(_exported), flags=False))
found_in(__name__, {name: globals()[name] for name in _exported})
