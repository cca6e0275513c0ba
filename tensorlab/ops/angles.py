"""Angles in degrees and in radians."""

from __future__ import annotations

import math

from tensorlab.ops.arguments import need_tensors
from tensorlab.ops.pointwise import mul, mul_
from tensorlab.registry import op
from tensorlab.tensor import Tensor

RADIANS_OF_A_DEGREE = math.pi / 180


@op("function method")
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angles given in degrees, in radians: a half turn is π. Of integers they are of the default dtype.

    Example:
        >>> import tensorlab as tl
        >>> tl.deg2rad(tl.tensor([0, 90, 180]))
        tensor([0.0000, 1.5708, 3.1416])
    """
    need_tensors("deg2rad", input=input)
    return mul(input, RADIANS_OF_A_DEGREE, out=out)


@op("function method")
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angles given in radians, in degrees: a half turn is 180. Of integers they are of the default dtype.

    Example:
        >>> import tensorlab as tl
        >>> tl.rad2deg(tl.tensor([0.0, tl.pi / 2, tl.pi]))
        tensor([  0.,  90., 180.])
    """
    need_tensors("rad2deg", input=input)
    return mul(input, 1 / RADIANS_OF_A_DEGREE, out=out)


@op("function method")
def deg2rad_(input: Tensor) -> Tensor:
    """`deg2rad`, written into `input`.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([180.0, 90.0])
        >>> x.deg2rad_()
        tensor([3.1416, 1.5708])
    """
    return mul_(input, RADIANS_OF_A_DEGREE)


@op("function method")
def rad2deg_(input: Tensor) -> Tensor:
    """`rad2deg`, written into `input`.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([0.0, 3.1415927])
        >>> x.rad2deg_()
        tensor([  0., 180.])
    """
    return mul_(input, 1 / RADIANS_OF_A_DEGREE)
