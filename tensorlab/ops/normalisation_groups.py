"""Normalisation as a primitive, and its gradients: which numbers share a mean and which a weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tensorlab.autograd.formulas import formulas
from tensorlab.backends import Backend, Buffer, Launch, NormalGroups, OperandLayout
from tensorlab.core import dtypes, layout
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import contiguous_format, format_strides, memory_format
from tensorlab.dispatch.copies import reader
from tensorlab.dispatch.primitive import Primitive, Recorded, Result, compute_several
from tensorlab.ops.conversion import compute_type
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor


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


def row_view(rows: int, shape: Size, centers: bool = True) -> View:
    """Rows of numbers of this shape, each by itself."""
    length = shape.numel()
    groups = NormalGroups("rows", rows, length)
    return View(groups, (rows, length), (1,), (length,), (0,), shape, centers=centers)


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


def batch_view(images: int, channels: int, cells: int, format: memory_format) -> View:
    """Each channel by itself, over all images."""
    if cells == 1 or format is not contiguous_format:
        groups = NormalGroups("columns", channels, images * cells)
    else:
        groups = NormalGroups("runs", channels, cells, images, channels * cells, cells, channels, 1, 0)
    shape = (images, channels, cells)
    return View(groups, shape, (0, 2), (channels, 1), (0, 2), Size((channels,)), format)


class Normalise(Primitive):
    """``(input - mean) / sqrt(variance + eps) * weight + bias``.

    Operands: the input, the weights and the biases or None, and of a batch norm means and variances that are
    taken instead of the input's own, or None. `params` are an argument of the kind of norm, and eps.

    Beside the result it makes the means, the variances (of all but rows) and the reciprocal deviations.

    Attributes:
        kind: the node that a call leaves.
    """

    differentiable = True

    def __init__(self, name: str, node: str, rows: bool) -> None:
        self.name, self.rows = name, rows
        self.saved = ("means", "scales") if rows else ("means", "variances", "scales")
        further: dict[str, Any] = {} if node == "Mul" else {"bias": _d_bias}
        if node == "NativeBatchNorm":
            further |= {"mean": None, "variance": None}
        self.kind = formulas(
            f"{node}Backward0", fused=_gradients, input=_d_input, weight=_d_weight, **further
        )

    def view(self, input: Tensor, argument: Any) -> View:
        """How the input is seen."""
        raise NotImplementedError

    def check(self, operands: Sequence[Any], argument: Any) -> None:
        """Refuse operands that do not fit."""

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """Of the input's shape, in the format of the view.

        Beside it the means, variances and scales, in float64 but for those of rows and the scales.
        """
        input = operands[0]
        self.check(operands, params[0])
        view, number = self.view(input, params[0]), compute_type(input._dtype)
        kinds = (number, number) if self.rows else (dtypes.float64, dtypes.float64, number)
        statistics = [Result(Size((view.groups.number,)), (1,), kind) for kind in kinds]
        stride = format_strides(input._shape, view.format)
        return Result(input._shape, stride, input._dtype, further=statistics)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        input, weight, bias, *given = (*operands, None)[: max(len(operands), 3)]
        view, number = self.view(input, params[0]), compute_type(result.dtype)
        read = reader(backend, input, result.stride)
        weights, biases = (
            _parameter(backend, weight, view, number, 1),
            _parameter(backend, bias, view, number, 0),
        )
        take = [_copied(backend, operand) for operand in given if operand is not None]
        normalise = backend.normalise(result.dtype, view.groups, params[1], not take, view.centers)
        count = len(self.saved)

        def launch(out: Buffer, *buffers: Any) -> None:
            statistics, (x, w, b, *taken) = buffers[:count], (*buffers[count:], None)[: max(len(operands), 3)]
            means, variances, scales = statistics if count == 3 else (statistics[0], None, statistics[1])
            for copy, source, target in zip(take, taken, statistics, strict=False):
                copy(target, source)
            normalise(out, scales, means, variances, read(x), weights(w), biases(b))

        return launch

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """See `Primitive.node`."""
        argument, eps = params
        notes = {"norm": self, "argument": argument, "view": self.view(operands[0], argument), "eps": eps}
        return self.kind, notes if len(operands) > 3 else {**notes, "mean": None, "variance": None}


class NormaliseGradient(Primitive):
    """The gradients of a norm by one kernel.

    Operands: the input, the gradient of the result, the weights or None, the means and the scales. `params`
    are the norm and its argument, whether the statistics are the input's own, and whether weights and biases
    want gradients.
    """

    name = "normalise_backward"

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """That of the input, and those of weights and biases; without elements if they are not wanted."""
        input, (norm, argument, _, wants_weights) = operands[0], params
        view = norm.view(input, argument)
        shape = view.parameters if wants_weights else Size((0,))
        of_weights = Result(shape, layout.default_strides(shape), compute_type(input._dtype))
        stride = format_strides(input._shape, view.format)
        return Result(input._shape, stride, input._dtype, further=[of_weights] * 2)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        input, grad, weight, *_ = operands
        norm, argument, training, wants_weights = params
        view, number = norm.view(input, argument), compute_type(result.dtype)
        read, read_grad = reader(backend, input, result.stride), reader(backend, grad, result.stride)
        weights = _parameter(backend, weight, view, number, 1)
        gradients = backend.normalise_gradient(
            result.dtype, view.groups, training, view.centers, wants_weights
        )
        return lambda out, of_weights, of_biases, x, grad, w, means, scales: gradients(
            out, of_weights, of_biases, read(x), read_grad(grad), weights(w), means, scales
        )


NORMALISE_GRADIENT = NormaliseGradient()


def _parameter(backend: Backend, parameter: Tensor | None, view: View, number: dtype, default: int) -> Any:
    """What gives kernels weights or biases: those that are there, or so many of a default."""
    if parameter is not None:
        return reader(backend, parameter, layout.default_strides(parameter._shape), number)
    count, cell = view.parameters.numel(), number.cell.type(default)

    def fill(buffer: None) -> Buffer:
        cells = backend.allocate(count, number.cell), 0
        backend.fill(cells, count, cell)
        return cells

    return fill


def _copied(backend: Backend, statistic: Tensor) -> Launch:
    """The launch that converts means or variances that were given."""
    out = OperandLayout(dtypes.float64, layout.default_strides(statistic._shape))
    source = OperandLayout(statistic._dtype, statistic._stride)
    return backend.pointwise(TABLE["copy"], compute_type(statistic._dtype), statistic._shape, out, [source])


# --- gradients ----------------------------------------------------------------------------------------


def _standard(input: Any, view: View, eps: float, mean: Any, variance: Any) -> tuple[Any, Any]:
    """The normalised numbers and the reciprocal deviations, made of operations that are recorded."""
    x = input.reshape(view.shape)
    if mean is not None:
        mean, variance = (made.detach().double().reshape(view.weights) for made in (mean, variance))
        scale = (variance + eps).rsqrt()
        return (x - mean) * scale, scale
    distance = x - x.mean(view.dims, True) if view.centers else x
    scale = ((distance * distance).mean(view.dims, True) + eps).rsqrt()
    return distance * scale, scale


def _d_input(
    grad: Any, input: Any, weight: Any, norm: Any, argument: Any, view: View, eps: float, mean: Any,
    variance: Any, means: Any, scales: Any,
) -> Any:  # fmt: skip
    z, scale = _standard(input, view, eps, mean, variance)
    grad = grad.reshape(view.shape)
    if weight is not None:
        grad = grad * weight.reshape(view.weights)
    if mean is None:
        grad = (
            grad - z * (grad * z).mean(view.dims, True) - (grad.mean(view.dims, True) if view.centers else 0)
        )
    return (grad * scale).reshape(input.shape)


def _d_weight(
    grad: Any, input: Any, weight: Any, norm: Any, argument: Any, view: View, eps: float, mean: Any,
    variance: Any, means: Any, scales: Any,
) -> Any:  # fmt: skip
    z, _ = _standard(input, view, eps, mean, variance)
    return (grad.reshape(view.shape) * z).sum(view.alike).reshape(view.parameters)


def _d_bias(
    grad: Any, input: Any, weight: Any, norm: Any, argument: Any, view: View, mean: Any, means: Any,
    scales: Any,
) -> Any:  # fmt: skip
    return grad.reshape(view.shape).sum(view.alike).reshape(view.parameters)


def _gradients(grad: Tensor, wanted: Sequence[bool], kept: dict[str, Any]) -> list[Tensor | None]:
    """All gradients by one kernel."""
    operands = kept["input"], grad, kept["weight"], kept["means"], kept["scales"]
    params = kept["norm"], kept["argument"], kept["mean"] is None, any(wanted[1:])
    made = compute_several(NORMALISE_GRADIENT, *operands, params=params)
    found = [gradient if want else None for gradient, want in zip(made, wanted, strict=False)]
    return found + [None] * (len(wanted) - len(found))
