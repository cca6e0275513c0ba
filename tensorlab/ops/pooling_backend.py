"""Pooling on the backend, and its gradients: what all kinds of windows have in common."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.autograd.views import requires_grad
from tensorlab.backends import Backend
from tensorlab.backends.windows import Pooling, Reach
from tensorlab.core import dtypes
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import format_strides, suggested_format
from tensorlab.core.modes import current
from tensorlab.dispatch.copies import write_new
from tensorlab.dispatch.memory import allocate_strided, filled
from tensorlab.ops.conversion import summed_in_float32
from tensorlab.tensor import Tensor

__all__ = [
    "AdaptiveAvgPool2DBackward0",
    "AdaptiveMaxPool2DBackward0",
    "AvgPool2DBackward0",
    "MaxPool2DWithIndicesBackward0",
    "Windows",
    "greatest_of_windows",
    "mean_of_windows",
]

Windows = tuple[Reach, Reach]


class _Plan(NamedTuple):
    """Where the numbers of all windows go, and what finds them; it is None where there are none."""

    shape: Size
    stride: tuple[int, ...]
    launch: Any


def _plan_of(form: str, input: Tensor, windows: Windows, divisor: int = 0) -> _Plan:
    """The plan for a pooling of an image like this: the result is laid out like it."""
    backend = input._storage.backend
    return _planned(backend, form, input._dtype, input._shape, input._stride, windows, divisor)


@functools.lru_cache(maxsize=1024)
def _planned(
    backend: Backend,
    form: str,
    element_type: dtypes.dtype,
    shape: Size,
    stride: tuple,
    windows: Windows,
    divisor: int,
) -> _Plan:
    result = Size((*shape[:-2], *(len(reach.begins) for reach in windows)))
    out = format_strides(result, suggested_format(shape, stride))
    launch = (
        _prepared(backend, form, element_type, shape, stride, out, windows, divisor)
        if result.numel()
        else None
    )
    return _Plan(result, out, launch)


@functools.lru_cache(maxsize=1024)
def _prepared(
    backend: Backend,
    form: str,
    element_type: dtypes.dtype,
    shape: Size,
    image: tuple,
    out: tuple,
    windows: Windows,
    divisor: int,
) -> Any:
    """The launch of a pooling, or of its gradient."""
    images, (channels, _, width) = (shape[0] if len(shape) == 4 else 1), shape[-3:]
    steps = [(0, *stride) if len(stride) == 3 else stride for stride in (out, image)]
    problem = Pooling(images, channels, width, windows, divisor, *steps)
    if form in ("mean_gradient", "greatest_gradient"):
        return backend.pool_gradient(element_type, problem, form == "greatest_gradient")
    return backend.pool(element_type, problem, form != "mean", form == "greatest")


def greatest_of_windows(
    kind: Any, input: Tensor, windows: Windows, wanted: bool = True
) -> tuple[Tensor, Any]:
    """The greatest number of each window, and its place; `kind` is the kind of node.

    There are no places where they are not `wanted`, and no gradient asks for them later.
    """
    if not wanted and not (current.grad and requires_grad(input)):
        shape, stride, launch = _plan_of("greatest_alone", input, windows)
        values = allocate_strided(shape, stride, input._dtype)
        if launch is not None:
            launch(values._buffer(), input._buffer())
        return values, None
    shape, stride, launch = _plan_of("greatest", input, windows)
    values, places = (allocate_strided(shape, stride, found) for found in (input._dtype, dtypes.int64))
    if launch is not None:
        launch(values._buffer(), input._buffer(), places._buffer())
    return record(kind, values, input, places=places, shape=input._shape, windows=windows), places


@summed_in_float32
def _greatest_gradient(grad: Tensor, places: Tensor, shape: Size, windows: Windows) -> Tensor:
    """The gradient of the image: each part goes to the number that was the greatest."""
    if grad._stride != places._stride:
        laid: Any = allocate_strided(grad._shape, places._stride, grad._dtype)
        write_new(laid, grad)
    else:
        laid = grad
    result = filled(
        shape, format_strides(shape, suggested_format(grad._shape, places._stride)), grad._dtype, 0
    )
    if grad.numel():
        launch = _prepared(
            grad._storage.backend,
            "greatest_gradient",
            grad._dtype,
            shape,
            result._stride,
            places._stride,
            windows,
            0,
        )
        launch(laid._buffer(), result._buffer(), places._buffer())
    return record(_GreatestGradientBackward, result, grad, places=places)


def _at_places(image: Any, places: Any) -> Tensor:
    """The numbers at these places."""
    found: Tensor = image.flatten(-2).gather(-1, places.flatten(-2)).view(places.shape)
    return found


def mean_of_windows(kind: Any, input: Tensor, windows: Windows, divisor: int) -> Tensor:
    """The mean of each window, or its sum divided by a `divisor` other than 0."""
    shape, stride, launch = _plan_of("mean", input, windows, divisor)
    result = allocate_strided(shape, stride, input._dtype)
    if launch is not None:
        launch(result._buffer(), input._buffer())
    return record(kind, result, input, kind=kind, shape=input._shape, windows=windows, divisor=divisor)


@summed_in_float32
def _mean_gradient(grad: Tensor, kind: Any, shape: Size, windows: Windows, divisor: int) -> Tensor:
    """The gradient of the image: each part, divided, goes to all numbers of its window."""
    result = filled(shape, format_strides(shape, suggested_format(grad._shape, grad._stride)), grad._dtype, 0)
    if grad.numel():
        launch = _prepared(
            grad._storage.backend,
            "mean_gradient",
            grad._dtype,
            shape,
            result._stride,
            grad._stride,
            windows,
            divisor,
        )
        launch(grad._buffer(), result._buffer())
    return record(_MeanGradientBackward, result, grad, kind=kind, windows=windows, divisor=divisor)


MaxPool2DWithIndicesBackward0, AdaptiveMaxPool2DBackward0 = (
    formulas(
        name, image=lambda grad, places, shape, windows: _greatest_gradient(grad, places, shape, windows)
    )
    for name in ("MaxPool2DWithIndicesBackward0", "AdaptiveMaxPool2DBackward0")
)
AvgPool2DBackward0, AdaptiveAvgPool2DBackward0 = (
    formulas(
        name,
        image=lambda grad, kind, shape, windows, divisor: _mean_gradient(grad, kind, shape, windows, divisor),
    )
    for name in ("AvgPool2DBackward0", "AdaptiveAvgPool2DBackward0")
)
_GreatestGradientBackward = formulas(
    "MaxPool2DWithIndicesBackwardBackward0", gradient=lambda grad, places: _at_places(grad, places)
)
_MeanGradientBackward = formulas(
    "AvgPool2DBackwardBackward0",
    gradient=lambda grad, kind, windows, divisor: mean_of_windows(kind, grad, windows, divisor),
)
