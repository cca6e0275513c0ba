"""Functions between layers, as modules: each number by itself, or along a dimension."""

from __future__ import annotations

import warnings
from typing import Any

import tensorlab as tl
from tensorlab.nn import functional as F
from tensorlab.nn import init as initialization
from tensorlab.nn.modules.module import Module
from tensorlab.nn.parameter import Parameter
from tensorlab.tensor import Tensor

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]


class _Activation(Module):
    """A function of each number.

    Attributes:
        shown: the attributes that the module's text names.
        inplace: whether the result is written over the input.
    """

    shown: tuple[str, ...] = ()
    inplace = False

    def extra_repr(self) -> str:
        fields = [f"{name}={getattr(self, name)!r}" for name in self.shown]
        return ", ".join([*fields, "inplace=True"] if self.inplace else fields)


class _InPlace(_Activation):
    """The functions without any other setting."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class ReLU(_InPlace):
    """max(0, x).

    Args:
        inplace: write the result over the input.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ReLU()(tl.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, inplace=self.inplace)


class RReLU(_Activation):
    """x above 0, a·x below: in training a is drawn from [lower, upper) for each number, else it is the mean.

    Args:
        lower: the least slope.
        upper: the largest slope.
        inplace: write the result over the input.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.RReLU(0.1, 0.3).eval()(tl.tensor([-1.0, 2.0]))
        tensor([-0.2000,  2.0000])
    """

    shown = ("lower", "upper")

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class Hardtanh(_Activation):
    """x, cut off below `min_val` and above `max_val`.

    Args:
        min_val: the least result.
        max_val: the largest result.
        inplace: write the result over the input.
        min_value, max_value: old names of the first two.

    Raises:
        AssertionError: `max_val` is not above `min_val`.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Hardtanh(-2, 2)(tl.tensor([-3.0, 1.0, 3.0]))
        tensor([-2.,  1.,  2.])
    """

    shown: tuple[str, ...] = ("min_val", "max_val")

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        for old, value in (("min", min_value), ("max", max_value)):
            if value is not None:
                warnings.warn(
                    f"keyword argument `{old}_value` is deprecated and renamed to `{old}_val`",
                    FutureWarning,
                    stacklevel=2,
                )
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class ReLU6(Hardtanh):
    """min(max(0, x), 6).

    Args:
        inplace: write the result over the input.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ReLU6()(tl.tensor([-1.0, 2.0, 8.0]))
        tensor([0., 2., 6.])
    """

    shown = ()

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)


class Threshold(_Activation):
    """x where it is above a threshold, and a value else.

    Args:
        threshold: what x must be above.
        value: what stands for the others.
        inplace: write the result over the input.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Threshold(0.5, -1)(tl.tensor([0.2, 0.9]))
        tensor([-1.0000,  0.9000])
    """

    shown = ("threshold", "value")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)


class Sigmoid(_Activation):
    """1 / (1 + exp(-x)).

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Sigmoid()(tl.zeros(2))
        tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return tl.sigmoid(input)


class Hardsigmoid(_InPlace):
    """min(max(0, x / 6 + 1/2), 1): a sigmoid of three straight pieces.

    Args:
        inplace: write the result over the input.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Hardsigmoid()(tl.tensor([-4.0, 0.0, 4.0]))
        tensor([0.0000, 0.5000, 1.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Tanh(_Activation):
    """The hyperbolic tangent.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Tanh()(tl.tensor([0.0, 1.0]))
        tensor([0.0000, 0.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        return tl.tanh(input)


class SiLU(_InPlace):
    """x · sigmoid(x), also called swish.

    Args:
        inplace: write the result over the input.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.SiLU()(tl.tensor([0.0, 1.0]))
        tensor([0.0000, 0.7311])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, inplace=self.inplace)


class Mish(_InPlace):
    """x · tanh(softplus(x)).

    Args:
        inplace: write the result over the input.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Mish()(tl.tensor([0.0, 1.0]))
        tensor([0.0000, 0.8651])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, inplace=self.inplace)


class Hardswish(_InPlace):
    """x · min(max(0, x + 3), 6) / 6: a swish of straight pieces and a parabola.

    Args:
        inplace: write the result over the input.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Hardswish()(tl.tensor([-4.0, 1.0, 4.0]))
        tensor([-0.0000, 0.6667, 4.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class _Exponential(_Activation):
    """The functions with an α."""

    shown = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace


class ELU(_Exponential):
    """x above 0, α·(exp(x) - 1) below.

    Args:
        alpha: α.
        inplace: write the result over the input.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ELU()(tl.tensor([-1.0, 2.0]))
        tensor([-0.6321,  2.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)


class CELU(_Exponential):
    """x above 0, α·(exp(x/α) - 1) below: its slope has no jump.

    Args:
        alpha: α.
        inplace: write the result over the input.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.CELU(2.0)(tl.tensor([-1.0, 2.0]))
        tensor([-0.7869,  2.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


class SELU(_InPlace):
    """λ·x above 0, λ·α·(exp(x) - 1) below: mean 0 and variance 1 stay (Klambauer et al., 2017).

    Args:
        inplace: write the result over the input.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.SELU()(tl.tensor([-1.0, 1.0]))
        tensor([-1.1113,  1.0507])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


class GLU(_Activation):
    """a · sigmoid(b), where a and b are the two halves of the input along a dimension.

    Args:
        dim: the dimension that is halved.

    Shape:
        (…, 2 N, …) becomes (…, N, …).

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.GLU()(tl.tensor([4.0, 2.0, 0.0, 0.0]))
        tensor([2., 1.])
    """

    shown = ("dim",)

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)


class GELU(_Activation):
    """x · Φ(x), where Φ is the distribution function of the normal distribution.

    Args:
        approximate: ``"none"``, or ``"tanh"`` for the approximation of Hendrycks and Gimpel (2016).

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.GELU()(tl.tensor([-1.0, 1.0]))
        tensor([-0.1587,  0.8413])
    """

    shown = ("approximate",)

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)


class _Shrink(_Activation):
    """The functions with a λ."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class Hardshrink(_Shrink):
    """x where it is above λ or below -λ, and 0 between.

    Args:
        lambd: λ.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Hardshrink()(tl.tensor([-1.0, 0.2, 1.0]))
        tensor([-1.,  0.,  1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)


class Softshrink(_Shrink):
    """x - λ where x is above λ, x + λ where it is below -λ, and 0 between.

    Args:
        lambd: λ.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Softshrink()(tl.tensor([-1.0, 0.2, 1.0]))
        tensor([-0.5000,  0.0000,  0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)


class LeakyReLU(_Activation):
    """x above 0, and a small part of it below.

    Args:
        negative_slope: the part.
        inplace: write the result over the input.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.LeakyReLU(0.1)(tl.tensor([-1.0, 2.0]))
        tensor([-0.1000,  2.0000])
    """

    shown = ("negative_slope",)

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)


class LogSigmoid(_Activation):
    """log(1 / (1 + exp(-x))).

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.LogSigmoid()(tl.zeros(1))
        tensor([-0.6931])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Softplus(_Activation):
    """log(1 + exp(β·x)) / β: a smooth `ReLU`.

    Args:
        beta: β.
        threshold: where β·x is above it, the result is x.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Softplus()(tl.tensor([0.0, 30.0]))
        tensor([ 0.6931, 30.0000])
    """

    shown = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)


class PReLU(_Activation):
    """x above 0, a·x below, with a slope a that is learned.

    Args:
        num_parameters: 1, or the number of channels, each with its slope.
        init: what the slopes begin with.
        device, dtype: of the slopes.

    Shape:
        (N, C, …), and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.PReLU()(tl.tensor([-1.0, 2.0])).detach()
        tensor([-0.2500,  2.0000])
    """

    shown = ("num_parameters",)

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(tl.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Let the slopes begin anew."""
        initialization.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)


class Softsign(_Activation):
    """``x / (1 + |x|)``.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Softsign()(tl.tensor([-1.0, 3.0]))
        tensor([-0.5000,  0.7500])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class Tanhshrink(_Activation):
    """x - tanh(x).

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Tanhshrink()(tl.tensor([0.0, 1.0]))
        tensor([0.0000, 0.2384])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class _AlongDim(_Activation):
    """The functions along a dimension."""

    shown = ("dim",)

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim


class Softmax(_AlongDim):
    """exp(x) divided by its sum along a dimension.

    Args:
        dim: the dimension that adds up to 1. Without it a warning says which one was guessed.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Softmax(dim=1)(tl.zeros(1, 4))
        tensor([[0.2500, 0.2500, 0.2500, 0.2500]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim, _stacklevel=5)


class Softmin(_AlongDim):
    """`Softmax` of -x: the least number gets the most.

    Args:
        dim: the dimension that adds up to 1.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Softmin(dim=0)(tl.tensor([0.0, 1.0]))
        tensor([0.7311, 0.2689])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim, _stacklevel=5)


class LogSoftmax(_AlongDim):
    """The logarithm of `Softmax`.

    Args:
        dim: the dimension along which the sum is taken.

    Shape:
        anything, and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.LogSoftmax(dim=0)(tl.zeros(4))
        tensor([-1.3863, -1.3863, -1.3863, -1.3863])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=5)


class Softmax2d(_Activation):
    """`Softmax` over the channels of images, at each place by itself.

    Raises:
        ValueError: the input has neither three nor four dimensions.

    Shape:
        (N, C, H, W) or (C, H, W), and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Softmax2d()(tl.zeros(1, 2, 1, 1)).flatten()
        tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)
