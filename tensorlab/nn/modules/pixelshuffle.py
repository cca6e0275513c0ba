"""Channels become pixels, pixels become channels, channels change places."""

from __future__ import annotations

from tensorlab.nn import functional as F
from tensorlab.nn.modules.module import Module
from tensorlab.tensor import Tensor

__all__ = ["ChannelShuffle", "PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """Make an image r times as high and wide from r² times the channels (Shi et al., 2016).

    Args:
        upscale_factor: r.

    Shape:
        (…, C·r², H, W) becomes (…, C, H·r, W·r).

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.PixelShuffle(2)(tl.arange(4.0).view(4, 1, 1))
        tensor([[[0., 1.],
                 [2., 3.]]])
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Undo `PixelShuffle`.

    Args:
        downscale_factor: r.

    Shape:
        (…, C, H·r, W·r) becomes (…, C·r², H, W).

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.PixelUnshuffle(2)(tl.zeros(1, 4, 6)).shape
        tensorlab.Size([4, 2, 3])
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Deal the channels of groups out in turn: the next grouped layer sees all groups (Zhang et al., 2018).

    Args:
        groups: how many groups there are.

    Shape:
        (N, C, …), and the same.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ChannelShuffle(2)(tl.arange(4.0).view(1, 4, 1, 1)).flatten()
        tensor([0., 2., 1., 3.])
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
