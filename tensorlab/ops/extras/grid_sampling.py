"""Grid sampling: the numbers of an image at places of one's own, as spatial transformers take them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from tensorlab.core.warned import warn_caller
from tensorlab.ops.joining import cat
from tensorlab.ops.ranges import linspace
from tensorlab.ops.where import where
from tensorlab.registry import op
from tensorlab.tensor import Tensor

_MODES, _PADDINGS = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")

# How curved the cubic curves are; Keys, Cubic Convolution Interpolation, 1981.
_CURVE = -0.75


@op(namespace="nn.functional")
def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The places that an affine map takes the cells of an image from, for `grid_sample`.

    Args:
        theta: the maps, of shape (N, 2, 3) for images and (N, 3, 4) for volumes; their last column moves.
        size: the result's shape, (N, C, H, W) or (N, C, D, H, W).
        align_corners: whether -1 and 1 are the middles of the outermost cells, or the image's edges.

    Returns:
        places in x and y (and z), of shape (N, H, W, 2) or (N, D, H, W, 3).

    Raises:
        ValueError: the shapes do not go together, or `theta` holds no floats.

    Example:
        >>> mirrored = tl.tensor([[[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> F.affine_grid(mirrored, (1, 1, 1, 2), align_corners=False)
        tensor([[[[ 0.5000,  0.0000],
                  [-0.5000,  0.0000]]]])
    """
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype.name}")
    extents, dims = [*size[2:]], len(size) - 2
    if dims not in (2, 3) or tuple(theta.shape) != (size[0], dims, dims + 1):
        raise ValueError(
            f"Expected a batch of affine matrices of shape Nx2x3 for size NxCxHxW, or Nx3x4 for size "
            f"NxCxDxHxW. Got {tuple(theta.shape)} for {tuple(size)}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {tuple(size)}")
    columns = []
    for k, extent in reversed([*enumerate(extents)]):  # x moves along the last dimension
        places = theta.new_zeros(1)
        if extent > 1:
            places = linspace(-1, 1, extent, dtype=theta.dtype, device=theta.device)
        if not _aligned(align_corners):
            places = places * (extent - 1) / extent
        shape = [1] * dims
        shape[k] = extent
        columns.append(places.view(shape).broadcast_to(extents).reshape(-1, 1))
    base = cat([*columns, theta.new_ones(columns[0].shape)], 1)
    return (base @ theta.transpose(1, 2)).view(size[0], *extents, dims)


@op(namespace="nn.functional")
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """The numbers of images at the places of a grid, between cells too.

    Args:
        input: images of shape (N, C, H, W), or volumes of shape (N, C, D, H, W).
        grid: places in x and y (and z), of shape (N, H′, W′, 2) or (N, D′, H′, W′, 3), each from -1, on the
            left, to 1.
        mode: ``"bilinear"`` weighs the nearest two cells of each dimension, ``"nearest"`` takes the nearest
            one, ``"bicubic"`` weighs four (images only).
        padding_mode: what lies outside: ``"zeros"``, the outermost cells (``"border"``), or the image
            mirrored (``"reflection"``).
        align_corners: whether -1 and 1 are the middles of the outermost cells, or the image's edges.

    Returns:
        of shape (N, C, H′, W′) or (N, C, D′, H′, W′).

    Raises:
        ValueError: there is no such mode.
        RuntimeError: the shapes or dtypes do not go together.

    Example:
        >>> image = tl.tensor([[[[0.0, 1.0], [2.0, 3.0]]]])
        >>> F.grid_sample(image, tl.zeros(1, 1, 1, 2), align_corners=False)  # the middle
        tensor([[[[1.5000]]]])
    """
    for word, value, known in (("mode", mode, _MODES), ("padding_mode", padding_mode, _PADDINGS)):
        if value not in known:
            raise ValueError(f"grid_sample(): expected {word} to be one of {known}, but got: {value!r}")
    dims = input.ndim - 2
    if dims not in (2, 3) or (mode == "bicubic" and dims == 3):
        raise RuntimeError(
            f"grid_sample(): expected 4D or 5D input, and 4D for bicubic, but got {list(input.shape)}"
        )
    if grid.ndim != input.ndim or grid.shape[0] != input.shape[0] or grid.shape[-1] != dims:
        raise RuntimeError(
            f"grid_sample(): expected grid to have the input's batch size, and size {dims} in its last "
            f"dimension of {dims + 2}, but got {list(grid.shape)} for an input of {list(input.shape)}"
        )
    if grid.dtype != input.dtype:
        raise RuntimeError(
            f"grid_sample(): expected input and grid to have same dtype, but input has {input.dtype.name} "
            f"and grid has {grid.dtype.name}"
        )
    if 0 in input.shape[2:]:
        raise RuntimeError(
            f"grid_sample(): expected input to have non-empty spatial dimensions, but got {list(input.shape)}"
        )
    aligned = _aligned(align_corners)
    taps = []
    for size, places in zip(input.shape[2:], reversed(grid.flatten(1, -2).unbind(-1)), strict=True):
        scaled = (places + 1) / 2 * (size - 1) if aligned else ((places + 1) * size - 1) / 2
        taps.append(_TAPS[mode](scaled, _bound(size, padding_mode, aligned)))
    flat = input.flatten(2)
    total: Any = 0.0
    for chosen in itertools.product(*taps):
        index, weight = grid.new_zeros(()).long(), grid.new_ones(())
        for size, (place, share) in zip(input.shape[2:], chosen, strict=True):
            index = index * size + place.clamp(0, size - 1).long()
            weight = weight * where((place >= 0) & (place <= size - 1), share, 0.0)
        index = index.unsqueeze(1).expand(-1, flat.shape[1], -1)
        total = flat.gather(2, index) * weight.unsqueeze(1) + total
    return total.view(*input.shape[:2], *grid.shape[1:-1])


def _aligned(align_corners: bool | None) -> bool:
    if align_corners is None:
        warn_caller(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. "
            "Please specify align_corners=True if the old behavior is desired. See the documentation of "
            "grid_sample for details."
        )
    return bool(align_corners)


def _bound(size: int, padding_mode: str, aligned: bool) -> Callable[[Tensor], Tensor]:
    """What brings places along a dimension into the image; with zeros around it they stay outside."""

    def clipped(x: Tensor) -> Tensor:
        return where((x > 0) & (x < size - 1), x, x.detach().clamp(0, size - 1))

    def reflected(x: Tensor) -> Tensor:
        low, span = (0.0, size - 1) if aligned else (-0.5, size)
        if span == 0:
            return x * 0
        away = (x - low).abs()
        turns = (away.detach() / span).floor()
        rest = away - turns * span
        return clipped(low + where(turns % 2 == 0, rest, span - rest))

    return {"zeros": lambda x: x, "border": clipped, "reflection": reflected}[padding_mode]


# Each returns pairs of a place along one dimension, which is whole, and its weight.
Taps = list[tuple[Tensor, Tensor]]


def _bilinear(x: Tensor, bound: Callable[[Tensor], Tensor]) -> Taps:
    x = bound(x)
    first = x.detach().floor()
    return [(first, first + 1 - x), (first + 1, x - first)]


def _nearest(x: Tensor, bound: Callable[[Tensor], Tensor]) -> Taps:
    return [(bound(x).detach().round(), x * 0 + 1)]


def _bicubic(x: Tensor, bound: Callable[[Tensor], Tensor]) -> Taps:
    first = x.detach().floor()
    after = x - first
    before, a = 1 - after, _CURVE
    weights = [_far(after + 1, a), _near(after, a), _near(before, a), _far(before + 1, a)]
    return [(bound(first + k - 1).round(), weight) for k, weight in enumerate(weights)]


def _near(x: Tensor, a: float) -> Tensor:
    """The cubic curve at a distance of at most 1."""
    return ((a + 2) * x - (a + 3)) * x * x + 1


def _far(x: Tensor, a: float) -> Tensor:
    """The cubic curve at a distance from 1 to 2."""
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a


_TAPS = {"bilinear": _bilinear, "nearest": _nearest, "bicubic": _bicubic}
