"""Larger images, by repeating pixels or by mixing them."""

from __future__ import annotations

from typing import Any

from tensorlab.nn import functional as F
from tensorlab.nn.modules.module import Module
from tensorlab.tensor import Tensor

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]


class Upsample(Module):
    """Resize sequences, images or volumes (see `tensorlab.nn.functional.interpolate`).

    Args:
        size: the sizes of the result; or
        scale_factor: how much larger it is.
        mode: ``"nearest"``, ``"linear"``, ``"bilinear"``, ``"bicubic"`` or ``"trilinear"``.
        align_corners: the corners of both images are the same points.
        recompute_scale_factor: take the factor from the sizes that were rounded.

    Shape:
        (N, C, sizes) becomes (N, C, size).

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Upsample(scale_factor=2)(tl.tensor([[[1.0, 2.0]]]))
        tensor([[[1., 1., 2., 2.]]])
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor: Any = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )  # fmt: skip

    def extra_repr(self) -> str:
        given = "size" if self.scale_factor is None else "scale_factor"
        return f"{given}={getattr(self, given)!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Resize images by repeating pixels.

    Args:
        size: height and width of the result; or
        scale_factor: how much larger it is.

    Shape:
        (N, C, H, W) becomes (N, C, size).

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.UpsamplingNearest2d(scale_factor=2)(tl.zeros(1, 1, 2, 2)).shape
        tensorlab.Size([1, 1, 4, 4])
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Resize images by mixing the four nearest pixels; corners stay corners.

    Args:
        size: height and width of the result; or
        scale_factor: how much larger it is.

    Shape:
        (N, C, H, W) becomes (N, C, size).

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.UpsamplingBilinear2d(size=(1, 3))(tl.tensor([[[[0.0, 1.0]]]]))
        tensor([[[[0.0000, 0.5000, 1.0000]]]])
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
