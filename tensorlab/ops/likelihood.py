"""Losses of classification: minus the logarithm of the probability that was given to the right class."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import linear, record
from tensorlab.autograd.views import requires_grad
from tensorlab.core import dtypes, layout
from tensorlab.core.cells import encode_one
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Refusal, Size
from tensorlab.core.memory_formats import contiguous_format
from tensorlab.core.modes import current
from tensorlab.ops.conversion import compute_type, contiguous, dense_in, to
from tensorlab.ops.losses import reduction_of
from tensorlab.ops.plans import MOST_PLANS
from tensorlab.ops.slicing import narrow
from tensorlab.ops.softmax import log_softmax
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_dense

# Logarithms of probabilities that are made at a time where none is kept: 896 KB of float32, most of a
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
        >>> import tensorlab as tl
        >>> import tensorlab.nn.functional as F
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
        >>> import tensorlab as tl
        >>> import tensorlab.nn.functional as F
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
    if not (label_smoothing or input.numel() <= PIECE or input.ndim == 1 or _is_recorded(input)):
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
    places = _places(input, target, weight, ignored, reduction)
    shape, element_type = input._shape, input._dtype
    cut = 0 if len(shape) == 2 or shape[0] >= shape[2] else 2
    size, step = shape[cut], max(1, PIECE * shape[cut] // input.numel())
    result_shape = _walk(shape, input._stride).shape
    classes = places.target.reshape(result_shape)
    losses = np.empty(result_shape if reduction == "none" else 0, element_type.cell)
    along = (slice(None),) * (cut // 2)
    total = counted = 0.0
    for first in range(0, size, step):
        part = (*along, slice(first, first + step))
        rows = narrow(input, cut, first, min(step, size - first))
        these = _Places(np.ascontiguousarray(classes[part]).reshape(-1), places.weight, ignored, reduction)
        out, sums = _looked_up(log_softmax(rows, 1), these)
        if reduction == "none":
            losses[part] = out.reshape(losses[part].shape)
        total, counted = total + float(sums[0]), counted + float(sums[1])
    if reduction == "none":
        return make_dense(
            losses.reshape(-1), element_type, result_shape, layout.default_strides(result_shape)
        )
    return _reduced(total, counted, places, element_type)


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


class _Walk(NamedTuple):
    """How the log-probabilities are walked, which follows from their shape and strides.

    Attributes:
        sizes: rows, classes and places to a row, for the kernels.
        strides: the steps in each, in cells; None if they have to be copied first.
        shape, stride: of the loss of each place.
        kind: the node that is left.
    """

    sizes: np.ndarray
    strides: np.ndarray | None
    shape: Size
    stride: tuple[int, ...]
    kind: Any


@functools.lru_cache(4096)
def _walk(shape: Size, stride: tuple[int, ...]) -> _Walk:
    rows, classes = (1, shape[0]) if len(shape) == 1 else shape[:2]
    places = layout.numel(shape[2:])
    strides: tuple[int, ...] | None = (0, stride[0], 0) if len(shape) == 1 else (*stride[:2], 0)
    if len(shape) == 3:
        strides = stride
    elif len(shape) > 3:
        seen = layout.view_strides(shape, stride, Size((rows, classes, places)))
        strides = None if isinstance(seen, Refusal) else seen
    result = Size((*shape[:1], *shape[2:])) if len(shape) > 1 else Size()
    sizes = np.array([rows, classes, places], np.int64)
    steps = None if strides is None else np.array(strides, np.int64)
    return _Walk(sizes, steps, result, layout.default_strides(result), _KINDS[len(shape) > 2])


class _Places:
    """What of a likelihood does not depend on the log-probabilities.

    Attributes:
        target, weight: the cells of the class numbers, and the numbers of the classes.
        ignored, reduction: those of `nll_loss`.
        factor: what the sum is multiplied by, once it is known.
    """

    __slots__ = ("factor", "ignored", "reduction", "target", "weight")

    def __init__(self, target: np.ndarray, weight: np.ndarray, ignored: int, reduction: str) -> None:
        self.target, self.weight, self.ignored, self.reduction = target, weight, ignored, reduction
        self.factor: float | None = None


def _d_likelihood(grad: Tensor, places: _Places, sizes: np.ndarray, shape: Size) -> Tensor:
    cells = grad._storage.backend.likelihood_gradient(
        grad._dtype,
        sizes,
        places.target,
        places.weight,
        places.ignored,
        dense_in(grad, contiguous_format),
        places.factor or 0.0,
        layout.numel(shape),
    )
    result = make_dense(cells, grad._dtype, shape, layout.default_strides(shape))
    if requires_grad(grad):
        linear(result, grad, lambda again: _likelihood(again, places))
    return result


_KINDS = [formulas(f"NllLoss{suffix}Backward0", input=_d_likelihood) for suffix in ("", "2D")]
_NO_DIMS = Size()


def _looked_up(input: Tensor, places: _Places) -> tuple[np.ndarray, np.ndarray]:
    """The weighted loss of each place; their sum and that of the weights."""
    sizes, strides, *_ = _walk(input._shape, input._stride)
    seen = input
    if strides is None:
        seen = contiguous(input.detach())
        strides = _walk(input._shape, seen._stride).strides
        assert strides is not None
    out, sums, wrong = input._storage.backend.likelihood(
        input._dtype, sizes, strides, seen._buffer(), places.target, places.weight, places.ignored
    )
    if wrong >= 0:
        raise IndexError(
            f"Target {places.target[wrong]} is out of bounds: there are {sizes[1]} classes, 0 to "
            f"{sizes[1] - 1}"
        )
    return out, sums


def _reduced(total: float, counted: float, places: _Places, element_type: dtype) -> Tensor:
    """The sum or the mean as a tensor; what the sum is multiplied by is found where it is not known."""
    if places.factor is None:
        places.factor = 1.0 if places.reduction == "sum" else 1 / counted if counted else math.nan
    out = np.empty(1, element_type.cell)
    out[0] = encode_one(total * places.factor, element_type)
    return make_dense(out, element_type, _NO_DIMS, ())


def _likelihood(input: Tensor, places: _Places) -> Tensor:
    """The loss, recorded."""
    sizes, _, result_shape, result_stride, kind = _walk(input._shape, input._stride)
    out, sums = _looked_up(input, places)
    if places.reduction == "none":
        places.factor = 1.0
        result = make_dense(out, input._dtype, result_shape, result_stride)
    else:
        result = _reduced(float(sums[0]), float(sums[1]), places, input._dtype)
    if not requires_grad(input):
        return result
    return record(kind, result, input, places=places, sizes=sizes, shape=input._shape)


@functools.lru_cache(64)
def _ones(count: int, cell: np.dtype) -> np.ndarray:
    return np.ones(count, cell)


def _nll(input: Tensor, target: Tensor, weight: Tensor | None, ignored: int, reduction: str) -> Tensor:
    return _likelihood(input, _places(input, target, weight, ignored, reduction))


def _places(input: Tensor, target: Tensor, weight: Tensor | None, ignored: int, reduction: str) -> _Places:
    classes = _classes(input._shape, input._dtype, target._shape, target._dtype)
    _check_weight(weight, classes)
    number = compute_type(input._dtype)
    if weight is None:
        weights = _ones(classes, number.cell)
    elif weight._dtype is not input._dtype:
        raise RuntimeError(
            f"expected scalar type {input._dtype.name} but found {weight._dtype.name}: the weights of "
            f"classes have the dtype of input"
        )
    else:
        weights = dense_in(to(weight.detach(), number), contiguous_format)
    if target._dtype is not dtypes.int64:
        target = to(target, dtypes.int64)
    cells = dense_in(target, contiguous_format)
    return _Places(cells, weights, ignored, reduction)


def _check_weight(weight: Tensor | None, classes: int) -> None:
    if weight is not None and tuple(weight._shape) != (classes,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight "
            f"tensor of shape: {list(weight._shape)}"
        )


@functools.lru_cache(MOST_PLANS)
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
