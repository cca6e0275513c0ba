"""Pooling: each window of a sequence or an image becomes one number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlab.nn import functional as F
from tensorlab.nn.modules.module import Module
from tensorlab.nn.modules.sizes import filled, shown
from tensorlab.tensor import Tensor

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]

Sizes = int | Sequence[int]


class _MaxPool(Module):
    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def _arguments(self) -> tuple[Any, ...]:
        return self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices

    def extra_repr(self) -> str:
        return shown(self, "kernel_size", "stride", "padding", "dilation", "ceil_mode")


class MaxPool1d(_MaxPool):
    """The largest number in each window of a sequence: `MaxPool2d` of one dimension.

    Args:
        kernel_size, stride, padding, dilation, return_indices, ceil_mode: see `MaxPool2d`.

    Shape:
        (N, C, L) becomes (N, C, L′); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.MaxPool1d(2)(tl.tensor([[[1.0, 3.0, 2.0, 0.0]]]))
        tensor([[[3., 2.]]])
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool1d(input, *self._arguments())


class MaxPool2d(_MaxPool):
    """The largest number in each window of an image.

    Args:
        kernel_size: height and width of the window; one number for both.
        stride: how far the window moves; by default its own size, so that windows do not overlap.
        padding: how many cells of minus infinity are put around the image, at most half a window.
        dilation: the distance between two cells that the window looks at.
        return_indices: also give the place of each largest number, counted row by row.
        ceil_mode: a window that lies partly outside counts.

    Shape:
        (N, C, H, W) becomes (N, C, H′, W′) with
        H′ = ⌊(H + 2·padding - dilation·(kernel - 1) - 1) / stride⌋ + 1; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.MaxPool2d(2)(tl.arange(16.0).view(1, 4, 4))
        tensor([[[ 5.,  7.],
                 [13., 15.]]])
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool2d(input, *self._arguments())


class MaxPool3d(_MaxPool):
    """The largest number in each window of a volume: `MaxPool2d` of three dimensions.

    Args:
        kernel_size, stride, padding, dilation, return_indices, ceil_mode: see `MaxPool2d`.

    Shape:
        (N, C, D, H, W) becomes (N, C, D′, H′, W′); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.MaxPool3d(2)(tl.arange(16.0).view(1, 2, 2, 4))
        tensor([[[[13., 15.]]]])
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool3d(input, *self._arguments())


class _MaxUnpool(Module):
    _dims: int

    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> None:
        super().__init__()
        self.kernel_size = filled(kernel_size, self._dims)
        self.stride = filled(kernel_size if stride is None else stride, self._dims)
        self.padding = filled(padding, self._dims)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        unpool = getattr(F, f"max_unpool{self._dims}d")
        return unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return shown(self, "kernel_size", "stride", "padding")


class MaxUnpool1d(_MaxUnpool):
    """What `MaxPool1d` chose, put back to where it stood: `MaxUnpool2d` of one dimension.

    Args:
        kernel_size, stride, padding: see `MaxUnpool2d`.

    Shape:
        (N, C, L) becomes (N, C, L′); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> pool, unpool = tl.nn.MaxPool1d(2, return_indices=True), tl.nn.MaxUnpool1d(2)
        >>> unpool(*pool(tl.tensor([[1.0, 5.0, 2.0, 3.0]])))
        tensor([[0., 5., 0., 3.]])
    """

    _dims = 1


class MaxUnpool2d(_MaxUnpool):
    """What `MaxPool2d` chose, put back to where it stood, with zeros everywhere else.

    Called with the numbers, their places, and, where several sizes are pooled to the same one, with the
    output's size.

    Args:
        kernel_size, stride, padding: those of the pooling.

    Shape:
        (N, C, H, W) becomes (N, C, H′, W′) with H′ = (H - 1)·stride - 2·padding + kernel; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> pool, unpool = tl.nn.MaxPool2d(2, return_indices=True), tl.nn.MaxUnpool2d(2)
        >>> unpool(*pool(tl.tensor([[[1.0, 4.0], [3.0, 2.0]]])))
        tensor([[[0., 4.],
                 [0., 0.]]])
    """

    _dims = 2


class MaxUnpool3d(_MaxUnpool):
    """What `MaxPool3d` chose, put back to where it stood: `MaxUnpool2d` of three dimensions.

    Args:
        kernel_size, stride, padding: see `MaxUnpool2d`.

    Shape:
        (N, C, D, H, W) becomes (N, C, D′, H′, W′); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> pool, unpool = tl.nn.MaxPool3d(2, return_indices=True), tl.nn.MaxUnpool3d(2)
        >>> unpool(*pool(tl.arange(8.0).view(1, 2, 2, 2))).flatten()
        tensor([0., 0., 0., 0., 0., 0., 0., 7.])
    """

    _dims = 3


class AvgPool1d(Module):
    """The mean of each window of a sequence: `AvgPool2d` of one dimension.

    Args:
        kernel_size, stride, padding, ceil_mode, count_include_pad: see `AvgPool2d`.

    Shape:
        (N, C, L) becomes (N, C, L′); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.AvgPool1d(2)(tl.tensor([[[1.0, 3.0, 2.0, 0.0]]]))
        tensor([[[2., 1.]]])
    """

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = filled(kernel_size, 1)
        self.stride = filled(kernel_size if stride is None else stride, 1)
        self.padding = filled(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )

    def extra_repr(self) -> str:
        return shown(self, "kernel_size", "stride", "padding")


class _AvgPool(Module):
    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def _arguments(self) -> tuple[Any, ...]:
        counted = self.count_include_pad, self.divisor_override
        return self.kernel_size, self.stride, self.padding, self.ceil_mode, *counted

    def extra_repr(self) -> str:
        return shown(self, "kernel_size", "stride", "padding")


class AvgPool2d(_AvgPool):
    """The mean of each window of an image.

    Args:
        kernel_size: height and width of the window; one number for both.
        stride: how far the window moves; by default its own size.
        padding: how many zeros are put around the image.
        ceil_mode: a window that lies partly outside counts.
        count_include_pad: the zeros around count in the mean.
        divisor_override: divide by this instead of the number of cells.

    Shape:
        (N, C, H, W) becomes (N, C, H′, W′) with H′ = ⌊(H + 2·padding - kernel) / stride⌋ + 1; N may be left
        out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.AvgPool2d(2)(tl.arange(16.0).view(1, 4, 4))
        tensor([[[ 2.5000,  4.5000],
                 [10.5000, 12.5000]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool2d(input, *self._arguments())


class AvgPool3d(_AvgPool):
    """The mean of each window of a volume: `AvgPool2d` of three dimensions.

    Args:
        kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: see `AvgPool2d`.

    Shape:
        (N, C, D, H, W) becomes (N, C, D′, H′, W′); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.AvgPool3d(2)(tl.arange(16.0).view(1, 2, 2, 4))
        tensor([[[[6.5000, 8.5000]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool3d(input, *self._arguments())


class _LPPool(Module):
    def __init__(
        self, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size: Any = kernel_size
        self.stride: Any = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return shown(self, "norm_type", "kernel_size", "stride", "ceil_mode")


class LPPool1d(_LPPool):
    """The norm (Σ xᵖ)^(1/p) of each window of a sequence.

    Args:
        norm_type: p.
        kernel_size, stride, ceil_mode: see `MaxPool2d`.

    Shape:
        (N, C, L) becomes (N, C, L′); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.LPPool1d(2, 2)(tl.tensor([[[3.0, 4.0]]]))
        tensor([[[5.]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool1d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPool):
    """The norm (Σ xᵖ)^(1/p) of each window of an image.

    Args:
        norm_type: p.
        kernel_size, stride, ceil_mode: see `MaxPool2d`.

    Shape:
        (N, C, H, W) becomes (N, C, H′, W′); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.LPPool2d(2, 2)(tl.ones(1, 2, 2))
        tensor([[[2.]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(_LPPool):
    """The norm (Σ xᵖ)^(1/p) of each window of a volume.

    Args:
        norm_type: p.
        kernel_size, stride, ceil_mode: see `MaxPool2d`.

    Shape:
        (N, C, D, H, W) becomes (N, C, D′, H′, W′); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.LPPool3d(1, 2)(tl.ones(1, 2, 2, 2))
        tensor([[[[8.]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool3d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class _AdaptivePool(Module):
    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class _AdaptiveMaxPool(_AdaptivePool):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices


class AdaptiveAvgPool1d(_AdaptivePool):
    """The means of as many windows as the result is to have numbers.

    Args:
        output_size: how many.

    Shape:
        (N, C, L) becomes (N, C, output_size); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.AdaptiveAvgPool1d(2)(tl.tensor([[1.0, 3.0, 2.0, 0.0]]))
        tensor([[2., 1.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptivePool):
    """The means of as many windows as the result is to have cells, whatever the size of the image.

    Args:
        output_size: height and width of the result; one number for both; None keeps the input's.

    Shape:
        (N, C, H, W) becomes (N, C, output_size); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.AdaptiveAvgPool2d((1, 1))(tl.ones(2, 3, 7, 5)).shape
        tensorlab.Size([2, 3, 1, 1])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptivePool):
    """The means of as many windows as the result is to have cells, whatever the size of the volume.

    Args:
        output_size: depth, height and width of the result; one number for all; None keeps the input's.

    Shape:
        (N, C, D, H, W) becomes (N, C, output_size); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.AdaptiveAvgPool3d(1)(tl.ones(2, 3, 4, 7, 5)).shape
        tensorlab.Size([2, 3, 1, 1, 1])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """The largest numbers of as many windows as the result is to have numbers.

    Args:
        output_size: how many.
        return_indices: also give their places.

    Shape:
        (N, C, L) becomes (N, C, output_size); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.AdaptiveMaxPool1d(2)(tl.tensor([[1.0, 3.0, 2.0, 0.0]]))
        tensor([[3., 2.]])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """The largest numbers of as many windows as the result is to have cells.

    Args:
        output_size: height and width of the result; one number for both; None keeps the input's.
        return_indices: also give their places, counted row by row.

    Shape:
        (N, C, H, W) becomes (N, C, output_size); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.AdaptiveMaxPool2d(1)(tl.arange(4.0).view(1, 2, 2))
        tensor([[[3.]]])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """The largest numbers of as many windows as the result is to have cells.

    Args:
        output_size: depth, height and width of the result; one number for all; None keeps the input's.
        return_indices: also give their places, counted row by row.

    Shape:
        (N, C, D, H, W) becomes (N, C, output_size); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.AdaptiveMaxPool3d(1)(tl.arange(8.0).view(1, 2, 2, 2))
        tensor([[[[7.]]]])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)
