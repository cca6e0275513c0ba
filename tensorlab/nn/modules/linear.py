"""Layers that multiply by a weight: `Linear`, `Bilinear`, and their lazy form."""

from __future__ import annotations

import math
from typing import Any

import tensorlab as tl
from tensorlab.nn import functional as F
from tensorlab.nn import init
from tensorlab.nn.modules.lazy import LazyModuleMixin
from tensorlab.nn.modules.module import Module
from tensorlab.nn.parameter import Parameter, UninitializedParameter
from tensorlab.tensor import Tensor

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


class Identity(Module):
    """Give back what it gets; any arguments of the constructor are ignored.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Identity(54, unused=True)(tl.ones(2))
        tensor([1., 1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """y = x Wᵀ + b along the last dimension.

    Args:
        in_features: the size of the last dimension of the input.
        out_features: that of the output.
        bias: whether b is added.
        device, dtype: of the parameters.

    Attributes:
        weight: W, of the shape (out_features, in_features), drawn evenly between ±1/√in_features.
        bias: b, of the shape (out_features,), drawn likewise; or None.

    Shape:
        (…, in_features) becomes (…, out_features).

    Example:
        >>> import tensorlab as tl
        >>> layer = tl.nn.Linear(20, 30)
        >>> layer(tl.zeros(128, 20)).shape
        tensorlab.Size([128, 30])
    """

    __constants__ = ("in_features", "out_features")
    bias: Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(tl.empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(tl.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weight and the bias anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in = self.weight.shape[1]
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        )


class NonDynamicallyQuantizableLinear(Linear):
    """`Linear`, under the name that PyTorch prints for the last layer of `MultiheadAttention`."""


class Bilinear(Module):
    """y = x₁ᵀ A x₂ + b along the last dimensions of two inputs.

    Args:
        in1_features: the size of the last dimension of the first input.
        in2_features: that of the second input.
        out_features: that of the output.
        bias: whether b is added.
        device, dtype: of the parameters.

    Attributes:
        weight: A, of the shape (out_features, in1_features, in2_features), drawn evenly between
            ±1/√in1_features.
        bias: b, of the shape (out_features,), drawn likewise; or None.

    Shape:
        (…, in1_features) and (…, in2_features) become (…, out_features).

    Example:
        >>> import tensorlab as tl
        >>> layer = tl.nn.Bilinear(20, 30, 40)
        >>> layer(tl.zeros(8, 20), tl.zeros(8, 30)).shape
        tensorlab.Size([8, 40])
    """

    bias: Parameter | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={in1_features})")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        shape = (out_features, in1_features, in2_features)
        self.weight = Parameter(tl.empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(tl.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weight and the bias anew."""
        bound = 1 / math.sqrt(self.weight.shape[1])
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class LazyLinear(LazyModuleMixin, Linear):
    """`Linear`, which takes `in_features` from the first input that it sees.

    Args:
        out_features: the size of the last dimension of the output.
        bias: whether a bias is added.
        device, dtype: of the parameters.

    Example:
        >>> import tensorlab as tl
        >>> layer = tl.nn.LazyLinear(3)
        >>> layer.weight
        <UninitializedParameter>
        >>> layer(tl.zeros(1, 5)).shape, layer.weight.shape
        (tensorlab.Size([1, 3]), tensorlab.Size([3, 5]))
    """

    cls_to_become = Linear
    weight: UninitializedParameter
    bias: Any

    def __init__(
        self,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the weight and the bias anew, if they are there."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take `in_features` from the input."""
        if self.has_uninitialized_params():
            with tl.no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:
            self.in_features = self.weight.shape[-1]
