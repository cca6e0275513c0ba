"""Convolution of signals, images and volumes, and the transposed convolution.

``conv2d`` slides a window over an image: each result is the sum of the numbers in the window, each times the
weight of its place. (Mathematics calls this a correlation; its convolution turns the weights around.)
``conv_transpose2d`` goes the other way: each number is spread over a window. It is the gradient of ``conv2d``
as a function of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.recording import record
from tensorlab.ops.convolution_checks import by, check_bias, check_extents, checked, not_negative
from tensorlab.ops.correlations import Form, image_of, result_of, weights_of
from tensorlab.ops.plans import remember
from tensorlab.ops.shape import squeeze, unsqueeze
from tensorlab.ops.windows import as_key, each_dim, places
from tensorlab.registry import op
from tensorlab.tensor import Tensor

Ints = int | Sequence[int]


def _result(image: Tensor, weight: Tensor, bias: Tensor | None, form: Form, sizes: Sequence[int]) -> Tensor:
    made = result_of(image, weight, bias, form, sizes)
    operands = image, weight, bias
    return record(_Convolution, made, *operands, form=form, sizes=image._shape[2:], shape=weight._shape)


def _image(result: Tensor, weight: Tensor, bias: Tensor | None, form: Form, sizes: Sequence[int]) -> Tensor:
    made = image_of(result, weight, bias, form, sizes)
    operands = result, weight, bias
    return record(_Transposed, made, *operands, form=form, sizes=result._shape[2:], shape=weight._shape)


def _weights(image: Tensor, result: Tensor, form: Form, shape: Sequence[int]) -> Tensor:
    made = weights_of(image, result, form, shape)
    notes = {"form": form, "sizes": image._shape[2:], "places": result._shape[2:]}
    return record(_Weights, made, image, result, **notes)


def _over_images(grad: Any) -> Tensor:
    """The gradient of a bias."""
    found: Tensor = grad.sum((0, *range(2, grad.ndim)))
    return found


# Each of the three sides is linear in each of the other two, and its gradients are the other two again.
_Convolution = formulas(
    "ConvolutionBackward0",
    image=lambda grad, weight, form, sizes: _image(grad, weight, None, form, sizes),
    weight=lambda grad, image, form, shape: _weights(image, grad, form, shape),
    bias=_over_images,
)
_Transposed = formulas(
    "ConvolutionBackward0",
    spread=lambda grad, weight, form, sizes: _result(grad, weight, None, form, sizes),
    weight=lambda grad, spread, form, shape: _weights(grad, spread, form, shape),
    bias=_over_images,
)
_Weights = formulas(
    "ConvolutionBackwardBackward0",
    image=lambda grad, gradient, form, sizes: _image(gradient, grad, None, form, sizes),
    gradient=lambda grad, image, form, places: _result(image, grad, None, form, places),
)


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
        >>> import tensorlab as tl
        >>> tl.conv1d(tl.tensor([[[0.0, 0.0, 1.0, 1.0]]]), tl.tensor([[[-1.0, 1.0]]]))  # differences
        tensor([[[0., 1., 0.]]])
    """
    return _convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


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
        >>> import tensorlab as tl
        >>> tl.conv2d(tl.ones(1, 1, 3, 3), tl.ones(1, 1, 3, 3), padding=1)  # how many neighbours there are
        tensor([[[[4., 6., 4.],
                  [6., 9., 6.],
                  [4., 6., 4.]]]])
    """
    return _convolve("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


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
        >>> import tensorlab as tl
        >>> tl.conv3d(tl.ones(1, 2, 2, 2), tl.ones(1, 1, 2, 2, 2))
        tensor([[[[8.]]]])
    """
    return _convolve("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


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
        >>> import tensorlab as tl
        >>> tl.conv_transpose1d(tl.tensor([[1.0, 2.0]]), tl.tensor([[[1.0, 0.5]]]), stride=2)
        tensor([[1.0000, 0.5000, 2.0000, 1.0000]])
    """
    return _transpose(
        "conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups, dilation
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
        >>> import tensorlab as tl
        >>> tl.conv_transpose2d(tl.tensor([[[1.0, 2.0]]]), tl.ones(1, 1, 2, 2))
        tensor([[[1., 3., 2.],
                 [1., 3., 2.]]])
    """
    return _transpose(
        "conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation
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
        >>> import tensorlab as tl
        >>> tl.conv_transpose3d(tl.ones(1, 1, 1, 1), tl.ones(1, 1, 1, 1, 3))
        tensor([[[[1., 1., 1.]]]])
    """
    return _transpose(
        "conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


# The forms of calls whose other arguments are single numbers or words, which most are.
_forms: dict[tuple, tuple[bool, Form, list[int]]] = {}


def _convolve(
    name: str, dims: int, input: Tensor, weight: Tensor, bias: Any, stride: Any, padding: Any, dilation: Any,
    groups: int,
) -> Tensor:  # fmt: skip
    arguments = (stride, padding, dilation, groups)
    tensors = type(input) is type(weight) is Tensor and (bias is None or type(bias) is Tensor)
    plain = as_key(*arguments) if tensors else None
    key = plain and (
        name, input._dtype, input._shape, weight._dtype, weight._shape,
        bias if bias is None else (bias._dtype, bias._shape), plain,
    )  # fmt: skip
    found = None if key is None else _forms.get(key)
    if found is None:
        found = _form(name, dims, input, weight, bias, *arguments)
        if key is not None:
            remember(_forms, key, found)
    batched, form, sizes = found
    if batched:
        return _result(input, weight, bias, form, sizes)
    return squeeze(_result(unsqueeze(input, 0), weight, bias, form, sizes), 0)


def _form(
    name: str, dims: int, input: Tensor, weight: Tensor, bias: Any, stride: Any, padding: Any, dilation: Any,
    groups: int,
) -> tuple[bool, Form, list[int]]:  # fmt: skip
    """Whether there is a batch, how the window moves, and the sizes of the result, all checked."""
    call = checked(name, dims, input, weight, bias, stride, dilation, groups)
    kernel, extents = weight._shape[2:], input._shape[-dims:]
    reach = [d * (k - 1) for d, k in zip(call.dilation, kernel, strict=True)]
    if padding == "same":
        if any(step != 1 for step in call.step):
            raise RuntimeError(
                f"{name}(): padding='same' is not supported for strided convolutions: the stride is "
                f"{call.step}, and the result would be smaller"
            )
        before = [size // 2 for size in reach]
        after = [size - half for size, half in zip(reach, before, strict=True)]
    elif isinstance(padding, str):
        if padding != "valid":
            raise RuntimeError(f"{name}(): Invalid padding string: {padding!r}; there is 'valid' and 'same'")
        before = after = [0] * dims
    else:
        before = after = list(not_negative(name, "padding", each_dim(name, "padding", padding, dims)))
    channels = input._shape[-dims - 1]
    if channels != groups * weight._shape[1]:
        raise RuntimeError(
            f"{name}(): Given groups={groups}, weight of size {list(weight.shape)}, expected input"
            f"{list(input.shape)} to have {groups * weight._shape[1]} channels, but got {channels} channels "
            f"instead"
        )
    check_bias(name, weight, bias, weight._shape[0])
    sizes = [
        places(*each) for each in zip(extents, kernel, call.step, call.dilation, before, after, strict=True)
    ]
    if any(size + b + a <= d for size, b, a, d in zip(extents, before, after, reach, strict=True)):
        padded = [size + b + a for size, b, a in zip(extents, before, after, strict=True)]
        raise RuntimeError(
            f"{name}(): Calculated padded input size per channel: {by(padded)}. Kernel size: "
            f"{by([size + 1 for size in reach])}. Kernel size can't be greater than actual input size"
        )
    check_extents(name, input, dims)
    return call.batched, Form(call.step, tuple(before), call.dilation, groups), sizes


def _transpose(
    name: str, dims: int, input: Tensor, weight: Tensor, bias: Any, stride: Any, padding: Any,
    output_padding: Any, groups: int, dilation: Any,
) -> Tensor:  # fmt: skip
    call = checked(name, dims, input, weight, bias, stride, dilation, groups)
    before = not_negative(name, "padding", each_dim(name, "padding", padding, dims))
    more = each_dim(name, "output_padding", output_padding, dims)
    not_negative(name, "output_padding", more)
    if any(m >= max(s, d) for m, s, d in zip(more, call.step, call.dilation, strict=True)):
        raise RuntimeError(
            f"{name}(): output padding must be smaller than either stride or dilation, but got "
            f"output_padding={more}, stride={call.step}, dilation={call.dilation}"
        )
    channels = input._shape[-dims - 1]
    if channels != weight._shape[0]:
        raise RuntimeError(
            f"{name}(): Given transposed=1, weight of size {list(weight.shape)}, expected input"
            f"{list(input.shape)} to have {weight._shape[0]} channels, but got {channels} channels instead"
        )
    check_bias(name, weight, bias, groups * weight._shape[1])
    sizes = [
        (size - 1) * s - 2 * p + d * (k - 1) + m + 1
        for size, s, p, d, k, m in zip(
            input._shape[-dims:], call.step, before, call.dilation, weight._shape[2:], more, strict=True
        )
    ]
    check_extents(name, input, dims)
    if min(sizes) < bool(input.numel()):  # without images there may be no place, either
        raise RuntimeError(
            f"{name}(): the padding {before} leaves nothing of the result: its size would be {by(sizes)}; "
            f"make it smaller, or give an output_padding"
        )
    form = Form(call.step, before, call.dilation, groups)
    if call.batched:
        return _image(input, weight, bias, form, sizes)
    return squeeze(_image(unsqueeze(input, 0), weight, bias, form, sizes), 0)
