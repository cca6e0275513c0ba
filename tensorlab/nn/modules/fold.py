"""Images cut into windows, and put together again."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.nn import functional as F
from tensorlab.nn.modules.module import Module
from tensorlab.nn.modules.sizes import shown
from tensorlab.tensor import Tensor

__all__ = ["Fold", "Unfold"]

Sizes = int | Sequence[int]


class Unfold(Module):
    """Each window of an image as a column (see `tensorlab.nn.functional.unfold`).

    Args:
        kernel_size: height and width of the window.
        dilation: the distance between two of its cells.
        padding: how many zeros are put around the image.
        stride: how far it moves.

    Shape:
        (N, C, H, W) becomes (N, C·height·width, windows).

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Unfold(2)(tl.zeros(1, 3, 4, 4)).shape
        tensorlab.Size([1, 12, 9])
    """

    def __init__(
        self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return shown(self, "kernel_size", "dilation", "padding", "stride")


class Fold(Module):
    """The sum of windows that `Unfold` made columns, each in its place.

    Args:
        output_size: height and width of the image.
        kernel_size, dilation, padding, stride: see `Unfold`.

    Shape:
        (N, C·height·width, windows) becomes (N, C, output_size).

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Fold((1, 3), (1, 2))(tl.ones(1, 2, 2))
        tensor([[[[1., 2., 1.]]]])
    """

    def __init__(
        self,
        output_size: Sizes,
        kernel_size: Sizes,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        stride: Sizes = 1,
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(
            input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride
        )  # fmt: skip

    def extra_repr(self) -> str:
        return shown(self, "output_size", "kernel_size", "dilation", "padding", "stride")
