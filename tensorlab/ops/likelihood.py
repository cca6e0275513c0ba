"""Losses of classification: minus the logarithm of the probability that was given to the right class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.views import requires_grad
from tensorlab.backends import HOST, Backend, Buffer, Launch
from tensorlab.backends.layers import loss_factor
from tensorlab.core import dtypes, layout
from tensorlab.core.cells import encode_one
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Refusal, Size
from tensorlab.core.modes import current
from tensorlab.dispatch.copies import reader
from tensorlab.dispatch.primitive import Primitive, Recorded, Result, call_several, compute_several
from tensorlab.ops.conversion import compute_type
from tensorlab.ops.joining import cat
from tensorlab.ops.losses import reduction_of
from tensorlab.ops.reduction import sum as sum_over
from tensorlab.ops.slicing import narrow
from tensorlab.ops.softmax import log_softmax
from tensorlab.registry import op
from tensorlab.tensor import Tensor

# Logarithms of probabilities that the host makes at a time where none is kept: 896 KB of float32, most of a
# second-level cache.
PIECE = 7 << 15


@op(namespace="nn.functional")
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The negative logarithm of the probability that each place gave to its class.

    Args:
        input: log-probabilities, of shape (classes), (rows, classes) or (rows, classes, …).
        target: int64 class numbers, of the same shape without the classes.
        weight: of shape (classes): the factor of each class, by which the mean is weighted, too.
        size_average, reduce: PyTorch's older words for `reduction`.
        ignore_index: a class number whose places do not count.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each place.

    Raises:
        IndexError: a target is no class.
        ValueError: the numbers of rows differ, or there is no such reduction.
        RuntimeError: shapes or dtypes do not fit.

    Example:
        >>> F.nll_loss(tl.tensor([[-1.0, -2.0, -3.0], [-0.5, -4.0, -4.0]]), tl.tensor([2, 0]))
        tensor(1.7500)
    """
    return _nll(input, target, weight, ignore_index, reduction_of(reduction, size_average, reduce))


@op(namespace="nn.functional")
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The loss of classification: `nll_loss` of `log_softmax`.

    Args:
        input: what a model says for each class, of shape (classes), (rows, classes) or (rows, classes, …).
        target: class numbers, of the same shape without the classes; or probabilities, of `input`'s shape.
        weight: of shape (classes): the factor of each class, by which the mean is weighted, too.
        size_average, reduce: PyTorch's older words for `reduction`.
        ignore_index: a class number whose places do not count.
        reduction: ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each place.
        label_smoothing: the part of the target that is spread evenly over all classes.

    Raises:
        IndexError: a target is no class.
        ValueError: the numbers of rows differ, or there is no such reduction.
        RuntimeError: shapes or dtypes do not fit.

    Example:
        >>> F.cross_entropy(tl.tensor([[2.0, 0.0], [0.0, 2.0]]), tl.tensor([0, 0]))
        tensor(1.1269)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    if not input.ndim:
        raise RuntimeError("cross_entropy(): input has no dimension of classes")
    dim = 0 if input.ndim == 1 else 1
    if target._shape == input._shape:
        return _of_probabilities(input, target, weight, ignore_index, reduction, label_smoothing, dim)
    is_large = input.numel() > PIECE and input.ndim > 1 and input._storage.backend is HOST
    if is_large and not (label_smoothing or _is_recorded(input)):
        return _unrecorded(input, target, weight, ignore_index, reduction)
    log_probabilities = log_softmax(input, dim)
    loss = _nll(log_probabilities, target, weight, ignore_index, reduction)
    if not label_smoothing:
        return loss
    smooth = _smooth(log_probabilities, target, weight, ignore_index, reduction, dim)
    return loss * (1 - label_smoothing) + smooth * (label_smoothing / input._shape[dim])


def _is_recorded(input: Tensor) -> bool:
    return not input._dtype.is_floating_point or (current.grad and requires_grad(input))


def _unrecorded(input: Tensor, target: Tensor, weight: Tensor | None, ignored: int, reduction: str) -> Tensor:
    """`_nll` of `log_softmax`, of so many rows or places at a time that the logarithms stay in a cache."""
    shape = input._shape
    NLL.result((input, target, weight), (ignored, reduction))  # what does not fit is refused as a whole
    cut = 0 if len(shape) == 2 or shape[0] >= shape[2] else 2
    size, step = shape[cut], max(1, PIECE * shape[cut] // input.numel())
    losses, sums = [], []
    for first in range(0, size, step):
        count = min(step, size - first)
        rows, classes = narrow(input, cut, first, count), narrow(target, cut // 2, first, count)
        loss, both = compute_several(NLL, log_softmax(rows, 1), classes, weight, params=(ignored, reduction))
        losses.append(loss)
        sums.append(both)
    if reduction == "none":
        return cat(losses, cut // 2)
    both = sum_over(cat(sums).view(-1, 2), 0)
    total, counted = both[0].item(), both[1].item()
    value = encode_one(total * loss_factor(reduction == "mean", counted), input._dtype)
    loss._storage.backend.fill(loss._buffer(), 1, value)
    return loss


def _smooth(
    log_probabilities: Tensor,
    target: Tensor,
    weight: Tensor | None,
    ignored: int,
    reduction: str,
    dim: int,
) -> Tensor:
    """The loss against a target that is spread evenly over the classes, times their number."""
    weighted = log_probabilities
    if weight is not None:
        weighted = log_probabilities * _of_classes(weight, log_probabilities, dim)
    counts = target != ignored
    losses = (-weighted.sum(dim)).masked_fill(~counts, 0)
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    if weight is None:
        return losses.masked_select(counts).mean()
    return losses.sum() / weight.index_select(0, target.masked_select(counts).reshape(-1)).sum()


def _of_classes(weight: Tensor, input: Tensor, dim: int) -> Tensor:
    """The weights of classes in a shape that is broadcast to the input's."""
    return weight.view([-1 if position == dim else 1 for position in range(input.ndim)])


def _of_probabilities(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    ignored: int,
    reduction: str,
    smoothing: float,
    dim: int,
) -> Tensor:
    """`cross_entropy` where the target says how likely each class is."""
    if not target.is_floating_point():
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {target._dtype.name}: "
            f"class numbers have the shape of input without its classes"
        )
    if ignored >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    classes = input._shape[dim]
    _check_weight(weight, classes)
    if smoothing:
        target = target * (1 - smoothing) + smoothing / classes
    losses = log_softmax(input, dim) * target
    if weight is not None:
        losses = losses * _of_classes(weight, input, dim)
    if reduction == "none":
        return -losses.sum(dim)
    total = -losses.sum()
    if reduction == "sum":
        return total
    return total / (input.numel() / classes) if input.numel() else total * math.nan


class Likelihood(Primitive):
    """`nll_loss`. Operands: log-probabilities, targets, and weights or None.

    `params` are the class that is ignored and the reduction. Beside the loss it makes the sum of all losses
    and that of their weights.
    """

    name = "nll_loss"
    differentiable = True
    saved = ("sums",)

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """One number, or that of each place; and the two sums."""
        input, target, weight = operands
        shape = input._shape
        classes = _classes(shape, input._dtype, target._shape, target._dtype)
        _check_weight(weight, classes)
        if weight is not None and weight._dtype is not input._dtype:
            raise RuntimeError(
                f"expected scalar type {input._dtype.name} but found {weight._dtype.name}: the weights of "
                f"classes have the dtype of input"
            )
        each = params[1] == "none" and len(shape) > 1
        result = Size((*shape[:1], *shape[2:])) if each else Size()
        sums = Result(Size((2,)), (1,), dtypes.float64)
        return Result(result, layout.default_strides(result), input._dtype, further=[sums])

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        (input, target, weight), (ignored, reduction) = operands, params
        sizes = _sizes(input._shape)
        stride, steps = input._stride, _steps(input._shape, input._stride)
        if steps is None:
            stride = layout.default_strides(input._shape)
            steps = _steps(input._shape, stride)
            assert steps is not None
        read = reader(backend, input, stride)
        targets, weights = _target(backend, target), _weights(backend, weight, sizes[1], input._dtype)
        likelihood = backend.likelihood(input._dtype, sizes, steps, ignored, reduction)

        def launch(out: Buffer, sums: Buffer, x: Buffer, target: Buffer, weight: Buffer | None) -> None:
            classes = targets(target)
            wrong = likelihood(out, sums, read(x), classes, weights(weight))
            if wrong >= 0:
                found = backend.download(classes[0])[classes[1] + wrong]
                raise IndexError(
                    f"Target {found} is out of bounds: there are {sizes[1]} classes, 0 to {sizes[1] - 1}"
                )

        return launch

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """See `Primitive.node`."""
        shape, (ignored, reduction) = operands[0]._shape, params
        return _KINDS[len(shape) > 2], {"shape": shape, "ignored": ignored, "reduction": reduction}


class LikelihoodGradient(Primitive):
    """The gradient of the log-probabilities.

    Operands: that of the loss, targets, weights or None, and the two sums; `params` are those of the loss and
    the shape.
    """

    name = "nll_loss_backward"

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """Of the shape of the log-probabilities."""
        shape = params[2]
        return Result(shape, layout.default_strides(shape), operands[0]._dtype)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        (grad, target, weight, _), (ignored, reduction, shape) = operands, params
        sizes = _sizes(shape)
        read = reader(backend, grad, layout.default_strides(grad._shape))
        targets, weights = _target(backend, target), _weights(backend, weight, sizes[1], grad._dtype)
        each, mean = bool(grad._shape), reduction == "mean"
        gradient = backend.likelihood_gradient(result.dtype, sizes, ignored, each, mean)

        def launch(out: Buffer, grad: Buffer, target: Buffer, weight: Buffer | None, sums: Buffer) -> None:
            gradient(out, read(grad), targets(target), weights(weight), sums)

        return launch

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """See `Primitive.node`."""
        ignored, reduction, _ = params
        return _GRADIENT_KIND, {"ignored": ignored, "reduction": reduction}


NLL, NLL_GRADIENT = Likelihood(), LikelihoodGradient()


def _d_likelihood(
    grad: Tensor,
    target: Tensor,
    weight: Tensor | None,
    sums: Tensor,
    ignored: int,
    reduction: str,
    shape: Size,
) -> Tensor:
    params = ignored, reduction, shape
    return call_several(NLL_GRADIENT, grad, target, weight, sums, params=params)[0]


_KINDS = [
    formulas(f"NllLoss{suffix}Backward0", input=_d_likelihood, target=None, weight=None)
    for suffix in ("", "2D")
]
# The gradient is linear in that of the loss.
_GRADIENT_KIND = formulas(
    "NllLossBackwardBackward0",
    grad_output=lambda grad, target, weight, ignored, reduction: _nll(
        grad, target, weight, ignored, reduction
    ),
    target=None,
    weight=None,
    sums=None,
)


def _nll(input: Tensor, target: Tensor, weight: Tensor | None, ignored: int, reduction: str) -> Tensor:
    """The loss, recorded."""
    return call_several(NLL, input, target, weight, params=(ignored, reduction))[0]


def _sizes(shape: Size) -> tuple[int, int, int]:
    """Rows, classes, and places to a row."""
    rows, classes = (1, shape[0]) if len(shape) == 1 else shape[:2]
    return rows, classes, layout.numel(shape[2:])


def _steps(shape: Size, stride: tuple[int, ...]) -> tuple[int, int, int] | None:
    """The strides of rows, classes and places; None if there are none for all places."""
    if len(shape) <= 2:
        row, step = (0, *stride) if len(shape) == 1 else stride
        return row, step, 0
    seen = layout.view_strides(shape, stride, Size(_sizes(shape)))
    if isinstance(seen, Refusal):
        return None
    row, step, place = seen
    return row, step, place


def _target(backend: Backend, target: Tensor) -> Any:
    """What gives kernels the classes, row after row."""
    return reader(backend, target, layout.default_strides(target._shape), dtypes.int64)


def _weights(backend: Backend, weight: Tensor | None, classes: int, element_type: dtype) -> Any:
    """What gives kernels a weight for each class."""
    number = compute_type(element_type)
    if weight is not None:
        return reader(backend, weight, (1,), number)

    def ones(_: None) -> Buffer:
        cells = backend.allocate(classes, number.cell), 0
        backend.fill(cells, classes, number.cell.type(1))
        return cells

    return ones


def _check_weight(weight: Tensor | None, classes: int) -> None:
    if weight is not None and tuple(weight._shape) != (classes,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight "
            f"tensor of shape: {list(weight._shape)}"
        )


def _classes(shape: Size, element_type: dtype, found: Size, target_type: dtype) -> int:
    """How many classes log-probabilities of this shape are of; refuses targets that do not fit."""
    if not shape:
        raise ValueError("Expected 1 or more dimensions (got 0): input needs a dimension of classes")
    if len(shape) > 1 and (not found or shape[0] != found[0]):
        raise ValueError(
            f"Expected input batch_size ({shape[0]}) to match target batch_size ({found[0] if found else 0})."
        )
    if not element_type.is_floating_point:
        raise NotImplementedError(
            f"nll_loss() is not implemented for {element_type.name}: its input are log-probabilities"
        )
    if len(shape) <= 2 and len(found) > 1:
        raise RuntimeError(
            f"0D or 1D target tensor expected, multi-target not supported: for an input of shape "
            f"{list(shape)} the target has one class number a row, and its shape is {list(found)}"
        )
    if len(shape) == 1 and layout.numel(found) != 1:
        raise ValueError(f"Expected one class number beside one row of classes, got {list(found)}")
    if len(shape) > 2 and (shape[0], *shape[2:]) != tuple(found):
        raise RuntimeError(
            f"Expected target size {[shape[0], *shape[2:]]}, got {list(found)}: one class number for each "
            f"place"
        )
    if target_type not in (dtypes.int64, dtypes.uint8):
        raise RuntimeError(
            f"expected target dtype to be Long or Byte, but got {target_type.name}: convert it with .long()"
        )
    return shape[0] if len(shape) == 1 else shape[1]
