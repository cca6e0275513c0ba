"""Windows of signal processing: weights that fall off towards both ends of a stretch."""

from __future__ import annotations

import math

import numpy as np

from tensorlab.core import dtypes
from tensorlab.core.devices import device
from tensorlab.core.dtypes import dtype
from tensorlab.ops.arguments import placing, tensor_options
from tensorlab.ops.creation import empty, ones
from tensorlab.ops.interop import from_numpy
from tensorlab.ops.joining import cat
from tensorlab.ops.ranges import arange
from tensorlab.registry import op
from tensorlab.tensor import Tensor


@op()
@placing
def hann_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """One wave of a cosine, lifted so that it is 0 at the ends and 1 in the middle.

    Args:
        window_length: how many weights.
        periodic: leave out the last weight of a window that is longer by one, as Fourier transforms want it;
            False gives a window that is the same from both ends.
        dtype: the floating type; the default dtype.
        device: where to make it; the default device.

    Raises:
        RuntimeError: the length is negative, or the dtype is not floating.

    Example:
        >>> tl.hann_window(4), tl.hann_window(5, periodic=False)
        (tensor([0.0000, 0.5000, 1.0000, 0.5000]), tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000]))
    """
    return _cosine("hann_window", window_length, periodic, 0.5, 0.5, dtype, device)


@op()
@placing
def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """``alpha - beta * cos(...)`` over one wave. The other arguments are those of `hann_window`.

    Args:
        window_length, periodic, dtype, device: see `hann_window`.
        alpha: the mean weight.
        beta: how far the weights rise above it and fall below it.

    Example:
        >>> tl.hamming_window(4)
        tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """
    return _cosine("hamming_window", window_length, periodic, alpha, beta, dtype, device)


@op()
@placing
def blackman_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """A sum of two waves, which falls off more smoothly. The arguments are those of `hann_window`.

    Example:
        >>> tl.blackman_window(5, periodic=False).abs()
        tensor([2.9802e-08, 3.4000e-01, 1.0000e+00, 3.4000e-01, 2.9802e-08])
    """
    kind, short = _start("blackman_window", window_length, dtype, device)
    if short is not None:
        return short
    count = window_length + periodic
    angle = arange(count, dtype=kind, device=device) * (math.pi / (count - 1))
    fine, coarse = (angle * 4).cos() * 0.08, (angle * 2).cos() * 0.5
    return (fine - coarse + 0.42).narrow(0, 0, window_length).clone()


@op()
@placing
def bartlett_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """A triangle: 0 at the ends, 1 in the middle. The arguments are those of `hann_window`.

    Example:
        >>> tl.bartlett_window(4)
        tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    kind, short = _start("bartlett_window", window_length, dtype, device)
    if short is not None:
        return short
    count = window_length + periodic
    rising = arange(count, dtype=kind, device=device) * (2 / (count - 1))
    half = (count - 1) // 2 + 1
    falling = rising.narrow(0, half, count - half) * (-1) + 2
    return cat([rising.narrow(0, 0, half), falling]).narrow(0, 0, window_length).clone()


@op()
@tensor_options
def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: dtype | None = None,
    device: device | str | None = None,
) -> Tensor:
    """The window of J. Kaiser, made of Bessel functions: nearly the narrowest peak for its smoothness.

    Args:
        window_length, periodic, dtype, device: see `hann_window`.
        beta: how steeply it falls off; with 0 all weights are 1.

    Example:
        >>> tl.kaiser_window(5, periodic=False, beta=2.0)
        tensor([0.4387, 0.8348, 1.0000, 0.8348, 0.4387])
    """
    kind, short = _start("kaiser_window", window_length, dtype)
    if short is not None:
        return short
    count = window_length + periodic
    from_middle = 2 * np.arange(window_length) / (count - 1) - 1
    weights = np.i0(beta * np.sqrt(np.maximum(1 - from_middle * from_middle, 0))) / np.i0(beta)
    return from_numpy(weights).to(kind).clone()


def _start(
    name: str, length: int, element_type: dtype | None, place: device | str | None = None
) -> tuple[dtype, Tensor | None]:
    """The element type, and the window itself if it has fewer than two weights."""
    kind = element_type or dtypes.get_default_dtype()
    if not kind.is_floating_point:
        raise RuntimeError(
            f"{name} expects floating point dtypes, got: {kind.name}: the weights are fractions"
        )
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    if length < 2:
        return kind, (ones if length else empty)(length, dtype=kind, device=place)
    return kind, None


def _cosine(
    name: str,
    length: int,
    periodic: bool,
    alpha: float,
    beta: float,
    element_type: dtype | None,
    place: device | str | None,
) -> Tensor:
    kind, short = _start(name, length, element_type, place)
    if short is not None:
        return short
    angle = arange(length, dtype=kind, device=place) * (2 * math.pi / (length + periodic - 1))
    return angle.cos() * (-beta) + alpha
