"""Convolutions: a small window of weights moves over a sequence, an image or a volume."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import tensorlab as tl
from tensorlab.nn import functional as F
from tensorlab.nn import init
from tensorlab.nn.modules.lazy import LazyModuleMixin
from tensorlab.nn.modules.module import Module
from tensorlab.nn.modules.sizes import filled
from tensorlab.nn.parameter import Parameter, UninitializedParameter
from tensorlab.tensor import Tensor

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]

Sizes = int | Sequence[int]
_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """What all convolutions have in common: their arguments, a weight and a bias.

    Attributes:
        dims: the dimensions that the window moves along.
        transposed: whether it is the transpose of a convolution.
    """

    dims: int
    transposed = False
    bias: Any

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes,
        padding: Any,
        dilation: Sizes,
        output_padding: Sizes,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any,
        dtype: Any,
    ) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = filled(kernel_size, self.dims)
        self.stride = filled(stride, self.dims)
        self.padding = padding if isinstance(padding, str) else filled(padding, self.dims)
        self.dilation = filled(dilation, self.dims)
        self.output_padding = filled(output_padding, self.dims)
        self.groups = groups
        self.padding_mode = padding_mode
        self._check_padding()
        pair = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        shape = (pair[0], pair[1] // groups, *self.kernel_size)
        self.weight = Parameter(tl.empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(tl.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _check_padding(self) -> None:
        if isinstance(self.padding, str):
            if self.padding not in ("same", "valid"):
                raise ValueError(
                    f"Invalid padding string {self.padding!r}, should be one of 'same' and 'valid'"
                )
            if self.padding == "same" and any(step != 1 for step in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode not in _MODES:
            raise ValueError(
                f"padding_mode must be one of {', '.join(_MODES)}, but got padding_mode='{self.padding_mode}'"
            )

    def reset_parameters(self) -> None:
        """Draw the weight and the bias anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in = math.prod(self.weight.shape[1:])
            if fan_in:
                init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def _padded(self, input: Tensor) -> Tensor:
        """The input with the cells around it that `padding_mode` asks for."""
        if isinstance(self.padding, str):
            reach = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
            if self.padding == "valid":
                reach = [0] * self.dims
            pads = [(size // 2, size - size // 2) for size in reach]
        else:
            pads = [(size, size) for size in self.padding]
        # pad() begins with the last dimension.
        return F.pad(input, [size for pair in reversed(pads) for size in pair], mode=self.padding_mode)

    def extra_repr(self) -> str:
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        )
        usual = {"padding": 0, "dilation": 1, "output_padding": 0}
        for name, value in usual.items():
            if getattr(self, name) != (value,) * self.dims:
                text += f", {name}={getattr(self, name)}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class _Conv(_ConvNd):
    """A convolution; the classes differ in their dimensions."""

    function: Any

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Any = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias, padding_mode,
            device, dtype,
        )  # fmt: skip

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input, padding = self._padded(input), 0
        convolve = type(self).function
        return convolve(input, weight, bias, self.stride, padding, self.dilation, self.groups)


class Conv1d(_Conv):
    """A window of weights moves along a sequence: `Conv2d` of one dimension.

    Args:
        in_channels, out_channels, kernel_size, stride, padding: see `Conv2d`.
        dilation, groups, bias, padding_mode, device, dtype: see `Conv2d`.

    Shape:
        (N, in_channels, L) becomes (N, out_channels, L′); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Conv1d(16, 33, 3, stride=2)(tl.zeros(20, 16, 50)).shape
        tensorlab.Size([20, 33, 24])
    """

    dims = 1
    function = staticmethod(F.conv1d)


class Conv2d(_Conv):
    """A window of weights moves over an image; each place gives one number for each output channel.

    out[n, o, y, x] = b[o] + Σ w[o, c, i, j] · in[n, c, y·stride + i·dilation - padding, x·stride + …], summed
    over the channels c and the places (i, j) of the window.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: height and width of the window; one number for both.
        stride: how far it moves from one result to the next.
        padding: how many cells are put around the image; ``"valid"`` for none, ``"same"`` for as many as keep
            its size.
        dilation: the distance between two cells that the window looks at.
        groups: how many groups the channels fall into, each with its own windows.
        bias: whether b is added.
        padding_mode: what stands in the cells around: ``"zeros"``, ``"reflect"``, ``"replicate"`` or
            ``"circular"``.
        device, dtype: of the parameters.

    Raises:
        ValueError: the channels do not divide into the groups, or a word is unknown.

    Attributes:
        weight: of the shape (out_channels, in_channels / groups, height, width), drawn evenly between ±1/√k,
            where k is the number of weights of one output channel.
        bias: of the shape (out_channels,), drawn likewise; or None.

    Shape:
        (N, in_channels, H, W) becomes (N, out_channels, H′, W′) with
        H′ = ⌊(H + 2·padding - dilation·(kernel - 1) - 1) / stride⌋ + 1; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> layer = tl.nn.Conv2d(1, 6, kernel_size=5, padding=2)
        >>> layer(tl.zeros(8, 1, 28, 28)).shape
        tensorlab.Size([8, 6, 28, 28])
        >>> layer
        Conv2d(1, 6, kernel_size=(5, 5), stride=(1, 1), padding=(2, 2))
    """

    dims = 2
    function = staticmethod(F.conv2d)


class Conv3d(_Conv):
    """A window of weights moves through a volume: `Conv2d` of three dimensions.

    Args:
        in_channels, out_channels, kernel_size, stride, padding: see `Conv2d`.
        dilation, groups, bias, padding_mode, device, dtype: see `Conv2d`.

    Shape:
        (N, in_channels, D, H, W) becomes (N, out_channels, D′, H′, W′); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Conv3d(2, 3, (1, 2, 2))(tl.zeros(1, 2, 3, 4, 5)).shape
        tensorlab.Size([1, 3, 3, 3, 4])
    """

    dims = 3
    function = staticmethod(F.conv3d)


class _ConvTranspose(_ConvNd):
    """The transpose of a convolution; the classes differ in their dimensions."""

    transposed = True
    function: Any

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups, bias,
            padding_mode, device, dtype,
        )  # fmt: skip

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        more = self.output_padding if output_size is None else self._padding_for(input, list(output_size))
        convolve = type(self).function
        return convolve(
            input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation
        )

    def _padding_for(self, input: Tensor, output_size: list[int]) -> list[int]:
        """The `output_padding` that leads to an output of the sizes that are asked for."""
        lead = input.dim() - self.dims
        if len(output_size) == input.dim():
            output_size = output_size[lead:]
        if len(output_size) != self.dims:
            raise ValueError(
                f"ConvTranspose{self.dims}D: for {input.dim()}D input, output_size must have {self.dims} or "
                f"{lead + self.dims} elements (got {len(output_size)})"
            )
        least = [
            (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + 1
            for size, stride, padding, dilation, kernel in zip(
                input.shape[lead:], self.stride, self.padding, self.dilation, self.kernel_size, strict=True
            )
        ]
        most = [size + stride - 1 for size, stride in zip(least, self.stride, strict=True)]
        if any(not low <= size <= high for low, size, high in zip(least, output_size, most, strict=True)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {least} to {most} "
                f"(for an input of {input.size()[2:]})"
            )
        return [size - low for size, low in zip(output_size, least, strict=True)]


class ConvTranspose1d(_ConvTranspose):
    """The transpose of `Conv1d`: `ConvTranspose2d` of one dimension.

    Args:
        in_channels, out_channels, kernel_size, stride, padding, output_padding: see `ConvTranspose2d`.
        groups, bias, dilation padding_mode, device, dtype: see `ConvTranspose2d`.

    Shape:
        (N, in_channels, L) becomes (N, out_channels, L′); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ConvTranspose1d(2, 3, 4, stride=2)(tl.zeros(1, 2, 5)).shape
        tensorlab.Size([1, 3, 12])
    """

    dims = 1
    function = staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_ConvTranspose):
    """What the gradient of `Conv2d` does to its input: an image grows, where a convolution makes it smaller.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: height and width of the window; one number for both.
        stride: how far apart two numbers of the input are written.
        padding: how many cells of the result's edge are cut away.
        output_padding: how many cells the result has more on one side.
        groups: how many groups the channels fall into.
        bias: whether a bias is added.
        dilation: the distance between two cells that the window writes.
        padding_mode: ``"zeros"``.
        device, dtype: of the parameters.

    Attributes:
        weight: of the shape (in_channels, out_channels / groups, height, width).
        bias: of the shape (out_channels,), or None.

    Shape:
        (N, in_channels, H, W) becomes (N, out_channels, H′, W′) with
        H′ = (H - 1)·stride - 2·padding + dilation·(kernel - 1) + output_padding + 1; N may be left out. A
        call takes an `output_size` beside the input, where several sizes are possible.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ConvTranspose2d(3, 1, 4, stride=2, padding=1)(tl.zeros(1, 3, 8, 8)).shape
        tensorlab.Size([1, 1, 16, 16])
    """

    dims = 2
    function = staticmethod(F.conv_transpose2d)


class ConvTranspose3d(_ConvTranspose):
    """The transpose of `Conv3d`: `ConvTranspose2d` of three dimensions.

    Args:
        in_channels, out_channels, kernel_size, stride, padding, output_padding: see `ConvTranspose2d`.
        groups, bias, dilation padding_mode, device, dtype: see `ConvTranspose2d`.

    Shape:
        (N, in_channels, D, H, W) becomes (N, out_channels, D′, H′, W′); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ConvTranspose3d(2, 1, 2)(tl.zeros(1, 2, 2, 2, 2)).shape
        tensorlab.Size([1, 1, 3, 3, 3])
    """

    dims = 3
    function = staticmethod(F.conv_transpose3d)


class _LazyConv(LazyModuleMixin):
    """A convolution that takes `in_channels` from the first input that it sees."""

    def __init__(self: Any, out_channels: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(0, 0, *args, **kwargs)
        self.out_channels = out_channels
        device, dtype = kwargs.get("device"), kwargs.get("dtype")
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if self.bias is not None:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self: Any) -> None:
        """Draw the weight and the bias anew, if they are there."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self: Any, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Take `in_channels` from the input."""
        if not self.has_uninitialized_params():
            return
        if input.dim() not in (self.dims + 1, self.dims + 2):
            raise RuntimeError(
                f"Expected {self.dims + 1}D (unbatched) or {self.dims + 2}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape}"
            )
        self.in_channels = input.shape[-self.dims - 1]
        if self.in_channels % self.groups:
            raise ValueError("in_channels must be divisible by groups")
        pair = (self.in_channels, self.out_channels)
        first, second = pair if self.transposed else pair[::-1]
        self.weight.materialize((first, second // self.groups, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()


class LazyConv1d(_LazyConv, Conv1d):
    """`Conv1d`, which takes `in_channels` from the first input that it sees.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.LazyConv1d(3, 2)(tl.zeros(1, 5, 4)).shape
        tensorlab.Size([1, 3, 3])
    """

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """`Conv2d`, which takes `in_channels` from the first input that it sees.

    Example:
        >>> import tensorlab as tl
        >>> layer = tl.nn.LazyConv2d(6, kernel_size=3)
        >>> layer(tl.zeros(1, 4, 8, 8)).shape, layer
        (tensorlab.Size([1, 6, 6, 6]), Conv2d(4, 6, kernel_size=(3, 3), stride=(1, 1)))
    """

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """`Conv3d`, which takes `in_channels` from the first input that it sees.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.LazyConv3d(1, 2)(tl.zeros(1, 2, 2, 2, 2)).shape
        tensorlab.Size([1, 1, 1, 1, 1])
    """

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConv, ConvTranspose1d):
    """`ConvTranspose1d`, which takes `in_channels` from the first input that it sees.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.LazyConvTranspose1d(3, 2)(tl.zeros(1, 5, 4)).shape
        tensorlab.Size([1, 3, 5])
    """

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConv, ConvTranspose2d):
    """`ConvTranspose2d`, which takes `in_channels` from the first input that it sees.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.LazyConvTranspose2d(1, 2)(tl.zeros(1, 5, 2, 2)).shape
        tensorlab.Size([1, 1, 3, 3])
    """

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConv, ConvTranspose3d):
    """`ConvTranspose3d`, which takes `in_channels` from the first input that it sees.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.LazyConvTranspose3d(1, 2)(tl.zeros(1, 2, 1, 1, 1)).shape
        tensorlab.Size([1, 1, 2, 2, 2])
    """

    cls_to_become = ConvTranspose3d
