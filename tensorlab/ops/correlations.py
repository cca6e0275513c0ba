"""The three sides of a convolution, each computed from the other two: result, image and weights.

A convolution sums up ``result = weight * image``. Turned around, the image's gradient is made of the weights
and the result's gradient, and the weights' gradient of the other two. All three are sums over the same
products, and the gradient of each of them is one of the others. Nothing here is recorded.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tensorlab.backends.windows import Correlation, Window
from tensorlab.core.integers import ceil_div
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import contiguous_format, format_strides, suggested_format
from tensorlab.dispatch.copies import write_new
from tensorlab.dispatch.memory import allocate_strided, filled
from tensorlab.ops.plans import remember
from tensorlab.tensor import Tensor, make_tensor

__all__ = ["Form", "image_of", "result_of", "weights_of"]


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


def result_of(image: Tensor, weight: Tensor, bias: Tensor | None, form: Form, sizes: Sequence[int]) -> Tensor:
    """``weight * image + bias``.

    Args:
        image: of shape (N, groups · C, …).
        weight: of shape (groups · M, C, …).
        bias: of shape (groups · M), or None.
        sizes: those of the result along the dimensions behind the second.

    Returns:
        a tensor of shape (N, groups · M, …sizes).
    """
    shape = Size((image._shape[0], weight._shape[0], *sizes))
    result = _allocate(shape, image, weight)
    _run("result", (result, image, weight), form, bias, result)
    return result


def image_of(result: Tensor, weight: Tensor, bias: Tensor | None, form: Form, sizes: Sequence[int]) -> Tensor:
    """The other direction: each number of a result goes back to the numbers that it was made of, weighted.

    The arguments are those of `result_of`; `sizes` are those of the image. A bias of shape (groups · C) is
    added to the image.
    """
    shape = Size((result._shape[0], form.groups * weight._shape[1], *sizes))
    image = _allocate(shape, result, weight)
    _run("image", (result, image, weight), form, bias, image)
    return image


def weights_of(image: Tensor, result: Tensor, form: Form, shape: Sequence[int]) -> Tensor:
    """The products of an image and a result, summed up for each weight; `shape` is that of the weights."""
    weight = _allocate(Size(shape), image, result)
    _run("weight", (result, image, weight), form, None, weight)
    return weight


def _allocate(shape: Size, *others: Tensor) -> Tensor:
    """A new tensor, channels last if another one is.

    A signal counts as an image of height 1, and there the first of the others, no weight, has no say.
    """
    chosen = contiguous_format
    as_image, _ = _with_height(shape, (0,) * len(shape))
    if shape[0]:
        for other in others[len(shape) == 3 :]:
            found = suggested_format(*_with_height(other._shape, other._stride))
            chosen = found if found.ndim == len(as_image) else chosen
    strides = format_strides(as_image, chosen)
    if len(shape) == 3:
        strides = (*strides[:2], strides[3])
    return allocate_strided(shape, strides, others[0]._dtype)


def _with_height(shape: Size, stride: tuple[int, ...]) -> tuple[Size, tuple[int, ...]]:
    """The shape and strides of a signal as those of an image; others stay what they are.

    Example:
        >>> _with_height(Size((2, 3, 5)), (15, 5, 1))
        (tensorlab.Size([2, 3, 1, 5]), (15, 5, 5, 1))
    """
    if len(shape) != 3:
        return shape, stride
    return Size((*shape[:2], 1, shape[2])), (*stride[:2], shape[2] * stride[2], stride[2])


class _Plan(NamedTuple):
    """What one side takes.

    Attributes:
        parts: launches, each with how many cells further on the written tensor begins for it, and the places
            along depth, height and width where a part that no tap reaches is filled instead, or None.
        order: which of result, image and weight each argument of a launch is; the first is written.
    """

    parts: tuple[tuple[Callable[..., None] | None, int, tuple[slice, ...]], ...]
    order: tuple[int, int, int]


_plans: dict[tuple, _Plan] = {}


def _run(
    side: str, operands: tuple[Tensor, Tensor, Tensor], form: Form, bias: Tensor | None, written: Tensor
) -> None:
    """Compute one side of (result, image, weight) into the tensor that is there for it."""
    if not written.numel():
        return
    layouts = [(operand._shape, operand._stride) for operand in operands]
    bias_step = None if bias is None else bias._stride[0]
    key = (side, written._storage.backend, written._dtype, *layouts, form, bias_step)
    plan = _plans.get(key)
    if plan is None:
        plan = remember(_plans, key, _PLANNERS[side](operands, form, bias_step))
    buffers = [operand._buffer() for operand in operands]
    first, *others = (buffers[at] for at in plan.order)
    for launch, offset, part in plan.parts:
        if launch is None:
            _fill(written, bias, part)
        elif bias is None:
            launch((first[0], first[1] + offset), *others)
        else:
            launch((first[0], first[1] + offset), *others, bias._buffer())


def _fill(written: Tensor, bias: Tensor | None, part: tuple[slice, ...]) -> None:
    """A part of a tensor that is made of no products: the bias, or 0."""
    offset = written._offset
    shape, stride = list(written._shape), list(written._stride)
    for dim, chosen in enumerate(part, 2):
        offset += chosen.start * stride[dim]
        shape[dim] = len(range(*chosen.indices(shape[dim])))
        stride[dim] *= chosen.step
    target = make_tensor(written._storage, written._dtype, Size(shape), tuple(stride), offset)
    if bias is None:
        bias = filled(Size((1,)), (1,), written._dtype, 0)
    column = Size((bias._shape[0], *[1] * len(part)))
    strides = (bias._stride[0], *[0] * len(part))
    write_new(target, make_tensor(bias._storage, bias._dtype, column, strides, bias._offset))


Operands = tuple[Tensor, Tensor, Tensor]


def _plan_result(operands: Operands, form: Form, bias_step: int | None) -> _Plan:
    result = operands[0]
    problem = _problem(operands, form, _windows(operands, form))
    if not problem.channels * len(problem.taps):
        return _Plan(((None, 0, _everything(result)),), (0, 1, 2))
    bias = None if bias_step is None else (problem.results * bias_step, bias_step)
    return _Plan(((result._storage.backend.correlate(result._dtype, problem, bias), 0, ()),), (0, 1, 2))


def _plan_weight(operands: Operands, form: Form, bias_step: int | None) -> _Plan:
    result, _, weight = operands
    if not result.numel():
        return _Plan(((None, 0, _everything(weight)),), (2, 0, 1))
    problem = _problem(operands, form, _windows(operands, form))
    return _Plan(((result._storage.backend.correlate_weights(result._dtype, problem), 0, ()),), (2, 0, 1))


def _plan_image(operands: Operands, form: Form, bias_step: int | None) -> _Plan:
    """Numbers of the image that are a step apart are met by the same taps.

    So for each place within a step there is a convolution of the result, whose window moves by 1, and which
    has those taps in the opposite direction.
    """
    result, image, weight = operands
    straight = _problem(operands, form, _windows(operands, form))
    choices = [
        list(_phases(image._shape[dim + 2], form.step[dim], form.before[dim], form.dilation[dim],
                     weight._shape[dim + 2]))
        for dim in range(len(form.step))
    ]  # fmt: skip
    bias = None if bias_step is None else (straight.channels * bias_step, bias_step)
    parts: list[tuple[Callable[..., None] | None, int, tuple[slice, ...]]] = []
    for phases in itertools.product(*choices):
        strides = image._stride[2:]
        offset = sum(phase.first * stride for phase, stride in zip(phases, strides, strict=True))
        if not (straight.results and result.numel() and all(phase.taps for phase in phases)):
            part = tuple(
                slice(phase.first, None, step) for phase, step in zip(phases, form.step, strict=True)
            )
            parts.append((None, offset, part))
            continue
        windows = [
            Window(phase.size, size, 1, phase.offsets)
            for phase, size in zip(phases, result._shape[2:], strict=True)
        ]
        steps = [stride * step for stride, step in zip(strides, form.step, strict=True)]
        group, row, channel = straight.weight
        problem = straight._replace(
            results=straight.channels,
            channels=straight.results,
            windows=_three(windows, _WHOLE),
            out=(*straight.image[:3], *_three(steps, 0)),
            image=straight.out,
            weight=(group, channel, row),
            taps=_tap_places(weight, [phase.taps for phase in phases]),
        )
        parts.append((result._storage.backend.correlate(result._dtype, problem, bias), offset, ()))
    return _Plan(tuple(parts), (1, 0, 2))


_PLANNERS = {"result": _plan_result, "image": _plan_image, "weight": _plan_weight}


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


def _windows(operands: Operands, form: Form) -> Any:
    result, image, weight = operands
    return _three(
        [
            Window(size, extent, step, tuple(tap * dilation - before for tap in range(kernel)))
            for size, extent, kernel, step, before, dilation in zip(
                result._shape[2:], image._shape[2:], weight._shape[2:], *form[:3], strict=True
            )
        ],
        _WHOLE,
    )


def _problem(operands: Operands, form: Form, windows: Any) -> Correlation:
    """The convolution that makes the result."""
    result, image, weight = operands
    results, channels = weight._shape[0] // form.groups, weight._shape[1]
    return Correlation(
        image._shape[0],
        form.groups,
        results,
        channels,
        windows,
        _in_groups(result, results),
        _in_groups(image, channels),
        (results * weight._stride[0], weight._stride[0], weight._stride[1]),
        _tap_places(weight, [range(size) for size in weight._shape[2:]]),
    )


def _in_groups(tensor: Tensor, channels: int) -> tuple[int, ...]:
    """The strides of image, group, channel, depth, height and width."""
    n, c, *others = tensor._stride
    return (n, channels * c, c, *_three(others, 0))


def _tap_places(weight: Tensor, taps: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Where in the weights of one channel each choice of taps lies."""
    steps = weight._stride[2:]
    return tuple(
        sum(tap * step for tap, step in zip(chosen, steps, strict=True))
        for chosen in itertools.product(*taps)
    )


def _everything(tensor: Tensor) -> tuple[slice, ...]:
    return tuple(slice(0, None, 1) for _ in tensor._shape[2:])
