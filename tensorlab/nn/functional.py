"""PyTorch's `torch.nn.functional`: what a layer does, as functions of tensors.

Example:
    >>> import tensorlab as tl
    >>> import tensorlab.nn.functional as F
    >>> F.relu(tl.tensor([-1.0, 2.0]))
    tensor([0., 2.])
"""

from __future__ import annotations

from tensorlab.ops.activations import (
    elu,
    gelu,
    hardtanh,
    leaky_relu,
    logsigmoid,
    relu,
    relu6,
    sigmoid,
    silu,
    softplus,
    tanh,
)

__all__ = [
    "elu",
    "gelu",
    "hardtanh",
    "leaky_relu",
    "logsigmoid",
    "relu",
    "relu6",
    "sigmoid",
    "silu",
    "softplus",
    "tanh",
]
