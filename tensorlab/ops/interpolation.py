"""Interpolation: images of another size, each new place made of the old ones around it.

One spatial dimension is done after the other. Along each, a new place has one, two or four old neighbours,
each with a weight. What goes back is what was taken: each gradient is added to the places it came from.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.core import dtypes
from tensorlab.core.integers import ceil_div
from tensorlab.ops.conversion import summed_in_float32
from tensorlab.ops.pooling import adaptive_avg_pool1d, adaptive_avg_pool2d
from tensorlab.ops.resampling import Along, resampled, resampled_gradient
from tensorlab.registry import op
from tensorlab.tensor import Tensor

# PyTorch's name of each mode's operation, and of the smooth ones the number of spatial dimensions.
_NAMES = {
    "nearest": "UpsampleNearest",
    "nearest-exact": "UpsampleNearestExact",
    "linear": "UpsampleLinear",
    "bilinear": "UpsampleBilinear",
    "trilinear": "UpsampleTrilinear",
    "bicubic": "UpsampleBicubic",
    "area": "AdaptiveAvgPool",
}
_SMOOTH = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}

# The parameter a of the kernel of R. Keys, *Cubic convolution interpolation*, 1981, as PyTorch chooses it:
# the further below 0, the more the cubic overshoots.
CUBIC_A = -0.75


@op(namespace="nn.functional")
def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """Images of another size.

    Args:
        input: a floating-point tensor of shape (images, channels, …) with one to three spatial dimensions.
        size: the new sizes, or one for all; or
        scale_factor: what the sizes are multiplied by, and rounded down.
        mode: ``"nearest"``, ``"nearest-exact"``, the nearest as Pillow and scikit-image find it,
            ``"area"``, the means of areas; ``"linear"`` (of one spatial dimension), ``"bilinear"`` and
            ``"bicubic"`` (of two) or ``"trilinear"`` (of three).
        align_corners: of the smooth modes: whether the first and last old places are the first and last new
            ones; else the borders of the images meet, half a place further out.
        recompute_scale_factor: take the ratio of the sizes instead of `scale_factor` to find the neighbours.

    Raises:
        ValueError: neither or both of `size` and `scale_factor` are given, or for other dimensions.
        NotImplementedError: there is no such mode for so many dimensions, or for the dtype.
        RuntimeError: a size is not above 0.

    Example:
        >>> x = tl.tensor([[[0.0, 4.0]]])
        >>> F.interpolate(x, 4), F.interpolate(x, 4, mode="linear")
        (tensor([[[0., 0., 4., 4.]]]), tensor([[[0., 1., 3., 4.]]]))
    """
    spatial = input.ndim - 2
    if (size is None) == (scale_factor is None):
        which = "either" if size is None else "only one of"
        raise ValueError(f"{which} size or scale_factor should be defined")
    _check_mode(mode, spatial, align_corners)
    sizes, scales = _sizes(input, size, scale_factor)
    if recompute_scale_factor:
        if scale_factor is None:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        scales = [None] * spatial
    if mode == "area" and spatial in _MEANS:
        return _MEANS[spatial](input, sizes)
    moved = mode not in _SMOOTH and mode != "area"  # and not blended
    if not input._dtype.is_floating_point and not (moved and input._dtype is dtypes.uint8):
        raise NotImplementedError(f"interpolate() is not implemented for {input._dtype.name}")
    for old, new in zip(input._shape[2:], sizes, strict=True):
        if old < 1 or new < 1:
            raise RuntimeError(
                f"Input and output sizes should be greater than 0, but got input {list(input._shape[2:])} "
                f"and output {sizes}"
            )
    single = input._dtype is not dtypes.float64
    places = [
        _places(mode, old, new, scale, bool(align_corners), single)
        for old, new, scale in zip(input._shape[2:], sizes, scales, strict=True)
    ]
    return _made(input, f"{_NAMES[mode]}{spatial}D", places)


def _check_mode(mode: str, spatial: int, align_corners: bool | None) -> None:
    if mode not in _NAMES or spatial not in (1, 2, 3):
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {spatial + 2}D) for the modes: "
            f"{' | '.join(_NAMES)} (got {mode})"
        )
    if mode not in _SMOOTH:
        if align_corners is not None:
            raise ValueError(
                f"align_corners option can only be set with the interpolating modes: {' | '.join(_SMOOTH)}"
            )
    elif _SMOOTH[mode] != spatial:
        raise NotImplementedError(
            f"Got {spatial + 2}D input, but {mode} mode needs {_SMOOTH[mode] + 2}D input"
        )


def _sizes(input: Tensor, size: Any, scale_factor: Any) -> tuple[list[int], list[float | None]]:
    """The new sizes, and the scales where they were given."""
    old = input._shape[2:]
    given = size if size is not None else scale_factor
    listed = list(given) if isinstance(given, (tuple, list)) else [given] * len(old)
    if len(listed) != len(old):
        raise ValueError(
            f"Input and output must have the same number of spatial dimensions, but got input with spatial "
            f"dimensions of {list(old)} and {'output size' if size is not None else 'scale_factor'} of "
            f"{listed}"
        )
    if size is not None:
        return [int(new) for new in listed], [None] * len(old)
    sizes = [math.floor(float(was) * factor) for was, factor in zip(old, listed, strict=True)]
    return sizes, [float(factor) for factor in listed]


@functools.lru_cache(256)
def _places(mode: str, old: int, new: int, scale: float | None, align_corners: bool, single: bool) -> Along:
    """The neighbours of the new places and their weights; `single`: PyTorch finds them in float32."""
    if mode == "area":
        return _means(old, new)
    kind: Any = np.float32 if single or mode not in _SMOOTH else np.float64
    places = np.arange(new).astype(kind)
    step = kind(1 / scale if scale else old / new)
    if mode not in _SMOOTH:
        if mode == "nearest-exact":
            found = (places + kind(0.5)) * step
        else:
            found = places * (kind(1) if new == old else kind(0.5) if new == 2 * old else step)
        return Along(old, [_clipped(np.floor(found), old).tolist()])
    if align_corners:
        found = places * kind((old - 1) / (new - 1) if new > 1 else 0)
    else:
        found = step * (places + kind(0.5)) - kind(0.5)
    if mode != "bicubic":
        found = np.maximum(found, kind(0))
        below = np.minimum(np.floor(found), kind(old - 1))
        t = np.clip(found - below, 0, 1).astype(kind)
        weights = [1 - t, t]
    else:
        below = np.floor(found) - 1
        t = found - np.floor(found)
        weights = [_far(t + 1), _near(t), _near(1 - t), _far(2 - t)]
    neighbours = np.stack([_clipped(below + number, old) for number in range(len(weights))])
    return Along(old, neighbours.tolist(), np.stack(weights).tolist())


def _means(old: int, new: int) -> Along:
    """Each new place as the mean of the old ones that it covers, be it in part."""
    spans = [(number * old // new, ceil_div((number + 1) * old, new)) for number in range(new)]
    most = max(behind - first for first, behind in spans)
    places = [[min(first + step, behind - 1) for first, behind in spans] for step in range(most)]
    weights = [
        [(1 / (behind - first) if first + step < behind else 0.0) for first, behind in spans]
        for step in range(most)
    ]
    return Along(old, places, weights)


def _clipped(places: np.ndarray, size: int) -> np.ndarray:
    """Old places as integers; what lies beyond the border is the border."""
    return np.clip(places.astype(np.int64), 0, size - 1)


def _near(t: np.ndarray) -> np.ndarray:
    """The cubic's weight of a neighbour at most 1 away."""
    return ((CUBIC_A + 2) * t - (CUBIC_A + 3)) * t * t + 1


def _far(t: np.ndarray) -> np.ndarray:
    """The cubic's weight of a neighbour between 1 and 2 away."""
    return ((CUBIC_A * t - 5 * CUBIC_A) * t + 8 * CUBIC_A) * t - 4 * CUBIC_A


def _made(input: Tensor, kind: str, places: Sequence[Along]) -> Tensor:
    """The new images, recorded."""
    return record(_kinds(kind)[0], resampled(input, places), input, places=places)


@summed_in_float32
def _gradient(grad: Tensor, kind: str, places: Sequence[Along]) -> Tensor:
    """The adjoint of `_made`."""
    return record(_kinds(kind)[1], resampled_gradient(grad, places), grad, places=places)


@functools.cache
def _kinds(kind: str) -> tuple[Any, Any]:
    """The nodes of one mode: of the images, and of their gradients."""
    first = formulas(f"{kind}Backward0", input=lambda grad, places: _gradient(grad, kind, places))
    second = formulas(f"{kind}BackwardBackward0", gradient=lambda grad, places: _made(grad, kind, places))
    return first, second


_MEANS = {1: adaptive_avg_pool1d, 2: adaptive_avg_pool2d}
