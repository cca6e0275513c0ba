"""Blocks of images as columns and back, and channels as pixels and back."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.core import dtypes
from tensorlab.core.layout import Size, default_strides
from tensorlab.core.memory_formats import format_strides, suggested_format
from tensorlab.dispatch.copies import write_new
from tensorlab.dispatch.memory import allocate_strided, filled
from tensorlab.ops.elementwise import compute_into
from tensorlab.ops.sliding_windows import each_dim, places
from tensorlab.registry import op
from tensorlab.scalars import TABLE
from tensorlab.tensor import Tensor, make_tensor

Ints = int | Sequence[int]
Pair = tuple[int, int]


@op(namespace="nn.functional")
def unfold(
    input: Tensor, kernel_size: Ints, dilation: Ints = 1, padding: Ints = 0, stride: Ints = 1
) -> Tensor:
    """The blocks that a window covers while it slides over images, each as a column.

    Args:
        input: of shape (N, C, H, W), or (C, H, W) for one image.
        kernel_size: the window's height and width.
        dilation: how far apart in the image neighbours of the window are.
        padding: how many zeros stand around the image.
        stride: by how much the window moves.

    Returns:
        a tensor of shape (N, C · kh · kw, places), or without N.

    Raises:
        RuntimeError: the sizes do not fit.

    Example:
        >>> F.unfold(tl.arange(6.0).view(1, 2, 3), (2, 2))  # two places, four elements each
        tensor([[0., 1.],
                [1., 2.],
                [3., 4.],
                [4., 5.]])
    """
    form = _form("unfold", kernel_size, dilation, padding, stride)
    if input.ndim not in (3, 4) or 0 in input._shape[-3:]:
        kind = IndexError if input.ndim < 3 else RuntimeError
        raise kind(
            f"Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions "
            f"for input, but got: {list(input.shape)}"
        )
    _need_floats("unfold", input)
    counts = _places(input._shape[-2:], form)
    if min(counts) < 1:
        window, spread, before, _ = form
        raise RuntimeError(
            f"Given input with spatial size {tuple(input.shape[-2:])}, kernel_size={window}, "
            f"dilation={spread}, padding={before}, calculated shape of the array of sliding blocks as "
            f"{counts}, but its components must be at least one."
        )
    return _unfolded(input, form)


@op(namespace="nn.functional")
def fold(
    input: Tensor,
    output_size: Ints,
    kernel_size: Ints,
    dilation: Ints = 1,
    padding: Ints = 0,
    stride: Ints = 1,
) -> Tensor:
    """Images made of blocks: what `unfold` took apart, put back and added up where blocks overlap.

    Args:
        input: of shape (N, C · kh · kw, places), or without N.
        output_size: the images' height and width.
        kernel_size, dilation, padding, stride: those of `unfold`.

    Returns:
        a tensor of shape (N, C, H, W), or without N.

    Raises:
        RuntimeError: the sizes do not fit.

    Example:
        >>> F.fold(F.unfold(tl.ones(1, 1, 2, 3), 2), (2, 3), 2)  # how many blocks each element was in
        tensor([[[[1., 2., 1.],
                  [1., 2., 1.]]]])
    """
    size = _pair("fold", "output_size", output_size)
    form = _form("fold", kernel_size, dilation, padding, stride)
    if input.ndim not in (2, 3) or 0 in input._shape[-2:]:
        raise RuntimeError(
            f"Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
            f"dimensions for input, but got: {list(input.shape)}"
        )
    _need_floats("fold", input)
    window, spread, before, step = form
    rows, columns = input._shape[-2:]
    if rows % (window[0] * window[1]):
        raise RuntimeError(
            f"Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={rows} and kernel_size={window}."
        )
    counts = _places(size, form)
    if min(counts) < 1 or counts[0] * counts[1] != columns:
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={window}, dilation={spread}, padding={before}, "
            f"stride={step}, expected size of input's dimension 2 to match the calculated number of sliding "
            f"blocks {counts[0]} * {counts[1]} = {counts[0] * counts[1]}, but got input.size(2)={columns}."
        )
    return _folded(input, size, form)


Form = tuple[Pair, Pair, Pair, Pair]


def _pair(name: str, word: str, value: Ints) -> Pair:
    height, width = each_dim(name, word, value, 2)
    return height, width


def _form(name: str, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Form:
    found = []
    for word, value, least in (
        ("kernel_size", kernel_size, 1),
        ("dilation", dilation, 1),
        ("padding", padding, 0),
        ("stride", stride, 1),
    ):
        pair = _pair(name, word, value)
        if min(pair) < least:
            rule = "greater than zero" if least else "non-negative"
            raise RuntimeError(f"{name}(): {word} should be {rule}, but got {pair}")
        found.append(pair)
    window, spread, before, step = found
    return window, spread, before, step


def _need_floats(name: str, input: Tensor) -> None:
    if not (input.is_floating_point() or input.dtype is dtypes.bool):
        raise NotImplementedError(
            f"{name}() is not implemented for {input.dtype.name}: convert to floats first"
        )


def _places(size: Sequence[int], form: Form) -> Pair:
    down, across = (
        places(extent, window, step, spread, before, before)
        for extent, window, spread, before, step in zip(size, *form, strict=True)
    )
    return down, across


def _taps(image: Tensor, columns: Tensor, form: Form) -> Iterator[tuple[Tensor, Tensor]]:
    """For each place in the window the elements of the image that it meets, and where they stand as columns.

    Both are views, in which what the window meets outside of the image is left out.
    """
    window, spread, before, step = form
    n, channels, *extents = image._shape
    counts = _places(extents, form)
    for taps in itertools.product(range(window[0]), range(window[1])):
        offset, other = image._offset, columns._offset
        offset_row = taps[0] * window[1] + taps[1]
        sizes, strides, steps = [n, channels], list(image._stride[:2]), [columns._stride[0]]
        steps.append(columns._stride[1] * window[0] * window[1])
        other += offset_row * columns._stride[1]
        for dim in (0, 1):
            begin = taps[dim] * spread[dim] - before[dim]
            first = max(-(begin // step[dim]), 0)
            last = min((extents[dim] - 1 - begin) // step[dim] + 1, counts[dim])
            along = columns._stride[2] * (counts[1] if dim == 0 else 1)
            offset += (begin + first * step[dim]) * image._stride[2 + dim]
            other += first * along
            sizes.append(max(last - first, 0))
            strides.append(step[dim] * image._stride[2 + dim])
            steps.append(along)
        if 0 not in sizes:
            yield (
                make_tensor(image._storage, image._dtype, Size(sizes), tuple(strides), offset),
                make_tensor(columns._storage, columns._dtype, Size(sizes), tuple(steps), other),
            )


def _unfolded(input: Tensor, form: Form) -> Tensor:
    (height, width), counts = form[0], _places(input._shape[-2:], form)
    *batch, channels, _, _ = input._shape
    shape = Size((*batch, channels * height * width, counts[0] * counts[1]))
    result = filled(shape, default_strides(shape), input._dtype, 0, input._storage.backend)
    for part, columns in _taps(_batch(input, 4), _batch(result, 3), form):
        write_new(columns, part)
    return record(Im2ColBackward0, result, input, size=tuple(input._shape[-2:]), form=form)


def _folded(input: Tensor, size: Pair, form: Form) -> Tensor:
    height, width = form[0]
    *batch, rows, _ = input._shape
    shape = Size((*batch, rows // (height * width), *size))
    half = input._dtype.itemsize < 4 and input._dtype.is_floating_point  # whose sums are made in float32
    result = filled(
        shape, default_strides(shape), dtypes.float32 if half else input._dtype, 0, input._storage.backend
    )
    join = TABLE["logical_or" if input._dtype is dtypes.bool else "add"]
    for part, columns in _taps(_batch(result, 4), _batch(input, 3), form):
        compute_into(part, join, part, columns)
    result._storage._version = 0  # nobody has seen it yet
    if half:
        wide, result = (
            result,
            allocate_strided(shape, default_strides(shape), input._dtype, input._storage.backend),
        )
        write_new(result, wide)
    return record(Col2ImBackward0, result, input, form=form)


def _batch(tensor: Tensor, ndim: int) -> Tensor:
    """A view with a batch's dimension in front, if there is none."""
    shape, stride = tensor._shape, tensor._stride
    if len(shape) == ndim:
        return tensor
    return make_tensor(tensor._storage, tensor._dtype, Size((1, *shape)), (0, *stride), tensor._offset)


Im2ColBackward0 = formulas("Im2ColBackward0", image=lambda grad, size, form: _folded(grad, size, form))
Col2ImBackward0 = formulas("Col2ImBackward0", columns=lambda grad, form: _unfolded(grad, form))


@op(aliases="nn.functional.pixel_shuffle")
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Images with fewer channels and more pixels: each pixel's channels become a square of pixels.

    Args:
        input: of shape (…, C · r², H, W).
        upscale_factor: r, the side of the square.

    Returns:
        a tensor of shape (…, C, H · r, W · r).

    Raises:
        RuntimeError: the sizes do not fit.

    Example:
        >>> tl.pixel_shuffle(tl.tensor([[[1]], [[2]], [[3]], [[4]]]), 2)
        tensor([[[1, 2],
                 [3, 4]]])
    """
    factor = _factor("pixel_shuffle", "upscale_factor", input, upscale_factor)
    if input._shape[-3] % factor**2:
        raise RuntimeError(
            f"pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
            f"upscale_factor, but input.size(-3)={input._shape[-3]} is not divisible by {factor**2}"
        )
    channels, height, width = input._shape[-3:]
    shape = Size((*input._shape[:-3], channels // factor**2, height * factor, width * factor))
    result = _new(shape, input)
    write_new(_squares(result, factor), _channels(input, factor))
    return record(PixelShuffleBackward0, result, input, factor=factor)


@op(aliases="nn.functional.pixel_unshuffle")
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """The opposite of `pixel_shuffle`: each square of pixels becomes channels of one pixel.

    Args:
        input: of shape (…, C, H · r, W · r).
        downscale_factor: r, the side of the square.

    Returns:
        a tensor of shape (…, C · r², H, W).

    Raises:
        RuntimeError: the sizes do not fit.

    Example:
        >>> tl.pixel_unshuffle(tl.tensor([[[1, 2], [3, 4]]]), 2).flatten()
        tensor([1, 2, 3, 4])
    """
    factor = _factor("pixel_unshuffle", "downscale_factor", input, downscale_factor)
    channels, height, width = input._shape[-3:]
    for name, at, size in (("height", -2, height), ("width", -1, width)):
        if size % factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({at})="
                f"{size} is not divisible by {factor}"
            )
    shape = Size((*input._shape[:-3], channels * factor**2, height // factor, width // factor))
    result = _new(shape, input)
    write_new(_channels(result, factor), _squares(input, factor))
    return record(PixelUnshuffleBackward0, result, input, factor=factor)


PixelShuffleBackward0 = formulas(
    "PixelShuffleBackward0", pixels=lambda grad, factor: pixel_unshuffle(grad, factor)
)
PixelUnshuffleBackward0 = formulas(
    "PixelUnshuffleBackward0", pixels=lambda grad, factor: pixel_shuffle(grad, factor)
)


def _factor(name: str, word: str, input: Tensor, factor: int) -> int:
    if isinstance(factor, bool) or not isinstance(factor, int):
        raise TypeError(f"{name}(): argument {word!r} must be int, not {type(factor).__name__}")
    if input.ndim < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {input.ndim} "
            f"dimension(s)"
        )
    if factor <= 0:
        raise RuntimeError(f"{name} expects a positive {word}, but got {factor}")
    return factor


def _new(shape: Size, like: Tensor) -> Tensor:
    found = suggested_format(like._shape, like._stride)
    return allocate_strided(shape, format_strides(shape, found), like._dtype, like._storage.backend)


def _channels(small: Tensor, factor: int) -> Tensor:
    """The view (…, C, r, r, H, W) of an image of C · r² channels."""
    *batch, channels, height, width = small._shape
    *steps, channel, down, across = small._stride
    shape = Size((*batch, channels // factor**2, factor, factor, height, width))
    strides = (*steps, factor**2 * channel, factor * channel, channel, down, across)
    return make_tensor(small._storage, small._dtype, shape, strides, small._offset)


def _squares(large: Tensor, factor: int) -> Tensor:
    """The view (…, C, r, r, H, W) of an image of H · r by W · r pixels."""
    *batch, channels, height, width = large._shape
    *steps, channel, down, across = large._stride
    shape = Size((*batch, channels, factor, factor, height // factor, width // factor))
    strides = (*steps, channel, down, across, factor * down, factor * across)
    return make_tensor(large._storage, large._dtype, shape, strides, large._offset)
