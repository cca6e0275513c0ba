"""Padding: a tensor with elements around it that are constant, or that come from inside of it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.core import dtypes
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import (
    contiguous_format,
    format_strides,
    preserved_strides,
    suggested_format,
)
from tensorlab.dispatch.copies import write_new
from tensorlab.dispatch.memory import allocate_strided, filled
from tensorlab.dispatch.operands import Number, number_from
from tensorlab.ops.conversion import summed_in_float32
from tensorlab.ops.resampling import Along, resampled, resampled_gradient
from tensorlab.registry import op
from tensorlab.tensor import Tensor, make_tensor


@op(namespace="nn.functional")
def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """A tensor with more elements around it, or with fewer.

    Args:
        input: of any shape; for the other modes than ``"constant"`` a batch of signals, images or volumes, or
            one without the batch's dimension.
        pad: for the last dimension how many elements come before and after, then for the last but one, and so
            on. A negative number takes elements away.
        mode: ``"constant"``; ``"reflect"``, as if mirrors stood in the first and the last element;
            ``"replicate"``, the outermost elements again and again; or ``"circular"``, as if the last element
            were followed by the first.
        value: the constant, 0 where it is left out.

    Raises:
        RuntimeError: `pad` does not fit the shape, or a value is given where there is no constant.
        NotImplementedError: there is no such mode, or not for so many dimensions.
        TypeError: `pad` is no sequence of ints.

    Example:
        >>> x = tl.tensor([[1, 2, 3]])
        >>> F.pad(x, (1, 2)), F.pad(x, (2, 1), "reflect"), F.pad(x, (0, 2), "circular")
        (tensor([[0, 1, 2, 3, 0, 0]]), tensor([[3, 2, 1, 2, 3, 2]]), tensor([[1, 2, 3, 1, 2]]))
    """
    if mode == "constant" and value is None:
        return _padded_by_zeros(input, pad)
    widths = _widths(input, pad)
    if mode == "constant":
        return constant_pad_nd(input, widths, 0 if value is None else value)
    if mode not in _INSIDE:
        raise NotImplementedError(
            f"Unrecognised padding mode {mode}: there is 'constant', 'reflect', 'replicate' and 'circular'"
        )
    if value:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument, got {value!r}')
    dims = len(widths) // 2
    if not (1 <= dims <= 3 and input.ndim in (dims + 1, dims + 2)):
        raise NotImplementedError(
            f"Padding size {len(widths)} is not supported for {input.ndim}D input tensor. "
            f"Supported combinations for non-constant padding:\n"
            f"  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            f"  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            f"  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    _check(input, mode, widths)
    return _from_inside(input, mode, widths)


def _padded_by_zeros(input: Tensor, pad: Sequence[int]) -> Tensor:
    return constant_pad_nd(input, _widths(input, pad), 0)


@op()
def constant_pad_nd(input: Tensor, pad: Sequence[int], value: Number = 0) -> Tensor:
    """`pad` with a constant.

    Args:
        input: any tensor.
        pad: by how much, as in `pad`: the last dimension first, before and after.
        value: the constant.

    Example:
        >>> tl.constant_pad_nd(tl.tensor([1, 2, 3]), (-1, 1), 7)
        tensor([2, 3, 7])
    """
    widths = _widths(input, pad)
    shape = _padded(input, widths)
    if all(width <= 0 for width in widths):
        part = _part(input, widths)
        result = allocate_strided(
            shape, preserved_strides(part._shape, part._stride), input._dtype, input._storage.backend
        )
        write_new(result, part)
    else:
        strides = format_strides(shape, suggested_format(input._shape, input._stride))
        result = filled(shape, strides, input._dtype, value, input._storage.backend)
        part = _part(input, widths)
        write_new(_part(result, [-width for width in widths]), part)
    return record(ConstantPadNdBackward0, result, input, widths=widths)


ConstantPadNdBackward0 = formulas(
    "ConstantPadNdBackward0",
    input=lambda grad, widths: constant_pad_nd(grad, [-width for width in widths]),
)


def _widths(input: Tensor, pad: object) -> tuple[int, ...]:
    """The numbers of elements, checked against the number of dimensions."""
    if not isinstance(pad, (tuple, list)):
        raise TypeError(f"pad(): argument 'pad' must be tuple of ints, not {type(pad).__name__}")
    pad = [number_from(width) if isinstance(width, Tensor) else width for width in pad]
    for position, width in enumerate(pad):
        if isinstance(width, bool) or not isinstance(width, (int, np.integer)):
            raise TypeError(
                f"pad(): argument 'pad' must be tuple of ints, but found element of type "
                f"{type(width).__name__} at pos {position}"
            )
    if len(pad) % 2:
        raise RuntimeError(f"Padding length must be divisible by 2, got {len(pad)} numbers: {tuple(pad)}")
    if len(pad) > 2 * input.ndim:
        raise RuntimeError(
            f"Padding length should be less than or equal to two times the input dimension but got padding "
            f"length {len(pad)} and input of dimension {input.ndim}"
        )
    return tuple(int(width) for width in pad)


def _of_dims(input: Tensor, widths: Sequence[int]) -> list[tuple[int, int]]:
    """How many elements come before and after, for each dimension.

    Example:
        >>> import tensorlab as tl
        >>> _of_dims(tl.ones(2, 3, 4), (1, 2, 3, 4))
        [(0, 0), (3, 4), (1, 2)]
    """
    pairs = [(widths[i], widths[i + 1]) for i in range(0, len(widths), 2)]
    return [(0, 0)] * (input.ndim - len(pairs)) + pairs[::-1]


def _padded(input: Tensor, widths: Sequence[int]) -> Size:
    """The shape of the result."""
    sizes = []
    for dim, (size, (before, after)) in enumerate(zip(input._shape, _of_dims(input, widths), strict=True)):
        if size + min(before, 0) + min(after, 0) < 0 or size + before + after < 0:
            raise RuntimeError(
                f"The input size {size}, plus negative padding {before} and {after}, resulted in a negative "
                f"output size, which is invalid. Check dimension {dim} of your input."
            )
        sizes.append(size + before + after)
    return Size(sizes)


def _part(tensor: Tensor, widths: Sequence[int]) -> Tensor:
    """What is left of a tensor without the elements that negative widths take away, in place."""
    offset, sizes = tensor._offset, []
    for size, stride, (before, after) in zip(
        tensor._shape, tensor._stride, _of_dims(tensor, widths), strict=True
    ):
        sizes.append(size + min(before, 0) + min(after, 0))
        offset -= min(before, 0) * stride
    return make_tensor(tensor._storage, tensor._dtype, Size(sizes), tensor._stride, offset)


# --- elements from inside --------------------------------------------------------------------------------


def _reflected(size: int, before: int, after: int) -> list[int]:
    places = map(abs, range(-before, size + after))
    return [place if place < size else 2 * (size - 1) - place for place in places]


def _replicated(size: int, before: int, after: int) -> list[int]:
    return [min(max(place, 0), size - 1) for place in range(-before, size + after)]


def _wrapped(size: int, before: int, after: int) -> list[int]:
    """What is taken away is taken away first."""
    first, last = max(-before, 0), size - max(-after, 0)
    kept, places = max(last - first, 1), range(-max(before, 0), last - first + max(after, 0))
    return [place % kept + first for place in places]


# For each mode where an element comes from, and what PyTorch calls it.
_INSIDE = {
    "reflect": (_reflected, "ReflectionPad"),
    "replicate": (_replicated, "ReplicationPad"),
    "circular": (_wrapped, "CircularPad"),
}


def _check(input: Tensor, mode: str, widths: Sequence[int]) -> None:
    """Refuse widths that lead nowhere."""
    dims = len(widths) // 2
    _padded(input, widths)  # refuses sizes below 0
    if mode == "circular":
        for dim, (before, after) in enumerate(_of_dims(input, widths)):
            if max(before, after) > input._shape[dim]:
                raise RuntimeError(
                    f"Padding value causes wrapping around more than once: dimension {dim} has "
                    f"{input._shape[dim]} elements, and the padding is {(before, after)}"
                )
        return
    if input.dtype is dtypes.bool:
        raise NotImplementedError(f"pad() with mode {mode!r} is not implemented for 'Bool'")
    if 0 in input._shape[-dims - 1 :]:
        raise RuntimeError(
            f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with possibly 0 batch size and other "
            f"non-zero dimensions for input, but got: {list(input.shape)}"
        )
    if mode == "reflect":
        for dim, (before, after) in enumerate(_of_dims(input, widths)):
            if max(before, after) >= input._shape[dim] and (before or after):
                raise RuntimeError(
                    f"Padding size should be less than the corresponding input dimension, but got: padding "
                    f"({before}, {after}) at dimension {dim} of input {list(input.shape)}"
                )


@functools.lru_cache(maxsize=1024)
def _along(mode: str, extents: tuple[int, ...], widths: tuple[int, ...]) -> tuple[Along, ...]:
    """Where the elements come from along each dimension that is padded."""
    find = _INSIDE[mode][0]
    pairs = zip(widths[-2::-2], widths[::-2], strict=True)  # the last dimension's come first
    return tuple(Along(size, [find(size, *pair)]) for size, pair in zip(extents, pairs, strict=True))


def _from_inside(input: Tensor, mode: str, widths: tuple[int, ...]) -> Tensor:
    """The elements that a padded tensor consists of, all taken from inside."""
    dims = len(widths) // 2
    along = _along(mode, tuple(input._shape[-dims:]), widths)
    result = resampled(input, along, contiguous_format if mode == "circular" else None)
    return record(_KINDS[mode, dims], result, input, widths=widths, shape=input._shape)


@summed_in_float32
def _gradient(gradient: Tensor, mode: str, widths: tuple[int, ...], shape: Size) -> Tensor:
    """The gradients of all elements that came from one, added up."""
    dims = len(widths) // 2
    result = resampled_gradient(gradient, _along(mode, tuple(shape[-dims:]), widths))
    return record(_GRADIENT_KINDS[mode, dims], result, gradient, widths=widths)


def _kinds(mode: str, name: str, dims: int) -> tuple[Any, Any]:
    """The nodes of one mode: of the padded tensors, and of their gradients."""
    first = formulas(
        f"{name}{dims}DBackward0",
        input=lambda grad, widths, shape: _gradient(grad, mode, widths, shape),
    )
    second = formulas(
        f"{name}{dims}DBackwardBackward0", gradient=lambda grad, widths: _from_inside(grad, mode, widths)
    )
    return first, second


_BOTH = {(mode, dims): _kinds(mode, name, dims) for mode, (_, name) in _INSIDE.items() for dims in (1, 2, 3)}
_KINDS = {key: first for key, (first, _) in _BOTH.items()}
_GRADIENT_KINDS = {key: second for key, (_, second) in _BOTH.items()}
