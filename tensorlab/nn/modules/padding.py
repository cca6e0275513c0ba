"""Padding: cells put around a sequence, an image or a volume."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.nn import functional as F
from tensorlab.nn.modules.module import Module
from tensorlab.nn.modules.sizes import filled
from tensorlab.tensor import Tensor

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _Pad(Module):
    """What all of them have in common.

    Attributes:
        dims: the dimensions that are padded.
        mode: what `tensorlab.nn.functional.pad` calls the kind.
    """

    dims: int
    mode = "constant"
    value = 0.0

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = filled(padding, 2 * self.dims)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode, self.value if self.mode == "constant" else None)

    def extra_repr(self) -> str:
        return str(self.padding)


class _ConstantPad(_Pad):
    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _CircularPad(_Pad):
    mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (self.dims + 1, self.dims + 2):
            raise ValueError(
                f"expected {self.dims + 1}D or {self.dims + 2}D input (got {input.dim()}D input)"
            )
        return super().forward(input)


class CircularPad1d(_CircularPad):
    """Around a sequence: the cells of the other side, as if the input went round.

    Args:
        padding: two numbers, for the left and the right; one number for all.

    Shape:
        (N, C, L) becomes larger along its last dimension; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.CircularPad1d(1)(tl.arange(3.0).view(1, 3)).flatten()
        tensor([2., 0., 1., 2., 0.])
    """

    dims = 1


class CircularPad2d(_CircularPad):
    """Around an image: the cells of the other side, as if the input went round.

    Args:
        padding: four numbers, for left, right, top and bottom; one number for all.

    Shape:
        (N, C, H, W) becomes larger along its last two dimensions; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.CircularPad2d((1, 1, 0, 0))(tl.arange(3.0).view(1, 1, 3)).flatten()
        tensor([2., 0., 1., 2., 0.])
    """

    dims = 2


class CircularPad3d(_CircularPad):
    """Around a volume: the cells of the other side, as if the input went round.

    Args:
        padding: six numbers, for left, right, top, bottom, front and back; one number for all.

    Shape:
        (N, C, D, H, W) becomes larger along its last three dimensions; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.CircularPad3d((1, 1, 0, 0, 0, 0))(tl.arange(3.0).view(1, 1, 1, 3)).flatten()
        tensor([2., 0., 1., 2., 0.])
    """

    dims = 3


class ConstantPad1d(_ConstantPad):
    """Around a sequence: one number.

    Args:
        padding: two numbers, for the left and the right; one number for all.
        value: the number.

    Shape:
        (N, C, L) becomes larger along its last dimension; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ConstantPad1d(1, 5.0)(tl.arange(3.0).view(1, 3)).flatten()
        tensor([5., 0., 1., 2., 5.])
    """

    dims = 1


class ConstantPad2d(_ConstantPad):
    """Around an image: one number.

    Args:
        padding: four numbers, for left, right, top and bottom; one number for all.
        value: the number.

    Shape:
        (N, C, H, W) becomes larger along its last two dimensions; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ConstantPad2d((1, 1, 0, 0), 5.0)(tl.arange(3.0).view(1, 1, 3)).flatten()
        tensor([5., 0., 1., 2., 5.])
    """

    dims = 2


class ConstantPad3d(_ConstantPad):
    """Around a volume: one number.

    Args:
        padding: six numbers, for left, right, top, bottom, front and back; one number for all.
        value: the number.

    Shape:
        (N, C, D, H, W) becomes larger along its last three dimensions; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ConstantPad3d((1, 1, 0, 0, 0, 0), 5.0)(tl.arange(3.0).view(1, 1, 1, 3)).flatten()
        tensor([5., 0., 1., 2., 5.])
    """

    dims = 3


class ReflectionPad1d(_Pad):
    """Around a sequence: the cells beside the edge, mirrored.

    Args:
        padding: two numbers, for the left and the right; one number for all.

    Shape:
        (N, C, L) becomes larger along its last dimension; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ReflectionPad1d(1)(tl.arange(3.0).view(1, 3)).flatten()
        tensor([1., 0., 1., 2., 1.])
    """

    dims = 1
    mode = "reflect"


class ReflectionPad2d(_Pad):
    """Around an image: the cells beside the edge, mirrored.

    Args:
        padding: four numbers, for left, right, top and bottom; one number for all.

    Shape:
        (N, C, H, W) becomes larger along its last two dimensions; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ReflectionPad2d((1, 1, 0, 0))(tl.arange(3.0).view(1, 1, 3)).flatten()
        tensor([1., 0., 1., 2., 1.])
    """

    dims = 2
    mode = "reflect"


class ReflectionPad3d(_Pad):
    """Around a volume: the cells beside the edge, mirrored.

    Args:
        padding: six numbers, for left, right, top, bottom, front and back; one number for all.

    Shape:
        (N, C, D, H, W) becomes larger along its last three dimensions; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ReflectionPad3d((1, 1, 0, 0, 0, 0))(tl.arange(3.0).view(1, 1, 1, 3)).flatten()
        tensor([1., 0., 1., 2., 1.])
    """

    dims = 3
    mode = "reflect"


class ReplicationPad1d(_Pad):
    """Around a sequence: the cell at the edge, again and again.

    Args:
        padding: two numbers, for the left and the right; one number for all.

    Shape:
        (N, C, L) becomes larger along its last dimension; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ReplicationPad1d(1)(tl.arange(3.0).view(1, 3)).flatten()
        tensor([0., 0., 1., 2., 2.])
    """

    dims = 1
    mode = "replicate"


class ReplicationPad2d(_Pad):
    """Around an image: the cell at the edge, again and again.

    Args:
        padding: four numbers, for left, right, top and bottom; one number for all.

    Shape:
        (N, C, H, W) becomes larger along its last two dimensions; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ReplicationPad2d((1, 1, 0, 0))(tl.arange(3.0).view(1, 1, 3)).flatten()
        tensor([0., 0., 1., 2., 2.])
    """

    dims = 2
    mode = "replicate"


class ReplicationPad3d(_Pad):
    """Around a volume: the cell at the edge, again and again.

    Args:
        padding: six numbers, for left, right, top, bottom, front and back; one number for all.

    Shape:
        (N, C, D, H, W) becomes larger along its last three dimensions; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ReplicationPad3d((1, 1, 0, 0, 0, 0))(tl.arange(3.0).view(1, 1, 1, 3)).flatten()
        tensor([0., 0., 1., 2., 2.])
    """

    dims = 3
    mode = "replicate"


class ZeroPad1d(_Pad):
    """Around a sequence: zeros.

    Args:
        padding: two numbers, for the left and the right; one number for all.

    Shape:
        (N, C, L) becomes larger along its last dimension; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ZeroPad1d(1)(tl.arange(3.0).view(1, 3)).flatten()
        tensor([0., 0., 1., 2., 0.])
    """

    dims = 1


class ZeroPad2d(_Pad):
    """Around an image: zeros.

    Args:
        padding: four numbers, for left, right, top and bottom; one number for all.

    Shape:
        (N, C, H, W) becomes larger along its last two dimensions; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ZeroPad2d((1, 1, 0, 0))(tl.arange(3.0).view(1, 1, 3)).flatten()
        tensor([0., 0., 1., 2., 0.])
    """

    dims = 2


class ZeroPad3d(_Pad):
    """Around a volume: zeros.

    Args:
        padding: six numbers, for left, right, top, bottom, front and back; one number for all.

    Shape:
        (N, C, D, H, W) becomes larger along its last three dimensions; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.ZeroPad3d((1, 1, 0, 0, 0, 0))(tl.arange(3.0).view(1, 1, 1, 3)).flatten()
        tensor([0., 0., 1., 2., 0.])
    """

    dims = 3
