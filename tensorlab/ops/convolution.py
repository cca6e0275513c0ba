"""Convolution of signals, images and volumes, and the transposed convolution.

``conv2d`` slides a window over an image: each result is the sum of the numbers in the window, each times the
weight of its place. (Mathematics calls this a correlation; its convolution turns the weights around.)
``conv_transpose2d`` goes the other way: each number is spread over a window. It is the gradient of ``conv2d``
as a function of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlab.core import dtypes
from tensorlab.dispatch.primitive import call
from tensorlab.ops.arguments import need_tensors
from tensorlab.ops.correlations import Form, ImageSide, ResultSide
from tensorlab.ops.shape import squeeze, unsqueeze
from tensorlab.ops.sliding_windows import DIMENSIONS, each_dim, places
from tensorlab.registry import op
from tensorlab.tensor import Tensor

Ints = int | Sequence[int]


@op(aliases="nn.functional.conv1d")
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints | str = 0,
    dilation: Ints = 1,
    groups: int = 1,
) -> Tensor:
    """A window that slides over signals; see `conv2d`.

    Args:
        input: of shape (N, C, L), or (C, L) for one signal.
        weight: of shape (M, C / groups, k).
        bias, stride, padding, dilation, groups: those of `conv2d`.

    Returns:
        a tensor of shape (N, M, places), or (M, places).

    Example:
        >>> tl.conv1d(tl.tensor([[[0.0, 0.0, 1.0, 1.0]]]), tl.tensor([[[-1.0, 1.0]]]))  # differences
        tensor([[[0., 1., 0.]]])
    """
    return _convolve("conv1d", input, weight, bias, stride, padding, dilation, groups)


@op(aliases="nn.functional.conv2d")
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints | str = 0,
    dilation: Ints = 1,
    groups: int = 1,
) -> Tensor:
    """A window that slides over images: each result is the sum of what it covers, weighted.

    Args:
        input: of shape (N, C, H, W), or (C, H, W) for one image.
        weight: of shape (M, C / groups, kh, kw): for each of M results a window over its channels.
        bias: of shape (M), what each sum starts from.
        stride: by how much the window moves, down and to the right.
        padding: how many zeros stand around the image, above and below, left and right; ``"valid"`` for none,
            and ``"same"`` for as many as give the result the image's size.
        dilation: how far apart in the image neighbours of the window are.
        groups: how many groups the channels and results are divided into; a result sees its own group.

    Returns:
        a tensor of shape (N, M, places down, places across), or without N; channels last if the input or the
        weight is.

    Raises:
        RuntimeError: the shapes, sizes or dtypes do not fit, or the window is larger than the padded image.
        TypeError: an argument is of another type.

    Example:
        >>> tl.conv2d(tl.ones(1, 1, 3, 3), tl.ones(1, 1, 3, 3), padding=1)  # how many neighbours there are
        tensor([[[[4., 6., 4.],
                  [6., 9., 6.],
                  [4., 6., 4.]]]])
    """
    return _convolve("conv2d", input, weight, bias, stride, padding, dilation, groups)


@op(aliases="nn.functional.conv3d")
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints | str = 0,
    dilation: Ints = 1,
    groups: int = 1,
) -> Tensor:
    """A window that slides over volumes; see `conv2d`.

    Args:
        input: of shape (N, C, D, H, W), or (C, D, H, W) for one volume.
        weight: of shape (M, C / groups, kd, kh, kw).
        bias, stride, padding, dilation, groups: those of `conv2d`.

    Example:
        >>> tl.conv3d(tl.ones(1, 2, 2, 2), tl.ones(1, 1, 2, 2, 2))
        tensor([[[[8.]]]])
    """
    return _convolve("conv3d", input, weight, bias, stride, padding, dilation, groups)


@op(aliases="nn.functional.conv_transpose1d")
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
) -> Tensor:
    """Each number of a signal spread over a window; see `conv_transpose2d`.

    Example:
        >>> tl.conv_transpose1d(tl.tensor([[1.0, 2.0]]), tl.tensor([[[1.0, 0.5]]]), stride=2)
        tensor([[1.0000, 0.5000, 2.0000, 1.0000]])
    """
    return _transpose(
        "conv_transpose1d", input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@op(aliases="nn.functional.conv_transpose2d")
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
) -> Tensor:
    """Each number of an image spread over a window, and windows that overlap added up.

    With equal arguments it is the gradient of `conv2d`: it turns a result's shape back into the image's.

    Args:
        input: of shape (N, M, h, w), or (M, h, w) for one image.
        weight: of shape (M, C / groups, kh, kw).
        bias: of shape (C), what each sum starts from.
        stride: by how much windows of neighbours are apart, down and to the right.
        padding: how much is left away around the result, above and below, left and right.
        output_padding: how much is added below and to the right: with a stride of 2, images of two sizes have
            results of one size, and this chooses between them.
        groups: how many groups the channels are divided into.
        dilation: how far apart in the result neighbours of the window are.

    Returns:
        a tensor of shape (N, C, H, W), or without N, where H is
        ``(h - 1) * stride - 2 * padding + dilation * (kh - 1) + output_padding + 1``.

    Raises:
        RuntimeError: the shapes, sizes or dtypes do not fit.
        TypeError: an argument is of another type.

    Example:
        >>> tl.conv_transpose2d(tl.tensor([[[1.0, 2.0]]]), tl.ones(1, 1, 2, 2))
        tensor([[[1., 3., 2.],
                 [1., 3., 2.]]])
    """
    return _transpose(
        "conv_transpose2d", input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@op(aliases="nn.functional.conv_transpose3d")
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Ints = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
) -> Tensor:
    """Each number of a volume spread over a window; see `conv_transpose2d`.

    Example:
        >>> tl.conv_transpose3d(tl.ones(1, 1, 1, 1), tl.ones(1, 1, 1, 1, 3))
        tensor([[[[1., 1., 1.]]]])
    """
    return _transpose(
        "conv_transpose3d", input, weight, bias, stride, padding, output_padding, groups, dilation
    )


# --- what goes in ----------------------------------------------------------------------------------------


class Convolve(ResultSide):
    """A convolution as a call asks for it; `params` are stride, padding, dilation and groups."""

    def __init__(self, name: str, dims: int) -> None:
        self.name, self.dims = name, dims

    def settled(self, operands: Sequence[Any], params: tuple) -> tuple[Form, Sequence[int]]:
        """How the window moves, and the sizes of the result, all checked."""
        name, dims = self.name, self.dims
        input, weight, *biases = operands
        stride, padding, dilation, groups = params
        _check(name, dims, input, weight, biases, stride, dilation, groups)
        kernel, extents = weight._shape[2:], input._shape[-dims:]
        reach = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
        if padding == "same":
            if any(step != 1 for step in stride):
                raise RuntimeError(
                    f"{name}(): padding='same' is not supported for strided convolutions: the stride is "
                    f"{stride}, and the result would be smaller"
                )
            before = [size // 2 for size in reach]
            after = [size - half for size, half in zip(reach, before, strict=True)]
        elif isinstance(padding, str):
            if padding != "valid":
                raise RuntimeError(
                    f"{name}(): Invalid padding string: {padding!r}; there is 'valid' and 'same'"
                )
            before = after = [0] * dims
        else:
            _not_negative(name, "padding", padding)
            before = after = list(padding)
        channels = input._shape[-dims - 1]
        if channels != groups * weight._shape[1]:
            raise RuntimeError(
                f"{name}(): Given groups={groups}, weight of size {list(weight.shape)}, expected input"
                f"{list(input.shape)} to have {groups * weight._shape[1]} channels, but got {channels} "
                f"channels instead"
            )
        _check_bias(name, weight, biases, weight._shape[0])
        sizes = [places(*each) for each in zip(extents, kernel, stride, dilation, before, after, strict=True)]
        if any(size + b + a <= d for size, b, a, d in zip(extents, before, after, reach, strict=True)):
            padded = [size + b + a for size, b, a in zip(extents, before, after, strict=True)]
            raise RuntimeError(
                f"{name}(): Calculated padded input size per channel: {_by(padded)}. Kernel size: "
                f"{_by([size + 1 for size in reach])}. Kernel size can't be greater than actual input size"
            )
        _check_extents(name, input, dims)
        return Form(stride, tuple(before), dilation, groups), sizes


class Transpose(ImageSide):
    """A transposed convolution as a call asks for it.

    `params` are stride, padding, output padding, dilation and groups.
    """

    def __init__(self, name: str, dims: int) -> None:
        self.name, self.dims = name, dims

    def settled(self, operands: Sequence[Any], params: tuple) -> tuple[Form, Sequence[int]]:
        """How the window moves, and the sizes of the image, all checked."""
        name, dims = self.name, self.dims
        input, weight, *biases = operands
        stride, before, more, dilation, groups = params
        _check(name, dims, input, weight, biases, stride, dilation, groups)
        _not_negative(name, "padding", before)
        _not_negative(name, "output_padding", more)
        if any(m >= max(s, d) for m, s, d in zip(more, stride, dilation, strict=True)):
            raise RuntimeError(
                f"{name}(): output padding must be smaller than either stride or dilation, but got "
                f"output_padding={more}, stride={stride}, dilation={dilation}"
            )
        channels = input._shape[-dims - 1]
        if channels != weight._shape[0]:
            raise RuntimeError(
                f"{name}(): Given transposed=1, weight of size {list(weight.shape)}, expected input"
                f"{list(input.shape)} to have {weight._shape[0]} channels, but got {channels} channels "
                f"instead"
            )
        _check_bias(name, weight, biases, groups * weight._shape[1])
        sizes = [
            (size - 1) * s - 2 * p + d * (k - 1) + m + 1
            for size, s, p, d, k, m in zip(
                input._shape[-dims:], stride, before, dilation, weight._shape[2:], more, strict=True
            )
        ]
        _check_extents(name, input, dims)
        if min(sizes) < bool(input.numel()):  # without images there may be no place, either
            raise RuntimeError(
                f"{name}(): the padding {before} leaves nothing of the result: its size would be "
                f"{_by(sizes)}; make it smaller, or give an output_padding"
            )
        return Form(stride, before, dilation, groups), sizes


_CONVOLVE = {f"conv{dims}d": Convolve(f"conv{dims}d", dims) for dims in (1, 2, 3)}
_TRANSPOSE = {f"conv_transpose{dims}d": Transpose(f"conv_transpose{dims}d", dims) for dims in (1, 2, 3)}


def _convolve(
    name: str, input: Tensor, weight: Tensor, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Tensor:
    primitive = _CONVOLVE[name]
    operands = _operands(name, input, weight, bias, groups)
    if not isinstance(padding, str):
        padding = each_dim(name, "padding", padding, primitive.dims)
    step = each_dim(name, "stride", stride, primitive.dims)
    spread = each_dim(name, "dilation", dilation, primitive.dims)
    return _batched(primitive, operands, (step, padding, spread, groups))


def _transpose(
    name: str, input: Tensor, weight: Tensor, bias: Any, stride: Any, padding: Any, output_padding: Any,
    groups: int, dilation: Any,
) -> Tensor:  # fmt: skip
    primitive = _TRANSPOSE[name]
    operands = _operands(name, input, weight, bias, groups)
    named = {"stride": stride, "padding": padding, "output_padding": output_padding, "dilation": dilation}
    sizes = [each_dim(name, word, value, primitive.dims) for word, value in named.items()]
    return _batched(primitive, operands, (*sizes, groups))


def _operands(name: str, input: Tensor, weight: Tensor, bias: Any, groups: int) -> tuple[Tensor, ...]:
    operands = (input, weight) if bias is None else (input, weight, bias)
    need_tensors(name, **dict(zip(("input", "weight", "bias"), operands, strict=False)))
    if isinstance(groups, bool) or not isinstance(groups, int):
        raise TypeError(f"{name}(): argument 'groups' must be int, not {groups!r}")
    return operands


def _batched(primitive: Convolve | Transpose, operands: tuple[Tensor, ...], params: tuple) -> Tensor:
    """A call, whose input may be one image without a batch."""
    input, *others = operands
    if input.ndim != primitive.dims + 1:
        return call(primitive, *operands, params=params)
    primitive.settled(operands, params)  # what does not fit is named with the shape that was given
    return squeeze(call(primitive, unsqueeze(input, 0), *others, params=params), 0)


def _check(
    name: str, dims: int, input: Tensor, weight: Tensor, biases: Sequence[Tensor], stride: tuple[int, ...],
    dilation: tuple[int, ...], groups: int,
) -> None:  # fmt: skip
    """Refuse what fits in neither direction."""
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of "
            f"size: {list(input.shape)}"
        )
    if weight.ndim != dims + 2:
        raise RuntimeError(
            f"{name}(): expected a weight of {dims + 2} dimensions (results, channels, "
            f"{', '.join(DIMENSIONS[dims])}), got one of size {list(weight.shape)}"
        )
    for word, other in ("weight", weight), *[("bias", bias) for bias in biases]:
        if other.dtype is not input.dtype:
            raise RuntimeError(
                f"{name}(): Input type ({input.dtype.name}) and {word} type ({other.dtype.name}) should be "
                f"the same: convert first, {word}.to(tensorlab.{input.dtype.name})"
            )
    if input.dtype is dtypes.bool:
        raise NotImplementedError(f"{name}() is not implemented for 'Bool': convert to integers first")
    _positive(name, "stride", stride)
    _positive(name, "dilation", dilation)
    if groups <= 0:
        raise RuntimeError(f"{name}(): non-positive groups is not supported, got {groups}")
    if weight._shape[0] < groups or weight._shape[0] % groups:
        what = "at least" if weight._shape[0] < groups else "divisible by"
        raise RuntimeError(
            f"{name}(): Given groups={groups}, expected weight to be {what} {groups} at dimension 0, but got "
            f"weight of size {list(weight.shape)} instead"
        )
    if 0 in weight._shape[2:]:
        raise RuntimeError(f"{name}(): the weight has no taps: its size is {list(weight.shape)}")


def _positive(name: str, word: str, values: tuple[int, ...]) -> None:
    if min(values) <= 0:
        raise RuntimeError(f"{name}(): non-positive {word} is not supported, got {values}")


def _not_negative(name: str, word: str, values: tuple[int, ...]) -> None:
    if min(values) < 0:
        raise RuntimeError(f"{name}(): negative {word} is not supported, got {values}")


def _check_bias(name: str, weight: Tensor, biases: Sequence[Tensor], size: int) -> None:
    """Refuse a bias that has not one number for each of `size` channels of the result."""
    if biases and tuple(biases[0].shape) != (size,):
        raise RuntimeError(
            f"{name}(): Given weight of size {list(weight.shape)}, expected bias to be 1-dimensional with "
            f"{size} elements, but got bias of size {list(biases[0].shape)} instead"
        )


def _check_extents(name: str, input: Tensor, dims: int) -> None:
    """Refuse images without numbers, unless there are none, or none of their channels."""
    if 0 in input._shape[-dims:] and 0 not in input._shape[:-dims]:
        raise RuntimeError(
            f"{name}(): Only zero batch or zero channel inputs are supported, but got input shape: "
            f"{list(input.shape)}"
        )


def _by(sizes: Sequence[int]) -> str:
    """Sizes as PyTorch writes them: ``(3 x 4)``."""
    return f"({' x '.join(map(str, sizes))})"
