"""Normalisation layers: each number's distance from a mean, in units of a deviation.

They differ in which numbers share a mean. Layer norm: those of one row. Group norm: those of some channels of
one image. Instance norm: those of one channel of one image. Batch norm: those of one channel of all images.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlab.core import layout
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.core.memory_formats import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    is_in_format,
    memory_format,
    suggested_format,
)
from tensorlab.core.modes import no_grad
from tensorlab.core.numeric_limits import finfo
from tensorlab.dispatch.operands import number_from
from tensorlab.dispatch.primitive import call_several, need_one_device
from tensorlab.ops.conversion import compute_type, contiguous, to
from tensorlab.ops.normalisation_groups import Normalise, View, batch_view, group_view, row_view
from tensorlab.ops.update import move
from tensorlab.registry import op
from tensorlab.scalars.updates import RUNNING_STATISTICS
from tensorlab.tensor import Tensor


@op(aliases="nn.functional.layer_norm")
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """The last dimensions brought to mean 0 and variance 1, then times `weight`, plus `bias`.

    Args:
        input: a floating-point tensor of shape ``(…, *normalized_shape)``.
        normalized_shape: the sizes of the last dimensions, whose numbers share a mean and a variance.
        weight, bias: tensors of that shape.
        eps: what is added to the variance, so that equal numbers become zeros.

    Returns:
        a row-major tensor of `input`'s shape and dtype.

    Raises:
        TypeError: `normalized_shape` is no sequence of integers.
        RuntimeError: the shapes or dtypes do not fit.

    Example:
        >>> F.layer_norm(tl.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 30.0]]), (3,))
        tensor([[-1.2247,  0.0000,  1.2247],
                [-0.7071, -0.7071,  1.4142]])
    """
    params = _as_size("layer_norm", normalized_shape), float(eps)
    return call_several(_LAYER_NORM, input, weight, bias, params=params)[0]


@op(aliases="nn.functional.rms_norm")
def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """The last dimensions divided by the square root of their mean square, then times `weight`.

    It is `layer_norm` without the mean.

    Args:
        input: a floating-point tensor of shape ``(…, *normalized_shape)``.
        normalized_shape: the sizes of the last dimensions, whose numbers share a mean square.
        weight: a tensor of that shape.
        eps: what is added to the mean square; the distance from 1 to the next number if left out.

    Raises:
        TypeError: `normalized_shape` is no sequence of integers.
        RuntimeError: the shapes do not fit, or `input` is not of a floating-point dtype.

    Example:
        >>> F.rms_norm(tl.tensor([3.0, 4.0]), (2,))
        tensor([0.8485, 1.1314])
    """
    shape, number = _as_size("rms_norm", normalized_shape), compute_type(input._dtype)
    if weight is not None and weight._dtype is not input._dtype:
        weight = to(weight, number)
    eps = finfo(number).eps if eps is None else eps
    return call_several(_RMS_NORM, input, weight, params=(shape, float(eps)))[0]


@op(aliases="nn.functional.group_norm")
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Each group of channels of each image brought to mean 0 and variance 1, then weighted by channel.

    Args:
        input: a floating-point tensor of shape (images, channels, …).
        num_groups: how many groups the channels are divided into.
        weight, bias: of shape (channels).
        eps: what is added to the variance.

    Raises:
        ValueError: a group has one number only.
        RuntimeError: the groups, shapes or dtypes do not fit.
        TypeError: `num_groups` is no int.
        ZeroDivisionError: it is 0.

    Example:
        >>> F.group_norm(tl.tensor([[0.0, 2.0, 10.0, 50.0]]), 2)
        tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    if isinstance(num_groups, bool) or not isinstance(num_groups, int):
        raise TypeError(f"group_norm(): argument 'num_groups' must be int, not {type(num_groups).__name__}")
    result = call_several(_GROUP_NORM, input, weight, bias, params=(num_groups, float(eps)))[0]
    return contiguous(result, suggested_format(input._shape, input._stride))


@op(namespace="nn.functional")
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel brought to mean 0 and variance 1, then weighted.

    Args:
        input: a floating-point tensor of shape (images, channels, …).
        running_mean, running_var: of shape (channels). In training they are moved towards the mean and the
            unbiased variance of the batch; else they are what is taken.
        weight, bias: of shape (channels).
        training: whether the mean and variance are those of the batch.
        momentum: how far the running statistics move: the share of the new ones.
        eps: what is added to the variance.

    Raises:
        TypeError: `momentum` is no number.
        ValueError: in training a channel has one number only, or only one of the statistics is given.
        RuntimeError: outside of training a statistic is missing, or shapes or dtypes do not fit.
        IndexError: the tensor has no dimension of channels.

    Example:
        >>> x, mean, var = tl.tensor([[0.0, 1.0], [2.0, 5.0]]), tl.zeros(2), tl.ones(2)
        >>> F.batch_norm(x, mean, var, training=True)
        tensor([[-1.0000, -1.0000],
                [ 1.0000,  1.0000]])
        >>> mean, var
        (tensor([0.1000, 0.3000]), tensor([1.1000, 1.7000]))
    """
    momentum = number_from(momentum)
    _check_batch(input, running_mean, running_var, weight, bias, training, momentum, eps)
    own = training or running_mean is None or running_var is None
    given = (None, None) if own else (running_mean, running_var)
    result, *found = call_several(_BATCH_NORM, input, weight, bias, *given, params=(None, float(eps)))
    if own and running_mean is not None and running_var is not None and input.numel():
        count = input.numel() // input._shape[1]
        need_one_device("batch_norm", input, running_mean, running_var)
        with no_grad():
            mean, var = (to(new, running_mean._dtype) for new in found[:2])
            numbers = momentum, count / (count - 1)
            move(RUNNING_STATISTICS, running_mean, mean, (running_var, var), *numbers, writer="batch_norm")
    return result


@op(namespace="nn.functional")
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel of each image brought to mean 0 and variance 1, then weighted by channel.

    Args:
        input: a floating-point tensor of shape (images, channels, …).
        running_mean, running_var: of shape (channels), moved towards the mean of the images' statistics.
        weight, bias: of shape (channels).
        use_input_stats: whether mean and variance are those of the image; else the running ones are taken.
        momentum: how far the running statistics move.
        eps: what is added to the variance.

    Raises:
        ValueError: a channel of an image has one number only, or only one of the statistics is given.
        RuntimeError: a statistic is missing, or shapes or dtypes do not fit.

    Example:
        >>> F.instance_norm(tl.tensor([[[0.0, 2.0], [10.0, 50.0]]]))
        tensor([[[-1.0000,  1.0000],
                 [-1.0000,  1.0000]]])
    """
    if use_input_stats and layout.numel(input._shape[2:]) == 1:
        raise ValueError(_too_few("spatial element", input))
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    if running_mean is None and not use_input_stats:
        raise RuntimeError(
            "Expected running_mean and running_var to be defined when use_input_stats is false"
        )
    images, channels = input._shape[:2]
    for name, parameter in (("weight", weight), ("bias", bias)):
        if parameter is not None and parameter.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {parameter.numel()}")
    one = Size((1, images * channels, *input._shape[2:]))
    mean, var, w, b = (
        None if t is None else t.repeat(images) for t in (running_mean, running_var, weight, bias)
    )
    result = batch_norm(contiguous(input).view(one), mean, var, w, b, use_input_stats, momentum, eps)
    if use_input_stats and running_mean is not None and running_var is not None:
        with no_grad():
            for running, spread in ((running_mean, mean), (running_var, var)):
                assert spread is not None
                running.copy_(spread.view(images, channels).mean(0))
    return result.view(input._shape)


def _check_batch(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> None:
    """The arguments of `batch_norm`, checked in PyTorch's order."""
    if isinstance(momentum, bool) or not isinstance(momentum, (int, float)):
        raise TypeError(f"batch_norm(): argument 'momentum' must be float, not {type(momentum).__name__}")
    if training and input.ndim == 1 and input.numel() == 1:
        raise ValueError(_too_few("value per channel", input))
    if input.ndim == 1 and input.numel() and (running_mean is not None or running_var is not None):
        raise RuntimeError(
            f"running_mean should contain 0 elements: batch_norm takes (images, channels, …), and the shape "
            f"is {tuple(input._shape)}, which has no channels; call input.unsqueeze(0) for one image"
        )
    if input.ndim < 2 and input.numel():
        raise IndexError(
            f"Dimension out of range: batch_norm takes (images, channels, …), and the shape is "
            f"{tuple(input._shape)}"
        )
    images, channels = input._shape[:2] if input.ndim > 1 else (0, 0)
    if training:
        if images * layout.numel(input._shape[2:]) == 1:
            raise ValueError(_too_few("value per channel", input))
        if eps <= 0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
        if (running_mean is None) != (running_var is None):
            raise ValueError("running_mean and running_var must either both be None or neither be None")
    named = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    for name, parameter in named.items():
        if parameter is None:
            if name.startswith("running") and not training:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
        elif parameter.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {parameter.numel()}")
    _check_types("batch_norm", input, weight, bias, running_mean, running_var)


def _batch_format(input: Tensor) -> memory_format:
    """The format of a batch norm's result: what `input` is dense in, even where sizes of 1 leave it open."""
    for format in (contiguous_format, channels_last, channels_last_3d):
        if is_in_format(input._shape, input._stride, format):
            return format
    return suggested_format(input._shape, input._stride)


def _too_few(what: str, input: Tensor) -> str:
    return (
        f"Expected more than 1 {what} when training, got input size {list(input._shape)}: "
        f"one number has no deviation"
    )


def _as_size(name: str, shape: Sequence[int]) -> Size:
    """`normalized_shape`, which must be a sequence of integers."""
    if not isinstance(shape, (tuple, list)):
        raise TypeError(
            f"{name}(): argument 'normalized_shape' must be tuple of ints, not {type(shape).__name__}: "
            f"for the last dimension alone write ({shape},)"
        )
    return shape if type(shape) is Size else Size(shape)


def _check_types(name: str, input: Tensor, *parameters: Tensor | None) -> None:
    """Refuse dtypes: parameters have the input's, or float32 beside a sixteen-bit input, all of them."""
    if not input._dtype.is_floating_point:
        raise NotImplementedError(
            f"{name}() is not implemented for {input._dtype.name}: its results lie between whole numbers; "
            f"convert first, x.to(tensorlab.float32)"
        )
    if all(t is None or t._dtype is input._dtype for t in parameters):
        return
    found: set[dtype] = {t._dtype for t in parameters if t is not None}
    if len(found) > 1 or not found <= {input._dtype, compute_type(input._dtype)}:
        names = ", ".join(sorted(t.name for t in found))
        raise RuntimeError(
            f"mixed dtype (CPU): expect parameter to have scalar type of {compute_type(input._dtype).name}: "
            f"{name}() of {input._dtype.name} was given parameters of {names}"
        )


# --- primitives ---------------------------------------------------------------------------------------


class RowNorm(Normalise):
    """Layer and RMS norm; the argument are the sizes of the last dimensions, which share a mean."""

    def view(self, input: Tensor, argument: Any) -> View:
        """See `Normalise.view`."""
        rows = layout.numel(input._shape[: input.ndim - len(argument)])
        return row_view(rows, argument, centers=self.name == "layer_norm")

    def check(self, operands: Sequence[Any], argument: Any) -> None:
        """See `Normalise.check`."""
        input, *parameters = operands
        if not argument:
            raise RuntimeError(
                f"Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
                f"element, but got normalized_shape = {list(argument)}"
            )
        for word, parameter in zip(("weight", "bias"), parameters, strict=False):
            if parameter is not None and parameter._shape != argument:
                raise RuntimeError(
                    f"Expected {word} to be of same shape as normalized_shape, but got {word} of shape "
                    f"{list(parameter._shape)} and normalized_shape = {list(argument)}"
                )
        if input._shape[max(input.ndim - len(argument), 0) :] != argument:
            raise RuntimeError(
                f"Given normalized_shape={list(argument)}, expected input with shape "
                f"[*, {', '.join(map(str, argument))}], but got input of size {list(input._shape)}"
            )
        _check_types(self.name, input, *(parameters if self.name == "layer_norm" else ()))


class GroupNorm(Normalise):
    """Group norm; the argument is the number of groups."""

    def view(self, input: Tensor, argument: Any) -> View:
        """See `Normalise.view`."""
        images, channels = input._shape[:2]
        return group_view(images, channels, layout.numel(input._shape[2:]), argument)

    def check(self, operands: Sequence[Any], argument: Any) -> None:
        """See `Normalise.check`."""
        (input, weight, bias), num_groups = operands, argument
        if input.ndim < 2:
            raise RuntimeError(
                f"Expected at least 2 dimensions for input tensor but received {input.ndim}: "
                f"group_norm takes (images, channels, …)"
            )
        images, channels = input._shape[:2]
        cells = layout.numel(input._shape[2:])
        if num_groups == 0:
            raise ZeroDivisionError(
                "group_norm(): num_groups is 0, and channels cannot be divided into 0 groups"
            )
        if images * (channels // num_groups) * cells == 1:
            raise ValueError(_too_few("value per channel", input))
        if num_groups < 0:
            raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
        if channels % num_groups:
            raise RuntimeError(
                f"Expected number of channels in input to be divisible by num_groups, but got input of shape "
                f"{list(input._shape)} and num_groups={num_groups}"
            )
        for name, parameter in (("weight", weight), ("bias", bias)):
            if parameter is not None and tuple(parameter._shape) != (channels,):
                raise RuntimeError(
                    f"Expected {name} to be a vector of size equal to the number of channels in input, but "
                    f"got {name} of shape {list(parameter._shape)} and input of shape {list(input._shape)}"
                )
        _check_types("group_norm", input, weight, bias)


class BatchNorm(Normalise):
    """Batch norm, whose operands `batch_norm` has checked."""

    def view(self, input: Tensor, argument: Any) -> View:
        """See `Normalise.view`."""
        images, channels = input._shape[:2] if input.ndim > 1 else (0, 0)
        return batch_view(images, channels, layout.numel(input._shape[2:]), _batch_format(input))


_LAYER_NORM = RowNorm("layer_norm", "NativeLayerNorm", rows=True)
_RMS_NORM = RowNorm("rms_norm", "Mul", rows=True)
_GROUP_NORM = GroupNorm("group_norm", "NativeGroupNorm", rows=False)
_BATCH_NORM = BatchNorm("batch_norm", "NativeBatchNorm", rows=False)
