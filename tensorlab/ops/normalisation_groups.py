"""What all normalisation layers have in common: one computation on a view of the input, and its gradients.

Which layer it is decides which numbers share a mean and a deviation, and which share a weight: see `View`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.backends import NormalGroups
from tensorlab.core import dtypes
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import contiguous_format, format_strides, memory_format
from tensorlab.ops.conversion import compute_type, dense_in, to
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, make_dense, make_tensor

__all__ = ["View", "batch_view", "group_view", "normalised", "row_view"]


class View(NamedTuple):
    """How an input is seen to be normalised.

    Attributes:
        groups: the same for the kernels, which see the cells one after the other.
        shape: the shape to see the input in.
        dims: the dimensions of it that share a mean.
        weights: the shape to see weights and biases in, so that they are broadcast to `shape`.
        alike: the dimensions of `shape` along which all numbers have the same weight.
        parameters: the shape that weights and biases have.
        format: the order of the cells, which is that of the result.
        centers: whether the mean is taken away.
    """

    groups: NormalGroups
    shape: tuple[int, ...]
    dims: tuple[int, ...]
    weights: tuple[int, ...]
    alike: tuple[int, ...]
    parameters: Size
    format: memory_format = contiguous_format
    centers: bool = True


@functools.lru_cache(4096)
def row_view(rows: int, shape: Size, centers: bool = True) -> View:
    """Rows of numbers of this shape, each by itself."""
    length = shape.numel()
    groups = NormalGroups("rows", rows, length)
    return View(groups, (rows, length), (1,), (length,), (0,), shape, centers=centers)


@functools.lru_cache(4096)
def group_view(images: int, channels: int, cells: int, groups: int) -> View:
    """The channels of each image, in groups. A channel has so many cells."""
    size = channels // groups
    return View(
        NormalGroups("runs", images * groups, cells, size, cells, size * cells, groups, size, 1),
        shape=(images, groups, size, cells),
        dims=(2, 3),
        weights=(groups, size, 1),
        alike=(0, 3),
        parameters=Size((channels,)),
    )


@functools.lru_cache(4096)
def batch_view(images: int, channels: int, cells: int, format: memory_format) -> View:
    """Each channel by itself, over all images."""
    if cells == 1 or format is not contiguous_format:
        groups = NormalGroups("columns", channels, images * cells)
    else:
        groups = NormalGroups("runs", channels, cells, images, channels * cells, cells, channels, 1, 0)
    shape = (images, channels, cells)
    return View(groups, shape, (0, 2), (channels, 1), (0, 2), Size((channels,)), format)


@functools.lru_cache(64)
def _filled(count: int, number: int, cell: np.dtype) -> np.ndarray:
    """Numbers that nobody writes into."""
    filled = np.full(count, number, cell)
    filled.flags.writeable = False
    return filled


def _for_kernels(parameter: Tensor | None, view: View, number: dtype, default: int) -> np.ndarray:
    """Weights or biases as kernels take them (see `tensorlab.backends.layers.LayerOperations.normalise`)."""
    if parameter is None:
        return _filled(view.parameters.numel(), default, number.cell)
    return dense_in(
        parameter if parameter._dtype is number else to(parameter.detach(), number), contiguous_format
    )


def _of_parameter(sums: np.ndarray, view: View, number: dtype) -> Tensor:
    """The gradient of weights or biases from what the kernels summed up."""
    if view.groups.form == "runs":
        spread = sums.T if view.dims[0] == 0 else sums
        sums = spread.reshape(-1, view.parameters.numel()).sum(0)
    return _made(sums.astype(number.cell), number, view.parameters, contiguous_format)


def _made(cells: np.ndarray, element_type: dtype, shape: Size, format: memory_format) -> Tensor:
    """A tensor of a memory format over these cells."""
    strides = format_strides(shape, format)
    if format is contiguous_format:
        return make_dense(cells, element_type, shape, strides)
    return make_tensor(UntypedStorage(cells), element_type, shape, strides, 0)


# --- gradients ----------------------------------------------------------------------------------------


def _standard(input: Any, view: View, eps: float, given: Any) -> tuple[Any, Any]:
    """The normalised numbers and the reciprocal deviations, made of operations that are recorded."""
    x = input.reshape(view.shape)
    if given is not None:
        mean, variance = (made.reshape(view.weights) for made in given)
        scale = (variance + eps).rsqrt()
        return (x - mean) * scale, scale
    distance = x - x.mean(view.dims, True) if view.centers else x
    scale = ((distance * distance).mean(view.dims, True) + eps).rsqrt()
    return distance * scale, scale


def _d_input(
    grad: Any, input: Any, weight: Any, view: View, eps: float, given: Any, means: Any, scales: Any
) -> Any:
    z, scale = _standard(input, view, eps, given)
    grad = grad.reshape(view.shape)
    if weight is not None:
        grad = grad * weight.reshape(view.weights)
    if given is None:
        grad = (
            grad - z * (grad * z).mean(view.dims, True) - (grad.mean(view.dims, True) if view.centers else 0)
        )
    return (grad * scale).reshape(input.shape)


def _d_weight(
    grad: Any, input: Any, weight: Any, view: View, eps: float, given: Any, means: Any, scales: Any
) -> Any:
    z, _ = _standard(input, view, eps, given)
    return (grad.reshape(view.shape) * z).sum(view.alike).reshape(view.parameters)


def _d_bias(grad: Any, input: Any, weight: Any, view: View, given: Any, means: Any, scales: Any) -> Any:
    return grad.reshape(view.shape).sum(view.alike).reshape(view.parameters)


def _gradients(grad: Tensor, wanted: Sequence[bool], kept: dict[str, Any]) -> list[Tensor | None]:
    """All gradients by one kernel."""
    input, view = kept["input"], kept["view"]
    number = compute_type(input._dtype)
    cells, of_weights, of_biases = input._storage.backend.normalise_gradient(
        input._dtype,
        view.groups,
        dense_in(input, view.format),
        dense_in(grad, view.format),
        _for_kernels(kept["weight"], view, number, 1),
        kept["means"],
        kept["scales"],
        kept["given"] is None,
        view.centers,
        any(wanted[1:]),
    )
    return [
        _made(cells, input._dtype, input._shape, view.format) if wanted[0] else None,
        *(
            _of_parameter(sums, view, number) if want else None
            for sums, want in zip((of_weights, of_biases), wanted[1:], strict=False)
        ),
    ]


_KINDS = {
    name: formulas(
        f"Native{name}NormBackward0", fused=_gradients, input=_d_input, weight=_d_weight, bias=_d_bias
    )
    for name in ("Layer", "Group", "Batch")
}
_KINDS["RMS"] = formulas("MulBackward0", fused=_gradients, input=_d_input, weight=_d_weight)


def normalised(
    kind: str,
    input: Tensor,
    view: View,
    eps: float,
    weight: Tensor | None,
    bias: Tensor | None = None,
    given: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, tuple[np.ndarray, np.ndarray | None]]:
    """``(input - mean) / sqrt(variance + eps) * weight + bias``, recorded.

    Args:
        kind: ``"Layer"``, ``"Group"``, ``"Batch"`` or ``"RMS"``.
        input: a tensor of a floating dtype.
        view: what is normalised together.
        eps: what is added to the variances.
        weight, bias: of the shape ``view.parameters``; None for ones and zeros.
        given: means and variances to take instead of those of the input.

    Returns:
        the result, and the means and variances that were taken (None for the variances of rows).
    """
    number = compute_type(input._dtype)
    statistics = None
    if given is not None:
        means, variances = (to(made.detach(), dtypes.float64) for made in given)
        statistics = dense_in(means, contiguous_format), dense_in(variances, contiguous_format)
    out, centers, spreads, scales = input._storage.backend.normalise(
        input._dtype,
        view.groups,
        float(eps),
        dense_in(input, view.format),
        _for_kernels(weight, view, number, 1),
        _for_kernels(bias, view, number, 0),
        statistics,
        view.centers,
    )
    result = _made(out, input._dtype, input._shape, view.format)
    operands = (input, weight) if kind == "RMS" else (input, weight, bias)
    record(_KINDS[kind], result, *operands, view=view, eps=eps, given=given, means=centers, scales=scales)
    return result, (centers, spreads)
