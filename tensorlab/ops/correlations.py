"""The three sides of a convolution as primitives: result, image and weights, each made of the other two.

A convolution sums up ``result = weight * image``. Turned around, the image's gradient is made of the weights
and the result's gradient, and the weights' gradient of the other two. All three are sums over the same
products, and the gradient of each of them is one of the others.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from tensorlab.autograd.formulas import formulas
from tensorlab.backends import Backend, Buffer, Launch, OperandLayout
from tensorlab.backends.operands import no_launch
from tensorlab.backends.windows import Correlation, Window
from tensorlab.core.integers import ceil_div
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import contiguous_format, format_strides, suggested_format
from tensorlab.dispatch.operands import widened
from tensorlab.dispatch.primitive import Primitive, Recorded, Result, call
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor


class Form(NamedTuple):
    """How a window moves over an image.

    Attributes:
        step: by how much, in each dimension.
        before: how many zeros stand before the image; those behind it follow from the result's size.
        dilation: how far apart the taps of the window are.
        groups: how many groups the channels are divided into.
    """

    step: tuple[int, ...]
    before: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int


class _Sides(NamedTuple):
    """The layouts of all three sides, of which one is written."""

    result: Result
    image: Result
    weight: Result


class _Side(Primitive):
    """One side of a convolution, made of the other two; `params` are a `Form` and the sizes of the side."""

    differentiable = True

    def settled(self, operands: Sequence[Any], params: tuple) -> tuple[Form, Sequence[int]]:
        """The form and the sizes."""
        form, sizes = params
        return form, sizes

    def _made(self, shape: Sequence[int], operands: Sequence[Any]) -> Result:
        """A result that lies with its channels last if an operand does.

        A signal counts as an image of height 1, and there the first operand, no weight, has no say.
        """
        shape, others = Size(shape), operands[:2]
        chosen = contiguous_format
        as_image, _ = _with_height(shape, (0,) * len(shape))
        if shape[0]:
            for other in others[len(shape) == 3 :]:
                found = suggested_format(*_with_height(other._shape, other._stride))
                chosen = found if found.ndim == len(as_image) else chosen
        strides = format_strides(as_image, chosen)
        if len(shape) == 3:
            strides = (*strides[:2], strides[3])
        return Result(shape, strides, others[0]._dtype)


class ResultSide(_Side):
    """``weight * image + bias``.

    Operands: an image of shape (N, groups · C, …), weights of shape (groups · M, C, …), and perhaps a bias of
    shape (groups · M). The sizes are those of the result behind its first two dimensions.
    """

    name = "convolution"

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """Of shape (N, groups · M, …sizes)."""
        image, weight, *_ = operands
        _, sizes = self.settled(operands, params)
        return self._made((image._shape[0], weight._shape[0], *sizes), operands)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        image, weight, *biases = operands
        form, _ = self.settled(operands, params)
        problem = _problem(_Sides(result, _lies(image), _lies(weight)), form)
        if not result.shape.numel():
            return no_launch
        if not problem.channels * len(problem.taps):
            return _filling(backend, result, biases)
        return backend.correlate(result.dtype, problem, _bias_strides(biases, problem.results))

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """See `Primitive.node`."""
        image, weight, *_ = operands
        form, _ = self.settled(operands, params)
        return _Convolution, {"form": form, "sizes": image._shape[2:], "shape": weight._shape}


class ImageSide(_Side):
    """The other direction: each number of a result goes back to the numbers that it was made of, weighted.

    Operands: a result of shape (N, groups · M, …), weights of shape (groups · M, C, …), and perhaps a bias of
    shape (groups · C), which is added. The sizes are those of the image behind its first two dimensions.

    Numbers of the image that are a step apart are met by the same taps. So for each place within a step there
    is a convolution of the result, whose window moves by 1, and which has those taps in the opposite
    direction.
    """

    name = "conv_transpose"

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """Of shape (N, groups · C, …sizes)."""
        result, weight, *_ = operands
        form, sizes = self.settled(operands, params)
        return self._made((result._shape[0], form.groups * weight._shape[1], *sizes), operands)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        if not result.shape.numel():
            return no_launch
        form, _ = self.settled(operands, params)
        sides = _Sides(_lies(operands[0]), result, _lies(operands[1]))
        whole, biases = _problem(sides, form), operands[2:]
        kernel, strides = sides.weight.shape[2:], result.stride[2:]
        phases_of = [
            list(_phases(*each))
            for each in zip(result.shape[2:], form.step, form.before, form.dilation, kernel, strict=True)
        ]
        steps = [stride * step for stride, step in zip(strides, form.step, strict=True)]
        group, row, channel = whole.weight
        parts: list[tuple[int, Launch]] = []
        for phases in itertools.product(*phases_of):
            offset = sum(phase.first * stride for phase, stride in zip(phases, strides, strict=True))
            if not (whole.results and sides.result.shape.numel() and all(phase.taps for phase in phases)):
                sizes = Size((*result.shape[:2], *[phase.size for phase in phases]))
                part = Result(sizes, (*result.stride[:2], *steps), result.dtype)
                parts.append((offset, _filling(backend, part, biases)))
                continue
            windows = [
                Window(phase.size, size, 1, phase.offsets)
                for phase, size in zip(phases, sides.result.shape[2:], strict=True)
            ]
            problem = whole._replace(
                results=whole.channels,
                channels=whole.results,
                windows=_three(windows, _WHOLE),
                out=(*whole.image[:3], *_three(steps, 0)),
                image=whole.out,
                weight=(group, channel, row),
                taps=_tap_places(sides.weight, [phase.taps for phase in phases]),
            )
            bias = _bias_strides(biases, whole.channels)
            parts.append((offset, backend.correlate(result.dtype, problem, bias)))

        def launch(out: Buffer, *buffers: Buffer) -> None:
            cells, first = out
            for offset, part in parts:
                part((cells, first + offset), *buffers)

        return launch

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """See `Primitive.node`."""
        result, weight, *_ = operands
        form, _ = self.settled(operands, params)
        return _Transposed, {"form": form, "sizes": result._shape[2:], "shape": weight._shape}


class WeightSide(_Side):
    """The products of an image and a result, summed up for each weight; the sizes are the weights' shape."""

    name = "convolution_backward"

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """Of the weights' shape."""
        return self._made(params[1], operands)

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        image, gradient = map(_lies, operands)
        if not result.shape.numel():
            return no_launch
        if not gradient.shape.numel():
            return _filling(backend, result, ())
        correlate = backend.correlate_weights(
            result.dtype, _problem(_Sides(gradient, image, result), params[0])
        )
        return lambda weight, image, gradient: correlate(weight, gradient, image)

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """See `Primitive.node`."""
        image, gradient = operands
        return _Weights, {"form": params[0], "sizes": image._shape[2:], "places": gradient._shape[2:]}


RESULT, IMAGE, WEIGHTS = ResultSide(), ImageSide(), WeightSide()


# --- gradients -------------------------------------------------------------------------------------------


def _over_images(grad: Any) -> Tensor:
    """The gradient of a bias."""
    found: Tensor = grad.sum((0, *range(2, grad.ndim)))
    return found


# Each of the three sides is linear in each of the other two, and its gradients are the other two again.
_Convolution = formulas(
    "ConvolutionBackward0",
    image=lambda grad, weight, form, sizes: call(IMAGE, grad, weight, params=(form, sizes)),
    weight=lambda grad, image, form, shape: call(WEIGHTS, image, grad, params=(form, shape)),
    bias=_over_images,
)
_Transposed = formulas(
    "ConvolutionBackward0",
    spread=lambda grad, weight, form, sizes: call(RESULT, grad, weight, params=(form, sizes)),
    weight=lambda grad, spread, form, shape: call(WEIGHTS, grad, spread, params=(form, shape)),
    bias=_over_images,
)
_Weights = formulas(
    "ConvolutionBackwardBackward0",
    image=lambda grad, gradient, form, sizes: call(IMAGE, gradient, grad, params=(form, sizes)),
    gradient=lambda grad, image, form, places: call(RESULT, image, grad, params=(form, places)),
)


# --- layouts ---------------------------------------------------------------------------------------------


def _lies(operand: Tensor) -> Result:
    return Result(operand._shape, operand._stride, operand._dtype)


def _bias_strides(biases: Sequence[Any], channels: int) -> tuple[int, int] | None:
    """The strides of group and channel."""
    return (channels * biases[0]._stride[0], biases[0]._stride[0]) if biases else None


def _filling(backend: Backend, part: Result, biases: Sequence[Any]) -> Launch:
    """The launch for a part of a side that is made of no products: the bias, or 0."""
    zero, steps = 0.0 if part.dtype.is_floating_point else 0, [0] * len(part.shape)
    steps[1] = biases[0]._stride[0] if biases else 0
    out = OperandLayout(part.dtype, part.stride)
    source = OperandLayout(part.dtype, tuple(steps), is_number=not biases)
    fill = backend.pointwise(TABLE["copy"], widened(part.dtype), part.shape, out, [source])
    return lambda out, *buffers: fill(out, buffers[2] if biases else zero)


def _with_height(shape: Size, stride: tuple[int, ...]) -> tuple[Size, tuple[int, ...]]:
    """The shape and strides of a signal as those of an image; others stay what they are.

    Example:
        >>> _with_height(Size((2, 3, 5)), (15, 5, 1))
        (tensorlab.Size([2, 3, 1, 5]), (15, 5, 5, 1))
    """
    if len(shape) != 3:
        return shape, stride
    return Size((*shape[:2], 1, shape[2])), (*stride[:2], shape[2] * stride[2], stride[2])


class _Phase(NamedTuple):
    """The numbers of an image from `first` on that are a step apart: how many, and which taps meet them."""

    first: int
    size: int
    taps: tuple[int, ...]
    offsets: tuple[int, ...]


def _phases(extent: int, step: int, before: int, dilation: int, kernel: int) -> Any:
    """The phases of one dimension. A tap meets number ``first + i * step`` in result ``i + offset``.

    Example:
        >>> for phase in _phases(5, 2, 1, 1, 3):
        ...     print(phase)
        _Phase(first=0, size=3, taps=(1,), offsets=(0,))
        _Phase(first=1, size=2, taps=(0, 2), offsets=(1, 0))
    """
    for first in range(min(step, extent)):
        met = [
            (tap, (first + before - tap * dilation) // step)
            for tap in range(kernel)
            if (first + before - tap * dilation) % step == 0
        ]
        yield _Phase(
            first, ceil_div(extent - first, step), tuple(tap for tap, _ in met), tuple(at for _, at in met)
        )


_WHOLE = Window(1, 1, 1, (0,))


def _three(items: Sequence[Any], missing: Any) -> Any:
    """Depth, height and width of an image that may have fewer."""
    return (*[missing] * (3 - len(items)), *items)


def _problem(sides: _Sides, form: Form) -> Correlation:
    """The convolution that makes the result."""
    result, image, weight = sides
    results, channels = weight.shape[0] // form.groups, weight.shape[1]
    windows = [
        Window(size, extent, step, tuple(tap * dilation - before for tap in range(kernel)))
        for size, extent, kernel, step, before, dilation in zip(
            result.shape[2:], image.shape[2:], weight.shape[2:], *form[:3], strict=True
        )
    ]
    return Correlation(
        image.shape[0],
        form.groups,
        results,
        channels,
        _three(windows, _WHOLE),
        _in_groups(result.stride, results),
        _in_groups(image.stride, channels),
        (results * weight.stride[0], weight.stride[0], weight.stride[1]),
        _tap_places(weight, [range(size) for size in weight.shape[2:]]),
    )


def _in_groups(stride: tuple[int, ...], channels: int) -> tuple[int, ...]:
    """The strides of image, group, channel, depth, height and width."""
    n, c, *others = stride
    return (n, channels * c, c, *_three(others, 0))


def _tap_places(weight: Result, taps: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Where in the weights of one channel each choice of taps lies."""
    return tuple(
        sum(tap * step for tap, step in zip(chosen, weight.stride[2:], strict=True))
        for chosen in itertools.product(*taps)
    )
